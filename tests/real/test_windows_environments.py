# Python environments and programs of Windows, of real wheels for win_amd64, as trees for `--root`: each fault beside the
# installation without it.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import unittest

from support import Answer, WindowsTree, linked_tree, part
from test_dll import DepsCase

CUDA_11 = ("win-cuda-11.8-dlls", "win-cublas-11.11")
CUDA_12 = ("win-cuda-12.9-dlls", "win-nvrtc-12.9-dll")


class WindowsEnvironments(WindowsTree, DepsCase):
    def setUp(self) -> None:
        super().setUp()
        (self.root / "CUDA/bin").mkdir(parents=True)

    def judge(self, *more: str, path: str | None = r"C:\CUDA\bin;C:\Windows\System32", gpu: str | None = "RTX 3060") -> Answer:
        words = [*more, "--env", f"PATH={path}"] if path is not None else [*more]
        return self.check_tree(*words, *(["--gpu", gpu] if gpu else []))

    def alarms(self, answer: Answer) -> list:
        return [(f["code"], f["message"]) for f in answer.findings if f["level"] in ("error", "warning") and f["code"] != "CC106"]

    # CTranslate2: a package that opens its DLLs by name.

    def test_ctranslate2_4_where_cuda_11_is_installed(self) -> None:
        self.lay("win-ctranslate2-4.0")
        self.lay_dlls("CUDA/bin", *CUDA_11)
        self.assert_finding(self.judge(), "CC501", "error", "ctranslate2 4.0.0 opens cublas64_12.dll", "cublas64_11.dll", "CUDA 12")

    def test_ctranslate2_4_with_cuda_12_on_path(self) -> None:
        self.lay("win-ctranslate2-4.0")
        self.lay_dlls("CUDA/bin", *CUDA_12)
        self.assertEqual(self.alarms(self.judge()), [])

    def test_ctranslate2_4_with_wheels(self) -> None:
        self.lay("win-ctranslate2-4.0")
        self.lay("win-cublas-12.8")
        self.assertEqual(self.alarms(self.judge(path=r"C:\Windows\System32")), [])

    def test_ctranslate2_4_where_no_gpu_is_named(self) -> None:
        self.lay("win-ctranslate2-4.0")
        self.assertEqual(self.alarms(self.judge(gpu=None)), [])

    # CuPy.

    def test_cupy_where_no_cuda_is_installed(self) -> None:
        self.lay("win-cupy-12x-set")
        self.assert_finding(self.judge(), "CC501", "error", "nvrtc64_120_0.dll", "install CUDA 12")

    def test_cupy_where_path_is_not_known(self) -> None:
        self.lay("win-cupy-12x-set")
        self.lay_dlls("CUDA/bin", *CUDA_12)
        self.assertEqual(self.alarms(self.judge("--env", r"CUDA_PATH=C:\CUDA", path=None)), [])

    # Frameworks whose wheels for Windows have no CUDA.

    def test_tensorflow_2_12_has_no_cuda_on_windows(self) -> None:
        self.lay("win-tensorflow-2.12")
        self.lay_dlls("CUDA/bin", *CUDA_11)
        answer = self.judge()
        self.assert_finding(answer, "CC604", "error", "TensorFlow 2.12.1", "WSL2", "2.10")
        self.assertEqual({code for code, _ in self.alarms(answer)}, {"CC604"}, answer.text())

    def test_torch_of_pypi_has_no_cuda_on_windows(self) -> None:
        self.lay("win-torch-2.4-cpu")
        answer = self.judge()
        self.assert_finding(answer, "CC604", "error", "2.4.0", "https://download.pytorch.org/whl/cu124")
        self.assertEqual({code for code, _ in self.alarms(answer)}, {"CC604"}, answer.text())

    # ONNX Runtime in a program of .NET.

    def lay_program(self, *more: str) -> dict:
        native = self.root / "App/runtimes/win-x64/native"
        native.mkdir(parents=True)
        linked_tree(part("win-onnxruntime-1.16") / "onnxruntime/capi", native)
        (self.root / "App/Yolo.exe").write_bytes(b"")
        return self.deps("--root", str(self.root), "--host-exe", r"C:\App\Yolo.exe", *more, "--env", r"PATH=C:\CUDA\bin",
                         r"C:\App\runtimes\win-x64\native\onnxruntime_providers_cuda.dll")

    def test_onnxruntime_1_16_where_cuda_12_is_installed(self) -> None:
        self.lay_dlls("CUDA/bin", *CUDA_12, "win-cudnn-8.9")
        report = self.lay_program()
        finding, = (f for f in report["findings"] if f["code"] == "CC502")
        for text in ("cublasLt64_11.dll", "cublasLt64_12.dll", "install CUDA 11"):
            self.assertIn(text, json.dumps(finding))

    def test_onnxruntime_1_16_with_cuda_11_on_path(self) -> None:
        self.lay_dlls("CUDA/bin", *CUDA_11)
        report = self.lay_program()
        self.assertEqual(self.library(report, "cublas64_11.dll")["rule"], "PATH")
        self.assertNotIn("CC502", {code for code, _ in self.codes(report)})

    def test_onnxruntime_1_16_with_cuda_11_beside_the_program(self) -> None:
        self.lay_dlls("App", *CUDA_11)
        self.lay_dlls("CUDA/bin", *CUDA_12)
        report = self.lay_program()
        library = self.library(report, "cublas64_11.dll")
        self.assertEqual((library["taken"], library["rule"]), ("C:/App/cublas64_11.dll", "application folder"))
        self.assertNotIn("CC502", {code for code, _ in self.codes(report)})

    # The registry.

    def test_the_registry_of_a_tree_is_named_as_not_read(self) -> None:
        for name in ("SOFTWARE", "SYSTEM"):
            place = self.root / "Windows/System32/config" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(b"regf")
        answer = self.judge("--build")
        finding = self.assert_finding(answer, "CC106", "error", "C:/Windows/System32/config/SOFTWARE (cannot be read)")
        self.assertEqual(finding["subject"], "toolkit")
        self.lay_dlls("CUDA/bin", *CUDA_11)
        remarks = self.lay_program()["files"][0]["remarks"]
        self.assertTrue(any("C:/Windows/System32/config was not read" in remark for remark in remarks), remarks)


if __name__ == "__main__":
    unittest.main()
