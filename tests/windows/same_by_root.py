#!/usr/bin/env python3
# The live program under wine and this system's program with --root report the same findings at the same levels:
# 40 installations, each checked both ways. Live, nvcc.exe, cicc.exe and ptxas.exe 13.0 are run; --root only reads.
#
#   same_by_root.py --exe build/mingw/bin/ptxguard.exe --native build/bin/ptxguard --work DIR [--only NAME...] [--list]
#
# Exit code 0: all are the same; 1: some are not; 77: something needed is not installed.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import shutil
import sys
from dataclasses import dataclass
from typing import Callable

from world import LIBRARIES, SITE, Missing, World, add_options, application, ask, clean, compile_c, cuda, levels, prepare

Lay = Callable[[World], None]
DOTNET = r"C:\dotnet"
PYTHON = ["--python", "C:/Python38/python.exe"]
GPU = ["--gpu", "RTX 3090", "--driver", "471.41"]
DEFAULT = "Program Files/NVIDIA GPU Computing Toolkit/CUDA/v13.0"


@dataclass
class Tree:
    name: str
    lay: Lay
    env: dict[str, str]
    command: list[str]


def nothing(world: World) -> None:
    del world


def toolkit(folder: str) -> Lay:
    """nvcc.exe 13.0 with all that it calls, but cl.exe."""
    def lay(world: World) -> None:
        shutil.copytree(world.toolkit, world.c / folder, dirs_exist_ok=True)
    return lay


def without(folder: str, *files: str) -> Lay:
    def lay(world: World) -> None:
        toolkit(folder)(world)
        for file in files:
            (world.c / folder / file).unlink()
    return lay


def libraries(folder: str, names: list[str] | None = None) -> Lay:
    return lambda world: cuda(world, folder, names)


def both(*parts: Lay) -> Lay:
    def lay(world: World) -> None:
        for part in parts:
            part(world)
    return lay


def program(folder: str = "app", beside: bool = False) -> Lay:
    """A program that is linked with cublas64_11.dll."""
    def lay(world: World) -> None:
        target = world.c / folder
        target.mkdir(exist_ok=True)
        source = world.work / "linked.c"
        source.write_text("__declspec(dllimport) int standin(void); int main(void) { return standin(); }\n")
        compile_c("-o", str(target / "linked.exe"), str(source), str(world.work / "standins/cublas64_11.dll"))
        if beside:
            shutil.copy(world.work / "standins/cublas64_11.dll", target)
    return lay


def check(*words: str) -> list[str]:
    return ["check", *PYTHON, "--framework", "tensorflow", *GPU, *words]


def build(*words: str) -> list[str]:
    return ["check", "--isolated", *words]


def deps(file: str) -> list[str]:
    return ["deps", file]


def path(*folders: str) -> dict[str, str]:
    return {"PATH": ";".join(folders)}


KIT, KIT_BIN = r"C:\CUDA\v13.0", r"C:\CUDA\v13.0\bin"
RIGHT, NO_CUDA = r"C:\CUDA\v11.0\bin", r"C:\tools"
FLAGS = {"XLA_FLAGS": "--xla_gpu_cuda_data_dir=C:/CUDA/v11.0"}
V11 = libraries("CUDA/v11.0")
KIT_HERE = toolkit("CUDA/v13.0")

