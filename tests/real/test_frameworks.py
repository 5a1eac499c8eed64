# Real wheels of frameworks next to real toolkits; and a Windows tree checked on Linux.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from support import PARTS, PTXGUARD, Answer, CheckCase, linked_tree, part, python_environment, toolkit


class PyTorch(CheckCase):
    def beside(self, torch: str, *arguments: str):
        return self.check("--toolkit", toolkit("pypi-repaired-13.0.2"), "--python", str(part(torch)), *arguments)

    def test_torch_of_cuda_11_beside_cuda_13(self) -> None:
        self.assert_finding(self.beside("torch-2.0.0"), "CC601", "error", "11.7", "13.0")

    def test_torch_of_cuda_12_beside_cuda_13(self) -> None:
        for torch, cuda in (("torch-2.5.1", "12.4"), ("torch-2.8.0", "12.8")):
            with self.subTest(torch=torch):
                self.assert_finding(self.beside(torch), "CC601", "error", cuda, "13.0")

    def test_torch_of_cuda_13_with_all_its_wheels_passes(self) -> None:
        answer = self.beside("torch-2.11.0-set")
        self.assert_pass(answer)
        torch = answer.report["expectations"][0]
        self.assertEqual((torch["framework"], torch["cuda"]["value"]), ("PyTorch", "13.0"))
        self.assertTrue(torch["cudnn"]["value"].startswith("9.19"), torch["cudnn"])
        self.assertEqual((torch["cxx_abi"]["value"], torch["cxx_standard"]["value"]), (1, 17))

    def test_sets_without_their_packages(self) -> None:
        """torch does not start without them; TensorFlow does, and nothing says that it is to use a GPU."""
        for name in ("torch-2.0.0", "torch-2.5.1", "torch-2.8.0", "torch-2.11.0-set", "tensorflow-2.15.0", "tensorflow-2.18.0"):
            with self.subTest(name=name):
                answer = self.check("--probe", "off", "--python", str(part(name)))
                alarms = [(f["code"], f["level"]) for f in answer.findings if f["code"][:3] in ("CC3", "CC4", "CC5") and f["level"] != "note"]
                without = name.startswith("torch") and not name.endswith("-set")
                self.assertEqual(alarms, [("CC401", "warning")] if without else [], answer.text())

    def test_a_virtual_environment_is_read(self) -> None:
        venv = python_environment(self.folder / "venv", part("torch-2.0.0"))
        env = self.env(VIRTUAL_ENV=str(venv), PATH=f"{venv}/bin:/usr/bin:/bin")
        answer = self.check("--toolkit", toolkit("pypi-repaired-13.0.2"), env=env)
        self.assert_finding(answer, "CC601", "error", "11.7")
        self.assertEqual(answer.report["expectations"][0]["python_because"], "VIRTUAL_ENV")

    def test_abi_and_standard_of_the_project(self) -> None:
        answer = self.beside("torch-2.0.0", "--cxx-abi", "1", "--cxx-standard", "14")
        self.assert_finding(answer, "CC605", "error", "torch")
        self.assert_finding(answer, "CC606", "error", "17")
        answer = self.beside("torch-2.0.0", "--cxx-abi", "0", "--cxx-standard", "17")
        self.assertEqual(answer.of("CC605") + answer.of("CC606"), [])

    def test_declared_builds(self) -> None:
        kit = toolkit("pypi-repaired-13.0.2")
        self.assert_finding(self.check("--toolkit", kit, "--framework", "torch==2.5.1+cu121"), "CC601", "error", "12.1")
        self.assert_finding(self.check("--toolkit", kit, "--framework", "torch==2.0.0+cu121"), "CC603", "error", "cu117", "cu118")
        self.assert_pass(self.check("--toolkit", kit, "--framework", "torch==2.11.0+cu130"))


