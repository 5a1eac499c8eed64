# `ptxguard deps` compared with the real loader of this machine: libraries compiled here in many arrangements, really
# run. What the process maps, in its order, must be what deps reports. Needs gcc on Linux.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import unittest
from pathlib import Path

from support import PTXGUARD, CheckCase

MACHINE = platform.machine()
MULTIARCH = subprocess.run(["gcc", "-print-multiarch"], capture_output=True, text=True).stdout.strip() if shutil.which("gcc") else ""

# Opens what its arguments name and prints the objects of the process as the loader lists them.
PROGRAM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
static int show(struct dl_phdr_info* info, size_t size, void* data) {
    (void)size, (void)data;
    if (info->dlpi_name[0]) puts(info->dlpi_name);
    return 0;
}
int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (!dlopen(argv[i], RTLD_NOW)) fprintf(stderr, "%s\n", dlerror());
    }
    dl_iterate_phdr(show, 0);
    return 0;
}
"""


def is_system(path: str) -> bool:
    return Path(path).name.startswith(("linux-vdso", "linux-gate", "ld-linux"))


@unittest.skipUnless(shutil.which("gcc") and platform.system() == "Linux", "needs gcc on Linux")
class LoaderCase(CheckCase):
    def setUp(self) -> None:
        super().setUp()
        self.folder = self.folder.resolve()

    def path(self, name: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def build(self, name: str, source: str, *options: str, needs: tuple = (), rpath: str = "", runpath: str = "") -> Path:
        tags = ["-Wl,--disable-new-dtags", f"-Wl,-rpath,{rpath}"] if rpath else []
        tags += ["-Wl,--enable-new-dtags", f"-Wl,-rpath,{runpath}"] if runpath else []
        command = ["gcc", "-x", "c", "-", "-o", str(self.path(name)), "-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined",
                   "-Wl,-x", *options, *tags, "-Wl,-rpath-link,/", "-x", "none", *(str(library) for library in needs), "-ldl"]
        subprocess.run(command, input=source, text=True, check=True, cwd=self.folder)
        return self.path(name)

    def library(self, name: str, *options: str, soname: str | None = None, **more) -> Path:
        """A library whose soname is its file name; soname="" for none."""
        wanted = Path(name).name if soname is None else soname
        naming = [f"-Wl,-soname,{wanted}"] if wanted else []
        return self.build(name, "int here;", "-shared", "-fPIC", *naming, *options, **more)

    def program(self, name: str, *options: str, **more) -> Path:
        return self.build(name, PROGRAM, *options, **more)

    def real(self, program: Path, *opened: str, env: dict | None = None) -> list:
        done = subprocess.run([str(program), *opened], env=env or {}, capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line for line in done.stdout.splitlines() if not is_system(line)]

    def real_trace(self, program: Path, env: dict | None = None) -> tuple:
        """The loader's output when it only lists: found ones in order, missing ones."""
        done = subprocess.run([str(program)], env={**(env or {}), "LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True,
                              text=True, cwd=self.folder)
        found, missing = [], []
        for line in done.stdout.splitlines():
            name, arrow, path = line.strip().partition(" => ")
            if path == "not found":
                missing.append(name)
            elif not is_system(name.split(" ")[0]):
                found.append((path if arrow else name).rpartition(" (")[0])
        return found, missing

    def report(self, file: Path | str, *options: str, env: dict | None = None) -> dict:
        command = [PTXGUARD, "deps", "--isolated", "--format", "json", *options, str(file)]
        done = subprocess.run(command, env={**self.env(), **(env or {})}, capture_output=True, text=True, cwd=self.folder)
        self.assertIn(done.returncode, (0, 1), f"{command}\n{done.stdout}\n{done.stderr}")
        return json.loads(done.stdout)

    def deps(self, file: Path | str, *options: str, env: dict | None = None) -> dict:
        trace = self.report(file, "--all", *options, env=env)["files"][0]
        self.assertFalse(trace.get("trouble"), trace)
        return trace

    def taken(self, trace: dict) -> list:
        return [l["taken"] for l in trace["libraries"] if l["taken"] and not is_system(l["taken"]) and l["how"] != "text"]

    def missing(self, trace: dict) -> list:
        return [l["name"] for l in trace["libraries"] if not l["taken"] and l["how"] == "needed"]

    def of(self, trace: dict, name: str) -> dict:
        found = [l for l in trace["libraries"] if l["name"] == name]
        self.assertEqual(len(found), 1, f"{name} in {json.dumps(trace, indent=1)}")
        return found[0]

    def assert_same(self, program: Path, *options: str, env: dict | None = None) -> dict:
        """A program that starts: its process has exactly the files that deps lists, in this order."""
        trace = self.deps(program, *options, env=env)
        self.assertEqual(self.taken(trace), self.real(program, env=env))
        return trace

    def assert_same_trace(self, program: Path, env: dict | None = None) -> dict:
        """A program that may not start."""
        trace = self.deps(program, env=env)
        found, missing = self.real_trace(program, env)
        self.assertEqual(self.taken(trace), found)
        self.assertEqual(sorted(self.missing(trace)), sorted(set(missing)))
        return trace


class SearchOrder(LoaderCase):
    def two_copies(self) -> None:
        self.library("one/liba.so")
        self.library("two/liba.so")

    def test_rpath_wins_over_ld_library_path(self) -> None:
        self.two_copies()
        program = self.program("bin/p", needs=("one/liba.so",), rpath="$ORIGIN/../one")
        trace = self.assert_same(program, env={"LD_LIBRARY_PATH": str(self.folder / "two")})
        taken = self.of(trace, "liba.so")
        self.assertEqual((taken["rule"], taken["rule_detail"]), ("DT_RPATH of p", "$ORIGIN/../one"))
        self.assertEqual([(l["path"], l["rule"]) for l in taken["losers"]], [(f"{self.folder}/two/liba.so", "LD_LIBRARY_PATH")])

    def test_ld_library_path_wins_over_runpath(self) -> None:
        self.two_copies()
        program = self.program("bin/p", needs=("one/liba.so",), runpath="$ORIGIN/../one")
        trace = self.assert_same(program, env={"LD_LIBRARY_PATH": str(self.folder / "two")})
        taken = self.of(trace, "liba.so")
        self.assertEqual(taken["rule"], "LD_LIBRARY_PATH")
        self.assertEqual([l["rule"] for l in taken["losers"]], ["DT_RUNPATH of p"])
        self.assertEqual(self.of(self.assert_same(program), "liba.so")["rule"], "DT_RUNPATH of p")

    def test_rpath_counts_for_what_libraries_need(self) -> None:
        self.library("deep/libb.so")
        self.library("one/liba.so", needs=("deep/libb.so",))
        program = self.program("bin/p", needs=("one/liba.so",), rpath="$ORIGIN/../one:$ORIGIN/../deep")
        trace = self.assert_same(program)
        self.assertEqual(self.of(trace, "libb.so")["rule"], "DT_RPATH of p")

    def test_the_nearest_rpath_of_the_chain_wins(self) -> None:
        self.library("deep/libb.so")
        self.library("far/libb.so")
        self.library("one/liba.so", needs=("deep/libb.so",), rpath="$ORIGIN/../deep")
        program = self.program("bin/p", needs=("one/liba.so",), rpath="$ORIGIN/../far:$ORIGIN/../one")
        trace = self.assert_same(program)
        taken = self.of(trace, "libb.so")
        self.assertEqual(taken["rule"], "DT_RPATH of liba.so")
        self.assertEqual([l["rule"] for l in taken["losers"]], ["DT_RPATH of p"])

    def test_a_runpath_ends_the_rpaths_of_the_chain(self) -> None:
        self.library("deep/libb.so")
        self.library("one/liba.so", needs=("deep/libb.so",), runpath="$ORIGIN/nowhere")
        program = self.program("bin/p", needs=("one/liba.so",), rpath="$ORIGIN/../one:$ORIGIN/../deep")
        trace = self.assert_same_trace(program)
        self.assertIn("DT_RUNPATH of liba.so", self.of(trace, "libb.so")["because"])

    def test_a_runpath_is_not_inherited(self) -> None:
        self.library("deep/libb.so")
        self.library("one/liba.so", needs=("deep/libb.so",))
        program = self.program("bin/p", needs=("one/liba.so",), runpath="$ORIGIN/../one:$ORIGIN/../deep")
        self.assertEqual(self.missing(self.assert_same_trace(program)), ["libb.so"])

    def test_a_missing_library_found_by_a_later_asker(self) -> None:
        self.library("deep/libc1.so")
        self.library("one/liba.so", needs=("deep/libc1.so",))
        self.library("one/libb.so", needs=("deep/libc1.so",), runpath="$ORIGIN/../deep")
        program = self.program("bin/p", needs=("one/liba.so", "one/libb.so"), runpath="$ORIGIN/../one")
        trace = self.assert_same_trace(program)
        self.assertEqual([bool(l["taken"]) for l in trace["libraries"] if l["name"] == "libc1.so"], [False, True])

    def test_breadth_comes_before_depth(self) -> None:
        self.library("lib/libd.so")
        self.library("lib/liba.so", needs=("lib/libd.so",))
        self.library("lib/libb.so")
        self.library("lib/libc1.so", needs=("lib/libb.so", "lib/liba.so"))
        self.assert_same(self.program("p", needs=("lib/libc1.so", "lib/liba.so", "lib/libb.so"), runpath="$ORIGIN/lib"),
                         env={"LD_LIBRARY_PATH": str(self.folder / "lib")})

    def test_libraries_that_need_each_other(self) -> None:
        self.library("lib/libb.so")
        self.library("lib/liba.so", needs=("lib/libb.so",))
        self.library("lib/libb.so", needs=("lib/liba.so",))
        self.assert_same(self.program("p", needs=("lib/liba.so",), rpath="$ORIGIN/lib"))

    def test_empty_and_repeated_entries_of_ld_library_path(self) -> None:
        self.library("liba.so")
        self.library("two/liba.so")
        program = self.program("bin/p", needs=("liba.so",))
        for value in (f"/nowhere:;{self.folder}/two", f"{self.folder}/two/;{self.folder}/two:", ":"):
            with self.subTest(value):
                found = {os.path.join(self.folder, path) for path in self.real(program, env={"LD_LIBRARY_PATH": value})}
                trace = self.deps(program, env={"LD_LIBRARY_PATH": value})
                self.assertEqual({os.path.join(self.folder, path) for path in self.taken(trace)}, found)

    def test_an_object_that_refuses_the_default_folders(self) -> None:
        system = Path(subprocess.run(["gcc", "-print-file-name=libz.so.1"], capture_output=True, text=True).stdout.strip())
        if not system.is_absolute():
            self.skipTest("no libz.so.1 here")
        program = self.program("bin/p", "-Wl,-z,nodefaultlib", needs=(system,))
        trace = self.assert_same_trace(program)
        self.assertIn("libz.so.1", self.missing(trace))
        self.assertIn("DF_1_NODEFLIB", json.dumps(self.of(trace, "libz.so.1")["losers"]))


class Names(LoaderCase):
    def test_the_soname_of_a_loaded_library_answers(self) -> None:
        self.library("one/liba.so", soname="liba.so.1")
        (self.folder / "one/liba.so.1").symlink_to("liba.so")
        self.library("two/liba.so.1")
        self.library("lib/libb.so", needs=("two/liba.so.1",), rpath="$ORIGIN/../two")
        program = self.program("bin/p", needs=("one/liba.so", "lib/libb.so"), rpath="$ORIGIN/../one:$ORIGIN/../lib")
        trace = self.assert_same(program)
        taken = self.of(trace, "liba.so.1")
        self.assertEqual(taken["taken"], f"{self.folder}/bin/../one/liba.so.1")
        self.assertEqual([l["path"] for l in taken["losers"]], [f"{self.folder}/bin/../lib/../two/liba.so.1"])
        self.assertIn("libb.so", taken["losers"][0]["why"])

    def test_a_file_under_two_names_is_loaded_once(self) -> None:
        self.library("lib/liba.so", soname="")
        for link, kind in (("libx.so", os.link), ("liby.so", os.symlink)):
            kind(self.folder / "lib/liba.so", self.folder / "lib" / link)
        program = self.program("p", "-L" + str(self.folder / "lib"), "-Wl,-l:liba.so", "-Wl,-l:libx.so", "-Wl,-l:liby.so",
                               rpath="$ORIGIN/lib")
        self.assertEqual(len(self.taken(self.assert_same(program))), 2)  # and libc

    def test_a_name_with_a_slash_is_a_path(self) -> None:
        self.library("sub/liba.so", soname="")
        self.library("sub/libb.so", soname="$ORIGIN/sub/libb.so")
        program = self.program("p", needs=("sub/liba.so", "sub/libb.so"))  # needed as written: sub/liba.so
        trace = self.deps(program)
        real = [os.path.join(self.folder, path) for path in self.real(program)]
        self.assertEqual([os.path.join(self.folder, path) for path in self.taken(trace)], real)
        self.assertEqual(self.of(trace, "sub/liba.so")["rule"], "path")

    def test_tokens(self) -> None:
        self.library(f"bin/lib64/{MACHINE}/liba.so")
        for lib in (f"lib/{MULTIARCH}", "lib64", "lib"):
            for name in (MACHINE, "haswell", "xeon_phi"):
                self.library(f"bin/x/{lib}/{name}/liba.so")
                self.library(f"bin/{lib}/libb.so")
        program = self.program("bin/p", needs=(f"bin/lib64/{MACHINE}/liba.so", "bin/lib/libb.so"),
                               rpath="${ORIGIN}/x/$LIB/${PLATFORM}:$ORIGIN/$ORIGINAL:$ORIGIN/${LIB}")
        self.assert_same(program)

    def test_links_count_for_a_program_and_not_for_a_library(self) -> None:
        self.library("store/dep/libb.so")
        self.library("store/liba.so", needs=("store/dep/libb.so",), runpath="$ORIGIN/dep")
        self.library("view/dep/libb.so")
        (self.folder / "view/liba.so").symlink_to("../store/liba.so")
        self.program("apps/p", needs=("store/liba.so",), runpath="$ORIGIN/../view")
        self.path("links/p").symlink_to("../apps/p")
        trace = self.assert_same(self.folder / "links/p")
        self.assertEqual(self.of(trace, "libb.so")["taken"], f"{self.folder}/apps/../view/dep/libb.so")


class Candidates(LoaderCase):
    def three_places(self, damage) -> tuple:
        self.library("good/liba.so")
        bad = self.path("bad/liba.so")
        bad.write_bytes(damage((self.folder / "good/liba.so").read_bytes()))
        program = self.program("p", needs=("good/liba.so",), runpath="$ORIGIN/good")
        return program, {"LD_LIBRARY_PATH": str(self.folder / "bad")}

    def test_other_machines_and_classes_are_passed_over(self) -> None:
        for name, at, value in (("machine", 18, b"\x14\x00"), ("class", 4, b"\x01")):
            with self.subTest(name):
                program, env = self.three_places(lambda good: good[:at] + value + good[at + len(value):])
                trace = self.assert_same(program, env=env)
                self.assertEqual([l["lost"] for l in self.of(trace, "liba.so")["losers"]], ["other-machine"])

    def test_a_broken_file_ends_the_search(self) -> None:
        for name, damage in (("short", lambda good: good[:40]), ("empty", lambda good: b""),
                             ("text", lambda good: b"INPUT(libm.so.6)\n" * 9), ("big endian", lambda good: good[:5] + b"\2" + good[6:]),
                             ("abi", lambda good: good[:7] + b"\x40" + good[8:]), ("object", lambda good: good[:16] + b"\1" + good[17:])):
            with self.subTest(name):
                program, env = self.three_places(damage)
                real = subprocess.run([str(program)], env=env, capture_output=True, text=True)
                self.assertEqual(real.returncode, 127)
                because = self.of(self.deps(program, env=env), "liba.so")["because"]
                self.assertIn(because, real.stderr)

    def test_a_folder_of_that_name_ends_the_search(self) -> None:
        self.library("good/liba.so")
        self.path("bad/liba.so/x")
        program = self.program("p", needs=("good/liba.so",), runpath="$ORIGIN/good")
        env = {"LD_LIBRARY_PATH": str(self.folder / "bad")}
        real = subprocess.run([str(program)], env=env, capture_output=True, text=True)
        self.assertIn(self.of(self.deps(program, env=env), "liba.so")["because"], real.stderr)

    def test_dangling_links_and_files_that_may_not_be_read(self) -> None:
        self.library("good/liba.so")
        self.path("bad/liba.so").symlink_to("/nowhere")
        program = self.program("p", needs=("good/liba.so",), runpath="$ORIGIN/good")
        self.assert_same(program, env={"LD_LIBRARY_PATH": str(self.folder / "bad")})

    def test_folders_for_better_processors(self) -> None:
        levels = ("x86-64-v2", "x86-64-v3", "x86-64-v4")
        self.library("lib/liba.so")
        for level in levels:
            self.library(f"lib/glibc-hwcaps/{level}/liba.so")
        program = self.program("p", needs=("lib/liba.so",), rpath="$ORIGIN/lib")
        for level in reversed(levels):
            self.assert_same(program)
            shutil.rmtree(self.folder / "lib/glibc-hwcaps" / level)
        for old in ("tls", f"tls/{MACHINE}", MACHINE, f"tls/{MACHINE}/{MACHINE}", "haswell", f"{MACHINE}/{MACHINE}"):
            self.library(f"lib/{old}/liba.so")
            self.assert_same(program)


class Preloads(LoaderCase):
    def test_names_and_paths_of_ld_preload(self) -> None:
        self.library("pre/libx.so", needs=(self.library("pre/liby.so"),), runpath="$ORIGIN")
        self.library("pre/liba.so")
        self.library("lib/liba.so")
        self.library("lib/libz1.so")
        program = self.program("p", needs=("lib/liba.so",), rpath="$ORIGIN/lib")
        env = {"LD_PRELOAD": f"{self.folder}/pre/libx.so libz1.so:{self.folder}/pre/liba.so /nowhere/libq.so"}
        trace = self.assert_same(program, env=env)
        taken = self.of(trace, f"{self.folder}/pre/liba.so")
        self.assertEqual((taken["how"], taken["rule"]), ("preload", "LD_PRELOAD"))
        self.assertEqual([l["path"] for l in taken["losers"]], [f"{self.folder}/lib/liba.so"])


class OpenedLater(LoaderCase):
    """What a library opens by name is read from its text; the name must look like one of NVIDIA's."""

    OPENED = "libcublasLt.so.99"

    def opener(self, **more) -> Path:
        source = f"""
            #include <dlfcn.h>
            __attribute__((constructor)) static void now(void) {{ dlopen("{self.OPENED}", RTLD_NOW); }}
        """
        return self.build("lib/libopener.so", source, "-shared", "-fPIC", "-Wl,-soname,libopener.so", **more)

    def assert_opened(self, program: Path, env: dict | None = None) -> dict:
        opener = self.folder / "lib/libopener.so"
        real = self.real(program, str(opener), env=env)
        trace = self.deps(opener, "--host-exe", str(program), env=env)
        later = [l["taken"] for l in trace["libraries"] if l["taken"] and "libc.so" not in l["taken"] and not is_system(l["taken"])]
        self.assertEqual(sorted(later), sorted(p for p in real if "libc.so" not in p and p != str(opener)))
        return trace

    def assert_not_opened(self, program: Path, missing: str) -> None:
        opener = self.folder / "lib/libopener.so"
        self.assertFalse([p for p in self.real(program, str(opener)) if self.OPENED in p])
        self.assertEqual(self.missing(self.deps(opener, "--host-exe", str(program))), [missing])

    def test_the_openers_runpath_counts(self) -> None:
        self.library(f"own/{self.OPENED}")
        self.library(f"other/{self.OPENED}")
        self.opener(runpath="$ORIGIN/../own")
        program = self.program("p")
        self.assert_opened(program)
        self.assert_opened(program, env={"LD_LIBRARY_PATH": str(self.folder / "other")})

    def test_the_openers_rpath_and_the_programs_count(self) -> None:
        self.library(f"own/{self.OPENED}")
        self.library(f"other/{self.OPENED}")
        self.opener(rpath="$ORIGIN/../own")
        self.assert_opened(self.program("p"), env={"LD_LIBRARY_PATH": str(self.folder / "other")})
        self.opener()
        self.assert_opened(self.program("p", rpath="$ORIGIN/other"))
        self.assert_opened(self.program("p", runpath="$ORIGIN/other"))

    def test_the_rpath_of_the_opener_ends_there(self) -> None:
        self.library("deep/libneed.so")
        self.library(f"own/{self.OPENED}", needs=("deep/libneed.so",))
        self.opener(rpath="$ORIGIN/../own:$ORIGIN/../deep")
        self.assert_not_opened(self.program("p"), "libneed.so")
        self.assert_opened(self.program("q", rpath="$ORIGIN/deep"))
        self.library(f"own/{self.OPENED}", needs=("deep/libneed.so",), runpath="$ORIGIN/../deep")
        self.opener(runpath="$ORIGIN/../own")
        self.assert_opened(self.program("p"))

    def test_a_copy_in_the_process_is_taken(self) -> None:
        self.library(f"own/{self.OPENED}")
        self.library(f"other/{self.OPENED}")
        self.opener(rpath="$ORIGIN/../own")
        self.assert_opened(self.program("p", needs=(f"other/{self.OPENED}",), runpath="$ORIGIN/other"))


class Missing(LoaderCase):
    """What the real loader does not find is a finding, whoever made it; what it finds is none."""

    def findings(self, file: Path, *options: str, env: dict | None = None) -> tuple:
        report = self.report(file, *options, env=env)
        return report["verdict"], [(f["code"], f["level"], f["subject"].split(" of ")[0]) for f in report["findings"]]

    def test_a_program(self) -> None:
        far = self.library("far/libfar.so.1")
        for name in ("libcustatevec.so.1", "libnvjpeg2k.so.0", "libcal.so.0", "libcuvs.so", "libanything.so.3"):
            with self.subTest(name):
                self.library(f"gone/{name}", needs=(far,))
                program = self.program("program", needs=(self.folder / "gone" / name,))
                found = {"LD_LIBRARY_PATH": f"{self.folder}/gone:{self.folder}/far"}
                self.assert_same(program, env=found)
                self.assertEqual(self.findings(program, env=found), ("pass", []))
                self.assertEqual(self.real_trace(program)[1], [name])
                for options in ((), ("--all",)):
                    self.assertEqual(self.findings(program, *options), ("fail", [("CC401", "error", name)]))
                self.assertEqual(self.findings(program, env={"LD_LIBRARY_PATH": f"{self.folder}/gone"}),
                                 ("fail", [("CC401", "error", "libfar.so.1")]))

    def test_a_library(self) -> None:
        for name, verdict, level in (("libcutensornet.so.2", "fail", "error"), ("libanything.so.3", "pass", "warning")):
            plugin = self.library("libplugin.so", needs=(self.library(f"gone/{name}"),))
            self.assertEqual(self.findings(plugin), (verdict, [("CC401", level, name)]))
            self.assertEqual(self.findings(plugin, env={"LD_LIBRARY_PATH": f"{self.folder}/gone"}), ("pass", []))

    def test_a_module_whose_environment_has_it(self) -> None:
        site = self.folder / "lib/python3.11/site-packages"
        (site / "mine-1.0.dist-info").mkdir(parents=True)
        module = self.library("lib/python3.11/site-packages/mine/_C.so", needs=(self.library("gone/libcudf.so"),))
        self.assertEqual(self.findings(module), ("fail", [("CC401", "error", "libcudf.so")]))
        self.library("lib/python3.11/site-packages/libcudf/lib64/libcudf.so")
        self.assertEqual(self.findings(module), ("unknown", [("CC401", "unknown", "libcudf.so")]))


if __name__ == "__main__":
    unittest.main()
