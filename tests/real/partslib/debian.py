# SPDX-License-Identifier: Apache-2.0
"""Debian packages, through an apt configuration of our own: nothing of the system is changed.

The mirror and the keyring are those of the system's own sources. Suites move, so recipes ask for a
branch of versions and take what is there; parts.json says what it was.
"""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
import subprocess
import tarfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from collections.abc import Iterator

from .common import Unavailable, cache_folder, keeps_downloads, locked, retry, say, scratch
from .recipes import SUITES, DebsPart

_COMPONENTS = "main contrib non-free"
_LISTS_STAY_FRESH = 24 * 3600.0
_OWN_CODENAMES = {
    "stretch",
    "buster",
    "forky",
    "duke",
    "stable",
    "oldstable",
    "testing",
    "unstable",
}
_CODENAMES = _OWN_CODENAMES | set(SUITES)


class Offer(NamedTuple):
    package: str
    version: str
    suite: str


@dataclass(frozen=True)
class Source:
    uri: str
    suites: tuple[str, ...]
    signed_by: str


def lay_debs(part: DebsPart, root: Path) -> list[dict[str, Any]]:
    apt = _Apt()
    offers = apt.choose(part)
    for offer in offers:
        deb = apt.fetch(offer)
        _unpack(part, deb, root)
        if not keeps_downloads():
            deb.unlink(missing_ok=True)
    return [{"kind": "deb", **offer._asdict()} for offer in offers]


