# SPDX-License-Identifier: Apache-2.0
"""Finds a wheel's address in the index that pip uses, and reads remote files by ranges."""

from __future__ import annotations

import base64
import functools
import html.parser
import http.client
import io
import json
import re
import ssl
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass

from . import pip
from .common import Unavailable, retry

_ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.1"
_SECONDS = 60
BLOCK = 1 << 20


class NoRanges(Exception):
    """The server sends whole files only."""


@dataclass(frozen=True)
class RemoteWheel:
    filename: str
    url: str
    sha256: str


def open_url(url: str, headers: dict[str, str]) -> http.client.HTTPResponse:
    """Opens an address the way pip would: its certificates, its proxy, its trusted hosts."""
    settings = pip.settings()
    parts = urllib.parse.urlsplit(url)
    request_headers = {"User-Agent": "ptxguard-parts", **headers}
    if parts.username is not None:
        pair = (
            f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
        )
        token = base64.b64encode(pair.encode()).decode()
        request_headers["Authorization"] = f"Basic {token}"
        bare = parts._replace(netloc=parts.netloc.rpartition("@")[2])
        url = urllib.parse.urlunsplit(bare)
    context = ssl.create_default_context(cafile=settings.get("cert") or None)
    if (parts.hostname or "") in settings.get("trusted-host", "").split():
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    handlers: list[urllib.request.BaseHandler] = [urllib.request.HTTPSHandler(context=context)]
    if settings.get("proxy"):
        proxy = settings["proxy"]
        handlers.append(urllib.request.ProxyHandler({"http": proxy, "https": proxy}))
    opener = urllib.request.build_opener(*handlers)
    request = urllib.request.Request(url, headers=request_headers)
    answer: http.client.HTTPResponse = opener.open(request, timeout=_SECONDS)
    return answer


def listed_files(package: str) -> Iterator[list[RemoteWheel]]:
    """The files of a package, for each index that lists it. Unavailable if none does."""
    name = re.sub(r"[-_.]+", "-", package).lower()
    problem, found = "", False
    for index in pip.index_urls():
        page = urllib.parse.urljoin(index, name + "/")
        try:
            files = retry(f"index page of {package}", functools.partial(_read_page, page))
        except Unavailable as error:
            problem = problem or error.reason
            continue
        found = True
        yield files
    if not found:
        raise Unavailable(problem)


def find_wheel(package: str, version: str, platform: str, python: str) -> RemoteWheel:
    name = re.sub(r"[-_.]+", "-", package).lower()
    for files in listed_files(package):
        fitting = []
        for file in files:
            rank = _rank(file.filename, name, version, platform, python)
            if rank is not None:
                fitting.append((rank, file.filename, file))
        if fitting:
            return min(fitting, key=lambda entry: entry[:2])[2]
    raise Unavailable(f"{package} {version}: no wheel for {platform}, Python {python}")


def _read_page(page: str) -> list[RemoteWheel]:
    with open_url(page, {"Accept": _ACCEPT}) as answer:
        base = answer.geturl()
        kind = answer.headers.get_content_type()
        text = answer.read().decode("utf-8", "replace")
    if kind.endswith("json"):
        return [
            RemoteWheel(
                file["filename"],
                urllib.parse.urljoin(base, file["url"]),
                file.get("hashes", {}).get("sha256", ""),
            )
            for file in json.loads(text)["files"]
        ]
    parser = _Links()
    parser.feed(text)
    found = []
    for href in parser.hrefs:
        url, fragment = urllib.parse.urldefrag(urllib.parse.urljoin(base, href))
        filename = urllib.parse.unquote(urllib.parse.urlsplit(url).path.rpartition("/")[2])
        digest = re.fullmatch(r"sha256=([0-9a-f]{64})", fragment)
        found.append(RemoteWheel(filename, url, digest[1] if digest else ""))
    return found


