#!/usr/bin/env python3
# Two stories from Windows, replayed with real programs under wine: TensorFlow 2.4.1 that finds no CUDA, and a
# .NET program with Python.NET whose TensorFlow and [DllImport] find no cublas64_11.dll.
#
#   replay_stories.py --exe build/mingw/bin/ptxguard.exe --work DIR [--only NAME...] [--list]
#
# Real: CPython 3.8.10, TensorFlow 2.4.1's _pywrap_tensorflow_internal.pyd, .NET Core 3.1.23, Python.NET 3.0.5,
# ptxas.exe 11.8 and the tables of files on disk. Stand-ins without code, made by mingw: CUDA's DLLs. A variant is
# an installation with one fault. Three things are tested: the program fails as the story says; ptxguard names the
# cause first; and its printed fix, carried out, lets the *program* find its DLL. The same tree is checked from
# Linux by --root, where the findings and their levels have to be the same.
#
# Exit code 0: all variants hold; 1: some do not; 77: something needed is not installed.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import re
import shutil
import sys
from dataclasses import dataclass, field
from typing import Callable

from world import LIBRARIES, Missing, World, add_options, application, ask, clean, cuda, levels, prepare

GPU = ["--gpu", "RTX 3090", "--driver", "471.41"]

# Imports TensorFlow's module as `import tensorflow` does; its log goes to standard error.
LOAD_PY = """
import importlib.machinery, importlib.util, os, sys
site = os.path.join(sys.prefix, 'Lib', 'site-packages')
sys.path.insert(0, site)
import numpy
path = os.path.join(site, 'tensorflow', 'python', '_pywrap_tensorflow_internal.pyd')
name = '_pywrap_tensorflow_internal'
spec = importlib.util.spec_from_file_location(name, path, loader=importlib.machinery.ExtensionFileLoader(name, path))
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
sys.stderr.flush()
os._exit(0)  # under wine .NET does not end while Python is in its process
"""


@dataclass
class Variant:
    name: str
    story: str
    first: str  # code of the finding that has to come first; empty = no error
    own: dict[str, str] = field(default_factory=dict)
    lay: Callable[[World], None] = lambda world: None
    program: str = "tensorflow"  # "dotnet tensorflow", "dotnet native", "ptxas"
    arguments: list[str] = field(default_factory=list)
    in_fix: str = ""  # a text of the first finding's fixes
    by_root: bool = True  # whether --root has to report the same
    mend: Callable[[World, dict[str, str]], dict[str, str]] | None = None  # carries out a fix that is prose; the variables after it

    @property
    def env(self) -> dict[str, str]:
        """libdevice is searched apart from the DLLs; it is in no default folder."""
        return {"XLA_FLAGS": "--xla_gpu_cuda_data_dir=C:/CUDA/v11.0", **self.own}


BIN = r"C:\CUDA\v11.0\bin"
DOTNET = r"C:\dotnet"
HOST = ["--host-exe", "C:/app/Host.dll"]


def both(*parts: Callable[[World], None]) -> Callable[[World], None]:
    def lay(world: World) -> None:
        for part in parts:
            part(world)
    return lay


def beside_assembly(world: World) -> None:
    application(world, beside=True)


def tools_only(world: World) -> None:
    """XLA's ptxas and libdevice, without the DLLs."""
    cuda(world, libraries=[])


def install_cuda(world: World, env: dict[str, str]) -> dict[str, str]:
    """"install CUDA 11.0 ..., and add its bin folder to PATH"."""
    cuda(world)
    return {**env, "PATH": env["PATH"] + ";" + BIN}


def put_beside(world: World, env: dict[str, str]) -> dict[str, str]:
    """"put cublas64_11.dll of CUDA 11 ... next to C:/app/Host.dll"."""
    application(world, beside=True)
    return env


