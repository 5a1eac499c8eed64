# Every snippet of the CMake module's documentation is run: the code blocks in the heads of cmake/Modules, and the CMake
# and preset blocks of README.md and docs/. Each must configure, and the check must pass.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from support import PTXGUARD, CheckCase, part, toolkit

ROOT = Path(__file__).resolve().parents[2]
CMAKE = os.environ.get("PTXGUARD_CMAKE", "cmake")
FENCED = re.compile(r"^```(cmake|json|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)
DIRECTIVE = re.compile(r"^\.\. code-block:: (\w+)\n\n((?:  .*\n|\n)+)", re.MULTILINE)
# CPM.cmake is on GitHub only. It matters here that it adds the folder from inside a function.
CPM = """function(CPMAddPackage)
  cmake_parse_arguments(CPM "" "NAME;SOURCE_DIR" "" ${ARGN})
  add_subdirectory("${CPM_SOURCE_DIR}" "${CMAKE_BINARY_DIR}/cpm/${CPM_NAME}")
endfunction()
"""


def snippets() -> list:
    found = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for kind, text in FENCED.findall(page.read_text(encoding="utf-8")):
            about_cmake = {"json": "cacheVariables", "bash": "cmake -S", "cmake": ""}[kind]
            if about_cmake in text:
                found.append((page, kind, text))
    for page in sorted((ROOT / "cmake/Modules").rglob("*.cmake")):
        for kind, text in DIRECTIVE.findall(page.read_text(encoding="utf-8")):
            if "<target>" not in text:  # a signature
                found.append((page, kind, re.sub(r"^  ", "", text, flags=re.MULTILINE)))
    return found


def lists(snippet: str) -> str:
    """A complete CMakeLists.txt around a snippet that shows a part of it."""
    lines = ["cmake_minimum_required(VERSION 3.24)"]
    if "project(" not in snippet:
        snippet = "project(my_project LANGUAGES CXX)\n" + snippet
    if "find_package" not in snippet:
        snippet = re.sub(r"^(project\(.*)$", r"\1\nfind_package(CudaConsistent REQUIRED)", snippet, flags=re.MULTILINE)
    if not re.search(r"CMAKE_MODULE_PATH|CMAKE_PREFIX_PATH|FetchContent|add_subdirectory|CPM", snippet):
        lines.append(f'list(APPEND CMAKE_MODULE_PATH "{ROOT}/cmake/Modules")')
    for target in sorted(set(re.findall(r"^cuda_consistent_check_target\((\w+)", snippet, re.MULTILINE))):
        if "enable_language(CUDA)" not in snippet:
            snippet = re.sub(r"^(find_package.*)$", r"\1\nenable_language(CUDA)", snippet, count=1, flags=re.MULTILINE)
        snippet = snippet.replace("enable_language(CUDA)", f"enable_language(CUDA)\nadd_library({target} SHARED k.cu)", 1)
    return "\n".join([*lines, snippet])


class Snippets(CheckCase):
    def setUp(self) -> None:
        super().setUp()
        self.kit = toolkit("pypi-repaired-13.0.2")
        self.torch = part("torch-2.11.0-set")
        self.prefix = self.folder / "prefix"

    def project(self, text: str) -> Path:
        folder = self.folder / f"project{len(list(self.folder.iterdir()))}"
        folder.mkdir()
        (folder / "CMakeLists.txt").write_text(text)
        (folder / "CPM.cmake").write_text(CPM)
        (folder / "k.cu").write_text("__global__ void k(float* x) { *x = 1; }\n")
        return folder

    def configure(self, folder: Path, *arguments: str) -> str:
        env = self.env(CUDACXX=f"{self.kit}/bin/nvcc", LIBRARY_PATH=f"{self.kit}/lib", COLUMNS="10000", CMAKE_GENERATOR="Ninja",
                       PATH=f"{Path(PTXGUARD).parent}:/usr/bin:/bin")
        more = [f"-DCudaConsistent_PYTHON={self.torch}"]
        if not any("CMAKE_CUDA_ARCHITECTURES" in text.read_text() for text in folder.glob("CMake*")):
            more.append("-DCMAKE_CUDA_ARCHITECTURES=80-real;90")
        done = subprocess.run([CMAKE, *arguments, *more], cwd=folder, env=env, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Checking CUDA toolchain - ok", done.stdout)
        return done.stdout

    def run_cmake(self, snippet: str) -> None:
        if "CMAKE_PREFIX_PATH" in snippet and not self.prefix.exists():
            subprocess.run([CMAKE, "--install", str(Path(PTXGUARD).parents[1]), "--prefix", str(self.prefix)], check=True, capture_output=True)
        if "CMAKE_SYSTEM_NAME" not in snippet:
            self.configure(self.project(lists(snippet)), "-S", ".", "-B", "build")
        elif shutil.which("aarch64-linux-gnu-g++"):  # a toolchain file
            self.run_toolchain(snippet)

    def run_toolchain(self, snippet: str) -> None:
        """The wheel's toolkit has headers for every machine in one folder; a cross toolkit has them in targets."""
        kit = self.folder / "cross-kit"
        shutil.copytree(self.kit, kit, symlinks=True)
        (kit / "targets/sbsa-linux").mkdir(parents=True)
        (kit / "targets/sbsa-linux/include").symlink_to(kit / "include")
        folder = self.project(lists("find_package(CudaConsistent REQUIRED)\n"))
        (folder / "toolchain.cmake").write_text(snippet)
        text = self.configure(folder, "-S", ".", "-B", "build", "-DCMAKE_TOOLCHAIN_FILE=toolchain.cmake", f"-DCMAKE_CUDA_COMPILER={kit}/bin/nvcc")
        self.assertIn("nvcc 13.0", text)

    def run_json(self, snippet: str) -> None:
        if "configurePresets" not in snippet:  # one member of a preset
            snippet = ('{"version": 3, "configurePresets": [{"name": "cluster", "binaryDir": "${sourceDir}/build", "generator": "Ninja",\n'
                       + snippet + "}]}")
        drivers = re.search(r'"CudaConsistent_DRIVER": "([0-9]+)', snippet)
        folder = self.project(lists("find_package(CudaConsistent REQUIRED)\n"))
        if drivers and int(drivers[1]) < 580:  # the page shows what that driver refuses
            snippet = snippet.replace(drivers[0], '"CudaConsistent_DRIVER": "580')
        (folder / "CMakePresets.json").write_text(snippet)
        self.configure(folder, "--preset", "cluster")

    def run_sh(self, snippet: str) -> None:
        if "ccache" in snippet and not shutil.which("ccache") or "pip wheel" in snippet:  # ways.Provide builds wheels
            return
        edited = "" if "INCLUDE_BEFORE" in snippet else "find_package(CudaConsistent REQUIRED)\n"
        folder = self.project(lists(edited) if edited else "cmake_minimum_required(VERSION 3.24)\nproject(unedited LANGUAGES CXX CUDA)\n")
        for command in snippet.strip().replace('"$(ptxguard --cmake-dir)', f'"{ROOT}/cmake/Modules').replace('"', "").splitlines():
            if command.startswith("cmake --build "):
                subprocess.run([CMAKE, *command.split()[1:]], cwd=folder, check=True, capture_output=True, timeout=300)
                continue
            self.assertTrue(command.startswith("cmake "), command)
            self.configure(folder, *command.split()[1:])

    run_bash = run_sh

    def test_each(self) -> None:
        found = snippets()
        self.assertGreater(len(found), 12)
        for page, kind, text in found:
            with self.subTest(page=str(page.relative_to(ROOT)), snippet=text):
                text = text.replace("path/to/prefix", str(self.prefix)).replace("path/to/CudaConsistent", str(ROOT))
                getattr(self, f"run_{kind}")(text)


if __name__ == "__main__":
    unittest.main()
