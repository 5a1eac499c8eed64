# What inspect reads in real libraries and in objects from a real nvcc, compared with NVIDIA's cuobjdump and with the
# request; and which GPUs it reports for them.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import tarfile
import unittest
import zipfile
from pathlib import Path

import compare_inspect
import parts
from support import PARTS, PTXGUARD, Answer, CheckCase, environment, part, toolkit, validate

SOURCE = """__device__ int answer(int x);
__global__ void kernel(int *p) { p[threadIdx.x] = answer(threadIdx.x); }
__device__ int answer(int x) { return 6 * x; }
"""


def large(name: str) -> Path:
    """A set of hundreds of megabytes: fetched only on request."""
    if not os.environ.get("PTXGUARD_LARGE_PARTS") and not (PARTS / name / "parts.json").exists():
        raise unittest.SkipTest(f"{name} is large; PTXGUARD_LARGE_PARTS=1 fetches it")
    return part(name)


def cuobjdumps() -> dict:
    try:
        return compare_inspect.cuobjdumps(PARTS)
    except parts.Unavailable as reason:
        raise unittest.SkipTest(str(reason))


class InspectCase(CheckCase):
    def inspect(self, *arguments: object, codes: tuple[int, ...] = (0, 1)) -> Answer:
        command = [PTXGUARD, "inspect", "--isolated", "--format", "json", *map(str, arguments)]
        done = subprocess.run(command, env=self.env(), capture_output=True, text=True, timeout=300)
        self.assertIn(done.returncode, codes, f"{command}\n{done.stdout}\n{done.stderr}")
        report = json.loads(done.stdout)
        validate(report)
        return Answer(done.returncode, report, done.stderr, report["findings"])

    def verdicts(self, file: Path, gpus: str, *more: str) -> dict:
        answers = self.inspect("--gpu", gpus, *more, file).report["files"][0]["runs_on"]
        return {answer["arch"]: answer for answer in answers}

    def assert_runs(self, file: Path, gpu: str, verdict: str, *words: str, more: tuple = ()) -> None:
        (answer,) = self.verdicts(file, gpu, *more).values()
        self.assertEqual(answer["verdict"], verdict, answer)
        for word in words:
            self.assertIn(word, answer["why"])

    def assert_equal_to_cuobjdump(self, file: Path, tools: dict | None = None) -> compare_inspect.Compared:
        result = compare_inspect.compare(PTXGUARD, tools or cuobjdumps(), file)
        self.assertTrue(result.equal, f"{file}: {result.differences}")
        return result


class AgainstCuobjdump(InspectCase):
    """Every entry of small real libraries; compare_inspect.py --set all does the same for the large ones."""

    def compare_set(self, name: str, least: int) -> None:
        entries = sum(self.assert_equal_to_cuobjdump(file).entries for file in compare_inspect.device_files(part(name)))
        self.assertGreaterEqual(entries, least)

    def test_jax(self) -> None:
        self.compare_set("binary-jax", 36)

    def test_xformers(self) -> None:
        self.compare_set("binary-xformers", 44)

    def test_faiss(self) -> None:
        self.compare_set("binary-faiss", 364)

    def test_cupy(self) -> None:
        self.compare_set("binary-cupy", 26)

    def test_bitsandbytes(self) -> None:
        self.compare_set("binary-bitsandbytes", 350)

    def test_bitsandbytes_for_windows(self) -> None:
        self.compare_set("binary-bitsandbytes-win", 350)

    def test_a_difference_is_seen(self) -> None:
        """The comparison itself: changed headers are read as changed by both tools."""
        file = self.folder / "_prng.so"
        shutil.copyfile(part("binary-jax") / "jax_cuda12_plugin/_prng.so", file)
        before = compare_inspect.ask_ptxguard(PTXGUARD, file)
        entry = next(e for e in self.inspect("--entries", file).report["files"][0]["entries"] if e["kind"] == "cubin")
        with open(file, "r+b") as handle:
            handle.seek(entry["offset"] - 256)
            before_it = handle.read(256)
            # Kind, version of the entry, size of its header.
            (size,) = (size for size in range(64, 257, 8) if before_it[256 - size:][:8] == struct.pack("<HHI", 2, 0x101, size))
            handle.seek(entry["offset"] - size + 42)
            handle.write(bytes([before_it[256 - size + 42] | 0x10]))  # the flag of 'a'
        self.assertEqual(self.assert_equal_to_cuobjdump(file).entries, len(before))
        after = compare_inspect.ask_ptxguard(PTXGUARD, file)
        self.assertEqual([(a.arch, b.arch) for a, b in zip(before, after) if a != b], [(entry["arch"], entry["arch"] + "a")])


