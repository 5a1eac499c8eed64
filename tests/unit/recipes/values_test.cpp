// How values reach a command: from a workflow, a script or a Dockerfile to the findings. Each with a similar
// recipe that is right.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"

namespace ptxguard::recipes {
namespace {

const Codes k_no_finding;
const std::string k_install =
    "pip install torch==2.2.0+cu$C --index-url https://download.pytorch.org/whl/cu$C\n";

// A job whose matrix has those values of cuda.
Codes job_says(const std::string& values, const std::string& run, const Files& files = {}) {
    return codes_in(".github/workflows/a.yml",
                    "on: push\njobs:\n  a:\n    runs-on: ubuntu-22.04\n    strategy: {matrix: {cuda: " +
                        values + "}}\n    steps:\n      - run: " + run + "\n",
                    files);
}

}  // namespace

TEST_CASE("a matrix that calls a script with options") {
    const Files getopts = {
        {"ci/x.sh", "while getopts c: o; do case $o in c) C=$OPTARG ;; esac; done\n" + k_install}};
    const Files options = {
        {"ci/x.sh",
         "while [ $# -gt 0 ]; do\ncase \"$1\" in\n--cuda) C=\"${2/./}\"; shift ;;\nesac\nshift\ndone\n" +
             k_install}};
    CHECK(job_says("['118', '120']", "ci/x.sh -c ${{ matrix.cuda }}", getopts) == Codes{"error CC603"});
    CHECK(job_says("['118', '121']", "ci/x.sh -c ${{ matrix.cuda }}", getopts) == k_no_finding);
    CHECK(job_says("['12.0']", "./ci/x.sh --cuda ${{ matrix.cuda }}", options) == Codes{"error CC603"});
    CHECK(job_says("['12.1']", "./ci/x.sh --cuda ${{ matrix.cuda }}", options) == k_no_finding);
    // Another secret option leaves all of them open.
    CHECK(job_says("['12.0']", "./ci/x.sh --cuda ${{ matrix.cuda }} -k ${{ secrets.K }}", options) ==
          k_no_finding);
}

TEST_CASE("options of Python code") {
    const Files file = {{"i.py",
                         "import argparse, subprocess\np = argparse.ArgumentParser()\n"
                         "p.add_argument('--cuda', default='118')\na = p.parse_args()\ncuda = a.cuda\n"
                         "subprocess.run(['pip', 'install', f'torch==2.2.0+cu{cuda}', '--index-url', "
                         "f'https://download.pytorch.org/whl/cu{cuda}'])\n"}};
    CHECK(job_says("['118', '120']", "python i.py --cuda ${{ matrix.cuda }}", file) == Codes{"error CC603"});
    CHECK(job_says("['118', '121']", "python i.py --cuda=${{ matrix.cuda }}", file) == k_no_finding);
    const auto chosen = [](const std::string& choices) {
        return codes_in(
            "install.py",
            "import argparse, os\np = argparse.ArgumentParser()\np.add_argument('--cuda', choices=" +
                choices +
                ", default='118')\nargs = p.parse_args()\n"
                "os.system(f'pip install torch==2.2.0+cu{args.cuda} --index-url "
                "https://download.pytorch.org/whl/cu{args.cuda}')\n");
    };
    CHECK(chosen("['118', '120']") == Codes{"warning CC603"});
    CHECK(chosen("['118', '121']") == k_no_finding);
}

TEST_CASE("values that a person chooses for a workflow") {
    const auto says = [](const std::string& options) {
        return codes_in(
            ".github/workflows/a.yml",
            "on:\n  workflow_dispatch:\n    inputs:\n      c: {type: choice, default: '118', options: " +
                options +
                "}\njobs:\n  a:\n    runs-on: ubuntu-22.04\n    env: {C: '${{ inputs.c }}'}\n    steps:\n"
                "      - run: " +
                k_install);
    };
    CHECK(says("['118', '120']") == Codes{"error CC603"});
    CHECK(says("['118', '121']") == k_no_finding);
}

TEST_CASE("an ARG before the first FROM has no value in a stage") {
    const auto says = [](const std::string& declared, const std::string& image = "python:3.10") {
        return codes_in("Dockerfile", "ARG TORCH=2.2.0\nARG PYTHON_VERSION=3.10\nFROM " + image + "\n" +
                                          declared + "RUN pip install torch==${TORCH}\n");
    };
    CHECK(says("") == Codes{"error CC615"});
    CHECK(says("ARG TORCH\n") == k_no_finding);
    CHECK(says("ENV TORCH=2.3.0\n") == k_no_finding);
    CHECK(says("", "me/base:1") == k_no_finding);  // it may set the name
}

TEST_CASE("an image that another command of the recipe builds is the base of its own") {
    const Files files = {
        {"images/a.df", "ARG TAG=12.4.1-runtime-ubuntu22.04\nFROM nvidia/cuda:$TAG\n"},
        {"images/b.df", "FROM acme/core\nRUN pip install x\n"},
        {"images/c.df", "ARG BASE=acme/mid:1\nFROM $BASE\nCOPY k.cu .\nRUN nvcc -o k k.cu\n"}};
    const auto codes = [&](const std::string& name, const std::string& text) {
        return codes_of(name, text, files);
    };
    const std::string core = "docker build -t acme/core -f images/a.df ";
    const std::string rest = "docker build -t acme/mid:1 -f images/b.df .\ndocker build -f images/c.df .\n";
    CHECK(codes("build.sh", core + ".\n" + rest) == "CC608");
    CHECK(codes("build.sh", core + "--build-arg TAG=12.4.1-devel-ubuntu22.04 .\n" + rest) == k_silent);
    CHECK(codes("build.sh", rest) == k_silent);
    // Another tag is another image, and one whose tag is not known may be it.
    CHECK(codes("build.sh", "docker build -t acme/core:old -f images/a.df .\n" + rest) == k_silent);
    CHECK(codes("build.sh", "docker build -t acme/core:$TAG -f images/a.df .\n" + rest) == "CC608");
    // Itself is not its base.
    CHECK(codes("build.sh", "docker build -t acme/mid:1 -f images/c.df .\n") == k_silent);
    const std::string compose =
        "services:\n  a:\n    image: acme/mid:1\n    build: {context: ., dockerfile: "
        "images/a.df}\n  c:\n    build: {context: ., dockerfile: images/c.df";
    CHECK(codes("compose.yml", compose + "}\n") == "CC608");
    CHECK(codes("compose.yml", compose + ", args: {BASE: 'acme/mid:2'}}\n") == k_silent);
    const std::string target = "target \"core\" {\n  dockerfile = \"images/a.df\"\n}\n";
    const auto mid = [](const std::string& context) {
        return "target \"mid\" {\n  dockerfile = \"images/c.df\"\n  contexts = { \"acme/mid:1\" = \"" +
               context + "\" }\n}\n";
    };
    CHECK(codes("docker-bake.hcl", target + mid("target:core")) == "CC608");
    CHECK(codes("docker-bake.hcl", target + mid("docker-image://ubuntu")) == k_silent);
    const auto step = [](const std::string& file, const std::string& tags) {
        return "      - uses: docker/build-push-action@v6\n        with:\n          file: images/" + file +
               ".df\n          tags: |\n            " + tags + "\n";
    };
    CHECK(codes(".github/workflows/w.yml", "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n" +
                                               step("a", "acme/mid:1") +
                                               step("c", "acme/app:${{ github.sha }}")) == "CC608");
}

TEST_CASE("each branch of a condition that is not known counts for the rest of a script") {
    const auto chain = [](const std::string& a, const std::string& b,
                          const std::string& test = "(( N >= 525 ))") {
        return "if " + test + "; then\n  CUDA=" + a + "\nelif (( N >= 450 )); then\n  CUDA=" + b +
               "\nelse\n  exit 1\nfi\n";
    };
    const std::string pip = "pip install torch==2.4.0 --index-url https://download.pytorch.org/whl/cu$CUDA\n";
    CHECK(codes_of("a.sh", chain("126", "118") + pip, {}, true) == "CC603");
    CHECK(codes_of("a.sh", chain("118", "126") + pip, {}, true) == "CC603");
    CHECK(codes_of("a.sh", chain("118", "'121'") + pip, {}, true) == k_silent);
    CHECK(codes_of("a.sh", "N=500\n" + chain("126", "118") + pip, {}, true) == k_silent);
    const std::string build = "docker build --build-arg CUDA=$CUDA .\n";
    const Files files = {{"Dockerfile", "ARG CUDA\nFROM nvidia/cuda:$CUDA-devel-ubuntu20.04\n"}};
    CHECK(codes_of("a.sh", chain("11.4.2", "11.4.3") + build, files, true) == "CC616");
    CHECK(codes_of("a.sh", chain("11.4.3", "11.5.2") + build, files, true) == k_silent);
}

TEST_CASE("docker build: arguments of the environment, and Dockerfiles that commands write") {
    const Files file = {{"Dockerfile", "ARG C=118\nFROM python:3.10\nARG C\nRUN " + k_install}};
    const auto script = [](const std::string& text, const Files& files = {}) {
        return codes_in("b.sh", text, files);
    };
    CHECK(script("export C=120\ndocker build --build-arg C .\n", file) == Codes{"error CC603"});
    CHECK(script("export C=121\ndocker build --build-arg C .\n", file) == k_no_finding);
    CHECK(script("docker build --build-arg C .\n", file) == k_no_finding);
    const std::string written =
        "FROM python:3.10\nRUN pip install torch==2.2.0+cu${C} --index-url "
        "https://download.pytorch.org/whl/cu${C}\nEOF\n";
    CHECK(script("C=120\ndocker build -t x - <<EOF\n" + written) == Codes{"error CC603"});
    CHECK(script("C=120\ncat > Dockerfile.x <<EOF\n" + written + "docker build -f Dockerfile.x .\n") ==
          Codes{"error CC603"});
    CHECK(script("C=121\ndocker build -t x - <<EOF\n" + written) == k_no_finding);
    CHECK(script("docker build -t x - <<EOF\n" + written) == k_no_finding);
    const auto echoed = [&](const std::string& c) {
        return script("C=" + c +
                      "\necho -e \"FROM python:3.10\\nRUN pip install torch==2.2.0+cu$C --index-url "
                      "https://download.pytorch.org/whl/cu$C\\n\" > Dockerfile.$NAME\ndocker build -f "
                      "Dockerfile.$NAME .\n");
    };
    CHECK(echoed("120") == Codes{"error CC603"});
    CHECK(echoed("121") == k_no_finding);
}

TEST_CASE("a page of another project beside PyTorch's index does not have torch") {
    const auto says = [](const std::string& python, const std::string& more) {
        return codes_in(".github/workflows/a.yml",
                        "on: push\njobs:\n  a:\n    runs-on: ubuntu-22.04\n    steps:\n      - uses: "
                        "actions/setup-python@v5\n"
                        "        with: {python-version: '" +
                            python + "'}\n      - run: pip install torch==2.6.0+cpu " + more + "\n");
    };
    const std::string index = "--extra-index-url https://download.pytorch.org/whl/cpu ";
    const std::string page = "-f https://k2-fsa.github.io/k2/cpu.html";
    CHECK(says("3.8", index + page) == Codes{"warning CC613"});
    CHECK(says("3.9", index + page) == k_no_finding);
    CHECK(says("3.8", "-f https://wheels.example.org/all.html") == k_no_finding);
    CHECK(says("3.8", index + "-f ./wheels") == k_no_finding);
}

}  // namespace ptxguard::recipes
