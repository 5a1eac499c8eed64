#!/bin/sh
# The tests. Each form installs missing packages first and prints at its end what was skipped and the slowest tests.
#   test.sh         the gate, about 20 minutes on two cores: the offline tests, those of the readers of bytes under ASan and UBSan,
#                   some for Windows under wine, the tests on real parts that are labelled "core", find_package with this
#                   CMake, the style of the changed files, and what a change adds to it (.ci/changed.py) while there is time
#   test.sh all     every test: all sets, all CMakes, wheels, hooks and templates; the machine's CUDA hidden and visible;
#                   the offline tests under ASan and UBSan
#   test.sh unit    the offline tests, each source compiled on its own: seconds after a small change
# PTXGUARD_INSIST_DRIVERS=N fails unless at least N real drivers were measured and the Windows build was tested; otherwise
# what cannot be downloaded or built is skipped, with the reason. PTXGUARD_GATE_SECONDS=N: after N seconds (1020) the gate
# starts nothing more that a change adds, and says what it left out.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/../.."
form=${1:-gate}
case $form in gate | all | unit) ;; *) sed -n '2,12s/^# //p' "$0" >&2; exit 2 ;; esac
started=$(date +%s)

sh tools/dev/install.sh --tests
jobs=$(nproc)
PATH=$PWD/build/venv/bin:$PATH  # a CMake from PyPI, where the system's is too old
# A Python environment for the tests: the validator for the report's schema, and the formatter, whose releases differ.
python=build/venv/bin/python
mkdir -p build
[ -x $python ] || python3 -m venv build/venv
$python -c 'import jsonschema' 2>/dev/null && [ -x build/venv/bin/clang-format ] ||
    $python -m pip install --quiet --retries 5 jsonschema clang-format==14.0.6

results=$PWD/build/results
rm -rf "$results" && mkdir -p "$results"
failed="" left_out=""
step() { echo "== $* ($(($(date +%s) - started)) s)"; }
# tests NAME PRESET ARGUMENTS...: one run of ctest; the others go on if it fails.
tests() {
    name=$1 preset=$2
    shift 2
    step "tests: $name"
    $hidden ctest --preset "$preset" --output-junit "$results/$name.xml" --parallel "$jobs" "$@" || failed="$failed $name"
}
configure() {
    preset=$1
    shift
    cmake --preset "$preset" -DPTXGUARD_TESTS=ON -DPTXGUARD_WARNINGS_AS_ERRORS=ON "-DPython3_EXECUTABLE=$PWD/$python" "$@"
}
compile() {
    preset=$1
    shift
    step "build: $preset"
    cmake --build --preset "$preset" --parallel "$jobs" "$@"
}
# windows TARGETS...: cross-compiles and runs the unit tests of these targets under wine.
windows() {
    boost=$(sed -n 's/^#define BOOST_VERSION \([0-9]*\).*/\1/p' /usr/include/boost/version.hpp 2>/dev/null)
    if ! command -v x86_64-w64-mingw32-g++-posix >/dev/null || [ "${boost:-0}" -lt 107800 ] ||
        ! { command -v wine64 || command -v wine64-stable || command -v wine || [ -x /usr/lib/wine/wine64 ]; } >/dev/null; then
        echo "skipped: the Windows build needs mingw-w64, wine64 and Boost 1.78"
        [ -z "${PTXGUARD_INSIST_DRIVERS:-}" ] || failed="$failed windows"
        return 0
    fi
    by=-DPTXGUARD_SMALL=-Og
    if [ "$form" = gate ] && clang=$(command -v clang++) && command -v ld.lld >/dev/null; then
        by="-DPTXGUARD_SMALL=-O0 -DPTXGUARD_MINGW_CLANG=$clang"
    fi
    # No package has libyaml, LZ4, zstd and libdeflate for Windows.
    # shellcheck disable=SC2046,SC2086
    cmake --preset mingw -DPTXGUARD_WARNINGS_AS_ERRORS=ON $by $($python -B tools/dev/sources.py build/sources)
    compile mingw --target "$@"
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
    names=$(echo "$*" | tr ' ' '\n' | sed -n 's/^unit_/unit[.]/p' | paste -sd '|')
    tests windows mingw -L unit --repeat until-pass:2 ${names:+-R "^($names|cli[.].*)\$"}
    exec 9>&-
}
finish() {
    $python -B tests/gate/summary.py "$results"
    [ -z "$left_out" ] || echo "left out, the gate's time is used up (test.sh all runs them):$left_out"
    [ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
}

hidden=""
if [ "$form" = unit ]; then
    configure release
    compile release
    tests unit release -L unit
    finish
    exit
fi
# Nothing may depend on a CUDA of this machine; what reads the machine runs a second time with it visible.
if sh tools/dev/without-cuda.sh true 2>/dev/null; then hidden="sh tools/dev/without-cuda.sh"; fi
again() {
    [ -n "$hidden" ] || return 0
    { command -v nvcc || ls -d /usr/local/cuda* /opt/cuda*; } >/dev/null 2>&1 || return 0
    keep=$hidden hidden=""
    tests "$@"
    hidden=$keep
}

if [ "$form" = gate ]; then
    # Clang without optimisation compiles in 0.45 of the time of GCC, which compiles for the sanitizers.
    quick=-DPTXGUARD_SMALL=-Og
    if clang=$(command -v clang++); then quick="-DPTXGUARD_SMALL=-O0 -DCMAKE_CXX_COMPILER=$clang"; fi
    # shellcheck disable=SC2086
    configure gate $quick
    # The sets come from the network while the processors compile.
    # shellcheck disable=SC2046
    $python -B tests/real/parts.py lay --jobs 3 --to build/gate/parts $(cat build/gate/core-sets.txt) >build/sets.log 2>&1 &
    sets=$!
    compile gate
    tests unit gate -L unit
    configure asan-ubsan
    compile asan-ubsan --target readers
    tests sanitizers asan-ubsan -L reader
    windows ptxguard unit_host unit_host_child unit_formats unit_load_windows unit_commands unit_model
    wait $sets || true  # a set that is missing is a skipped test, with its reason
    [ "$(ls -d build/gate/parts/driver-*/ 2>/dev/null | wc -l)" -ge "${PTXGUARD_INSIST_DRIVERS:-0}" ] || failed="$failed drivers"
    tests core gate -L core
    again machine gate -L machine -L core
    step "style"
    python3 .ci/changed.py style || failed="$failed style"
    python3 .ci/changed.py tests >build/added.txt
    group=0
    while read -r expression; do
        group=$((group + 1))
        if [ $(($(date +%s) - started)) -lt "${PTXGUARD_GATE_SECONDS:-1020}" ]; then
            tests "added-$group" gate -R "$expression" -LE core </dev/null
        else
            left_out="$left_out
  $expression"
        fi
    done <build/added.txt
else
    configure release
    compile release
    windows all
    tests all release
    again machine release -L real -LE once
    configure asan-ubsan
    compile asan-ubsan
    tests sanitizers asan-ubsan -L unit
    PTXGUARD_TIDY=error PTXGUARD_TIDY_SECONDS=1800 python3 .ci/changed.py style || failed="$failed style"
fi
finish
