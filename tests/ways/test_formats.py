# The report formats, read by programs that people use for them.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import functools
import hashlib
import io
import os
import shutil
import tarfile
import unittest
from pathlib import Path

import html5lib
import junitparser
import sarif.loader
import xmlschema
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as SarifSchema

from partslib import Unavailable
from partslib.index import listed_files, open_url
from ways import PARTS, TOOLS, WORK, environment, run

BROKEN = PARTS / "pypi-mixed-13.0.88/nvidia/cu13"
# Each command that has findings, with some of every level.
REPORTS = (
    ("check", "--driver", "470.256.02", "--gpu", "A100,RTX 5090", "--framework", "torch==2.11.0+cu130"),
    ("check", "--driver", "580.65.06", "--toolkit", BROKEN, "--arch", "50;90", "--ignore", "CC104=one; \"two\" <three> & \u00e9"),
    ("check", "--toolkit", BROKEN),
    ("lint", "recipe"),
    ("inspect", BROKEN / "bin/ptxas", "--gpu", "8.6"),
    ("deps", BROKEN / "bin/ptxas"),
    ("matrix", "--arch", "80;90", "--driver", "535", "--toolkit", BROKEN),
    ("plan", "--driver", "535", "--gpu", "A100", "--framework", "torch"),
    ("explain", "build.log"),
    ("run", "--", "sh", "-c", "cat build.log; exit 1"),
)


@functools.cache
def jenkins_schema() -> xmlschema.XMLSchema:
    """Jenkins' schema of JUnit reports, from the sources of pytest, which has it for its own report."""
    version = "8.3.5"
    name, digest = f"pytest-{version}.tar.gz", "f4efe70cc14e511565ac476b57c279e12a855b11f48f212af1080ef2263d3845"
    for files in listed_files("pytest"):
        for file in files:
            if file.filename != name:
                continue
            with open_url(file.url, {}) as answer:
                data = answer.read()
            if hashlib.sha256(data).hexdigest() != digest:
                raise AssertionError(f"{name} is another file")
            with tarfile.open(fileobj=io.BytesIO(data)) as sources:
                return xmlschema.XMLSchema(sources.extractfile(f"pytest-{version}/testing/example_scripts/junit-10.xsd"))
    raise Unavailable(f"no {name}")


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

    def each_report(self, form: str):
        recipe = self.folder / "recipe"
        recipe.mkdir()
        (recipe / "Dockerfile").write_text("FROM nvidia/cuda:11.8.0-runtime-ubuntu22.04\nRUN pip install torch==2.11.0+cu130\nRUN nvcc -o a a.cu\n"
                                           "FROM nvidia/cuda:12.6.3-cudnn-devel-ubuntu22.04\nRUN apt-get install -y libcudnn8\n")
        (self.folder / "build.log").write_text("RuntimeError: the provided PTX was compiled with an unsupported toolchain.\n")
        for words in REPORTS:
            file = self.folder / "report"
            never = () if words[0] in ("explain", "run") else ("--fail-on", "never")
            code = 1 if words[0] == "run" or (words[0] == "explain" and form != "sarif") else 0
            run(os.environ["PTXGUARD"], words[0], "--isolated", *never, "--format", form, "--output", file, *words[1:], cwd=self.folder,
                env=environment(), code=code)
            with self.subTest(form=form, words=words):
                yield file

    def test_sarif_matches_its_schema(self) -> None:
        levels = set()
        for file in self.each_report("sarif"):
            report = SarifSchema.model_validate_json(file.read_text(encoding="utf-8"))
            levels |= {result.level.value for run_ in report.runs for result in run_.results or ()}
        self.assertEqual(levels, {"error", "warning", "note", "none"})

    def test_junit_matches_the_schema_of_jenkins(self) -> None:
        try:
            schema = jenkins_schema()
        except Unavailable as reason:
            self.skipTest(f"no schema: {reason}")
        for file in self.each_report("junit"):
            schema.validate(str(file))

    def test_html(self) -> None:
        ptxas = BROKEN / "bin/ptxas"
        for words, code in ((("check",), 1), (("matrix", "--arch", "80;90", "--driver", "535", "--only-named", "--toolkit", BROKEN), 0),
                            (("deps", ptxas), 0), (("inspect", ptxas, "--gpu", "8.6"), 0)):
            page = self.report("html", *words, code=code).read_text(encoding="utf-8")
            html5lib.HTMLParser(strict=True).parse(page)  # raises at the first error
            for part in ("<script", "http:", "https:", "url(", "src=", "href="):
                self.assertNotIn(part, page)
            self.assertNotIn(str(self.folder), page)
