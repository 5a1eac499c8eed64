# Which libraries real CuPy packages get, and what is reported if they are wrong or missing.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import unittest
from pathlib import Path

from support import Answer, CheckCase, WindowsTree, linked_tree, part

SITE = "/opt/venv/lib/python3.11/site-packages"


class CuPyCase(CheckCase):
    def setUp(self) -> None:
        super().setUp()
        self.root = self.folder / "root"
        (self.root / "usr/lib/x86_64-linux-gnu").mkdir(parents=True)

    def lay(self, *sets: str, nvidia: tuple = ()) -> None:
        for name in sets:
            linked_tree(part(name), self.root / SITE[1:])
        for name in nvidia:
            linked_tree(part(name) / "nvidia", self.root / SITE[1:] / "nvidia")

    def judge(self, *arguments: str) -> Answer:
        return self.check("--root", str(self.root), "--python", SITE, "--probe", "off", "--gpu", "A100", *arguments)

    def alarms(self, answer: Answer) -> list:
        return [f for f in answer.findings if f["code"][2] in "345" and f["level"] != "note"]

    def library(self, answer: Answer, name: str) -> dict:
        trace, = (t for t in answer.report["traces"] if t["framework"] == "CuPy")
        found = [l for l in trace["libraries"] if Path(l["name"]).name == name]
        self.assertTrue(found, f"{name}: {json.dumps(trace['libraries'], indent=1)}")
        return found[0]


class CuPyLinux(CuPyCase):
    def test_wheels_are_found_by_cuda_pathfinder_whatever_the_search_path_says(self) -> None:
        self.lay("cupy-14-13x-set", nvidia=("torch-2.11.0-set",))
        answer = self.judge("--env", "LD_LIBRARY_PATH=/opt/other")
        self.assertEqual(self.alarms(answer), [], answer.text())
        for name in ("libcublas.so.13", "libcusolver.so.12", "libcusparse.so.12", "libcufft.so.12", "libnvrtc.so.13"):
            self.assertEqual(self.library(answer, name)["rule"], "found by cuda-pathfinder", name)
        picks = [p for p in answer.report["inventory"]["framework_picks"] if p["framework"].startswith("CuPy")]
        self.assertIn("cuBLAS", {p["part"] for p in picks})

    def test_wheels_of_another_cuda_are_no_help(self) -> None:
        self.lay("cupy-14-12x-set", nvidia=("torch-2.11.0-set",))
        finding = self.assert_finding(self.judge(), "CC401", "error", "CuPy", "libcublas.so.12")
        self.assertIn("CUDA 12", json.dumps(finding["fix"]))

    def test_before_14_wheels_are_not_looked_into(self) -> None:
        self.lay("cupy-12x-set", nvidia=("torch-cu128-set",))
        self.assert_finding(self.judge(), "CC401", "error", "libcublas.so.12", "libcurand.so.10")

    def test_before_14_torch_may_have_brought_them(self) -> None:
        self.lay("cupy-12x-set", "torch-cu128-set")
        answer = self.judge()
        self.assertEqual(self.alarms(answer), [], answer.text())
        self.assertEqual(self.library(answer, "libcublas.so.12")["rule"], "import of torch")

    def test_half_a_set_on_the_search_path(self) -> None:
        """cuBLAS is found, the rest is not."""
        self.lay("cupy-12x-set", nvidia=("torch-cu128-set",))
        answer = self.judge("--env", f"LD_LIBRARY_PATH={SITE}/nvidia/cublas/lib")
        finding = self.assert_finding(answer, "CC401", "error", "libcusparse.so.12")
        self.assertNotIn("libcublas.so.12", finding["message"])
        self.assertEqual(self.library(answer, "libcublas.so.12")["rule"], "LD_LIBRARY_PATH")

    def test_kernels_of_13_need_headers(self) -> None:
        self.lay("cupy-12x-set", nvidia=("torch-cu128-set",))
        linked_tree(part("nvrtc-12.9") / "nvidia/cuda_nvrtc/lib", self.root / "opt/nvrtc")
        names = ("cublas", "cusolver", "cusparse", "curand", "nvjitlink")
        found = f"LD_LIBRARY_PATH=/opt/nvrtc:{':'.join(f'{SITE}/nvidia/{name}/lib' for name in names)}"
        self.assertEqual(self.judge("--env", found).of("CC115"), [])
        next(self.root.rglob("cuda_runtime_api.h")).unlink()
        self.assert_finding(self.judge("--env", found), "CC115", "unknown", "--env PATH=")  # its nvcc may have them
        finding = self.assert_finding(self.judge("--env", found, "--env", "PATH=/usr/bin:/bin"), "CC115", "error", "NVRTC 12.9")
        self.assertEqual(finding["fix"][0]["text"], 'pip install "nvidia-cuda-runtime-cu12==12.9.*"')

    def test_cuda_11(self) -> None:
        self.lay("cupy-11x-set")
        linked_tree(part("torch-cu117-set") / "nvidia", self.root / "opt/cuda")
        self.assert_finding(self.judge(), "CC401", "error", "libcublas.so.11", "CUDA 11")
        folders = ":".join(f"/opt/cuda/{name}/lib" for name in ("cublas", "cusolver", "cusparse", "curand", "cufft", "cuda_nvrtc"))
        answer = self.judge("--env", f"LD_LIBRARY_PATH={folders}")
        self.assertEqual(self.alarms(answer), [], answer.text())
        self.assertTrue(self.library(answer, "libcusolver.so.11")["taken"])

    def test_modules_of_cupy_10_need_all_of_cuda_11_0(self) -> None:
        self.lay("cupy-110-set")
        finding = self.assert_finding(self.judge(), "CC401", "error", "libnvrtc.so.11.0", "libcudart.so.11.0")
        self.assertNotIn("libcudnn.so.8", json.dumps(finding))


