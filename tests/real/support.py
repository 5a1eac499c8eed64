# Shared by the real tests: a clean environment, ptxguard as a child, and real parts from packages.
# PTXGUARD names the program, PTXGUARD_PARTS the folder of the parts.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from dataclasses import dataclass, field
from pathlib import Path

import parts

PTXGUARD = os.environ["PTXGUARD"]
PARTS = Path(os.environ["PTXGUARD_PARTS"])
SCHEMA = Path(__file__).resolve().parents[2] / "tools/ptxguard/report/report-1.schema.json"


def part(name: str) -> Path:
    """The folder of a set; skips the test, with the reason, if it cannot be fetched."""
    try:
        return parts.lay(name, PARTS)
    except parts.Unavailable as reason:
        raise unittest.SkipTest(str(reason))


def toolkit(name: str) -> str:
    return str(part(name) / "nvidia/cu13")


def driver_libs(name: str) -> str:
    folder = part(name)
    return str(folder / json.loads((folder / "parts.json").read_text())["libdir"])


@dataclass
class Answer:
    code: int
    report: dict
    stderr: str
    findings: list = field(default_factory=list)

    def of(self, code: str) -> list:
        return [f for f in self.findings if f["code"] == code and not f["suppressed"]]

    def levels(self) -> set:
        return {(f["code"], f["level"]) for f in self.findings if not f["suppressed"]}

    def errors(self) -> set:
        return {code for code, level in self.levels() if level == "error"}

    def text(self) -> str:
        return json.dumps(self.findings, indent=1)


def environment(**more: str) -> dict:
    """No variable and no search path entry that names CUDA or Python, and a separate cache for the test."""
    keep = {k: v for k, v in os.environ.items() if k in ("HOME", "LANG", "TMPDIR", "SSL_CERT_FILE", "PTXGUARD_PARTS_CACHE")}
    return {**keep, "PATH": "/usr/bin:/bin", **more}


_kept = tempfile.TemporaryDirectory(prefix="ptxguard-real-cache-")


class CheckCase(unittest.TestCase):
    """Runs ptxguard with a cache that lives as long as this program, which runs one class."""

    cache = Path(_kept.name)

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ptxguard-real-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def env(self, **more: str) -> dict:
        return environment(**{"XDG_CACHE_HOME": str(self.cache), **more})

    def check(self, *arguments: str, env: dict | None = None, before: list | None = None) -> Answer:
        command = [*(before or []), PTXGUARD, "check", "--isolated", "--format", "json", *arguments]
        done = subprocess.run(command, env=env or self.env(), capture_output=True, text=True, timeout=300)
        self.assertIn(done.returncode, (0, 1), f"{command}\n{done.stdout}\n{done.stderr}")
        report = json.loads(done.stdout)
        validate(report)
        return Answer(done.returncode, report, done.stderr, report["findings"])

    def assert_pass(self, answer: Answer) -> None:
        self.assertEqual((answer.code, answer.report["verdict"]), (0, "pass"), answer.text())
        self.assertEqual({l for l in answer.levels() if l[1] in ("error", "warning")}, set(), answer.text())

    def assert_finding(self, answer: Answer, code: str, level: str, *texts: str) -> dict:
        matching = [f for f in answer.of(code) if f["level"] == level]
        self.assertTrue(matching, f"no {level} {code} in {answer.text()}")
        for text in texts:
            self.assertTrue(any(text in json.dumps(f) for f in matching), f"{code} without '{text}': {json.dumps(matching, indent=1)}")
        return matching[0]


@functools.lru_cache(maxsize=1)
def validator():
    """Of the report's schema, or None if the package is not installed (it is one of the test suite's dependencies)."""
    try:
        import jsonschema
    except ImportError:
        if os.environ.get("PTXGUARD_INSIST_DRIVERS"):
            raise
        return None
    schema = json.loads(SCHEMA.read_text())
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)  # once: it takes ten times as long as a report
    return kind(schema)


def validate(report: dict) -> None:
    if validator():
        validator().validate(report)


def linked_file(source: Path, target: Path) -> None:
    """A hard link if it is on the same disk, otherwise a copy. It must not be written to in place."""
    try:
        os.link(source, target)
    except OSError:
        copied(Path(source), Path(target))


def linked_tree(source: Path, target: Path) -> Path:
    """The same files at another place, each as in linked_file()."""
    shutil.copytree(source, target, symlinks=True, copy_function=linked_file, dirs_exist_ok=True)
    return target


def copied(source: Path, target: Path) -> None:
    """A separate copy of a file or tree in which holes stay holes: Python's own copies fill them."""
    subprocess.run(["cp", "-a", "--reflink=auto", "--sparse=always", "-T", str(source), str(target)], check=True)


def python_environment(folder: Path, *packages: Path) -> Path:
    """A virtual environment whose site-packages contains the packages of the sets. Returns its folder."""
    site = folder / "lib/python3.11/site-packages"
    site.mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n")
    (folder / "bin/python").symlink_to("/usr/bin/python3")
    for package in packages:
        for entry in package.iterdir():
            if not (site / entry.name).exists():
                (site / entry.name).symlink_to(entry)
    return folder


class WindowsTree(CheckCase):
    """A tree of Windows for `--root`: Python in C:\\Py, and what is laid there."""

    SITE = "Py/Lib/site-packages"

    def setUp(self) -> None:
        super().setUp()
        self.root = self.folder / "root"
        (self.root / "Windows").mkdir(parents=True)
        (self.root / self.SITE).mkdir(parents=True)
        for name in ("python.exe", "python311.dll"):
            (self.root / "Py" / name).write_bytes(b"")

    def lay(self, name: str) -> None:
        linked_tree(part(name), self.root / self.SITE)

    def lay_dlls(self, place: str, *sets: str) -> None:
        for one in sets:
            for folder in sorted((part(one) / "nvidia").glob("*/bin")):
                linked_tree(folder, self.root / place)

    def check_tree(self, *more: str) -> Answer:
        return self.check("--root", str(self.root), "--os", "windows", "--python", r"C:\Py\python.exe", "--probe", "off", *more)
