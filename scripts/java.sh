#!/usr/bin/env bash
# Java 17 or newer, which Spark runs on: where there is none, in JAVA_HOME or else on the PATH, Debian's package is
# installed, if this user may.
#
# make test-spark
set -euo pipefail

java="${JAVA_HOME:+$JAVA_HOME/bin/}java"
if "$java" -version 2>&1 | grep -qE 'version "(1[7-9]|[2-9][0-9])'; then
    exit 0
fi
exec "$(dirname "$0")/debian.sh" "Spark needs Java 17 or newer, in JAVA_HOME or from" openjdk-17-jre-headless
