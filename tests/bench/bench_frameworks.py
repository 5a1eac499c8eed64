#!/usr/bin/env python3
"""How long `ptxguard check` takes if Python has hundreds of packages and several frameworks.

    sh tools/dev/without-cuda.sh python3 tests/bench/bench_frameworks.py \\
        --ptxguard build/release/bin/ptxguard --toolkit DIR --site SITE [--site SITE ...] [--packages 400] [--runs 11]

Each SITE is a site-packages folder with frameworks (sets that tests/real/parts.py makes); they are linked into one
environment, filled up with small packages to the given number. It is compared with torch's own `collect_env.py`, copied
from the torch of a SITE and run by this Python without torch: the cost of importing torch is left out, in its favour.
Rows are run in turn, after one warm-up; see bench_check.py. It only prints and never fails for being slow.
"""
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from bench_check import Row, print_rows


def environment(folder: Path, sites: list[Path], packages: int) -> Path:
    """A virtual environment with the sites' packages."""
    site = folder / "lib/python3.11/site-packages"
    site.mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "bin/python").symlink_to(sys.executable)
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n")
    for one in sites:
        there = {distribution(info) for info in site.glob("*.dist-info")}
        merge(one.resolve(), site, lambda entry: distribution(entry) in there)
    there = sum(1 for _ in site.glob("*.dist-info"))
    for number in range(max(0, packages - there)):
        info = site / f"package_{number}-1.{number}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: package-{number}\nVersion: 1.{number}\n\ntext\n" * 40)
        (info / "RECORD").write_text(f"package_{number}/__init__.py,,\n" * 40)
        (site / f"package_{number}").mkdir()
        (site / f"package_{number}/__init__.py").write_text("")
    return folder


def distribution(info: Path) -> str:
    return info.name.split("-")[0] if info.name.endswith(".dist-info") else ""


def merge(source: Path, target: Path, is_there=lambda entry: False) -> None:
    """Folders are created, files are links, hard ones if possible, so that it looks as if pip had installed it.

    If several sites have the same distribution, the record and the files of the first one are kept.
    """
    for entry in source.iterdir():
        if is_there(entry):
            continue
        place = target / entry.name
        if entry.is_dir() and not entry.is_symlink():
            place.mkdir(exist_ok=True)
            merge(entry, place)
        elif not place.exists():
            link(entry, place)


def link(entry: Path, place: Path) -> None:
    try:
        os.link(entry, place, follow_symlinks=False)
    except OSError:
        place.symlink_to(entry)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxguard", required=True, type=Path)
    parser.add_argument("--toolkit", required=True, type=Path)
    parser.add_argument("--site", required=True, type=Path, action="append")
    parser.add_argument("--packages", type=int, default=400)
    parser.add_argument("--runs", type=int, default=11)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ptxguard-bench-") as folder:
        work = Path(folder)
        venv = environment(work / "venv", options.site, options.packages)
        few = environment(work / "few", options.site, 0)
        env = {k: v for k, v in os.environ.items() if not k.startswith(("CUDA", "PTXGUARD", "NVCC", "PYTHON"))}
        check = [str(options.ptxguard.resolve()), "check", "--isolated", "--probe", "off", "--fail-on", "never",
                 "--toolkit", str(options.toolkit.resolve()), "--python"]
        name = f"check --probe off, {options.packages} packages"
        rows = {name: Row([[*check, str(venv)]], [], env), "the same, frameworks alone": Row([[*check, str(few)]], [], env)}
        script = next((venv / "lib").rglob("torch/utils/collect_env.py"), None)
        if script:
            # Run outside its folder: it would import torch's modules in place of Python's.
            peer = work / "collect_env.py"
            peer.write_text(script.read_text())
            rows["torch's collect_env, without torch"] = Row([[sys.executable, str(peer)]], [], env)
        for turn in range(options.runs + 1):
            for row in rows.values():
                row.measure(work, keep=turn > 0)
        print_rows(rows)
        if script:
            ratio = rows[name].median() / rows["torch's collect_env, without torch"].median()
            print(f"{'check / collect_env':44}{ratio:9.3f}")
        print(f"{'check --probe off':44}{rows[name].median() * 1e3:6.0f} ms   aim: at most 50 ms, 150 ms with device code")


if __name__ == "__main__":
    main()
