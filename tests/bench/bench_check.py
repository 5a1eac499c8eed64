#!/usr/bin/env python3
"""How long `ptxguard check` takes, next to what it is compared with, in one run.

    sh tools/dev/without-cuda.sh python3 tests/bench/bench_check.py \\
        --ptxguard build/release/bin/ptxguard --toolkit DIR --python SITE [--runs 9]

Every row is the median of whole-process wall times after one warm-up; the page cache is warm, our own cache is deleted
before each run except in the rows marked cached. Rows are run in turn (A B C, A B C, ...), so that a drift of the
machine's speed is the same for all; processor time next to it separates work from waiting for other processes. One
toolkit and one framework: hide a CUDA of the machine, as above. Not a test: it only prints and never fails for being
slow.
"""
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import os
import platform
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = """cmake_minimum_required(VERSION 3.20...4.1)
project(x LANGUAGES CXX CUDA)
if(CHECK)
  list(PREPEND CMAKE_MODULE_PATH "{modules}")
  find_package(CudaConsistent REQUIRED)
endif()
"""
KERNEL = "__global__ void k(float* p) { p[threadIdx.x] = sinf(p[threadIdx.x]); }\n"


MANY = "75;80;86;90;100;120"


@dataclass
class Row:
    """One thing to measure: commands that run at the same time, and what is removed before them."""
    commands: list
    forget: list = field(default_factory=list)
    env: dict = field(default_factory=dict)
    wall: list = field(default_factory=list)
    cpu: list = field(default_factory=list)

    def measure(self, work: Path, keep: bool) -> None:
        for path in self.forget:
            shutil.rmtree(path, ignore_errors=True)
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        children = [subprocess.Popen(c, cwd=work, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for c in self.commands]
        texts = [child.communicate()[0] for child in children]
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        for child, text in zip(children, texts):
            if child.returncode != 0:
                raise SystemExit(f"{child.args} ended with {child.returncode}:\n{text.decode(errors='replace')}")
        if keep:
            self.wall.append(wall)
            self.cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    def median(self) -> float:
        return statistics.median(self.wall)


def rows_for(options, work: Path) -> dict:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("CUDA", "PTXGUARD", "NVCC"))}
    # A toolkit made of wheels has its libraries in lib, where nvcc does not point the linker.
    env["LIBRARY_PATH"] = os.pathsep.join(str(options.toolkit.resolve() / name) for name in ("lib", "lib64"))
    nvcc, guard = str(options.toolkit.resolve() / "bin/nvcc"), str(options.ptxguard.resolve())
    fresh, kept = work / "fresh", work / "kept"
    check = [guard, "check", "--isolated", "--toolkit", str(options.toolkit.resolve())]
    if options.python:
        check += ["--python", str(options.python.resolve())]

    def configure(tree: str, check_it: str) -> list:
        return [[options.cmake, "-S", ".", "-B", tree, "-G", "Ninja", f"-DCMAKE_CUDA_COMPILER={nvcc}", f"-DCHECK={check_it}",
                 "-DCMAKE_CUDA_ARCHITECTURES=80", f"-DCudaConsistent_PTXGUARD={guard}", f"-DCudaConsistent_PYTHON={options.python or ''}"]]

    ptx = [nvcc, "-ptx", "-arch=compute_80", "k.cu", "-o", "k.ptx"]
    return {
        "cmake configure, CXX and CUDA, fresh": Row(configure("plain", "OFF"), [work / "plain"], env),
        "nvcc -c beside nvcc -ptx": Row([[nvcc, "-c", "-arch=sm_80", "k.cu", "-o", "k.o"], ptx], [], env),
        "nvcc -ptx": Row([ptx], [], env),
        "check --probe off": Row([[*check, "--arch", "80", "--probe", "off"]], [fresh], {**env, "XDG_CACHE_HOME": str(fresh)}),
        "check, 1 target": Row([[*check, "--arch", "80"]], [fresh], {**env, "XDG_CACHE_HOME": str(fresh)}),
        "check, 6 targets": Row([[*check, "--arch", MANY]], [fresh], {**env, "XDG_CACHE_HOME": str(fresh)}),
        "check, 6 targets, cached": Row([[*check, "--arch", MANY]], [], {**env, "XDG_CACHE_HOME": str(kept)}),
        "cmake again, without the check": Row(configure("warm-plain", "OFF"), [], env),
        "cmake again, with the check, cached": Row(configure("warm", "ON"), [], {**env, "XDG_CACHE_HOME": str(kept)}),
    }


def print_rows(rows: dict) -> None:
    print(f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, load {os.getloadavg()[0]:.1f}")
    print(f"{'milliseconds':40}{'median':>9}{'min':>9}{'max':>9}{'processor':>11}")
    for name, row in rows.items():
        print(f"{name:40}{row.median() * 1e3:9.0f}{min(row.wall) * 1e3:9.0f}{max(row.wall) * 1e3:9.0f}{statistics.median(row.cpu) * 1e3:11.0f}")


def print_aims(rows: dict) -> None:
    median = {name: row.median() for name, row in rows.items()}
    off, one, six = median["check --probe off"], median["check, 1 target"], median["check, 6 targets"]
    beside, ptx = median["nvcc -c beside nvcc -ptx"], median["nvcc -ptx"] / (os.cpu_count() or 1)
    cached, warm = median["check, 6 targets, cached"], median["cmake again, with the check, cached"]
    fresh, plain = median["cmake configure, CXX and CUDA, fresh"], median["cmake again, without the check"]
    for text, value, aim in (
        ("check --probe off", f"{off * 1e3:.0f} ms", "at most 50 ms"),
        ("fresh configure / check --probe off", f"{fresh / off:.1f}", "at least 20"),
        ("check, 1 target - (nvcc -c beside -ptx)", f"{(one - beside) * 1e3:.0f} ms", "at most 300 ms"),
        ("each further target / (nvcc -ptx / cores)", f"{(six - one) / 5 / ptx:.2f}", "at most 1"),
        ("cached - probe off", f"{(cached - off) * 1e3:.0f} ms", "at most 20 ms"),
        ("the check in a warm configure", f"{(warm - plain) * 1e3:.0f} ms", "at most 100 ms")):
        print(f"{text:44}{value:>9}   aim: {aim}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxguard", required=True, type=Path)
    parser.add_argument("--toolkit", required=True, type=Path)
    parser.add_argument("--python", type=Path, help="site-packages folder with a framework")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ptxguard-bench-") as folder:
        work = Path(folder)
        modules = Path(__file__).resolve().parents[2] / "cmake/Modules"
        (work / "CMakeLists.txt").write_text(PROJECT.format(modules=modules))
        (work / "k.cu").write_text(KERNEL)
        rows = rows_for(options, work)
        for turn in range(options.runs + 1):
            for row in rows.values():
                row.measure(work, turn > 0)
    print_rows(rows)
    print()
    print_aims(rows)


if __name__ == "__main__":
    main()
