#!/usr/bin/env python3
"""How long `ptxguard matrix` takes compared with only its distinct compilations, in one run and in turn.

    python3 tests/bench/bench_matrix.py --ptxguard build/release/bin/ptxguard --toolkit .../nvidia/cu13 \\
        --nvrtc .../libnvrtc.so.12 [--runs 5] PTXAS PTXAS PTXAS PTXAS

One nvcc with its ptxas and libNVVM, one NVRTC, the given ptxas, eight targets. Only the compilations: the same nvcc,
library and ptxas runs, each distinct one once, on all cores, with nothing around them (the producers first, then their
PTX on each ptxas, then, after a refusal, the same PTX with a lower version line). Also: one assembly in nvJitLink
compared with one ptxas process. It only prints and never fails.
"""
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TARGETS = ["75", "80", "86", "89", "90", "90a", "100", "120"]
SOURCE = """#include <math.h>
__device__ unsigned int guard_blocks;
extern "C" __global__ void guard(float* out, const float* in, int count) {
    __shared__ float tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) tile[threadIdx.x] = sinf(in[i]) * expf(in[i]) + powf(in[i], 0.3f);
    __syncthreads();
    if (i < count) out[i] = tile[63 - threadIdx.x];
    if (threadIdx.x == 0) atomicAdd(&guard_blocks, 1u);
}
"""
CURRENT = re.compile(r"current version is '([0-9.]+)'")


def run(command: list, cwd: Path, text: bool = True) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=text)


class Alone:
    """Only the distinct compilations."""

    def __init__(self, options, work: Path) -> None:
        self.options, self.work, self.cores = options, work, os.cpu_count() or 1
        self.nvvm = sorted((options.toolkit / "lib").glob("libnvvm.so*"))[:1] + sorted((options.toolkit / "nvvm/lib64").glob("libnvvm.so*"))[:1]

    def make(self) -> list:
        (self.work / "k.cu").write_text(SOURCE)

        def nvcc(target: str) -> list:
            out = self.work / f"nvcc_{target}.ptx"
            run([self.options.toolkit / "bin/nvcc", "-ptx", "-gencode", f"arch=compute_{target},code=compute_{target}", "k.cu", "-o", out.name], self.work)
            return [(out.read_text(), target)] if out.exists() else []

        def library(job: tuple) -> list:
            mode, path = job
            done = run([self.options.ptxguard, "--child", mode, path, *[f"sm_{t}" for t in TARGETS]], self.work)
            lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
            made = [line for line in lines if line.get("ptx")]
            return [(line["ptx"], re.sub(r"^(sm|compute)_", "", line.get("arch", TARGETS[i]))) for i, line in enumerate(made)]

        jobs = [(library, ("nvrtc", self.options.nvrtc))] + [(library, ("nvvm", path)) for path in self.nvvm] + [(nvcc, t) for t in TARGETS]
        with ThreadPoolExecutor(self.cores + 1) as pool:
            return [made for group in pool.map(lambda job: job[0](job[1]), jobs) for made in group]

    def read(self, made: list) -> list:
        """Each PTX on each ptxas; the refused ones may be accepted with a lower version line."""
        jobs = []
        for number, (text, target) in enumerate(made):
            name = f"{number}_{len(text)}.ptx"
            (self.work / name).write_text(text)
            jobs += [(text, target, name, index) for index in range(len(self.options.assemblers))]

        def assemble(job: tuple) -> tuple | None:
            text, target, name, index = job
            done = run([self.options.assemblers[index], f"-arch=sm_{target}", name, "-o", f"{name}.{index}.cubin"], self.work)
            found = CURRENT.search(done.stderr + done.stdout)
            return (re.sub(r"(?m)^\.version .*", f".version {found.group(1)}", text, count=1), target) if found else None

        with ThreadPoolExecutor(self.cores) as pool:
            answers = list(pool.map(assemble, jobs))
        again = [(lower, job[3]) for lower, job in zip(answers, jobs) if lower]

        def once_more(item: tuple) -> None:
            number, ((text, target), index) = item
            (self.work / f"low{number}.ptx").write_text(text)
            run([self.options.assemblers[index], f"-arch=sm_{target}", f"low{number}.ptx", "-o", f"low{number}.cubin"], self.work)

        with ThreadPoolExecutor(self.cores) as pool:
            list(pool.map(once_more, enumerate(again)))
        return [len(made), len(jobs), len(again)]

    def measure(self) -> tuple:
        start = time.perf_counter()
        counts = self.read(self.make())
        return time.perf_counter() - start, counts


