# Consistent installations of real wheels, which must have no finding: no error and no warning, whichever framework, and
# whichever other minor release of the toolkit is next to them.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import subprocess
import unittest
from pathlib import Path

from support import PARTS, PTXGUARD, Answer, CheckCase, linked_tree, part

SITE = "/opt/venv/lib/python3.11/site-packages"


class Consistent(CheckCase):
    def setUp(self) -> None:
        super().setUp()
        self.root = self.folder / "root"
        (self.root / "usr/bin").mkdir(parents=True)

    def lay(self, *sets: str) -> None:
        for name in sets:
            linked_tree(part(name), self.root / SITE[1:])

    def lay_toolkit(self, name: str, inside: str = ".", to: str = "usr/local/cuda") -> None:
        linked_tree(part(name) / inside, self.root / to)

    def judge(self, gpu: str, driver: str, *arguments: str) -> Answer:
        return self.check("--root", str(self.root), "--python", SITE, "--probe", "off", "--gpu", gpu, "--driver", driver, *arguments)

    def assert_quiet(self, answer: Answer, framework: str, *codes: str) -> None:
        """No error, no warning; only the given unknowns and notes. The framework was found and its libraries traced."""
        self.assertEqual(answer.report["verdict"], "pass", answer.text())
        self.assertEqual([f for f in answer.findings if f["level"] in ("error", "warning")], [], answer.text())
        self.assertLessEqual({f["code"] for f in answer.findings}, {"CC106", "CC602", *codes}, answer.text())
        self.assertIn(framework, {e["framework"] for e in answer.report["expectations"]})
        trace = [t for t in answer.report["traces"] if t["framework"] == framework]
        self.assertTrue(trace, f"{framework}: no trace")
        taken = [library for library in trace[0]["libraries"] if library["taken"]]
        self.assertTrue(taken, json.dumps(trace[0]["libraries"], indent=1))
        for library in taken:
            self.assertTrue(library["taken"].startswith(SITE), library)


class TorchFlavours(Consistent):
    def quiet(self, name: str, gpu: str, driver: str) -> None:
        self.lay(name)
        for environment in ("", "LD_LIBRARY_PATH=/usr/lib64", "CUDA_VISIBLE_DEVICES=0"):
            with self.subTest(environment=environment):
                arguments = ["--env", environment] if environment else []
                self.assert_quiet(self.judge(gpu, driver, *arguments), "PyTorch")

    def test_cuda_11_7(self) -> None:
        self.quiet("torch-cu117-set", "Tesla V100,A100", "450.80.02")

    def test_cuda_12_1(self) -> None:
        self.quiet("torch-cu121-set", "Tesla V100,H100", "525.60.13")

    def test_cuda_12_4(self) -> None:
        self.quiet("torch-cu124-set", "Tesla V100,H100", "525.60.13")

    def test_cuda_12_6(self) -> None:
        self.quiet("torch-cu126-set", "Tesla V100,H100", "560.35.03")

    def test_cuda_12_8(self) -> None:
        self.quiet("torch-cu128-set", "A100,RTX 5090", "570.86.15")

    def test_cuda_13_0(self) -> None:
        self.quiet("torch-2.11.0-set", "A100,RTX 5090", "580.65.06")


class TorchBesideToolkits(Consistent):
    """A system toolkit of another minor release: a note at most."""

    def test_cuda_12_4_beside_torch_of_12_8(self) -> None:
        self.lay("torch-cu128-set")
        self.lay_toolkit("debian-nvcc-12.4", to=".")
        self.assert_quiet(self.judge("A100", "570.86.15"), "PyTorch")

    def test_cuda_11_8_beside_torch_of_11_7(self) -> None:
        self.lay("torch-cu117-set")
        self.lay_toolkit("debian-nvcc-11.8", to=".")
        self.assert_quiet(self.judge("A100", "520.61.05"), "PyTorch")

    def test_cuda_13_3_beside_torch_of_13_0_on_this_machine(self) -> None:
        toolkit = part("toolkit-13.3") / "nvidia/cu13"
        site = self.folder / "venv/lib/python3.11/site-packages"
        linked_tree(part("torch-2.11.0-set"), site)
        for mode in ("auto", "off"):
            with self.subTest(mode=mode):
                answer = self.check("--toolkit", str(toolkit), "--python", str(site), "--probe", mode, "--driver", "610.43.02", "--gpu", "A100",
                                    env=self.env(PATH=f"{toolkit}/bin:/usr/bin:/bin", CUDA_HOME=str(toolkit)))
                self.assert_pass(answer)

    def test_its_own_cuda_libraries_in_the_search_path_too(self) -> None:
        """Another CUDA's whole set of libraries in LD_LIBRARY_PATH has no effect on a torch with DT_RPATH."""
        self.lay("torch-2.11.0-set")
        linked_tree(part("tensorflow-2.18-set") / "nvidia", self.root / "opt/other")
        others = ":".join(f"/opt/other/{name}/lib" for name in ("cublas", "cuda_runtime", "cufft", "cusolver", "cusparse"))
        self.assert_quiet(self.judge("A100", "580.65.06", "--env", f"LD_LIBRARY_PATH={others}"), "PyTorch")


