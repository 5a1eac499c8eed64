# Which ptxas and which libdevice real frameworks would use: real wheels, real ptxas of several releases, and Triton's
# own search for comparison.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import unittest
from pathlib import Path

from support import CheckCase, copied, linked_tree, part


def pick_of(report: dict, consumer: str, tool: str = "ptxas") -> dict:
    picks = [p for p in report["inventory"]["picks"] if p["consumer"].startswith(consumer) and p["tool"] == tool]
    assert picks, [(p["consumer"], p["tool"]) for p in report["inventory"]["picks"]]
    return picks[0]


def reasons(pick: dict) -> dict:
    return {loser["path"]: loser["reason"] for loser in pick.get("losers", [])}


class Pickers(CheckCase):
    def site(self, *sets: str) -> Path:
        """A site-packages folder with links to the contents of sets, so that each keeps its own files."""
        site = self.folder / "site-packages"
        for name in sets:
            for entry in sorted(part(name).iterdir()):
                source = entry if entry.name != "site-packages" else None
                for item in [source] if source else sorted(entry.iterdir()):
                    to = site / item.name
                    if to.exists() or item.name == "parts.json":
                        continue
                    to.parent.mkdir(parents=True, exist_ok=True)
                    if item.is_dir():
                        linked_tree(item, to)
                    else:
                        copied(item, to)
        return site

    def look(self, site: Path, *arguments: str, path: str = "/usr/bin:/bin", **variables: str):
        env = self.env(PATH=path, **variables)
        return self.check("--python", str(site), "--probe", "off", *arguments, env=env)


class PickersTensorFlow(Pickers):
    def root(self, *sets: str) -> Path:
        """The same as an unpacked system, in which /usr/local/cuda of this machine is not visible."""
        site = self.site(*sets)
        root = self.folder / "image"
        to = root / "venv/lib/python3.11/site-packages"
        to.parent.mkdir(parents=True)
        site.rename(to)
        return root

    def judge(self, root: Path, *arguments: str):
        return self.check("--root", str(root), "--python", "/venv/lib/python3.11/site-packages", "--probe", "off", *arguments)

    def test_no_ptxas_anywhere(self) -> None:
        answer = self.judge(self.root("tensorflow-2.18.0"), "--env", "PATH=/usr/bin", "--gpu", "9.0")
        self.assert_finding(answer, "CC109", "error", "XLA in TensorFlow 2.18.0 finds no ptxas", "11.8 or newer")
        self.assert_finding(answer, "CC111", "error", "XLA in TensorFlow 2.18.0 finds no libdevice")
        answer = self.judge(self.folder / "image", "--env", "PATH=/usr/bin")
        self.assertEqual({f["level"] for f in answer.of("CC109") + answer.of("CC111")}, {"unknown"})

    def test_the_wheel_beside_it_is_found(self) -> None:
        root = self.root("tensorflow-2.18.0", "ptxas-12.9")
        answer = self.judge(root, "--env", "PATH=/usr/bin", "--gpu", "9.0")
        self.assertEqual(answer.of("CC109"), [])
        pick = pick_of(answer.report, "XLA in TensorFlow 2.18.0")
        self.assertEqual(pick["path"], "/venv/lib/python3.11/site-packages/nvidia/cuda_nvcc/bin/ptxas")
        self.assertEqual(pick["version"]["value"], "12.9.86")

    def test_older_ones_first_on_the_search_path(self) -> None:
        root = self.root("tensorflow-2.18.0", "ptxas-12.9")
        for name in ("ptxas-12.3.103", "ptxas-12.1"):
            linked_tree(part(name) / "nvidia/cuda_nvcc", root / "opt" / name)
        both = "PATH=/opt/ptxas-12.3.103/bin:/opt/ptxas-12.1/bin"
        answer = self.judge(root, "--env", both, "--gpu", "9.0")
        pick = pick_of(answer.report, "XLA in TensorFlow 2.18.0")
        self.assertEqual(pick["path"], "/opt/ptxas-12.1/bin/ptxas")
        self.assertIn("XLA counts it as faulty", reasons(pick)["/opt/ptxas-12.3.103/bin/ptxas"])
        # What XLA uses is checked: 12.1 on compute capability 9.0.
        self.assert_finding(answer, "CC110", "warning", "12.1.105", "4826023")
        answer = self.judge(root, "--env", "PATH=/opt/ptxas-12.3.103/bin", "--gpu", "9.0")
        self.assertEqual(pick_of(answer.report, "XLA in TensorFlow 2.18.0")["version"]["value"], "12.9.86")
        self.assertEqual(answer.of("CC110"), [])

    def test_on_this_machine_each_candidate_is_run(self) -> None:
        site = self.site("tensorflow-2.18.0", "ptxas-12.9")
        old = part("ptxas-12.3.103") / "nvidia/cuda_nvcc/bin"
        answer = self.look(site, path=f"{old}:/usr/bin:/bin")
        pick = pick_of(answer.report, "XLA in TensorFlow 2.18.0")
        self.assertIn("XLA counts it as faulty", reasons(pick)[f"{old}/ptxas"])
        self.assertTrue(pick["path"], pick)

    def test_windows_with_a_misspelt_entry(self) -> None:
        root = self.folder / "image"
        site = root / "Python38/Lib/site-packages"
        site.parent.mkdir(parents=True)
        linked_tree(part("tensorflow-2.4.1-win"), site)
        if (site / "site-packages").is_dir():
            shutil.move(str(site / "site-packages"), str(root / "Python38/Lib/inner"))
            shutil.rmtree(site)
            (root / "Python38/Lib/inner").rename(site)
        (root / "Python38/python.exe").write_bytes(b"")
        linked_tree(part("win-ptxas-11.8") / "nvidia/cuda_nvcc", root / "CUDA/v11.8")
        arguments = ("--root", str(root), "--os", "windows", "--python", "C:/Python38/Lib/site-packages", "--probe", "off", "--gpu", "8.6")
        answer = self.check(*arguments, "--env", r"PATH=C:\Python38;C:\CUDA\v11.8\bni")
        self.assert_finding(answer, "CC109", "error", "XLA in TensorFlow 2.4.1 finds no ptxas")
        losers = {path.lower().replace("\\", "/"): reason for path, reason in reasons(pick_of(answer.report, "XLA in TensorFlow 2.4.1")).items()}
        self.assertEqual(losers["c:/cuda/v11.8/bni/ptxas.exe"], "its folder does not exist")
        answer = self.check(*arguments, "--env", r"PATH=C:\Python38;C:\CUDA\v11.8\bin")
        self.assertEqual(answer.of("CC109"), [])
        self.assertEqual(pick_of(answer.report, "XLA in TensorFlow 2.4.1")["version"]["value"], "11.8.89")


