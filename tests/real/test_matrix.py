# Producers of PTX with consumers, all real: nvcc, NVRTC, ptxas, drivers' JIT compilers, and the tables.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import unittest
from pathlib import Path

from support import PTXGUARD, CheckCase, driver_libs, part, toolkit, validate

PTXAS = {"ptxas-11.8": "7.8", "ptxas-12.1": "8.1", "ptxas-12.8": "8.7", "ptxas-12.9": "8.8"}
NVRTC = {"nvrtc-12.1": "8.1", "nvrtc-12.9": "8.8"}
DRIVERS = {"driver-535": "8.2", "driver-550": "8.4"}
TARGETS = "75;80;90;90a"


TILE = """
import sys
import cuda.tile as ct
from cuda.tile.compilation import ArrayConstraint, CallingConvention, KernelSignature, export_kernel

@ct.kernel
def add(a, b, c):
    i = ct.bid(0)
    ct.store(c, index=(i,), tile=ct.load(a, index=(i,), shape=(16,)) + ct.load(b, index=(i,), shape=(16,)))

array = ArrayConstraint(dtype=ct.float32, ndim=1, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=(), may_alias_internally=False)
signature = KernelSignature(parameters=[array] * 3, calling_convention=CallingConvention.cutile_python_v1())
export_kernel(add, [signature], sys.argv[2], gpu_code="sm_100", output_format="tileir_bytecode", bytecode_version=sys.argv[1])
"""


def ptxas(name: str) -> str:
    return str(next(part(name).rglob("bin/ptxas")))


def nvrtc(name: str) -> str:
    return str(sorted(part(name).rglob("libnvrtc.so.*"))[0])


class MatrixCase(CheckCase):
    def matrix(self, *arguments: str, expected: int = 0, env: dict | None = None) -> dict:
        command = [PTXGUARD, "matrix", "--isolated", "--only-named", "--format", "json", *arguments]
        done = subprocess.run(command, env=env or self.env(), capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, expected, f"{command}\n{done.stdout[-4000:]}\n{done.stderr}")
        report = json.loads(done.stdout)
        validate(report)
        self.assertEqual(len(report["cells"]), len({(c["producer"], c["consumer"], c["target"]) for c in report["cells"]}))
        return report

    def tool(self, report: dict, kind: str, version: str = "", path: str = "") -> dict:
        for one in report["producers"] + report["consumers"]:
            paths = [one["path"], *one.get("names", [])]
            if one["kind"] == kind and (one["version"] or "").startswith(version) and (not path or path in paths):
                return one
        self.fail(f"no {kind} {version} {path} in {json.dumps(report['producers'] + report['consumers'], indent=1)}")

    def cell(self, report: dict, producer: dict, consumer: dict, target: str) -> dict:
        found = [c for c in report["cells"] if (c["producer"], c["consumer"], c["target"]) == (producer["id"], consumer["id"], target)]
        self.assertEqual(len(found), 1, f"{producer['name']} -> {consumer['name']} {target}")
        return found[0]


