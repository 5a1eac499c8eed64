# The GPU column of the matrix, with a mock of the driver's library (fake_cuda.cpp).
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import PTXGUARD, CheckCase, validate

FAKE = os.environ["PTXGUARD_FAKE_CUDA"]


class FakeGpu(CheckCase):
    @classmethod
    def setUpClass(cls) -> None:
        # Shared by all tests, so that the compilers of this machine run only once.
        cls.cache = tempfile.mkdtemp(prefix="ptxguard-gpu-")
        cls.addClassCleanup(shutil.rmtree, cls.cache, ignore_errors=True)

    def ptx(self, version: str, target: str) -> str:
        path = self.folder / f"{version}-{target}.ptx"
        path.write_text(f".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {{ ret; }}\n// {self.id()}\n")
        return str(path)

    def column(self, *files: str, **driver: str) -> tuple[dict, list]:
        """The GPU as a consumer, and its cells by the file's name."""
        env = self.env(LD_LIBRARY_PATH=FAKE, XDG_CACHE_HOME=self.cache, **driver)
        command = [PTXGUARD, "matrix", "--isolated", "--format", "json", "--arch", "80", *files]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = json.loads(done.stdout)
        validate(report)
        gpus = [c for c in report["consumers"] if c["kind"] == "gpu"]
        if not gpus:
            return {}, []
        files_of = {p["id"]: p["name"] for p in report["producers"]}
        cells = {files_of[c["producer"]]: c for c in report["cells"] if c["consumer"] == gpus[0]["id"]}
        return gpus[0], cells

    def test_ptx_that_the_driver_reads_is_loaded_and_newer_is_error_222(self) -> None:
        old, new = self.ptx("8.2", "sm_80"), self.ptx("9.0", "sm_80")
        gpu, cells = self.column(old, new, FAKE_GPU="9.0", FAKE_READS="8.2")
        self.assertIn("Fake GPU", gpu["name"])
        self.assertEqual((cells["8.2-sm_80.ptx"]["outcome"], cells["8.2-sm_80.ptx"]["basis"]), ("accepted", "measured"))
        refused = cells["9.0-sm_80.ptx"]
        self.assertEqual((refused["outcome"], refused["basis"]), ("refused", "measured"))
        self.assertIn("CUDA error 222 (CUDA_ERROR_UNSUPPORTED_PTX_VERSION): the provided PTX was compiled with an unsupported "
                      "toolchain.", refused["evidence"])

    def test_ptx_for_a_newer_gpu(self) -> None:
        _, cells = self.column(self.ptx("8.0", "sm_80"), FAKE_GPU="7.5", FAKE_READS="8.2")
        self.assertEqual(cells["8.0-sm_80.ptx"]["outcome"], "refused")
        self.assertIn("209 (CUDA_ERROR_NO_BINARY_FOR_GPU)", cells["8.0-sm_80.ptx"]["evidence"])

    def test_an_error_that_is_not_about_the_ptx_is_broken(self) -> None:
        _, cells = self.column(self.ptx("8.0", "sm_80"), FAKE_GPU="9.0", FAKE_READS="8.2", FAKE_FAILS="2")
        self.assertEqual(cells["8.0-sm_80.ptx"]["outcome"], "broken")

    def on_this_gpu(self, **driver: str) -> subprocess.CompletedProcess:
        """The script for a machine with a GPU."""
        env = self.env(LD_LIBRARY_PATH=FAKE, XDG_CACHE_HOME=self.cache, **driver)
        script = Path(__file__).with_name("on_this_gpu.py")
        return subprocess.run([sys.executable, "-B", script, "--ptxguard", PTXGUARD, "--ptxas", "none"], env=env, capture_output=True, text=True, timeout=200)

    def test_the_script_for_a_machine_with_a_gpu(self) -> None:
        done = self.on_this_gpu(FAKE_GPU="9.0", FAKE_READS="8.2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for line in ('"gpu": "Fake GPU', "all equal"):
            self.assertIn(line, done.stdout)
        self.assertEqual(self.on_this_gpu().returncode, 77)

    def test_without_a_gpu_there_is_no_column(self) -> None:
        self.assertEqual(self.column(self.ptx("8.0", "sm_80"))[0], {})


if __name__ == "__main__":
    unittest.main()
