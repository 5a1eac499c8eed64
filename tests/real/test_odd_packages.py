# Packages as installations leave them: incomplete, twice, of another system, thousands of them, and in unusual places.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import unittest
from pathlib import Path

from support import PTXGUARD, Answer, CheckCase, part, toolkit

sys.path.insert(0, str(Path(__file__).resolve().parent))
from partslib import pip  # noqa: E402

TORCH = "__version__ = '2.5.1+cu124'\ncuda = '12.4'\nhip = None\n"
METADATA = "Metadata-Version: 2.1\nName: {}\nVersion: {}\n"


class Packages(CheckCase):
    """With a toolkit of CUDA 13: a package read as CUDA 12 gives CC601."""

    def site(self, name: str = "site-packages") -> Path:
        site = self.folder / name
        site.mkdir(parents=True, exist_ok=True)
        return site

    def record(self, site: Path, name: str, version: str, **files: str) -> Path:
        folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
        folder.mkdir(exist_ok=True)
        (folder / "METADATA").write_text(METADATA.format(name, version))
        for file, text in files.items():
            (folder / file).write_text(text)
        return folder

    def torch(self, site: Path, text: str = TORCH) -> None:
        (site / "torch").mkdir(exist_ok=True)
        (site / "torch/__init__.py").touch()
        (site / "torch/version.py").write_text(text)

    def judge(self, site: Path, *more: str) -> Answer:
        return self.check("--toolkit", toolkit("pypi-repaired-13.0.2"), "--probe", "off", "--arch", "80", "--python", str(site), *more)

    def assert_untold(self, answer: Answer, *texts: str) -> None:
        """Reported as unknown, and ignored."""
        self.assertEqual(answer.report["verdict"], "pass", answer.text())
        self.assert_finding(answer, "CC002", "unknown", *texts)
        self.assertEqual([f for f in answer.findings if f["code"].startswith(("CC6", "CC3", "CC4"))], [], answer.text())

    def test_a_wheel_for_windows_in_a_linux_tree_and_the_reverse(self) -> None:
        site = self.site()
        self.torch(site)
        self.record(site, "torch", "2.5.1", WHEEL="Tag: cp311-cp311-win_amd64\n")
        self.assert_untold(self.judge(site), "is a package for Windows, this system is Linux")
        tree = self.site("image/C/Python/Lib/site-packages")
        self.torch(tree)
        self.record(tree, "torch", "2.5.1", WHEEL="Tag: cp311-cp311-manylinux1_x86_64\n")
        answer = self.check("--root", str(self.folder / "image"), "--os", "windows", "--python", "C:\\Python\\Lib\\site-packages")
        self.assert_finding(answer, "CC002", "unknown", "is a package for Linux, this system is Windows")

    def test_half_removed_packages(self) -> None:
        site = self.site()
        folder = self.record(site, "torch", "2.5.1", RECORD="torch/__init__.py,sha256=x,1\ntorch/version.py,sha256=x,1\n")
        self.assert_untold(self.judge(site), "half removed: the record of torch 2.5.1 is there")
        named = self.judge(site, "--framework", "torch")
        self.assertEqual(named.report["verdict"], "unknown", named.text())
        (folder / "RECORD").unlink()
        self.assertEqual(self.judge(site).report["expectations"], [])
        # Half removed the other way round: the importable one counts.
        self.torch(site)
        self.assert_finding(self.judge(site), "CC601", "error", "12.4", "13.0")
        (site / "torch/version.py").unlink()
        self.assert_untold(self.judge(site), "does not exist")

    def test_what_an_interrupted_pip_leaves(self) -> None:
        site = self.site()
        (site / "~orch").mkdir()
        (site / "~orch/version.py").write_text(TORCH)
        self.record(site, "~orch", "2.5.1")
        self.assertEqual(self.judge(site).report["expectations"], [])

    def test_two_versions_of_one_package(self) -> None:
        site = self.site()
        self.torch(site)
        self.record(site, "torch", "2.0.0")
        self.record(site, "torch", "2.5.1")
        self.assert_finding(self.judge(site), "CC601", "error", "2.5.1+cu124")

    def test_packages_over_one_another(self) -> None:
        site = self.site()
        (site / "cupy/.data").mkdir(parents=True)
        (site / "cupy/__init__.py").touch()
        (site / "cupy/_version.py").write_text("__version__ = '13.6.0'\n")
        (site / "cupy/.data/_wheel.json").write_text('{"cuda": "12.x", "packaging": "pip"}')
        self.record(site, "cupy-cuda12x", "13.6.0")
        self.assertEqual(self.judge(site).report["expectations"][0]["cuda"]["value"], "12")
        self.record(site, "cupy-cuda11x", "12.3.0")
        answer = self.judge(site)
        self.assert_finding(answer, "CC612", "warning", "cupy-cuda11x 12.3.0 is installed over the same files as cupy-cuda12x 13.6.0")
        self.assertIn("cupy-cuda11x 12.3.0, cupy-cuda12x 13.6.0", answer.text())
        self.assertNotIn("cuda", answer.report["expectations"][0])

    def test_a_record_without_a_version_and_a_version_file_that_runs_code(self) -> None:
        site = self.site()
        self.torch(site)
        folder = self.record(site, "torch", "2.5.1")
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\n")
        self.assert_finding(self.judge(site), "CC601", "error", "2.5.1+cu124")
        trap = self.folder / "ran"
        self.torch(site, f"import pathlib\npathlib.Path({str(trap)!r}).touch()\n__version__ = str(2.5)\ncuda = '12' + '.4'\n")
        self.assert_untold(self.judge(site), "a value that is not a version")
        self.assertFalse(trap.exists())

    def test_a_linked_site_packages_folder(self) -> None:
        site = self.site("real")
        self.torch(site)
        link = self.folder / "site-packages"
        link.symlink_to(site)
        self.assert_finding(self.judge(link), "CC601", "error", "12.4")

    def test_ten_thousand_packages(self) -> None:
        site = self.site()
        self.torch(site)
        for number in range(10000):
            self.record(site, f"package{number}", "1.0")
        began = time.monotonic()
        self.assert_finding(self.judge(site), "CC601", "error", "12.4")
        self.assertLess(time.monotonic() - began, 10)


