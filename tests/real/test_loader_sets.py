# deps compared with other glibcs in their own trees, and on NVIDIA's wheels.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import shutil
import subprocess
import unittest
from pathlib import Path

from support import part
from test_loader import MACHINE, LoaderCase, is_system


@unittest.skipUnless(MACHINE == "x86_64" and hasattr(os, "geteuid") and os.geteuid() == 0, "needs x86-64 and chroot")
class OtherGlibcs(LoaderCase):
    """Systems with another glibc and a cache of their own, judged with --root; the real loader runs in a chroot."""

    GLIBCS = ("glibc-2.31", "glibc-2.41")
    SYSTEM = "usr/lib/x86_64-linux-gnu"

    def enter(self, *command: str, **variables: str) -> str:
        def change_root() -> None:
            os.chroot(self.root)
            os.chdir("/")

        done = subprocess.run(command, capture_output=True, text=True, env={"PATH": "/usr/sbin:/usr/bin", **variables},
                              preexec_fn=change_root)
        return done.stdout

    def lay_root(self, name: str) -> None:
        self.root = self.folder / name
        shutil.copytree(part(name), self.root, symlinks=True)
        for folder in ("lib", "lib64", "sbin"):
            if not (self.root / folder).exists():
                (self.root / folder).symlink_to(f"usr/{folder}")
        for folder in ("etc", "bin", "opt/cuda/lib64", "store", self.SYSTEM):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        (self.root / "etc/ld.so.conf").write_text("/opt/cuda/lib64\n")

    def bare(self, name: str, *options: str, **more) -> Path:
        """A library in the tree that needs nothing of this machine's glibc."""
        return self.library(f"{self.root.name}/{name}", "-nostdlib", *options, **more)

    def bare_program(self, needed: list, *options: str, **more) -> str:
        stubs = [self.library(f"stubs/{name}", "-nostdlib") for name in needed]
        self.build(f"{self.root.name}/bin/p", "void _start(void) { for (;;) ; }", "-nostdlib", *options, needs=tuple(stubs), **more)
        return "/bin/p"

    def assert_same_in_tree(self, program: str) -> dict:
        found, missing = [], []
        listed = self.enter("/lib64/ld-linux-x86-64.so.2", program, LD_TRACE_LOADED_OBJECTS="1")
        for line in listed.splitlines():
            name, arrow, path = line.strip().partition(" => ")
            if path == "not found":
                missing.append(name)
            elif not is_system(name.split(" ")[0]):
                found.append((path if arrow else name).rpartition(" (")[0])
        trace = self.deps(program, "--root", str(self.root))
        self.assertEqual((self.taken(trace), self.missing(trace)), (found, missing))
        self.assertTrue(found)
        return trace

    def test_the_cache_comes_before_the_default_folders(self) -> None:
        for name in self.GLIBCS:
            with self.subTest(name):
                self.lay_root(name)
                for library in ("libboth.so", "libconf.so", "libstale.so", "libother.so"):
                    self.bare(f"opt/cuda/lib64/{library}")
                for library in ("libboth.so", "libstale.so", "libother.so", "libplain.so"):
                    self.bare(f"{self.SYSTEM}/{library}")
                self.enter("/sbin/ldconfig")
                self.bare(f"{self.SYSTEM}/liblate.so")
                (self.root / "opt/cuda/lib64/libstale.so").unlink()
                other = self.root / "opt/cuda/lib64/libother.so"
                other.write_bytes(other.read_bytes()[:18] + b"\x14\x00" + other.read_bytes()[20:])
                needed = ["libboth.so", "libconf.so", "libstale.so", "libother.so", "libplain.so", "liblate.so", "libc.so.6"]
                trace = self.assert_same_in_tree(self.bare_program([*needed, "libnone.so"]))
                rules = {l["name"]: l.get("rule") for l in trace["libraries"]}
                self.assertEqual((rules["libboth.so"], rules["liblate.so"]), ("ld.so.cache", "default folders"))
                self.assertEqual([l["rule"] for l in self.of(trace, "libboth.so")["losers"]], ["ld.so.cache"])

    def test_without_a_cache(self) -> None:
        for name in self.GLIBCS:
            with self.subTest(name):
                self.lay_root(name)
                self.bare("opt/cuda/lib64/libconf.so")
                self.bare(f"{self.SYSTEM}/liba.so")
                self.bare("usr/lib/libb.so")
                self.assert_same_in_tree(self.bare_program(["libconf.so", "liba.so", "libb.so", "libc.so.6"]))

    def test_absolute_links_stay_in_the_tree(self) -> None:
        for name in self.GLIBCS:
            with self.subTest(name):
                self.lay_root(name)
                self.bare("store/liba.so")
                self.bare("opt/cuda/lib64/libb.so", runpath="/store")
                (self.root / "opt/cuda/lib64/liba.so").symlink_to("/store/liba.so")
                self.enter("/sbin/ldconfig")
                self.assert_same_in_tree(self.bare_program(["liba.so", "libb.so", "libc.so.6"]))

    def test_the_file_of_preloads(self) -> None:
        for name in self.GLIBCS:
            with self.subTest(name):
                self.lay_root(name)
                self.bare("store/libx.so")
                self.bare(f"{self.SYSTEM}/liba.so")
                (self.root / "etc/ld.so.preload").write_text("# of this system\n/store/libx.so liba.so\n/nowhere.so\n")
                trace = self.assert_same_in_tree(self.bare_program(["libc.so.6", "liba.so"]))
                self.assertEqual(self.of(trace, "/store/libx.so")["rule"], "/etc/ld.so.preload")

    def test_older_folders_for_processors(self) -> None:
        for name in self.GLIBCS:
            with self.subTest(name):
                self.lay_root(name)
                for folder in ("tls/", "x86_64/", "tls/x86_64/", ""):
                    self.bare(f"store/{folder}liba.so")
                    self.bare(f"opt/cuda/lib64/{folder}libb.so")
                self.enter("/sbin/ldconfig")
                program = self.bare_program(["liba.so", "libb.so", "libc.so.6"], rpath="/store")
                trace = self.assert_same_in_tree(program)
                old = name == "glibc-2.31"
                self.assertEqual("tls" in self.of(trace, "liba.so")["taken"], old)