def matrix(options, cache: Path) -> tuple:
    command = [options.ptxguard, "matrix", "--isolated", "--only-named", "--format", "json", "--arch", ";".join(TARGETS), "--toolkit",
               options.toolkit, options.nvrtc, *options.ptxas]
    start = time.perf_counter()
    done = subprocess.run(command, env={**os.environ, "XDG_CACHE_HOME": str(cache)}, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        raise SystemExit(done.stdout + done.stderr)
    return seconds, json.loads(done.stdout)


def one_assembly(options, work: Path) -> tuple:
    """One PTX with a spawned ptxas, and inside nvJitLink (milliseconds reported by the child, without loading)."""
    if not options.nvjitlink:
        return None, None
    (work / "one.ptx").write_text(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n")
    start = time.perf_counter()
    run([options.assemblers[0], "-arch=sm_80", "one.ptx", "-o", "one.cubin"], work)
    spawned = time.perf_counter() - start
    done = subprocess.run([options.ptxguard, "--child", "nvjitlink", options.nvjitlink, "sm_80"], input=(work / "one.ptx").read_text(),
                          capture_output=True, text=True, cwd=work)
    inside = [json.loads(line).get("ms") for line in done.stdout.splitlines() if line.startswith("{")]
    inside = [value for value in inside if value is not None]
    return spawned * 1e3, inside[-1] if inside else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxguard", required=True, type=Path)
    parser.add_argument("--toolkit", required=True, type=Path)
    parser.add_argument("--nvrtc", required=True, type=Path)
    parser.add_argument("--nvjitlink", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("ptxas", nargs="+", type=Path)
    options = parser.parse_args()
    for name in ("ptxguard", "toolkit", "nvrtc", "nvjitlink"):
        value = getattr(options, name)
        setattr(options, name, value.resolve() if value and name != "nvrtc" else value and value.absolute())
    options.ptxas = [path.absolute() for path in options.ptxas]
    options.assemblers = [options.toolkit / "bin/ptxas", *options.ptxas]
    fresh, cached, alone, spawned, inside, counts, report = [], [], [], [], [], [], {}
    with tempfile.TemporaryDirectory(prefix="ptxguard-bench-") as folder:
        work = Path(folder)
        for turn in range(options.runs + 1):
            shutil.rmtree(work / "cache", ignore_errors=True)
            shutil.rmtree(work / "alone", ignore_errors=True)
            (work / "alone").mkdir()
            rows = [matrix(options, work / "cache")[0], *matrix(options, work / "cache"), *Alone(options, work / "alone").measure()]
            ratio = one_assembly(options, work)
            if turn == 0:
                continue
            fresh.append(rows[0]), cached.append(rows[1]), alone.append(rows[3])
            report, counts = rows[2], rows[4]
            if ratio[1]:
                spawned.append(ratio[0]), inside.append(ratio[1])
    median = statistics.median
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {len(report['producers'])} producers, {len(report['consumers'])} consumers, "
          f"{len(report['cells'])} cells; alone: {counts[0]} PTX, {counts[1]} assemblies, {counts[2]} with a lower version")
    print(f"matrix                 {median(fresh) * 1e3:8.0f} ms  (min {min(fresh) * 1e3:.0f}, max {max(fresh) * 1e3:.0f})")
    print(f"its compilations alone {median(alone) * 1e3:8.0f} ms  (min {min(alone) * 1e3:.0f}, max {max(alone) * 1e3:.0f})")
    print(f"ratio                  {median(fresh) / median(alone):8.2f}     aim: at most 1.5")
    print(f"cached                 {median(cached) * 1e3:8.0f} ms  (min {min(cached) * 1e3:.0f}, max {max(cached) * 1e3:.0f})   aim: at most 50 ms")
    if inside:
        print(f"one assembly: ptxas process {median(spawned):.1f} ms, inside nvJitLink {median(inside):.1f} ms: {median(spawned) / median(inside):.1f} to 1")


if __name__ == "__main__":
    main()
