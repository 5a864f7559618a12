#!/usr/bin/env bash
# Java 17 or newer, which Spark runs on: where there is none, Debian's package is installed, if this user may.
#
# make test-spark
set -euo pipefail
package=openjdk-17-jre-headless

java="${JAVA_HOME:+$JAVA_HOME/bin/}java"
if "$java" -version 2>&1 | grep -qE 'version "(1[7-9]|[2-9][0-9])'; then
    exit 0
fi
if [ "$(id -u)" = 0 ]; then
    run=()
elif sudo -n true 2>/dev/null; then
    run=(sudo -n)
else
    echo "Spark needs Java 17 or newer: apt-get install $package, as somebody who may, or set JAVA_HOME." >&2
    exit 1
fi
"${run[@]}" apt-get update --quiet
"${run[@]}" apt-get install --yes --quiet --no-install-recommends "$package"