VARIANTS = [
    Variant("good", "1", "", {"PATH": BIN}, cuda),
    Variant("misspelt-entry", "1", "CC501", {"PATH": r"C:\CUDA\v11.0\bni"}, cuda, in_fix="C:/CUDA/v11.0/bin"),
    Variant("blank-before-entry", "1", "CC501", {"PATH": " " + BIN}, cuda, in_fix="C:/CUDA/v11.0/bin"),
    Variant("entry-is-program", "1", "CC501", {"PATH": BIN + r"\ptxas.exe"}, cuda, in_fix="C:/CUDA/v11.0/bin"),
    # By --root, %NAME% in --env is replaced, as in the registry's copy of PATH.
    Variant("entry-not-expanded", "1", "CC505", {"PATH": r"%CUDA_PATH%\bin", "CUDA_PATH": r"C:\CUDA\v11.0"}, cuda,
            in_fix="C:/CUDA/v11.0/bin", by_root=False),
    Variant("only-cuda-path", "1", "CC505", {"PATH": r"C:\tools", "CUDA_PATH": r"C:\CUDA\v11.0"}, cuda, in_fix="C:/CUDA/v11.0/bin"),
    Variant("default-folder", "1", "CC505", {"PATH": r"C:\tools"},
            lambda world: cuda(world, "Program Files/NVIDIA GPU Computing Toolkit/CUDA/v11.0"), in_fix="CUDA/v11.0/bin"),
    Variant("libdevice-elsewhere", "1", "CC111", {"PATH": r"C:\Nvidia Tools\CUDA\v11.0\bin", "XLA_FLAGS": "--xla_gpu_x=1"},
            lambda world: cuda(world, "Nvidia Tools/CUDA/v11.0"), in_fix='="C:/Nvidia Tools/CUDA/v11.0"'),
    Variant("xla-flags-split", "1", "CC111",
            {"PATH": r"C:\Nvidia Tools\CUDA\v11.0\bin", "XLA_FLAGS": "--xla_gpu_cuda_data_dir=C:/Nvidia Tools/CUDA/v11.0"},
            lambda world: cuda(world, "Nvidia Tools/CUDA/v11.0"), in_fix='="C:/Nvidia Tools/CUDA/v11.0"'),
    Variant("nothing", "1", "CC501", {"PATH": r"C:\tools"}, in_fix="CUDA 11.0", mend=install_cuda),
    Variant("one-missing", "1", "CC501", {"PATH": BIN}, lambda world: cuda(world, libraries=[n for n in LIBRARIES if n != "cusolver64_10"]),
            in_fix="CUDA 11.0", mend=install_cuda),
    Variant("other-cuda", "1", "CC502", {"PATH": r"C:\CUDA\v12.0\bin"},
            lambda world: other_cuda(world), in_fix="CUDA 11.0", mend=install_cuda),
    Variant("net-good", "2", "", {"PATH": BIN + ";" + DOTNET}, both(cuda, application), "dotnet tensorflow", HOST),
    Variant("net-nowhere", "2", "CC501", {"PATH": DOTNET}, application, "dotnet tensorflow", HOST, in_fix="CUDA 11.0", mend=install_cuda),
    Variant("net-beside", "2", "CC505", {"PATH": DOTNET}, both(beside_assembly, tools_only), "dotnet tensorflow", HOST, in_fix="C:/app"),
    Variant("net-cuda-path", "2", "CC505", {"PATH": DOTNET, "CUDA_PATH": r"C:\CUDA\v11.0"}, both(cuda, application), "dotnet tensorflow",
            HOST, in_fix="C:/CUDA/v11.0/bin"),
    Variant("net-misspelt-entry", "2", "CC501", {"PATH": r"C:\CUDA\v11.0\bni;" + DOTNET}, both(cuda, application), "dotnet tensorflow",
            HOST, in_fix="C:/CUDA/v11.0/bin"),
    # A service has the PATH of the machine, without what the user's prompt adds, and no CUDA_PATH.
    Variant("net-service", "2", "CC505", {"PATH": r"C:\windows\system32;C:\windows;" + DOTNET},
            both(lambda world: cuda(world, "Program Files/NVIDIA GPU Computing Toolkit/CUDA/v11.0"), application), "dotnet tensorflow",
            HOST, in_fix="CUDA/v11.0/bin"),
    Variant("native-beside", "2", "", {"PATH": DOTNET}, beside_assembly, "dotnet native"),
    Variant("native-runtimes", "2", "", {"PATH": DOTNET}, lambda world: application(world, deps=True), "dotnet native"),
    Variant("native-runtimes-without-deps", "2", "CC501", {"PATH": DOTNET}, lambda world: without_deps(world), "dotnet native",
            mend=put_beside),
    Variant("native-path", "2", "", {"PATH": DOTNET + ";" + BIN}, both(cuda, application), "dotnet native"),
    Variant("native-cuda-path", "2", "CC505", {"PATH": DOTNET, "CUDA_PATH": r"C:\CUDA\v11.0"}, both(cuda, application), "dotnet native",
            in_fix="C:/CUDA/v11.0/bin"),
    Variant("native-nowhere", "2", "CC501", {"PATH": DOTNET}, application, "dotnet native", mend=put_beside),
]


