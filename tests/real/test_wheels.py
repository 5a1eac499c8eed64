# Wheels of fourteen projects as they are on PyPI, checked in place: no finding where they run as installed.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import parts
from partslib import pip
from support import PARTS, PTXGUARD, environment, validate

HOPPER = ("H100", "550.54.14")
BLACKWELL = ("RTX 5090", "580.65.06")
VOLTA = ("V100", "535.104.05")
MACHINES = (HOPPER, BLACKWELL, VOLTA)
NO_CODE = {"flashinfer-python", "numba", "nvidia-cuda-nvcc-cu12", "torchcodec"}  # nothing in them meets the GPU
LARGE = {"onnxruntime-gpu": (BLACKWELL,)}  # hundreds of MB, each time unpacked: one machine
# Package, version, and the errors and warnings on a GPU with a driver; none on the others.
WHEELS = (
    ("bitsandbytes", "0.48.1", {}),  # one library per CUDA release; one of them is loaded
    ("ctranslate2", "4.6.0", {}),
    ("cupy-cuda12x", "13.4.1", {}),
    ("faiss-gpu-cu12", "1.14.1.post1", {HOPPER: {"CC204"}, BLACKWELL: {"CC204"}}),  # cubins for sm_70 and sm_80, no PTX
    ("flashinfer-python", "0.7.2.post1", {}),  # compiles when it runs
    ("jax-cuda12-plugin", "0.7.2", {}),
    ("nixl-cu12", "1.5.1", {}),
    ("nixl-cu13", "1.5.1", {HOPPER: {"CC208"}, VOLTA: {"CC204"}}),  # CUDA 13 needs driver 580 and has no sm_70
    ("numba", "0.68.1", {}),
    ("nvidia-cuda-nvcc-cu12", "12.8.93", {}),
    ("onnxruntime-gpu", "1.23.2", {}),  # sm_70 to sm_90, and PTX
    ("torchaudio", "2.8.0", {}),
    ("torchcodec", "0.11.1", {}),
    ("torchvision", "0.26.0", {HOPPER: {"CC208"}, VOLTA: {"CC204"}}),  # CUDA 13
    ("xformers", "0.0.32.post2", {VOLTA: {"CC204"}}),  # from sm_75
)

# Without a machine: the driver that the PTX of a module needs on a GPU that the oldest driver of its CUDA runs too.
MINIMUM = {"ctranslate2": {"needs driver 535.54.03 or newer on sm_90"}, "torchaudio": set(), "nixl-cu12": set(), "jax-cuda12-plugin": set()}


class Wheels(unittest.TestCase):
    def report(self, wheel: Path, *arguments: str) -> dict:
        done = subprocess.run([PTXGUARD, "inspect", "--isolated", "--format", "json", *arguments, str(wheel)],
                              env=environment(), capture_output=True, text=True, timeout=300)
        report = json.loads(done.stdout)
        validate(report)
        return report

    def verdict(self, wheel: Path, gpu: str, driver: str) -> tuple[str, set]:
        report = self.report(wheel, "--gpu", gpu, "--driver", driver)
        return report["verdict"], {finding["code"] for finding in report["findings"] if finding["level"] in ("error", "warning")}

    def minimum(self, wheel: Path) -> set:
        messages = [one["message"] for one in self.report(wheel)["findings"] if one["code"] == "CC216"]
        return {message[message.index("needs driver"):message.index(",")] for message in messages}

    def test_wheels_of_fourteen_projects(self) -> None:
        for package, version, expected in WHEELS:
            with self.subTest(wheel=f"{package} {version}"):
                PARTS.mkdir(parents=True, exist_ok=True)
                folder = Path(tempfile.mkdtemp(prefix=".wheel-", dir=PARTS))
                try:
                    wheel = pip.download(package, version, "linux", "3.12", folder)
                    for machine in LARGE.get(package, MACHINES):
                        codes = expected.get(machine, set())
                        verdict = "fail" if codes else "unknown" if package in NO_CODE else "pass"
                        self.assertEqual(self.verdict(wheel, *machine), (verdict, codes), machine)
                    if package in MINIMUM:
                        self.assertEqual(self.minimum(wheel), MINIMUM[package])
                except parts.Unavailable as reason:
                    self.skipTest(str(reason))
                finally:
                    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    unittest.main()
