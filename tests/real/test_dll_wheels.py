# deps on the DLLs of real wheels for Windows.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import unittest
from pathlib import Path

from support import linked_tree, part
from test_dll import DepsCase


class WindowsWheels(DepsCase):
    """Real files of wheels for win_amd64, laid out as a Windows machine has them."""

    def setUp(self) -> None:
        super().setUp()
        self.tree = self.folder / "tree"
        (self.tree / "Windows").mkdir(parents=True)

    def lay(self, source: Path, target: str) -> None:
        linked_tree(source, self.tree / target)

    def lay_python(self, digits: str) -> None:
        for name in ("python.exe", f"python{digits}.dll"):
            place = self.tree / "Py" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(b"")

    def trace(self, file: str, path: str | None, *more: str) -> dict:
        variables = ["--env", f"PATH={path}"] if path is not None else []
        return self.deps("--root", str(self.tree), *variables, *more, file)

    def finding(self, report: dict, code: str, text: str) -> dict:
        found = [f for f in report["findings"] if f["code"] == code and text in json.dumps(f)]
        self.assertTrue(found, f"no {code} with {text}: {json.dumps(report['findings'], indent=1)}")
        return found[0]

    def lay_tensorflow(self) -> str:
        self.lay_python("38")
        self.lay(part("tensorflow-2.4.1-win"), "Py/Lib/site-packages")
        return r"C:\Py\Lib\site-packages\tensorflow\python\_pywrap_tensorflow_internal.pyd"

    def test_tensorflow_wants_cublas_11_where_cuda_12_is_installed(self) -> None:
        file = self.lay_tensorflow()
        self.lay(part("win-cublas-12.8") / "nvidia/cublas/bin", "CUDA/bin")
        self.lay(part("win-cudnn-8.9") / "nvidia/cudnn/bin", "CUDA/bin")
        report = self.trace(file, r"C:\CUDA\bin")
        cublas = self.library(report, "cublas64_11.dll")
        self.assertIsNone(cublas["taken"])
        self.assertEqual(cublas["how"], "dlopen")
        finding = self.finding(report, "CC502", "cublas64_11.dll")
        self.assertEqual(finding["level"], "error")
        self.assertIn("cublas64_12.dll", finding["message"])
        self.assertIn("CUDA 11", json.dumps(finding["fix"]))
        self.finding(report, "CC502", "cublasLt64_11.dll")
        self.assertIn("CUDA 11.0", json.dumps(self.finding(report, "CC501", "cusolver64_10.dll")["fix"]))
        self.assertEqual(self.library(report, "cudnn64_8.dll")["rule"], "PATH")

    def test_tensorflow_gets_cublas_11_through_path(self) -> None:
        file = self.lay_tensorflow()
        self.lay(part("win-cublas-11.11") / "nvidia/cublas/bin", "CUDA/bin")
        report = self.trace(file, r"C:\CUDA\bin")
        for name in ("cublas64_11.dll", "cublasLt64_11.dll"):
            library = self.library(report, name)
            self.assertEqual((library["taken"], library["rule"]), (f"C:/CUDA/bin/{name}", "PATH"))
        self.assertNotIn("CC502", {code for code, _ in self.codes(report)})

    def test_a_net_program_s_folder_comes_first(self) -> None:
        file = self.lay_tensorflow()
        for place in ("CUDA/bin", "Net"):
            self.lay(part("win-cublas-11.11") / "nvidia/cublas/bin", place)
        report = self.trace(file, r"C:\CUDA\bin", "--host-exe", r"C:\Net")
        library = self.library(report, "cublas64_11.dll")
        self.assertEqual((library["taken"], library["rule"]), ("C:/Net/cublas64_11.dll", "application folder"))
        self.assertEqual([loser["path"] for loser in library["losers"]][:1], ["C:/CUDA/bin/cublas64_11.dll"])

    def test_a_32_bit_cublas_in_the_way(self) -> None:
        file = self.lay_tensorflow()
        source = (part("win-cublas-11.11") / "nvidia/cublas/bin/nvblas64_11.dll").read_bytes()
        machine = int.from_bytes(source[0x3c:0x40], "little") + 4
        place = self.tree / "CUDA/bin/cublas64_11.dll"
        place.parent.mkdir(parents=True)
        place.write_bytes(source[:machine] + (0x14c).to_bytes(2, "little") + source[machine + 2:])
        report = self.trace(file, r"C:\CUDA\bin")
        self.finding(report, "CC504", "cublas64_11.dll")
        # A 64-bit one after it is used, and there is no finding.
        self.lay(part("win-cublas-11.11") / "nvidia/cublas/bin", "Good/bin")
        report = self.trace(file, r"C:\CUDA\bin;C:\Good\bin")
        self.assertEqual(self.library(report, "cublas64_11.dll")["taken"], "C:/Good/bin/cublas64_11.dll")
        self.assertNotIn("CC504", {code for code, _ in self.codes(report)})

    def test_cudnn_8_needs_zlibwapi(self) -> None:
        file = self.lay_tensorflow()
        self.lay(part("win-cudnn-8.9") / "nvidia/cudnn/bin", "CUDA/bin")
        self.finding(self.trace(file, r"C:\CUDA\bin"), "CC501", "zlibwapi.dll")
        self.lay(part("win-cublas-11.11") / "nvidia/cublas/bin", "Zlib")
        (self.tree / "Zlib/nvblas64_11.dll").rename(self.tree / "Zlib/zlibwapi.dll")
        report = self.trace(file, r"C:\CUDA\bin;C:\Zlib")
        self.assertNotIn("zlibwapi", json.dumps(report["findings"]))

    def test_a_module_of_python_does_not_look_in_path(self) -> None:
        self.lay_python("311")
        self.lay(part("win-cupy-12x"), "Py/Lib/site-packages")
        self.lay(part("win-cublas-12.8") / "nvidia/cublas/bin", "CUDA/bin")
        file = r"C:\Py\Lib\site-packages\cupy_backends\cuda\libs\cublas.cp311-win_amd64.pyd"
        finding = self.finding(self.trace(file, r"C:\CUDA\bin"), "CC505", "cublas64_12.dll")
        self.assertIn("os.add_dll_directory", json.dumps(finding["fix"]))
        # The same files next to the module, or next to python.exe, are found.
        self.lay(part("win-cublas-12.8") / "nvidia/cublas/bin", "Py")
        report = self.trace(file, r"C:\CUDA\bin")
        self.assertEqual(self.library(report, "cublas64_12.dll")["rule"], "application folder")
        self.assertNotIn("CC505", {code for code, _ in self.codes(report)})

    def test_onnxruntime_s_provider_is_loaded_by_its_path(self) -> None:
        self.lay(part("win-onnxruntime"), "Py/Lib/site-packages")
        self.lay(part("win-cublas-12.8") / "nvidia/cublas/bin", "CUDA/bin")
        file = r"C:\Py\Lib\site-packages\onnxruntime\capi\onnxruntime_providers_cuda.dll"
        report = self.trace(file, r"C:\CUDA\bin")
        self.assertEqual(self.library(report, "cublas64_12.dll")["rule"], "PATH")
        self.finding(report, "CC501", "cudnn64_9.dll")
        # PATH was not given: unknown, and not an error.
        report = self.trace(file, None)
        self.assertNotIn("error", {level for _, level in self.codes(report)}, json.dumps(report["findings"], indent=1))


if __name__ == "__main__":
    unittest.main()
