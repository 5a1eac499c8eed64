"""Wheels: fetched whole or only the members that a recipe names, kept in the cache, unpacked."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from . import pip
from .common import PartsError, Unavailable, cache_folder, locked, say, scratch, sha256_of
from .index import NoRanges, RangeFile, find_wheel
from .recipes import WheelPart

# Lists the members of which a thin wheel holds only both ends.
_ENDS = ".parts-ends.json"
_ABOUT = "about.json"


@dataclass(frozen=True)
class Stored:
    path: Path
    about: dict[str, Any]


def lay_wheel(part: WheelPart, root: Path) -> dict[str, Any]:
    """Unpacks a wheel as pip would into a site-packages folder; returns what parts.json says."""
    stored = _local(part.file) if part.file else _stored(part)
    source: dict[str, Any] = {
        "kind": "wheel",
        "package": part.package,
        "version": part.version,
        "platform": part.platform,
        "file": stored.about["wheel"],
    }
    if stored.about.get("sha256"):
        source["sha256"] = stored.about["sha256"]
    source["partial"] = _unpack(part, stored.path, root)
    return source


def _local(path: Path) -> Stored:
    if not path.is_file():
        raise PartsError(f"no wheel {path}")
    return Stored(path, {"wheel": path.name, "sha256": sha256_of(path)})


def _stored(part: WheelPart) -> Stored:
    whole_key = f"{part.package}-{part.version}-{part.platform}-py{part.python}"
    wheels = cache_folder() / "wheels"
    if not part.thin:
        with locked(wheels / f".{whole_key}.lock"):
            return _kept(wheels / whole_key) or _fetch_whole(part, wheels / whole_key)
    choice = [part.selection.__dict__, part.whole_below, part.head, part.tail]
    digest = hashlib.sha256(json.dumps(choice, sort_keys=True).encode()).hexdigest()[:12]
    thin_key = f"{whole_key}-thin-{digest}"
    with locked(wheels / f".{thin_key}.lock"):
        kept = _kept(wheels / thin_key)
        if kept:
            return kept
        whole = _kept(wheels / whole_key)
        if whole is None:
            try:
                return _fetch_thin(part, wheels / thin_key)
            except NoRanges:
                say(f"{part.package} {part.version}: no ranges here, fetching the whole wheel")
    with locked(wheels / f".{whole_key}.lock"):
        return _kept(wheels / whole_key) or _fetch_whole(part, wheels / whole_key)


def _kept(folder: Path) -> Stored | None:
    """A finished download; a damaged one is dropped, so that it is fetched again."""
    try:
        about = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
        path = folder / about["file"]
        if sha256_of(path) == about["file_sha256"]:
            return Stored(path, about)
        say(f"{path.name} in the cache is damaged")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError) as error:
        say(f"{folder.name} in the cache is unreadable: {error}")
    shutil.rmtree(folder, ignore_errors=True)
    return None


def _keep(made: Path, path: Path, about: dict[str, Any], folder: Path) -> Stored:
    about = {**about, "file": path.name, "file_sha256": sha256_of(path)}
    (made / _ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    os.rename(made, folder)
    return Stored(folder / path.name, about)


def _fetch_whole(part: WheelPart, folder: Path) -> Stored:
    say(f"fetching {part.package} {part.version} ({part.platform})")
    with scratch(folder.parent, f".{folder.name}.fetch-") as work:
        made = work / "made"
        made.mkdir()
        path = pip.download(part.package, part.version, part.platform, part.python, made)
        return _keep(made, path, {"wheel": path.name, "sha256": sha256_of(path)}, folder)


def _fetch_thin(part: WheelPart, folder: Path) -> Stored:
    remote = find_wheel(part.package, part.version, part.platform, part.python)
    say(f"fetching members of {remote.filename}")
    with scratch(folder.parent, f".{folder.name}.fetch-") as work:
        made = work / "made"
        made.mkdir()
        path = made / f"{remote.filename}.thin"
        with RangeFile(remote.url, remote.filename) as file:
            try:
                _copy_members(part, cast("IO[bytes]", file), path)
            except zipfile.BadZipFile as error:
                raise Unavailable(f"{remote.filename}: {error}") from error
            about = {"wheel": remote.filename, "sha256": remote.sha256, "fetched": file.fetched}
        return _keep(made, path, about, folder)


def _copy_members(part: WheelPart, file: IO[bytes], to: Path) -> None:
    ends: dict[str, dict[str, int]] = {}
    with zipfile.ZipFile(file) as wheel, zipfile.ZipFile(to, "w", allowZip64=True) as thin:
        # In the order of the file, so that one request can be read on.
        for member in sorted(wheel.infolist(), key=lambda entry: entry.header_offset):
            if member.is_dir() or _place(part, member.filename) is None:
                continue
            copy = zipfile.ZipInfo(member.filename, member.date_time)
            copy.external_attr = member.external_attr
            copy.compress_type = zipfile.ZIP_DEFLATED
            with wheel.open(member) as source:
                if _is_whole(part, member.file_size):
                    with thin.open(copy, "w", force_zip64=True) as sink:
                        shutil.copyfileobj(source, sink, 1 << 20)
                    continue
                head, tail = _both_ends(part, source)
            ends[member.filename] = {
                "size": member.file_size,
                "head": len(head),
                "tail": len(tail),
            }
            thin.writestr(copy, head + tail)
        thin.writestr(_ENDS, json.dumps(ends))


def _both_ends(part: WheelPart, source: IO[bytes]) -> tuple[bytes, bytes]:
    """The true first and last bytes. A deflated member's end costs reading it all, once."""
    head = source.read(part.head) if part.head else b""
    tail = b""
    while part.tail:
        block = source.read(4 << 20)
        if not block:
            break
        tail = (tail + block)[-part.tail :]
    return head, tail


