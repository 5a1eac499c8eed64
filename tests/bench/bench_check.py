#!/usr/bin/env python3
"""How long `ptxguard check` takes, beside what it is measured against, in one run.

    bench_check.py --ptxguard build/release/bin/ptxguard --toolkit DIR [--python SITE] [--runs 7]

Every row is the median of whole-process wall times after one warm-up; the page cache is warm, our own cache is deleted
before each run except in the rows that say cached. Rows are taken in turn (A B C, A B C, ...), so that a machine whose speed
drifts is the same for all. Not a test: it prints, it never fails for being slow.
"""
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

PROJECT = """cmake_minimum_required(VERSION 3.20...4.1)
project(x LANGUAGES CXX CUDA)
if(CHECK)
  list(PREPEND CMAKE_MODULE_PATH "{modules}")
  find_package(CudaConsistent REQUIRED)
endif()
"""
KERNEL = "__global__ void k(float* p) { p[threadIdx.x] = sinf(p[threadIdx.x]); }\n"


def run(command: list[str], cwd: Path, env: dict) -> float:
    start = time.perf_counter()
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    took = time.perf_counter() - start
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return took


def together(commands: list[list[str]], cwd: Path, env: dict) -> float:
    start = time.perf_counter()
    children = [subprocess.Popen(c, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for c in commands]
    for child in children:
        child.wait()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxguard", required=True, type=Path)
    parser.add_argument("--toolkit", required=True, type=Path)
    parser.add_argument("--python", type=Path, help="site-packages folder with a framework")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()

    work = Path(tempfile.mkdtemp(prefix="ptxguard-bench-"))
    cache = work / "cache"
    env = {k: v for k, v in os.environ.items() if not k.startswith(("CUDA", "PTXGUARD"))}
    env["XDG_CACHE_HOME"] = str(cache)
    modules = Path(__file__).resolve().parents[2] / "cmake/Modules"
    (work / "CMakeLists.txt").write_text(PROJECT.format(modules=modules))
    (work / "k.cu").write_text(KERNEL)
    nvcc, guard = str(options.toolkit.resolve() / "bin/nvcc"), str(options.ptxguard.resolve())
    check = [guard, "check", "--isolated", "--toolkit", str(options.toolkit.resolve())]
    if options.python:
        check += ["--python", str(options.python.resolve())]
    configure = [options.cmake, "-S", ".", "-G", "Ninja", f"-DCMAKE_CUDA_COMPILER={nvcc}", "-DCMAKE_CUDA_ARCHITECTURES=80",
                 f"-DCudaConsistent_PTXGUARD={guard}"]
    many = "75;80;86;90;100;120"

    def forget() -> None:
        shutil.rmtree(cache, ignore_errors=True)

    def fresh(row):
        def measure() -> float:
            forget()
            return row()
        return measure

    def configured(tree: str, check_it: str, keep: bool) -> float:
        if not keep:
            shutil.rmtree(work / tree, ignore_errors=True)
        return run([*configure, "-B", tree, f"-DCHECK={check_it}"], work, env)

    rows = {
        "cmake configure, CXX and CUDA, fresh": lambda: configured("plain", "OFF", False),
        "nvcc -c beside nvcc -ptx": lambda: together([[nvcc, "-c", "-arch=sm_80", "k.cu", "-o", "k.o"],
                                                      [nvcc, "-ptx", "-arch=compute_80", "k.cu", "-o", "k.ptx"]], work, env),
        "nvcc -ptx": lambda: run([nvcc, "-ptx", "-arch=compute_80", "k.cu", "-o", "k2.ptx"], work, env),
        "check --probe off": fresh(lambda: run([*check, "--arch", "80", "--probe", "off"], work, env)),
        "check, 1 target": fresh(lambda: run([*check, "--arch", "80"], work, env)),
        "check, 6 targets": fresh(lambda: run([*check, "--arch", many], work, env)),
        "check, 6 targets, cached": lambda: run([*check, "--arch", many], work, env),
        "cmake again, without the check": lambda: configured("warm-plain", "OFF", True),
        "cmake again, with the check, cached": lambda: configured("warm", "ON", True),
    }
    times: dict[str, list[float]] = {name: [] for name in rows}
    for turn in range(options.runs + 1):
        for name, measure in rows.items():
            took = measure()
            if turn > 0:
                times[name].append(took)
    shutil.rmtree(work)

    median = {name: statistics.median(all_) for name, all_ in times.items()}
    print(f"{'milliseconds':40}{'median':>9}{'min':>9}{'max':>9}")
    for name, all_ in times.items():
        print(f"{name:40}{median[name] * 1e3:9.0f}{min(all_) * 1e3:9.0f}{max(all_) * 1e3:9.0f}")
    off, one, six = median["check --probe off"], median["check, 1 target"], median["check, 6 targets"]
    print()
    print(f"fresh configure / check --probe off           {median['cmake configure, CXX and CUDA, fresh'] / off:8.1f}  (aim: at least 20)")
    print(f"check, 1 target - (nvcc -c beside -ptx)       {(one - median['nvcc -c beside nvcc -ptx']) * 1e3:8.0f} ms  (aim: at most 300)")
    print(f"each further target / (nvcc -ptx / cores)     {(six - one) / 5 / (median['nvcc -ptx'] / (os.cpu_count() or 1)):8.2f}  (aim: at most 1)")
    print(f"cached - probe off                            {(median['check, 6 targets, cached'] - off) * 1e3:8.0f} ms  (aim: at most 20)")
    print(f"the check in a warm configure                 {(median['cmake again, with the check, cached'] - median['cmake again, without the check']) * 1e3:8.0f} ms  (aim: at most 100)")


if __name__ == "__main__":
    main()