def system_sources(etc: Path = Path("/etc/apt")) -> list[Source]:
    """All enabled "deb" entries of the system, in both formats."""
    found: list[Source] = []
    for path in [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*"))]:
        if path.suffix not in (".list", ".sources") or not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        found.extend(_stanzas(text) if path.suffix == ".sources" else _lines(text))
    return found


def _lines(text: str) -> Iterator[Source]:
    for line in text.splitlines():
        entry = re.match(r"deb\s+(?:\[([^]]*)\]\s+)?(\S+)\s+(\S+)", line.strip())
        if entry:
            signed = re.search(r"signed-by=(\S+)", entry[1] or "")
            yield Source(entry[2], (entry[3],), signed[1] if signed else "")


def _stanzas(text: str) -> Iterator[Source]:
    for stanza in re.split(r"\n\s*\n", text):
        lines = [line for line in stanza.splitlines() if not line.startswith("#")]
        # Continuation lines hold keys given in place or more of a list.
        joined = re.sub(r"\n[ \t]+", " ", "\n".join(lines))
        fields = dict(re.findall(r"^([A-Za-z-]+):[ \t]*(.*)$", joined, re.MULTILINE))
        fields = {key.lower(): value.strip() for key, value in fields.items()}
        enabled = fields.get("enabled", "yes").lower() not in ("no", "false", "0")
        if enabled and "deb" in fields.get("types", "").split():
            for uri in fields.get("uris", "").split():
                signed_by = fields.get("signed-by", "")
                yield Source(uri, tuple(fields.get("suites", "").split()), signed_by)


def debian_source() -> Source:
    """The system's Debian archive; other archives use Debian's suite names too, its keyring not."""
    fitting = [source for source in system_sources() if set(source.suites) & _CODENAMES]
    fitting.sort(key=lambda source: "debian-archive" not in source.signed_by)
    for source in fitting:
        by_keyring = "debian-archive" in source.signed_by
        if by_keyring or (not source.signed_by and source.uri.rstrip("/").endswith("/debian")):
            return source
    raise Unavailable("this system's apt sources name no Debian archive")


class _Apt:
    def __init__(self) -> None:
        for tool in ("apt-get", "apt-cache", "dpkg-deb"):
            if shutil.which(tool) is None:
                raise Unavailable(f"no {tool} here")
        self._source = debian_source()
        self._folder = cache_folder() / "apt"
        self._config = self._folder / "apt.conf"

    def choose(self, part: DebsPart) -> list[Offer]:
        with locked(self._folder / ".lock"):
            self._refresh(_LISTS_STAY_FRESH)
            offers = self._choose(part)
            if offers is None:
                self._refresh(0.0)
                offers = self._choose(part)
        if offers is None:
            wanted = " or ".join("+".join(group) for group in part.groups)
            suites = ", ".join(part.suites)
            raise Unavailable(f"no {wanted} of version {part.version} in Debian's {suites}")
        return offers

    def fetch(self, offer: Offer) -> Path:
        debs = self._folder / "debs"
        version = offer.version.replace(":", "%3a")
        pattern = f"{offer.package}_{version}_*.deb"
        with locked(debs / f".{offer.package}.lock"):
            for deb in debs.glob(pattern):
                return deb
            say(f"fetching {offer.package} {offer.version} from {offer.suite}")
            with scratch(debs, f".{offer.package}.fetch-") as work:
                retry(f"{offer.package} {offer.version}", lambda: self._download(offer, work))
                deb = next(work.glob("*.deb"))
                # apt has checked it against the signed list; the rename makes it count.
                os.rename(deb, debs / deb.name)
            return debs / deb.name

    def _download(self, offer: Offer, work: Path) -> None:
        done = self._run("apt-get", "-q", "download", f"{offer.package}={offer.version}", cwd=work)
        if done.returncode != 0 or not list(work.glob("*.deb")):
            raise ConnectionError(_last_error(done.stderr) or "apt-get download failed")

    def _choose(self, part: DebsPart) -> list[Offer] | None:
        for group in part.groups:
            listed = [self._offers(package, part.version) for package in group]
            for suite in part.suites:
                matching = [[o for o in offers if o.suite == suite] for offers in listed]
                if all(matching):
                    return [offers[0] for offers in matching]
        return None

    def _offers(self, package: str, version: str) -> list[Offer]:
        """What the suites hold of a package; the version is compared without the epoch."""
        done = self._run("apt-cache", "madison", package)
        offers = []
        for line in done.stdout.splitlines():
            columns = [column.strip() for column in line.split("|")]
            if len(columns) != 3 or columns[0] != package:
                continue
            words = columns[2].split()
            suite = words[1].rpartition("/")[0] if len(words) > 1 else ""
            if fnmatch.fnmatchcase(re.sub(r"^\d+:", "", columns[1]), version):
                offers.append(Offer(package, columns[1], suite))
        return offers

    def _refresh(self, stay_fresh: float) -> None:
        stamp = self._folder / "lists.stamp"
        if stamp.exists() and 0 <= time.time() - stamp.stat().st_mtime < stay_fresh:
            return
        for folder in ("lists/partial", "cache/archives/partial", "debs"):
            (self._folder / folder).mkdir(parents=True, exist_ok=True)
        self._write_config()
        say("reading the package lists of Debian's suites")
        # A suite that is gone from the mirror is an error to apt, and no harm to the others.
        done = self._run("apt-get", "-q", "update")
        if not list((self._folder / "lists").glob("*_Packages*")):
            raise Unavailable(f"Debian's package lists: {_last_error(done.stderr) or 'none came'}")
        stamp.touch()

    def _write_config(self) -> None:
        options = ["arch=amd64", "lang=none", "target=Packages"]
        if self._source.signed_by and "-----BEGIN" not in self._source.signed_by:
            options.append(f"signed-by={self._source.signed_by}")
        sources = [
            f"deb [{' '.join(options)}] {self._source.uri} {suite} {_COMPONENTS}"
            for suite in SUITES
        ]
        (self._folder / "sources.list").write_text("\n".join(sources) + "\n", encoding="utf-8")
        (self._folder / "status").touch()
        # The system's hooks are cleared: they empty its own cache and wake other programs.
        lines = [
            "#clear APT::Update::Pre-Invoke;",
            "#clear APT::Update::Post-Invoke;",
            "#clear APT::Update::Post-Invoke-Success;",
            'Dir::Etc::sourceparts "/dev/null";',
            'APT::Architecture "amd64";',
            "#clear APT::Architectures;",
            'APT::Architectures { "amd64"; };',
            # apt's own user could not write to a folder below someone's home.
            'APT::Sandbox::User "";',
        ]
        places = {
            "Dir::Etc::sourcelist": "sources.list",
            "Dir::State": ".",
            "Dir::State::lists": "lists",
            "Dir::State::status": "status",
            "Dir::Cache": "cache",
        }
        lines += [f'{key} "{self._folder / place}";' for key, place in places.items()]
        self._config.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _run(
        self, tool: str, *arguments: str, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        command = [tool, "-c", str(self._config), *arguments]
        env = {**os.environ, "LC_ALL": "C.UTF-8"}
        try:
            return subprocess.run(
                command, capture_output=True, text=True, cwd=cwd, env=env, timeout=3600, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise Unavailable(f"{tool} did not end within an hour") from error


def _last_error(text: str) -> str:
    errors = [line[2:].strip() for line in text.splitlines() if line.startswith("E:")]
    return errors[-1] if errors else ""


def _unpack(part: DebsPart, deb: Path, root: Path) -> None:
    """As `dpkg -x`, for the members that are wanted; links are kept as they are."""
    command = ["dpkg-deb", "--fsys-tarfile", str(deb)]
    damage = ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        try:
            with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
                _take_members(part, archive, root)
            # The padding after the archive's end: unread, it would stop dpkg-deb with SIGPIPE.
            while process.stdout.read(1 << 20):
                pass
        except (tarfile.TarError, EOFError) as error:
            damage = str(error)
    if process.returncode != 0 or damage:
        # Most likely damaged in the cache; with it gone the next call fetches it again.
        deb.unlink(missing_ok=True)
        raise Unavailable(f"{deb.name} can't be unpacked: {damage or 'dpkg-deb failed'}")


def _take_members(part: DebsPart, archive: tarfile.TarFile, root: Path) -> None:
    for member in archive:
        name = member.name[2:] if member.name.startswith("./") else member.name
        place = part.selection.place(name) if name not in ("", ".") else None
        if place is None:
            continue
        target = root / place
        if member.isdir():
            # Empty ones too: Debian's /usr/lib/cuda has folders for other packages to fill.
            target.mkdir(parents=True, exist_ok=True)
        elif member.issym():
            _make_room(target)
            target.symlink_to(member.linkname)
        elif member.isfile():
            _make_room(target)
            content = archive.extractfile(member)
            assert content is not None
            with content, open(target, "wb") as sink:
                shutil.copyfileobj(content, sink, 1 << 20)
            target.chmod(0o755 if member.mode & 0o111 else 0o644)


def _make_room(target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
