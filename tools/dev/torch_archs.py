#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the rows 'torch_archs' of tools/ptxguard/facts/recipes.json with torch's wheels on PyPI, and prints the rows that they give.

    torch_archs.py [--from X.Y.Z] [--facts DIR]

A row has the entries that torch.utils.cpp_extension accepts in TORCH_CUDA_ARCH_LIST: the list supported_arches. Only that member of each
wheel is read. Exit status: 0 the rows agree, 1 they differ, 2 wrong usage.
"""
from __future__ import annotations

import argparse
import ast
import json
import re
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/dev"))
from harvest import is_release, listed, order, version_of  # noqa: E402  (it adds tests/real to the path)
from partslib import index  # noqa: E402

MEMBER = "torch/utils/cpp_extension.py"


def archs_of(text: str) -> list[str]:
    return ast.literal_eval(re.search(r"supported_arches\s*=\s*(\[.*?\])", text, re.DOTALL).group(1))


def read(since: str) -> list[tuple[str, list[str]]]:
    wheels: dict[str, dict] = {}
    for file in listed("torch"):
        name = file["filename"]
        if name.endswith(".whl") and "linux" in name and "x86_64" in name and is_release(version_of(name)):
            wheels.setdefault(version_of(name), file)
    found = []
    for version in sorted(wheels, key=order):
        if order(version) < order(since):
            continue
        with zipfile.ZipFile(index.RangeFile(wheels[version]["url"], wheels[version]["filename"])) as wheel:
            found.append((version, archs_of(wheel.read(MEMBER).decode())))
    return found


def rows_of(found: list[tuple[str, list[str]]]) -> list[dict]:
    rows: list[dict] = []
    for version, archs in found:
        if rows and rows[-1]["archs"] == archs:
            rows[-1]["to"] = version
        else:
            rows.append({"from": version, "to": version, "archs": archs})
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="since", default="1.3.0")
    parser.add_argument("--facts", type=Path, default=ROOT / "tools/ptxguard/facts")
    arguments = parser.parse_args()
    known = json.loads((arguments.facts / "recipes.json").read_text())["torch_archs"]
    status = 0
    for row in rows_of(read(arguments.since)):
        covering = [one for one in known if order(one["from"]) <= order(row["from"]) and order(row["to"]) <= order(one["to"])]
        if any(one["archs"] == row["archs"] for one in covering):
            continue
        print(json.dumps({**row, "source": "m-torch-archs"}))
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
