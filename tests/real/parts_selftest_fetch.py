# SPDX-License-Identifier: Apache-2.0
"""Tests of how parts.py fetches: index pages, ranges, the cache, apt's sources. No network.

Run by parts_selftest.py.
"""

from __future__ import annotations

import http.server
import io
import os
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from parts_selftest import BIG, WHEEL, Room

import parts
from partslib import common, debian, index, pip


class _Registry(http.server.BaseHTTPRequestHandler):
    """An index page and a wheel, with ranges."""

    files: dict[str, bytes] = {}
    ranges = True
    failures = 0
    requests: list[str] = []

    def do_GET(self) -> None:  # noqa: N802
        if type(self).failures:
            type(self).failures -= 1
            self.send_error(503)
            return
        data = self.files.get(self.path)
        if data is None:
            self.send_error(404)
            return
        span = self.headers.get("Range", "") if self.ranges else ""
        type(self).requests.append(f"{self.path} {span}".strip())
        if span:
            first, _, last = span[len("bytes=") :].partition("-")
            start, end = int(first), int(last or len(data) - 1)
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{end}/{len(data)}")
            data = data[start : end + 1]
        else:
            self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: object) -> None:
        del format, arguments


class Registry(Room):
    """Members over ranges, against a server in this process."""

    def setUp(self) -> None:
        super().setUp()
        wheel = (self.folder / "recipes" / WHEEL).read_bytes()
        self.digest = common.sha256_of(self.folder / "recipes" / WHEEL)
        page = f'<a href="../files/{WHEEL}#sha256={self.digest}">{WHEEL}</a>'
        _Registry.files = {"/tiny-part/": page.encode(), f"/files/{WHEEL}": wheel}
        _Registry.ranges, _Registry.failures, _Registry.requests = True, 0, []
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Registry)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        url = "http:" + f"//127.0.0.1:{server.server_port}/"
        for owner, changed in (
            (pip, {"settings": lambda: {}, "index_urls": lambda: (url,)}),
            (common, {"RETRY_SECONDS": (0.0, 0.0, 0.0), "say": lambda text: None}),
        ):
            patch = mock.patch.multiple(owner, **changed)
            patch.start()
            self.addCleanup(patch.stop)
        environment = mock.patch.dict(os.environ, {"no_proxy": "127.0.0.1"})
        environment.start()
        self.addCleanup(environment.stop)

    def remote(self, **more: Any) -> dict[str, Any]:
        return {"wheel": "tiny-part", "version": "1.0", "pick": ["nvidia/*"], **more}

    def test_members_only(self) -> None:
        with mock.patch("partslib.wheels.say"):
            laid = self.lay(self.recipes(self.remote(whole_below=1000, head=4, tail=4)))
        self.assertTrue(os.access(laid / "nvidia/tool/bin/tool", os.X_OK))
        self.assertFalse((laid / "tiny.py").exists())
        self.assertEqual((laid / "nvidia/tool/lib/libbig.so").stat().st_size, len(BIG))
        self.assertEqual(parts.info(laid)["sources"][0]["sha256"], self.digest)

    def forget_sets(self) -> None:
        """Only the downloads are left in the cache."""
        shutil.rmtree(self.folder / "cache/sets")

    def test_the_cache_serves_the_next_folder(self) -> None:
        recipes = self.recipes(self.remote())
        with mock.patch("partslib.wheels.say"):
            self.lay(recipes)
        _Registry.files = {}
        self.forget_sets()
        self.assertTrue(parts.lay("tiny", self.folder / "other", recipes).is_dir())

    def test_downloads_are_dropped_where_that_is_wanted(self) -> None:
        dropped = mock.patch.dict(os.environ, {"PTXGUARD_PARTS_DOWNLOADS": "drop"})
        with dropped, mock.patch("partslib.wheels.say"):
            laid = self.lay(self.recipes(self.remote()))
        self.assertTrue((laid / "nvidia/tool/bin/tool").is_file())
        self.forget_sets()
        kept = [path for path in (self.folder / "cache").rglob("*") if path.stat().st_size and path.is_file()]
        self.assertEqual(kept, [])

    def test_a_damaged_cache_is_fetched_again(self) -> None:
        recipes = self.recipes(self.remote())
        with mock.patch("partslib.wheels.say"):
            self.lay(recipes)
            for stored in (self.folder / "cache").rglob("*.thin"):
                stored.write_bytes(b"damaged")
            self.forget_sets()
            laid = parts.lay("tiny", self.folder / "other", recipes)
        self.assertTrue((laid / "nvidia/tool/bin/tool").is_file())

    def test_a_failing_server_is_asked_again(self) -> None:
        _Registry.failures = 2
        with mock.patch("partslib.wheels.say"):
            self.assertTrue(self.lay(self.recipes(self.remote())).is_dir())

    def test_a_server_that_keeps_failing(self) -> None:
        _Registry.failures = 1000
        with mock.patch("partslib.wheels.say"), self.assertRaises(parts.Unavailable) as caught:
            self.lay(self.recipes(self.remote()))
        self.assertIn("503", caught.exception.reason)

    def test_a_version_that_is_not_there(self) -> None:
        with self.assertRaises(parts.Unavailable):
            self.lay(self.recipes(self.remote(version="2.0")))

    def test_without_ranges_the_whole_wheel_is_fetched(self) -> None:
        _Registry.ranges = False

        def download(*arguments: Any) -> Path:
            return Path(shutil.copy(self.folder / "recipes" / WHEEL, arguments[-1]))

        with mock.patch.object(pip, "download", download), mock.patch("partslib.wheels.say"):
            laid = self.lay(self.recipes(self.remote(whole_below=1000, head=4, tail=4)))
        self.assertEqual((laid / "nvidia/tool/lib/libbig.so").read_bytes()[:5], b"head\0")
        self.assertFalse((laid / "tiny.py").exists())

    def test_blocks_are_read_on(self) -> None:
        data = os.urandom(3 * index.BLOCK + 17)
        _Registry.files["/files/long"] = data
        url = pip.index_urls()[0] + "files/long"
        with index.RangeFile(url, "long") as file:
            self.assertEqual(file.seek(-5, io.SEEK_END), len(data) - 5)
            self.assertEqual(file.read(), data[-5:])
            file.seek(0)
            self.assertEqual(file.read(2 * index.BLOCK + 3), data[: 2 * index.BLOCK + 3])
        # The length, the end, and one more that streams the rest.
        self.assertEqual(sum("/files/long" in line for line in _Registry.requests), 3)


