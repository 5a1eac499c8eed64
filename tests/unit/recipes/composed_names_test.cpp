// Names, versions and URLs that the files of CI systems put together -> the findings of the judge. Each class
// with a similar recipe that is right, and with one whose values are open.
// SPDX-License-Identifier: Apache-2.0
#include "said.hpp"

namespace ptxguard::recipes {

TEST_CASE("an image that a workflow puts together of a matrix reaches the Dockerfile that it builds") {
    const Files files{{"Dockerfile", "ARG BASE=ubuntu:20.04\nFROM ${BASE}\nRUN apt-get update\n"}};
    const auto says = [&](const std::string& matrix, const std::string& test = "${{ matrix.gpu }} == true") {
        return workflow_says(
            "  images:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n" + matrix +
                "    steps:\n      - id: names\n        run: |\n          if [[ " + test +
                " ]]; then\n            echo base=nvidia/cuda:${{ matrix.cuda }}-runtime-"
                "ubuntu${{ matrix.ubuntu }} >> $GITHUB_OUTPUT\n          else\n"
                "            echo base=ubuntu:${{ matrix.ubuntu }} >> $GITHUB_OUTPUT\n"
                "          fi\n          echo \"sha=$(git rev-parse HEAD)\" >> $GITHUB_OUTPUT\n"
                "      - uses: docker/build-push-action@v3\n        with:\n"
                "          context: .\n          build-args: |\n"
                "            SHA=${{ steps.names.outputs.sha }}\n"
                "            \"BASE=${{ steps.names.outputs.base }}\"\n",
            files);
    };
    const std::string gone =
        "        gpu: [true, false]\n        include:\n          - ubuntu: 20.04\n"
        "            cuda: 11.2.1\n";
    CHECK(only_says(says(gone), "11.2.1-runtime-ubuntu20.04 was withdrawn"));
    // One that is there, one that is excluded, a branch that is not taken.
    CHECK(
        is_silent(says("        gpu: [true, false]\n        include:\n          - ubuntu: 20.04\n"
                       "            cuda: 11.2.2\n")));
    CHECK(
        is_silent(says("        gpu: [true, false]\n        ubuntu: [20.04]\n        cuda: [11.2.1, 11.2.2]\n"
                       "        exclude:\n          - cuda: 11.2.1\n")));
    CHECK(is_silent(says(gone, "${{ matrix.gpu }} == maybe")));
    CHECK(is_silent(says(gone, "$(uname -m) == aarch64")));
}

TEST_CASE("a matrix that an earlier job makes is read") {
    const auto says = [](const std::string& list) {
        return workflow_says(
            "  setup:\n    runs-on: ubuntu-latest\n    outputs:\n"
            "      images: ${{ steps.make.outputs.images }}\n    steps:\n"
            "      - id: make\n        run: echo 'images=" +
            list +
            "' >> \"$GITHUB_OUTPUT\"\n"
            "  test:\n    needs: setup\n    runs-on: ubuntu-latest\n    strategy:\n"
            "      matrix:\n        image: ${{ fromJson(needs.setup.outputs.images) }}\n"
            "    container: nvidia/cuda:${{ matrix.image }}\n    steps:\n      - run: nvcc -V\n");
    };
    CHECK(only_says(says("[\"12.4.1-devel-ubuntu22.04\", \"11.7.0-devel-ubuntu20.04\"]"), "11.7.0"));
    CHECK(is_silent(says("[\"12.4.1-devel-ubuntu22.04\"]")));
    CHECK(is_silent(says("$(cat images.json)")));
}

TEST_CASE("a matrix and outputs that a step in Python makes are read") {
    const auto says = [](const std::string& torch, const std::string& writes,
                         const std::string& rest =
                             "pip install torch==${{ matrix.torch }} --index-url "
                             "https://download.pytorch.org/whl/cu${{ matrix.cu }}") {
        return workflow_says(
            "  setup:\n    runs-on: ubuntu-latest\n    outputs:\n"
            "      matrix: ${{ steps.make.outputs.matrix }}\n    steps:\n"
            "      - id: make\n        shell: python3 \"{0}\"\n        run: |\n"
            "          import json, os\n          environ = os.environ\n          include = []\n"
            "          for cu in ['128', '130']:\n"
            "            if cu < '129' and False:\n              continue\n"
            "            include.append(dict(torch='" +
            torch +
            "', cu=cu))\n            print(include[-1])\n          matrix = {'include': include}\n         "
            " " +
            writes +
            "\n  build:\n    needs: setup\n    runs-on: ubuntu-22.04\n    strategy:\n"
            "      matrix: ${{ fromJson(needs.setup.outputs.matrix) }}\n    steps:\n      - run: " +
            rest + "\n");
    };
    const std::string
        with =
            "with open(environ['GITHUB_OUTPUT'], 'a') as fd:\n            "
            "fd.write('matrix=' + json.dumps(matrix))",
        prints = "print(f'matrix={json.dumps(matrix)}', file=open(os.environ['GITHUB_OUTPUT'], 'a'))";
    for (const std::string& writes : {with, prints}) {
        CHECK(only_says(says("2.8.0", writes), "torch==2.8.0+cu130 was never released"));
        CHECK(is_silent(says("2.9.0", writes)));
    }
    // What is not known, written to another file, or only in a branch.
    CHECK(is_silent(says("2.8.0",
                         "with open('matrix.json', 'a') as fd:\n            "
                         "fd.write('matrix=' + json.dumps(matrix))")));
    CHECK(is_silent(says("2.8.0", "matrix['include'] = read()\n          " + with)));
    CHECK(is_silent(says("2.8.0", "if read():\n            " + prints)));
    CHECK(is_silent(says("2.8.0", with, "pip install torch==${{ matrix.torch }}")));
}

TEST_CASE("a step that runs for releases from one on") {
    const auto says = [](const std::string& condition) {
        return workflow_says(
            "  a:\n    runs-on: ubuntu-22.04\n    strategy:\n      matrix:\n"
            "        cu: ['126', '130']\n    steps:\n      - if: " +
            condition +
            "\n        run: pip install torch==2.8.0 --index-url "
            "https://download.pytorch.org/whl/cu${{ matrix.cu }}\n");
    };
    for (const char* condition : {"matrix.cu >= 130", "fromJSON(matrix.cu) > 129", "${{ 126 < matrix.cu }}"})
        CHECK(only_says(says(condition), "torch==2.8.0+cu130 was never released"));
    for (const char* condition : {"matrix.cu < 130", "fromJSON(matrix.cu) <= 129", "matrix.cu > 130"})
        CHECK(is_silent(says(condition)));
}

TEST_CASE("a requirements file that sed changes and echo adds to") {
    const auto says = [](const std::string& edit) {
        return workflow_says("  a:\n    runs-on: ubuntu-22.04\n    steps:\n      - run: |\n          " +
                                 edit +
                                 "\n          echo 'torch == 2.8.0' >> ./requirements.txt\n"
                                 "          pip install -r requirements.txt\n",
                             {{"requirements.txt", "torch==2.9.0+cu110\nnumpy\n"}});
    };
    CHECK(is_silent(says("sed -i '/torch/d' ./requirements.txt")));
    CHECK(!is_silent(says("sed -i '/numpy/d' ./requirements.txt")));
}

TEST_CASE("a script gets the arguments and the variables of the step that starts it") {
    const std::string install =
        "#!/bin/bash\nversion=$1\ncuda=$2\n"
        "pip install torch==${version}+cu${cuda//./} --extra-index-url "
        "https://download.pytorch.org/whl/cu${cuda//./}\n";
    const auto says = [&](const std::string& cuda, const std::string& run) {
        return workflow_says(
            "  wheel:\n    runs-on: ubuntu-22.04\n    strategy:\n      matrix:\n"
            "        cuda: [" +
                cuda + "]\n        torch: ['2.2.0']\n    steps:\n      - run: " + run + "\n",
            {{"ci/install.sh", install}});
    };
    const std::string call = "bash -x ci/install.sh ${{ matrix.torch }} ${{ matrix.cuda }}";
    CHECK(only_says(says("'12.1', '12.2'", call), "torch==2.2.0+cu122 was never released"));
    CHECK(only_says(says("'12.3'", "./ci/install.sh ${{ matrix.torch }} ${{ matrix.cuda }}"), "cu123"));
    CHECK(
        only_says(says("'12.3'", "cd ci && sh install.sh ${{ matrix.torch }} ${{ matrix.cuda }}"), "cu123"));
    CHECK(only_says(says("'12.3'", "$GITHUB_WORKSPACE/ci/install.sh 2.2.0 ${{ matrix.cuda }}"), "cu123"));
    CHECK(is_silent(says("'12.1', '11.8'", call)));
    CHECK(is_silent(says("'12.3'", "bash ci/install.sh ${{ matrix.torch }} ${{ inputs.cuda }}")));
    CHECK(is_silent(says("'12.3'", "bash /opt/ci/install.sh ${{ matrix.torch }} ${{ matrix.cuda }}")));
    CHECK(is_silent(says("'12.3'", "bash ci/absent.sh ${{ matrix.torch }} ${{ matrix.cuda }}")));
}

TEST_CASE("a script in a container gets the variables of docker run, and its files by the mounts") {
    const std::string build =
        "set -e\nMAJOR=\"${CUDA%.*}\"\nMINOR=\"${CUDA#*.}\"\n"
        "pip install torch==${TORCH}.* --index-url "
        "\"https://download.pytorch.org/whl/cu${MAJOR}${MINOR}\"\n";
    const auto says = [&](const std::string& exclude, const std::string& options) {
        return workflow_says(
            "  build:\n    runs-on: [self-hosted]\n    strategy:\n      matrix:\n"
            "        cuda: ['12.1', '12.4']\n        torch: ['2.5', '2.6']\n" +
                exclude + "    steps:\n      - run: |\n          docker run --rm -t " + options +
                " \\\n            -e CUDA=${{ matrix.cuda }} -e TORCH=${{ matrix.torch }} \\\n"
                "            pytorch/manylinux-builder:cuda${{ matrix.cuda }} \\\n"
                "            bash /app/scripts/build.sh\n",
            {{"scripts/build.sh", build}});
    };
    const std::string mount = "-v \"$GITHUB_WORKSPACE\":/app";
    CHECK(only_says(says("", mount), "torch==2.6.0+cu121 was never released"));
    CHECK(only_says(says("", "-v $(pwd):/app -v /data:/data"), "torch==2.6.0+cu121"));
    CHECK(is_silent(says("        exclude: [{cuda: '12.1', torch: '2.6'}]\n", mount)));
    CHECK(is_silent(says("", "-v /srv/checkout:/app")));
}

TEST_CASE("the branch of a case that the matrix selects is the only one that counts") {
    const std::string installer =
        "case ${1} in\n  cu121)\n    CUDA=12.1\n    FILE=cuda_${CUDA}.1_531.14_windows.exe\n"
        "    URL=https://developer.download.nvidia.com/compute/cuda/${CUDA}.$2/"
        "local_installers\n    ;;\n  cu118)\n    CUDA=11.8\n"
        "    FILE=cuda_${CUDA}.0_522.06_windows.exe\n"
        "    URL=https://developer.download.nvidia.com/compute/cuda/${CUDA}.0/"
        "local_installers\n    ;;\n  *)\n    exit 1\n    ;;\nesac\n"
        "curl -k -L \"${URL}/${FILE}\" --output \"${FILE}\"\n";
    const auto says = [&](const std::string& list, const std::string& update) {
        return workflow_says(
            "  build:\n    runs-on: windows-2022\n    strategy:\n      matrix:\n        cuda: [" + list +
                "]\n    steps:\n      - shell: bash\n        run: bash ./ci/Windows.sh "
                "${{ matrix.cuda }} " +
                update + "\n",
            {{"ci/Windows.sh", installer}});
    };
    CHECK(only_says(says("cu121, cu118", "0"), "cuda_12.1.1_531.14_windows.exe does not exist"));
    CHECK(is_silent(says("cu121, cu118", "1")));
    CHECK(is_silent(says("cu118", "0")));
}

TEST_CASE("a script is also read with each value of its argument that it distinguishes") {
    const auto says = [](const std::string& file) {
        return said_of("install.sh",
                       "case ${1} in\n  cu121)\n    V=12.1\n    FILE=" + file +
                           "\n    ;;\n  cu118)\n    V=11.8\n    FILE=cuda_11.8.0_522.06_windows.exe\n"
                           "    ;;\n  *) exit 1 ;;\nesac\n"
                           "curl -LO https://developer.download.nvidia.com/compute/cuda/$V.0/"
                           "local_installers/$FILE\n");
    };
    CHECK(only_says(says("cuda_12.1.1_531.14_windows.exe"), "cuda_12.1.1_531.14_windows.exe does not exist"));
    CHECK(is_silent(says("cuda_12.1.0_531.14_windows.exe")));
}

TEST_CASE("a branch that is off by default is read too") {
    const auto says = [](const std::string& value, const std::string& command) {
        return said_of("Dockerfile", "FROM python:3.12-slim-bookworm\nARG GPU=" + value +
                                         "\nARG OTHER=1.0\nRUN if [ \"$GPU\" = \"true\" ]; then " + command +
                                         "; fi\n");
    };
    const std::string toolkit = "apt-get install -y nvidia-cuda-toolkit";
    CHECK(only_says(says("false", toolkit), "contrib and non-free are not enabled"));
    CHECK(only_says(says("true", toolkit), "contrib and non-free are not enabled"));
    CHECK(is_silent(
        says("false", "sed -i 's/main/main contrib non-free/' /etc/apt/sources.list && " + toolkit)));
    CHECK(is_silent(says("false", "true")));
}

TEST_CASE("an installer's file has the update of its folder and the driver of its update") {
    const auto says = [](const std::string& path) {
        return said_of("install.sh",
                       "wget -q https://developer.download.nvidia.com/compute/cuda/" + path + "\n");
    };
    CHECK(is_silent(says("12.4.1/local_installers/cuda_12.4.1_550.54.15_linux.run")));
    CHECK(is_silent(says("11.8.0/local_installers/cuda_11.8.0_520.61.05_linux.run")));
    CHECK(is_silent(says("12.4.1/local_installers/cuda_12.4.1_550.54.15_linux_sbsa.run")));
    CHECK(is_silent(says("13.0.1/local_installers/cuda_13.0.1_windows.exe")));
    CHECK(is_silent(says("12.8.1/network_installers/cuda_12.8.1_windows_network.exe")));
    CHECK(is_silent(says("10.2/Prod/local_installers/cuda_10.2.89_440.33.01_linux.run")));
    CHECK(is_silent(says("12.9.1/local_installers/cuda_${V}_575.57.08_linux.run")));
    CHECK(is_silent(said_of("install.sh",
                            "rm -f https://developer.download.nvidia.com/compute/cuda/12.4.0/"
                            "local_installers/cuda_12.4.1_550.54.15_linux.run\n")));
    CHECK(is_silent(
        says("12.4.1/local_installers/cuda-repo-ubuntu2204-12-4-local_12.4.1-550.54.15-1_amd64.deb")));
    CHECK(only_says(says("12.4.0/local_installers/cuda_12.4.1_550.54.15_linux.run"),
                    "cuda_12.4.1_550.54.15_linux.run does not exist"));
    CHECK(only_says(says("11.8.0/local_installers/cuda_11.8.0_522.06_linux.run"), "does not exist"));
    CHECK(only_says(says("12.1.1/local_installers/cuda_12.1.1_530.30.02_windows.exe"), "does not exist"));
    CHECK(only_says(
        says("12.4.1/local_installers/cuda-repo-ubuntu2204-12-4-local_12.4.0-550.54.14-1_amd64.deb"),
        "does not exist"));
}

TEST_CASE("libtorch exists for the CUDA of a release of torch only") {
    const auto says = [](const std::string& text) { return said_of("get.sh", text); };
    const std::string site = "https://download.pytorch.org/libtorch/";
    CHECK(only_says(says("wget " + site + "cu124/libtorch-cxx11-abi-shared-with-deps-2.3.1%2Bcu124.zip\n"),
                    "libtorch 2.3.1 has no cu124 build"));
    CHECK(only_says(
        says("V=2.6.0; C=cu121\ncurl -LO \"" + site + "$C/libtorch-shared-with-deps-${V}+$C.zip\"\n"),
        "libtorch 2.6.0 has no cu121 build"));
    CHECK(only_says(says("wget " + site + "cu118/libtorch-win-shared-with-deps-2.3.1%2Bcu121.zip\n"),
                    "cu118 with cu121"));
    CHECK(is_silent(says("wget " + site + "cu121/libtorch-cxx11-abi-shared-with-deps-2.3.1%2Bcu121.zip\n")));
    CHECK(is_silent(says("wget " + site + "cpu/libtorch-cxx11-abi-shared-with-deps-2.3.1%2Bcpu.zip\n")));
    CHECK(is_silent(says("wget " + site + "rocm5.7/libtorch-shared-with-deps-2.3.1%2Brocm5.7.zip\n")));
    CHECK(is_silent(says("wget " + site + "nightly/cu124/libtorch-shared-with-deps-latest.zip\n")));
    CHECK(is_silent(says("wget " + site + "$CUDA/libtorch-shared-with-deps-2.3.1%2B$CUDA.zip\n")));
    CHECK(is_silent(says("echo " + site + "cu124/libtorch-cxx11-abi-shared-with-deps-2.3.1%2Bcu124.zip\n")));
}

TEST_CASE("PowerShell puts the URL together of the matrix and of the environment file") {
    const auto says = [](const std::string& cuda, const std::string& torch, const std::string& exclude = "") {
        return workflow_says(
            "  build:\n    runs-on: windows-2022\n    strategy:\n      matrix:\n        torch: [" + torch +
            "]\n        cuda: [" + cuda + "]\n" + exclude +
            "    steps:\n      - shell: bash\n        run: |\n"
            "          FULL=${{ matrix.cuda }}\n          PARTS=($(echo ${FULL} | tr \".\" \" \"))\n"
            "          echo \"SHORT=cu${PARTS[0]}${PARTS[1]}\" >> ${GITHUB_ENV}\n"
            "      - run: |\n"
            "          $URL = \"https://download.pytorch.org/libtorch/$env:SHORT/libtorch-win-shared-with-"
            "deps-${{ matrix.torch }}%2B$($env:SHORT).zip\"\n"
            "          Invoke-WebRequest $URL -OutFile libtorch.zip\n");
    };
    CHECK(only_says(says("12.4.0, 12.1.1", "2.3.1"), "libtorch 2.3.1 has no cu124 build"));
    CHECK(is_silent(says("12.1.1, 11.8.0", "2.3.1, 2.2.1")));
    CHECK(is_silent(says("12.4.0, 12.1.1", "2.3.1", "        exclude: [{cuda: 12.4.0}]\n")));
}

TEST_CASE("what a block of PowerShell or cmd assigns is open behind it") {
    const auto says = [](const std::string& shell, const std::string& text) {
        return workflow_says("  build:\n    runs-on: windows-2022\n    steps:\n      - shell: " + shell +
                             "\n        run: |\n" + text);
    };
    const std::string get =
        "          curl -LO https://download.pytorch.org/libtorch/cu121/libtorch-win-shared-"
        "with-deps-";
    CHECK(is_silent(says("pwsh",
                         "          $v = \"2.3.1\"\n          if ($env:NEW -eq 1) {\n"
                         "            $v = \"2.6.0\"\n          }\n" +
                             get + "$v%2Bcu121.zip\n")));
    CHECK(only_says(says("pwsh", "          $v = \"2.6.0\"\n" + get + "$v%2Bcu121.zip\n"), "no cu121 build"));
    CHECK(only_says(says("cmd", "          set V=2.6.0\n" + get + "%V%%2Bcu121.zip\n"), "no cu121 build"));
    CHECK(is_silent(says("cmd",
                         "          set V=2.3.1\n          if defined NEW (\n            set V=2.6.0\n"
                         "          )\n" +
                             get + "%V%%2Bcu121.zip\n")));
    CHECK(is_silent(says(
        "cmd", "          set V=2.3.1\n          if defined NEW set V=2.6.0\n" + get + "%V%%2Bcu121.zip\n")));
}

TEST_CASE("pipelines of Azure: matrices, variables, containers and templates") {
    CHECK(only_says(
        pipeline_says("variables:\n  cuda: 11.2.0\npool: {vmImage: ubuntu-22.04}\n"
                      "container: nvidia/cuda:$(cuda)-devel-ubuntu20.04\nsteps:\n- script: nvcc -V\n"),
        "11.2.0-devel-ubuntu20.04 was withdrawn"));
    const auto matrix = [](const std::string& second) {
        return pipeline_says(
            "jobs:\n- job: Build\n  pool:\n    vmImage: ubuntu-22.04\n  strategy:\n    matrix:\n"
            "      old: {CUDA: '11.8', TORCH: 2.3.1}\n      new: {CUDA: '" +
            second +
            "', TORCH: 2.3.1}\n  steps:\n  - bash: |\n"
            "      pip install torch==$(TORCH)+cu${CUDA//./} --index-url "
            "https://download.pytorch.org/whl/cu${CUDA//./}\n");
    };
    CHECK(only_says(matrix("12.4"), "torch==2.3.1+cu124 was never released"));
    CHECK(is_silent(matrix("12.1")));
    const std::string steps =
        "parameters:\n  cuda: '11.8'\nsteps:\n"
        "- script: docker build --build-arg CUDA=${{ parameters.cuda }} -f gpu.Dockerfile .\n";
    const auto templated = [&](const std::string& cuda) {
        return pipeline_says(
            "stages:\n- stage: One\n  jobs:\n  - job: A\n    steps:\n"
            "    - template: ci/steps.yml\n      parameters:\n        cuda: " +
                cuda + "\n",
            {{"ci/steps.yml", steps},
             {"gpu.Dockerfile",
              "ARG CUDA=12.4.1\nFROM nvidia/cuda:${CUDA}-devel-ubuntu20.04\n"
              "RUN nvcc -V\n"}});
    };
    CHECK(only_says(templated("11.3.0"), "11.3.0-devel-ubuntu20.04 was withdrawn"));
    CHECK(is_silent(templated("11.3.1")));
    CHECK(is_silent(templated("$(cuda_of_agent)")));
    // A container that jobs name by a variable.
    const auto resource = [](const std::string& cuda) {
        return pipeline_says("resources:\n  containers:\n  - container: old\n    image: nvidia/cuda:" + cuda +
                             "-devel-ubuntu20.04\njobs:\n- job: A\n  container: $[ variables['C'] ]\n"
                             "  steps:\n  - bash: make\n");
    };
    CHECK(only_says(resource("11.3.0"), "11.3.0-devel-ubuntu20.04 was withdrawn"));
    CHECK(is_silent(resource("11.3.1")));
    const auto conditional = [](const std::string& test) {
        return pipeline_says("steps:\n- ${{ if eq('a', '" + test +
                             "') }}:\n  - script: pip install torch==2.3.1+cu124 --index-url "
                             "https://download.pytorch.org/whl/cu124\n");
    };
    CHECK(only_says(conditional("a"), "torch==2.3.1+cu124 was never released"));
    CHECK(is_silent(conditional("b")));
}

TEST_CASE("a compose file gets the variables of the job that starts it") {
    const Files files{{"docker-compose.yml",
                       "services:\n  cuda:\n    build:\n      context: .\n"
                       "      dockerfile: ci/${KIND}.dockerfile\n      args:\n"
                       "        compiler: ${COMPILER}\n        ubuntu: ${UBUNTU}\n"
                       "  other:\n    image: nvidia/cuda:10.2-base\n"},
                      {"ci/nvidia.dockerfile",
                       "ARG compiler=11.0.3\nARG ubuntu=20.04\n"
                       "FROM nvidia/cuda:${compiler}-devel-ubuntu${ubuntu}\n"}};
    const auto azure = [&](const std::string& compiler, const std::string& service) {
        return pipeline_says("variables:\n  KIND: nvidia\n  UBUNTU: 20.04\n  COMPILER: " + compiler +
                                 "\nsteps:\n- task: DockerCompose@0\n  inputs:\n"
                                 "    dockerComposeFile: '**/docker-compose.yml'\n"
                                 "    action: Run a Docker Compose command\n    dockerComposeCommand: 'run " +
                                 service + "'\n",
                             files);
    };
    CHECK(only_says(azure("11.2.0", "cuda"), "11.2.0-devel-ubuntu20.04 was withdrawn"));
    CHECK(is_silent(azure("11.2.2", "cuda")));
    CHECK(is_silent(azure("$(unknown)", "cuda")));
    const auto github = [&](const std::string& compiler) {
        return workflow_says(
            "  test:\n    runs-on: ubuntu-22.04\n    env: {KIND: nvidia, UBUNTU: 20.04, COMPILER: " +
                compiler + "}\n    steps:\n      - run: docker compose build cuda\n",
            files);
    };
    CHECK(only_says(github("11.2.0"), "11.2.0-devel-ubuntu20.04 was withdrawn"));
    CHECK(is_silent(github("11.2.2")));
}

TEST_CASE("rows of GitLab's parallel matrix reach images and scripts") {
    const auto says = [](const std::string& cuda, const std::string& torch) {
        return said_of(".gitlab-ci.yml",
                       "test:\n  image: nvidia/cuda:$CUDA-devel-ubuntu22.04\n  parallel:\n    matrix:\n"
                       "      - CUDA: [" +
                           cuda + "]\n        TORCH: [" + torch +
                           "]\n  script:\n"
                           "    - ./ci/torch.sh $TORCH\n",
                       {{"ci/torch.sh",
                         "pip install torch==$1 --index-url "
                         "https://download.pytorch.org/whl/cu121\n"}});
    };
    CHECK(only_says(says("12.1.1", "2.6.0"), "torch==2.6.0+cu121 was never released"));
    CHECK(only_says(says("11.7.0", "2.3.1"), "11.7.0-devel-ubuntu22.04 was withdrawn"));
    CHECK(is_silent(says("12.1.1", "2.3.1")));
}

}  // namespace ptxguard::recipes
