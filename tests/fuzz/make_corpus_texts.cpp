// Seeds of the targets formats and scenarios.
// SPDX-License-Identifier: Apache-2.0
#include "../unit/formats/build_archive.hpp"
#include "../unit/formats/build_fatbin.hpp"
#include "make_corpus.hpp"

namespace {

void write_packed(const Folder& folder) {
    const std::string stored("\x01\x03\x00\xfc\xffone", 8);
    folder.add("deflate", stored);
    folder.add_damaged("gzip", built::gzip("one"), 10);
    folder.add_damaged("zstd", built::zstd_frame("one") + built::zstd_frame(std::string(300, 'x')), 4);
    folder.add_damaged("tar",
                       built::tar(built::tar_member("a/b.so", "one") + built::tar_member("a/", "", '5') +
                                  built::tar_member("c.so", std::string(600, 'x'))),
                       124);
    folder.add_damaged("zip", built::zip({{"a/b.so", "one"}, {"c", std::string(40, 'x')}}), 18);
    folder.add("lto-ir", std::string("\x7f\x43\x4e\xed\x01\x00\x39\x00\x02\x00\x33\x00", 12));
}

void write_machine_files(const Folder& folder) {
    folder.add("ld-so-conf",
               "include /etc/ld.so.conf.d/*.conf\n# c\n/usr/local/lib hwcap 0 x\n/opt/a:/opt/b\n");
    folder.add("conda-record", R"({"name": "a", "version": "1", "build": "0", "depends": ["b >=1,<2"],
"files": ["lib/python3.11/site-packages/a/b.so", "lib/\u00e9.so"]})");
    folder.add("dpkg-status",
               "Package: a\nStatus: install ok installed\nVersion: 2:1.13.1+dfsg-4\n\nPackage: b\n");
    folder.add("record", "a/b.so,sha256=x,12\n\"a,b\".so,,\n../../bin/x,sha256=y,7\n");
    folder.add("metadata", R"(Metadata-Version: 2.1
Name: a
Version: 1
Tag: cp311-cp311-linux_x86_64
Requires-Dist: b[c] (>=1) ; extra == 'd'

text
)");
    folder.add("paths", R"(/env/lib
import site; site.addsitedir('/x')
./a
home = /usr/bin
include-system-site-packages = true
version = 3.11.2
)");
    folder.add("start-file", R"(#!/bin/sh
export CUDA_HOME="/cuda" X=1
setenv("CUDA_HOME", "/cuda")
exec "/usr/bin/python3" "$@"
)");
    folder.add("profile", R"(TOP = $(_HERE_)/..
PATH += $(TOP)/nvvm/bin:$(_HERE_):
INCLUDES += "-I$(TOP)/include" -isystem /x
LIBRARIES =+ $(_SPACE_) "-L$(TOP)/lib64/stubs"
X ?= $(X)
)");
}

// The first line is the file's name, here and in the next functions.
void write_python_recipes(const Folder& folder) {
    folder.add("requirements", R"(requirements.txt
--extra-index-url https://download.pytorch.org/whl/cu126
-r more.txt
torch==2.7.0+cu128 ; python_version < '3.12'
nvidia-cudnn-cu12==8.9.2.26
torchvision>=0.18,<1
)");
    folder.add("pyproject", R"(pyproject.toml
[project]
dependencies = ["torch==2.5.1", "onnxruntime-gpu==1.16.3"]
[project.optional-dependencies]
a = ["x[a]"]
[tool.poetry.dependencies]
torch = {version = "^2.1", source = "s"}
[[tool.poetry.source]]
name = "s"
url = "https://download.pytorch.org/whl/cu118"
[tool.uv.sources]
torch = {index = "s"}
)");
    folder.add("pipfile", R"(Pipfile
[[source]]
name = 's'
url = 'https://download.pytorch.org/whl/cu118'
[packages]
torch = {version = '==2.0.0+cu121', index = 's'}
)");
    folder.add("setup", R"x(setup.py
setup(install_requires=['torch==2.5.1', 'cupy-cuda12x'], flags=['-gencode', 'arch=compute_80,code=sm_80'])
)x");
    folder.add("lock", R"(uv.lock
[[package]]
name = 'torch'
version = '2.5.1+cu124'
source = {registry = 'r'}
dependencies = [{name = 'nvidia-cudnn-cu12', marker = "sys_platform == 'linux'"}]
)");
}

void write_conda_recipes(const Folder& folder) {
    folder.add("conda", R"(environment.yml
channels: [pytorch, nvidia/label/cuda-12.1.1]
dependencies: ["pytorch=2.1=*cuda*", cudatoolkit=11.8, {pip: [torch==2.1.0]}]
)");
    folder.add("conda-recipe", R"(meta.yaml
{% set v = '12.4' %}
requirements:
  host: ["cuda-version {{ v }}"]
  run: ['pytorch =2.1', {if: linux, then: [cuda-nvcc]}]
)");
    folder.add("pixi-lock", R"(pixi.lock
environments: {default: {packages: {linux-64: [{conda: "https://x/linux-64/pytorch-2.1.0-py3.10_cuda12.1_0.conda"}]}}}
packages: [{conda: "https://x/linux-64/pytorch-2.1.0-py3.10_cuda12.1_0.conda"}]
)");
    folder.add("pixi", R"(pixi.toml
[dependencies]
pytorch = '2.1.*'
[system-requirements]
cuda = '12'
[feature.f.pypi-dependencies]
torch = {version = '==2.1.0', index = 'x'}
[environments]
e = ['f']
)");
}