class WheelNames(unittest.TestCase):
    def rank(self, filename: str, platform: str = "linux", python: str = "3.11") -> Any | None:
        return index._rank(filename, "a-b", "1.0", platform, python)

    def test_fitting(self) -> None:
        for name in ("py3-none-manylinux1_x86_64", "cp311-cp311-manylinux_2_28_x86_64"):
            self.assertIsNotNone(self.rank(f"a_b-1.0-{name}.whl"), name)
        for name in ("cp38-abi3-manylinux2014_x86_64.manylinux_2_17_x86_64", "py2.py3-none-any"):
            self.assertIsNotNone(self.rank(f"a.b-1.0-{name}.whl"), name)
        self.assertIsNotNone(self.rank("a_b-1.0-cp37-cp37m-win_amd64.whl", "windows", "3.7"))

    def test_not_fitting(self) -> None:
        names = ("cp312-cp312-manylinux_2_28_x86_64", "py3-none-manylinux_2_28_aarch64")
        for name in (*names, "py3-none-win_amd64", "cp311-cp311t-manylinux_2_28_x86_64"):
            self.assertIsNone(self.rank(f"a_b-1.0-{name}.whl"), name)
        self.assertIsNone(self.rank("a_b-1.0.1-py3-none-any.whl"))
        self.assertIsNone(self.rank("a_b-1.0.tar.gz"))


