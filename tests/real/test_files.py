# What `inspect` and `deps` print for machines, against the schema, with this toolkit's and this machine's own files.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import subprocess
import sys

from support import PTXGUARD, CheckCase, part, validate


class FileReports(CheckCase):
    def report(self, *arguments: str, code: int = 0) -> dict:
        done = subprocess.run([PTXGUARD, *arguments, "--isolated", "--format", "json"], env=self.env(), capture_output=True, text=True)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        report = json.loads(done.stdout)
        validate(report)
        return report

    def test_inspect_keeps_the_schema(self) -> None:
        library = next(part("pypi-repaired-13.0.2").glob("nvidia/cu13/lib/libcudart.so.*"))
        self.assertEqual(len(self.report("inspect", str(library), "--entries", "--gpu", "9.0", "--driver", "580")["files"]), 1)
        self.assertEqual(len(self.report("inspect", str(library), str(self.folder / "missing.so"), code=2)["files"]), 1)

    def test_deps_keeps_the_schema(self) -> None:
        report = self.report("deps", sys.executable, "--all", "--undefined")
        self.assertTrue(report["files"][0]["libraries"])
        self.assertTrue(all(l["undefined"] is not None for l in report["files"][0]["libraries"] if l["taken"]))
        self.assertEqual(self.report("deps", str(self.folder / "missing.so"), code=2)["files"], [])
