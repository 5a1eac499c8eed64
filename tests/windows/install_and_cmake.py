#!/usr/bin/env python3
# As a user of Windows starts: CPython's pip installs the wheel, ptxguard.exe runs from Scripts, and cmake.exe finds the module that
# the wheel brings. All programs are real, under wine; the compiler is this system's mingw, called through a small program.
#
#   install_and_cmake.py --exe build/mingw/bin/ptxguard.exe --native build/release/bin/ptxguard --work DIR
#
# Exit code 0: all hold; 1: some do not; 77: something needed is not installed.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import importlib.util
import shutil
import sys
from pathlib import Path
from typing import Callable

from world import Missing, World, add_options, clean, compilers, cuda, fetch_wheels, prepare

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/dev"))
import wheels  # noqa: E402

TOOLS = [("cmake", "4.1.2"), ("ninja", "1.13.0")]
PYTHON = r"C:\Python38\python.exe"
SCRIPTS = r"C:\Python38\Scripts"
CMAKE = r"C:\Python38\Lib\site-packages\cmake\data\bin\cmake.exe"
RIGHT, WRONG = r"C:\CUDA\v11.0\bin", r"C:\CUDA\v11.0\bni"


def install(world: World, downloads: Path) -> str:
    """What pip says."""
    for package in ("scikit_build_core", "wheel"):
        if not importlib.util.find_spec(package):
            raise Missing(f"{package} is not installed for {sys.executable} (tools/dev/wheels.txt)")
    wheels.NATIVE = world.native
    windows = next(one for one in wheels.PLATFORMS if one.tag == "win_amd64")
    files = [wheels.pack(windows, world.exe, world.work / "dist"), *fetch_wheels(downloads, TOOLS)]
    target = world.c / "wheels"
    target.mkdir(exist_ok=True)
    for file in files:
        shutil.copy(file, target)
    names = [rf"C:\wheels\{file.name}" for file in files]
    return world.run([PYTHON, "-m", "pip", "install", "--no-index", "--force-reinstall", *names], {"PATH": SCRIPTS}, 900).stdout


def configure(world: World, find: str, env: dict[str, str]) -> str:
    project = world.c / "project"
    shutil.rmtree(project, ignore_errors=True)
    project.mkdir()
    module = world.run([SCRIPTS + r"\ptxguard.exe", "--cmake-dir"], env).stdout.strip()
    (project / "CMakeLists.txt").write_text(f'cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES NONE)\n{find}\nmessage(STATUS "went on")\n')
    return world.run([CMAKE, "-S", r"C:\project", "-B", r"C:\project\b", "-G", "Ninja", rf"-DCMAKE_MAKE_PROGRAM={SCRIPTS}\ninja.exe",
                      f"-DCMAKE_MODULE_PATH={module}"], env).stdout


def with_toolkit(world: World) -> str:
    shutil.copytree(world.toolkit, world.c / "CUDA/v13.0", dirs_exist_ok=True)
    said = configure(world, "find_package(CudaConsistent REQUIRED)", {"PATH": SCRIPTS, "CUDA_PATH": r"C:\CUDA\v13.0"})
    return "" if "went on" in said and (world.c / "project/b/CudaConsistent/report.json").exists() else said


TENSORFLOW = ('set(CudaConsistent_PYTHON "C:/Python38/python.exe")\nset(CudaConsistent_GPUS "RTX 3090")\n'
              'set(CudaConsistent_DRIVER 471.41)\nfind_package(CudaConsistent REQUIRED COMPONENTS TensorFlow)')


def with_framework(world: World) -> str:
    cuda(world)
    flags = {"XLA_FLAGS": "--xla_gpu_cuda_data_dir=C:/CUDA/v11.0"}
    said = configure(world, TENSORFLOW, {"PATH": SCRIPTS + ";" + RIGHT, **flags})
    if "went on" not in said:
        return said
    said = configure(world, TENSORFLOW, {"PATH": SCRIPTS + ";" + WRONG, **flags})
    return "" if "went on" not in said and "C:/CUDA/v11.0/bin" in said else said


LINKED = """cmake_minimum_required(VERSION 3.20)
project(p LANGUAGES CXX)
find_package(CudaConsistent REQUIRED)
add_executable(app app.cpp)
target_link_libraries(app PRIVATE "C:/lib/cublas64_11.dll")
cuda_consistent_check_target(app)
"""


def build(world: World, env: dict[str, str]) -> str:
    """What ninja.exe says of a program that is linked with cuBLAS 11."""
    project = world.c / "project"
    shutil.rmtree(project, ignore_errors=True)
    project.mkdir()
    module = world.run([SCRIPTS + r"\ptxguard.exe", "--cmake-dir"], env).stdout.strip()
    (project / "CMakeLists.txt").write_text(LINKED)
    (project / "app.cpp").write_text('extern "C" __declspec(dllimport) int standin(void);\nint main() { return standin(); }\n')
    said = world.run([CMAKE, "-S", r"C:\project", "-B", r"C:\project\b", "-G", "Ninja", rf"-DCMAKE_MAKE_PROGRAM={SCRIPTS}\ninja.exe",
                      "-DCMAKE_CXX_COMPILER=C:/compiler/g++.exe", "-DCMAKE_RC_COMPILER=C:/compiler/windres.exe",
                      rf"-DCMAKE_MODULE_PATH={module}"], env).stdout
    return said + world.run([CMAKE, "--build", r"C:\project\b"], env).stdout


def checked_target(world: World) -> str:
    compilers(world, "compiler")
    (world.c / "lib").mkdir(exist_ok=True)
    shutil.copy(world.work / "standins/cublas64_11.dll", world.c / "lib")
    cuda(world)
    shutil.copytree(world.toolkit, world.c / "CUDA/v13.0", dirs_exist_ok=True)
    app = world.c / "project/b/app.exe"
    said = build(world, {"PATH": SCRIPTS + ";" + RIGHT, "CUDA_PATH": r"C:\CUDA\v13.0"})
    if not app.exists() or "[CC" in said:
        return said
    said = build(world, {"PATH": SCRIPTS, "CUDA_PATH": r"C:\CUDA\v13.0"})
    return "" if "build stopped" in said and "cublas64_11.dll is not found" in said and "[CC501]" in said else said


TESTS: list[tuple[str, Callable[[World], str]]] = [
    ("a prompt without cl.exe does not stop a project that has no language yet", with_toolkit),
    ("a framework that finds its DLLs, and one that does not: CMake stops, and names the PATH entry that is meant", with_framework),
    ("cuda_consistent_check_target: a program that finds its DLLs, and one that does not: the build stops", checked_target),
]


def main() -> int:
    parser = argparse.ArgumentParser(description="Installs the wheel under wine, and configures projects with cmake.exe.")
    add_options(parser)
    arguments = parser.parse_args()
    try:
        world = prepare(arguments)
        said = install(world, arguments.downloads.resolve())
    except Missing as missing:
        print(f"skipped: {missing}")
        return 77
    version = world.run([SCRIPTS + r"\ptxguard.exe", "--version"], {"PATH": SCRIPTS}).stdout
    bad = not version.startswith("ptxguard ")
    print(f"{'FAIL' if bad else 'ok  '} pip installs the wheel: {said[-2000:] + version if bad else version.splitlines()[0]}")
    for name, test in TESTS:
        clean(world)
        problem = test(world)
        bad = bad or bool(problem)
        print(f"{'FAIL' if problem else 'ok  '} {name}{': ' + problem[-3000:] if problem else ''}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
