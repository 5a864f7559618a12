#!/usr/bin/env bash
# Node 18 or newer and Chromium, which the browser client is tested with, PostgreSQL's server, nginx and Caddy, behind which
# a collector is tested, Prometheus' promtool, systemd's look at a unit, Go, in which there is another client, and R, which reads estimates: what is missing is installed from Debian's packages, if this user may.
#
# make test-live
set -euo pipefail

wanted=()
node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 18 ? 0 : 1)' 2>/dev/null || wanted+=(nodejs)
command -v chromium >/dev/null || wanted+=(chromium)
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || wanted+=(postgresql)
command -v go >/dev/null || wanted+=(golang-go)
command -v Rscript >/dev/null || wanted+=(r-base-core)
PATH=$PATH:/usr/sbin command -v nginx >/dev/null || wanted+=(nginx)
command -v promtool >/dev/null || wanted+=(prometheus)
command -v caddy >/dev/null || wanted+=(caddy)
command -v systemd-analyze >/dev/null || wanted+=(systemd)
if [ ${#wanted[@]} = 0 ]; then
    exit 0
fi
exec "$(dirname "$0")/debian.sh" "The live tests need" "${wanted[@]}"
