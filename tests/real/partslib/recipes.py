# SPDX-License-Identifier: Apache-2.0
"""Recipes: which packages make up a set. They are data, one JSON file per group, checked here."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union
from collections.abc import Mapping

from .common import PartsError, Selection, safe_path

RECIPE_FOLDER = Path(__file__).resolve().parent.parent / "parts"

# A change of how parts are laid has to reach the sets that were laid before it.
LAYOUT = 1

_SELECTION_KEYS = frozenset({"pick", "drop", "from", "into"})
_KEYS: dict[str, frozenset[str]] = {
    "wheel": _SELECTION_KEYS
    | {"wheel", "version", "platform", "python", "whole_below", "head", "tail", "hollow_from", "file"},
    "debs": _SELECTION_KEYS | {"debs", "version", "suites"},
    "text": frozenset({"text", "lines", "mode"}),
    "link": frozenset({"link", "to"}),
}
_RECIPE_KEYS = frozenset({"about", "parts", "wheel_defaults", "record"})

PLATFORMS = ("linux", "linux-aarch64", "windows")
SUITES = ("bookworm", "trixie", "bullseye", "bookworm-backports", "sid", "experimental")


@dataclass(frozen=True)
class WheelPart:
    package: str
    version: str
    selection: Selection
    platform: str = "linux"
    python: str = "3.11"
    # Members from this size on are laid as sparse files; None lays all of them whole.
    whole_below: int | None = None
    head: int = 1 << 20
    tail: int = 1 << 20
    # Libraries from this size on keep what a loader reads (see hollow.py), whatever the above say of them.
    hollow_from: int | None = None
    # Programs (members of a bin folder) are whole, so that they run.
    whole_programs: bool = False
    # A wheel on this machine instead of a registry's, relative to the recipe file (for tests).
    file: Path | None = None

    @property
    def thin(self) -> bool:
        """Whether only some members are wanted, which is worth asking for ranges."""
        partial = self.whole_below is not None or self.hollow_from is not None
        return partial or bool(self.selection.pick)


@dataclass(frozen=True)
class DebsPart:
    # Groups in order of preference; all packages of a group have to come from one suite.
    groups: tuple[tuple[str, ...], ...]
    version: str
    selection: Selection
    suites: tuple[str, ...] = SUITES


@dataclass(frozen=True)
class TextPart:
    path: str
    text: str
    mode: int = 0o644


@dataclass(frozen=True)
class LinkPart:
    path: str
    target: str


Part = Union[WheelPart, DebsPart, TextPart, LinkPart]


@dataclass(frozen=True)
class Recipe:
    name: str
    about: str
    parts: tuple[Part, ...]
    # Name in parts.json -> pattern of a file whose folder is written there.
    record: Mapping[str, str] = field(default_factory=dict)
    digest: str = ""


def load_recipes(folder: Path = RECIPE_FOLDER) -> dict[str, Recipe]:
    raw: dict[str, tuple[Path, dict[str, Any]]] = {}
    for path in sorted(folder.glob("*.json")):
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise PartsError(f"{path.name}: {error}") from error
        if not isinstance(document, dict):
            raise PartsError(f"{path.name}: not an object of recipes")
        for name, body in document.items():
            if name in raw:
                raise PartsError(f"{path.name}: recipe {name!r} is also in {raw[name][0].name}")
            raw[name] = (path, body)
    return {name: _recipe(name, path, body) for name, (path, body) in raw.items()}


def _recipe(name: str, path: Path, body: dict[str, Any]) -> Recipe:
    where = f"{path.name}: {name}"
    if len(safe_path(name).parts) != 1 or name.startswith("."):
        raise PartsError(f"{where}: a recipe's name is one plain folder name")
    _check_keys(where, body, _RECIPE_KEYS)
    if not isinstance(body.get("about"), str) or not body["about"]:
        raise PartsError(f"{where}: says nothing in 'about'")
    listed = body.get("parts")
    if not isinstance(listed, list) or not listed:
        raise PartsError(f"{where}: 'parts' is an empty list or none")
    defaults = body.get("wheel_defaults", {})
    full: list[dict[str, Any]] = [
        {**defaults, **part} if "wheel" in part else part for part in listed
    ]
    record = body.get("record", {})
    canonical = json.dumps([LAYOUT, full, record], sort_keys=True)
    return Recipe(
        name=name,
        about=body["about"],
        parts=tuple(_part(where, path, part) for part in full),
        record=record,
        digest=hashlib.sha256(canonical.encode()).hexdigest(),
    )


def _check_keys(where: str, body: Mapping[str, Any], allowed: frozenset[str]) -> None:
    unknown = sorted(set(body) - allowed)
    if unknown:
        raise PartsError(f"{where}: unknown key {unknown[0]!r}")


def _part(where: str, path: Path, body: Mapping[str, Any]) -> Part:
    kinds = [kind for kind in _KEYS if kind in body]
    if len(kinds) != 1:
        raise PartsError(f"{where}: a part is exactly one of {', '.join(_KEYS)}")
    kind = kinds[0]
    where = f"{where}: {kind} {body[kind]!r}"
    _check_keys(where, body, _KEYS[kind])
    try:
        if kind == "wheel":
            return _wheel(where, path, body)
        if kind == "debs":
            return _debs(where, body)
        if kind == "text":
            safe_path(body["text"])
            mode = int(body.get("mode", "644"), 8)
            return TextPart(body["text"], "\n".join(body["lines"]) + "\n", mode)
        safe_path(body["link"])
        return LinkPart(body["link"], body["to"])
    except KeyError as error:
        raise PartsError(f"{where}: lacks {error}") from error


def _wheel(where: str, path: Path, body: Mapping[str, Any]) -> WheelPart:
    platform = body.get("platform", "linux")
    if platform not in PLATFORMS:
        raise PartsError(f"{where}: platform is one of {', '.join(PLATFORMS)}")
    for key in ("head", "tail", "whole_below", "hollow_from"):
        value = body.get(key)
        if value is not None and (not isinstance(value, int) or value < 0):
            raise PartsError(f"{where}: {key!r} is a number of bytes")
    return WheelPart(
        package=body["wheel"],
        version=body["version"],
        selection=_selection(body),
        platform=platform,
        python=body.get("python", "3.11"),
        whole_below=body.get("whole_below"),
        head=body.get("head", 1 << 20),
        tail=body.get("tail", 1 << 20),
        hollow_from=body.get("hollow_from"),
        file=path.parent / body["file"] if "file" in body else None,
    )


def _debs(where: str, body: Mapping[str, Any]) -> DebsPart:
    groups = tuple(tuple(group) for group in body["debs"])
    if not groups or not all(groups):
        raise PartsError(f"{where}: 'debs' is a list of groups of package names")
    return DebsPart(
        groups=groups,
        version=body["version"],
        selection=_selection(body),
        suites=tuple(body.get("suites", SUITES)),
    )


def _selection(body: Mapping[str, Any]) -> Selection:
    return Selection(
        pick=tuple(body.get("pick", ())),
        drop=tuple(body.get("drop", ())),
        source=body.get("from", ""),
        into=body.get("into", ""),
    )
