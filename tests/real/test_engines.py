# Compilers in libraries run in a child: NVRTC, nvJitLink, libNVVM; and real parts compared with the tables.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from support import PTXGUARD, CheckCase, environment, part, validate

ARCHS = ("sm_52", "sm_80", "sm_90a", "sm_999")


def library(name: str, pattern: str) -> Path:
    return sorted(part(name).rglob(pattern))[0]


class EngineCase(CheckCase):
    def ask(self, mode: str, path: Path | str, *arguments: str, source: str = "") -> list[dict]:
        done = subprocess.run([PTXGUARD, "--child", mode, str(path), *arguments], input=source, capture_output=True, text=True,
                              timeout=120, env=environment())
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def answers(self, lines: list[dict]) -> dict:
        return {line["arch"]: line for line in lines if line["event"] == "compile"}


class Nvrtc(EngineCase):
    # release -> PTX version, result for sm_52, sm_90a
    WANTED = {"nvrtc-11.8": ("7.8", 0, 5), "nvrtc-12.1": ("8.1", 0, 0), "nvrtc-13.0": ("9.0", 5, 0)}

    def test_each_release_tells_its_list_and_makes_its_ptx(self) -> None:
        for name, (ptx, old, new) in self.WANTED.items():
            with self.subTest(name=name):
                lines = self.ask("nvrtc", library(name, "libnvrtc.so.*"), *ARCHS)
                self.assertEqual(lines[0]["version"], name.split("-")[1])
                self.assertIn(80, lines[0]["archs"])
                made = self.answers(lines)
                self.assertIn(f".version {ptx}\n", made["sm_80"]["ptx"])
                self.assertEqual((made["sm_52"]["result"], made["sm_90a"]["result"], made["sm_999"]["result"]), (old, new, 5))
                self.assertIn("invalid value for --gpu-architecture", made["sm_999"]["log"])

    def test_a_source_of_the_callers_is_compiled_and_its_errors_are_the_librarys_words(self) -> None:
        path = library("nvrtc-12.1", "libnvrtc.so.*")
        made = self.answers(self.ask("nvrtc", path, "sm_80", source='extern "C" __global__ void mine() {}\n'))
        self.assertIn(".entry mine", made["sm_80"]["ptx"])
        refused = self.answers(self.ask("nvrtc", path, "sm_80", source="__global__ void k() { nothing; }\n"))
        self.assertEqual(refused["sm_80"]["result"], 6)
        self.assertIn('identifier "nothing" is undefined', refused["sm_80"]["log"])

    def test_without_its_builtins_it_says_so_itself(self) -> None:
        shutil.copy(library("nvrtc-12.1", "libnvrtc.so.*"), self.folder)
        made = self.answers(self.ask("nvrtc", self.folder / "libnvrtc.so.12", "sm_80"))
        self.assertEqual(made["sm_80"]["result"], 7)
        self.assertIn("failed to open libnvrtc-builtins.so.12.1", made["sm_80"]["log"])

    def test_a_library_that_is_not_what_its_name_says_is_named(self) -> None:
        shutil.copy(library("nvjitlink-12.0", "libnvJitLink.so.*"), self.folder / "libnvrtc.so.12")
        lines = self.ask("nvrtc", self.folder / "libnvrtc.so.12", "sm_80")
        self.assertEqual(lines, [{"event": "trouble", "text": "the library is not NVRTC: it has no nvrtcVersion"}])

    def test_garbage_a_text_and_nothing_are_trouble_of_the_loader(self) -> None:
        (self.folder / "libnvrtc.so.12").write_bytes(b"\x7fELF garbage")
        (self.folder / "libnvrtc.so.13").write_text("INPUT(libnvrtc.so.12)\n")
        for path in (self.folder / "libnvrtc.so.12", self.folder / "libnvrtc.so.13", self.folder / "absent.so"):
            self.assertEqual([line["event"] for line in self.ask("nvrtc", path, "sm_80")], ["trouble"])


class NvJitLink(EngineCase):
    def test_each_release_says_how_far_it_reads(self) -> None:
        for name, reads in {"nvjitlink-12.0": "8.0", "nvjitlink-13.5": "9.5"}.items():
            with self.subTest(name=name):
                lines = self.ask("nvjitlink", library(name, "libnvJitLink.so.*"), "--limit", "--option=8.0", *ARCHS)
                self.assertEqual(lines[0]["version"], name.split("-")[1])
                self.assertIn(f"current version is '{reads}'", lines[1]["log"])
                made = self.answers(lines)
                self.assertTrue(made["sm_80"]["made"])
                self.assertFalse(made["sm_999"]["made"])
                self.assertEqual(made["sm_52"]["made"], reads == "8.0")  # dropped in 13

    def test_ptx_of_a_newer_compiler_is_refused_in_its_words(self) -> None:
        ptx = self.answers(self.ask("nvrtc", library("nvrtc-12.1", "libnvrtc.so.*"), "sm_80"))["sm_80"]["ptx"]
        old = self.answers(self.ask("nvjitlink", library("nvjitlink-12.0", "libnvJitLink.so.*"), "sm_80", source=ptx))
        self.assertIn("Unsupported .version 8.1; current version is '8.0'", old["sm_80"]["log"])
        new = self.answers(self.ask("nvjitlink", library("nvjitlink-13.5", "libnvJitLink.so.*"), "sm_80", source=ptx))
        self.assertTrue(new["sm_80"]["made"])