class IsolatedBuild(CheckCase):
    """pip builds a project in its own environment, without the user's packages."""

    BACKEND = """import json, os, subprocess, pathlib
def run():
    command = json.loads(os.environ["GUARD"])
    pathlib.Path(os.environ["ANSWER"]).write_text(subprocess.run(command, capture_output=True, text=True).stdout)
def get_requires_for_build_wheel(settings=None):
    return []
def build_wheel(folder, settings=None, metadata=None):
    run()
    raise SystemExit("that is all")
"""

    def test_torch_of_the_environment_does_not_count(self) -> None:
        project, answer = self.folder / "project", self.folder / "answer.json"
        project.mkdir()
        (project / "backend.py").write_text(self.BACKEND)
        (project / "pyproject.toml").write_text(
            '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n[project]\nname = "p"\nversion = "1"\n')
        venv = self.folder / "venv"
        site = venv / "lib/python3.11/site-packages/torch"
        site.mkdir(parents=True)
        (venv / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11.2\n")
        (site / "__init__.py").touch()
        (site / "version.py").write_text(TORCH)
        guard = [PTXGUARD, "check", "--isolated", "--format", "json", "--probe", "off", "--fail-on", "never"]
        env = self.env(VIRTUAL_ENV=str(venv), GUARD=json.dumps(guard), ANSWER=str(answer))
        outside = subprocess.run(guard, env=env, capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(outside.stdout)["expectations"][0]["cuda"]["value"], "12.4")
        command = [pip.pip_python(), "-m", "pip", "wheel", "--no-index", "--no-deps", "--wheel-dir", str(self.folder), str(project)]
        done = subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, check=False, timeout=300)
        self.assertTrue(answer.exists(), done.stdout + done.stderr)
        self.assertEqual(json.loads(answer.read_text())["expectations"], [])


class DebianPackages(CheckCase):
    def test_debians_torch(self) -> None:
        tree = self.folder / "image"
        subprocess.run(["cp", "-a", "--reflink=auto", "--sparse=always", str(part("debian-torch")), str(tree)], check=True)
        (tree / "var/lib/dpkg").mkdir(parents=True)
        (tree / "usr/bin/python3").parent.mkdir(parents=True, exist_ok=True)
        (tree / "usr/bin/python3").write_bytes(b"\x7fELF")
        (tree / "usr/bin/python3").chmod(0o755)
        (tree / "usr/lib/python3.11").mkdir(parents=True)
        found = json.loads((tree / "parts.json").read_text())
        version = next(s["version"] for s in found["sources"] if s.get("package") == "python3-torch")
        (tree / "var/lib/dpkg/status").write_text(f"Package: python3-torch\nStatus: install ok installed\nVersion: {version}\n")
        answer = self.check("--root", str(tree), "--env", "PATH=/usr/bin", "--probe", "off", "--framework", "torch")
        torch = answer.report["expectations"][0]
        self.assertEqual((torch["framework"], torch["how"], torch["cpu_only"]["value"]), ("PyTorch", "system", True))
        self.assertTrue(version.startswith(torch["version"]["value"]), torch["version"])
        self.assertEqual(torch["cxx_abi"]["value"], 1)


if __name__ == "__main__":
    unittest.main()
