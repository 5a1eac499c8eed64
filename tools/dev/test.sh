#!/bin/sh
# All tests: installs missing packages, builds for Linux and (cross) for Windows, runs ctest. `test.sh unit` runs only the
# offline unit tests.
#   PTXGUARD_INSIST_DRIVERS=N   fail unless at least N real drivers were measured and the Windows build was tested
#                               (default: what cannot be downloaded or built is skipped, with the reason)
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/../.."

sh tools/dev/install.sh --tests
jobs=$(nproc)
PATH=$PWD/build/venv/bin:$PATH  # a CMake from PyPI, where the system's is too old
# A Python environment for the tests, with the validator for the report's schema.
python=build/venv/bin/python
mkdir -p build
[ -x $python ] || python3 -m venv build/venv
$python -c 'import jsonschema' 2>/dev/null || $python -m pip install --quiet --retries 5 jsonschema
cmake --preset release -DPTXGUARD_TESTS=ON -DPTXGUARD_WARNINGS_AS_ERRORS=ON "-DPython3_EXECUTABLE=$PWD/$python"
cmake --build --preset release --parallel "$jobs"
if [ "${1:-}" = unit ]; then
    exec ctest --preset release -L unit --parallel "$jobs"
fi
has_wine() { command -v wine64 || command -v wine64-stable || command -v wine || [ -x /usr/lib/wine/wine64 ]; } >/dev/null
# Windows: needs the cross compiler, wine, and a Boost whose Process is header-only.
boost=$(sed -n 's/^#define BOOST_VERSION \([0-9]*\).*/\1/p' /usr/include/boost/version.hpp 2>/dev/null)
if command -v x86_64-w64-mingw32-g++-posix >/dev/null && has_wine && [ "${boost:-0}" -ge 107800 ]; then
    # No package has libyaml, LZ4, zstd and libdeflate for Windows.
    # shellcheck disable=SC2046
    cmake --preset mingw -DPTXGUARD_WARNINGS_AS_ERRORS=ON $($python -B tools/dev/sources.py build/sources)
    cmake --build --preset mingw --parallel "$jobs"
    # A waiting program keeps wine's services running: otherwise each test starts its own and waits two seconds for their end.
    wine=$(sed -n 's/^PTXGUARD_WINE:[A-Z]*=//p' build/mingw/CMakeCache.txt)
    wait=build/mingw/wait
    mkdir -p build/mingw/wine
    rm -f $wait && mkfifo $wait
    (WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml= WINEPREFIX=$PWD/build/mingw/wine
    export WINEDEBUG WINEDLLOVERRIDES WINEPREFIX
    "$wine" cmd /c exit && "$wine" cmd <$wait) >/dev/null 2>&1 &
    exec 9<>$wait
    # wine itself fails about once in a thousand starts (exit code 1, no output): such a test runs again.
    ctest --preset mingw -L unit --repeat until-pass:2
    exec 9>&-
elif [ -n "${PTXGUARD_INSIST_DRIVERS:-}" ]; then
    echo "PTXGUARD_INSIST_DRIVERS requires the Windows build, which needs mingw-w64, wine64 and Boost 1.78" >&2
    exit 1
else
    echo "skipped: the Windows build needs mingw-w64, wine64 and Boost 1.78"
fi
exec ctest --preset release --parallel "$jobs"
