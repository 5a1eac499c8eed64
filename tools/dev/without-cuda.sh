#!/bin/sh
# Runs a command as on a machine without CUDA: every CUDA folder, the toolkit's programs on PATH, its headers in default
# include folders and the variables that name it are hidden in a new mount namespace. Needs root; otherwise it says so and
# exits with 77.
# SPDX-License-Identifier: Apache-2.0
set -eu
unshare -m true 2>/dev/null || { echo "cannot create a mount namespace: needs root" >&2; exit 77; }

PATH=$(echo "$PATH" | tr ':' '\n' | grep -iv cuda | paste -sd:)
export PATH PTXGUARD_CUDA_HIDDEN=1
for name in $(env | sed -n 's/^\([A-Za-z0-9_]*\)=.*/\1/p' | grep -iE '^(CUDA|CUDNN|NVHPC|NVCC)|CUDAToolkit'); do unset "$name"; done
for name in LD_LIBRARY_PATH LIBRARY_PATH CPATH; do
    value=$(printenv "$name" | tr ':' '\n' | grep -iv cuda | paste -sd: || true)
    if [ -n "$value" ]; then export "$name=$value"; else unset "$name"; fi
done
exec unshare -m sh -eu -c '
    empty=$(mktemp -d)
    chmod 755 "$empty"
    hide() { if [ -d "$1" ]; then mount --bind "$empty" "$1"; elif [ -f "$1" ]; then mount --bind /dev/null "$1"; fi; }
    for folder in /usr/local/cuda* /opt/cuda* /opt/nvidia; do [ -L "$folder" ] || hide "$folder"; done
    for folder in $(echo "$PATH" | tr ":" " "); do
        for tool in nvcc ptxas cudafe++ nvlink fatbinary cicc; do [ -L "$folder/$tool" ] || hide "$folder/$tool"; done
    done
    for header in /usr/include/cuda*.h /usr/include/cudnn*.h /usr/include/crt /usr/include/nv; do hide "$header"; done
    exec "$@"' sh "$@"