TREES = [
    # TensorFlow 2.4.1
    Tree("tensorflow", V11, {**path(RIGHT), **FLAGS}, check()),
    Tree("tensorflow-all-frameworks", V11, {**path(RIGHT), **FLAGS}, ["check", *PYTHON, *GPU]),
    Tree("tensorflow-old-gpu", V11, {**path(RIGHT), **FLAGS}, ["check", *PYTHON, "--framework", "tensorflow", "--gpu", "K80", "--driver", "471.41"]),
    Tree("tensorflow-new-gpu", V11, {**path(RIGHT), **FLAGS}, ["check", *PYTHON, "--framework", "tensorflow", "--gpu", "sm_120", "--driver", "572"]),
    Tree("tensorflow-old-driver", V11, {**path(RIGHT), **FLAGS}, ["check", *PYTHON, "--framework", "tensorflow", "--driver", "425.25"]),
    Tree("tensorflow-no-machine", V11, {**path(RIGHT), **FLAGS}, ["check", *PYTHON, "--framework", "tensorflow"]),
    Tree("no-cuda", nothing, path(NO_CUDA), check()),
    Tree("misspelt-entry", V11, {**path(r"C:\CUDA\v11.0\bni"), **FLAGS}, check()),
    Tree("misspelt-two", V11, {**path(r"C:\CUDA\v11.0\bni", r"C:\CUDA\v11.O\bin"), **FLAGS}, check()),
    Tree("blank", V11, {**path(NO_CUDA, RIGHT + " "), **FLAGS}, check()),
    Tree("cuda-path-only", V11, {**path(NO_CUDA), "CUDA_PATH": r"C:\CUDA\v11.0"}, check()),
    Tree("cuda-path-misspelt", V11, {**path(RIGHT), "CUDA_PATH": r"C:\CUDA\v11.O"}, check()),
    Tree("cuda-home-misspelt", V11, {**path(RIGHT), **FLAGS, "CUDA_HOME": r"C:\CUDA\11.0"}, check()),
    Tree("variable-misspelt", V11, {**path(RIGHT), **FLAGS, "CUDA_PAHT": r"C:\CUDA\v11.0"}, check()),
    Tree("no-libdevice", V11, path(RIGHT), check()),
    Tree("flags-split", libraries("Nvidia Tools/v11.0"),
         {**path(r"C:\Nvidia Tools\v11.0\bin"), "XLA_FLAGS": "--xla_gpu_cuda_data_dir=C:/Nvidia Tools/v11.0"}, check()),
    Tree("flags-quoted", libraries("Nvidia Tools/v11.0"),
         {**path(r"C:\Nvidia Tools\v11.0\bin"), "XLA_FLAGS": '--xla_gpu_cuda_data_dir="C:/Nvidia Tools/v11.0"'}, check()),
    Tree("without-cudnn", libraries("CUDA/v11.0", [one for one in LIBRARIES if "cudnn" not in one]), {**path(RIGHT), **FLAGS}, check()),
    Tree("without-cublaslt", libraries("CUDA/v11.0", [one for one in LIBRARIES if "Lt" not in one]), {**path(RIGHT), **FLAGS}, check()),
    Tree("default-folder", libraries(DEFAULT), path(NO_CUDA), check()),
    Tree("two-toolkits", both(V11, KIT_HERE), {**path(KIT_BIN, RIGHT), **FLAGS}, check()),
    Tree("hosted", both(V11, application), {**path(RIGHT, DOTNET), **FLAGS}, check("--host-exe", "C:/app/Host.dll")),
    Tree("hosted-beside", lambda world: application(world, beside=True), {**path(DOTNET), **FLAGS}, check("--host-exe", "C:/app/Host.dll")),
    # A toolkit, built with or only installed
    Tree("toolkit", KIT_HERE, path(KIT_BIN), build("--toolkit", KIT)),
    Tree("toolkit-by-path", KIT_HERE, path(KIT_BIN), build()),
    Tree("toolkit-by-variable", KIT_HERE, {**path(NO_CUDA), "CUDA_PATH": KIT}, build()),
    Tree("toolkit-build", KIT_HERE, {**path(NO_CUDA), "CUDA_PATH": KIT}, build("--build")),
    Tree("toolkit-default-folder", toolkit(DEFAULT), path(NO_CUDA), build("--build")),
    Tree("toolkit-arch", KIT_HERE, path(KIT_BIN), build("--arch", "80;90+PTX", "--gpu", "sm_90", "--driver", "581.15")),
    Tree("toolkit-dropped-arch", KIT_HERE, path(KIT_BIN), build("--arch", "70")),
    Tree("toolkit-old-driver", KIT_HERE, path(KIT_BIN), build("--arch", "80-virtual", "--gpu", "sm_80", "--driver", "456.38")),
    Tree("toolkit-without-ptxas", without("CUDA/v13.0", "bin/ptxas.exe"), path(KIT_BIN), build("--build")),
    Tree("toolkit-without-cicc", without("CUDA/v13.0", "nvvm/bin/cicc.exe"), path(KIT_BIN), build("--build")),
    # Files
    Tree("linked", both(V11, program()), path(RIGHT), deps("C:/app/linked.exe")),
    Tree("linked-beside", program(beside=True), path(NO_CUDA), deps("C:/app/linked.exe")),
    Tree("linked-nowhere", program(), path(NO_CUDA), deps("C:/app/linked.exe")),
    Tree("linked-by-variable", both(V11, program()), {**path(NO_CUDA), "CUDA_PATH": r"C:\CUDA\v11.0"}, deps("C:/app/linked.exe")),
    Tree("managed-runtimes", lambda world: application(world, deps=True), path(DOTNET), deps("C:/app/Host.dll")),
    Tree("managed-nowhere", application, path(DOTNET), deps("C:/app/Host.dll")),
    Tree("module-of-tensorflow", V11, path(RIGHT), deps(f"C:/{SITE}/tensorflow/python/_pywrap_tensorflow_internal.pyd")),
]


def compare(world: World, tree: Tree) -> str:
    clean(world)
    tree.lay(world)
    live, root = (levels(ask(world, tree.command, tree.env, by_root)) for by_root in (False, True))
    if live == root:
        return ""
    return f"only live: {[one for one in live if one not in root]}, only by --root: {[one for one in root if one not in live]}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares the live program under wine with --root.")
    add_options(parser)
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(one.name for one in TREES))
        return 0
    try:
        world = prepare(arguments)
    except Missing as missing:
        print(f"skipped: {missing}")
        return 77
    chosen = [one for one in TREES if not arguments.only or one.name in arguments.only]
    bad = 0
    for tree in chosen:
        problem = compare(world, tree)
        bad += bool(problem)
        print(f"{'FAIL' if problem else 'same'} {tree.name}{': ' + problem if problem else ''}", flush=True)
    print(f"{len(chosen) - bad} of {len(chosen)} the same")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
