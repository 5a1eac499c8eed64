# What a machine should not have and often has: each is survived, in bounded time, with the right verdict.
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

from support import PTXGUARD, Answer, CheckCase, part, toolkit, validate

STRANGE = {"blank": "a b", "quote": "it's", "semicolon": "a;b", "letters": "ö λ 日本", "dollar": "a$HOME`id`", "percent": "100%#&()",
           "backslash": "a\\b", "double quote": 'a"b', "line feed": "a\nb"}
# An executable ELF header for AArch64.
AARCH64 = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\0\xb7\0\x01\0\0\0" + bytes(64)


class BadInput(CheckCase):
    def setUp(self) -> None:
        super().setUp()
        self.kit = toolkit("pypi-repaired-13.0.2")

    def own_copy(self, name: str = "cuda") -> Path:
        """A toolkit that the test may damage."""
        target = self.folder / name
        shutil.copytree(self.kit, target, symlinks=True)
        return target

    def program(self, path: Path, content: str | bytes, mode: int = 0o755) -> Path:
        path.unlink(missing_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(mode)
        return path

    def answer(self, command: list, **more) -> Answer:
        done = subprocess.run(command, capture_output=True, text=True, errors="surrogateescape", timeout=300, **more)
        self.assertIn(done.returncode, (0, 1), f"{command}\n{done.stdout}\n{done.stderr}")
        report = json.loads(done.stdout)
        validate(report)
        return Answer(done.returncode, report, done.stderr, report["findings"])

    def assert_levels(self, answer: Answer, code: int, verdict: str, *findings: tuple) -> None:
        """Exit code, verdict and all findings, but for the driver that the machine has or has not."""
        found = sorted((c, level) for c, level in answer.levels() if c != "CC210")
        self.assertEqual((answer.code, answer.report["verdict"], found), (code, verdict, sorted(findings)), answer.text())

    def unprivileged(self) -> list:
        """What a command is to be started with so that permissions count."""
        self.folder.chmod(0o755)
        if os.getuid() != 0:
            return []
        prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"]
        try:
            tried = subprocess.run([*prefix, PTXGUARD, "--version"], capture_output=True)
        except OSError as reason:
            raise unittest.SkipTest(f"no setpriv: {reason}")
        if tried.returncode != 0 or subprocess.run([*prefix, f"{self.kit}/bin/nvcc", "--version"], capture_output=True).returncode:
            raise unittest.SkipTest("root, and no other user can start ptxguard and nvcc here")
        return prefix

    def small_disk(self, folder: Path, *options: str) -> list:
        """What a command is to be started with so that `folder` lies on a disk of 64 KB (or is read-only)."""
        mount = f"mount -t tmpfs -o {','.join(['size=64k', *options])} none '{folder}'"
        prefix = ["unshare", "--mount", "--propagation", "private", "sh", "-c", f'{mount} && exec "$@"', "sh"]
        if subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
            raise unittest.SkipTest("nothing can be mounted here")
        return prefix


class Variables(BadInput):
    """Values that are none, beside a toolkit that decides, and where they decide themselves."""

    def values(self) -> dict:
        f = self.folder
        (f / "file").write_text("x")
        (f / "empty").mkdir()
        (f / "dangling").symlink_to(f / "nowhere")
        (f / "one").symlink_to(f / "two")
        (f / "two").symlink_to(f / "one")
        return {"a file": f"{f}/file", "relative": "some/where", "dot": ".", "a folder without toolkit": f"{f}/empty",
                "dangling": f"{f}/dangling", "looping": f"{f}/one", "long": "/" + "x" * 5000, "root": "/", "a device": "/dev/zero",
                "control characters": "\x01\x02", "unexpanded": "$HOME/cuda", "not UTF-8": "/opt/\udcff", "a list": "/opt/a:/opt/b"}

    def test_selectors_that_do_not_decide(self) -> None:
        for variable in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT", "NVHPC_ROOT"):
            for what, value in self.values().items() if variable == "CUDA_HOME" else list(self.values_again().items()):
                with self.subTest(variable=variable, value=what):
                    answer = self.check("--toolkit", self.kit, env=self.env(**{variable: value}))
                    self.assert_levels(answer, 0, "pass", ("CC101", "warning"))

    def values_again(self) -> dict:
        return {"a file": f"{self.folder}/file", "dangling": f"{self.folder}/dangling", "looping": f"{self.folder}/one"}

    def test_the_compiler_variable(self) -> None:
        for what, value in self.values().items():
            with self.subTest(value=what):
                answer = self.check("--toolkit", self.kit, env=self.env(CUDACXX=value))
                # A file is taken for what the user says it is: a compiler, which then does not run.
                code = "CC107" if what == "a file" else "CC101"
                self.assert_levels(answer, 0, "pass", (code, "warning"))

    def test_an_empty_text_is_no_value(self) -> None:
        for variable in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT", "CUDACXX", "NVHPC_ROOT", "VIRTUAL_ENV",
                         "CONDA_PREFIX", "LD_LIBRARY_PATH", "TMPDIR", "NVCC_APPEND_FLAGS", "CUDAARCHS", "TORCH_CUDA_ARCH_LIST"):
            with self.subTest(variable=variable):
                self.assert_levels(self.check("--toolkit", self.kit, env=self.env(**{variable: ""})), 0, "pass")

    def test_a_selector_that_decides(self) -> None:
        for what, value in self.values().items():
            with self.subTest(value=what):
                answer = self.check(env=self.env(CUDA_HOME=value))
                self.assertEqual((answer.code, answer.report["verdict"]), (1, "fail"), answer.text())
                self.assertEqual([f["level"] for f in answer.of("CC101")], ["error"], answer.text())

    def test_a_folder_without_permission(self) -> None:
        prefix = self.unprivileged()
        locked = self.folder / "locked"
        shutil.copytree(f"{self.kit}/bin", locked / "bin")
        locked.chmod(0)
        self.addCleanup(locked.chmod, 0o755)
        command = [*prefix, PTXGUARD, "check", "--isolated", "--format", "json", "--no-cache"]
        env = self.env(CUDA_HOME=str(locked), PATH=f"{locked}/bin:/usr/bin:/bin")
        answer = self.answer([*command, "--toolkit", self.kit], env=env)
        self.assert_finding(answer, "CC101", "warning", "cannot be read")
        self.assertEqual((answer.code, answer.report["verdict"]), (0, "pass"), answer.text())
        self.assert_finding(self.answer(command, env=env), "CC101", "error", "cannot be read")

    def test_a_search_path_that_leads_nowhere_leaves_nvcc_without_host_compiler(self) -> None:
        for what, value in {"empty": "", **self.values()}.items():
            with self.subTest(value=what):
                self.assert_levels(self.check("--toolkit", self.kit, env=self.env(PATH=value)), 1, "fail", ("CC107", "error"))

    def test_search_path_entries_of_all_kinds(self) -> None:
        # A looping entry ends the search of the C library's execvp, so that nvcc really finds no gcc behind it.
        values = [v for k, v in self.values().items() if ":" not in v and k != "looping"]
        path = ":".join(["", ".", "relative", *values, f"{self.kit}/bin", "/usr/bin", "/bin", ""])
        answer = self.check(env=self.env(PATH=path))
        self.assertEqual((answer.code, answer.report["verdict"]), (0, "pass"), answer.text())
        self.assertEqual(answer.report["build"]["nvcc"], f"{self.kit}/bin/nvcc")

    def test_other_variables(self) -> None:
        for variable in ("LD_LIBRARY_PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "XDG_CACHE_HOME", "HOME"):
            for what, value in self.values().items() if variable == "VIRTUAL_ENV" else self.values_again().items():
                with self.subTest(variable=variable, value=what):
                    answer = self.check("--toolkit", self.kit, env=self.env(**{variable: value}))
                    self.assertEqual((answer.code, answer.report["verdict"]), (0, "pass"), answer.text())
                    self.assertEqual(answer.errors(), set())

    def test_a_host_compiler_that_is_none(self) -> None:
        for what, value in self.values().items():
            with self.subTest(value=what):
                answer = self.check("--toolkit", self.kit, env=self.env(NVCC_CCBIN=value))
                self.assert_levels(answer, 1, "fail", ("CC107", "error"))
                self.assert_finding(answer, "CC107", "error", "host compiler")

    def test_flags_that_nvcc_does_not_know(self) -> None:
        for flags in ("--bogus", "nonsense", "-std=c++99"):
            with self.subTest(flags=flags):
                answer = self.check("--toolkit", self.kit, env=self.env(NVCC_APPEND_FLAGS=flags))
                self.assert_levels(answer, 1, "fail", ("CC107", "error"))
                self.assert_finding(answer, "CC107", "error", "nvcc fatal", "unset NVCC_APPEND_FLAGS")

    def test_architectures_that_are_none(self) -> None:
        for variable in ("CUDAARCHS", "TORCH_CUDA_ARCH_LIST"):
            for value in ("banana", "8.0;;x", "80-sass", "/dev/zero", "\x01", "80" * 3000):
                with self.subTest(variable=variable, value=value[:20]):
                    answer = self.check("--toolkit", self.kit, env=self.env(**{variable: value}))
                    self.assert_levels(answer, 0, "pass", ("CC002", "unknown"))


class Compilers(BadInput):
    """An nvcc that is not what it should be."""

    def judge(self, content: str | bytes, mode: int = 0o755) -> Answer:
        if not (self.folder / "cuda").exists():
            self.own_copy()
        self.program(self.folder / "cuda/bin/nvcc", content, mode)
        began = time.monotonic()
        answer = self.check("--toolkit", str(self.folder / "cuda"))
        self.seconds = time.monotonic() - began
        return answer

    def test_programs_that_do_not_run(self) -> None:
        cases = {"for another machine": (AARCH64, "Exec format error"), "empty": (b"", "Exec format error"),
                 "cut off": (b"\x7fELF", "Exec format error"), "text": (b"hello", "Exec format error"),
                 "of Windows": (b"MZ" + bytes(200), "Exec format error"),
                 "without interpreter": ("#!/nowhere/sh\n", "its interpreter /nowhere/sh is missing"),
                 "crashes": ("#!/bin/sh\nkill -SEGV $$\n", "crashes"),
                 "prints nothing": ("#!/bin/sh\nexit 0\n", "does not answer as nvcc does"),
                 "fails without a word": ("#!/bin/sh\nexit 3\n", "does not answer as nvcc does"),
                 "prints garbage": ("#!/bin/sh\nhead -c 3000000 /dev/urandom\n", "does not answer as nvcc does")}
        for what, (content, words) in cases.items():
            with self.subTest(nvcc=what):
                answer = self.judge(content)
                self.assert_levels(answer, 1, "fail", ("CC107", "error"))
                self.assert_finding(answer, "CC107", "error", words)
                self.assertLess(self.seconds, 10)

    def test_a_program_without_permission(self) -> None:
        answer = self.judge(Path(f"{self.kit}/bin/nvcc").read_bytes(), 0o644)
        self.assert_levels(answer, 1, "fail", ("CC107", "error"))
        self.assert_finding(answer, "CC107", "error", "is not executable", "chmod +x")

    def test_a_library_that_is_missing(self) -> None:
        source = self.folder / "main.c"
        source.write_text("int main(void) { return 0; }\n")
        libgone = self.folder / "libgone.so"
        try:
            subprocess.run(["cc", "-shared", "-o", libgone, "-x", "c", "/dev/null"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("no C compiler")
        built = self.folder / "built"
        subprocess.run(["cc", "-o", built, source, "-Wl,--no-as-needed", f"-L{self.folder}", "-lgone"], check=True, capture_output=True)
        libgone.unlink()
        answer = self.judge(built.read_bytes())
        self.assert_levels(answer, 1, "fail", ("CC107", "error"))
        self.assert_finding(answer, "CC107", "error", "libgone.so: cannot open shared object file")

    def test_a_compiler_that_hangs(self) -> None:
        for what, content in {"alone": "#!/bin/sh\nexec sleep 1000\n", "with a child": "#!/bin/sh\nsleep 1000 & sleep 1000\n",
                              "talking": "#!/bin/sh\nexec yes\n"}.items():
            with self.subTest(nvcc=what):
                answer = self.judge(content)
                self.assert_levels(answer, 1, "fail", ("CC107", "error"))
                self.assert_finding(answer, "CC107", "error", "does not answer within")
                self.assertLess(self.seconds, 25)

    def test_a_compiler_that_is_a_link_or_folder(self) -> None:
        nvcc = self.own_copy() / "bin/nvcc"
        for what, make in {"dangling": lambda: nvcc.symlink_to("/nowhere"), "looping": lambda: nvcc.symlink_to(nvcc), "folder": nvcc.mkdir}.items():
            with self.subTest(nvcc=what):
                if nvcc.is_symlink() or nvcc.exists():
                    nvcc.unlink()
                make()
                self.assert_levels(self.check("--toolkit", str(nvcc.parents[1])), 1, "fail", ("CC105", "error"))

    def test_parts_that_do_not_run(self) -> None:
        kit = self.own_copy()
        for name in ("bin/ptxas", "nvvm/bin/cicc", "bin/cudafe++", "bin/fatbinary"):
            good = (kit / name).read_bytes()
            for what, content in {"other machine": AARCH64, "crashes": b"#!/bin/sh\nkill -SEGV $$\n", "says nothing": b"#!/bin/sh\nexit 0\n",
                                  "fails": b"#!/bin/sh\nexit 3\n"}.items():
                with self.subTest(part=name, how=what):
                    self.program(kit / name, content)
                    answer = self.check("--toolkit", str(kit))
                    self.assertEqual((answer.code, answer.report["verdict"]), (1, "fail"), answer.text())
                    if what == "other machine":
                        self.assert_finding(answer, "CC107", "error", Path(name).name)
                    else:
                        self.assertEqual(answer.errors(), {"CC107"}, answer.text())
            self.program(kit / name, good)
        self.assert_pass(self.check("--toolkit", str(kit)))

    def test_wrappers_in_front_of_a_good_compiler(self) -> None:
        front = self.folder / "a front's"
        front.mkdir()
        wrappers = {"exec": f'exec "{self.kit}/bin/nvcc" "$@"\n', "call": f'"{self.kit}/bin/nvcc" "$@"\n',
                    "talking": f'echo "wrapper: hello" >&2\nexec "{self.kit}/bin/nvcc" "$@"\n',
                    "by variable": f'REAL="{self.kit}/bin"\nexec "$REAL/nvcc" "$@"\n'}
        for what, text in wrappers.items():
            with self.subTest(wrapper=what):
                self.program(front / "nvcc", "#!/bin/sh\n" + text)
                answer = self.check("--arch", "80", env=self.env(PATH=f"{front}:/usr/bin:/bin", CUDA_HOME=self.kit))
                self.assert_levels(answer, 0, "pass")
                self.assertEqual(answer.report["build"]["ptx_version"], "9.0")

    def test_other_headers_make_another_answer(self) -> None:
        kit = self.own_copy()
        self.assert_pass(self.check("--toolkit", str(kit)))
        newer = Path(toolkit("pypi-mixed-crt-13.5"))
        for folder in ("include", "include/crt"):
            for header in (newer / folder).glob("*.h*"):
                if header.is_file():
                    shutil.copy2(header, kit / folder / header.name)
        self.assert_finding(self.check("--toolkit", str(kit)), "CC104", "error", "crt headers", "cudaLaunch")


class Folders(BadInput):
    """Names that break careless programs, and folders that take nothing."""

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
                    # nvcc hands its folder to a shell, which some names do not survive: what it really does is right.
                    self.assertEqual(done.returncode, 0 if compiles else 1, done.stdout + done.stderr)
                    report = json.loads(output.read_text())
                    validate(report)
                    self.assertEqual(report["verdict"], "pass" if compiles else "fail", report["findings"])
                    self.assertEqual(report["build"]["nvcc"], f"{place}/cuda/bin/nvcc")
                    self.assertEqual([e["framework"] for e in report["expectations"]], ["PyTorch"])
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
                answer = self.check("--toolkit", self.kit, env=self.env(TMPDIR=value))
                self.assert_levels(answer, 0, "unknown", ("CC107", "unknown"))
                self.assert_finding(answer, "CC107", "unknown", "could not be tried", "TMPDIR")

    def test_a_full_temporary_folder(self) -> None:
        place = self.folder / "small"
        place.mkdir()
        command = [PTXGUARD, "check", "--isolated", "--format", "json", "--toolkit", self.kit]
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
    def entries(self) -> list:
        return sorted((self.folder / "cache/ptxguard").rglob("*.json"))

    def leftovers(self) -> list:
        return [p for p in (self.folder / "cache").rglob("*") if p.is_file() and p.suffix != ".json"]

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
                   "wrong types": lambda b: b'{"schema":"ptxguard/probe-1","question":[],"results":{},"ptx":7}',
                   "deep": lambda b: b"[" * 200000, "no results": lambda b: cut(b, "results"), "other PTX": lambda b: b.replace(b".version 9.0", b".version 8.0"),
                   "refused": lambda b: b.replace(b'"accepted"', b'"rejected"')}
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
        self.program(front / "nvcc", f'#!/bin/sh\ncase " $* " in *" -ptx "*) touch "{mark}"; exec sleep 987654;; esac\nexec "{self.kit}/bin/nvcc" "$@"\n')
        env = self.env(TMPDIR=str(place), PATH=f"{front}:/usr/bin:/bin")
        for how in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=how.name):
                mark.unlink(missing_ok=True)
                running = subprocess.Popen([PTXGUARD, "check", "--isolated", "--arch", "80"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.wait_for(mark.exists)
                running.send_signal(how)
                running.wait(timeout=20)
                self.wait_for(lambda: not running_with("987654"))
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
    """Which rules say what they cannot tell is theirs; none may say more."""
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
                self.assert_untold(self.judge(site))
                named = self.check("--toolkit", self.kit, "--python", str(site), "--framework", "torch")
                self.assert_levels(named, 0, "unknown", *named_unknowns(named))

    def assert_untold(self, answer: Answer) -> None:
        """Nobody asked for torch: what cannot be read is told, and is not taken for anything."""
        self.assert_levels(answer, 0, "pass", ("CC002", "unknown"))
        self.assertEqual([e["framework"] for e in answer.report["expectations"]], ["PyTorch"])

    def test_files_that_cannot_be_read(self) -> None:
        site = self.site()
        version = site / "torch/version.py"
        with version.open("wb") as file:
            file.truncate(100 << 20)
        self.assert_untold(self.judge(site))
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