def other_cuda(world: World) -> None:
    folder = world.c / "CUDA/v12.0/bin"
    folder.mkdir(parents=True)
    for name in LIBRARIES:
        other = re.sub(r"64_(110|11|10)$", "64_12", name)
        shutil.copy(world.work / "standins" / f"{name}.dll", folder / f"{other}.dll")


def without_deps(world: World) -> None:
    application(world, deps=True)
    (world.c / "app/Host.deps.json").unlink()


# ---- what the program and ptxguard say

def program_finds(world: World, variant: Variant, env: dict[str, str], by: list[str] | None = None) -> tuple[bool, str]:
    (world.c / "load.py").write_text(LOAD_PY)
    starter = by or []
    if variant.program == "tensorflow":
        run = world.run([*starter, r"C:\Python38\python.exe", r"C:\load.py"], env)
    elif variant.program == "dotnet tensorflow":
        run = world.run([*starter, r"C:\dotnet\dotnet.exe", r"C:\app\Host.dll", "python", r"C:\Python38", r"C:\load.py"],
                        {**env, "PYTHONHOME": r"C:\Python38"})
    else:
        run = world.run([*starter, r"C:\dotnet\dotnet.exe", r"C:\app\Host.dll", "native"], env)
        return "found 11" in run.stdout, run.stdout
    return "Successfully opened dynamic library cudart64_110.dll" in run.stdout, run.stdout


def command_of(variant: Variant) -> list[str]:
    if variant.program == "dotnet native":
        return ["deps", "C:/app/Host.dll"]
    return ["check", "--python", "C:/Python38/python.exe", "--framework", "tensorflow", *GPU, *variant.arguments]


# "where FILE is there: SETTING" of a fix that only the user can decide.
def setting_of(fix: str, world: World) -> str:
    found = re.fullmatch(r"where (C:/.*) is there: (.*)", fix)
    return found[2] if found and (world.c / found[1][3:]).exists() else fix


# $env:NAME = 'value'; $env:PATH = 'folder;' + $env:PATH; an entry of a list replaced or removed.
def carried_out(fix: str, env: dict[str, str]) -> dict[str, str] | None:
    after = dict(env)
    if found := re.fullmatch(r"\$env:(\w+) = '(.*)'", fix):
        after[found[1]] = found[2].replace("''", "'")
    elif found := re.fullmatch(r"\$env:PATH = '(.*);' \+ \$env:PATH", fix):
        after["PATH"] = found[1].replace("/", "\\") + ";" + env["PATH"]
    elif found := re.fullmatch(r"\$env:PATH = \(\$env:PATH -split ';' \| ForEach-Object \{ if \(\$_ -eq '(.*)'\) \{ '(.*)' \}"
                               r" else \{ \$_ \} \}\) -join ';'", fix):
        old, new = found[1].replace("''", "'"), found[2].replace("''", "'")
        after["PATH"] = ";".join(new.replace("/", "\\") if one == old else one for one in env["PATH"].split(";"))
    else:
        return None
    return after if after != env else None