class Verdicts(InspectCase):
    """Which GPUs run real libraries, and why not."""

    def test_faiss_has_nothing_for_hopper(self) -> None:
        (file,) = (part("binary-faiss") / "faiss_gpu_cu12.libs").glob("libfaiss-*.so")
        self.assert_runs(file, "9.0", "no", "cubins sm_70 and sm_80 and no PTX")
        self.assert_runs(file, "RTX 3090", "cubin", "sm_80 in 178 of 178 fatbins")
        answer = self.inspect("--gpu", "H100", file)
        self.assert_finding(answer, "CC204", "error", "H100 (sm_90)")
        self.assertEqual(self.inspect("--gpu", "A100", file).findings, [])

    def test_xformers_compiles_on_blackwell(self) -> None:
        file = part("binary-xformers") / "xformers/_C.so"
        self.assert_runs(file, "12.0", "jit", "PTX 8.7 for sm_80", "11 of 11 fatbins")
        self.assert_runs(file, "9.0", "cubin", "sm_90a")
        self.assert_finding(self.inspect("--gpu", "RTX 5090", file), "CC206", "note")
        # An RTX 4090 has the cubin for 8.0; without it, driver 550 would refuse the PTX.
        self.assertEqual(self.inspect("--gpu", "RTX 4090", "--driver", "550.54.14", file).findings, [])

    def test_bitsandbytes_is_linked_by_the_driver(self) -> None:
        folder = part("binary-bitsandbytes") / "bitsandbytes"
        self.assert_runs(folder / "libbitsandbytes_cuda118.so", "12.0", "jit", "relocatable PTX 7.8 for sm_90")
        file = folder / "libbitsandbytes_cuda130.so"
        self.assert_finding(self.inspect("--gpu", "A100", "--driver", "535.104.05", file), "CC208", "error", "580.65.06")
        self.assert_runs(file, "A100", "no", "CUDA 13", "driver 535.104.05", more=("--driver", "535.104.05"))
        self.assert_runs(file, "A100", "unknown", "580.65.06")
        self.assert_runs(file, "A100", "cubin", more=("--driver", "580.65.06"))

    def test_a_module_without_kernels(self) -> None:
        """cumm 0.8.2: one .cu file with only host code, and with it PTX 8.8 for sm_52."""
        (module,) = (part("cumm-0.8.2") / "cumm").glob("core_cc*.so")
        answer = self.inspect("--gpu", "8.6", "--driver", "535.104.05", module)
        self.assertEqual((answer.code, answer.findings), (0, []))
        self.assertIn("no function and no variable", " ".join(answer.report["files"][0]["remarks"]))

    def test_tar_archives_of_each_format(self) -> None:
        """A real library in what Python's tarfile writes, with a name that needs an extension of the format."""
        library = sorted((part("binary-bitsandbytes") / "bitsandbytes").glob("*.so"))[0]
        (bare,) = self.inspect(library).report["files"]
        name = "pkg/" + "long" * 40 + "/" + library.name
        for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
            path = self.folder / f"x{form}.tar.gz"
            with tarfile.open(path, "w:gz", format=form, compresslevel=1) as archive:
                archive.add(library, name)
            whole, member = self.inspect(path).report["files"]
            self.assertEqual((whole["archive"], whole["summary"]), ("other", bare["summary"]))
            self.assertEqual((member["container"], member["member"], member["summary"]), (str(path), name, bare["summary"]))

    def test_a_wheel_has_the_code_of_its_libraries(self) -> None:
        """The real libraries in a wheel, stored and deflated; and a copy of the driver, as auditwheel renames it."""
        libraries = sorted((part("binary-bitsandbytes") / "bitsandbytes").glob("*.so"))[:2]
        bare = [file["summary"] for file in self.inspect(*libraries).report["files"]]
        wheel = self.folder / "mypkg-1.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for library, method in zip(libraries, (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED)):
                archive.write(library, f"mypkg/{library.name}", method, compresslevel=1)
            archive.writestr("mypkg/__init__.py", "")
        answer = self.inspect(wheel)
        members = {file["path"]: file["summary"] for file in answer.report["files"]}
        self.assertEqual([members[f"{wheel}(mypkg/{library.name})"] for library in libraries], bare)
        self.assertEqual(answer.of("CC409"), [])
        with zipfile.ZipFile(wheel, "a") as archive:
            archive.write("/bin/true", "mypkg.libs/libcuda-984fdb42.so.570")
        self.assert_finding(self.inspect(wheel), "CC409", "error", "libcuda-984fdb42.so.570")
        data = wheel.read_bytes()
        wheel.write_bytes(data[:len(data) // 2])
        self.assertEqual({finding["code"] for finding in self.inspect(wheel, codes=(2,)).findings}, {"CC002"})

    def test_torch(self) -> None:
        file = large("binary-torch") / "torch/lib/libtorch_cuda.so"
        self.assert_runs(file, "12.1", "cubin", "sm_120 in 393 of 393 fatbins")
        self.assert_runs(file, "6.1", "no", "no cubin and no PTX fits", "sm_70", "no PTX")
        self.assert_finding(self.inspect("--gpu", "GTX 1080", file), "CC204", "error", "sm_61")

    def test_onnxruntime_for_windows(self) -> None:
        file = large("binary-onnxruntime-win") / "onnxruntime/capi/onnxruntime_providers_cuda.dll"
        self.assert_runs(file, "8.0", "no", "sm_86", "PTX 8.2 for sm_90")
        self.assert_runs(file, "12.0", "jit", "PTX 8.2 for sm_90", "184 of 184 fatbins")
        self.assert_runs(file, "8.9", "cubin", "sm_89")
        self.assert_finding(self.inspect("--gpu", "H100", "--driver", "525.147.05", file), "CC202", "error", "8.2", "8.0")


class Objects(InspectCase):
    """nvcc's output has what was requested, and cuobjdump agrees."""

    def setUp(self) -> None:
        super().setUp()
        self.root = Path(toolkit("pypi-repaired-13.0.2"))
        (self.folder / "a.cu").write_text(SOURCE)
        (self.folder / "b.cu").write_text(SOURCE.replace("kernel", "other").replace("answer", "question"))

    def nvcc(self, *arguments: str) -> None:
        env = environment(PATH=f"{self.root}/bin:/usr/bin:/bin")
        done = subprocess.run([f"{self.root}/bin/nvcc", *arguments], cwd=self.folder, env=env, capture_output=True,
                              text=True, timeout=300)
        self.assertEqual(done.returncode, 0, f"{arguments}\n{done.stdout}{done.stderr}")

    def make(self, output: str, *arguments: str) -> Path:
        self.nvcc(*arguments, "-o", output)
        return self.folder / output

    def held(self, file: Path) -> list:
        """Kind, architecture and PTX version of every entry."""
        whole = self.inspect("--entries", file).report["files"][0]
        return [(e["kind"], e["arch"], e.get("ptx", "")) for e in whole["entries"]]

    def assert_holds(self, file: Path, *wanted: str) -> dict:
        found = sorted(kind + " " + arch + (" " + ptx if ptx else "") for kind, arch, ptx in self.held(file))
        self.assertEqual(found, sorted(wanted))
        self.assert_equal_to_cuobjdump(file)
        return self.inspect("--entries", file).report["files"][0]

    def gencode(self, *codes: str) -> list:
        """"90a" a cubin, "ptx90" PTX, "lto80" LTO-IR."""
        flags = []
        for code in codes:
            kind, number = ("compute_", code[3:]) if code.startswith("ptx") else ("lto_", code[3:]) if code.startswith("lto") else ("sm_", code)
            flags += ["-gencode", f"arch=compute_{number},code={kind}{number}"]
        return flags

    def test_several_targets(self) -> None:
        file = self.make("a.o", "-c", "a.cu", *self.gencode("75", "80", "90a", "100a", "100f", "120", "ptx80", "ptx120f", "ptx110a"))
        whole = self.assert_holds(file, "cubin sm_75", "cubin sm_80", "cubin sm_90a", "cubin sm_100a", "cubin sm_100f",
                                  "cubin sm_120", "ptx sm_80 9.0", "ptx sm_120f 9.0", "ptx sm_110a 9.0")
        self.assertEqual((whole["format"], whole["fatbins"], whole["machine"]), ("elf", 1, "x86_64"))
        found = self.verdicts(file, "7.5,8.6,9.0,10.0,10.3,11.0,12.1,7.0", "--driver", "580.65.06")
        self.assertEqual({arch: answer["verdict"] for arch, answer in found.items()},
                         {"sm_75": "cubin", "sm_86": "cubin", "sm_90": "cubin", "sm_100": "cubin", "sm_103": "cubin",
                          "sm_110": "jit", "sm_121": "cubin", "sm_70": "no"})

    def test_arch_alone(self) -> None:
        for arch, plain in (("sm_90a", "sm_90"), ("sm_100f", "sm_100")):
            file = self.make(f"{arch}.o", "-c", f"-arch={arch}", "a.cu")
            self.assert_equal_to_cuobjdump(file)
            held = set(self.held(file))
            # nvcc 13.0 adds PTX for the plain architecture by itself.
            self.assertEqual(held - {("ptx", plain, "9.0")}, {("cubin", arch, ""), ("ptx", arch, "9.0")})

    def test_relocatable(self) -> None:
        file = self.make("a.o", "-rdc=true", "-c", "a.cu", *self.gencode("80", "90", "ptx90"))
        whole = self.assert_holds(file, "cubin sm_80", "cubin sm_90", "ptx sm_90 9.0")
        self.assertEqual(whole["sections"], ["__nv_relfatbin"])
        self.assertTrue(all(entry["relocatable"] for entry in whole["entries"]))
        self.assertTrue(all(entry["compressed"] for entry in whole["entries"]))

    def test_lto_ir(self) -> None:
        file = self.make("a.o", "-dc", "a.cu", *self.gencode("lto80"))
        self.assert_holds(file, "ltoir sm_80")
        self.assert_runs(file, "8.0", "unknown", "only LTO-IR may fit")
        both = self.make("b.o", "-dc", "a.cu", *self.gencode("lto80", "90"))
        self.assert_holds(both, "ltoir sm_80", "cubin sm_90")
        self.assert_runs(both, "8.0", "unknown", "only LTO-IR may fit")

    def test_lto_ir_against_a_linker(self) -> None:
        """CUDA 13.3 to 13.5 write one container; the release is that of the PTX which -dlto puts next to it."""
        older, self.root = self.root, Path(toolkit("toolkit-13.3"))
        beside_ptx = self.make("a.o", "-dlto", "-arch=sm_80", "-c", "a.cu")
        alone = self.make("b.o", "-dc", "a.cu", *self.gencode("lto80"))
        for file, linker, level in ((beside_ptx, self.root, []), (beside_ptx, older, ["error"]), (alone, self.root, ["unknown"]),
                                    (alone, older, ["error"])):
            with self.subTest(file=file.name, linker=linker):
                found = self.inspect("--toolkit", linker, file).of("CC215")
                self.assertEqual([one["level"] for one in found], level, found)

    def test_debug(self) -> None:
        whole = self.assert_holds(self.make("a.o", "-G", "-c", "-arch=sm_80", "a.cu"), "cubin sm_80", "ptx sm_80 9.0")
        self.assertTrue(all(entry["debug"] for entry in whole["entries"]))
        whole = self.assert_holds(self.make("b.o", "-c", "-arch=sm_80", "a.cu"), "cubin sm_80", "ptx sm_80 9.0")
        self.assertFalse(any(entry.get("debug") for entry in whole["entries"]))

    def test_every_compression(self) -> None:
        for mode, packed in (("none", []), ("speed", ["ptx"]), ("size", ["cubin", "ptx"]), ("balance", ["ptx"]), ("default", ["ptx"])):
            with self.subTest(mode):
                file = self.make(f"{mode}.o", "-c", f"--compress-mode={mode}", "-arch=sm_80", "a.cu")
                whole = self.assert_holds(file, "cubin sm_80", "ptx sm_80 9.0")
                self.assertEqual(sorted(e["kind"] for e in whole["entries"] if e.get("compressed")), packed)
                deep = self.inspect("--deep", file).report["files"][0]
                self.assertEqual([v.split(".")[:2] for v in deep["toolkits"]], [["13", "0"]])

    def test_a_file_without_kernels(self) -> None:
        """nvcc makes a cubin and PTX of every .cu file. If they contain nothing, no GPU and no driver is asked for."""
        (self.folder / "host.cu").write_text("int host(int a) { return a + 1; }\n")
        for release, root in (("13.0", self.root), ("12.4", part("nvcc-12.4-working"))):
            self.root = root
            for options in ([], ["-rdc=true"], ["-G"], ["-lineinfo"], ["-G", "-rdc=true"]):
                with self.subTest(release, options=options):
                    file = self.make("host.o", "-c", "host.cu", *options)
                    self.assert_equal_to_cuobjdump(file)
                    answer = self.inspect("--entries", "--gpu", "9.0", "--driver", "470.256.02", file)
                    self.assertEqual((answer.code, answer.findings), (0, []))
                    (whole,) = answer.report["files"]
                    self.assertEqual([e["empty"] for e in whole["entries"]], [True, True])
                    self.assertEqual(whole["summary"], [])
        self.root = Path(toolkit("pypi-repaired-13.0.2"))
        for source in ("__device__ int counter;", "__constant__ int table[2] = {1, 2};", "__global__ void k() {}"):
            with self.subTest(source):
                (self.folder / "code.cu").write_text(source + "\n")
                file = self.make("code.o", "-c", "code.cu")
                self.assertFalse(any(e.get("empty") for e in self.inspect("--entries", file).report["files"][0]["entries"]))
                self.assert_finding(self.inspect("--gpu", "9.0", "--driver", "550.54.14", file), "CC202", "error", "9.0")

    def test_extracted_code_is_what_nvcc_makes(self) -> None:
        file = self.make("a.o", "-c", "--compress-mode=size", "a.cu", *self.gencode("80", "ptx80"))
        out = self.folder / "out"
        out.mkdir()
        self.inspect("--extract", "all", "--to", out, file)
        (cubin,), (ptx,) = out.glob("*.cubin"), out.glob("*.ptx")
        for made in (cubin, ptx):
            whole = self.inspect("--entries", made).report["files"][0]
            self.assertEqual((whole["format"], [e["arch"] for e in whole["entries"]]), (made.suffix[1:], ["sm_80"]))
        assembled = subprocess.run([f"{self.root}/bin/ptxas", "-arch=sm_80", str(ptx), "-o", str(out / "again.cubin")],
                                   capture_output=True, text=True)
        self.assertEqual(assembled.returncode, 0, assembled.stderr)

    def test_archive(self) -> None:
        file = self.make("libx.a", "-lib", "a.cu", "b.cu", *self.gencode("80", "ptx90"))
        tools = cuobjdumps()
        self.assertEqual([(e.kind, e.arch) for e in compare_inspect.ask_cuobjdump(tools["13.5"], file)],
                         2 * [("cubin", "sm_80"), ("ptx", "sm_90")])
        files = self.inspect("--entries", file).report["files"]
        whole = next(f for f in files if f["format"] == "archive")
        self.assertEqual({(g["kind"], g["arch"], g["count"], g["fatbins"]) for g in whole["summary"]},
                         {("cubin", "sm_80", 2, 2), ("ptx", "sm_90", 2, 2)})
        members = [f for f in files if f["path"].startswith(f"{file}(")]
        self.assertEqual([[(e["kind"], e["arch"]) for e in f["entries"]] for f in members],
                         2 * [[("cubin", "sm_80"), ("ptx", "sm_90")]])
        found = self.inspect("--gpu", "8.6", "--driver", "580.65.06", file)
        self.assertEqual([f["runs_on"][0]["verdict"] for f in found.report["files"]], 3 * ["cubin"])
        self.assertEqual(found.report["files"][0]["runs_on"][0]["fatbins"], 2)
        answer = self.inspect("--gpu", "7.5", file)
        self.assertEqual(len(answer.of("CC204")), 1, answer.text())

    def test_linked(self) -> None:
        """Linking adds a fatbin of its own; relocatable objects stay in the file next to the code linked from them."""
        lib = f"-L{self.root}/lib"
        plain = self.make("plain.so", "-shared", "-Xcompiler", "-fPIC", lib, "a.cu", *self.gencode("80", "ptx90"))
        found = self.held(plain)
        self.assertIn(("ptx", "sm_90", "9.0"), found)
        self.assertEqual({arch for kind, arch, _ in found if kind == "cubin"}, {"sm_80"})
        self.assert_equal_to_cuobjdump(plain)
        self.assert_runs(plain, "9.0", "jit", "PTX 9.0 for sm_90", more=("--driver", "580.65.06"))
        linked = self.make("linked.so", "-shared", "-rdc=true", "-Xcompiler", "-fPIC", lib, "a.cu", "b.cu",
                           *self.gencode("80", "ptx80"))
        self.assert_equal_to_cuobjdump(linked)
        whole = self.inspect("--entries", linked).report["files"][0]
        self.assertEqual(set(whole["sections"]), {".nv_fatbin", "__nv_relfatbin"})
        self.assertIn(("ptx", True), {(e["kind"], e.get("relocatable", False)) for e in whole["entries"]})
        self.assert_runs(linked, "8.6", "cubin", more=("--driver", "580.65.06"))

    def test_a_linked_program(self) -> None:
        (self.folder / "main.cu").write_text(SOURCE + "int main() { kernel<<<1, 1>>>(nullptr); return 0; }\n")
        file = self.make("program", f"-L{self.root}/lib", "main.cu", "-arch=sm_86")
        self.assert_equal_to_cuobjdump(file)
        self.assert_runs(file, "8.6", "cubin", "sm_86", more=("--driver", "580.65.06"))
        self.assert_finding(self.inspect("--gpu", "8.0", "--driver", "580.65.06", file), "CC204", "error")

    def test_bare_files(self) -> None:
        self.nvcc("-cubin", "-arch=sm_90a", "a.cu")
        self.nvcc("-ptx", "-arch=compute_80", "a.cu")
        self.nvcc("-fatbin", "a.cu", *self.gencode("80", "ptx80"))
        self.assertEqual(self.held(self.folder / "a.cubin"), [("cubin", "sm_90a", "")])
        self.assertEqual(self.held(self.folder / "a.ptx"), [("ptx", "sm_80", "9.0")])
        self.assert_holds(self.folder / "a.fatbin", "cubin sm_80", "ptx sm_80 9.0")
        self.assert_finding(self.inspect("--gpu", "8.0", "--driver", "550.54.14", self.folder / "a.ptx"), "CC202", "error", "9.0")

    def test_what_is_no_ptx(self) -> None:
        self.nvcc("-cubin", "-arch=sm_80", "a.cu", "-o", "code.ptx")
        self.nvcc("-ptx", "-arch=compute_80", "a.cu")
        text = (self.folder / "a.ptx").read_text()
        (self.folder / "wide.ptx").write_text(text, encoding="utf-16")
        (self.folder / "page.ptx").write_text("<!DOCTYPE html><html><body>404</body></html>")
        (self.folder / "pointer.ptx").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
        (self.folder / "headless.ptx").write_text(text[text.index(".visible"):])
        for name, kind in (("code", "a cubin"), ("wide", "UTF-16 text"), ("page", "an HTML page"), ("pointer", "a Git LFS pointer"),
                           ("headless", "")):
            with self.subTest(name):
                file = self.folder / f"{name}.ptx"
                self.assert_finding(self.inspect(file), "CC205", "error", kind)
                refused = subprocess.run([f"{self.root}/bin/ptxas", "-arch=sm_80", str(file), "-o", "/dev/null"], capture_output=True)
                self.assertNotEqual(refused.returncode, 0)
        self.assertEqual(self.inspect(self.folder / "a.ptx").of("CC205"), [])

    def test_code_of_one_gpu_alone(self) -> None:
        exact = self.make("exact.o", "-c", "a.cu", *self.gencode("100a"))
        self.assert_finding(self.inspect(exact), "CC207", "warning", "10.3", "sm_100f")
        for name, codes in (("family", ("100f",)), ("beside", ("100a", "100")), ("text", ("100a", "ptx80"))):
            self.assertEqual(self.inspect(self.make(f"{name}.o", "-c", "a.cu", *self.gencode(*codes))).of("CC207"), [], name)


if __name__ == "__main__":
    unittest.main()
