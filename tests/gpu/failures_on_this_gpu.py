#!/usr/bin/env python3
"""Breaks a machine with a GPU on purpose, one fault at a time, and asks ptxguard for the cause.

    failures_on_this_gpu.py --ptxguard EXE [--carried DIR] [--record FILE]

Each fault is a variable, a file or a flag, for one command only. Its program must fail on the GPU with the text of the real
libraries; then `explain` has to name the code from that text, and `check` in the same environment where the fault is one of
the machine. `--carried` holds what the machine lacks: ptxas-11.8, cudnn-9.12/libcudnn.so.9, cudnn-9.12-graph/libcudnn_graph.so.9.
What is not installed is skipped.
Exit codes: 0 all named, 1 not, 77 without a GPU.
"""
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

SKIP = 77
KERNEL = r"""
#include <cstdio>
__global__ void k() {}
int main() {
    k<<<1, 1>>>();
    cudaError_t code = cudaDeviceSynchronize();
    if (code == cudaSuccess) code = cudaGetLastError();
    if (code != cudaSuccess) { std::fprintf(stderr, "CUDA error %d: %s\n", int(code), cudaGetErrorString(code)); return 1; }
}
"""
PTX = ".version {}\n.target {}\n.address_size 64\n.visible .entry k() {{ ret; }}\n"
TORCH = "import torch; x = torch.ones(64, 64, device='cuda'); print((x @ x).sum().item())"
CONVOLUTION = "import torch; f = torch.nn.functional.conv2d; print(f(torch.ones(1, 1, 8, 8, device='cuda'), torch.ones(1, 1, 3, 3, device='cuda')).sum().item())"
JAX = "import jax, jax.numpy as n; print(jax.devices('gpu')); print(n.sin(n.ones((8, 8))).sum())"
JAX_CONVOLUTION = "import jax, jax.numpy as n; print(jax.lax.conv(n.ones((1, 1, 8, 8)), n.ones((1, 1, 3, 3)), (1, 1), 'SAME').sum())"
CUPY = "import cupy; print(float((cupy.arange(9) ** 2).sum()))"
CUPY_PTX = "import cupy; m = cupy.RawModule(path={!r}); m.get_function('k')((1,), (1,), ()); cupy.cuda.Device().synchronize()"
CORE_PTX = "from cuda.core import Device, ObjectCode; Device().set_current(); ObjectCode.from_ptx(open({!r}, 'rb').read()).get_kernel('k')"
TRITON = """
import torch, triton, triton.language as tl
@triton.jit
def k(p, n: tl.constexpr):
    i = tl.arange(0, n)
    tl.store(p + i, tl.load(p + i) + 1)
x = torch.zeros(64, device='cuda')
k[(1,)](x, 64)
print(x.sum().item())
"""


@dataclass
class Fault:
    name: str
    command: list[str]
    explained: set[str]  # the code that explain has to rank first: one of these
    checked: set[str] = field(default_factory=set)  # one of these has to be among check's findings; empty: not asked
    env: dict[str, str] = field(default_factory=dict)
    needs: str = ""  # a Python package
    arguments: list[str] = field(default_factory=list)  # of check
    fails: bool = True  # False: it must run, and check must be silent about the GPU


