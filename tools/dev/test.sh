#!/bin/sh
# All tests: installs what is missing, builds for Linux and (cross) for Windows, runs ctest. `test.sh unit` runs the
# offline unit tests alone.
#   PTXGUARD_INSIST_DRIVERS=N   fail unless at least N real drivers were measured (default: skip what is not to be had)
#   PTXGUARD_HIDE_CUDA=1        hide the CUDA that this machine has in a mount namespace (needs root)
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/../.."

if [ "${PTXGUARD_HIDE_CUDA:-}" = 1 ] && [ -z "${PTXGUARD_CUDA_HIDDEN:-}" ]; then
    exec sh tools/dev/without-cuda.sh sh "$0" "$@"
fi

sh tools/dev/install.sh --tests
jobs=$(nproc)
# A Python of the tests' own, with the validator of the report's schema.
python=build/venv/bin/python
mkdir -p build
[ -x $python ] || python3 -m venv build/venv
$python -c 'import jsonschema' 2>/dev/null || $python -m pip install --quiet --retries 5 jsonschema
cmake --preset release -DPTXGUARD_TESTS=ON -DPTXGUARD_WARNINGS_AS_ERRORS=ON "-DPython3_EXECUTABLE=$PWD/$python"
cmake --build --preset release --parallel "$jobs"
if [ "${1:-}" = unit ]; then
    exec ctest --preset release -L unit --parallel "$jobs"
fi
cmake --preset mingw -DPTXGUARD_WARNINGS_AS_ERRORS=ON
cmake --build --preset mingw --parallel "$jobs"
ctest --preset mingw -L unit
exec ctest --preset release --parallel "$jobs"