def _is_whole(part: WheelPart, size: int) -> bool:
    return part.whole_below is None or size < part.whole_below or size <= part.head + part.tail


def _place(part: WheelPart, name: str) -> PurePosixPath | None:
    """Where pip puts a member, then where the recipe wants it."""
    pieces = PurePosixPath(name).parts
    if len(pieces) > 2 and pieces[0].endswith(".data"):
        schemes = {"purelib": "", "platlib": "", "data": "", "scripts": "bin", "headers": "include"}
        name = str(PurePosixPath(schemes.get(pieces[1], ""), *pieces[2:]))
    return part.selection.place(name)


def _unpack(part: WheelPart, path: Path, root: Path) -> list[dict[str, Any]]:
    """Lays the members; those too large are sparse files and listed."""
    partial: list[dict[str, Any]] = []
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
        ends = json.loads(wheel.read(_ENDS)) if _ENDS in names else {}
        for member in wheel.infolist():
            place = _place(part, member.filename) if member.filename != _ENDS else None
            if member.is_dir() or place is None:
                continue
            target = root / place
            target.parent.mkdir(parents=True, exist_ok=True)
            # Two wheels may bring the same file (nvidia/__init__.py); as with pip the later wins.
            target.unlink(missing_ok=True)
            with wheel.open(member) as source, open(target, "wb") as sink:
                if member.filename in ends:
                    kept = ends[member.filename]
                    head, tail = source.read(kept["head"]), source.read(kept["tail"])
                elif _is_whole(part, member.file_size):
                    shutil.copyfileobj(source, sink, 1 << 20)
                    kept = None
                else:
                    head, tail = _both_ends(part, source)
                    kept = {"size": member.file_size, "head": len(head), "tail": len(tail)}
                if kept is not None:
                    sink.write(head)
                    sink.truncate(kept["size"])
                    sink.seek(kept["size"] - kept["tail"])
                    sink.write(tail)
                    partial.append({"path": str(place), **kept})
            executable = (member.external_attr >> 16) & 0o111 if _is_regular(member) else 0
            target.chmod(0o755 if executable else 0o644)
            if place.name == "METADATA" and place.parent.name.endswith(".dist-info"):
                (target.parent / "INSTALLER").write_text("pip\n", encoding="ascii")
    return partial


def _is_regular(member: zipfile.ZipInfo) -> bool:
    mode = member.external_attr >> 16
    return mode != 0 and stat.S_ISREG(mode)
