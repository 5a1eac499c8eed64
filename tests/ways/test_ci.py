# The CI templates: each file against its schema, and its steps run as its service would run them.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
import shutil
import unittest
from pathlib import Path

import yaml  # installed with pre-commit

from ways import PARTS, ROOT, TOOLS, WORK, environment, run, wheel

CI = ROOT / "templates/ci"
BROKEN = "pypi-mixed-13.0.88"
GOOD = "pypi-repaired-13.0.2"


class Ci(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = WORK / "ci" / self._testMethodName
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        # The checkout of a hostile pull request: nothing of it may run.
        for name in ("venv.py", "pip.py", "ensurepip.py", "sitecustomize.py"):
            (self.folder / name).write_text(f"open({str(self.folder / 'taken')!r}, 'w')\n")
        planted = self.folder / ".ptxguard/bin/ptxguard"
        planted.parent.mkdir(parents=True)
        planted.write_text(f"#!/bin/sh\n: >'{self.folder}/taken'\n")
        planted.chmod(0o755)

    def tearDown(self) -> None:
        self.assertFalse((self.folder / "taken").exists())

    def schema(self, name: str, file: Path) -> None:
        run(TOOLS / "bin/check-jsonschema", "--builtin-schema", f"vendor.{name}", file)

    def bash(self, script: str, toolkit: str, code: int = 0, **more: str) -> str:
        environ = environment(CUDA_HOME=str(PARTS / toolkit / "nvidia/cu13"), PTXGUARD_WHEEL=str(wheel()),
                              PTXGUARDWHEEL=str(wheel()), **more)
        return run("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script, cwd=self.folder, env=environ, code=code)

    def test_github(self) -> None:
        self.schema("github-actions", ROOT / "action.yml")
        self.schema("github-workflows", CI / "github.yml")
        for workflow in (ROOT / ".github/workflows").glob("*.yml"):
            self.schema("github-workflows", workflow)
        for form in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"):
            self.schema("github-issue-config" if form.name == "config.yml" else "github-issue-forms", form)
        install, check = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
        args = yaml.safe_load((CI / "github.yml").read_text())["jobs"]["check"]["steps"][2]["with"]["args"]
        path, summary = self.folder / "path", self.folder / "summary.md"
        variables = {"RUNNER_TEMP": str(self.folder), "GITHUB_PATH": str(path), "GITHUB_STEP_SUMMARY": str(summary),
                     "PTXGUARD_PYTHON": "python3", "PTXGUARD_SUMMARY": "true", "PTXGUARD_ARGS": args}
        self.bash(install["run"], GOOD, **variables)
        variables["PATH"] = f"{path.read_text().strip()}:{environment()['PATH']}"
        outputs = self.folder / "outputs"
        variables |= {"GITHUB_OUTPUT": str(outputs), "PTXGUARD_COMMAND": "check", "PTXGUARD_SARIF": str(self.folder / "a.sarif")}
        self.bash(check["run"], GOOD, **variables)
        self.assertEqual(outputs.read_text(),
                         f"verdict=pass\nerrors=0\nwarnings=0\nreport={self.folder}/ptxguard-check.json\n")
        text = self.bash(check["run"], BROKEN, code=1, **variables)
        self.assertRegex(text, r"(?m)^::error file=ptxguard.toml,line=1,title=CC104 toolkit_parts_disagree::.*%0Aalso: CC201 ")
        self.assertIn("### ptxguard check: fail", summary.read_text())
        self.assertTrue(json.loads((self.folder / "a.sarif").read_text())["runs"][0]["results"][0]["locations"])
        # The same action for recipes.
        (self.folder / "requirements.txt").write_text("torch==2.5.1+cu125\n")
        outputs.unlink()
        text = self.bash(check["run"], GOOD, code=1, **{**variables, "PTXGUARD_COMMAND": "lint", "PTXGUARD_ARGS": "requirements.txt"})
        self.assertRegex(text, r"(?m)^::error file=requirements.txt,line=1,col=1,title=CC603 ")
        self.assertIn("verdict=fail\nerrors=1\n", outputs.read_text())
        self.assertIn("neither check nor lint", self.bash(check["run"], GOOD, code=2, **{**variables, "PTXGUARD_COMMAND": "facts"}))
        # An argument is text, whatever a pull request writes into it.
        variables["PTXGUARD_ARGS"] = '--arch "80;$(touch pwned)`touch pwned`"'
        self.bash(check["run"], GOOD, code=2, **variables)
        self.assertFalse((self.folder / "pwned").exists())

    def test_gitlab(self) -> None:
        self.schema("gitlab-ci", CI / "gitlab.yml")
        script = "\n".join(yaml.safe_load((CI / "gitlab.yml").read_text())["ptxguard"]["script"])
        report = self.folder / "gl-code-quality-report.json"
        self.bash(script, GOOD)
        self.bash(script, BROKEN, code=1)
        entries = json.loads(report.read_text())
        self.assertIn("toolkit_parts_disagree", [entry["check_name"] for entry in entries])
        for entry in entries:
            self.assertEqual(set(entry), {"description", "check_name", "fingerprint", "severity", "location"})
        self.bash(script, BROKEN, code=1)
        self.assertEqual(entries, json.loads(report.read_text()))

    def test_azure(self) -> None:
        self.schema("azure-pipelines", CI / "azure.yml")
        install, check = (step["script"] for step in yaml.safe_load((CI / "azure.yml").read_text())["steps"])
        self.bash(install, GOOD, AGENT_TEMPDIRECTORY=str(self.folder))
        self.bash(check, GOOD, AGENT_TEMPDIRECTORY=str(self.folder))
        text = self.bash(check, BROKEN, code=1, AGENT_TEMPDIRECTORY=str(self.folder))
        self.assertIn("##vso[task.uploadsummary]", text)
        self.assertIn("| CC104 |", (self.folder / "ptxguard.md").read_text())

    def test_jenkins(self) -> None:
        script = re.search(r"sh '''(.*?)'''", (CI / "Jenkinsfile").read_text(), re.S).group(1)
        self.bash(script, GOOD)
        self.bash(script, BROKEN, code=1)
        self.assertEqual(json.loads((self.folder / "ptxguard.json").read_text())["verdict"], "fail")

    def test_plain_step(self) -> None:
        step = f"sh {CI}/step.sh --build --arch '80-real;90' --driver 580.65.06 --quiet"
        self.assertIn("verdict: ok", self.bash(step, GOOD))
        self.assertIn("error[CC104]", self.bash(step, BROKEN, code=1))
