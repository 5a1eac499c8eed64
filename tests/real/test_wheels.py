# Wheels of twelve projects as they are on PyPI, checked in place: what runs where they are installed stays silent.
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
    ("torchaudio", "2.8.0", {}),
    ("xformers", "0.0.32.post2", {VOLTA: {"CC204"}}),  # from sm_75
)


class Wheels(unittest.TestCase):
    def verdict(self, wheel: Path, gpu: str, driver: str) -> tuple[str, set]:
        done = subprocess.run([PTXGUARD, "inspect", "--isolated", "--format", "json", "--gpu", gpu, "--driver", driver, str(wheel)],
                              env=environment(), capture_output=True, text=True, timeout=300)
        report = json.loads(done.stdout)
        validate(report)
        return report["verdict"], {finding["code"] for finding in report["findings"] if finding["level"] in ("error", "warning")}

    def test_wheels_of_twelve_projects(self) -> None:
        for package, version, expected in WHEELS:
            with self.subTest(wheel=f"{package} {version}"):
                PARTS.mkdir(parents=True, exist_ok=True)
                folder = Path(tempfile.mkdtemp(prefix=".wheel-", dir=PARTS))
                try:
                    wheel = pip.download(package, version, "linux", "3.12", folder)
                    for machine in (HOPPER, BLACKWELL, VOLTA):
                        codes = expected.get(machine, set())
                        self.assertEqual(self.verdict(wheel, *machine), ("fail" if codes else "pass", codes), machine)
                except parts.Unavailable as reason:
                    self.skipTest(str(reason))
                finally:
                    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    unittest.main()
