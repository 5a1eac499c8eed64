# Bad folders, shared caches, and framework files with wrong contents.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support import PTXGUARD, Answer, part, toolkit, validate
from test_bad_input import STRANGE, BadInput


class Folders(BadInput):
    """Names that break careless programs, and folders that cannot be written."""

    def compiles(self, nvcc: Path, env: dict) -> bool:
        source = self.folder / "probe.cu"
        source.write_text("__global__ void kernel(int* p) { *p = 1; }\n")
        command = [str(nvcc), "-c", str(source), "-o", str(self.folder / "probe.o")]
        return subprocess.run(command, env=env, capture_output=True, timeout=300).returncode == 0

    def test_strange_names_everywhere(self) -> None:
        for what, name in STRANGE.items():
            with self.subTest(name=what):
                place = self.folder / name
                place.mkdir()
                (place / "cuda").symlink_to(self.kit)
                site = place / "site-packages"
                site.mkdir()
                for entry in part("torch-2.11.0-set").iterdir():
                    (site / entry.name).symlink_to(entry)
                output = place / "the report.json"
                env = self.env(XDG_CACHE_HOME=str(place), TMPDIR=str(place), PATH=f"{place}/cuda/bin:/usr/bin:/bin")
                command = [PTXGUARD, "check", "--isolated", "--format", "json", "--arch", "80", "--python", str(site)]
                compiles = self.compiles(place / "cuda/bin/nvcc", self.env(PATH=env["PATH"]))
                for again in (False, True):
                    done = subprocess.run([*command, "--output", str(output)], env=env, cwd=place, capture_output=True, text=True, timeout=300)
                    # nvcc passes its folder to a shell, which some names break: its actual result is right.
                    self.assertEqual(done.returncode, 0 if compiles else 1, done.stdout + done.stderr)
                    report = json.loads(output.read_text())
                    validate(report)
                    self.assertEqual(report["verdict"], "pass" if compiles else "fail", report["findings"])
                    self.assertEqual(report["build"]["nvcc"], f"{place}/cuda/bin/nvcc")
                    self.assertEqual([e["framework"] for e in report["expectations"]], ["PyTorch", "Triton"])
                    if compiles:
                        self.assertEqual({p.get("cached", False) for p in report["probes"]}, {again})
                left = {p.name for p in place.iterdir()}
                self.assertEqual(left, {"cuda", "site-packages", "the report.json", "ptxguard"}, "files were left behind")
                output.unlink()

    def test_a_toolkit_in_a_strange_place_is_judged_as_it_is(self) -> None:
        for what, name in STRANGE.items():
            with self.subTest(name=what):
                kit = self.own_copy(name)
                answer = self.check("--toolkit", str(kit))
                verdict = "pass" if self.compiles(kit / "bin/nvcc", self.env()) else "fail"
                self.assertEqual((answer.report["verdict"], bool(answer.errors())), (verdict, verdict == "fail"), answer.text())
                shutil.rmtree(kit)

    def test_a_temporary_folder_that_takes_nothing(self) -> None:
        (self.folder / "file").write_text("x")
        for what, value in {"missing": "/nowhere", "a file": f"{self.folder}/file", "long": "/tmp/" + "x" * 300, "proc": "/proc"}.items():
            with self.subTest(folder=what):
                answer = self.check("--no-cache", "--toolkit", self.kit, env=self.env(TMPDIR=value))
                self.assert_levels(answer, 0, "unknown", ("CC107", "unknown"))
                self.assert_finding(answer, "CC107", "unknown", "could not be tried", "TMPDIR")

    def test_a_full_temporary_folder(self) -> None:
        place = self.folder / "small"
        place.mkdir()
        command = [PTXGUARD, "check", "--isolated", "--format", "json", "--no-cache", "--toolkit", self.kit]
        answer = self.answer([*self.small_disk(place), *command], env=self.env(TMPDIR=str(place)))
        self.assert_levels(answer, 0, "unknown", ("CC107", "unknown"))
        answer = self.answer([*self.small_disk(place, "ro"), *command], env=self.env(TMPDIR=str(place)))
        self.assert_levels(answer, 0, "unknown", ("CC107", "unknown"))

    def test_a_cache_folder_that_takes_nothing(self) -> None:
        place = self.folder / "small"
        place.mkdir()
        command = [PTXGUARD, "check", "--isolated", "--format", "json", "--toolkit", self.kit, "--arch", "75;80;86;90"]
        for options in ((), ("ro",), ("nr_inodes=2",)):
            with self.subTest(options=options):
                self.assert_pass(self.answer([*self.small_disk(place, *options), *command], env=self.env(XDG_CACHE_HOME=str(place))))

    def test_a_cache_folder_without_permission(self) -> None:
        prefix = self.unprivileged()
        place = self.folder / "cache"
        place.mkdir(mode=0o555)
        command = [*prefix, PTXGUARD, "check", "--isolated", "--format", "json", "--toolkit", self.kit]
        self.assert_pass(self.answer(command, env=self.env(XDG_CACHE_HOME=str(place))))
        self.assertEqual(list(place.iterdir()), [])

    def test_a_report_that_cannot_be_written(self) -> None:
        (self.folder / "folder").mkdir()
        for output in ("/nowhere-at-all\0"[:-1] + "/x/../y", str(self.folder / "folder"), "/dev/full/report.json", "/proc/report.json"):
            with self.subTest(output=output):
                done = subprocess.run([PTXGUARD, "check", "--isolated", "--probe", "off", "--toolkit", self.kit, "--format", "json", "-o", output],
                                      env=self.env(), capture_output=True, text=True, timeout=60)
                if os.path.exists(output) and os.path.isfile(output):
                    continue
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertIn("cannot be", done.stderr)

    def test_a_current_folder_that_is_gone(self) -> None:
        gone = self.folder / "gone"
        gone.mkdir()
        command = f'cd "{gone}" && rmdir "{gone}" && exec "$@"'
        self.assert_pass(self.answer(["sh", "-c", command, "sh", PTXGUARD, "check", "--isolated", "--format", "json", "--toolkit", self.kit], env=self.env()))


