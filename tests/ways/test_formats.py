# The report formats, read by programs that people use for them.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import shutil
import unittest
from pathlib import Path

import html5lib
import junitparser
import sarif.loader

from ways import PARTS, TOOLS, WORK, environment, run

BROKEN = PARTS / "pypi-mixed-13.0.88/nvidia/cu13"


class Formats(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = WORK / "formats" / self._testMethodName
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def report(self, form: str, *words: object, code: int = 1, toolkit: Path | None = BROKEN) -> Path:
        file = self.folder / "report"
        environ = environment(**({"CUDA_HOME": str(toolkit)} if toolkit else {}))
        run(os.environ["PTXGUARD"], *words, "--isolated", "--format", form, "--output", file, cwd=self.folder, env=environ, code=code)
        return file

    def test_sarif(self) -> None:
        text = run(TOOLS / "bin/sarif", "summary", self.report("sarif", "check", code=0))
        self.assertRegex(text, r"error: 1\n - CC104 toolkit at ")
        self.assertRegex(text, r"none: 1\n - CC210 ")
        # A finding is located where the user wrote the value.
        settings = self.folder / "ptxguard.toml"
        settings.write_text('gpu = "A100"\nframework = "torch==2.11.0+cu130"\ndriver = "470.256.02"\n')
        file = self.report("sarif", "check", "--config", settings, code=0, toolkit=None)
        records = sarif.loader.load_sarif_file(file).get_records()
        self.assertEqual([(r["Severity"], r["Code"], r["Location"], r["Line"]) for r in records if r["Code"] == "CC208"],
                         [("error", "CC208", "ptxguard.toml", 3)])

    def test_junit(self) -> None:
        suite, = junitparser.JUnitXml.fromfile(str(self.report("junit", "check", "--driver", "580.65.06")))
        self.assertEqual((suite.tests, suite.errors), (len(list(suite)), 0))
        results = {case.name: [type(r).__name__ for r in case.result] for case in suite}
        self.assertEqual(results[f"CC104 toolkit_parts_disagree: {BROKEN}"], ["Failure"])
        self.assertEqual(results["GPU"], ["Skipped"])
        self.assertEqual(results["architectures"], [])
        for counted, kind in ((suite.failures, ["Failure"]), (suite.skipped, ["Skipped"])):
            self.assertEqual(counted, sum(result == kind for result in results.values()))

    def test_html(self) -> None:
        ptxas = BROKEN / "bin/ptxas"
        for words, code in ((("check",), 1), (("matrix", "--arch", "80;90", "--driver", "535", "--only-named", "--toolkit", BROKEN), 0),
                            (("deps", ptxas), 0), (("inspect", ptxas, "--gpu", "8.6"), 0)):
            page = self.report("html", *words, code=code).read_text(encoding="utf-8")
            html5lib.HTMLParser(strict=True).parse(page)  # raises at the first error
            for part in ("<script", "http:", "https:", "url(", "src=", "href="):
                self.assertNotIn(part, page)
            self.assertNotIn(str(self.folder), page)
