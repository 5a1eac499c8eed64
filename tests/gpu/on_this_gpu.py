#!/usr/bin/env python3
"""What ptxguard says of a machine with a GPU, compared with what happens on it. Needs only the program; a ptxas, torch,
JAX, CuPy and Triton are used where they are installed. Takes a few minutes.

    on_this_gpu.py --ptxguard EXE [--ptxas EXE] [--cubins DIR] [--record FILE]

1. `check` of the machine as it is: a framework that computes on the GPU has no error.
2. PTX of every version, old to newest: the driver's answer equals that of its JIT library and the table.
3. Cubins of neighbouring architectures: those load of which `inspect --gpu` says that they run, and no others.
4. The files of NVIDIA that the process of a framework maps are those that `check` traced, also where the environment names
   others.

`--cubins` holds files sm_XX.cubin for architectures that the ptxas here does not make. `--record` writes the results with GPU and driver. Exit codes: 0 all equal, 1 not, 77 (with the reason) without a GPU.
"""
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import ctypes
import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIP = 77
PTX_VERSIONS = ("6.0", "6.3", "6.5", "7.0", "7.1", "7.2", "7.3", "7.4", "7.5", "7.6", "7.7", "7.8", "8.0", "8.1", "8.2", "8.3",
                "8.4", "8.5", "8.6", "8.7", "8.8", "9.0", "9.1", "9.2", "9.3", "9.4", "9.5")
CUBINS = ("50", "60", "61", "70", "75", "80", "86", "87", "89", "90", "90a", "100", "100a", "100f", "103", "120", "120a", "121")
# A computation per framework, with the package to look for.
COMPUTES = {
    "torch": "import torch; x = torch.ones(64, 64, device='cuda'); print((x @ x).sum().item()); torch.nn.functional.conv2d(torch.ones(1, 1, 8, 8, device='cuda'), torch.ones(1, 1, 3, 3, device='cuda')).sum().item()",
    "jax": "import jax, jax.numpy as n; assert jax.default_backend() == 'gpu'; print(n.sin(n.ones((8, 8))).sum())",
    "cupy": "import cupy; print(float((cupy.arange(9) ** 2).sum()))",
    "tensorflow": "import tensorflow as t; assert t.config.list_physical_devices('GPU'); print(t.reduce_sum(t.ones((8, 8)) @ t.ones((8, 8))))",
}
MAPPED = "; print('\\n'.join(sorted({l.split()[-1] for l in open('/proc/self/maps') if '.so' in l})))"
# Environments that name libraries beside those of the wheels.
SEARCHES = ({}, {"LD_LIBRARY_PATH": "/usr/local/cuda/lib64"}, {"LD_LIBRARY_PATH": "/opt/none:/usr/local/cuda/targets/x86_64-linux/lib/"})


