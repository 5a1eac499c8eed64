# Real frameworks with files that a full disk, a killed pip or a user has damaged: the check ends, quickly, and reports
# nothing that is untrue.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random
import time
import unittest
from pathlib import Path

from support import CheckCase, linked_file, linked_tree, part, validate

SETS = ("torch-cu124-set", "tensorflow-2.18-set", "jax-cuda12-set", "onnxruntime-set", "cupy-12x-set", "triton-3.6.0")
SITE = "venv/lib/python3.11/site-packages"
RUNS = 6
# A damaged library or program may be reported as missing; damaged records and Python files give no finding.
OF_LIBRARIES = {"CC104", "CC105", "CC107", "CC109", "CC111", "CC303", "CC305", "CC401", "CC405", "CC612"}


def is_code(name: str) -> bool:
    return ".so" in name or "/bin/" in name or name.endswith(".bc")


def head_of(file: Path, size: int) -> bytes:
    with file.open("rb") as stream:
        return stream.read(min(size, 1 << 20))


class DamagedPackages(CheckCase):
    def kinds(self, trap: Path) -> dict:
        """The replacements; the argument is the intact file."""
        def text(content: bytes):
            return lambda place, _: place.write_bytes(content)

        def noise(place: Path, good: Path) -> None:
            head = bytearray(head_of(good, 1 << 20))
            for _ in range(20 if head else 0):
                head[self.random.randrange(min(len(head), 4096))] = self.random.randrange(256)
            place.write_bytes(head)
        return {
            "gone": lambda place, good: None, "empty": text(b""), "zeros": text(bytes(5000)), "folder": lambda place, _: place.mkdir(),
            "half": lambda place, good: place.write_bytes(head_of(good, good.stat().st_size // 2)),
            "noise": noise, "link to itself": lambda place, _: place.symlink_to(place.name),
            "dangling": lambda place, _: place.symlink_to("/nowhere/at/all"),
            "code": text(f"import os\nos.system('touch {trap}')\n__version__ = os.environ['X']\nName: other\nVersion: 99.0\n".encode())}

    def judge(self, root: Path) -> set:
        began = time.monotonic()
        answer = self.check("--root", str(root), "--python", "/" + SITE, "--probe", "off", "--gpu", "A100", "--driver", "560.35.03")
        self.assertLess(time.monotonic() - began, 10)
        self.assertIn(answer.code, (0, 1), answer.text())
        validate(answer.report)
        self.assertEqual(answer.of("CC001"), [], answer.text())
        return {(f["code"], f["level"], f["subject"]) for f in answer.findings if f["level"] in ("error", "warning")}

    def test_nothing_is_said_that_is_not_so(self) -> None:
        trap = self.folder / "ran"
        for name in SETS:
            self.random = random.Random(name)
            kinds = self.kinds(trap)
            root = self.folder / name
            site = linked_tree(part(name), root / SITE)
            (root / "usr/lib/x86_64-linux-gnu").mkdir(parents=True)
            good = self.judge(root)
            files = sorted(str(p.relative_to(site)) for p in site.rglob("*") if p.is_file() and not p.is_symlink()
                           and (".dist-info/" in str(p) or is_code(str(p)) or p.name in ("__init__.py", "version.py", "build_info.py")))
            for run in range(RUNS):
                damage = {self.random.choice(files): self.random.choice(sorted(kinds)) for _ in range(self.random.choice((1, 1, 2, 5)))}
                with self.subTest(set=name, run=run, damage=damage):
                    for file, kind in damage.items():
                        (site / file).unlink()
                        kinds[kind](site / file, part(name) / file)
                    added = self.judge(root) - good
                    allowed = OF_LIBRARIES if any(is_code(file) for file in damage) else set()
                    self.assertLessEqual({code for code, _, _ in added}, allowed, added)
                for file in damage:
                    place = site / file
                    if place.is_dir() and not place.is_symlink():
                        place.rmdir()
                    elif place.is_symlink() or place.exists():
                        place.unlink()
                    linked_file(part(name) / file, place)
        self.assertFalse(trap.exists(), "something was run")


if __name__ == "__main__":
    unittest.main()