class TensorFlowAndCuda(Consistent):
    def test_with_its_wheels(self) -> None:
        self.lay("tensorflow-2.18-set")
        self.assert_quiet(self.judge("A100", "525.60.13"), "TensorFlow")

    def test_beside_another_minor_release(self) -> None:
        self.lay("tensorflow-2.18-set")
        self.lay_toolkit("debian-nvcc-12.4", to=".")
        self.assert_quiet(self.judge("A100", "550.54.14"), "TensorFlow")

    def test_on_windows_with_cuda_11(self) -> None:
        from partslib import lay_trees
        described = Path(__file__).resolve().parents[2] / "examples/tensorflow_ptxas_windows/trees.json"
        root, = lay_trees(described, ["cuda11"], self.folder, PARTS)
        answer = self.check("--root", str(root), "--os", "windows", "--python", r"C:\Python38\python.exe", "--probe", "off",
                            "--gpu", "RTX 3090", "--driver", "471.41", "--env", r"PATH=C:\Python38;D:\CUDA\v11.0\bin;C:\cuDNN\bin",
                            "--env", r"XLA_FLAGS=--xla_gpu_cuda_data_dir=D:\CUDA\v11.0")
        self.assert_pass(answer)
        self.assertLessEqual({f["code"] for f in answer.findings}, {"CC106"}, answer.text())


@unittest.skipUnless(os.environ.get("PTXGUARD_LARGE_PARTS"), "fetches some 9 GB and keeps 1.2 GB: PTXGUARD_LARGE_PARTS=1")
class AsALoaderSeesThem(Consistent):
    """The same with all that a loader reads of every library: its dependencies and where it searches for them."""

    def quiet(self, name: str, framework: str, gpu: str, driver: str) -> None:
        self.lay(name)
        self.assert_quiet(self.judge(gpu, driver), framework)
        libraries = self.root / SITE[1:]
        for file in ("torch/lib/libtorch_cuda.so", "tensorflow/libtensorflow_cc.so.2"):
            if (libraries / file).exists():
                self.undefined(f"{SITE}/{file}")

    def undefined(self, file: str) -> None:
        """No NVIDIA library lacks a name that another one should define."""
        command = [PTXGUARD, "deps", "--format", "json", "--undefined", "--root", str(self.root), "--python", SITE, file]
        report = json.loads(subprocess.run(command, env=self.env(), capture_output=True, text=True, timeout=300).stdout)
        self.assertEqual([f for f in report["findings"] if f["level"] in ("error", "warning")], [], json.dumps(report["findings"], indent=1))

    def test_torch_of_cuda_11_7(self) -> None:
        self.quiet("torch-cu117-hollow", "PyTorch", "Tesla V100,A100", "450.80.02")

    def test_torch_of_cuda_12_4(self) -> None:
        self.quiet("torch-cu124-hollow", "PyTorch", "Tesla V100,H100", "525.60.13")

    def test_torch_of_cuda_12_8(self) -> None:
        self.quiet("torch-cu128-hollow", "PyTorch", "A100,RTX 5090", "570.86.15")

    def test_tensorflow(self) -> None:
        self.quiet("tensorflow-2.18-hollow", "TensorFlow", "A100", "525.60.13")


class OtherConsistent(Consistent):
    """With NVIDIA's wheels of the torch sets, which their ranges allow."""

    def lay_nvidia(self, name: str) -> None:
        for entry in sorted(part(name).iterdir()):
            if entry.name.startswith("nvidia"):
                linked_tree(entry, self.root / SITE[1:] / entry.name)

    def test_jax_of_cuda_12(self) -> None:
        self.lay("jax-cuda12-set", "ptxas-12.8")
        self.lay_nvidia("torch-cu128-set")
        self.assert_quiet(self.judge("A100,H100", "570.86.15"), "JAX")

    def test_jax_of_cuda_13(self) -> None:
        self.lay("jax-cuda13-set", "pypi-repaired-13.0.2")
        self.lay_nvidia("torch-2.11.0-set")
        self.assert_quiet(self.judge("A100,H100", "580.65.06"), "JAX")

    def test_onnxruntime(self) -> None:
        self.lay("onnxruntime-set")
        self.lay_nvidia("torch-cu128-set")
        self.assert_quiet(self.judge("A100,H100", "570.86.15"), "ONNXRuntime", "CC401")  # the note on preload_dlls()

    def test_cupy_of_cuda_12_finds_its_wheels(self) -> None:
        self.lay("cupy-14-12x-set")
        self.lay_nvidia("torch-cu128-set")
        self.assert_quiet(self.judge("A100,H100", "570.86.15"), "CuPy")

    def test_cupy_of_cuda_13_finds_its_wheels(self) -> None:
        self.lay("cupy-14-13x-set")
        self.lay_nvidia("torch-2.11.0-set")
        self.assert_quiet(self.judge("A100,H100", "580.65.06"), "CuPy")

    def test_older_cupy_with_the_libraries_on_the_search_path(self) -> None:
        self.lay("cupy-12x-set")
        self.lay_nvidia("torch-cu128-set")
        folders = ":".join(f"{SITE}/nvidia/{name}/lib" for name in ("cublas", "cusolver", "cusparse", "curand", "cuda_nvrtc", "nvjitlink"))
        self.assert_quiet(self.judge("A100,H100", "570.86.15", "--env", f"LD_LIBRARY_PATH={folders}"), "CuPy")

    def test_all_in_one_environment(self) -> None:
        self.lay("torch-cu128-set", "jax-cuda12-set", "onnxruntime-set", "cupy-12x-set", "ptxas-12.8")
        answer = self.judge("A100,H100", "570.86.15")
        for framework in ("PyTorch", "JAX", "ONNXRuntime", "CuPy"):
            self.assert_quiet(answer, framework, "CC401")  # the note on ONNX Runtime's preload_dlls()


if __name__ == "__main__":
    unittest.main()
