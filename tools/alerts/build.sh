#!/usr/bin/env bash
# Builds check-alerts into a cache, once for each version of its sources. Needs Go. Prints the program's path.
set -euo pipefail
cd "$(dirname "$0")"
version="$(cat main.go go.mod | sha256sum | cut -c1-16)"
program="${XDG_CACHE_HOME:-$HOME/.cache}/candor/bin/check-alerts-$version"
[ -x "$program" ] || GOFLAGS=-mod=readonly go build -o "$program" . >&2
echo "$program"