class Trial:
    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options, self.folder = options, folder
        self.wrong: list[str] = []
        self.record: dict = {"date": datetime.date.today().isoformat()}

    def ask(self, *arguments: str, env: dict[str, str] | None = None) -> dict:
        command = [self.options.ptxguard, *arguments, "--isolated", "--format", "json"]
        done = subprocess.run(command, env={**os.environ, **(env or {})}, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{command}\n{done.stdout[-2000:]}\n{done.stderr}")
        return json.loads(done.stdout)

    def ptx(self, version: str, target: str) -> str:
        path = self.folder / f"{version}.ptx"
        path.write_text(f".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {{ ret; }}\n")
        return str(path)

    # 1
    def machine_as_it_is(self) -> None:
        report = self.ask("check", "--python", sys.executable)
        errors = [f"{f['code']} {f['message']}" for f in report["findings"] if f["level"] == "error" and not f.get("suppressed")]
        computes = {}
        for package, code in COMPUTES.items():
            if subprocess.run([sys.executable, "-c", f"import importlib.util as u, sys; sys.exit(u.find_spec('{package}') is None)"], check=False).returncode:
                continue
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
            computes[package] = "computes" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["?"])[-1]
        self.record["check"] = {"verdict": report["verdict"], "errors": errors, "frameworks": computes}
        if errors and computes and all(result == "computes" for result in computes.values()):
            self.wrong.append(f"check reports errors, and all of {', '.join(computes)} compute: {errors}")
        if not errors and any(result != "computes" for result in computes.values()):
            self.wrong.append(f"check reports no error, and not all compute: {computes}")

    # 2
    def ptx_of_every_version(self) -> None:
        files = [self.ptx(version, "sm_70" if version < "9" else "sm_75") for version in PTX_VERSIONS]
        report = self.ask("matrix", *files)
        names = {one["id"]: one["name"].removesuffix(".ptx") for one in report["producers"]}
        columns = {one["id"]: f"{one['kind']} {one['name']}" for one in report["consumers"] if one["kind"] in ("gpu", "driver-jit")}
        table: dict[str, dict[str, str]] = {}
        for cell in report["cells"]:
            if cell["consumer"] in columns and names[cell["producer"]] in PTX_VERSIONS:
                table.setdefault(names[cell["producer"]], {})[columns[cell["consumer"]]] = cell["outcome"]
                if cell["basis"] != "measured":
                    self.wrong.append(f"PTX {names[cell['producer']]} on {columns[cell['consumer']]}: not measured")
        self.record["ptx"] = table
        for version, outcomes in table.items():
            if len(set(outcomes.values())) > 1:
                self.wrong.append(f"PTX {version}: {outcomes}")
        gpu = next(one for one in report["consumers"] if one["kind"] == "gpu")
        self.record.update(gpu=gpu["name"], driver=gpu["version"])
        if not gpu["version"]:
            return
        predicted = self.ask("matrix", "--only-named", "--driver", str(gpu["version"]), *files)
        ours = {one["id"]: one["name"].removesuffix(".ptx") for one in predicted["producers"]}
        for cell in predicted["cells"]:
            measured = {o for name, o in table.get(ours[cell["producer"]], {}).items() if name.startswith("gpu")}
            if measured and cell["outcome"] in ("accepted", "refused") and measured != {cell["outcome"]}:
                self.wrong.append(f"PTX {ours[cell['producer']]}: the table says {cell['outcome']}, the GPU {measured}")

    # 3
    def cubins_of_neighbours(self) -> None:
        ptxas = self.options.ptxas or shutil.which("ptxas")
        cuda = self.driver()
        if not ptxas or not cuda:
            self.record["cubins"] = "no ptxas"
            return
        capability = ".".join(str(self.attribute(cuda, number)) for number in (75, 76))
        results = {}
        made = {path.stem.removeprefix("sm_"): path for path in sorted(self.options.cubins.glob("sm_*.cubin"))} if self.options.cubins else {}
        for arch in [*CUBINS, *sorted(set(made) - set(CUBINS))]:
            source, cubin = self.ptx("9.0" if arch[-1] in "af" else "8.0", f"sm_{arch}"), self.folder / f"sm_{arch}.cubin"
            if arch in made:
                cubin = made[arch]
            elif subprocess.run([ptxas, f"-arch=sm_{arch}", source, "-o", str(cubin)], capture_output=True, check=False).returncode:
                continue
            module = ctypes.c_void_p()
            code = cuda.cuModuleLoad(ctypes.byref(module), str(cubin).encode())
            report = self.ask("inspect", "--gpu", capability, "--driver", str(self.record["driver"]), str(cubin))
            says = [run["verdict"] for file in report.get("files", report.get("binaries", [])) for run in file.get("runs_on", [])]
            results[arch] = {"loads": code, "ptxguard": says}
            runs = any(verdict in ("cubin", "jit") for verdict in says)
            if says and "unknown" not in says and runs != (code == 0):
                self.wrong.append(f"a cubin for sm_{arch} on {capability}: cuModuleLoad gives {code}, ptxguard says {says}")
        self.record["cubins"] = results

    @staticmethod
    def driver() -> ctypes.CDLL | None:
        try:
            cuda = ctypes.CDLL("libcuda.so.1")
        except OSError:
            return None
        context = ctypes.c_void_p()
        good = cuda.cuInit(0) == 0 and cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
        return cuda if good and hasattr(cuda, "cuModuleLoad") else None

    @staticmethod
    def attribute(cuda: ctypes.CDLL, number: int) -> int:
        value = ctypes.c_int()
        cuda.cuDeviceGetAttribute(ctypes.byref(value), number, 0)
        return value.value

    # 4
    def files_that_frameworks_map(self) -> None:
        self.record["mapped"] = []
        for package, code in COMPUTES.items():
            for search in SEARCHES:
                env = {**os.environ, **search}
                done = subprocess.run([sys.executable, "-c", code + MAPPED], env=env, capture_output=True, text=True, timeout=300, check=False)
                if done.returncode:
                    break  # not installed, or it does not compute
                self.compare_with_traces(package, search, {line for line in done.stdout.splitlines() if line.startswith("/")})

    def compare_with_traces(self, package: str, search: dict[str, str], mapped: set[str]) -> None:
        report = self.ask("check", "--python", sys.executable, env=search)
        nvidia = ("libcu", "libnv", "libnccl")
        files = {os.path.realpath(path) for path in mapped}
        same, different = [], []
        for trace in report.get("traces", []):
            if f"/{package}" not in trace["path"] or os.path.realpath(trace["path"]) not in files:
                continue
            for library in trace["libraries"]:
                taken = library.get("taken") or ""
                name = Path(taken).name
                others = [path for path in files if Path(path).name.startswith(name)]
                if name.startswith(nvidia) and others:
                    (same if os.path.realpath(taken) in files else different).append([name, taken, library.get("needed_by"), others])
        self.record["mapped"].append({"framework": package, "env": search, "files": sorted(p for p in files if Path(p).name.startswith(nvidia)),
                                      "traced_as_mapped": len(same), "different": different, "traces": [t["path"] for t in report.get("traces", [])]})
        self.wrong += [f"{package} {search}: the process maps {maps}, check traced {taken}" for _, taken, _, maps in different]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxguard", required=True)
    parser.add_argument("--ptxas", help="default: the one on PATH; 'none'")
    parser.add_argument("--cubins", type=Path)
    parser.add_argument("--record", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ptxguard-gpu-") as folder:
        trial = Trial(options, Path(folder))
        consumers = trial.ask("matrix", trial.ptx("6.0", "sm_70"), "--probe", "off")["consumers"]
        if not any(one["kind"] == "gpu" for one in consumers):
            print("skipped: no GPU is here, or no driver that shows one")
            return SKIP
        trial.ptx_of_every_version()
        trial.machine_as_it_is()
        if options.ptxas != "none":
            trial.cubins_of_neighbours()
        trial.files_that_frameworks_map()
    text = json.dumps(trial.record, indent=1)
    print(text)
    if options.record:
        options.record.write_text(text + "\n")
    print("\n".join(trial.wrong) or "all equal")
    return 1 if trial.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
