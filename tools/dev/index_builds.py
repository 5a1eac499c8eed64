#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tools/ptxguard/facts/index_builds.json: which releases the indexes of one CUDA have, and under which local versions.

    index_builds.py --xformers CLONE --llama-cpp-python CLONE [--facts DIR]

What a project uploads is in its clone: xFormers' workflow at the tag of a release names the CUDA releases, which of them get a local
version, and which are built for Windows; llama-cpp-python has a tag (v0.3.4-cu124) for each release in its index of a CUDA. The clones
need all tags. Exit status: 0 written, 1 a clone could not be read, 2 wrong usage.
"""
from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/dev"))
from harvest import order  # noqa: E402

WORKFLOWS = ".github/workflows/wheels.yml", ".github/workflows/wheels_build.yml"
ABOUT = ("Indexes that have a folder for each CUDA: releases, the folders that have them ('builds'), those of them without wheels for Windows "
         "('not_windows'), and the local versions that exist ('local'; the other builds have the plain version). 'else_for_cpus': PyPI has a source "
         "archive only, built for CPUs. Written by "
         "tools/dev/index_builds.py; a release before the first or after the last of a package is unknown.")


def git(clone: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(clone), *words], check=True, capture_output=True, text=True).stdout


def releases_of(clone: Path, pattern: str) -> dict[str, list[str]]:
    """Tag by tag: the release, and the rest of the tag's name."""
    found: dict[str, list[str]] = {}
    for tag in git(clone, "tag").split():
        if match := re.fullmatch(pattern, tag):
            found.setdefault(match.group(1), []).append(match.group(2) or "")
    return {release: found[release] for release in sorted(found, key=order)}


def newest_commit(clone: Path) -> str:
    return git(clone, "log", "-1", "--format=%cs", "HEAD").strip()


def xformers_row(clone: Path, release: str) -> dict | None:
    """None before it was uploaded to PyTorch's index."""
    if WORKFLOWS[1] not in git(clone, "ls-tree", "-r", "--name-only", f"v{release}", WORKFLOWS[1]):
        return None
    wheels, build = (git(clone, "show", f"v{release}:{path}") for path in WORKFLOWS)
    uploads = sorted(set(re.findall(r"s3://pytorch/whl/(cu\d+)/", wheels) + re.findall(r"^\s+- (cu\d+)$", wheels, re.MULTILINE)))
    if not uploads:
        return None
    # A composite action's step has no outputs for the workflow, so that the suffix is empty.
    default = re.search(r'TORCH_CUDA_DEFAULT = "(\d+)"', build)
    row: dict = {"builds": uploads, "local": [one for one in uploads if default and one != "cu" + default.group(1)]}
    if equal := re.search(r'cuda_short_version != "(\d+)" and "windows" in os', wheels):
        row["not_windows"] = [one for one in uploads if one != "cu" + equal.group(1)]
    elif less := re.search(r'cuda_short_version (<|==) "(\d+)" and "windows" in os', wheels):
        is_without = (lambda one: one < "cu" + less.group(2)) if less.group(1) == "<" else (lambda one: one == "cu" + less.group(2))
        row["not_windows"] = [one for one in uploads if is_without(one)]
    return {key: value for key, value in row.items() if value}


def rows_of(package: str, index: str, source: str, by_release: list[tuple[str, dict]]) -> list[dict]:
    """Neighbouring releases with the same builds in one row."""
    rows: list[dict] = []
    for release, row in by_release:
        full = {"package": package, "index": index, **row, "source": source}
        if rows and {key: value for key, value in rows[-1].items() if key != "releases"} == full:
            rows[-1]["releases"].append(release)
        else:
            rows.append({"releases": [release], **full})
    return rows


def dump(table: dict) -> str:
    def one(value: object) -> str:
        return json.dumps(value, ensure_ascii=False)

    rows = ",\n".join("    {" + ",\n      ".join(f"{one(key)}: {one(value)}" for key, value in row.items()) + "}" for row in table["rows"])
    sources = ",\n".join("    " + one(source) for source in table["sources"])
    return f'{{\n  "about": {one(table["about"])},\n  "rows": [\n{rows}\n  ],\n  "sources": [\n{sources}\n  ]\n}}\n'


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--xformers", type=Path, required=True)
    parser.add_argument("--llama-cpp-python", type=Path, required=True)
    parser.add_argument("--facts", type=Path, default=ROOT / "tools/ptxguard/facts")
    arguments = parser.parse_args()
    try:
        xformers = [(release, row) for release in releases_of(arguments.xformers, r"v(0\.0\.2[2-9]\S*|0\.0\.[3-9]\d\S*)()")
                    if "rc" not in release and (row := xformers_row(arguments.xformers, release))]
        llama = releases_of(arguments.llama_cpp_python, r"v([0-9.]+)(-cu\d+)?")
        days = {"xformers": newest_commit(arguments.xformers), "llama": newest_commit(arguments.llama_cpp_python)}
    except subprocess.CalledProcessError as error:
        print(error.stderr, file=sys.stderr)
        return 1
    built = [release for release, tags in llama.items() if any(tags)]
    # Releases between the first and the last with an index, without one of their own, are in none.
    known = list(llama)[list(llama).index(built[0]):list(llama).index(built[-1]) + 1]
    listed = [(release, {"builds": sorted(tag[1:] for tag in llama[release] if tag), "else_for_cpus": True}) for release in known]
    torchtext = json.loads((arguments.facts / "pypi/torchtext.json").read_text())
    texts = [release for row in torchtext["rows"] for release in row["releases"] if order(release) >= order("0.6.0")]
    rows = [*rows_of("xformers", "download.pytorch.org/whl/", "d-xformers", xformers),
            *rows_of("llama-cpp-python", "abetlen.github.io/llama-cpp-python/whl/", "d-llama", listed),
            {"releases": texts, "package": "torchtext", "index": "download.pytorch.org/whl/", "local": ["cpu"], "source": "d-torchtext"}]
    sources = [
        {"id": "d-xformers", "kind": "documented",
         "what": f"facebookresearch/xformers, {' and '.join(WORKFLOWS)} at the tag of each release, read {days['xformers']}; the links of "
                 "unslothai/unsloth's pyproject.toml and what pip lists in MeiGen-AI/InfiniteTalk#84 agree"},
        {"id": "d-llama", "kind": "documented",
         "what": f"abetlen/llama-cpp-python, its tags vX.Y.Z-cuNNN, from which scripts/releases-to-pep-503.sh makes the indexes, {days['llama']}"},
        {"id": "d-torchtext", "kind": "documented", "what": "pytorch/text#1320: torchtext is built for CPUs only"}]
    (arguments.facts / "index_builds.json").write_text(dump({"about": ABOUT, "rows": rows, "sources": sources}), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
