#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures every PTX producer against every consumer on real parts and compares each cell with the tables.

    compare_matrix.py --ptxguard EXE --parts DIR [--small] [--facts DIR] [--keep FILE]

`ptxguard matrix` runs twice over the same parts: once compiling, once with --probe off, when only the tables are used.
A cell counts if both decide it; it is right if they agree. What a producer refuses to make (an architecture that it
does not support) is compared too. Exit status: 0 all equal, 1 some cell differs, 2 wrong usage, 77 no part could be
fetched.
"""
from __future__ import annotations

import argparse
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import parts  # noqa: E402

TARGETS = "50;52;60;61;70;75;80;86;87;89;90;90a;100;100a;100f;103a;110;120;120f;121a"
SMALL_TARGETS = "52;75;80;90a;100;120f"
# Complete compilers, with their ptxas (and libNVVM in 13.x).
TOOLKITS = ["nvcc-11.2-working", "nvcc-11.8-working", "nvcc-12.4-working", "nvcc-12.5-working", "pypi-repaired-13.0.2",
            "toolkit-13.1", "toolkit-13.3", "toolkit-13.5"]
PTXAS = ["ptxas-11.7", "ptxas-12.0", "ptxas-12.1", "ptxas-12.6.85", "ptxas-12.8", "ptxas-12.9"]
NVRTC = ["nvrtc-10.1", "nvrtc-10.2", "nvrtc-11.2", "nvrtc-11.8", "nvrtc-12.1", "nvrtc-12.9", "nvrtc-13.0", "nvrtc-13.5"]
NVJITLINK = ["nvjitlink-12.0", "nvjitlink-12.9", "nvjitlink-13.5"]
DRIVERS = ["driver-390", "driver-418", "driver-450", "driver-460", "driver-470", "driver-525", "driver-535", "driver-550",
           "driver-555"]
SMALL = {"pypi-repaired-13.0.2", "ptxas-12.0", "ptxas-12.6.85", "ptxas-12.9", "nvrtc-11.8", "nvrtc-12.1", "driver-470",
         "driver-535"}
SKIPPED = 77


class Laid:
    """Parts by kind, and those that could not be fetched."""

    def __init__(self, folder: Path, small: bool):
        self.folder, self.small, self.missing = folder, small, []
        self.toolkits = [self.holding(f, "bin/nvcc").parent.parent for f in self.sets(TOOLKITS)]
        self.files = [self.holding(f, "bin/ptxas") for f in self.sets(PTXAS)]
        self.files += [self.holding(f, "libnvrtc*.so.*") for f in self.sets(NVRTC)]
        self.files += [self.holding(f, "lib/libnvJitLink.so.*") for f in self.sets(NVJITLINK)]
        self.drivers = [self.holding(f, "libnvidia-ptxjitcompiler.so.1").parent for f in self.sets(DRIVERS)]

    def sets(self, names: list[str]):
        for name in names:
            if self.small and name not in SMALL:
                continue
            try:
                yield parts.lay(name, self.folder)
            except parts.Unavailable as reason:
                self.missing.append(f"{name}: {reason}")

    @staticmethod
    def holding(folder: Path, pattern: str) -> Path:
        return sorted(path for path in folder.glob("**/" + pattern) if "builtins" not in path.name)[0]

    def arguments(self) -> list[str]:
        made = [str(path) for path in self.files]
        for name, folders in (("--toolkit", self.toolkits), ("--driver-libs", self.drivers)):
            for folder in folders:
                made += [name, str(folder)]
        return made


def run_matrix(ptxguard: str, laid: Laid, cache: str, *more: str) -> dict:
    # The oldest toolkits cannot read the headers of a recent g++.
    flags = "-allow-unsupported-compiler" + ("" if laid.small or not shutil.which("clang++") else " -ccbin clang++")
    environment = {"PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": cache, "NVCC_APPEND_FLAGS": flags}
    targets = SMALL_TARGETS if laid.small else TARGETS
    command = [ptxguard, "matrix", "--isolated", "--only-named", "--arch", targets, "--format", "json", "--fail-on", "never",
               *laid.arguments(), *more]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"ptxguard matrix ended with {done.returncode}: {done.stderr.strip()[:400]}")
    return json.loads(done.stdout)


def cells_of(report: dict) -> dict:
    """(producer, consumer, target) -> cell, by names that both runs share; consumer "" is the producer itself."""
    places = {part["id"]: (part["kind"], part["path"] or part["name"]) for part in report["producers"] + report["consumers"]}
    cells = {(places[c["producer"]], places[c["consumer"]], c["target"]): c for c in report["cells"]}
    for producer in report["producers"]:
        for made in producer["makes"]:
            cells[(places[producer["id"]], "", made["target"])] = made
    return cells


def versions_of(report: dict) -> dict:
    return {(p["kind"], p["path"] or p["name"]): p["name"] for p in report["producers"] + report["consumers"]}


def compare(measured: dict, predicted: dict) -> tuple[collections.Counter, list[str]]:
    counts: collections.Counter = collections.Counter()
    wrong: list[str] = []
    names = versions_of(measured)
    tables = cells_of(predicted)
    for key, cell in cells_of(measured).items():
        producer, consumer, target = key
        what = "made" if consumer == "" else "cells"
        row = tables.get(key)
        if cell["basis"] != "measured" or cell["outcome"] == "unknown":
            counts[what + " not to be had"] += 1  # the producer does not make this target
            continue
        counts[what + " measured"] += 1
        if row is None or row["outcome"] == "unknown":
            counts[what + " without prediction"] += 1
            wrong_or_not = "no prediction"
        elif row["outcome"] == cell["outcome"] and row["ptx"] == cell["ptx"]:
            counts[what + " equal"] += 1
            counts[cell["outcome"]] += consumer != ""
            continue
        else:
            counts[what + " different"] += 1
            wrong_or_not = f"predicted {row['outcome']} (PTX {row['ptx']}): {row['evidence'][:120]}"
        wrong.append(f"{names[producer]} -> {names.get(consumer, 'itself')} ({target}): measured {cell['outcome']} "
                     f"(PTX {cell['ptx']}): {cell['evidence'][:160]}; {wrong_or_not}")
    return counts, wrong


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptxguard", required=True, metavar="EXE")
    parser.add_argument("--parts", required=True, type=Path, metavar="DIR")
    parser.add_argument("--small", action="store_true", help="fewer parts and targets, as in CI")
    parser.add_argument("--facts", metavar="DIR", help="tables instead of the built-in ones")
    parser.add_argument("--keep", metavar="FILE", help="write the measured report there")
    options = parser.parse_args(arguments)
    laid = Laid(options.parts, options.small)
    for reason in laid.missing:
        print("skip: " + reason)
    if not laid.toolkits and not laid.files:
        return SKIPPED
    facts = ["--facts", options.facts] if options.facts else []
    with tempfile.TemporaryDirectory(prefix="ptxguard-matrix-") as cache:
        measured = run_matrix(options.ptxguard, laid, cache, *facts)
        predicted = run_matrix(options.ptxguard, laid, cache, "--probe", "off", *facts)
    if options.keep:
        Path(options.keep).write_text(json.dumps(measured, indent=1), encoding="utf-8")
    counts, wrong = compare(measured, predicted)
    for line in wrong:
        print(line)
    print(f"{len(measured['producers'])} producers, {len(measured['consumers'])} consumers, "
          f"{len(measured['targets'])} targets, {len(measured['cells'])} cells, {measured['compilations']} compilations")
    for name, count in sorted(counts.items()):
        print(f"  {name}: {count}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
