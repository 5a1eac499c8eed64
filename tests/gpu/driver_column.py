#!/usr/bin/env python3
"""On a machine with a GPU: what its driver really loads, compared with its JIT library and the tables.

    driver_column.py --ptxguard EXE --parts DIR [--record FILE]

Producers are the compilers of several toolkits, old and new; each cell of the GPU's column must equal that of the
driver's JIT library (if it is found) and the one predicted from the driver's number. `--record` writes the
measurements, with date and driver; records are in this folder. Exits with 77 and the reason if there is no GPU.
"""
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
from pathlib import Path

SETS = ("toolkit-13.5", "toolkit-13.3", "toolkit-13.1", "pypi-repaired-13.0.2", "nvrtc-12.9", "nvrtc-12.1", "nvrtc-11.8")
TARGETS = "75;80;86;89;90;90a;100;120"
SKIP = 77


def matrix(ptxguard: str, *arguments: str) -> dict:
    command = [ptxguard, "matrix", "--isolated", "--format", "json", "--arch", TARGETS, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command}\n{done.stdout[-2000:]}\n{done.stderr}")
    return json.loads(done.stdout)


def column(report: dict, consumer: dict) -> dict:
    """(path of the producer, target) -> cell."""
    paths = {one["id"]: one["path"] for one in report["producers"]}
    return {(paths[c["producer"]], c["target"]): c for c in report["cells"] if c["consumer"] == consumer["id"]}


def named_parts(parts_folder: Path) -> list[str]:
    import parts

    named = []
    for name in SETS:
        try:
            folder = parts.lay(name, parts_folder)
        except parts.Unavailable as error:
            print(f"without {name}: {error.reason}")
            continue
        kit = folder / "nvidia/cu13"
        if (kit / "bin/nvcc").exists():
            named += ["--toolkit", str(kit)]
        else:
            named += [str(path) for path in sorted(folder.rglob("libnvrtc.so.*"))]
    return named


def differences(measured: dict, other: dict, name: str) -> list[str]:
    found = []
    for key, cell in measured.items():
        beside = other.get(key)
        if beside and cell["ptx"] and cell["outcome"] != beside["outcome"]:
            found.append(f"{key[0]} {key[1]} PTX {cell['ptx']}: the GPU {cell['outcome']} ({cell['evidence']}), "
                         f"{name} {beside['outcome']} ({beside['evidence']})")
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptxguard", required=True)
    parser.add_argument("--parts", type=Path, required=True)
    parser.add_argument("--record", type=Path)
    options = parser.parse_args()
    gpus = [c for c in matrix(options.ptxguard, "--probe", "off")["consumers"] if c["kind"] == "gpu"]
    if not gpus:
        print("skipped: no GPU is here, or no driver that shows one")
        return SKIP
    named = named_parts(options.parts)
    wrong, records = [], []
    report = matrix(options.ptxguard, *named)
    for gpu in [c for c in report["consumers"] if c["kind"] == "gpu"]:
        measured = column(report, gpu)
        not_measured = [key for key, cell in measured.items() if cell["ptx"] and cell["basis"] != "measured"]
        wrong += [f"{key}: not measured" for key in not_measured]
        for jit in [c for c in report["consumers"] if c["kind"] == "driver-jit"]:
            wrong += differences(measured, column(report, jit), "its JIT library")
        predicted = matrix(options.ptxguard, "--probe", "off", *named)
        same = [c for c in predicted["consumers"] if c["kind"] == "gpu" and c["name"] == gpu["name"]]
        wrong += differences(measured, column(predicted, same[0]), "the table") if same else ["no predicted column"]
        cells = [{"producer": Path(key[0]).name, "target": key[1], "ptx": cell["ptx"], "outcome": cell["outcome"],
                  "evidence": cell["evidence"]} for key, cell in measured.items()]
        records.append({"gpu": gpu["name"], "driver": gpu["version"], "date": datetime.date.today().isoformat(), "cells": cells})
        print(f"{gpu['name']}: {len(cells)} cells, {sum(c['outcome'] == 'accepted' for c in cells)} loaded")
    if options.record:
        options.record.write_text(json.dumps(records, indent=1) + "\n")
    print("\n".join(wrong) or "all equal")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