class Libnvvm(EngineCase):
    def test_typed_and_opaque_pointers_are_both_read(self) -> None:
        for name, ptx, blackwell in (("ptxas-11.8", "7.8", False), ("ptxas-12.8", "8.7", True), ("ptxas-12.9", "8.8", True)):
            with self.subTest(name=name):
                lines = self.ask("nvvm", library(name, "libnvvm.so"), "sm_80", "sm_100")
                made = self.answers(lines)
                self.assertEqual(lines[0]["ir"], "1.9" if name == "ptxas-11.8" else "2.0")
                self.assertIn(f".version {ptx}\n.target sm_80", made["sm_80"]["ptx"])
                self.assertEqual(made["sm_100"]["result"] == 0, blackwell, made["sm_100"])

    def test_text_that_is_no_ir_is_refused(self) -> None:
        made = self.answers(self.ask("nvvm", library("ptxas-12.8", "libnvvm.so"), "sm_80", source="not IR\n"))
        self.assertNotEqual(made["sm_80"]["result"], 0)
        self.assertTrue(made["sm_80"]["log"])


class FactsVerify(CheckCase):
    """The tables compared with the parts that they describe, and a table that is wrong."""

    SETS = ("ptxas-11.8", "ptxas-12.0", "ptxas-12.8", "ptxas-12.9", "nvrtc-11.8", "nvrtc-12.1", "nvrtc-13.0", "nvjitlink-12.0",
            "nvjitlink-13.5", "driver-470", "driver-535")

    def verify(self, *arguments: str) -> tuple[int, dict]:
        done = subprocess.run([PTXGUARD, "facts", "--verify", "--isolated", "--format", "json", *arguments], capture_output=True,
                              text=True, timeout=300, env=self.env())
        self.assertIn(done.returncode, (0, 1), done.stderr)
        report = json.loads(done.stdout)
        validate(report)
        return done.returncode, report

    def test_real_parts_agree_with_the_tables(self) -> None:
        code, report = self.verify(*[str(part(name)) for name in self.SETS])
        wrong = [p for p in report["verified"]["parts"] if p["state"] != "agrees"]
        self.assertEqual((code, report["verdict"], wrong), (0, "pass", []))
        kinds = {p["kind"] for p in report["verified"]["parts"]}
        self.assertEqual(kinds, {"ptxas", "NVRTC", "libNVVM", "nvJitLink", "host_config.h", "driver JIT"})

    def test_a_wrong_table_is_found_in_each_value(self) -> None:
        facts = self.folder / "facts"
        shutil.copytree(Path(__file__).resolve().parents[2] / "tools/ptxguard/facts", facts,
                        ignore=shutil.ignore_patterns("*.cpp", "*.hpp"))
        path = facts / "cuda/12.8.json"
        row = json.loads(path.read_text())
        row["ptx"]["max"] = "8.6"
        row["ptxas_archs"]["values"].remove("sm_90a")
        row["host_compilers"]["gcc_max"] = 13
        path.write_text(json.dumps(row))
        code, report = self.verify("--facts", str(facts), str(part("ptxas-12.8")))
        found = {d["what"]: d["text"] for p in report["verified"]["parts"] for d in p["differences"]}
        self.assertEqual((code, report["verdict"]), (1, "fail"))
        self.assertEqual(found, {"ptx.max": "measured 8.7, the table says 8.6",
                                 "ptxas_archs.values": "it has sm_90a, which the table lacks",
                                 "host_compilers.gcc_max": "measured 14, the table says 13"})

    def test_a_release_that_no_table_has_is_unknown_with_what_to_add(self) -> None:
        stub = self.folder / "ptxas"
        real = next(part("ptxas-12.8").rglob("bin/ptxas"))
        stub.write_text(f"#!/bin/sh\n[ \"$1\" = --version ] && echo 'Cuda compilation tools, release 14.7, V14.7.1' && exit\n"
                        f"exec {real} \"$@\"\n")
        stub.chmod(0o755)
        code, report = self.verify(str(stub))
        self.assertEqual((code, report["verdict"]), (0, "unknown"))
        self.assertIn("add_release.py 14.7", report["verified"]["parts"][0]["add"])

    def test_parts_that_crash_hang_or_are_none_take_nothing_down(self) -> None:
        for name, text in (("crash", "kill -SEGV $$"), ("nothing", "exit 0"), ("chatter", "yes | head -c 30000000")):
            (self.folder / name).mkdir()
            (self.folder / name / "ptxas").write_text(f"#!/bin/sh\n{text}\n")
            (self.folder / name / "ptxas").chmod(0o755)
        (self.folder / "libnvrtc.so.12").write_bytes(b"\x7fELF")
        code, report = self.verify(str(self.folder))
        states = [p["state"] for p in report["verified"]["parts"]]
        self.assertEqual((code, states), (0, ["broken"] * 4))
        self.assertTrue(all(p["trouble"] for p in report["verified"]["parts"]))


class SmallMatrix(CheckCase):
    """compare_matrix.py on the parts that CI fetches."""

    def test_measured_cells_equal_the_tables(self) -> None:
        script = Path(__file__).resolve().with_name("compare_matrix.py")
        from support import PARTS
        done = subprocess.run([sys.executable, "-B", str(script), "--ptxguard", PTXGUARD, "--parts", str(PARTS), "--small"],
                              capture_output=True, text=True, timeout=1100)
        if done.returncode == 77:
            self.skipTest(done.stdout.strip())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("cells equal", done.stdout)


if __name__ == "__main__":
    unittest.main()
