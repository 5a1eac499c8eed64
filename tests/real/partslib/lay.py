# SPDX-License-Identifier: Apache-2.0
"""Lays a recipe's parts into a folder: all of it or nothing, once."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from collections.abc import Mapping

from . import store
from .common import PartsError, cache_folder, locked, scratch
from .debian import lay_debs
from .recipes import DebsPart, LinkPart, Recipe, TextPart, WheelPart, load_recipes
from .wheels import lay_wheel

STAMP = ".parts-stamp"
REPORT = "parts.json"


def default_folder() -> Path:
    """Where sets go if nobody says: with one folder for all builds they are laid once."""
    own = os.environ.get("PTXGUARD_PARTS_DIR")
    return Path(own).absolute() if own else cache_folder() / "laid"


def is_laid(recipe: Recipe, folder: Path) -> bool:
    try:
        return (folder / STAMP).read_text(encoding="ascii").strip() == recipe.digest
    except (OSError, ValueError):
        return False


def info(folder: Path) -> dict[str, Any]:
    """What was found and laid: the set's parts.json."""
    report: dict[str, Any] = json.loads((Path(folder) / REPORT).read_text(encoding="utf-8"))
    return report


def lay(
    name: str,
    to: str | Path | None = None,
    recipes: Mapping[str, Recipe] | None = None,
) -> Path:
    """Lays the set NAME into TO/NAME and returns that path; raises Unavailable where it can't.

    The set is made once in the cache (see store.py) and linked beside its place, then renamed, so a killed process leaves no
    half a set; a second process waits for the first.
    """
    known = load_recipes() if recipes is None else recipes
    if name not in known:
        raise PartsError(f"no recipe {name!r}; 'list' shows those there are")
    recipe = known[name]
    parent = (Path(to) if to is not None else default_folder()).absolute()
    place = parent / name
    if is_laid(recipe, place):
        return place
    with locked(parent / f".{name}.lock"):
        if is_laid(recipe, place):
            return place
        if place.exists() and not (place / STAMP).exists():
            raise PartsError(f"{place} is there already, and not laid by this tool")
        with scratch(parent, f".{name}.work-") as work:
            made = work / "linked"
            store.take(recipe.digest, lambda root: _make(recipe, root), made)
            if place.exists():
                os.rename(place, work / "outdated")
            try:
                os.rename(made, place)
            except OSError:
                # Without locks (Windows) another process may have been first: its set is as good.
                if not is_laid(recipe, place):
                    raise
    return place


def _make(recipe: Recipe, root: Path) -> None:
    sources: list[dict[str, Any]] = []
    partial: list[dict[str, Any]] = []
    for part in recipe.parts:
        if isinstance(part, WheelPart):
            source = lay_wheel(part, root)
            partial += source.pop("partial")
            sources.append(source)
        elif isinstance(part, DebsPart):
            sources += lay_debs(part, root)
        elif isinstance(part, TextPart):
            path = root / part.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            path.write_text(part.text, encoding="utf-8")
            path.chmod(part.mode)
        else:
            _link(part, root)
    report: dict[str, Any] = {"name": recipe.name, "about": recipe.about, "sources": sources}
    report["partial"] = partial
    for key, pattern in recipe.record.items():
        found = sorted(root.glob(pattern))
        if not found:
            raise PartsError(f"{recipe.name}: nothing laid matches {pattern!r} for {key!r}")
        report[key] = found[0].parent.relative_to(root).as_posix()
    (root / REPORT).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    # Last, so that even a copy of an unfinished folder isn't taken for a finished one.
    (root / STAMP).write_text(recipe.digest + "\n", encoding="ascii")


def _link(part: LinkPart, root: Path) -> None:
    path = root / part.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(part.target)
