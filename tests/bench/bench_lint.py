#!/usr/bin/env python3
# How long `ptxguard lint` takes for 1,000 recipes in one call, and for one file. Prints medians, never fails.
#
#   python3 tests/bench/bench_lint.py --ptxguard build/release/bin/ptxguard [--hadolint FILE]
# SPDX-License-Identifier: Apache-2.0
import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time

DOCKERFILE = """ARG CUDA=12.4.1
FROM nvidia/cuda:${CUDA}-devel-ubuntu22.04 AS build
ENV TORCH_CUDA_ARCH_LIST="8.0 9.0"
RUN apt-get update && apt-get install -y --no-install-recommends python3-pip && \\
    rm -rf /var/lib/apt/lists/*
COPY requirements.txt .
RUN pip install -r requirements.txt --extra-index-url https://download.pytorch.org/whl/cu124
RUN if [ "$CUDA" = 12.4.1 ]; then nvcc -arch=sm_80 -c k%d.cu; else nvcc -c k.cu; fi
"""
REQUIREMENTS = "torch==2.5.1+cu124\ntorchvision==0.20.1\nnumpy>=1.26,<3\n" + "".join(f"package-{i}==1.{i}\n" for i in range(30))
ENVIRONMENT = "channels: [pytorch, nvidia, conda-forge]\ndependencies:\n  - pytorch=2.5.1\n  - pytorch-cuda=12.4\n  - pip: [triton]\n"
SCRIPT = "#!/bin/bash\n#SBATCH --gres=gpu:1\nmodule load cuda/12.4\nexport CUDAARCHS=80\ncmake -B build -DCMAKE_CUDA_ARCHITECTURES=80\n"


def fill(folder, count):
    for i in range(count // 4):
        place = folder / f"p{i}"
        place.mkdir()
        (place / "Dockerfile").write_text(DOCKERFILE % i)
        (place / "requirements.txt").write_text(REQUIREMENTS)
        (place / "environment.yml").write_text(ENVIRONMENT)
        (place / "train.sh").write_text(SCRIPT)


def median(command, rounds):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        times.append(time.perf_counter() - start)
    return f"{1000 * statistics.median(times):8.1f} ms (minimum {1000 * min(times):.1f})"


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--ptxguard", required=True)
    options.add_argument("--hadolint")
    options.add_argument("--rounds", type=int, default=11)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        fill(folder, 1000)
        one = folder / "p0" / "Dockerfile"
        print("1,000 recipes", median([given.ptxguard, "lint", "--isolated", name], given.rounds))
        print("1 Dockerfile ", median([given.ptxguard, "lint", "--isolated", one], given.rounds))
        if given.hadolint:
            files = sorted(folder.glob("*/Dockerfile"))
            print("250 Dockerfiles, lint    ", median([given.ptxguard, "lint", "--isolated", *files], given.rounds))
            print("250 Dockerfiles, hadolint", median([given.hadolint, *files], given.rounds))


if __name__ == "__main__":
    main()
