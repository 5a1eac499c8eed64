#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of parts.py itself: no network, nothing of NVIDIA's; wheels are built on the fly."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))

import parts  # noqa: E402

WHEEL = "tiny_part-1.0-py3-none-manylinux_2_17_x86_64.whl"
BIG = b"head" + bytes(range(256)) * 64 + b"tail"


def write_wheel(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        tool = zipfile.ZipInfo("nvidia/tool/bin/tool")
        tool.external_attr = (stat.S_IFREG | 0o755) << 16
        wheel.writestr(tool, "#!/bin/sh\nexit 0\n")
        plain = zipfile.ZipInfo("nvidia/tool/include/tool.h")
        plain.external_attr = (stat.S_IFREG | 0o644) << 16
        wheel.writestr(plain, "#pragma once\n")
        wheel.writestr("nvidia/tool/lib/libbig.so", BIG)
        wheel.writestr("tiny_part-1.0.data/scripts/run", "run\n")
        wheel.writestr("tiny_part-1.0.data/purelib/tiny.py", "x = 1\n")
        wheel.writestr("tiny_part-1.0.dist-info/METADATA", "Name: tiny-part\nVersion: 1.0\n")


class Room(unittest.TestCase):
    """Each test has a folder with a recipe file, a wheel and a cache of its own."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="parts selftest "))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "recipes").mkdir()
        write_wheel(self.folder / "recipes" / WHEEL)
        cache = str(self.folder / "cache")
        own = {"PTXGUARD_PARTS_CACHE": cache, "PTXGUARD_PARTS_DOWNLOADS": "keep"}
        patch = mock.patch.dict(os.environ, own)
        patch.start()
        self.addCleanup(patch.stop)

    def recipes(self, *listed: dict[str, Any], **more: Any) -> dict[str, parts.Recipe]:
        body = {"about": "a tiny part", "parts": list(listed) or [self.wheel()], **more}
        path = self.folder / "recipes" / "tiny.json"
        path.write_text(json.dumps({"tiny": body}), encoding="utf-8")
        return parts.load_recipes(path.parent)

    def wheel(self, **more: Any) -> dict[str, Any]:
        return {"wheel": "tiny-part", "version": "1.0", "file": WHEEL, **more}

    def lay(self, recipes: dict[str, parts.Recipe]) -> Path:
        return parts.lay("tiny", self.folder / "laid", recipes)


class Schema(Room):
    def test_committed_recipes_load(self) -> None:
        recipes = parts.load_recipes()
        self.assertIn("pypi-mixed-13.0.88", recipes)
        self.assertIn("pypi-repaired-13.0.2", recipes)
        self.assertEqual(len({recipe.digest for recipe in recipes.values()}), len(recipes))

    def test_committed_files_name_no_address(self) -> None:
        here = Path(__file__).resolve().parent
        files = [*here.glob("parts/*.json"), *here.glob("partslib/*.py"), here / "parts.py"]
        for path in files:
            self.assertNotIn(":" + "//", path.read_text(encoding="utf-8"), path.name)

    def test_mistakes_are_named(self) -> None:
        wrong: list[dict[str, Any]] = [
            {"wheel": "tiny-part", "version": "1.0", "platfrom": "linux"},
            {"wheel": "tiny-part"},
            {"wheel": "tiny-part", "version": "1.0", "platform": "beos"},
            {"wheel": "tiny-part", "version": "1.0", "debs": [["tiny"]]},
            {"debs": [[]], "version": "1.*"},
            {"text": "../outside", "lines": []},
            {"nothing": 1},
        ]
        for body in wrong:
            with self.subTest(body=body), self.assertRaises(parts.PartsError):
                self.recipes(body)

    def test_a_recipe_needs_parts(self) -> None:
        path = self.folder / "recipes" / "two.json"
        path.write_text(json.dumps({"two": {"about": "a", "parts": []}}))
        with self.assertRaises(parts.PartsError):
            parts.load_recipes(path.parent)

    def test_wheel_defaults(self) -> None:
        shared = [{"wheel": "tiny-part", "version": "1.0"}, {"wheel": "b", "version": "1", "whole_below": 3}]
        recipe = self.recipes(*shared, wheel_defaults={"whole_below": 10})["tiny"]
        self.assertEqual([part.whole_below for part in recipe.parts], [10, 3])  # type: ignore[union-attr]


class Laying(Room):
    def test_as_pip_lays_it(self) -> None:
        laid = self.lay(self.recipes(record={"toolkit": "nvidia/*/bin"}))
        self.assertTrue(os.access(laid / "nvidia/tool/bin/tool", os.X_OK))
        self.assertFalse(os.access(laid / "nvidia/tool/include/tool.h", os.X_OK))
        self.assertTrue((laid / "bin/run").is_file())
        self.assertTrue((laid / "tiny.py").is_file())
        self.assertEqual((laid / "tiny_part-1.0.dist-info/INSTALLER").read_text(), "pip\n")
        report = parts.info(laid)
        self.assertEqual(report["toolkit"], "nvidia/tool")
        self.assertEqual(report["sources"][0]["file"], WHEEL)
        self.assertEqual(stat.S_IMODE(laid.stat().st_mode), 0o755)

    def test_large_members_keep_their_size_and_ends(self) -> None:
        laid = self.lay(self.recipes(self.wheel(whole_below=1000, head=4, tail=4)))
        data = (laid / "nvidia/tool/lib/libbig.so").read_bytes()
        self.assertEqual(data, b"head" + bytes(len(BIG) - 8) + b"tail")
        self.assertEqual(
            parts.info(laid)["partial"],
            [
                {
                    "path": "nvidia/tool/lib/libbig.so",
                    "size": len(BIG),
                    "ranges": [[0, 4], [len(BIG) - 4, 4]],
                }
            ],
        )

    def test_a_large_file_that_is_no_library_is_not_hollowed(self) -> None:
        laid = self.lay(self.recipes(self.wheel(hollow_from=1000)))
        self.assertEqual((laid / "nvidia/tool/lib/libbig.so").read_bytes(), BIG)
        self.assertEqual(parts.info(laid)["partial"], [])

    @unittest.skipIf(shutil.which("gcc") is None, "no gcc here")
    def test_a_hollow_library_is_the_same_to_a_loader(self) -> None:
        source = "int need(void); int get(void) { return need(); } " \
            'const char *later = "libcublas.so.12"; const char big[300000] = "x";' + "".join(
                f"int f{i}(int a) {{ return a * {i} + need(); }}" for i in range(3000)
            )
        whole = self.folder / "libwhole.so"
        build = ["gcc", "-shared", "-fPIC", "-O0", "-xc", "-", "-o", str(whole)]
        subprocess.run(build, input=source, text=True, check=True)
        with zipfile.ZipFile(self.folder / "recipes" / WHEEL, "a", zipfile.ZIP_DEFLATED) as wheel:
            wheel.write(whole, "nvidia/tool/lib/libwhole.so")
        laid = self.lay(self.recipes(self.wheel(hollow_from=1000)))
        hollow = laid / "nvidia/tool/lib/libwhole.so"
        self.assertEqual(hollow.stat().st_size, whole.stat().st_size)
        self.assertLess(hollow.stat().st_blocks * 512, whole.stat().st_size * 3 // 4)
        self.assertIn(b"libcublas.so.12", hollow.read_bytes())
        ours, true = (
            subprocess.run(["ldd", "-r", str(file)], capture_output=True, text=True, check=False)
            for file in (hollow, whole)
        )
        self.assertIn("undefined symbol: need", true.stdout + true.stderr)
        address = re.compile(r" \(0x[0-9a-f]+\)|\(/.*\)")
        self.assertEqual(
            address.sub("", ours.stdout + ours.stderr), address.sub("", true.stdout + true.stderr)
        )

    def test_from_into_pick_and_drop(self) -> None:
        taken = self.wheel(pick=["nvidia/*"], drop=["*.so"], into="x", **{"from": "nvidia/tool"})
        laid = self.lay(self.recipes(taken, {"link": "tool", "to": "x/bin/tool"}))
        files = sorted(p.relative_to(laid).as_posix() for p in laid.rglob("*") if p.is_file())
        found = [name for name in files if not name.startswith((".parts", "parts"))]
        self.assertEqual(found, ["tool", "x/bin/tool", "x/include/tool.h"])

    def test_again_changes_nothing(self) -> None:
        recipes = self.recipes()
        laid = self.lay(recipes)
        before = (laid / "parts.json").stat()
        # Without its source it can only succeed if the work is not repeated.
        (self.folder / "recipes" / WHEEL).unlink()
        self.assertEqual(self.lay(recipes), laid)
        self.assertEqual((laid / "parts.json").stat(), before)

    def test_a_changed_recipe_is_laid_anew(self) -> None:
        laid = self.lay(self.recipes())
        self.assertTrue((laid / "tiny.py").exists())
        self.lay(self.recipes(self.wheel(drop=["tiny.py"])))
        self.assertFalse((laid / "tiny.py").exists())
        self.assertEqual(self.visible(), ["tiny"])

    def test_a_failure_leaves_nothing(self) -> None:
        with self.assertRaises(parts.PartsError):
            self.lay(self.recipes(self.wheel(), self.wheel(file="gone.whl")))
        self.assertEqual(self.visible(), [])

    def test_somebody_elses_folder_is_left_alone(self) -> None:
        other = self.folder / "laid" / "tiny"
        other.mkdir(parents=True)
        (other / "mine").touch()
        with self.assertRaises(parts.PartsError):
            self.lay(self.recipes())
        self.assertTrue((other / "mine").exists())

    def test_members_stay_in_their_folder(self) -> None:
        with zipfile.ZipFile(self.folder / "recipes" / WHEEL, "a") as wheel:
            wheel.writestr("../outside", "x")
        with self.assertRaises(parts.PartsError):
            self.lay(self.recipes())
        self.assertFalse((self.folder / "laid" / "outside").exists())

    def visible(self) -> list[str]:
        """What is in the folder except locks."""
        laid = self.folder / "laid"
        return sorted(path.name for path in laid.iterdir() if path.suffix != ".lock")


class Store(Room):
    """Sets are kept between builds."""

    def kept(self) -> list[Path]:
        return sorted((self.folder / "cache/sets").glob("*.json"))

    def test_a_second_build_links_to_the_files_of_the_first(self) -> None:
        recipes = self.recipes()
        first = self.lay(recipes)
        (self.folder / "recipes" / WHEEL).unlink()
        second = parts.lay("tiny", self.folder / "other build", recipes)
        self.assertTrue((first / "tiny.py").samefile(second / "tiny.py"))
        self.assertFalse(first.samefile(second))

    def test_on_another_disk_the_files_are_copied(self) -> None:
        with mock.patch("os.link", side_effect=OSError(18, "Invalid cross-device link")):
            laid = self.lay(self.recipes())
        self.assertEqual((laid / "nvidia/tool/lib/libbig.so").read_bytes(), BIG)
        self.assertEqual((laid / "tiny.py").stat().st_nlink, 1)

    def test_a_file_that_was_written_to_is_made_again(self) -> None:
        recipes = self.recipes()
        (self.lay(recipes) / "tiny.py").write_text("x = 2\n")
        other = parts.lay("tiny", self.folder / "other build", recipes)
        self.assertEqual((other / "tiny.py").read_text(), "x = 1\n")

    def test_each_recipe_has_its_own_entry(self) -> None:
        self.lay(self.recipes())
        self.lay(self.recipes(self.wheel(drop=["tiny.py"])))
        self.assertEqual(len(self.kept()), 2)

    def test_the_entry_used_longest_ago_goes_first(self) -> None:
        self.lay(self.recipes())
        old = self.kept()[0]
        os.utime(old, (1, 1))
        self.lay(self.recipes(self.wheel(drop=["tiny.py"])))
        new = next(path for path in self.kept() if path != old)
        size = json.loads(new.read_text())["bytes"]
        self.assertEqual(parts.prune(2.5 * size / 1e9), [])
        self.assertEqual(parts.prune(1.2 * size / 1e9), [old.with_suffix("")])
        self.assertEqual(self.kept(), [new])
        self.assertFalse(old.with_suffix("").exists())
        self.assertTrue((self.folder / "laid/tiny/nvidia/tool/bin/tool").is_file())

    @unittest.skipIf(os.name == "nt", "no locks on this system")
    def test_an_entry_in_use_stays(self) -> None:
        self.lay(self.recipes())
        entry = self.kept()[0].with_suffix("")
        code = "import fcntl, sys; h = open(sys.argv[1], 'a'); fcntl.flock(h, fcntl.LOCK_EX); print(flush=True); sys.stdin.read()"
        holder = subprocess.Popen([sys.executable, "-c", code, f"{entry}.lock"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert holder.stdout is not None
        holder.stdout.readline()
        self.assertEqual(parts.prune(0), [])
        holder.communicate()
        self.assertEqual(parts.prune(0), [entry])


_CHILD = """
import sys, time
sys.path.insert(0, sys.argv[1])
import pathlib, parts
module = sys.modules["partslib.lay"]
inner = module.lay_wheel
def slow(part, root):
    done = inner(part, root)
    print("unpacked", flush=True)
    time.sleep(float(sys.argv[4]))
    return done
module.lay_wheel = slow
print(parts.lay("tiny", sys.argv[3], parts.load_recipes(pathlib.Path(sys.argv[2]))), flush=True)
"""


class Trees(Room):
    def lay(self, trees: dict[str, Any]) -> Path:
        to, parts_folder = self.folder / "trees", self.folder / "laid"
        file = self.folder / "trees.json"
        file.write_text(json.dumps(trees), encoding="utf-8")
        recipes = self.recipes()
        with mock.patch.dict(parts.lay_trees.__globals__, {"lay": lambda name, at: parts.lay(name, at, recipes)}):
            parts.lay_trees(file, [], to, parts_folder)
        return to

    def test_links_empty_files_and_second_names(self) -> None:
        to = self.lay({
            "one": [
                {"set": "tiny", "from": "nvidia/tool", "to": "C/CUDA", "only": ["bin/*", "lib/*"], "rename": {"lib/libbig.so": "lib/libbig.so.9"}},
                {"empty": "C/python.exe"},
                {"copy": "C/CUDA/bin/tool", "as": "C/other/tool"},
                {"versioned": "C/CUDA/lib", "suffix": ".1.0"},
            ],
            "two": [{"tree": "one"}, {"remove": "C/other"}],
        })
        self.assertTrue((to / "one/C/other/tool").is_file())
        self.assertFalse((to / "one/C/CUDA/include").exists())
        self.assertEqual((to / "one/C/python.exe").read_bytes(), b"")
        self.assertEqual(os.readlink(to / "one/C/CUDA/lib/libbig.so.9"), "libbig.so.9.1.0")
        self.assertEqual((to / "one/C/CUDA/lib/libbig.so.9").read_bytes(), BIG)
        self.assertFalse((to / "two/C/other").exists())
        self.assertTrue((to / "two/C/CUDA/bin/tool").is_file())

    def test_a_changed_header_leaves_the_set_as_it_is(self) -> None:
        to = self.lay({"one": [{"set": "tiny", "from": "nvidia/tool/lib"}, {"machine": "libbig.so"}]})
        self.assertNotEqual((to / "one/libbig.so").read_bytes(), BIG)
        self.assertEqual((self.folder / "laid/tiny/nvidia/tool/lib/libbig.so").read_bytes(), BIG)

    def test_paths_stay_in_the_tree(self) -> None:
        for path in ("/etc/x", "../x"):
            with self.assertRaises(parts.PartsError):
                self.lay({"one": [{"empty": path}]})


class Atomicity(Room):
    def child(self, seconds: float) -> subprocess.Popen[str]:
        code = [sys.executable, "-c", _CHILD, str(Path(__file__).resolve().parent)]
        places = [str(self.folder / "recipes"), str(self.folder / "laid"), str(seconds)]
        process = subprocess.Popen([*code, *places], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)  # type: ignore[union-attr]
        return process

    @unittest.skipIf(os.name == "nt", "no locks on this system")
    def test_two_at_once(self) -> None:
        self.recipes()
        both = [self.child(0.3), self.child(0.3)]
        outputs = [process.communicate()[0].splitlines() for process in both]
        self.assertEqual([process.returncode for process in both], [0, 0])
        # One did the work, the other waited for it.
        self.assertEqual(sorted(len(lines) for lines in outputs), [1, 2])
        self.assertEqual(outputs[0][-1], outputs[1][-1])

    @unittest.skipIf(os.name == "nt", "no SIGKILL")
    def test_killed_half_way(self) -> None:
        recipes = self.recipes()
        process = self.child(60)
        assert process.stdout is not None
        self.assertEqual(process.stdout.readline(), "unpacked\n")
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertFalse((self.folder / "laid" / "tiny").exists())
        laid = self.lay(recipes)
        self.assertTrue((laid / "parts.json").is_file())
        leftovers = [path.name for path in laid.parent.iterdir() if ".work-" in path.name]
        self.assertEqual(leftovers, [])


class CommandLine(Room):
    def run_tool(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        tool = Path(parts.__file__).resolve()
        command = [sys.executable, str(tool), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_list(self) -> None:
        done = self.run_tool("list")
        self.assertEqual(done.returncode, 0)
        self.assertIn("driver-535", done.stdout)

    def test_path_of_what_is_not_laid(self) -> None:
        done = self.run_tool("path", "driver-535", "--to", str(self.folder))
        self.assertEqual((done.returncode, done.stdout), (1, ""))

    def test_unknown_name(self) -> None:
        done = self.run_tool("lay", "no-such-set", "--to", str(self.folder))
        self.assertEqual(done.returncode, 1)
        self.assertIn("no-such-set", done.stderr)

    def test_several_at_a_time(self) -> None:
        with mock.patch.dict(os.environ, {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}):
            done = self.run_tool("lay", "torch-2.0.0", "torch-2.5.1", "--jobs", "2", "--to", str(self.folder))
        self.assertEqual(done.returncode, 77)
        self.assertEqual(len(done.stderr.splitlines()), 2)

    def test_drop_removes_what_the_cache_keeps(self) -> None:
        for name in ("sets/abc/made", "wheels"):
            (self.folder / "cache" / name).mkdir(parents=True)
        self.assertEqual(self.run_tool("drop").returncode, 0)
        self.assertEqual(list((self.folder / "cache").iterdir()), [])

    def test_what_cannot_be_had_is_skipped(self) -> None:
        with mock.patch.dict(os.environ, {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}):
            done = self.run_tool("lay", "torch-2.0.0", "--to", str(self.folder))
        self.assertEqual(done.returncode, 77)
        self.assertEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    here = str(Path(__file__).resolve().parent)
    discover = ["discover", "-s", here, "-p", "parts_selftest*.py"]
    unittest.main(module=None, argv=[sys.argv[0], *discover, *sys.argv[1:]])
