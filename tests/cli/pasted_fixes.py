# Fixes are pasted into a shell as they are printed, and the machine is judged again: the finding is gone, and no
# other error came. The machine is a tree of hollow files, and its package managers install such files.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass, field
from pathlib import Path

PTXGUARD = sys.argv.pop(1)
UPDATES = {"12.8": "12.8.93", "12.9": "12.9.86", "13.0": "13.0.88", "12.4": "12.4.131", "12.2": "12.2.140", "11.8": "11.8.89"}
SITE = "/venv/lib/python3.11/site-packages"
PROFILE = ("TOP = $(_HERE_)/..\nCICC_PATH = $(TOP)/nvvm/bin\nNVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice\n"
           "LD_LIBRARY_PATH += $(TOP)/lib:\nPATH += $(CICC_PATH):$(_HERE_):\n"
           "INCLUDES += \"-I$(TOP)/$(_TARGET_DIR_)/include\" $(_SPACE_)\n")
# What the commands of a fix run: each writes what it would install, and changes nothing else.
STUBS = {
    "apt-get": 'echo "toolkit /usr/local/${3#cuda-toolkit-}" | tr - . | sed "s|/local/|/local/cuda-|"',
    "dnf": 'echo "toolkit /usr/local/${3#cuda-toolkit-}" | tr - . | sed "s|/local/|/local/cuda-|"',
    "conda": 'case "$1" in create) root="$4";; *) root="$CONDA_PREFIX";; esac; '
             'for w; do case "$w" in cuda-version=*) echo "toolkit $root ${w#*=}";; '
             '*label/cuda-*) v="${w##*cuda-}"; echo "toolkit $root ${v%.0}";; esac; done',
    # NVIDIA's installer, below --installpath.
    "sh": 'case "$1" in cuda_*) for w; do case "$w" in --installpath=*) echo "toolkit ${w#*=}";; esac; done;; esac',
    "wget": 'test "${1#https://developer.download.nvidia.com/}" != "$1"', "curl": 'test "$1" = -fLO',
    "ln": 'echo "link $2 $3"',
    "cmake": 'for w; do case "$w" in -D*) echo "option $w";; esac; done',
    "python3": 'if [ "$1" = -c ]; then echo "%s/nvidia/cu13"; else '
               'for w; do case "$w" in cuda-toolkit*==13.0*) echo "toolkit %s/nvidia/cu13 13.0";; '
               '*==*) echo "package $w";; esac; done; fi' % (SITE, SITE),
}


def toolkit(tree: Path, root: str, release: str) -> None:
    version = UPDATES[release]
    major, minor = release.split(".")
    where = tree / root.lstrip("/")
    banner = f"Cuda compilation tools, release {release}, V{version}\n"
    for name in ("bin/nvcc", "bin/ptxas", "bin/cudafe++", "bin/nvlink", "bin/fatbinary", "nvvm/bin/cicc"):
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        (where / name).write_text(banner)
        (where / name).chmod(0o755)
    for name, text in {"bin/nvcc.profile": PROFILE, "include/crt/host_config.h": "",
                       "include/cuda_runtime_api.h": f"#define CUDART_VERSION  {int(major) * 1000 + int(minor) * 10}\n",
                       "nvvm/libdevice/libdevice.10.bc": "BC", f"lib64/libcudart.so.{version}": "",
                       "version.json": json.dumps({"cuda_nvcc": {"version": version}})}.items():
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        (where / name).write_text(text)
    (where / "lib64/libcudart.so").unlink(missing_ok=True)
    (where / "lib64/libcudart.so").symlink_to(f"libcudart.so.{version}")