class Trial:
    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options, self.folder = options, folder
        self.carried = options.carried.resolve() if options.carried else None
        self.wrong: list[str] = []
        self.record: list[dict] = []

    def file(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        return str(self.folder / name)

    def program(self, name: str, *flags: str) -> str:
        """A CUDA program built with these flags of nvcc."""
        path = self.folder / name
        command = ["nvcc", *flags, self.file(f"{name}.cu", KERNEL), "-o", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
        if done.returncode:
            self.wrong.append(f"{name}: {done.stderr[-500:]}")
        return str(path)

    def faults(self) -> list[Fault]:
        python = lambda code: [sys.executable, self.file(f"p{abs(hash(code))}.py", code)]
        newer, future = self.file("newer.ptx", PTX.format("9.3", "sm_80")), self.file("gpu.ptx", PTX.format("9.0", "sm_100"))
        built = {"older": ("-gencode", "arch=compute_80,code=sm_80"), "newer": ("-gencode", "arch=compute_100,code=sm_100"),
                 "newer_ptx": ("-gencode", "arch=compute_100,code=compute_100"), "special": ("-gencode", "arch=compute_100a,code=sm_100a"),
                 "ptx": ("-gencode", "arch=compute_80,code=compute_80"), "fits": ("-gencode", "arch=compute_90,code=sm_90")}
        with ThreadPoolExecutor(8) as pool:
            programs = dict(zip(built, pool.map(lambda item: self.program(*((item[0],) + item[1])), built.items())))
        no_code = {"CC204", "CC607"}
        stub = self.folder / "stub"
        stub.mkdir()
        for place in ("/usr/local/cuda/lib64/stubs/libcuda.so", "/usr/local/cuda/targets/x86_64-linux/lib/stubs/libcuda.so"):
            if Path(place).exists():
                shutil.copy(place, stub / "libcuda.so.1")
        lonely = self.folder / "lonely"
        lonely.mkdir()
        for library in Path(sys.prefix).glob("lib/python3*/site-packages/nvidia/cu13/lib/libnvrtc.so.13"):
            shutil.copy(library, lonely)
        faults = [
            Fault("cubin for an older GPU's major", [programs["older"]], no_code),
            Fault("cubin for a newer GPU", [programs["newer"]], no_code),
            Fault("cubin for one newer GPU only", [programs["special"]], no_code),
            Fault("PTX for a newer GPU", [programs["newer_ptx"]], no_code),
            Fault("PTX and its compilation is switched off", [programs["ptx"]], {"CC219"}, env={"CUDA_DISABLE_PTX_JIT": "1"}),
            Fault("cubin and PTX is insisted on", [programs["fits"]], no_code, env={"CUDA_FORCE_PTX_JIT": "1"}),
            Fault("PTX, which is compiled", [programs["ptx"]], set(), fails=False),
            Fault("CuPy: PTX of a newer toolkit", python(CUPY_PTX.format(newer)), {"CC202"}, needs="cupy"),
            Fault("CuPy: PTX for a newer GPU", python(CUPY_PTX.format(future)), {"CC204", "CC213"}, needs="cupy"),
            Fault("cuda.core: PTX of a newer toolkit", python(CORE_PTX.format(newer)), {"CC202"}, needs="cuda.core"),
            Fault("torch without a visible GPU", python(TORCH), {"CC210"}, {"CC210"}, {"CUDA_VISIBLE_DEVICES": ""}, "torch"),
            Fault("JAX without a visible GPU", python(JAX), {"CC210"}, {"CC210"}, {"CUDA_VISIBLE_DEVICES": ""}, "jax"),
            Fault("CuPy without a visible GPU", python(CUPY), {"CC210"}, {"CC210"}, {"CUDA_VISIBLE_DEVICES": "-1"}, "cupy"),
            Fault("torch with the toolkit's stub of libcuda", python(TORCH), {"CC408"}, {"CC408"}, {"LD_LIBRARY_PATH": str(stub)}, "torch"),
            Fault("CuPy with the toolkit's stub of libcuda", python(CUPY), {"CC408"}, {"CC408"}, {"LD_LIBRARY_PATH": str(stub)}, "cupy"),
            Fault("JAX with the toolkit's stub of libcuda", python(JAX), {"CC408"}, {"CC408"}, {"LD_LIBRARY_PATH": str(stub)}, "jax"),
            Fault("torch with forced PTX", python(TORCH), no_code, {"CC219"}, {"CUDA_FORCE_PTX_JIT": "1"}, "torch"),
            Fault("torch without PTX", python(TORCH), set(), set(), {"CUDA_DISABLE_PTX_JIT": "1"}, "torch", fails=False),
            Fault("the same GPU twice", [programs["fits"]], set(), {"CC210"}, {"CUDA_VISIBLE_DEVICES": "0,0"}),
            Fault("the first GPU alone", [programs["fits"]], set(), set(), {"CUDA_VISIBLE_DEVICES": "0"}, fails=False),
            Fault("torch with the toolkit's older libcuda", python(TORCH), {"CC209"}, {"CC209"}, {"LD_LIBRARY_PATH": "/usr/local/cuda/compat"}, "torch"),
            Fault("CuPy beside an NVRTC without its builtins", python(CUPY), set(), set(), {"LD_LIBRARY_PATH": str(lonely)}, "cupy", fails=False),
            Fault("Triton with a ptxas that is not there", python(TRITON), set(), set(), {"TRITON_PTXAS_PATH": "/opt/none/ptxas"}, "triton", fails=False),
            Fault("JAX with a toolkit folder that is not there", python(JAX), set(), set(), {"XLA_FLAGS": "--xla_gpu_cuda_data_dir=/opt/none"}, "jax", fails=False),
            Fault("torch with the toolkit's libraries first", python(TORCH), set(), set(), {"LD_LIBRARY_PATH": "/usr/local/cuda/lib64"}, "torch", fails=False),
        ]
        if self.carried:
            old, front, graph = (str(self.carried / name) for name in ("ptxas-11.8", "cudnn-9.12", "cudnn-9.12-graph"))
            faults += [
                Fault("Triton with an old ptxas", python(TRITON), {"CC201", "CC203"}, {"CC201", "CC203", "CC110"}, {"TRITON_PTXAS_PATH": old}, "triton"),
                Fault("torch with another cuDNN in LD_LIBRARY_PATH", python(CONVOLUTION), set(), set(), {"LD_LIBRARY_PATH": front}, "torch", fails=False),
                Fault("JAX with another cuDNN in LD_LIBRARY_PATH", python(JAX), set(), set(), {"LD_LIBRARY_PATH": front}, "jax", fails=False),
                Fault("torch with a library of another cuDNN", python(CONVOLUTION), set(), {"CC303"}, {"LD_LIBRARY_PATH": graph}, "torch"),
                Fault("JAX with a library of another cuDNN", python(JAX_CONVOLUTION), set(), {"CC303"}, {"LD_LIBRARY_PATH": graph}, "jax"),
            ]
        return faults

    def ask(self, env: dict, *arguments: str, text: str = "") -> dict:
        command = [self.options.ptxguard, *arguments, "--isolated", "--format", "json"]
        done = subprocess.run(command, input=text, env=env, capture_output=True, text=True, timeout=300, check=False)
        try:
            return json.loads(done.stdout)
        except ValueError:
            self.wrong.append(f"{' '.join(arguments)}: {done.stdout[-300:]}{done.stderr[-700:]}")
            return {}

    def without_places(self, text: str) -> str:
        """The text without the folders of this trial and of this Python, for the record."""
        for path, name in ((str(self.folder), "/trial"), (str(self.carried), "/carried"), (sys.prefix, "/venv")):
            text = text.replace(path, name)
        return text

    def run(self, fault: Fault) -> None:
        if fault.needs and subprocess.run([sys.executable, "-c", f"import importlib.util as u, sys; sys.exit(u.find_spec({fault.needs!r}) is None)"],
                                          check=False, capture_output=True).returncode:
            self.record.append({"name": fault.name, "skipped": f"{fault.needs} is not installed"})
            return
        env = {**os.environ, **fault.env, "TRITON_CACHE_DIR": str(self.folder / f"triton{abs(hash(fault.name))}"), "CUPY_CACHE_IN_MEMORY": "1", "XLA_PYTHON_CLIENT_PREALLOCATE": "false", "CUDA_CACHE_DISABLE": "1"}
        try:
            done = subprocess.run(fault.command, env=env, capture_output=True, text=True, timeout=240, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            self.wrong.append(f"{fault.name}: {error}")
            return
        log = self.without_places(done.stdout + done.stderr)
        explained = self.ask({**os.environ}, "explain", "-", text=log).get("diagnoses", []) if done.returncode else []
        report = self.ask(env, "check", *fault.arguments, "--python", sys.executable) if fault.env else {}
        findings = [[f["level"], f["code"], f["message"]] for f in report.get("findings", []) if not f.get("suppressed")]
        first = explained[0]["code"] if explained else ""
        env_of_fault = {name: self.without_places(value) for name, value in fault.env.items()}
        record = {"name": fault.name, "env": env_of_fault, "exit": done.returncode, "says": first, "check": [f[:2] for f in findings]}
        self.record.append({**record, **({"log": log, "code": sorted(fault.explained)} if done.returncode else {})})
        if fault.fails != (done.returncode != 0):
            self.wrong.append(f"{fault.name}: exit {done.returncode}, {'a failure' if fault.fails else 'success'} was expected")
        if done.returncode and fault.explained and first not in fault.explained:
            self.wrong.append(f"{fault.name}: explain says {first or 'nothing'}: {log[-300:]!r}")
        if fault.checked and not any(code in fault.checked for _, code, _ in findings):
            self.wrong.append(f"{fault.name}: check says {findings}")
        if done.returncode == 0 and any(level == "error" for level, _, _ in findings):
            self.wrong.append(f"{fault.name}: it runs, and check says {findings}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxguard", required=True)
    parser.add_argument("--carried", type=Path)
    parser.add_argument("--record", type=Path)
    options = parser.parse_args()
    options.ptxguard = str(Path(options.ptxguard).resolve())
    with tempfile.TemporaryDirectory(prefix="ptxguard-gpu-") as folder:
        trial = Trial(options, Path(folder))
        trial.file("k.ptx", PTX.format("6.0", "sm_70"))
        report = trial.ask({**os.environ}, "matrix", str(Path(folder) / "k.ptx"), "--probe", "off")
        if not any(one["kind"] == "gpu" for one in report.get("consumers", [])):
            print("skipped: no GPU is here, or no driver that shows one")
            return SKIP
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(trial.run, trial.faults()))
    if options.record:
        options.record.write_text(json.dumps(trial.record, indent=1) + "\n")
    for one in trial.record:
        print({name: value for name, value in one.items() if name != "log"})
    print("\n".join(trial.wrong) or "all named")
    return 1 if trial.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
