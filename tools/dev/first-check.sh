#!/bin/sh
# First run on a fresh machine: installs missing packages, builds ptxguard, and checks this machine's CUDA toolkit. Without
# one it downloads two from PyPI into the build folder: the broken set that `pip install nvidia-cuda-nvcc==13.0.88` installs,
# and the fixed one.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build/release}

sh tools/dev/install.sh
mkdir -p "$build"
path=$PATH
PATH=$PWD/build/venv/bin:$PATH  # a CMake from PyPI, where the system's is too old
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPTXGUARD_TESTS=OFF >"$build/configure.log" 2>&1 || { cat "$build/configure.log"; exit 2; }
cmake --build "$build" --target ptxguard
ptxguard=$build/bin/ptxguard

has_toolkit() {
    for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /usr/local/cuda-* /opt/cuda; do
        [ -n "$folder" ] && [ -x "$folder/bin/nvcc" ] && return 0
    done
    command -v nvcc >/dev/null
}
check() {
    printf '\n$ ptxguard check %s\n\n' "$*"
    PATH=$path "$ptxguard" check "$@" || [ $? = 1 ]
}

if has_toolkit; then
    check "$@"
    exit
fi
echo "No CUDA toolkit on this machine: downloading two from PyPI into $build/parts ..."
python3 tests/real/parts.py lay pypi-mixed-13.0.88 pypi-repaired-13.0.2 --to "$build/parts" >/dev/null
check --toolkit "$build/parts/pypi-mixed-13.0.88/nvidia/cu13" "$@"
check --toolkit "$build/parts/pypi-repaired-13.0.2/nvidia/cu13" "$@"
