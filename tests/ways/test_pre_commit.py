# The hooks with the real pre-commit and prek, in a real repository, installed from the wheel.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import re
import shutil
import unittest
from pathlib import Path

from ways import DIST, PARTS, ROOT, TOOLS, WORK, environment, run

GIT = ("git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main")
PTX = ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry empty() { ret; }\n"


def repository(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(*GIT, "init", "-q", cwd=folder)
    return folder


def commit(folder: Path) -> None:
    run(*GIT, "add", "-A", cwd=folder)
    run(*GIT, "commit", "-q", "-m", "all", cwd=folder)


class PreCommit(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        mirror = repository(WORK / "mirror")
        shutil.copy(ROOT / ".pre-commit-hooks.yaml", mirror)
        shutil.copy(ROOT / "templates/pre-commit-mirror/pyproject.toml", mirror)
        commit(mirror)
        run(*GIT, "tag", "v0.1.0", cwd=mirror)
        cls.project = repository(WORK / "project")
        config = (ROOT / "templates/pre-commit-config.yaml").read_text()
        (cls.project / ".pre-commit-config.yaml").write_text(config.replace("https://example.com/ptxguard-pre-commit", str(mirror)))
        (cls.project / "CMakeLists.txt").write_text("project(x)\n")
        (cls.project / "good.ptx").write_text(PTX.replace("9.0", "8.0"))
        (cls.project / "notes.md").write_text("no binary\n")
        commit(cls.project)

    def test_configuration(self) -> None:
        run(TOOLS / "bin/pre-commit", "validate-manifest", ROOT / ".pre-commit-hooks.yaml")
        run(TOOLS / "bin/pre-commit", "validate-config", ROOT / "templates/pre-commit-config.yaml")

    def hooks(self, tool: str) -> None:
        home = WORK / f"home-{tool}"
        shutil.rmtree(home, ignore_errors=True)
        toolkit = PARTS / "pypi-repaired-13.0.2/nvidia/cu13"
        environ = environment(PRE_COMMIT_HOME=str(home), PREK_HOME=str(home), PIP_FIND_LINKS=str(DIST),
                              UV_FIND_LINKS=str(DIST), CUDA_HOME=str(toolkit))
        text = run(TOOLS / "bin" / tool, "run", "--all-files", "--verbose", cwd=self.project, env=environ)
        self.assertEqual(text.count("Passed"), 3, text)
        # A pass that checked nothing says so without --verbose.
        self.assertIn("verdict: ", run(TOOLS / "bin" / tool, "run", "--all-files", "ptxguard-check", cwd=self.project, env=environ))

        (self.project / "bad.ptx").write_text(PTX)  # PTX 9.0 on a driver of CUDA 12.4
        run(*GIT, "add", "bad.ptx", cwd=self.project)
        text = run(TOOLS / "bin" / tool, "run", cwd=self.project, env=environ, code=1)
        self.assertIn("error[CC202]", text)
        self.assertIn("bad.ptx", text)
        run(*GIT, "rm", "-q", "-f", "bad.ptx", cwd=self.project)

        mixed = {**environ, "CUDA_HOME": str(PARTS / "pypi-mixed-13.0.88/nvidia/cu13")}
        text = run(TOOLS / "bin" / tool, "run", "ptxguard-check", "--all-files", cwd=self.project, env=mixed, code=1)
        self.assertIn("error[CC104]", text)

    def lint(self, tool: str) -> None:
        """A pin that was never released: found at its place, and rewritten by the other hook."""
        home = WORK / f"home-{tool}"
        environ = environment(PRE_COMMIT_HOME=str(home), PREK_HOME=str(home), PIP_FIND_LINKS=str(DIST), UV_FIND_LINKS=str(DIST))
        config = self.project / ".pre-commit-config.yaml"
        before = config.read_text()
        config.write_text(before.replace("id: ptxguard-lint\n", "id: ptxguard-lint\n      - id: ptxguard-lint-fix\n"))
        requirements = self.project / "requirements.txt"
        pin = "# kept\ntorch==2.5.1+cu125  # why\n"
        requirements.write_text(pin)
        run(*GIT, "add", "-A", cwd=self.project)
        text = run(TOOLS / "bin" / tool, "run", "ptxguard-lint", cwd=self.project, env=environ, code=1)
        self.assertRegex(text, r"(?m)^ *requirements.txt:2:1: error: .* \[CC603\] \[\*\]$")
        self.assertEqual(len(re.findall(r"\[CC\d{3}\]", text)), 1)
        self.assertRegex(text, r"requirements\.txt:2:1")
        self.assertEqual(requirements.read_text(), pin)
        run(TOOLS / "bin" / tool, "run", "ptxguard-lint-fix", cwd=self.project, env=environ, code=1)
        self.assertRegex(requirements.read_text(), r"^# kept\ntorch==2\.5\.1\+cu124  # why\n$")
        run(*GIT, "add", "-A", cwd=self.project)
        run(TOOLS / "bin" / tool, "run", "ptxguard-lint-fix", cwd=self.project, env=environ)
        config.write_text(before)
        run(*GIT, "rm", "-q", "-f", "requirements.txt", cwd=self.project)
        run(*GIT, "add", "-A", cwd=self.project)  # prek refuses a configuration that is not staged

    def test_own_hook(self) -> None:
        """This project passes its own hook, and the hook sees the files it is given."""
        own = repository(WORK / "own")
        for name in (".ci", ".github", ".pre-commit-config.yaml", "cmake", "examples", "templates", "tools", "CMakeLists.txt",
                     "CMakePresets.json", "pyproject.toml"):
            (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, own / name)
        program = own / "build/release/bin/ptxguard"
        program.parent.mkdir(parents=True)
        program.symlink_to(os.environ["PTXGUARD"])
        (own / ".gitignore").write_text("build\n")
        commit(own)
        environ = environment(PRE_COMMIT_HOME=str(WORK / "home-own"), PREK_HOME=str(WORK / "home-own"))
        for tool in ("pre-commit", "prek"):
            self.assertIn("Passed", run(TOOLS / "bin" / tool, "run", "--all-files", cwd=own, env=environ))
        (own / "templates/requirements.txt").write_text("torch==2.5.1+cu125\n")
        run(*GIT, "add", "-A", cwd=own)
        for tool in ("pre-commit", "prek"):
            text = run(TOOLS / "bin" / tool, "run", cwd=own, env=environ, code=1)
            self.assertRegex(text, r"templates/requirements.txt:1:1: error: .* \[CC603\]")

    def test_pre_commit(self) -> None:
        self.hooks("pre-commit")
        self.lint("pre-commit")

    def test_prek(self) -> None:
        self.hooks("prek")
        self.lint("prek")
