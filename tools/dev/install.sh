#!/bin/sh
# Installs what a build (and, with --tests, the test suite) needs on Debian or Ubuntu, and nothing that is there already.
# Other systems: install CMake 3.20 or newer, a C++17 compiler and Boost headers; the rest is fetched by the build.
# SPDX-License-Identifier: Apache-2.0
set -eu

wanted="g++ make cmake ninja-build ca-certificates python3 python3-pip python3-venv nlohmann-json3-dev libcli11-dev libtomlplusplus-dev"
[ "${1:-}" = --tests ] && wanted="$wanted git doctest-dev g++-mingw-w64-x86-64-posix wine64"

command -v apt-get >/dev/null || { echo "no apt-get here: see CONTRIBUTING.md for what to install" >&2; exit 0; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
    echo "needs root or sudo to install: $missing" >&2; exit 2; fi; }
installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q '^install ok installed'; }

missing=""
for package in $wanted; do installed "$package" || missing="$missing $package"; done

# Boost 1.81 where there is such a package (its Process needs no compiled library), else the system's own.
if [ ! -e /usr/include/boost/process.hpp ]; then missing="$missing boost"; fi
[ -n "$missing" ] || exit 0

retry() { "$@" || { sleep 10; "$@"; } || { sleep 30; "$@"; }; }
export DEBIAN_FRONTEND=noninteractive
retry as_root apt-get update -qq
boost="libboost-dev libboost-filesystem-dev"
apt-cache show libboost1.81-dev >/dev/null 2>&1 && boost=libboost1.81-dev
missing=$(echo "$missing" | sed "s/ boost\$/ $boost/")
# shellcheck disable=SC2086
retry as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 || { echo "could not install:$missing" >&2; exit 2; }