@unittest.skipUnless(MACHINE == "x86_64", "the wheels are for x86-64")
class NvidiaWheels(LoaderCase):
    """torch's wheels: ldd's result, and what cuDNN really opens."""

    CALLER = r"""
        #include <dlfcn.h>
        #include <stdio.h>
        int main(int argc, char** argv) {
            void* cudnn = dlopen(argv[argc - 1], RTLD_NOW);
            if (!cudnn) return puts(dlerror()), 1;
            size_t (*version)(void) = (size_t(*)(void))dlsym(cudnn, "cudnnGetVersion");
            return version ? version() == 0 : 2;
        }
    """

    def setUp(self) -> None:
        super().setUp()
        self.site = part("torch-2.11.0-set").resolve()
        self.torch = self.site / "torch/lib/libtorch_cuda.so"

    def ldd(self, env: dict) -> dict:
        done = subprocess.run(["ldd", str(self.torch)], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", **env})
        lines = [line.strip().partition(" => ") for line in done.stdout.splitlines()]
        return {name: path.rpartition(" (")[0] for name, arrow, path in lines if arrow}

    def other_cudnn(self) -> str:
        other = self.folder / "other"
        other.mkdir()
        for name in ("libcudnn.so.9", "libcudnn_graph.so.9"):
            shutil.copy(part("cudnn-9.19-graph") / "nvidia/cudnn/lib" / name, other / name)
        return str(other)

    def test_the_set_as_ldd_lists_it(self) -> None:
        for env in ({}, {"LD_LIBRARY_PATH": self.other_cudnn()}):
            with self.subTest(env):
                trace = self.deps(self.torch, env=env)
                found = [(l["name"], l["taken"]) for l in trace["libraries"] if l["how"] == "needed" and not is_system(l["name"])]
                real = [(name, path) for name, path in self.ldd(env).items() if not is_system(name)]
                self.assertEqual(found[:len(real)], real)  # dependencies of libraries that are opened later follow
        self.assertEqual(self.of(trace, "libcudnn.so.9")["losers"][0]["rule"], "LD_LIBRARY_PATH")

    def test_cudnn_of_the_wheel_opens_parts_of_another(self) -> None:
        env = {"LD_LIBRARY_PATH": self.other_cudnn()}
        program = self.build("caller", self.CALLER)
        cudnn = part("cudnn-9.19-graph").resolve() / "nvidia/cudnn/lib/libcudnn.so.9"
        done = subprocess.run([str(program), str(cudnn)], env={**env, "LD_DEBUG": "files"}, capture_output=True, text=True)
        self.assertIn("file=libcudnn_graph.so.9 [0];  generating link map", done.stderr)
        opened = subprocess.run([str(program), str(cudnn)], env={**env, "LD_DEBUG": "libs"}, capture_output=True, text=True).stderr
        inits = [line.rpartition("calling init: ")[2] for line in opened.splitlines() if "calling init: " in line]
        real = [path for path in inits if "libcudnn_graph" in path]
        trace = self.deps(cudnn, env=env)
        self.assertEqual([self.of(trace, "libcudnn_graph.so.9")["taken"]], real)
        self.assertEqual(real, [env["LD_LIBRARY_PATH"] + "/libcudnn_graph.so.9"])


if __name__ == "__main__":
    unittest.main()