@dataclass
class Machine:
    """A tree, the variables of its shell, and the options that name what is not in it."""
    tree: Path
    env: dict = field(default_factory=lambda: {"PATH": "/usr/bin", "HOME": "/root"})
    options: list = field(default_factory=list)

    def copy(self) -> "Machine":
        tree = Path(tempfile.mkdtemp(dir=self.tree.parent)) / "tree"
        shutil.copytree(self.tree, tree, symlinks=True)
        return Machine(tree, dict(self.env), list(self.options))

    def check(self) -> list:
        return [one for one in self.report()["findings"] if not one["suppressed"]]

    def report(self) -> dict:
        command = [PTXGUARD, "check", "--no-cache", "--root", str(self.tree), "--os", "linux", "--format", "json"]
        for name, value in self.env.items():
            command += ["--env", f"{name}={value}"]
        done = subprocess.run([*command, *self.options], capture_output=True, text=True, timeout=60)
        assert done.returncode in (0, 1), f"{command} {self.options}\n{done.stdout}\n{done.stderr}"
        return json.loads(done.stdout)

    def paste(self, fix: dict) -> None:
        text = fix["text"]
        if fix["kind"] == "manual":  # another driver is installed by hand
            return self.option("--driver", re.match(r"install driver ([\d.]+) or newer", text)[1])
        if fix["kind"] == "edit":
            for pattern, option in ((r'set\(CMAKE_CUDA_ARCHITECTURES "(.*)"\)', "--arch"), (r"nvcc (-gencode .*)", "--arch"), (r"([\w-]+==[^ ]+)( .*)?", "--framework"),
                                    (r"set\(CMAKE_CXX_STANDARD (\d+)\)", "--cxx-standard"),
                                    (r"add_compile_options\(-D_GLIBCXX_USE_CXX11_ABI=(\d)\)", "--cxx-abi")):
                if edited := re.fullmatch(pattern, text):
                    return self.option(option, edited[1])
            raise AssertionError(text)
        if fix["kind"] == "setting" and text.startswith("--"):
            name, value = text.split(" ", 1)
            return self.option(name, value)
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log"
            for name, body in STUBS.items():
                (Path(folder) / name).write_text(f"#!/bin/sh\n{{ {body}; }} > {log}.new\n"
                                                 f"[ \"$1\" = -c ] && cat {log}.new || cat {log}.new >> {log}\n")
                (Path(folder) / name).chmod(0o755)
            shell = "module() { echo \"toolkit /opt/${2%/*}-${2#*/} ${2#*/}\" >> " + str(log) + \
                    "; PATH=/opt/${2%/*}-${2#*/}/bin:$PATH; CUDA_HOME=/opt/${2%/*}-${2#*/}; export CUDA_HOME; }\n"
            env = {**self.env, "PATH": f"{folder}:{self.env['PATH']}"}
            # The tools of the shell itself are found behind the stubs.
            script = f"{shell}PATH=$PATH:/stub/end:/usr/bin:/bin\n{text}\n/usr/bin/env -0"
            done = subprocess.run(["/bin/sh", "-euc", script], env=env, capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, f"{text}\n{done.stderr}"
            after = dict(pair.split("=", 1) for pair in done.stdout.split("\0") if "=" in pair)
            after["PATH"] = after["PATH"].split(":/stub/end")[0].replace(folder + ":", "")
            self.env = {k: v for k, v in after.items() if k not in ("_", "PWD", "SHLVL", "OLDPWD")}
            if "PWD" in env:
                self.env["PWD"] = env["PWD"]
            for line in log.read_text().splitlines() if log.exists() else []:
                self.install(line.split())

    def install(self, words: list) -> None:
        if words[0] == "toolkit":
            release = ".".join((words[2] if len(words) > 2 else words[1].rsplit("-", 1)[1]).split(".")[:2])
            toolkit(self.tree, words[1], release)
        elif words[0] == "package":
            package, version = re.sub(r"\[.*\]", "", words[1]).split("==")
            spec = f"{package}=={version}"
            name = package.split("-")[0]
            at = next(i for i, one in enumerate(self.options) if one.startswith(f"--framework={name}"))
            self.options[at] = f"--framework={spec}"
        elif words[0] == "link":
            link = self.tree / words[2].lstrip("/")
            link.parent.mkdir(parents=True, exist_ok=True)
            if not link.exists():
                link.symlink_to(words[1])
        elif words[0] == "option":
            assert words[1].startswith("-D"), words

    def option(self, name: str, value: str) -> None:
        if name == "--toolkit":
            value = shlex.split(value)[0]
        if name == "--arch" and not any(one.startswith("--arch=") for one in self.options):
            self.options.append("--arch=")
        self.options = [f"{name}={value}" if one.startswith(name + "=") else one for one in self.options]


PASTED: dict[str, list] = {"command": [], "setting": [], "edit": []}
PLANS: list = []


class Fixes(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "tree/etc").mkdir(parents=True)

    def machine(self, *options: str, toolkits: tuple = (), files: dict | None = None, **env: str) -> Machine:
        machine = Machine(self.folder / "tree")
        for root, release in toolkits:
            toolkit(machine.tree, root, release)
        for name, text in (files or {}).items():
            path = machine.tree / name.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)
        machine.env.update(env)
        machine.options = list(options)
        return machine

    def assert_fixed(self, machine: Machine, code: str, *least: str) -> None:
        """Each fix that can be pasted, by itself. `least`: words that one of them contains."""
        before = machine.check()
        errors = {one["code"] for one in before if one["level"] == "error"}
        found = [one for one in before if one["code"] == code and one["level"] in ("error", "warning")]
        self.assertTrue(found, json.dumps(before, indent=1))
        fixes = [(one, fix) for one in found for fix in one["fix"] if fix["kind"] != "manual"]
        for words in least:
            self.assertTrue(any(words in fix["text"] for _, fix in fixes), f"{words} in {json.dumps(found, indent=1)}")
        self.assertTrue(fixes, json.dumps(found, indent=1))
        for finding, fix in fixes:
            after = machine.copy()
            after.paste(fix)
            now = after.check()
            same = [one for one in now if (one["code"], one["subject"]) == (code, finding["subject"])
                    and one["level"] in ("error", "warning")]
            self.assertEqual(same, [], fix["text"])
            new = [one for one in now if one["level"] == "error" and one["code"] not in errors]
            self.assertEqual(new, [], fix["text"])
            PASTED[fix["kind"]].append(f"{code}: {fix['text']}")
        self.assert_planned(machine)

    def assert_planned(self, machine: Machine) -> None:
        """No error remains after each plan that can be carried out here."""
        for plan in machine.report()["plan"]:
            if any(one["kind"] == "manual" and not one["text"].startswith("install driver ") for one in plan["steps"]):
                continue
            after = machine.copy()
            for step in plan["steps"]:
                after.paste(step)
            self.assertEqual([one for one in after.check() if one["level"] == "error"], [], json.dumps(plan))
            PLANS.append(plan)

    def test_a_variable_that_names_no_toolkit(self) -> None:
        for variable in ("CUDA_HOME", "CUDA_PATH"):
            with self.subTest(variable):
                machine = self.machine("--build", toolkits=(("/usr/local/cuda-13.0", "13.0"),), **{variable: "/usr/local/cuda-13.1"})
                self.assert_fixed(machine, "CC101", f"export {variable}=/usr/local/cuda-13.0")

    def test_an_entry_of_a_search_path_that_is_missing(self) -> None:
        machine = self.machine("--build", toolkits=(("/usr/local/cuda-13.0", "13.0"),))
        machine.env["PATH"] = "/usr/local/cuda-13.1/bin:/usr/bin"
        self.assert_fixed(machine, "CC102", "PATH")

    def test_selectors_that_disagree(self) -> None:
        machine = self.machine("--build", toolkits=(("/opt/a", "13.0"), ("/opt/b", "12.9")), CUDA_HOME="/opt/a")
        machine.env["PATH"] = "/opt/b/bin:/usr/bin"
        self.assert_fixed(machine, "CC103", "/opt/a/bin")

    def extension(self, *options: str, **more) -> Machine:
        """An extension of PyTorch in its folder: nobody asks for a build."""
        setup = "from torch.utils.cpp_extension import CUDAExtension\nsetup(ext_modules=[CUDAExtension('e', ['e.cu'])])\n"
        files = {"/src/setup.py": setup, **more.pop("files", {})}
        return self.machine("--framework=torch==2.8.0+cu128", *options, files=files, PWD="/src",
                            toolkits=more.pop("toolkits", (("/usr/local/cuda-13.0", "13.0"),)), **more)

    def test_a_toolkit_of_another_major_than_the_framework(self) -> None:
        torch = "torch==2.9.1+cu130"
        ways = {
            "apt": ({"/etc/apt/sources.list.d/cuda-ubuntu2204-x86_64.list": ""}, {}, "apt-get install -y cuda-toolkit-12-8"),
            "dnf": ({"/etc/yum.repos.d/cuda-rhel9.repo": ""}, {}, "dnf install -y cuda-toolkit-12-8"),
            "module": ({"/opt/modules/cuda/12.8.1.lua": ""}, {"MODULEPATH": "/opt/modules"}, "module load cuda/12.8.1"),
            "conda": ({"/opt/env/conda-meta/history": ""}, {"CONDA_PREFIX": "/opt/env"}, "conda install -y"),
            "new conda environment": ({"/usr/bin/conda": ""}, {}, "conda create -y"),
            "CUDA_HOME": ({"/etc/apt/sources.list.d/cuda-ubuntu2204-x86_64.list": ""}, {"CUDA_HOME": "/usr/local/cuda-13.0"},
                          "export CUDA_HOME=/usr/local/cuda-12.8"),
        }
        for name, (files, env, words) in ways.items():
            with self.subTest(name):
                self.setUp()
                self.assert_fixed(self.extension(files=files, **env), "CC601", torch, words)

    def test_a_toolkit_where_no_package_manager_has_one(self) -> None:
        loaders = {"/lib64/ld-linux-x86-64.so.2": "linux", "/lib/ld-linux-aarch64.so.1": "linux_sbsa"}
        for tool in ("wget", "curl"):
            for loader, machine in loaders.items():
                with self.subTest(tool, machine=machine):
                    self.setUp()
                    self.assert_fixed(self.extension(files={loader: "", f"/usr/bin/{tool}": ""}), "CC601",
                                      f"/12.8.1/local_installers/cuda_12.8.1_570.124.06_{machine}.run && sh ",
                                      "export PATH=\"$HOME/cuda-12.8\"/bin")
        self.setUp()
        machine = self.machine("--arch=80-virtual", "--driver=550.54.14", toolkits=(("/usr/local/cuda-12.8", "12.8"),),
                               files={"/lib64/ld-linux-x86-64.so.2": "", "/usr/bin/wget": ""}, CUDA_HOME="/usr/local/cuda-12.8")
        self.assert_fixed(machine, "CC202", "export CUDA_HOME=\"$HOME/cuda-12.4\"")

    def test_the_toolkit_that_fits_is_there(self) -> None:
        for env, words in (({}, "export PATH="), ({"CUDA_HOME": "/usr/local/cuda-13.0"}, "export CUDA_HOME=/opt/cuda-12.8"),
                           ({"CUDACXX": "/usr/local/cuda-13.0/bin/nvcc"}, "export CUDACXX=/opt/cuda-12.8/bin/nvcc")):
            with self.subTest(words):
                self.setUp()
                machine = self.extension(toolkits=(("/usr/local/cuda-13.0", "13.0"), ("/opt/cuda-12.8", "12.8")), **env)
                self.assert_fixed(machine, "CC601", words)

    def test_a_toolkit_from_pypi(self) -> None:
        machine = self.extension(files={"/venv/pyvenv.cfg": "", "/venv/bin/python3": "", f"{SITE}/x": ""},
                                 toolkits=(("/usr/local/cuda-12.8", "12.8"),), VIRTUAL_ENV="/venv")
        machine.options = ["--framework=torch==2.9.1+cu130"]
        self.assert_fixed(machine, "CC601", "cuda-toolkit[nvcc,nvvm,crt,cudart]==13.0.2", "ln -sfn lib \"$CU13\"/lib64")

    def test_architectures_that_nvcc_does_not_know(self) -> None:
        apt = {"/etc/apt/sources.list.d/cuda-ubuntu2204-x86_64.list": ""}
        toolkits = (("/usr/local/cuda-13.0", "13.0"),)
        self.assert_fixed(self.machine("--arch=50;80", toolkits=toolkits, files=apt), "CC203",
                          'set(CMAKE_CUDA_ARCHITECTURES "80")', "cuda-toolkit-12-9")
        self.setUp()
        self.assert_fixed(self.machine(toolkits=toolkits, files=apt, CUDAARCHS="50;80"), "CC203", "export CUDAARCHS=80")
        self.setUp()
        self.assert_fixed(self.extension(toolkits=toolkits, TORCH_CUDA_ARCH_LIST="5.0;8.0"), "CC203",
                          "export TORCH_CUDA_ARCH_LIST=8.0")

    def test_ptx_that_the_driver_does_not_read(self) -> None:
        apt = {"/etc/apt/sources.list.d/cuda-ubuntu2204-x86_64.list": ""}
        machine = self.machine("--arch=80-virtual", "--driver=550.54.14", toolkits=(("/usr/local/cuda-12.8", "12.8"),), files=apt)
        self.assert_fixed(machine, "CC202", 'set(CMAKE_CUDA_ARCHITECTURES "80-real")', "cuda-toolkit-12-4")
        self.setUp()
        machine = self.extension("--driver=550.54.14", toolkits=(("/usr/local/cuda-12.8", "12.8"),), TORCH_CUDA_ARCH_LIST="8.0+PTX")
        self.assert_fixed(machine, "CC202", "export TORCH_CUDA_ARCH_LIST=8.0")

    def test_the_list_of_what_the_project_builds_with(self) -> None:
        for file, text, words in (("Makefile", "all:\n\tnvcc -o x x.cu\n", "nvcc -gencode arch=compute_52,code=sm_52 -gencode arch=compute_89,code=sm_89"),
                                  ("CMakeLists.txt", "project(x LANGUAGES CXX CUDA)\n", 'set(CMAKE_CUDA_ARCHITECTURES "52-real;89-real")')):
            with self.subTest(file):
                self.setUp()
                machine = self.machine("--driver=550.54.14", "--gpu=RTX 4090", toolkits=(("/usr/local/cuda-12.8", "12.8"),),
                                       files={f"/src/{file}": text}, PWD="/src")
                self.assert_fixed(machine, "CC202", words)

    def test_a_driver_too_old_for_a_framework(self) -> None:
        for name, driver in (("torch==2.11.0+cu130", "535.104.05"), ("torch==2.11.0+cu130", "470.256.02")):
            with self.subTest(name, driver=driver):
                self.setUp()
                self.assert_fixed(self.machine(f"--framework={name}", f"--driver={driver}", "--gpu=A100"), "CC208", "pip install")

    def test_a_gpu_that_a_framework_has_no_code_for(self) -> None:
        for name, gpu in (("torch==2.5.1+cu121", "RTX 5090"), ("torch==2.11.0+cu128", "V100"), ("torch==2.9.1+cu130", "GTX 1080")):
            with self.subTest(name, gpu=gpu):
                self.setUp()
                self.assert_fixed(self.machine(f"--framework={name}", f"--gpu={gpu}"), "CC607", "pip install")

    def test_a_build_that_was_never_released(self) -> None:
        for name in ("torch==2.0.0+cu121", "torch==2.9.9+cu130"):
            with self.subTest(name):
                self.setUp()
                self.assert_fixed(self.machine(f"--framework={name}"), "CC603")

    def test_a_framework_for_cpus(self) -> None:
        machine = self.machine("--framework=torch==2.5.1+cpu", "--build", toolkits=(("/usr/local/cuda-12.4", "12.4"),))
        self.assert_fixed(machine, "CC604", "torch==2.5.1+cu124")

    def test_a_toolkit_that_nothing_leads_to(self) -> None:
        machine = self.machine("--framework=torch==2.5.1+cu124", "--build", toolkits=(("/usr/local/cuda-12.4", "12.4"),))
        self.assert_fixed(machine, "CC112", "export PATH=/usr/local/cuda-12.4/bin")

    def test_the_language_of_a_project(self) -> None:
        machine = self.machine("--framework=torch==2.5.1+cu124", "--cxx-standard=14", "--cxx-abi=1",
                               toolkits=(("/usr/local/cuda-12.4", "12.4"),))
        self.assert_fixed(machine, "CC605", "-D_GLIBCXX_USE_CXX11_ABI=0")
        self.assert_fixed(machine, "CC606", "CMAKE_CXX_STANDARD 17")


class Count(unittest.TestCase):
    def test_enough_of_them_of_all_kinds(self) -> None:
        everything = {one for many in PASTED.values() for one in many}
        self.assertGreaterEqual(len(everything), 25, "\n".join(sorted(everything)))
        for kind, many in PASTED.items():
            self.assertTrue(many, kind)
        self.assertGreaterEqual(len(PLANS), 20)


if __name__ == "__main__":
    suite = unittest.TestSuite([unittest.defaultTestLoader.loadTestsFromTestCase(Fixes),
                                unittest.defaultTestLoader.loadTestsFromTestCase(Count)])
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    sys.exit(not result.wasSuccessful())
