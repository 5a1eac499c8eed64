#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""summary.py FOLDER: of the JUnit files of several ctest runs: what was skipped and why, the ten slowest tests, and the counts."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SLOWEST = 10


def reason(case: ElementTree.Element) -> str:
    """The line in which a test says why it was skipped."""
    output = case.findtext("system-out") or ""
    lines = [line.strip() for line in output.splitlines() if "skip" in line.lower()]
    message = (case.find("skipped").get("message") if case.find("skipped") is not None else "") or ""  # type: ignore[union-attr]
    return re.sub(r"\s+", " ", lines[0] if lines else message)


def inner_skips(case: ElementTree.Element) -> list[str]:
    """The methods that a class of unittest skipped, with their reasons."""
    output = case.findtext("system-out") or ""
    return [f"{name}: {why}" for name, why in re.findall(r"^(test_\w+).*\.\.\. skipped ['\"](.*)['\"]", output, re.MULTILINE)]


def main(folder: Path) -> int:
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    skipped: list[str] = []
    times: list[tuple[float, str]] = []
    for file in sorted(folder.glob("*.xml")):
        for case in ElementTree.parse(file).getroot().iter("testcase"):
            name = f"{file.stem}: {case.get('name')}"
            times.append((float(case.get("time") or 0), name))
            status = case.get("status")
            kind = {"run": "passed", "fail": "failed"}.get(status or "", "skipped")
            counts[kind] += 1
            if kind == "skipped":
                skipped.append(f"{name}: {reason(case)}")
            skipped += [f"{name}: {method}" for method in inner_skips(case)]
    print("\nskipped:" if skipped else "\nnothing was skipped")
    for line in skipped:
        print(f"  {line}")
    print("slowest:")
    for seconds, name in sorted(times, reverse=True)[:SLOWEST]:
        print(f"  {seconds:7.1f} s  {name}")
    print(f"\n{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 0 if times else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