class PickersTriton(Pickers):
    """The wheel's own search, run in this Python, gives the same result."""

    def triton(self) -> Path:
        site = part("torch-2.11.0-set") / "site-packages"
        return site if site.is_dir() else part("torch-2.11.0-set")

    def knobs(self, site: Path):
        spec = importlib.util.spec_from_file_location("triton_knobs_for_test", site / "triton/knobs.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        # knobs.py needs one name of the package's compiled half, which this test does not need.
        fake = type(sys)("triton._C.libtriton")
        fake.getenv = lambda key, default=None: os.environ.get(key, default)
        fake.getenv_bool = lambda key, default=False: default
        for name, entry in (("triton._C", type(sys)("triton._C")), ("triton._C.libtriton", fake), ("triton", type(sys)("triton"))):
            sys.modules.setdefault(name, entry)
        try:
            spec.loader.exec_module(module)
        except Exception as reason:  # another version of knobs.py than this test expects
            self.skipTest(f"triton/knobs.py cannot be run alone: {reason}")
        return module.knobs if hasattr(module, "knobs") else module

    def test_a_misspelt_variable_falls_back_to_the_bundled_one(self) -> None:
        site = self.triton()
        answer = self.look(site, "--gpu", "8.0", TRITON_PTXAS_PATH="/opt/cuda/bin/ptxsa")
        pick = pick_of(answer.report, "Triton 3.6.0 up to sm_99")
        self.assertEqual(pick["path"], str(site / "triton/backends/nvidia/bin/ptxas"))
        self.assertEqual(pick["version"]["value"], "12.8.93")
        self.assertEqual(reasons(pick)["/opt/cuda/bin/ptxsa"], "its folder does not exist")
        newer = pick_of(answer.report, "Triton 3.6.0 from sm_100 on")
        self.assertEqual(reasons(newer)["/opt/cuda/bin/ptxsa"], "without effect from sm_100 on")
        self.assertEqual(newer["version"]["value"], "12.9.86")
        self.assertEqual(answer.of("CC109"), [])

    def test_it_equals_what_triton_itself_finds(self) -> None:
        site = self.triton()
        other = str(part("ptxas-12.6.85") / "nvidia/cuda_nvcc/bin/ptxas")
        for value in (None, other, "/opt/cuda/bin/ptxsa", str(site / "triton/knobs.py")):
            with self.subTest(TRITON_PTXAS_PATH=value):
                variables = {} if value is None else {"TRITON_PTXAS_PATH": value}
                old = os.environ.pop("TRITON_PTXAS_PATH", None)
                os.environ.update(variables)
                try:
                    own = self.knobs(site).nvidia.ptxas
                except (RuntimeError, PermissionError) as reason:
                    own = reason
                finally:
                    os.environ.pop("TRITON_PTXAS_PATH", None)
                    if old is not None:
                        os.environ["TRITON_PTXAS_PATH"] = old
                pick = pick_of(self.look(site, **variables).report, "Triton 3.6.0 up to sm_99")
                if isinstance(own, Exception):
                    self.assertNotIn("path", pick, f"Triton itself ends with {own!r}")
                else:
                    self.assertEqual(os.path.realpath(pick["path"]), os.path.realpath(own.path))
                    self.assertTrue(pick["version"]["value"].startswith(own.version))


if __name__ == "__main__":
    unittest.main()
