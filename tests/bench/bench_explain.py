#!/usr/bin/env python3
# How fast `ptxguard explain` reads a log of 1 GB with 50 messages and logs with the words of many messages, each beside
# `grep -F -f` with as many texts, its memory, the time of a short log, and what `ptxguard run --` adds to a program. Prints medians, of the wall clock and of the processor: on a machine that
# does something else too, only the second can be compared. Never fails.
#
#   python3 tests/bench/bench_explain.py --ptxguard build/release/bin/ptxguard [--size MB]
# SPDX-License-Identifier: Apache-2.0
import argparse
import pathlib
import re
import resource
import statistics
import subprocess
import tempfile
import time

LINES = [f"[{i}/2400] /usr/local/cuda/bin/nvcc -ccbin g++ -O3 -std=c++17 -I/src/include/a{i} -gencode arch=compute_80,code=sm_80 "
         f"-c /src/kernels/file_{i}.cu -o CMakeFiles/app.dir/kernels/file_{i}.cu.o\n" for i in range(2400)]
# Lines of other tools, which begin with times, counters and blanks.
MIXED = [text.format(i=i) for i in range(400) for text in (
    "2026-01-02 03:04:{i:02d} status installed libpython3.11-stdlib:amd64 3.11.2-{i}\n",
    "Collecting package{i}>=1.0 (from app)\n  Downloading package{i}-1.{i}-py3-none-any.whl (1{i} kB)\n",
    "-- Looking for include file sys/{i}.h - found\n-- Detecting CUDA compiler ABI info - done\n",
    "[{i:3d}/400] Building CXX object src/CMakeFiles/app.dir/file{i}.cpp.o\n",
    "src/file{i}.cpp:12:{i}: warning: unused variable 'x{i}' [-Wunused-variable]\n   12 |   int x{i} = 0;\n      |       ^~\n",
    "E: npm warn deprecated package{i}@1.0.{i}: use another package instead of this one\n")]
# Lines with the words of many messages, which match none or one that is no fault.
MISSING = [text.format(i=i) for i in range(400) for text in (
    "-- Looking for include file sys/h{i}.h - not found\n", "\tlibfoo{i}.so.1 => not found\n", "/bin/sh: 1: tool{i}: not found\n",
    "could not load module m{i}: file not found, is not available and not installed\n", "  - nothing provides foo{i} needed by bar{i}-1.0\n")]
# Such lines in which no row of the tables is.
CALM = [text.format(i=i) for i in range(400) for text in (
    "-- Looking for include file sys/h{i}.h - not found\n", "\tlibfoo{i}.so.1 => not found\n",
    "could not load module m{i}: file not found, is not available and not installed\n", "warning: option {i} is missing here\n")]
MESSAGES = [f"nvcc fatal   : Unsupported gpu architecture 'compute_{i}'\n" for i in range(200, 250)]
TABLES = pathlib.Path(__file__).parents[2] / "tools/ptxguard/messages"


def write_log(path, size):
    block = "".join(LINES).encode()
    step = max(1, size // len(block) // len(MESSAGES))
    with open(path, "wb") as log:
        for i in range(size // len(block)):
            log.write(block)
            if i % step == 0 and i // step < len(MESSAGES):
                log.write(MESSAGES[i // step].encode())


def anchors():
    """A literal of each pattern in the tables, as many as ptxguard searches for."""
    texts = set()
    for file in TABLES.glob("*.cpp"):
        for pattern in re.findall(r'^\s*\{"((?:[^"\\]|\\.)*)"', file.read_text(), re.M):
            part = max(re.split(r"\{[^}]*\}|\*|['\\]", pattern), key=len).strip()
            if len(part) >= 8:
                texts.add(part)
    return sorted(texts)


def processor():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(name, command, rounds, size=0):
    times, used = [], []
    for _ in range(rounds):
        start, before = time.perf_counter(), processor()
        subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)  # grep ends early for /dev/null
        times.append(time.perf_counter() - start)
        used.append(processor() - before)
    middle, busy = statistics.median(times), statistics.median(used)
    speed = f"{size / middle / 1e6:9.0f} MB/s {size / busy / 1e6:9.0f} MB/s" if size else ""
    print(f"{name:40}{1000 * middle:9.1f} ms {1000 * busy:9.1f} ms{speed}")
    return middle


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--ptxguard", required=True)
    options.add_argument("--size", type=int, default=1000)
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        log, texts, short = folder / "big.log", folder / "texts", folder / "short.log"
        write_log(log, given.size * 1000000)
        size = log.stat().st_size
        texts.write_text("".join(text + "\n" for text in anchors()))
        short.write_text("".join(LINES[:50]) + MESSAGES[0])
        print(f"{'':40}{'wall':>12}{'processor':>13}{'wall':>14}{'processor':>15}")
        explain = [given.ptxguard, "explain", "--isolated"]
        measure(f"explain, {size // 1000000} MB", [*explain, log], given.rounds, size)
        print(f"{'memory of the largest child':40}{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:9.1f} MB")
        mixed = folder / "mixed.log"
        mixed.write_text("".join(MIXED) * max(1, given.size * 300000 // len("".join(MIXED))))
        measure(f"explain, mixed lines, {mixed.stat().st_size // 1000000} MB", [*explain, mixed], given.rounds, mixed.stat().st_size)
        missing = folder / "missing.log"
        missing.write_text("".join(MISSING) * max(1, given.size * 30000 // len("".join(MISSING))))
        measure(f"explain, what is not found, {missing.stat().st_size // 1000000} MB", [*explain, missing], given.rounds, missing.stat().st_size)
        calm = folder / "calm.log"
        calm.write_text("".join(CALM) * max(1, given.size * 30000 // len("".join(CALM))))
        measure(f"explain, absent and no fault, {calm.stat().st_size // 1000000} MB", [*explain, calm], given.rounds, calm.stat().st_size)
        for name, file in (("the first log", log), ("mixed lines", mixed), ("what is not found", missing), ("absent and no fault", calm)):
            measure(f"grep -i -F -f, {name}", ["env", "LC_ALL=C", "grep", "-i", "-F", "-c", "-f", texts, file], given.rounds, file.stat().st_size)
        measure("explain, 51 lines", [*explain, short], 21)
        measure("ptxguard --version", [given.ptxguard, "--version"], 21)
        alone = measure("true", ["true"], 101)
        through = measure("run -- true", [given.ptxguard, "run", "--", "true"], 101)
        print(f"{'run -- adds':40}{1000 * (through - alone):9.1f} ms")
        measure("run -- cat, the same log", ["sh", "-c", '"$0" run -- cat "$1" >/dev/null', given.ptxguard, log], given.rounds, size)


if __name__ == "__main__":
    main()
