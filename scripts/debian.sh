#!/usr/bin/env bash
# Installs Debian's packages, if this user may; else says who needs them, and how to have them.
#
# scripts/debian.sh "The live tests need" nodejs chromium
set -euo pipefail

who=$1
shift
if [ "$(id -u)" = 0 ]; then
    run=()
elif sudo -n true 2>/dev/null; then
    run=(sudo -n)
else
    echo "$who $*: apt-get install $*, as somebody who may." >&2
    exit 1
fi
"${run[@]}" apt-get update --quiet
"${run[@]}" apt-get install --yes --quiet --no-install-recommends "$@"