class RealParts(MatrixCase):
    def test_measured_cells_equal_the_predicted_ones(self) -> None:
        named = ["--toolkit", toolkit("pypi-repaired-13.0.2"), "--arch", TARGETS]
        for name in PTXAS:
            named.append(ptxas(name))
        for name in NVRTC:
            named.append(nvrtc(name))
        for name in DRIVERS:
            named += ["--driver-libs", driver_libs(name)]
        measured, predicted = self.matrix(*named), self.matrix(*named, "--probe", "off")
        self.assertEqual([p["path"] for p in measured["producers"]], [p["path"] for p in predicted["producers"]])
        self.assertEqual([c["path"] for c in measured["consumers"]], [c["path"] for c in predicted["consumers"]])
        self.assertGreaterEqual(len(measured["cells"]), 4 * 3 * 7)
        wrong = []
        for real, table in zip(measured["cells"], predicted["cells"]):
            self.assertEqual((real["basis"], table["basis"]), ("measured", "predicted"))
            if (real["outcome"], real["ptx"]) != (table["outcome"], table["ptx"]):
                wrong.append((real, table))
        self.assertEqual(wrong, [], json.dumps(wrong[:5], indent=1))
        for name, reads in [*PTXAS.items(), *DRIVERS.items()]:
            self.assertIn(reads, [c["reads"] for c in measured["consumers"]], name)
        for name, makes in NVRTC.items():
            self.assertIn(makes, [p["ptx"] for p in measured["producers"]], name)

    def test_the_same_question_twice_compiles_nothing(self) -> None:
        self.cache = self.folder / "cache"
        named = ["--toolkit", toolkit("pypi-repaired-13.0.2"), ptxas("ptxas-12.8"), "--driver-libs", driver_libs("driver-550"), "--arch", "80;90"]
        first, second = self.matrix(*named), self.matrix(*named)
        self.assertGreater(first["compilations"], 0)
        self.assertEqual(second["compilations"], 0)
        for report in (first, second):
            for cell in report["cells"]:
                cell.pop("cached", None)
        self.assertEqual(first["cells"], second["cells"])

    def test_drivers_by_number_stand_beside_real_assemblers(self) -> None:
        report = self.matrix("--toolkit", toolkit("pypi-repaired-13.0.2"), ptxas("ptxas-12.8"), "--arch", "80",
                             "--driver", "535", "--driver", "570", "--driver", "580")
        nvcc = self.tool(report, "nvcc", "13.0")
        answers = {}
        for consumer in report["consumers"]:
            cell = self.cell(report, nvcc, consumer, "sm_80")
            answers[consumer["name"]] = (cell["basis"], cell["outcome"])
            if consumer["kind"] == "driver":
                self.assertIn("facts/drivers.json", cell["evidence"])
        self.assertEqual(answers, {"ptxas 13.0.88": ("measured", "accepted"), "ptxas 12.8.93": ("measured", "refused"),
                                   "driver 535": ("predicted", "refused"), "driver 570": ("predicted", "refused"),
                                   "driver 580": ("predicted", "accepted")})

    def test_a_newer_header_would_assemble_with_a_lower_version(self) -> None:
        report = self.matrix("--toolkit", toolkit("pypi-repaired-13.0.2"), ptxas("ptxas-12.8"), "--driver-libs", driver_libs("driver-550"), "--arch", "80")
        nvcc = self.tool(report, "nvcc", "13.0")
        for consumer, version in ((self.tool(report, "ptxas", "12.8"), "8.7"), (self.tool(report, "driver-jit", "550"), "8.4")):
            cell = self.cell(report, nvcc, consumer, "sm_80")
            self.assertEqual((cell["outcome"], cell["lowered"]["ptx"], cell["lowered"]["outcome"]), ("refused", version, "accepted"))


class BrokenSet(MatrixCase):
    """pip's mixed 13.0.88: an nvcc whose own ptxas refuses what its cicc writes."""

    def test_nvcc_and_its_own_ptxas(self) -> None:
        mixed = toolkit("pypi-mixed-13.0.88")
        report = self.matrix("--toolkit", mixed, nvrtc("nvrtc-13.0"), "--arch", "80")
        own = self.tool(report, "ptxas", "13.0.88", f"{mixed}/bin/ptxas")
        refused = self.cell(report, self.tool(report, "nvcc", "13.0.88"), own, "sm_80")
        self.assertEqual((refused["outcome"], refused["basis"], refused["ptx"]), ("refused", "measured", "9.5"))
        self.assertIn("Unsupported .version 9.5; current version is '9.0'", refused["evidence"])
        accepted = self.cell(report, self.tool(report, "nvrtc", "13.0"), own, "sm_80")
        self.assertEqual((accepted["outcome"], accepted["basis"], accepted["ptx"]), ("accepted", "measured", "9.0"))
        self.assertEqual((report["verdict"], report["findings"]), ("pass", []))

    def test_the_text_says_it_in_one_line(self) -> None:
        command = [PTXGUARD, "matrix", "--isolated", "--only-named", "--toolkit", toolkit("pypi-mixed-13.0.88"), "--arch", "80"]
        text = subprocess.run(command, env=self.env(COLUMNS="1000"), capture_output=True, text=True, timeout=300).stdout
        self.assertRegex(text, r"(?m)^  nvcc 13\.0\.88.* -> ptxas 13\.0\.88: .*Unsupported \.version 9\.5; current version is '9\.0'$")


