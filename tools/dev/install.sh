#!/bin/sh
# Installs the missing packages for a build (with --tests, also for the test suite) on Debian or Ubuntu. The build fetches
# libraries that this release does not package; that needs CMake 3.24, which is then installed from PyPI into build/venv.
# Other systems: see CONTRIBUTING.md.
# SPDX-License-Identifier: Apache-2.0
set -eu

programs="g++ make cmake ninja-build ca-certificates git python3 python3-pip python3-venv"
libraries="libcli11-dev libtomlplusplus-dev liblz4-dev libzstd-dev libdeflate-dev libyaml-dev"
if [ "${1:-}" = --tests ]; then
    programs="$programs clang clang-tidy g++-mingw-w64-x86-64-posix jq lld python3-dev wine64"
    libraries="$libraries doctest-dev"
fi
command -v apt-get >/dev/null || { echo "no apt-get here: see CONTRIBUTING.md for what to install" >&2; exit 0; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
        echo "needs root or sudo to install:$missing" >&2
        exit 2
    fi
}
installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q '^install ok installed'; }
to_be_had() { [ -n "$(apt-cache show "$1" 2>/dev/null)" ]; }
retry() { "$@" || { sleep 10; "$@"; } || { sleep 30; "$@"; }; }

missing=""
for package in $programs $libraries; do installed "$package" || missing="$missing $package"; done
[ -e /usr/include/boost/process.hpp ] || missing="$missing boost"
[ -n "$missing" ] || exit 0

export DEBIAN_FRONTEND=noninteractive
retry as_root apt-get update -qq
wanted="" fetched=""
for package in $missing; do
    if [ "$package" = boost ]; then
        # 1.81 where there is such a package (its Process needs no compiled library), else the system's own.
        if to_be_had libboost1.81-dev; then wanted="$wanted libboost1.81-dev"; else
            wanted="$wanted libboost-dev libboost-filesystem-dev"; fi
    elif to_be_had "$package"; then
        wanted="$wanted $package"
    else
        fetched="$fetched $package"
    fi
done
log=$(mktemp)
# shellcheck disable=SC2086
[ -z "$wanted" ] || retry as_root apt-get install -y -qq --no-install-recommends $wanted >"$log" 2>&1 || {
    cat "$log" >&2
    echo "could not install:$wanted" >&2
    exit 2
}
rm -f "$log"

[ -n "$fetched" ] || exit 0
echo "no package here of$fetched: the build fetches what it can"
mkdir -p build
[ -x build/venv/bin/python ] || python3 -m venv build/venv
retry build/venv/bin/python -m pip install --quiet "cmake>=3.24"
