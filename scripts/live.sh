#!/usr/bin/env bash
# Node 18 or newer and Chromium, which the browser client is tested with, and PostgreSQL's server: what is missing is
# installed from Debian's packages, if this user may.
#
# make test-live
set -euo pipefail

wanted=()
node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 18 ? 0 : 1)' 2>/dev/null || wanted+=(nodejs)
command -v chromium >/dev/null || wanted+=(chromium)
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || wanted+=(postgresql)
if [ ${#wanted[@]} = 0 ]; then
    exit 0
fi
if [ "$(id -u)" = 0 ]; then
    run=()
elif sudo -n true 2>/dev/null; then
    run=(sudo -n)
else
    echo "The live tests need ${wanted[*]}: apt-get install ${wanted[*]}, as somebody who may." >&2
    exit 1
fi
"${run[@]}" apt-get update --quiet
"${run[@]}" apt-get install --yes --quiet --no-install-recommends "${wanted[@]}"