class SharedCache(BadInput):
    def setUp(self) -> None:
        super().setUp()
        self.cache = self.folder / "cache"  # each test counts the entries

    def entries(self) -> list:
        return sorted((self.cache / "ptxguard").rglob("*.json"))

    def leftovers(self) -> list:
        """Files beside the entries and the key of the cache."""
        return [p for p in self.cache.rglob("*") if p.is_file() and p.suffix != ".json" and p.name != "key"]

    def test_ten_checks_at_once(self) -> None:
        kits = [self.kit, toolkit("pypi-mixed-13.0.88")]
        with ThreadPoolExecutor(10) as pool:
            answers = list(pool.map(lambda i: self.check("--toolkit", kits[i % 2], "--arch", "80;90"), range(10)))
        for i, answer in enumerate(answers):
            self.assertEqual((answer.code, answer.report["verdict"]), ((1, "fail") if i % 2 else (0, "pass")), answer.text())
        self.assertEqual(self.leftovers(), [])
        again = self.check("--toolkit", self.kit, "--arch", "80;90")
        self.assert_pass(again)
        self.assertEqual({p.get("cached", False) for p in again.report["probes"]}, {True})

    def test_damaged_entries_are_made_anew(self) -> None:
        self.assert_pass(self.check("--toolkit", self.kit))
        entries = self.entries()
        self.assertGreaterEqual(len(entries), 4)
        damages = {"empty": lambda b: b"", "half": lambda b: b[: len(b) // 2], "garbage": lambda b: os.urandom(len(b)),
                   "other JSON": lambda b: b"[1, 2", "an object": lambda b: b"{}", "null": lambda b: b"null",
                   "wrong types": lambda b: b'{"schema":"ptxguard/answer-1","question":[],"files":{},"made":7}',
                   "deep": lambda b: b"[" * 200000, "no answer": lambda b: cut(b, "out"), "other PTX": lambda b: b.replace(b".version 9.0", b".version 8.0"),
                   "refused": lambda b: b.replace(b'"exit_code":0', b'"exit_code":1')}
        for what, damage in damages.items():
            with self.subTest(damage=what):
                for entry in self.entries():
                    entry.write_bytes(damage(entry.read_bytes()))
                answer = self.check("--toolkit", self.kit)
                self.assert_pass(answer)
                self.assertEqual(answer.report["build"]["ptx_version"], "9.0")
                self.assertEqual({p.get("cached", False) for p in self.check("--toolkit", self.kit).report["probes"]}, {True})
        for entry in self.entries():
            entry.unlink()
            entry.mkdir()
        self.assert_pass(self.check("--toolkit", self.kit))

    def test_a_killed_check(self) -> None:
        place = self.folder / "tmp"
        place.mkdir()
        front = self.folder / "front"
        front.mkdir()
        mark = self.folder / "compiling"
        self.program(front / "nvcc", f'#!/bin/sh\ncase " $* " in *" -ptx "*|*" --keep "*) touch "{mark}"; exec sleep 987654;; esac\nexec "{self.kit}/bin/nvcc" "$@"\n')
        env = self.env(TMPDIR=str(place), PATH=f"{front}:/usr/bin:/bin")
        for how in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=how.name):
                mark.unlink(missing_ok=True)
                running = subprocess.Popen([PTXGUARD, "check", "--isolated", "--arch", "80"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.wait_for(mark.exists)
                running.send_signal(how)
                running.wait(timeout=20)
                self.wait_for(lambda: not running_with("987654"))
        time.sleep(1)  # anything its children still write, they write now
        for folder in place.iterdir():  # as if some time had passed
            os.utime(folder, (1e9, 1e9))
        answer = self.check("--toolkit", self.kit, "--arch", "80", env=self.env(TMPDIR=str(place)))
        self.assert_pass(answer)
        self.assertEqual(list(place.iterdir()), [])
        self.assertEqual(self.leftovers(), [])

    def wait_for(self, happens) -> None:
        for _ in range(200):
            if happens():
                return
            time.sleep(0.1)
        self.fail("it did not happen within 20 s")


def cut(entry: bytes, member: str) -> bytes:
    document = json.loads(entry)
    document.pop(member)
    return json.dumps(document).encode()


def running_with(word: str) -> bool:
    """Is there a process with this argument?"""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                return True
        except OSError:
            continue
    return False


def named_unknowns(answer: Answer) -> list:
    """Only these rules may report what they could not check."""
    return [(code, "unknown") for code, level in answer.levels() if level == "unknown" and code != "CC210"]


class FrameworkFiles(BadInput):
    """torch/version.py as it should not be."""

    def site(self) -> Path:
        site = self.folder / "site-packages"
        (site / "torch").mkdir(parents=True)
        info = site / "torch-2.5.1+cu124.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.5.1+cu124\n")
        return site

    def judge(self, site: Path) -> Answer:
        began = time.monotonic()
        answer = self.check("--toolkit", self.kit, "--python", str(site), "--arch", "80")
        self.assertLess(time.monotonic() - began, 30)
        return answer

    def test_absurd_contents(self) -> None:
        site = self.site()
        version = site / "torch/version.py"
        contents = {"empty": b"", "binary": os.urandom(100000), "zero bytes": bytes(5000), "banana": b"cuda = 'banana'\n",
                    "a number": b"cuda = 7\n", "unclosed": b"cuda = '12", "deep": b"cuda = " + b"(" * 100000, "one line": b"x" * 5000000,
                    "huge number": b"cuda = '" + b"9" * 50 + b".1'\n", "code": b"import os\ncuda = os.environ['X']\n",
                    "UTF-16": "cuda = '13.0'\n".encode("utf-16"), "negative": b"cuda = '-1.-1'\n", "CR only": b"__version__ = '2.5.1+cu124'\rcuda = '12.4'\r"}
        for what, content in contents.items():
            with self.subTest(content=what):
                version.write_bytes(content)
                if what == "CR only":
                    self.assert_finding(self.judge(site), "CC601", "error", "12.4", "13.0")
                    continue
                self.assert_untold(self.judge(site), limit_reached=what == "one line")
                named = self.check("--toolkit", self.kit, "--python", str(site), "--framework", "torch")
                self.assert_levels(named, 0, "unknown", *named_unknowns(named))

    def assert_untold(self, answer: Answer, limit_reached: bool = False) -> None:
        """torch was not requested: what is unreadable is reported and ignored, but a limit makes the verdict unknown."""
        self.assert_levels(answer, 0, "unknown" if limit_reached else "pass", ("CC002", "unknown"))
        self.assertEqual([e["framework"] for e in answer.report["expectations"]], ["PyTorch"])

    def test_files_that_cannot_be_read(self) -> None:
        site = self.site()
        version = site / "torch/version.py"
        with version.open("wb") as file:
            file.truncate(100 << 20)
        self.assert_untold(self.judge(site), limit_reached=True)
        version.unlink()
        for what, make in {"folder": version.mkdir, "looping": lambda: version.symlink_to(version),
                           "dangling": lambda: version.symlink_to("/nowhere"), "pipe": lambda: os.mkfifo(version),
                           "device": lambda: version.symlink_to("/dev/zero")}.items():
            with self.subTest(file=what):
                if version.is_dir() and not version.is_symlink():
                    version.rmdir()
                elif version.is_symlink() or version.exists():
                    version.unlink()
                make()
                self.assert_untold(self.judge(site))

    def test_nothing_that_tells(self) -> None:
        site = self.site()
        shutil.rmtree(site / "torch-2.5.1+cu124.dist-info")
        (site / "torch/version.py").write_text("cuda = 'banana'\n")
        answer = self.judge(site)
        self.assert_levels(answer, 0, "pass", ("CC002", "unknown"))
        answer = self.check("--toolkit", self.kit, "--python", str(site), "--framework", "torch", "--require", "framework")
        self.assertNotEqual(answer.report["verdict"], "pass", answer.text())

    def test_metadata_that_is_none(self) -> None:
        site = self.site()
        metadata = site / "torch-2.5.1+cu124.dist-info/METADATA"
        (site / "torch/version.py").write_text("__version__ = '2.5.1+cu124'\ncuda = '12.4'\n")
        for what, content in {"empty": b"", "binary": os.urandom(100000), "one line": b"Version: " + b"1" * 1000000}.items():
            with self.subTest(content=what):
                metadata.write_bytes(content)
                self.assert_finding(self.judge(site), "CC601", "error", "12.4", "13.0")


if __name__ == "__main__":
    unittest.main()