class CodeInside(CheckCase):
    """A framework's architectures are those of its own kernels, whatever a table has for its release."""

    def site(self, *flags: str) -> Path:
        compiler = shutil.which("gcc")
        if not compiler:
            self.skipTest("no gcc")
        site = self.folder / "site"
        linked_tree(part("torch-2.8.0"), site)
        library = site / "torch/lib/libtorch_cuda.so"
        library.unlink(missing_ok=True)
        library.parent.mkdir(exist_ok=True)
        source = self.folder / "k.cu"
        source.write_text("__global__ void k(float* p) { p[threadIdx.x] = 1; }\n")
        kit = toolkit("pypi-repaired-13.0.2")
        subprocess.run([f"{kit}/bin/nvcc", "-c", "-Xcompiler", "-fPIC", *flags, str(source), "-o", str(self.folder / "k.o")],
                       check=True, env=self.env(), capture_output=True)
        subprocess.run([compiler, "-shared", str(self.folder / "k.o"), "-o", str(library)], check=True)
        return site

    def judge(self, site: Path, gpu: str) -> Answer:
        return self.check("--probe", "off", "--toolkit", toolkit("pypi-repaired-13.0.2"), "--python", str(site), "--gpu", gpu)

    def test_cubins_alone(self) -> None:
        site = self.site("-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90")
        finding = self.assert_finding(self.judge(site, "12.0"), "CC607", "error", "cubins for sm_80 and sm_90")
        self.assertIn("libtorch_cuda.so", finding["found"][0]["origin"]["text"])
        self.assertEqual(self.judge(site, "8.6").of("CC607"), [])

    def test_the_table_gives_way_and_the_difference_is_kept(self) -> None:
        answer = self.judge(self.site("-gencode", "arch=compute_75,code=sm_75"), "7.5")
        torch = next(e for e in answer.report["expectations"] if e["framework"] == "PyTorch")
        different = [d for d in torch["disagreements"] if d["what"] == "architectures"]
        self.assertEqual(len(different), 1, torch)
        self.assertIn("sm_75", json.dumps(different))
        self.assertIn("sm_120", json.dumps(different))

    def test_a_library_of_which_only_a_part_is_here_tells_nothing(self) -> None:
        answer = self.judge(part("torch-2.11.0-set"), "12.0")
        torch = next(e for e in answer.report["expectations"] if e["framework"] == "PyTorch")
        self.assertEqual(torch["archs"]["origin"]["kind"], "table", torch["archs"])


class TensorFlow(CheckCase):
    def test_linux_wheels(self) -> None:
        for version, cuda in (("2.15.0", "12.2"), ("2.18.0", "12.5")):
            with self.subTest(version=version):
                answer = self.check("--toolkit", toolkit("pypi-repaired-13.0.2"), "--python", str(part(f"tensorflow-{version}")))
                self.assert_finding(answer, "CC601", "error", cuda, "13.0")

    def test_windows_wheel_of_cuda_11_beside_cuda_13(self) -> None:
        root = self.folder / "image"
        python = root / "C/Python38"
        site = python / "Lib/site-packages"
        python.mkdir(parents=True)
        (python / "python.exe").write_bytes(b"MZ")
        # Copies: symlinks that point outside the tree are not followed.
        linked_tree(part("tensorflow-2.4.1-win"), site)
        cuda = root / "C/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v13.0"
        linked_tree(part("win-toolkit-13.0") / "nvidia/cu13", cuda)
        answer = self.check("--root", str(root), "--os", "windows", "--python", "C:\\Python38\\python.exe", "--build",
                            "--env", "CUDA_PATH=C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v13.0",
                            "--env", "PATH=%CUDA_PATH%\\bin;C:\\Windows")
        self.assert_finding(answer, "CC601", "error", "11.0", "13.0", "TensorFlow")
        tensorflow = next(e for e in answer.report["expectations"] if e["framework"] == "TensorFlow")
        self.assertEqual((tensorflow["cuda"]["value"], tensorflow["cudnn"]["value"]), ("11.0", "8"))