# A batch file with the fix for cmd.exe, and the program that is started by it.
def program_finds_by_cmd(world: World, variant: Variant) -> tuple[bool, str]:
    report = ask(world, [*command_of(variant), "--shell", "cmd"], variant.env, False)
    first = next(one for one in report["findings"] if one["level"] == "error" and not one.get("caused_by"))
    fixes = [setting_of(one["text"], world) for one in first["fix"]]
    fix = next((one for one in fixes if one.startswith("set ")), "")
    batch = world.c / "fixed.bat"
    batch.write_text("@echo off\r\n" + fix + "\r\n%*\r\n", newline="")
    found, said = program_finds(world, variant, variant.env, [r"C:\windows\system32\cmd.exe", "/c", r"C:\fixed.bat"])
    return found, f"{fix}\n{said}"


def carry_out(world: World, variant: Variant, fixes: list[str]) -> list[str]:
    if variant.mend:
        env = variant.mend(world, variant.env)
    else:
        env = next((after for after in (carried_out(setting_of(fix, world), variant.env) for fix in fixes) if after), None)
    if not env:
        return [f"no fix can be carried out: {fixes}"]
    problems = []
    found, said = program_finds(world, variant, env)
    if not found:
        problems.append(f"after its fix {fixes} the program still does not find its DLL: {said[-600:]}")
    again = [one["code"] for one in ask(world, command_of(variant), env, False)["findings"] if one["level"] == "error"]
    if variant.first in again:
        problems.append(f"after its fix ptxguard still reports {again}")
    if not variant.mend:
        found, said = program_finds_by_cmd(world, variant)
        if not found:
            problems.append(f"after its fix in cmd the program still does not find its DLL: {said[-600:]}")
    return problems


def replay(world: World, variant: Variant) -> list[str]:
    clean(world)
    variant.lay(world)
    problems = []
    found, said = program_finds(world, variant, variant.env)
    if found != (variant.first in ("", "CC111") or variant.name == "one-missing"):
        problems.append(f"the program {'finds' if found else 'does not find'} its DLL: {said[-600:]}")
    live = ask(world, command_of(variant), variant.env, False)
    errors = [one for one in live["findings"] if one["level"] == "error" and not one.get("caused_by")]
    first = errors[0]["code"] if errors else ""
    if first != variant.first:
        problems.append(f"first error is {first or 'none'}, not {variant.first or 'none'}: {levels(live)}")
    root = ask(world, command_of(variant), variant.env, True) if variant.by_root else live
    if levels(live) != levels(root):
        problems.append(f"by --root: {levels(root)}, live: {levels(live)}")
    fixes = [fix["text"] for one in errors[:1] for fix in one["fix"]]
    if variant.in_fix and not any(variant.in_fix in fix for fix in fixes):
        problems.append(f"no fix names {variant.in_fix}: {fixes}")
    if variant.first:
        problems += carry_out(world, variant, fixes)
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description="Replays two stories from Windows under wine.")
    add_options(parser)
    arguments = parser.parse_args()
    chosen = [one for one in VARIANTS if not arguments.only or one.name in arguments.only]
    if arguments.list:
        print("\n".join(f"{one.story} {one.name}" for one in VARIANTS))
        return 0
    try:
        world = prepare(arguments)
    except Missing as missing:
        print(f"skipped: {missing}")
        return 77
    bad = 0
    for variant in chosen:
        problems = replay(world, variant)
        bad += bool(problems)
        print(f"{'FAIL' if problems else 'ok  '} story {variant.story}: {variant.name}", flush=True)
        for problem in problems:
            print(f"       {problem}", flush=True)
    print(f"{len(chosen) - bad} of {len(chosen)} variants")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
