# Real wheels of frameworks beside real toolkits; and a Windows tree judged on Linux.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path

from support import PTXGUARD, CheckCase, linked_tree, part, python_environment, toolkit


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

    def test_sets_without_their_packages_raise_no_alarm_about_libraries(self) -> None:
        for name in ("torch-2.0.0", "torch-2.5.1", "torch-2.8.0", "torch-2.11.0-set", "tensorflow-2.15.0", "tensorflow-2.18.0"):
            with self.subTest(name=name):
                answer = self.check("--probe", "off", "--python", str(part(name)))
                alarms = [f for f in answer.findings if f["code"][:3] in ("CC3", "CC4", "CC5") and f["level"] != "note"]
                self.assertEqual(alarms, [], answer.text())

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
        # Copies: symlinks that lead out of the tree are not followed.
        linked_tree(part("tensorflow-2.4.1-win"), site)
        cuda = root / "C/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v13.0"
        linked_tree(part("win-toolkit-13.0") / "nvidia/cu13", cuda)
        answer = self.check("--root", str(root), "--os", "windows", "--python", "C:\\Python38\\python.exe",
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


if __name__ == "__main__":
    unittest.main()
