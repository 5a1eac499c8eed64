# Each template is used: configured, built and checked with a real toolkit; scripts and commands in it are run.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import re
import shutil
import unittest
from pathlib import Path

import yaml

from ways import DIST, PARTS, ROOT, TOOLS, WORK, environment, run

TEMPLATES = ROOT / "templates"
VERSION = re.search(r"project\(CudaConsistent VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
TOOLKIT = PARTS / "pypi-repaired-13.0.2/nvidia/cu13"


class Templates(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.venv = WORK / "templates-venv"
        run(TOOLS / "bin/python", "-m", "venv", "--clear", cls.venv)
        run(cls.venv / "bin/python", "-m", "pip", "install", "--no-index", "--find-links", DIST, "ptxguard")

    def setUp(self) -> None:
        self.folder = WORK / "templates" / self._testMethodName
        shutil.rmtree(self.folder, ignore_errors=True)

    def env(self, **more: str) -> dict:
        # LIBRARY_PATH: a wheel's nvcc searches lib64, its libraries are in lib.
        cmake = Path(os.environ["PTXGUARD_CMAKE"]).parent
        return environment(**{"PATH": f"{self.venv}/bin:{cmake}:/usr/bin:/bin", "CUDA_HOME": str(TOOLKIT),
                              "CUDACXX": str(TOOLKIT / "bin/nvcc"), "LIBRARY_PATH": str(TOOLKIT / "lib"), **more})

    def test_cuda_library(self) -> None:
        shutil.copytree(TEMPLATES / "cuda-library", self.folder)
        for preset in ("default", "cluster"):
            text = run("cmake", "--preset", preset, cwd=self.folder, env=self.env())
            self.assertIn("Checking CUDA toolchain - ok", text)
            text = run("cmake", "--build", "--preset", preset, cwd=self.folder, env=self.env())
        run("cmake", "--install", "build/default", "--prefix", self.folder / "out", cwd=self.folder, env=self.env())
        text = run("ptxguard", "inspect", self.folder / "out/lib/libsaxpy.so", "--gpu", "8.0,9.0,12.0", "--driver", "580.65.06", env=self.env())
        self.assertRegex(text, r"9\.0 \(sm_90\) +cubin .*\n +12\.0 \(sm_120\) +jit")
        (self.folder / "CMakeLists.txt").write_text((self.folder / "CMakeLists.txt").read_text().replace("GPUS 8.0", "GPUS 7.5"))
        run("cmake", "--preset", "default", cwd=self.folder, env=self.env())
        self.assertIn("CC204", run("cmake", "--build", "--preset", "default", cwd=self.folder, env=self.env(), code=1))

    def test_quick_start_in_an_empty_folder(self) -> None:
        """Each line of the page, pasted by somebody who has only git, CMake, pip and a toolkit."""
        page = (ROOT / "docs/quick-start-cmake.md").read_text()
        [section] = re.findall(r"### Try it in an empty folder\n(.*?)\n### ", page, re.DOTALL)
        lines = "".join(re.findall(r"```bash\n(.*?)```", section, re.DOTALL))
        self.assertIn("git clone", lines)
        self.folder.mkdir()
        env = environment(HOME=str(self.folder), CUDACONSISTENT=str(ROOT), CUDACXX=str(TOOLKIT / "bin/nvcc"), LIBRARY_PATH=str(TOOLKIT / "lib"),
                          XDG_CACHE_HOME=str(WORK.parents[2] / "bootstrap-cache"), PIP_NO_BUILD_ISOLATION="0",
                          PIP_CONFIG_SETTINGS=f"cmake.define.PTXGUARD_PROGRAM={os.environ['PTXGUARD_WHEEL_PROGRAM']}")
        text = run("sh", "-e", "-c", lines, cwd=self.folder, env=env, timeout=1500)
        self.assertEqual(text.count("Checking CUDA toolchain - ok"), 2)  # one for each configure
        self.assertIn("Installing the wheel", text)

    def test_torch_extension(self) -> None:
        shutil.copytree(TEMPLATES / "torch-extension", self.folder)
        self.assertIn("[tool.scikit-build]", (self.folder / "pyproject.toml").read_text())
        # Without it a build machine without a GPU compiles for sm_50, which CUDA 13 refuses (seen with torch 2.11.0).
        self.assertRegex((self.folder / "CMakeLists.txt").read_text(), r"set\(TORCH_CUDA_ARCH_LIST [\s\S]*find_package\(Torch ")
        configure = ["cmake", "-G", "Ninja", "-S", self.folder, f"-DPython_EXECUTABLE={TOOLS}/bin/python", "-DCMAKE_CUDA_ARCHITECTURES=80"]
        # The sets have what ptxguard reads of torch, not what can be imported: the configure ends after the check.
        text = run(*configure, "-B", self.folder / "good", f"-DCudaConsistent_PYTHON={PARTS}/torch-2.11.0-set", env=self.env(), code=1)
        self.assertIn("Checking CUDA toolchain - ok", text)
        self.assertIn("No module named 'torch'", text)
        text = run(*configure, "-B", self.folder / "bad", f"-DCudaConsistent_PYTHON={PARTS}/torch-cu117-set", env=self.env(), code=1)
        self.assertRegex(text, r"error\[CC601\]: [^\n]*11\.7")
        self.assertNotIn("No module named", text)

    def test_docker(self) -> None:
        lines = (TEMPLATES / "docker/Dockerfile").read_text().splitlines()
        self.assertIn("ARG PTXGUARD_WHEEL", lines)  # PTXGUARD is the program, in slurm/
        commands = [line.removeprefix("RUN ") for line in lines if line.startswith(("RUN ptxguard", "RUN find"))]
        self.assertEqual(len(commands), 2)
        run("sh", "-ec", commands[0], env=self.env())
        out = self.folder / "out"
        out.mkdir(parents=True)
        source = self.folder / "saxpy.cu"
        source.write_text("__global__ void saxpy() {}\n")
        run(TOOLKIT / "bin/nvcc", "-gencode=arch=compute_80,code=sm_80", "-shared", "-Xcompiler", "-fPIC", "-o", out / "libsaxpy.so", source, env=self.env())
        text = run("sh", "-ec", commands[1].replace("/out", str(out)), env=self.env(), code=1)
        self.assertIn("CC204", text)  # sm_80 alone does not run on an H100
        run(TOOLKIT / "bin/nvcc", "-gencode=arch=compute_80,code=[sm_80,compute_80]", "-shared", "-Xcompiler", "-fPIC",
            "-o", out / "libsaxpy.so", source, env=self.env())
        run("sh", "-ec", commands[1].replace("/out", str(out)), env=self.env())

    def test_docker_with_pytorch(self) -> None:
        lines = (TEMPLATES / "docker/pytorch.Dockerfile").read_text().splitlines()
        commands = [line.removeprefix("RUN /opt/ptxguard/bin/") for line in lines if line.startswith("RUN /opt/ptxguard/bin/ptxguard")]
        self.assertEqual(len(commands), 2)
        self.folder.mkdir(parents=True)
        file = self.folder / "constraints.txt"
        for command in commands:
            run("sh", "-ec", command.replace("/opt/constraints.txt", str(file)) + f" --python {PARTS}/torch-2.11.0-set", env=self.env())
        self.assertIn("torch==2.11.0\n", file.read_text())
        self.assertRegex(file.read_text(), r"\nnvidia-cudnn-cu13==[\d.]+\n")

    def test_conda(self) -> None:
        names = yaml.safe_load((TEMPLATES / "conda/environment.yml").read_text())["dependencies"]
        self.assertEqual(names[-1]["pip"], ["--find-links wheels", f"ptxguard=={VERSION}"])
        recipe = yaml.safe_load((TEMPLATES / "conda/recipe.yaml").read_text())
        self.assertEqual(recipe["context"]["version"], VERSION)
        for command in recipe["tests"][0]["script"]:
            run("sh", "-ec", command, env=self.env())
        for name in recipe["about"]["license_file"]:
            self.assertTrue((ROOT / name).is_file())
        for variable in re.findall(r"-D(PTXGUARD_\w+)", str(recipe["build"]["script"])):
            self.assertIn(f"({variable} ", (ROOT / "CMakeLists.txt").read_text())

    def test_conda_package(self) -> None:
        """rattler-build builds from the recipe and runs its tests, here without compiling and without a channel."""
        file = self.folder / "templates/conda/recipe.yaml"
        file.parent.mkdir(parents=True)
        for name in ("CMakeLists.txt", "LICENSE", "LICENSE-THIRD-PARTY.md", "cmake", "tools"):
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, self.folder / name)
        recipe = yaml.safe_load((TEMPLATES / "conda/recipe.yaml").read_text())
        recipe["requirements"] = {}
        recipe["build"]["script"][0] += f" -DPTXGUARD_PROGRAM={os.environ['PTXGUARD']}"
        file.write_text(yaml.safe_dump(recipe))
        pack = ("import rattler_build as r, sys; whole = r.Stage0Recipe.from_file(sys.argv[1]).render()[0].recipe.to_dict(); "
                "print(whole['requirements']); r.Stage0Recipe.from_file(sys.argv[2]).run_build(channels=[], output_dir=sys.argv[3], "
                "tool_config=r.ToolConfiguration(test_strategy='native'))")
        text = run(TOOLS / "bin/python", "-c", pack, TEMPLATES / "conda/recipe.yaml", file, self.folder / "out", env=self.env(
            PATH=f"{TOOLS}/bin:{Path(os.environ['PTXGUARD_CMAKE']).parent}:/usr/bin:/bin"))
        self.assertRegex(text, r"'gxx_[^']*'.*'tomlplusplus'")
        self.assertEqual(len(list(self.folder.glob("out/*/ptxguard-*.conda"))), 1)

    def test_cluster(self) -> None:
        prolog = ["sh", TEMPLATES / "slurm/prolog.sh"]
        run(*prolog, env=self.env())  # a job without GPUs
        node = re.search(r"-r 0 (ptxguard .*)", (TEMPLATES / "slurm/nhc.conf").read_text()).group(1)
        for command, more in ((prolog, {"SLURM_JOB_GPUS": "0"}), (["sh", "-c", node], {})):
            root = " --root " + str(PARTS / "glibc-2.31")  # a node without a driver
            text = run(*command[:1], "-c", Path(command[1]).read_text().replace("--quiet", "--quiet" + root), code=1,
                       env=self.env(**more)) if command is prolog else run("sh", "-c", node + root, code=1, env=self.env())
            self.assertIn("driver", text)
            self.assertNotIn("\n ", text)  # a line each in slurmd's log

    def test_devcontainer(self) -> None:
        settings = json.loads((TEMPLATES / "devcontainer/devcontainer.json").read_text())
        self.assertIn(f"ptxguard=={VERSION}", settings["onCreateCommand"])
        run("sh", "-ec", settings["postStartCommand"], env=self.env())

    def test_readme_lists_every_template(self) -> None:
        readme = (TEMPLATES / "README.md").read_text()
        for template in TEMPLATES.iterdir():
            if template.name != "README.md":
                self.assertIn(f"`{template.name}", readme)
