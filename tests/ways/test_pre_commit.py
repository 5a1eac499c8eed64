# The hooks with the real pre-commit and prek, in a real repository, installed from the wheel.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

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
        self.assertEqual(text.count("Passed"), 2, text)

        (self.project / "bad.ptx").write_text(PTX)  # PTX 9.0 on a driver of CUDA 12.4
        run(*GIT, "add", "bad.ptx", cwd=self.project)
        text = run(TOOLS / "bin" / tool, "run", cwd=self.project, env=environ, code=1)
        self.assertIn("error[CC202]", text)
        self.assertIn("bad.ptx", text)
        run(*GIT, "rm", "-q", "-f", "bad.ptx", cwd=self.project)

        mixed = {**environ, "CUDA_HOME": str(PARTS / "pypi-mixed-13.0.88/nvidia/cu13")}
        text = run(TOOLS / "bin" / tool, "run", "ptxguard-check", "--all-files", cwd=self.project, env=mixed, code=1)
        self.assertIn("error[CC104]", text)

    def test_pre_commit(self) -> None:
        self.hooks("pre-commit")

    def test_prek(self) -> None:
        self.hooks("prek")
