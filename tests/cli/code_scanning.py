# Every command's findings in the formats of CI systems: a file and a line each. SARIF keeps what GitHub's code scanning demands, which
# refuses a whole file for one result (github/codeql-action#2459, #2456, ossf/scorecard-action#1149, aquasecurity/tfsec-sarif-action#43).
# usage: code_scanning.py PTXGUARD
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

PTXGUARD = sys.argv.pop(1)
PTX = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry empty() { ret; }\n"
LOG = "RuntimeError: the provided PTX was compiled with an unsupported toolchain.\n"
# Each has findings; none reads this machine's CUDA.
COMMANDS = {
    "check": ("check", "--driver", "470.256.02", "--gpu", "A100,RTX 5090", "--framework", "torch==2.11.0+cu130", "--root", "image"),
    "plan": ("plan", "--driver", "390", "--gpu", "RTX 5090", "--framework", "torch"),
    "matrix": ("matrix", "notes.txt", "--only-named"),
    "inspect": ("inspect", "new.ptx", "--driver", "535.104.05", "--gpu", "H100"),
    "deps": ("deps", "notes.txt"),
    "lint": ("lint", "."),
    "explain": ("explain", "build.log"),
    "run": ("run", "--", "sh", "-c", "cat build.log; exit 1"),
}
KEPT_URI = re.compile(r"(?:file:///)?(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+")


class CodeScanning(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in {"CMakeLists.txt": "project(x)\n", "notes.txt": "text\n", "new.ptx": PTX, "build.log": LOG, "image/etc/os-release": "",
                           "a b/requirements.txt": "torch==2.5.1+cu125\n", "Dockerfile": "# ptxguard: ignore CC603\nFROM x\n"}.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def report(self, form: str, words: tuple) -> str:
        command = [PTXGUARD, words[0], "--isolated", "--format", form, "--output", "report", *words[1:]]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        return (self.folder / "report").read_text(encoding="utf-8")

    def each(self, form: str):
        for name, words in COMMANDS.items():
            with self.subTest(command=name, form=form):
                yield name, self.report(form, words)

    def place(self, file: str, line: int) -> None:
        self.assertTrue(file and not file.startswith("./"), file)
        self.assertGreaterEqual(line, 1)

    def test_sarif(self) -> None:
        for _, text in self.each("sarif"):
            self.assertLess(len(text), 10 << 20)
            report = json.loads(text)
            self.assertEqual(report["version"], "2.1.0")
            self.assertEqual(len(report["runs"]), 1)  # at most 20
            run = report["runs"][0]
            self.assertTrue(run["tool"]["driver"]["name"])
            rules = run["tool"]["driver"]["rules"]
            for rule in rules:
                for key in ("shortDescription", "fullDescription"):
                    self.assertTrue(0 < len(rule[key]["text"]) <= 1024, rule["id"])
                self.assertTrue(rule["help"]["text"])
            results = run["results"]
            self.assertTrue(0 < len(results) <= 25000)
            prints = set()
            for result in results:
                self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
                self.assertTrue(result["message"]["text"])
                prints.add(result["partialFingerprints"]["primaryLocationLineHash"])
                self.assertEqual(len(result["locations"]), 1)
                place = result["locations"][0]["physicalLocation"]
                self.assertNotIn("uriBaseId", place["artifactLocation"])
                self.assertRegex(place["artifactLocation"]["uri"], f"^{KEPT_URI.pattern}$")
                self.place(place["artifactLocation"]["uri"], place["region"]["startLine"])
                self.assertGreaterEqual(place["region"].get("startColumn", 1), 1)
            self.assertEqual(len(prints), len(results))

    def test_github(self) -> None:
        for _, text in self.each("github"):
            lines = [line for line in text.splitlines() if line.startswith("::")]
            self.assertTrue(lines)
            for line in lines:
                self.assertRegex(line, r"^::(error|warning|notice) file=[^,]+,line=[1-9]\d*,(col=[1-9]\d*,)?title=CC\d{3} ")

    def test_gitlab(self) -> None:
        for _, text in self.each("gitlab"):
            prints = [one["fingerprint"] for one in json.loads(text)]
            self.assertEqual(len(prints), len(set(prints)))
            for one in json.loads(text):
                self.place(one["location"]["path"], one["location"]["lines"]["begin"])

    def test_junit(self) -> None:
        for _, text in self.each("junit"):
            for case in xml.fromstring(text).iter("testcase"):
                for result in case:
                    if case.attrib["name"].startswith("CC"):
                        self.assertRegex("".join(result.itertext()), r"(?m)^\S.*:[1-9]\d*$")

    def test_the_nearest_file_is_named(self) -> None:
        def files(name: str) -> set:
            run = json.loads(self.report("sarif", COMMANDS[name]))["runs"][0]
            return {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"]}
        self.assertEqual(files("check"), {"CMakeLists.txt"})
        self.assertEqual(files("inspect"), {"new.ptx"})
        self.assertEqual(files("explain"), {"build.log"})
        # A log that is no file of the project has no line there.
        self.assertEqual(files("run"), {"CMakeLists.txt"})
        with tempfile.TemporaryDirectory() as other:
            (Path(other) / "x.log").write_text(LOG)
            run = json.loads(self.report("sarif", ("explain", f"{other}/x.log")))["runs"][0]
        self.assertEqual({r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]}, {"CMakeLists.txt"})
        self.assertEqual(files("lint"), {"Dockerfile", "a%20b/requirements.txt"})
        (self.folder / "ptxguard.toml").write_text('[ignore]\nCC208 = "x"\n')
        (self.folder / "CMakeLists.txt").unlink()
        words = [PTXGUARD, "check", "--config", "ptxguard.toml", "--root", "image", "--format", "sarif", "--framework", "torch==2.0.0+cu121"]
        run = json.loads(subprocess.run(words, cwd=self.folder, capture_output=True, text=True).stdout)["runs"][0]
        self.assertEqual({r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]}, {"ptxguard.toml"})

    def test_a_fix_is_a_replacement(self) -> None:
        run = json.loads(self.report("sarif", COMMANDS["lint"]))["runs"][0]
        fix, = [result["fixes"][0] for result in run["results"] if result["ruleId"] == "CC603"]
        change, = fix["artifactChanges"]
        self.assertEqual(change["artifactLocation"]["uri"], "a%20b/requirements.txt")
        replacement, = change["replacements"]
        region = replacement["deletedRegion"]
        pin = "torch==2.5.1+cu125"
        self.assertEqual(pin[:region["startColumn"] - 1] + replacement["insertedContent"]["text"] + pin[region["endColumn"] - 1:],
                         "torch==2.5.1+cu124")

    def test_the_problem_matchers_read_the_lines(self) -> None:
        def generated(what: str) -> dict:
            return json.loads(subprocess.run([PTXGUARD, "generate", what], capture_output=True, text=True, check=True).stdout)
        matchers = generated("problem-matcher")["problemMatcher"]
        task, = generated("vscode-tasks")["tasks"]
        lines = self.report("oneline", COMMANDS["lint"]).splitlines()
        self.assertGreaterEqual(len(lines), 2)
        for line in lines:
            matched = [re.match(one["pattern"][0]["regexp"], line) for one in matchers]
            self.assertEqual(sum(m is not None for m in matched), 1, line)
            match = re.match(task["problemMatcher"]["pattern"]["regexp"], line)
            self.assertEqual((match[1], match[2], match[4], match[6]), (*re.match(r"(.+?):(\d+).*?: (\w+): ", line).groups(), line[line.rindex("[CC") + 1:][:5]))


if __name__ == "__main__":
    unittest.main()
