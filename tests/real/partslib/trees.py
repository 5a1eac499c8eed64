# SPDX-License-Identifier: Apache-2.0
"""Trees for `--root`: links to files of laid sets, at the places that a machine has them.

A description is an object of trees by name; a tree is a list of steps, done in order:

- `{"set": name, "from": folder, "to": folder, "only": [patterns], "rename": {name: name}}`: the files of a laid set;
- `{"empty": path}`: a file without contents (a python.exe that is never run);
- `{"copy": path, "as": path}`: a file of the tree under a second name;
- `{"versioned": folder, "suffix": ".1.0"}`: its `lib*.so.9` become `lib*.so.9.1.0`, with links, as NVIDIA's archives have them;
- `{"remove": path}`: a file or folder of the tree;
- `{"machine": path}`: its PE header is made to say 32-bit x86;
- `{"tree": name}`: the steps of another tree first.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from .common import PartsError, matches, safe_path
from .lay import lay

_X86 = (0x14C).to_bytes(2, "little")


def lay_trees(file: Path, names: list[str], to: Path, parts: Path) -> list[Path]:
    described = json.loads(file.read_text(encoding="utf-8"))
    laid = []
    for name in names or described:
        if name not in described:
            raise PartsError(f"{file.name}: no tree {name!r}")
        root = to / safe_path(name)
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        _plant(described, name, root, parts)
        laid.append(root)
    return laid


def _plant(described: dict[str, Any], name: str, root: Path, parts: Path) -> None:
    for step in described[name]:
        if "tree" in step:
            _plant(described, step["tree"], root, parts)
        elif "set" in step:
            _link_set(step, root, parts)
        elif "empty" in step:
            place = _place(root, step["empty"])
            place.write_bytes(b"")
        elif "copy" in step:
            _link(root / safe_path(step["copy"]), _place(root, step["as"]))
        elif "versioned" in step:
            _name_fully(root / safe_path(step["versioned"]), step["suffix"])
        elif "remove" in step:
            gone = root / safe_path(step["remove"])
            shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
        elif "machine" in step:
            _make_x86(root / safe_path(step["machine"]))
        else:
            raise PartsError(f"{name}: a step that is none: {step}")


def _place(root: Path, path: str) -> Path:
    place = root / safe_path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def _link_set(step: dict[str, Any], root: Path, parts: Path) -> None:
    source = lay(step["set"], parts)
    source = source / safe_path(step["from"]) if "from" in step else source
    if not source.is_dir():
        raise PartsError(f"{step['set']} holds no folder {step.get('from')}")
    patterns, names = step.get("only", ["*"]), step.get("rename", {})
    for file in sorted(source.rglob("*")):
        inside = file.relative_to(source).as_posix()
        if (file.is_dir() and not file.is_symlink()) or inside == "parts.json" or not matches(inside, patterns):
            continue
        inside = names.get(inside, inside)
        _link(file, _place(root, f"{step['to']}/{inside}" if "to" in step else inside))


def _link(source: Path, place: Path) -> None:
    """Hard links where that goes: symlinks that lead out of a tree are not followed."""
    if place.exists() or place.is_symlink():
        place.unlink()
    try:
        os.link(source, place, follow_symlinks=False)
    except OSError:
        subprocess.run(["cp", "-a", "--reflink=auto", "--sparse=always", "-T", str(source), str(place)], check=True)


def _name_fully(folder: Path, suffix: str) -> None:
    for file in sorted(folder.glob("lib*.so.*")):
        file.rename(file.with_name(file.name + suffix))
        file.symlink_to(file.name + suffix)


def _make_x86(place: Path) -> None:
    """Written anew: a link's other names stay as they are."""
    text = place.read_bytes()
    at = int.from_bytes(text[0x3C:0x40], "little") + 4
    place.unlink()
    place.write_bytes(text[:at] + _X86 + text[at + 2 :])