class OtherCode(MatrixCase):
    def test_lto_ir_is_linked_by_its_own_release_and_newer_ones(self) -> None:
        """12.9 reports newer LTO-IR as an internal error, with the reason: a refusal too."""
        linkers = {"nvjitlink-12.9": "12.9", "nvjitlink-13.0": "13.0", "nvjitlink-13.5": "13.5"}
        files = [str(next(part(name).rglob("libnvJitLink.so.*"))) for name in linkers]
        named = [nvrtc("nvrtc-12.9"), nvrtc("nvrtc-13.5"), *files, "--arch", "90"]
        measured, predicted = self.matrix(*named), self.matrix(*named, "--probe", "off")
        for report, basis in ((measured, "measured"), (predicted, "predicted")):
            lto = [one for one in report["producers"] if one.get("code") == "ltoir"]
            self.assertEqual([one["makes"][0]["ir"] for one in lto], ["1.64", "1.67"])
            for producer in lto:
                for consumer in report["consumers"]:
                    cell = self.cell(report, producer, consumer, "sm_90")
                    newer = float(producer["version"][:4]) > float(consumer["version"][:4])
                    self.assertEqual((cell["outcome"], cell["basis"]), ("refused" if newer else "accepted", basis), cell)
                    if newer and basis == "measured":
                        self.assertIn("may need newer version of nvJitLink", cell["evidence"])

    def bytecode(self, version: str) -> str:
        """A vector add that cuda-tile writes: an empty module would not be a probe."""
        path = self.folder / f"add-{version}.tilebc"
        (self.folder / "add.py").write_text(TILE)  # cuda-tile reads the text of the kernel
        done = subprocess.run([sys.executable, str(self.folder / "add.py"), version, str(path)], capture_output=True, text=True,
                              timeout=300, env=self.env(PYTHONPATH=str(part("cuda-tile-1.7.0"))))
        if "ModuleNotFoundError" in done.stderr or "ImportError" in done.stderr:
            self.skipTest("cuda-tile is of another Python: " + done.stderr[-300:])
        self.assertEqual(done.returncode, 0, done.stderr)
        return str(path)

    def test_tile_ir_is_compiled_by_its_own_release_and_newer_ones(self) -> None:
        kit = next(part("tileiras-13.2").glob("nvidia/cu13"))
        files = [self.bytecode(version) for version in ("13.1", "13.2", "13.3")]
        report = self.matrix(*files, str(kit / "bin/tileiras"), "--arch", "100")
        tool = self.tool(report, "tileiras", "13.2.78")
        for path, outcome in zip(files, ("accepted", "accepted", "refused")):
            self.assertEqual(self.cell(report, self.tool(report, "binary", path=path), tool, "sm_100")["outcome"], outcome)
        (self.folder / "other/bin").mkdir(parents=True)
        captured = self.matrix(files[0], str(kit / "bin/tileiras"), "--arch", "100", env=self.env(CUDA_HOME=str(self.folder / "other")))
        cell, = captured["cells"]
        self.assertEqual(cell["outcome"], "refused")
        self.assertIn(f"CUDA_HOME={self.folder}/other", cell["evidence"])
        named = subprocess.run([PTXGUARD, "inspect", files[2], "--toolkit", str(kit), "--format", "json"], env=self.env(),
                               capture_output=True, text=True, timeout=300)
        found = [one for one in json.loads(named.stdout)["findings"] if one["code"] == "CC215"]  # the set is no whole toolkit
        self.assertEqual([(one["level"], one["found"][0]["value"]) for one in found], [("error", "13.3")], named.stdout)


class Files(MatrixCase):
    def test_a_binary_with_compressed_ptx_is_a_producer(self) -> None:
        (self.folder / "k.cu").write_text("__global__ void k(float* p) { p[threadIdx.x] = sinf(p[threadIdx.x]); }\n")
        nvcc = toolkit("pypi-repaired-13.0.2") + "/bin/nvcc"
        subprocess.run([nvcc, "-fatbin", "-gencode", "arch=compute_80,code=[sm_80,compute_80]", "-gencode", "arch=compute_90,code=compute_90",
                        "k.cu", "-o", "k.fatbin"], cwd=self.folder, env=self.env(), check=True)
        report = self.matrix(str(self.folder / "k.fatbin"), ptxas("ptxas-12.8"), "--driver-libs", driver_libs("driver-550"))
        fatbin = self.tool(report, "binary")
        self.assertEqual([m["target"] for m in fatbin["makes"]], ["sm_80", "sm_90"])
        for consumer in report["consumers"]:
            cell = self.cell(report, fatbin, consumer, "sm_90")
            self.assertEqual((cell["outcome"], cell["basis"]), ("refused", "measured"))
            self.assertEqual(cell["lowered"]["outcome"], "accepted")

    def test_a_ptx_file_is_fed_for_its_target_or_those_asked_for(self) -> None:
        (self.folder / "k.ptx").write_text(".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n")
        own = self.matrix(str(self.folder / "k.ptx"), ptxas("ptxas-11.8"))
        self.assertEqual([(c["target"], c["outcome"]) for c in own["cells"]], [("sm_75", "accepted")])
        asked = self.matrix(str(self.folder / "k.ptx"), ptxas("ptxas-11.8"), "--arch", "70;90;100")
        self.assertEqual([(c["target"], c["outcome"]) for c in asked["cells"]], [("sm_70", "refused"), ("sm_90", "accepted"), ("sm_100", "refused")])