class AptSources(unittest.TestCase):
    """Addresses are composed here, so that none is in a committed file."""

    def setUp(self) -> None:
        self.etc = Path(tempfile.mkdtemp(prefix="parts selftest "))
        self.addCleanup(shutil.rmtree, self.etc, ignore_errors=True)
        (self.etc / "sources.list.d").mkdir()
        self.uri = "http:" + "//mirror.invalid/debian"

    def find(self) -> debian.Source:
        sources = debian.system_sources(self.etc)
        with mock.patch.object(debian, "system_sources", lambda: sources):
            return debian.debian_source()

    def test_one_line_format(self) -> None:
        line = (
            f"deb [arch=amd64 signed-by=/k/debian-archive-keyring.gpg] {self.uri} bookworm main\n"
        )
        (self.etc / "sources.list").write_text("# deb x y z\n" + line)
        source = self.find()
        self.assertEqual((source.uri, source.signed_by[:3]), (self.uri, "/k/"))

    def test_stanzas(self) -> None:
        other = "Types: deb\nURIs: x\nSuites: bookworm\nSigned-By: /k/other.gpg\n"
        stanza = f"Types: deb deb-src\n# a\nURIs: {self.uri}\nSuites: bookworm\n bookworm-updates\n"
        signed = "Components: main\nSigned-By: /k/debian-archive-keyring.gpg\n"
        (self.etc / "sources.list.d/d.sources").write_text(f"{other}\n{stanza}{signed}")
        self.assertEqual(self.find().uri, self.uri)

    def test_another_distribution(self) -> None:
        (self.etc / "sources.list").write_text(f"deb {self.uri} jammy main\n")
        with self.assertRaises(parts.Unavailable):
            self.find()


@unittest.skipIf(shutil.which("dpkg-deb") is None, "no dpkg-deb here")
class Debs(Room):
    def setUp(self) -> None:
        super().setUp()
        tree = self.folder / "tree"
        (tree / "DEBIAN").mkdir(parents=True)
        control = "Package: tiny\nVersion: 1.0-1\nArchitecture: all\nMaintainer: a <a@b>\n"
        (tree / "DEBIAN" / "control").write_text(control + "Description: tiny\n")
        (tree / "usr/lib/tiny/empty").mkdir(parents=True)
        (tree / "usr/lib/tiny/libtiny.so.1.0").write_bytes(b"tiny")
        (tree / "usr/lib/tiny/libtiny.so.1").symlink_to("libtiny.so.1.0")
        (tree / "usr/bin").mkdir()
        (tree / "usr/bin/tiny").touch(0o755)
        self.deb = self.folder / "tiny.deb"
        build = ["dpkg-deb", "--build", "--root-owner-group", str(tree), str(self.deb)]
        subprocess.run(build, check=True, capture_output=True)

    def unpack(self, **more: Any) -> Path:
        body = {"debs": [["tiny"]], "version": "1.*", **more}
        part = self.recipes(body)["tiny"].parts[0]
        debian._unpack(part, self.deb, self.folder / "root")  # type: ignore[arg-type]
        return self.folder / "root"

    def test_as_it_is(self) -> None:
        root = self.unpack()
        self.assertEqual(os.readlink(root / "usr/lib/tiny/libtiny.so.1"), "libtiny.so.1.0")
        self.assertTrue((root / "usr/lib/tiny/empty").is_dir())
        self.assertTrue(os.access(root / "usr/bin/tiny", os.X_OK))

    def test_only_what_is_picked(self) -> None:
        root = self.unpack(pick=["usr/lib/*.so*"])
        self.assertEqual(os.listdir(root / "usr"), ["lib"])

    def test_damaged(self) -> None:
        self.deb.write_bytes(self.deb.read_bytes()[:-40])
        with self.assertRaises(parts.Unavailable):
            self.unpack()
        self.assertFalse(self.deb.exists())

    def test_groups_come_from_one_suite(self) -> None:
        listing = {
            "one": "one | 2:535.1-1 | m sid/non-free amd64 Packages\n"
            "one | 535.0-1 | m bookworm/non-free amd64 Packages\n",
            "two": " two | 535.1-1 | m sid/non-free amd64 Packages\n",
        }

        def run(self: Any, tool: str, *words: str) -> subprocess.CompletedProcess[str]:
            return subprocess.CompletedProcess([tool], 0, listing.get(words[-1], ""), "")

        part = self.recipes({"debs": [["no"], ["one", "two"]], "version": "535.*"})["tiny"].parts[0]
        apt = object.__new__(debian._Apt)
        with mock.patch.object(debian._Apt, "_run", run):
            offers = apt._choose(part)  # type: ignore[arg-type]
        assert offers is not None
        self.assertEqual([offer.suite for offer in offers], ["sid", "sid"])