class CuPyWindows(WindowsTree):
    def lay(self, name: str, *bins: str) -> None:
        super().lay(name)
        self.lay_dlls("CUDA/bin", *bins)

    def judge(self, *variables: str) -> Answer:
        return self.check_tree(*(word for variable in variables for word in ("--env", variable)))

    def alarms(self, answer: Answer) -> list:
        return [f for f in answer.findings if f["code"][2] in "345" and f["level"] in ("error", "warning")]

    def test_cuda_path_leads_to_them(self) -> None:
        self.lay("win-cupy-12x-set", "win-cuda-12.9-dlls", "win-nvrtc-12.9-dll")
        answer = self.judge("CUDA_PATH=C:\\CUDA", "PATH=C:\\Windows\\System32")
        self.assertEqual(self.alarms(answer), [], answer.text())
        trace, = (t for t in answer.report["traces"] if t["framework"] == "CuPy")
        cublas = [l for l in trace["libraries"] if l["name"] == "cublas64_12.dll"][0]
        self.assertEqual(cublas["taken"], "C:/CUDA/bin/cublas64_12.dll")

    def test_without_cuda_path(self) -> None:
        self.lay("win-cupy-12x-set", "win-cuda-12.9-dlls", "win-nvrtc-12.9-dll")
        self.assert_finding(self.judge("PATH=C:\\CUDA\\bin"), "CC505", "error", "cublas64_12.dll")

    def test_cuda_11_installed(self) -> None:
        self.lay("win-cupy-12x-set", "win-cuda-11.8-dlls", "win-cublas-11.11")
        self.assert_finding(self.judge("CUDA_PATH=C:\\CUDA", "PATH=C:\\Windows\\System32"), "CC502", "error", "cublas64_11.dll", "cublas64_12.dll")

    def test_14_finds_wheels_and_path(self) -> None:
        self.lay("win-cupy-14-12x-set", "win-nvrtc-12.9-dll")
        linked_tree(part("win-cuda-12.9-dlls") / "nvidia", self.root / self.SITE / "nvidia")
        answer = self.judge("PATH=C:\\CUDA\\bin")
        self.assertEqual(self.alarms(answer), [], answer.text())
        trace, = (t for t in answer.report["traces"] if t["framework"] == "CuPy")
        cublas = [l for l in trace["libraries"] if l["name"] == "cublas64_12.dll"][0]
        self.assertEqual(cublas["rule"], "found by cuda-pathfinder")
        self.assertIn("site-packages", cublas["taken"])


if __name__ == "__main__":
    unittest.main()