class BadInput(MatrixCase):
    def script(self, name: str, text: str) -> str:
        path = self.folder / name / "ptxas"
        path.parent.mkdir()
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def test_bad_consumers_are_broken_and_the_others_are_judged(self) -> None:
        bad = {self.script("hangs", "sleep 1000\n"): "did not end within",
               self.script("crashes", "kill -SEGV $$\n"): "crashed",
               self.script("talks", "while :; do echo a line that is no use to anybody; done | head -c 5000000\nexit 1\n"): "printed more than 1 MiB"}
        other = self.folder / "arm" / "ptxas"
        other.parent.mkdir()
        head = bytearray(Path(ptxas("ptxas-12.8")).read_bytes()[:4096])
        head[18:20] = (183).to_bytes(2, "little")  # EM_AARCH64
        other.write_bytes(head)
        other.chmod(0o755)
        bad[str(other)] = "could not be started"
        good = ptxas("ptxas-12.8")
        (self.folder / "k.ptx").write_text(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n")
        report = self.matrix(str(self.folder / "k.ptx"), *bad, good)
        producer = self.tool(report, "ptx-file")
        for path, words in bad.items():
            cell = self.cell(report, producer, self.tool(report, "ptxas", path=path), "sm_80")
            self.assertEqual(cell["outcome"], "broken", cell)
            self.assertIn(words, cell["evidence"])
        self.assertEqual(self.cell(report, producer, self.tool(report, "ptxas", path=good), "sm_80")["outcome"], "accepted")

    def test_nvrtc_without_its_builtins_and_a_library_that_is_another(self) -> None:
        real = Path(nvrtc("nvrtc-12.9"))
        alone = self.folder / "alone" / real.name
        alone.parent.mkdir()
        shutil.copy(real, alone)
        wrong = self.folder / "wrong" / "libnvrtc.so.12"
        wrong.parent.mkdir()
        libc = next(p for p in ("/lib/x86_64-linux-gnu/libm.so.6", "/usr/lib64/libm.so.6") if os.path.exists(p))
        shutil.copy(libc, wrong)
        report = self.matrix(str(alone), str(wrong), str(real), ptxas("ptxas-12.9"), "--arch", "80")
        for path, outcome in ((str(alone), "unknown"), (str(wrong), "unknown"), (str(real), "accepted")):
            producer = self.tool(report, "nvrtc", path=path)
            cell = self.cell(report, producer, report["consumers"][0], "sm_80")
            self.assertEqual(cell["outcome"], outcome, cell)
            if outcome == "unknown":
                self.assertEqual(producer["makes"][0]["outcome"], "broken", producer)
                self.assertTrue(producer["makes"][0]["evidence"])

    def test_the_same_ptxas_under_five_names_is_one_column(self) -> None:
        real = Path(ptxas("ptxas-12.8"))
        names = [str(real)]
        for i in range(2):
            copy = self.folder / f"copy{i}" / "ptxas"
            copy.parent.mkdir()
            shutil.copyfile(real, copy)
            copy.chmod(0o755)
            names.append(str(copy))
            link = self.folder / f"link{i}" / "ptxas"
            link.parent.mkdir()
            link.symlink_to(copy)
            names.append(str(link))
        (self.folder / "k.ptx").write_text(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n")
        report = self.matrix(str(self.folder / "k.ptx"), *names)
        self.assertEqual(len(report["consumers"]), 1)
        self.assertEqual([report["consumers"][0]["path"], *report["consumers"][0]["names"]], names)
        self.assertEqual(len(report["cells"]), 1)

    def test_no_consumer_and_no_producer_are_said(self) -> None:
        (self.folder / "k.ptx").write_text(".version 8.0\n.target sm_80\n.address_size 64\n")
        for named, missing in ((str(self.folder / "k.ptx"), "no consumer of PTX"), ("--driver=550.54.14", "no producer of PTX")):
            none = self.matrix(named)
            self.assertEqual((none["cells"], none["verdict"]), ([], "unknown"))
            self.assertEqual([remark.startswith(missing) for remark in none["remarks"]], [True])
        named = self.matrix(str(self.folder / "nowhere.ptx"), expected=2)
        self.assertEqual([f["code"] for f in named["findings"]], ["CC002"])


if __name__ == "__main__":
    unittest.main()