class AgainstTables(unittest.TestCase):
    def test_small_files_of_real_wheels_say_what_the_tables_say(self) -> None:
        script = Path(__file__).resolve().parent / "compare_frameworks.py"
        done = subprocess.run([sys.executable, "-B", str(script), "--ptxguard", PTXGUARD, "--small"], capture_output=True, text=True)
        if done.returncode == 77:
            self.skipTest(done.stdout + done.stderr)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class OtherFrameworks(CheckCase):
    """JAX, ONNX Runtime and Triton, from the small files of their real wheels."""

    def read(self, name: str, *arguments: str, **options):
        answer = self.check("--probe", "off", "--toolkit", toolkit("pypi-repaired-13.0.2"), "--python", str(part(name)), *arguments, **options)
        self.assertEqual(len(answer.report["expectations"]), 1, answer.report["expectations"])
        return answer, answer.report["expectations"][0]

    def assert_built_with(self, found: dict, framework: str, version: str, cuda: str, cudnn: str | None) -> None:
        self.assertEqual(
            (found["framework"], found["version"]["value"], found["cuda"]["value"], found.get("cudnn", {}).get("value")),
            (framework, version, cuda, cudnn), found)
        self.assertNotEqual(found["cuda"]["origin"]["kind"], "table", "its own files tell")
        self.assertNotIn("cxx_abi", found)
        self.assertNotIn("disagreements", found)

    def test_jax_tells_by_its_own_code_what_its_plugin_was_built_with(self) -> None:
        for name, version, cuda, cudnn, plugin in (
            ("jax-0.4.23", "0.4.23", "12.2", "8.9.4", "jax-cuda12-plugin"),
            ("jax-0.6.0", "0.6.0", "12.8", "9.8.0", "jax-cuda12-plugin"),
            ("jax-0.9.2-cuda13", "0.9.2", "13.0", "9.12.0", "jax-cuda13-plugin"),
        ):
            with self.subTest(name=name):
                answer, found = self.read(name)
                self.assert_built_with(found, "JAX", version, cuda, cudnn)
                self.assertEqual(found["cuda"]["origin"]["kind"], "library")
                self.assertEqual((found["build_package"], found["build_version"]["value"]), (plugin, version))
                self.assertEqual(answer.of("CC612"), [])
                # Which ptxas XLA finds depends on the machine.
                levels = {level for code, level in answer.levels() if code.startswith("CC6")}
                self.assertLessEqual(levels, {"note", "unknown"}, answer.text())

    def test_jax_asks_for_packages_only_by_an_extra(self) -> None:
        _, found = self.read("jax-0.6.0")
        self.assertIn("nvidia-cudnn-cu12<10.0,>=9.8", found["asks_for"])
        self.assertEqual(found["cudnn_from"]["value"], "system")

    def test_jax_with_a_plugin_of_another_release(self) -> None:
        site = self.folder / "site-packages"
        site.mkdir()
        for entry in part("jax-0.6.0").iterdir():
            if not entry.name.startswith("jax_cuda12_plugin"):
                (site / entry.name).symlink_to(entry)
        for entry in part("jax-0.4.23").iterdir():
            if entry.name.startswith("jax_cuda12_plugin"):
                (site / entry.name).symlink_to(entry)
        arguments = ("--probe", "off", "--toolkit", toolkit("pypi-repaired-13.0.2"), "--python", str(site))
        self.assert_finding(self.check(*arguments), "CC612", "warning", "0.4.23", "jaxlib 0.6.0", "runs on the CPU")
        self.assert_finding(self.check(*arguments, "--framework", "jax"), "CC612", "error", "jax-cuda12-plugin[with-cuda]==0.6.0")

    def test_jax_beside_another_major_is_a_note_unless_it_was_asked_for(self) -> None:
        self.assert_finding(self.read("jax-0.6.0")[0], "CC601", "note", "12.8", "13.0")
        self.assert_finding(self.read("jax-0.6.0", "--framework", "jax")[0], "CC601", "error", "12.8", "13.0")
        answer, _ = self.read("jax-0.9.2-cuda13", "--framework", "jax")
        self.assertEqual(answer.of("CC601"), [])

    def test_onnxruntime(self) -> None:
        answer, found = self.read("onnxruntime-1.22.0")
        self.assert_built_with(found, "ONNXRuntime", "1.22.0", "12.2", "9")
        self.assertIn("nvidia-cudnn-cu12~=9.0", found["asks_for"])
        self.assertLessEqual({level for _, level in answer.levels()}, {"note", "unknown"}, answer.text())

    def test_onnxruntime_of_windows(self) -> None:
        answer, found = self.read("onnxruntime-1.22.0-win", "--os", "windows", "--root", str(PARTS))
        self.assert_built_with(found, "ONNXRuntime", "1.22.0", "12.2.128", "9")

    def test_onnxruntime_that_the_cpu_package_was_laid_over(self) -> None:
        answer, found = self.read("onnxruntime-1.22.0-both")
        self.assert_finding(answer, "CC612", "warning", "onnxruntime 1.22.0", "onnxruntime-gpu 1.22.0", "which has no CUDA")
        self.assertTrue(found["cpu_only"]["value"])

    def test_triton(self) -> None:
        answer, found = self.read("triton-3.6.0")
        self.assert_built_with(found, "Triton", "3.6.0", "12.8.93", None)
        self.assertEqual({tool["tool"]: tool["version"]["value"] for tool in found["tools"]}, {"ptxas": "12.8.93", "ptxas-blackwell": "12.9.86"})
        self.assertEqual(answer.of("CC601") + answer.of("CC602"), [])

    def test_triton_of_windows(self) -> None:
        answer, found = self.read("triton-windows-3.3.1", "--os", "windows", "--root", str(PARTS))
        self.assert_built_with(found, "Triton", "3.3.1.post19", "12.8.61", None)

    def test_declared(self) -> None:
        for value, cuda in (("jax==0.6.0", "12.8"), ("onnxruntime-gpu==1.20.1", "12.2.128"), ("triton==3.2.0", "12.4.99")):
            with self.subTest(value=value):
                answer = self.check("--probe", "off", "--toolkit", toolkit("pypi-repaired-13.0.2"), "--python", str(self.folder), "--framework", value)
                self.assertEqual(answer.report["expectations"][0]["cuda"]["value"], cuda)
                self.assertEqual(answer.of("CC603"), [])
        for value, near in (("jax==0.6.7", "0.6.2"), ("triton==3.2.9", "3.3.0")):
            answer = self.check("--probe", "off", "--python", str(self.folder), "--framework", value)
            self.assert_finding(answer, "CC603", "error", near)


if __name__ == "__main__":
    unittest.main()
