# The wheel: its contents, where it starts, and the first verdict from a clean environment.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import unittest
import zipfile

from ways import DIST, PARTS, ROOT, TOOLS, WORK, environment, run, wheel


class Wheel(unittest.TestCase):
    def test_contents(self) -> None:
        with zipfile.ZipFile(wheel()) as archive:
            names = archive.namelist()
            program = next(n for n in names if n.endswith("/scripts/ptxguard"))
            sbom = json.loads(archive.read(next(n for n in names if n.endswith(".dist-info/sboms/ptxguard.cdx.json"))))
            size = archive.getinfo(program).file_size
        self.assertTrue(any(n.endswith("/data/share/cmake/CudaConsistent/FindCudaConsistent.cmake") for n in names))
        for file in ("man/man1/ptxguard.1", "bash-completion/completions/ptxguard", "ptxguard/report-1.schema.json"):
            self.assertTrue(any(n.endswith("/data/share/" + file) for n in names), file)
        self.assertTrue({"LICENSE", "LICENSE-THIRD-PARTY.md"} <= {n.rsplit("/", 1)[1] for n in names if "/licenses/" in n})
        self.assertEqual([n for n in names if n.endswith(".py")], [])
        licences = (ROOT / "LICENSE-THIRD-PARTY.md").read_text()
        for component in sbom["components"]:
            self.assertRegex(component["version"], r"^\d+\.\d+", component)
            name = {"tomlplusplus": "toml++", "lz4": "LZ4"}.get(component["name"], component["name"])
            self.assertIn(name, licences)
        if os.environ.get("PTXGUARD_CONFIG") == "Release":
            self.assertLessEqual(size, 9_700_000)  # 9.3 MB

    def test_checked_by_the_tools(self) -> None:
        self.assertIn("manylinux_2_17_x86_64", wheel().name)
        self.assertIn("PASSED", run(TOOLS / "bin/twine", "check", "--strict", wheel()))

    def test_oldest_and_newest_python(self) -> None:
        found = json.loads(subprocess.run([TOOLS / "bin/uv", "python", "list", "--only-installed", "--output-format", "json"],
                                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                                          cwd=WORK).stdout)
        pythons = sorted({tuple(map(int, p["version"].split(".")[:2])): p["path"] for p in found
                          if re.fullmatch(r"[\d.]+", p["version"]) and p["implementation"] == "cpython"}.items())
        pythons = [(v, p) for v, p in pythons if subprocess.run([p, "-c", "import ensurepip"], stderr=subprocess.DEVNULL).returncode == 0]
        self.assertTrue(pythons)
        for version, python in {pythons[0], pythons[-1]}:
            venv = WORK / "venv-{}.{}".format(*version)
            run(python, "-m", "venv", "--clear", venv)
            run(venv / "bin/python", "-m", "pip", "install", "--no-index", "--find-links", DIST, "ptxguard")
            run(venv / "bin/python", "-m", "pip", "check")
            self.assertEqual(run(venv / "bin/ptxguard", "--cmake-dir").strip(), str(venv / "share/cmake/CudaConsistent"))
            # The module in the wheel uses the program in the wheel.
            text = run(os.environ["PTXGUARD_CMAKE"], f"-DCMAKE_MODULE_PATH={venv}/share/cmake/CudaConsistent", "-P",
                       ROOT / "tests/ways/find.cmake", cwd=venv)
            self.assertIn(f"{venv}/bin/ptxguard", text)

    def test_first_verdict(self) -> None:
        environ = environment(CUDA_HOME=str(PARTS / "pypi-mixed-13.0.88/nvidia/cu13"), UV_CACHE_DIR=str(WORK / "uv"))
        text = run(TOOLS / "bin/uvx", "--no-index", "--find-links", DIST, "ptxguard", "check", "--isolated", "--quiet", code=1,
                   env=environ)
        self.assertIn("error[CC104]", text)

    def test_cmake_installs_the_wheel_that_the_project_names(self) -> None:
        modules = WORK / "modules/cmake/Modules"
        shutil.copytree(ROOT / "cmake/Modules", modules, dirs_exist_ok=True)
        environ = environment(PATH="/usr/bin:/bin", XDG_CACHE_HOME=str(WORK / "cmake-cache"))
        hash = hashlib.sha256(wheel().read_bytes()).hexdigest()

        def find(hash: str) -> str:
            return run(os.environ["PTXGUARD_CMAKE"], f"-DCMAKE_MODULE_PATH={modules}", "-DCudaConsistent_PROVIDE=pip",
                       f"-DCudaConsistent_WHEELS={DIST}", f"-DCudaConsistent_WHEEL_HASH={hash}",
                       f"-DPython_EXECUTABLE={sys.executable}",
                       "-P", ROOT / "tests/ways/find.cmake", env=environ, cwd=WORK)

        self.assertIn("DO NOT MATCH THE HASHES", find("0" * 64))
        self.assertIn("Installing the wheel of ptxguard", find(hash))
        again = find(hash)
        self.assertIn("/bin/ptxguard", again)
        self.assertNotIn("Installing", again)

    def test_older_glibc(self) -> None:
        with zipfile.ZipFile(wheel()) as archive:
            program = archive.extract(next(n for n in archive.namelist() if n.endswith("/scripts/ptxguard")), WORK / "unpacked")
        versions = {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([\d.]+)", run("objdump", "-T", program))}
        self.assertLessEqual(max(versions), (2, 17))
        folder = PARTS / "glibc-2.31/lib/x86_64-linux-gnu"
        text = run(folder / "ld-linux-x86-64.so.2", "--library-path", folder, program, "inspect", "/bin/true")
        self.assertIn("ELF x86_64", text)

    def test_no_network(self) -> None:
        """The program imports no function that could open a connection."""
        with zipfile.ZipFile(wheel()) as archive:
            program = archive.extract(next(n for n in archive.namelist() if n.endswith("/scripts/ptxguard")), WORK / "unpacked")
        imported = set(re.findall(r"\*UND\*\s.*?([A-Za-z_]\w*)$", run("objdump", "-T", program), re.MULTILINE))
        self.assertIn("open", {name.removesuffix("64") for name in imported})  # the expression finds functions
        self.assertEqual(imported & {"socket", "connect", "sendto", "getaddrinfo", "gethostbyname"}, set())

    def test_source_distribution(self) -> None:
        # In a copy: scikit-build-core follows links, and wine's prefix in build/ has one to /.
        tree = WORK / "checkout"
        shutil.copytree(ROOT, tree, symlinks=True, ignore=shutil.ignore_patterns("build", ".git", "__pycache__"))
        run(TOOLS / "bin/python", "-c", "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])",
            WORK / "sdist", cwd=tree)
        archive = next((WORK / "sdist").glob("*.tar.gz"))
        run(TOOLS / "bin/twine", "check", "--strict", archive)
        with tarfile.open(archive) as members:
            names = {n.split("/", 1)[1] for n in members.getnames() if "/" in n}
        needed = {str(p.relative_to(ROOT)) for p in (ROOT / "tools/ptxguard").rglob("*") if p.is_file()}
        self.assertEqual(needed - names, set())
        self.assertEqual({n.split("/")[0] for n in names},
                         {"CHANGELOG.md", "CMakeLists.txt", "LICENSE", "LICENSE-THIRD-PARTY.md", "PKG-INFO", "README.md",
                          "cmake", "docs", "pyproject.toml", "tools"})  # docs: the pages of error texts, which are in the program
