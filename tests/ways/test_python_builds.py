# An extension of PyTorch is built from its setup.py and by scikit-build-core with the complete torch, checked before
# the compile, with and without pip's build isolation.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import re
import shutil
import unittest
import zipfile
from pathlib import Path

import support

from ways import DIST, PARTS, ROOT, TOOLS, WORK, environment, run

TEMPLATES = ROOT / "templates"
TORCH_NEEDS = ("filelock", "typing-extensions", "sympy", "networkx", "jinja2", "fsspec")
SETUP = re.search(r"```python\n(.*?)```", (TEMPLATES / "README.md").read_text(), re.S).group(1)


def wheel_of_torch(to: Path) -> None:
    """A wheel with the unpacked torch, by its path: the wheels of torch may have been deleted since."""
    needs = "".join(f"Requires-Dist: {name}\n" for name in TORCH_NEEDS)
    info = "torch_laid-1.0.dist-info"
    files = {"torch_laid.pth": f"{PARTS}/torch-2.11.0-whole\n", f"{info}/METADATA": f"Metadata-Version: 2.1\nName: torch-laid\nVersion: 1.0\n{needs}",
             f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    with zipfile.ZipFile(to / "torch_laid-1.0-py3-none-any.whl", "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
        wheel.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD")))


class PythonBuilds(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.work = WORK / "python-builds"
        shutil.rmtree(cls.work, ignore_errors=True)
        # A toolkit as NVIDIA's installer lays it out: the set has the links by which the linker finds libcudart.so.
        cls.toolkit = support.linked_tree(PARTS / "pypi-cccl-13.0.2/nvidia/cu13", cls.work / "toolkit")
        # An environment with torch that is not active.
        cls.venv = cls.work / "venv"
        run(TOOLS / "bin/python", "-m", "venv", cls.venv)
        run(cls.venv / "bin/python", "-m", "pip", "install", "--no-index", "--find-links", DIST, "ptxguard")
        site = next(cls.venv.glob("lib/python3*/site-packages"))
        tools = next(TOOLS.glob("lib/python3*/site-packages"))  # setuptools and what torch's own code imports
        (site / "torch.pth").write_text(f"{PARTS}/torch-2.11.0-whole\n{tools}\n")
        cls.site = site

    def setUp(self) -> None:
        self.folder = self.work / self._testMethodName
        shutil.copytree(TEMPLATES / "torch-extension/my_extension", self.folder / "my_extension")
        shutil.copy(TEMPLATES / "torch-extension/extension.cu", self.folder)
        (self.folder / "setup.py").write_text(SETUP)

    def install(self, *options: object, toolkit: Path | None = None, code: int = 0) -> str:
        cmake = Path(os.environ["PTXGUARD_CMAKE"]).parent
        return run(self.venv / "bin/python", "-m", "pip", "install", "-v", "--no-deps", "--target", self.folder / "out", *options,
                   self.folder, code=code, timeout=600, env=environment(PATH=f"{cmake}:/usr/bin:/bin", CUDA_HOME=str(toolkit or self.toolkit),
                                                           TORCH_CUDA_ARCH_LIST="8.0", COLUMNS="1000"))

    def test_without_isolation(self) -> None:
        text = self.install("--no-build-isolation")
        self.assertRegex(text, r"verdict: ok[\s\S]*running build_ext")
        program = "import torch, my_extension; print(my_extension.twice)"
        text = run(self.venv / "bin/python", "-W", "ignore", "-c", program, env=environment(PYTHONPATH=str(self.folder / "out")))
        self.assertIn("my_extension.twice", text)
        run(self.venv / "bin/ptxguard", "inspect", next(self.folder.glob("out/my_extension/*.so")), "--gpu", "8.0")

    def test_wrong_toolkit(self) -> None:
        mixed = PARTS / "pypi-mixed-13.0.88/nvidia/cu13"
        text = self.install("--no-build-isolation", toolkit=mixed, code=1)
        self.assertIn("error[CC104]", text)
        self.assertNotIn("running", text)

    def isolated(self, requires: list[str]) -> list[object]:
        (self.folder / "pyproject.toml").write_text(f'[build-system]\nrequires = {requires}\nbuild-backend = "setuptools.build_meta"\n')
        wheels = self.work / "wheels"
        if not wheels.exists():
            run(TOOLS / "bin/pip", "download", "--quiet", "--only-binary", ":all:", "--dest", wheels, "setuptools<82", "wheel", *TORCH_NEEDS)
            wheel_of_torch(wheels)
        return ["--no-index", "--find-links", wheels, "--find-links", DIST]

    def test_isolated(self) -> None:
        text = self.install(*self.isolated(["setuptools", "torch-laid", "ptxguard"]))
        self.assertRegex(text, r"verdict: ok[\s\S]*running build_ext")

    def test_isolated_without_torch(self) -> None:
        text = self.install(*self.isolated(["setuptools", "ptxguard"]), code=1)
        self.assertRegex(text, r"CC\d+\]: [^\n]*PyTorch")
        self.assertNotIn("No module named 'torch'", text)
