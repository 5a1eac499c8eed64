# What a machine should not have and often has: each case is handled, in bounded time, with the right verdict.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import unittest
from pathlib import Path

from support import PTXGUARD, Answer, CheckCase, toolkit, validate

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
        """Exit code, verdict and all findings, except for the driver that the machine has or lacks."""
        found = sorted((c, level) for c, level in answer.levels() if c != "CC210")
        self.assertEqual((answer.code, answer.report["verdict"], found), (code, verdict, sorted(findings)), answer.text())

    def unprivileged(self) -> list:
        """The prefix for a command so that permissions apply."""
        self.folder.chmod(0o755)
        if os.getuid() != 0:
            return []
        prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"]
        try:
            # Started from a process of that user: setpriv itself still starts a program in a folder that only root may
            # enter.
            tried = subprocess.run([*prefix, "sh", "-c", 'test -x "$1" && test -x "$2"', "sh", PTXGUARD, f"{self.kit}/bin/nvcc"])
        except OSError as reason:
            raise unittest.SkipTest(f"no setpriv: {reason}")
        if tried.returncode != 0:
            raise unittest.SkipTest("root, and no other user can start ptxguard and nvcc here")
        return prefix

    def small_disk(self, folder: Path, *options: str) -> list:
        """The prefix for a command so that `folder` is on a disk of 64 KB (or is read-only)."""
        mount = f"mount -t tmpfs -o {','.join(['size=64k', *options])} none '{folder}'"
        prefix = ["unshare", "--mount", "--propagation", "private", "sh", "-c", f'{mount} && exec "$@"', "sh"]
        if subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
            raise unittest.SkipTest("nothing can be mounted here")
        return prefix


class Variables(BadInput):
    """Invalid values, with a toolkit that is selected, and when they select the toolkit themselves."""

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
                # A file is used as what the user declares it to be: a compiler, which then does not run.
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
        # A looping entry ends the search of the C library's execvp, so that nvcc really finds no gcc after it.
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
    """An nvcc that is not a proper compiler."""

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
                 "prints nothing": ("#!/bin/sh\nexit 0\n", "fails with --dryrun"),
                 "fails without a word": ("#!/bin/sh\nexit 3\n", "fails with --dryrun"),
                 "prints garbage": ("#!/bin/sh\nhead -c 3000000 /dev/urandom\n", "fails with --dryrun")}
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


if __name__ == "__main__":
    unittest.main()
