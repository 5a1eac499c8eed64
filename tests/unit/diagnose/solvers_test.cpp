// What solvers and installers of packages write: conda, mamba, pip, uv, poetry.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

using namespace ptxguard;

TEST_CASE("solvers: conda") {
    check_classes({
        {"CC612 likely", "cudatoolkit >=9.2,<9.3",
         "UnsatisfiableError: The following specifications were found to be in conflict:\n"
         "  - cudatoolkit 10.2*\n"
         "  - pytorch 1.1.0* -> cudatoolkit >=9.2,<9.3\n"},
        {"CC612 likely", "cudatoolkit",
         "UnsatisfiableError: The following specifications were found to be incompatible with each other:\n\n"
         "Package cudatoolkit conflicts for:\n"
         "torchaudio=0.6 -> pytorch==1.6.0 -> cudatoolkit[version='>=10.2,<10.3']\n"
         "cudatoolkit=11.0\n"},
        {"CC612 likely", "different releases",
         "The following packages are incompatible\n"
         "├─ cudatoolkit 10.0**  is requested and can be installed;\n"
         "└─ pytorch 1.3.1**  is not installable because it requires\n"
         "   └─ cudatoolkit >=10.1,<10.2 , which conflicts with any installable versions previously "
         "reported.\n"},
        {"CC612 likely", "cudatoolkit",
         "The following packages are incompatible\n"
         "├─ cuda-nvcc is installable and it requires\n"
         "│  └─ cuda-version >=12.0,<12.1.0a0 , which can be installed;\n"
         "└─ cudatoolkit is not installable because it conflicts with any installable versions previously "
         "reported.\n"},
        {"CC612 likely", "pytorch-cuda",
         "└─ pytorch-cuda 11.8**  is not installable because it conflicts with any installable versions "
         "previously reported.\n"},
        {"CC613 likely", "pytorch==1.0.1",
         "UnsatisfiableError: The following specifications were found\nto be incompatible with the existing "
         "python installation in your environment:\n\nSpecifications:\n\n"
         "  - pytorch==1.0.1 -> python[version='2.7.*|3.6.*']\n\nYour python: python=3.11\n"},
    });
    for (const char* text :
         {"UnsatisfiableError: The following specifications were found to be in conflict:\n  - numpy 1.9*\n"
          "  - scipy 1.2* -> numpy >=1.11\n",
          "└─ numpy is not installable because it conflicts with any installable versions previously "
          "reported.\n",
          "Package openssl conflicts for:\npython=3.7 -> openssl[version='>=1.1.1']\n",
          "pytorch -> cudatoolkit[version='>=10.1,<10.2']\n"}) {
        CAPTURE(std::string(text));
        CHECK(first_answer(text).substr(0, 2) != "CC");
    }
}

TEST_CASE("solvers: what pip says at the end") {
    check_classes({
        {"CC614 likely", "nvidia-nccl-cu12",
         "pip install torch --index-url=https://download.pytorch.org/whl/cu126\n"
         "Additionally, some packages in these conflicts have no matching distributions available for your "
         "environment:\n    nvidia-nccl-cu12\n"},
        {"CC612 possible", "torch of torchvision",
         "ERROR: pip's dependency resolver does not currently take into account all the packages that are "
         "installed.\ntorchvision 0.15.2 requires torch, which is not installed."},
    });
    CHECK(first_answer("lida 0.0.10 requires kaleido, which is not installed.") == "");
}

TEST_CASE("solvers: uv and poetry") {
    check_classes({
        {"CC613 certain", "torchvision==0.15.0",
         "error: found distribution torchvision==0.15.0 @ registry+https://download.pytorch.org/whl/cu118 "
         "with "
         "neither wheels nor source distribution"},
        {"CC613 certain", "torch",
         "hint: You're using CPython 3.13 (`cp313`), but `torch` (v2.1.0) only has wheels with the following "
         "Python ABI tags: `cp310`, `cp311`"},
        {"CC613 certain", "jaxlib==0.4.14",
         "  ╰─▶ Because the current Python version (3.13.1) does not satisfy Python>=3.9,<3.13 and "
         "jaxlib==0.4.14 depends on Python>=3.9,<3.13, we can conclude"},
        {"CC614 likely", "does not have this build",
         "hint: `torch` was found on https://download.pytorch.org/whl/cu121, but not at the requested "
         "version "
         "(torch==2.9.0). A compatible version may be available on a subsequent index"},
        {"CC614 likely", "requests",
         "hint: `requests` was found on https://download.pytorch.org/whl/cu121, but not at the requested "
         "version "
         "(requests>=2.32)."},
        {"CC613 likely", "torch",
         "DEBUG Using Python 3.13.0 environment at .venv\nDEBUG No compatible version found for: torch"},
        {"CC613 likely", "torch",
         "  - torch requires Python <3.13,>=3.8, so it will not be installable for Python >=3.13,<4.0"},
    });
    CHECK(first_answer("DEBUG No compatible version found for: requests").substr(0, 2) != "CC");
    CHECK(first_answer(
              "- numpy requires Python <3.13,>=3.8, so it will not be satisfied for Python >=3.13") == "");
}

TEST_CASE("solvers: pip, with the Python that the log names") {
    const std::string missing =
        "ERROR: Could not find a version that satisfies the requirement torchvision==0.20.1+cu121 (from "
        "versions: 0.1.6, 0.21.0)\nERROR: No matching distribution found for torchvision==0.20.1+cu121\n";
    CHECK(first_answer("  Downloading https://download.pytorch.org/whl/cu121/"
                       "torch-2.5.1%2Bcu121-cp313-cp313-linux_x86_64.whl (780.4 MB)\n" +
                       missing)
              .substr(0, 12) == "CC613 likely");
    CHECK(first_answer("Using Python 3.11.4\n" + missing).substr(0, 5) != "CC613");
    CHECK(first_answer(
              "ERROR: Could not find a version that satisfies the requirement torch==1.99.7 (from versions: "
              "2.2.0, 2.3.0)")
              .substr(0, 12) == "CC603 likely");
    CHECK(first_answer(
              "ERROR: Cannot install torch==2.0.1 and xformers==0.0.16 because these package versions have "
              "conflicting dependencies.\n\nThe conflict is caused by:\n"
              "    torchaudio 2.0.2 depends on torch==2.0.1\n    xformers 0.0.16 depends on torch==1.13.1\n")
              .substr(0, 12) == "CC612 likely");
}