class _Links(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.hrefs: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href")
        if tag == "a" and href:
            self.hrefs.append(href)


def _rank(
    filename: str, name: str, version: str, platform: str, python: str
) -> tuple[int, int] | None:
    """How well a wheel fits, smallest best, or None where it doesn't."""
    pieces = filename[: -len(".whl")].split("-") if filename.endswith(".whl") else []
    if len(pieces) not in (5, 6):
        return None
    if re.sub(r"[-_.]+", "-", pieces[0]).lower() != name or pieces[1] != version:
        return None
    pythons, abis, platforms = (piece.split(".") for piece in pieces[-3:])
    wanted = "cp" + python.replace(".", "")
    # cp36 and cp37 wheels carry an "m" in their ABI tag.
    abi_fits = {wanted, wanted + "m", "abi3", "none"} & set(abis)
    minors = {f"py3{minor}" for minor in range(int(python.split(".")[1]) + 1)}  # py39: of 3.9 and newer
    python_fits = ({wanted, "py3", "py2.py3"} | minors) & set(pythons) or "abi3" in abis
    tags = [*pip.platform_tags(platform), "any"]
    ranks = [tags.index(tag) for tag in platforms if tag in tags]
    if not (abi_fits and python_fits and ranks):
        return None
    # Builds: pip takes the highest, so does this.
    build = -int(re.match(r"\d*", pieces[2])[0] or 0) if len(pieces) == 6 else 0  # type: ignore[index]
    return min(ranks), build


class RangeFile(io.RawIOBase):
    """A remote file that can be read at any place, for zipfile.

    One answer is kept open and read on as long as reading goes forward, so a large member streams
    in one request; a jump opens another. Recent blocks are kept, as zipfile goes back a little.
    """

    def __init__(self, url: str, what: str) -> None:
        super().__init__()
        self._url, self._what = url, what
        self._place = 0
        self._answer: http.client.HTTPResponse | None = None
        self._answer_at = 0
        self._blocks: dict[int, bytes] = {}
        self.fetched = 0
        self.length = retry(what, self._ask_length)

    def _ask_length(self) -> int:
        with open_url(self._url, {"Range": "bytes=0-0"}) as answer:
            size = re.fullmatch(r"bytes 0-0/(\d+)", answer.headers.get("Content-Range", ""))
            if answer.status != 206 or not size:
                raise NoRanges(self._what)
            return int(size[1])

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self.length}[whence]
        self._place = max(0, origin + offset)
        return self._place

    def read(self, size: int = -1) -> bytes:
        end = self.length if size is None or size < 0 else min(self.length, self._place + size)
        pieces = []
        while self._place < end:
            number, skip = divmod(self._place, BLOCK)
            piece = self._block(number)[skip : skip + end - self._place]
            pieces.append(piece)
            self._place += len(piece)
        return b"".join(pieces)

    def _block(self, number: int) -> bytes:
        if number not in self._blocks:
            data = retry(self._what, lambda: self._fetch(number * BLOCK))
            while len(self._blocks) >= 16:
                self._blocks.pop(next(iter(self._blocks)))
            self._blocks[number] = data
        return self._blocks[number]

    def _fetch(self, start: int) -> bytes:
        wanted = min(BLOCK, self.length - start)
        try:
            if self._answer is None or self._answer_at != start:
                self._drop()
                self._answer = open_url(self._url, {"Range": f"bytes={start}-"})
                if self._answer.status != 206:
                    raise Unavailable(f"{self._what}: the server stopped sending ranges")
            data = self._answer.read(wanted)
            if len(data) != wanted:
                raise ConnectionError("the connection ended early")
        except BaseException:
            self._drop()
            raise
        self._answer_at = start + wanted
        self.fetched += wanted
        return data

    def _drop(self) -> None:
        if self._answer is not None:
            self._answer.close()
            self._answer = None

    def close(self) -> None:
        self._drop()
        super().close()
