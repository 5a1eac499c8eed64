#!/usr/bin/env python3
"""How long `ptxguard inspect` takes for a wheel, compared with Python's zipfile, which only unpacks the same members.

    python3 tests/bench/bench_wheel.py --ptxguard build/release/bin/ptxguard WHEEL [--runs 7]

It only prints and never fails for being slow.
"""
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import sys
import zipfile
from pathlib import Path

from bench_check import Row, print_rows

UNPACK = """
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    for info in wheel.infolist():
        if ".so" in info.filename or info.filename.endswith((".pyd", ".dll")):
            wheel.read(info)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxguard", required=True, type=Path)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    with zipfile.ZipFile(options.wheel) as wheel:
        libraries = [info for info in wheel.infolist() if ".so" in info.filename]
    print(f"{options.wheel.stat().st_size / 1e6:.0f} MB, {len(libraries)} libraries of {sum(info.file_size for info in libraries) / 1e9:.2f} GB")
    rows = {"inspect": Row([[str(options.ptxguard.resolve()), "inspect", "--isolated", str(options.wheel.resolve())]]),
            "zipfile": Row([[sys.executable, "-c", UNPACK, str(options.wheel.resolve())]])}
    for run in range(options.runs + 1):
        for row in rows.values():
            row.measure(Path("."), keep=run > 0)
    print_rows(rows)
    print(f"inspect / zipfile: {rows['inspect'].median() / rows['zipfile'].median():.2f}")


if __name__ == "__main__":
    main()
