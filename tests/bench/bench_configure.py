#!/usr/bin/env python3
"""What find_package(CudaConsistent) adds to a configure, and the checks after a link, in one run with the plain configure.

    sh tools/dev/without-cuda.sh python3 tests/bench/bench_configure.py \\
        --ptxguard build/release/bin/ptxguard --toolkit DIR --library FILE [--runs 5]

FILE is a large library, on which the two commands that follow a link are run. Rows are run in turn, as in
bench_check.py.
"""
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from bench_check import KERNEL, Row, print_rows

PROJECT = """cmake_minimum_required(VERSION 3.20...4.1)
project(x LANGUAGES CXX CUDA)
if(CHECK)
  list(PREPEND CMAKE_MODULE_PATH "{modules}")
  find_package(CudaConsistent REQUIRED)
endif()
add_library(k STATIC k.cu)
if(LATE)
  set_property(TARGET k PROPERTY CUDA_ARCHITECTURES 90)
endif()
"""


def rows_for(options, work: Path) -> dict:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("CUDA", "PTXGUARD", "NVCC"))}
    env["LIBRARY_PATH"] = os.pathsep.join(str(options.toolkit.resolve() / name) for name in ("lib", "lib64"))
    nvcc, guard, library = str(options.toolkit.resolve() / "bin/nvcc"), str(options.ptxguard.resolve()), str(options.library.resolve())
    fresh, kept = {**env, "XDG_CACHE_HOME": str(work / "fresh")}, {**env, "XDG_CACHE_HOME": str(work / "kept")}

    def configure(tree: str, *more: str) -> list:
        return [["cmake", "-S", ".", "-B", tree, "-G", "Ninja", f"-DCMAKE_CUDA_COMPILER={nvcc}", "-DCMAKE_CUDA_ARCHITECTURES=80",
                 f"-DCudaConsistent_PTXGUARD={guard}", *more]]

    checks = ["--quiet", "--only-findings", "--color", "never"]
    return {
        "fresh configure": Row(configure("plain"), [work / "plain"], env),
        "fresh configure, first check": Row(configure("first", "-DCHECK=ON"), [work / "first", work / "fresh"], fresh),
        "fresh configure, check, probe cached": Row(configure("cached", "-DCHECK=ON"), [work / "cached"], kept),
        "nvcc -c": Row([[nvcc, "-c", "-arch=sm_80", "k.cu", "-o", "k.o"]], [], env),
        "configure again": Row(configure("again"), [], env),
        "configure again, check": Row(configure("again-check", "-DCHECK=ON"), [], kept),
        "configure again, check, one more place": Row(configure("again-late", "-DCHECK=ON", "-DLATE=ON"), [], kept),
        "after the link: inspect": Row([[guard, "inspect", *checks, "--gpu", "9.0", "--", library]], [], kept),
        "after the link: deps": Row([[guard, "deps", *checks, "--", library]], [], kept),
    }


def print_aims(rows: dict) -> None:
    """From the fastest run of each row: what else the machine does only adds to a run."""
    ms = {name: min(row.wall) * 1e3 for name, row in rows.items()}
    again = ms["configure again, check"]
    first, fresh = ms["fresh configure, first check"], ms["fresh configure"]
    for text, value, aim in (
        ("first find_package - nvcc -c", first - fresh - ms["nvcc -c"], "at most 175 ms"),
        ("first find_package, probe cached", ms["fresh configure, check, probe cached"] - fresh, "at most 60 ms"),
        ("find_package in a configure again", again - ms["configure again"], "at most 40 ms"),
        ("the deferred check of a place", ms["configure again, check, one more place"] - again, "at most 50 ms"),
        ("inspect after the link", ms["after the link: inspect"], "at most 50 ms"),
        ("deps after the link", ms["after the link: deps"], "at most 50 ms")):
        print(f"{text:44}{value:6.0f} ms   aim: {aim}")
    print(f"first check / fresh configure: {first / fresh:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxguard", required=True, type=Path)
    parser.add_argument("--toolkit", required=True, type=Path)
    parser.add_argument("--library", required=True, type=Path)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ptxguard-bench-") as folder:
        work = Path(folder)
        (work / "CMakeLists.txt").write_text(PROJECT.format(modules=Path(__file__).resolve().parents[2] / "cmake/Modules"))
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
