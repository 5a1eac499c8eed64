# The examples, as in their READMEs: each block of commands is run, and the output in the block below it must be
# printed. So README and program cannot diverge.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import PARTS, PTXGUARD, environment, part

REPOSITORY = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FINDING = re.compile(r"^(?:error|warning)\[CC\d{3}\]|^verdict: \w+|^(?:certain|likely)\[CC\d{3}\]")


def blocks(readme: str) -> list:
    """(commands, their output) in order; commands without shown output may print anything."""
    found = []
    for kind, text in BLOCK.findall(readme):
        if kind == "sh":
            found.append([text, None])
        elif found and found[-1][1] is None:
            found[-1][1] = text
    return found


def squeezed(text: str) -> list:
    return [" ".join(line.split()) for line in text.splitlines()]


class Example(unittest.TestCase):
    name = ""
    sets: tuple = ()

    def setUp(self) -> None:
        if not self.name:
            self.skipTest("no example of its own")
        for one in self.sets:
            part(one)
        # Next to the sets, so that trees of links can be made of them.
        self.folder = Path(tempfile.mkdtemp(prefix=".example-", dir=PARTS))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        shutil.copytree(REPOSITORY / "examples", self.folder / "examples", ignore=shutil.ignore_patterns("trees", "build"))
        for folder in ("tests", "cmake"):
            (self.folder / folder).symlink_to(REPOSITORY / folder)

    def run_block(self, commands: str) -> str:
        env = environment(XDG_CACHE_HOME=str(self.folder / "cache"), PTXGUARD_PARTS_DIR=str(PARTS), NO_COLOR="1", COLUMNS="10000")
        env["PATH"] = f"{Path(PTXGUARD).parent}:{env['PATH']}"
        env["PYTHONDONTWRITEBYTECODE"] = "1"
        env.update({name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_"))})
        done = subprocess.run(["bash", "-c", commands], cwd=self.folder / "examples" / self.name, env=env,
                              capture_output=True, text=True, timeout=600)
        self.assertIn(done.returncode, (0, 1), f"{commands}\n{done.stdout}\n{done.stderr}")
        self.assertEqual(done.stderr.replace("parts: ", "") if done.returncode == 0 else "", "", commands)
        return done.stdout

    def assert_prints(self, shown: str, printed: str, commands: str) -> None:
        lines, at = squeezed(printed), 0
        for line in squeezed(shown):
            if line in ("", "..."):
                continue
            self.assertIn(line, lines[at:], f"{commands}\nprints\n{printed}")
            at += lines[at:].index(line) + 1
        expected = [line for line in squeezed(shown) if FINDING.match(line)]
        if expected:
            self.assertEqual([line for line in lines if FINDING.match(line)], expected, commands)

    def test_readme(self) -> None:
        readme = (REPOSITORY / "examples" / self.name / "README.md").read_text(encoding="utf-8")
        found = blocks(readme)
        self.assertGreater(len(found), 1, "no commands in README.md")
        for commands, shown in found:
            with self.subTest(commands=commands.strip()):
                printed = self.run_block(commands)
                if shown is not None:
                    self.assert_prints(shown, printed, commands)


class TensorFlowPtxas(Example):
    name = "tensorflow_ptxas_windows"
    sets = ("tensorflow-2.4.1-win", "win-ptxas-11.8", "win-ptxas-12.9", "win-cublas-11.11", "win-cuda-11.8-dlls", "win-cuda-12.9-dlls")


class CudnnMismatch(Example):
    name = "cudnn_mismatch"
    sets = ("torch-2.11.0-set", "tensorflow-2.18-set", "cudnn-9.12-set", "cudnn-9.12-graph", "cudnn-9.1-set", "cudnn-8.9-set")


class BlasGemmFailed(Example):
    name = "blas_gemm_failed"
    sets = ("tensorflow-2.18-set", "torch-2.11.0-set", "cublas-12.4", "cublas-12.5-code", "cublas-13.1-code")


class CublasDll(Example):
    name = "cublas_dll_windows"
    sets = ("tensorflow-2.4.1-win", "win-ptxas-11.8", "win-ptxas-12.9", "win-cublas-11.11", "win-cuda-11.8-dlls",
            "win-cuda-12.9-dlls", "win-cupy-12x")


class OldDriver(Example):
    name = "old_driver"
    sets = ("pypi-repaired-13.0.2",)


class PlainCuda(Example):
    name = "plain_cuda"
    sets = ("pypi-repaired-13.0.2",)


class PypiNvcc(Example):
    name = "pypi_nvcc"
    sets = ("pypi-mixed-13.0.88", "pypi-repaired-13.0.2", "binary-faiss")


if __name__ == "__main__":
    unittest.main()
