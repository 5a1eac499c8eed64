# Which libraries real JAX plugins get from real wheels, and what is reported for broken mixes and for AArch64 plugins.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import shutil
import unittest
from pathlib import Path

from support import Answer, CheckCase, linked_file, linked_tree, part

SITE = "/opt/venv/lib/python3.11/site-packages"


class JaxLibraries(CheckCase):
    def setUp(self) -> None:
        super().setUp()
        self.root = self.folder / "root"
        (self.root / "usr/lib/x86_64-linux-gnu").mkdir(parents=True)
        self.nvidia = self.root / SITE[1:] / "nvidia"

    def lay(self, plugin: str, *packages: str) -> None:
        linked_tree(part(plugin), self.root / SITE[1:])
        for name in packages:
            self.lay_nvidia(name)

    def lay_nvidia(self, name: str) -> None:
        for entry in sorted(part(name).iterdir()):
            if entry.name.startswith("nvidia"):
                linked_tree(entry, self.root / SITE[1:] / entry.name)

    def judge(self, *arguments: str) -> Answer:
        return self.check("--root", str(self.root), "--python", SITE, "--probe", "off", "--gpu", "A100", "--driver", "580.65.06", *arguments)

    def of_libraries(self, answer: Answer) -> list:
        return [f for f in answer.findings if f["code"][2] in "345"]

    def libraries(self, answer: Answer) -> dict:
        trace, = (t for t in answer.report["traces"] if t["framework"] == "JAX")
        found: dict = {}
        for library in trace["libraries"]:
            found.setdefault(Path(library["name"]).name, library)
        return found

    def test_cuda_13_gets_all_from_its_wheels(self) -> None:
        self.lay("jax-cuda13-set", "torch-2.11.0-set")
        for environment in ("LANG=C", "LD_LIBRARY_PATH=/usr/local/cuda/lib64"):
            answer = self.judge("--env", environment)
            self.assertEqual(self.of_libraries(answer), [], answer.text())
            for name in ("libcudart.so.13", "libcublas.so.13", "libcublasLt.so.13", "libcufft.so.12", "libcusolver.so.12", "libcusparse.so.12",
                         "libcupti.so.13", "libcudnn.so.9", "libcudnn_graph.so.9"):
                library = self.libraries(answer)[name]
                self.assertTrue((library["taken"] or "").startswith(SITE), (name, library))

    def test_cuda_12_gets_all_from_its_wheels(self) -> None:
        self.lay("jax-cuda12-set", "torch-cu128-set")
        answer = self.judge()
        self.assertEqual(self.of_libraries(answer), [], answer.text())
        for name in ("libcudart.so.12", "libcublas.so.12", "libcufft.so.11", "libcusolver.so.11", "libcusparse.so.12", "libcudnn.so.9"):
            self.assertEqual(self.libraries(answer)[name]["rule"], "DT_RPATH of xla_cuda_plugin.so", name)

    def test_half_of_another_set_on_the_search_path_changes_nothing_that_jax_opens(self) -> None:
        self.lay("jax-cuda12-set", "torch-cu128-set")
        linked_tree(part("tensorflow-2.18-set") / "nvidia", self.root / "opt/other")
        answer = self.judge("--env", "LD_LIBRARY_PATH=/opt/other/cublas/lib:/opt/other/cusparse/lib")
        self.assertEqual([f for f in self.of_libraries(answer) if f["level"] in ("error", "warning")], [], answer.text())
        self.assertTrue(self.libraries(answer)["libcublas.so.12"]["taken"].startswith(SITE))

    def test_cusparse_is_missing(self) -> None:
        self.lay("jax-cuda13-set", "torch-2.11.0-set")
        (self.nvidia / "cu13/lib/libcusparse.so.12").unlink()
        self.assert_finding(self.judge(), "CC401", "error", "JAX runs on the CPU", "libcusparse.so.12")

    def test_cudnn_older_than_the_build(self) -> None:
        """JAX 0.6.0 was built with cuDNN 9.8 and refuses an older minor."""
        self.lay("jax-cuda12-set", "torch-cu128-set")
        shutil.rmtree(self.nvidia / "cudnn")
        for record in (self.root / SITE[1:]).glob("nvidia_cudnn*"):
            shutil.rmtree(record)
        self.lay_nvidia("cudnn-9.1-set")
        answer = self.judge()
        found = [f for f in answer.of("CC302") if f["level"] in ("error", "warning")]
        self.assertTrue(found, answer.text())
        self.assertIn("9.8", json.dumps(found))

    def test_half_a_set_of_its_own_on_the_search_path(self) -> None:
        """jax[cuda13-local]: the libraries of a toolkit, of which some are missing."""
        self.lay("jax-cuda13-set")
        half = self.root / "opt/half"
        half.mkdir(parents=True)
        for name in ("libcudart.so.13", "libcublas.so.13", "libcublasLt.so.13", "libcupti.so.13"):
            linked_file(part("torch-2.11.0-set") / "nvidia/cu13/lib" / name, half / name)
        answer = self.judge("--env", "LD_LIBRARY_PATH=/opt/half")
        self.assert_finding(answer, "CC401", "error", "libcusparse.so.12", "libcufft.so.12")
        self.assertEqual(self.libraries(answer)["libcublas.so.13"]["rule"], "LD_LIBRARY_PATH")

    def test_without_any_of_its_packages(self) -> None:
        self.lay("jax-cuda13-set")
        self.assert_finding(self.judge(), "CC401", "error", "libcudart.so.13")


class JaxOnArm(CheckCase):
    def test_the_build_versions_are_read_from_aarch64_code(self) -> None:
        for major, release, cuda, cudnn in (("12", "0.10.2", "12.9", "9.8.0"), ("13", "0.9.2", "13.0", "9.12.0")):
            with self.subTest(major):
                site = self.folder / major
                source = part("jax-aarch64-versions")
                for name in (f"jax_cuda{major}_plugin", f"jax_cuda{major}_plugin-{release}.dist-info"):
                    linked_tree(source / name, site / name)
                (site / "jax").mkdir()
                (site / "jax/__init__.py").write_text("")
                (site / "jax/version.py").write_text(f"__version__ = '{release}'\n_version = '{release}'\n")
                jax = [e for e in self.check("--probe", "off", "--python", str(site)).report["expectations"] if e["framework"] == "JAX"][0]
                self.assertEqual((jax["cuda"]["value"], jax["cudnn"]["value"]), (cuda, cudnn))
                self.assertIn("_versions.so", jax["cuda"]["origin"]["text"])


if __name__ == "__main__":
    unittest.main()