void write_build_recipes(const Folder& folder) {
    folder.add("cmake", "CMakeLists.txt\nproject(x LANGUAGES CUDA)\nset(CMAKE_CUDA_ARCHITECTURES 60 120)\n");
    folder.add("presets", R"(CMakePresets.json
{"include": ["b.json"], "configurePresets": [
{"name": "a", "inherits": ["b"], "cacheVariables": {"CMAKE_CUDA_ARCHITECTURES": {"value": "60"}}}]})");
    folder.add("makefile", "Makefile\nA ?= sm_120\nx.ptx: x.cu\n\tnvcc -arch=$(A) -o $@ $<\n");
    folder.add("shell", R"(install.sh
for v in 11.8 12.4; do case $v in 12*) pip install torch==2.5.1+cu${v//./};; esac; done
module load cuda/12.1; export CUDA_HOME=/usr/local/cuda-11.8; python setup.py install
)");
    folder.add("batch", "install.bat\nset V=cu121\r\nif \"%V%\"==\"cu121\" pip install torch==2.1.0+%V%\r\n");
    folder.add("powershell", "install.ps1\n$V = 'cu121'\nif ($V) { pip install \"torch==2.1.0+$V\" }\n");
    folder.add("slurm", R"(a.sbatch
#!/bin/bash
#SBATCH --gres=gpu:a100:1
module load cuda/11.8
pip install jax[cuda12]
)");
}

void write_service_recipes(const Folder& folder) {
    folder.add("dockerfile", R"(Dockerfile
ARG V=12.4.1
FROM nvidia/cuda:${V}-cudnn-devel-ubuntu22.04 AS a
ENV CUDA_HOME=/usr/local/cuda-12.1
COPY requirements.txt .
RUN pip install -r requirements.txt torch==2.5.1+cu125 --index-url https://download.pytorch.org/whl/cu124 && \
    nvcc -gencode arch=compute_120,code=sm_120 -ptx a.cu
FROM nvcr.io/nvidia/pytorch:24.06-py3
RUN conda create -n e pytorch=2.1 pytorch-cuda=12.1 && conda run -n e pip install flash-attn==2.5.6
)");
    folder.add("definition", R"(a.def
Bootstrap: docker
From: nvidia/cuda:11.8.0-runtime-ubuntu22.04
Stage: b
%post
  pip install tensorflow[and-cuda]==2.16.1 jax[cuda12]==0.4.20
)");
    folder.add("compose", R"(compose.yml
services:
  a: {build: {context: ., args: [V=12]}, image: 'nvidia/cuda:${V:-11}', command: pip install cupy-cuda11x}
  b: {extends: a}
)");
    folder.add("workflow", R"(.github/workflows/a.yml
env: {A: "${{ matrix.cuda || '12' }}"}
jobs:
  t:
    strategy: {matrix: {cuda: ["11.8", "12.4"], include: [{cuda: "11.8", t: 2.5.1}]}}
    container: nvidia/cuda:${{ matrix.cuda }}-devel
    steps:
      - {uses: Jimver/cuda-toolkit@v1, with: {cuda: "${{ matrix.cuda }}"}}
      - {if: "matrix.t != ''", run: "pip install torch==${{ matrix.t }}"}
  u: {uses: ./.github/workflows/a.yml}
)");
    folder.add("gitlab", R"(.gitlab-ci.yml
include: [{local: a.yml}]
.a: {image: 'nvidia/cuda:11.8.0-devel'}
t:
  extends: .a
  parallel: {matrix: [{P: [1, 2]}]}
  script: [!reference [.a, script], pip install torch==2.$P.0]
)");
    folder.add("circleci", R"(.circleci/config.yml
version: 2.1
commands: {c: {parameters: {v: {default: '12'}}, steps: [run: pip install cupy-cuda<< parameters.v >>x]}}
jobs: {j: {docker: [image: 'nvidia/cuda:11.8.0-base'], steps: [c: {v: '13'}]}}
workflows: {w: {jobs: [j: {matrix: {parameters: {p: [1, 2]}}}]}}
)");
    folder.add("devcontainer", R"(devcontainer.json
{// c
"build": {"dockerfile": "Dockerfile"}, "postCreateCommand": "pip install torch==2.5.1+cu125"}
)");
}

}  // namespace

void write_formats(const Folder& folder) {
    write_packed(folder);
    write_machine_files(folder);
    folder.add("host-config", R"(#if defined(__GNUC__)
#if __GNUC__ > 14
#error -- unsupported GNU version! gcc
#if _MSC_VER < 1910 || _MSC_VER >= 1950
#error -- unsupported Microsoft Visual Studio version!
)");
    folder.add("imports", R"(import os, a.b as c
from . import (_C,
  d)
if TYPE_CHECKING:
  import e
try:
  import f
except ImportError: pass
def g():
  import h
)");
    folder.add("names",
               "_ZN3c104cuda9SetDeviceEi\n_ZTVN3c105ErrorE\nlibnvrtc-5e8a26c9.so.10.1\n-I\"/a b\"\n");
    folder.add("toml", R"(a.b = {c = [1, 'x'], d = "\u00e9"}
[[t]]
n = '''
x'''
[t.u]
v = 1979-05-27
)");
    folder.add("yaml", R"(a: &x {b: [1, ~], <<: *x}
c: |-
  d
---
? !reference [e]
: >
  f

  g
)");
    folder.add("json", R"({"a": [1, -0.5e3, true, null, "\ud83d\ude00\u001b"], "a": {}})");
}

void write_scenarios(const Folder& folder) {
    write_python_recipes(folder);
    write_conda_recipes(folder);
    write_build_recipes(folder);
    write_service_recipes(folder);
}
