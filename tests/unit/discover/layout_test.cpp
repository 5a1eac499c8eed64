// Wrappers for nvcc, links, and the layouts of toolkits.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "discover/profile.hpp"
#include "worlds.hpp"

using namespace ptxguard;
using namespace worlds;

namespace {

// Answers --dryrun as nvcc at `bin` does, --version as that release does.
std::function<ProcessResult(const Command&)> like_nvcc(const std::string& bin, const std::string& version) {
    return [=](const Command& command) {
        ProcessResult result;
        result.state = ProcessResult::State::exited;
        if (command.argv.at(1) == "--version")
            result.out = banner(version);
        else
            result.err = "#$ _SPACE_= \n#$ _HERE_=" + bin + "\n#$ TOP=" + bin + "/..\n#$ gcc -E\n";
        return result;
    };
}

}  // namespace

TEST_CASE("a script that only calls nvcc is read, not run, and stays the path of nvcc") {
    FakeHost host;
    toolkit(host, "/opt/cuda-13.0", "13.0.88");
    script(host, "/opt/bin/nvcc", "#!/bin/sh\n# ours\nexec /opt/cuda-13.0/bin/nvcc \"$@\"\n");
    host.env("PATH", "/opt/bin");
    const Scenario scenario = look(host);
    REQUIRE(scenario.toolkits.size() == 1);
    CHECK(scenario.toolkits[0].root == "/opt/cuda-13.0");
    CHECK(scenario.toolkits[0].wrappers == std::vector<std::string>{"/opt/bin/nvcc"});
    CHECK(scenario.toolkits[0].part(PartKind::nvcc)->path == "/opt/bin/nvcc");
    CHECK(scenario.toolkits[0].part(PartKind::nvcc)->real_path == "/opt/cuda-13.0/bin/nvcc");
    for (const auto& command : host.commands_run) CHECK(command.argv.at(1) != "--dryrun");
}

TEST_CASE("a longer script and a ccache link are resolved with a dry run") {
    for (const bool ccache : {false, true}) {
        CAPTURE(ccache);
        FakeHost host;
        toolkit(host, "/opt/cuda-13.0", "13.0.88");
        if (ccache) {
            host.file("/usr/bin/ccache", "\177ELF")
                .program("/usr/bin/ccache", like_nvcc("/opt/cuda-13.0/bin", "13.0.88"));
            host.link("/opt/bin/nvcc", "/usr/bin/ccache");
        } else {
            host.file("/opt/bin/nvcc", "#!/bin/bash\nif true; then module load cuda; fi\nnvcc \"$@\"\n");
            host.program("/opt/bin/nvcc", like_nvcc("/opt/cuda-13.0/bin", "13.0.88"));
        }
        host.env("PATH", "/opt/bin").env("CUDA_PATH", "/opt/cuda-13.0");
        const Scenario scenario = look(host);
        REQUIRE(scenario.toolkits.size() == 1);
        CHECK(scenario.toolkits[0].root == "/opt/cuda-13.0");
        CHECK(scenario.toolkits[0].wrappers == std::vector<std::string>{"/opt/bin/nvcc"});
        CHECK(selector(scenario, "PATH")->toolkit == "toolkit1");
    }
}

TEST_CASE("a toolkit that only a wrapper names is found") {
    FakeHost host;
    toolkit(host, "/hidden/cuda", "12.4.131");
    host.file("/opt/bin/nvcc", "#!/usr/bin/python3\n")
        .program("/opt/bin/nvcc", like_nvcc("/hidden/cuda/bin", "12.4.131"));
    host.env("PATH", "/opt/bin");
    const Scenario scenario = look(host);
    REQUIRE(scenario.toolkits.size() == 1);
    CHECK(scenario.toolkits[0].root == "/hidden/cuda");
    CHECK(version_of(scenario.toolkits[0], PartKind::ptxas) == "12.4.131");
    CHECK(scenario.build_toolkit()->part(PartKind::nvcc)->path == "/opt/bin/nvcc");
}

TEST_CASE("an nvcc that hangs, crashes, prints nothing or garbage, or cannot start is kept with the reason") {
    const auto trouble = [](const ProcessResult& answer, bool wrapper) {
        FakeHost host;
        toolkit(host, "/opt/cuda", "13.0.88");
        if (wrapper) host.file("/opt/cuda/bin/nvcc", "#!/bin/bash\nset -e\nrun \"$@\"\n");
        host.program("/opt/cuda/bin/nvcc", [=](const Command&) { return answer; });
        host.env("CUDA_HOME", "/opt/cuda");
        const Scenario scenario = look(host);
        REQUIRE(scenario.toolkits.size() == 1);
        return scenario.toolkits[0].part(PartKind::nvcc)->trouble;
    };
    ProcessResult result;
    result.state = ProcessResult::State::timed_out;
    CHECK(trouble(result, false) == "does not answer --version within 5 s");
    CHECK(trouble(result, true) == "does not answer within 5 s");
    result.state = ProcessResult::State::crashed;
    result.exit_code = 11;
    CHECK(trouble(result, false) == "crashes on --version (11)");
    CHECK(trouble(result, true) == "crashes");
    result.state = ProcessResult::State::not_started;
    result.trouble = "Exec format error";
    CHECK(trouble(result, false) == "cannot be started: Exec format error");
    result = {};
    result.state = ProcessResult::State::exited;
    CHECK(trouble(result, false) == "prints nothing on --version");
    CHECK(trouble(result, true) == "fails with --dryrun");
    result.out = "hello\nworld\n";
    CHECK(trouble(result, false) == "prints no version on --version: hello");
    CHECK(trouble(result, true) == "fails with --dryrun: hello");
    result.exit_code = 127;
    result.err = "error while loading shared libraries: libx.so.1";
    CHECK(trouble(result, false) ==
          "fails on --version (exit code 127): error while loading shared libraries: libx.so.1");
    CHECK(trouble(result, true) ==
          "fails with --dryrun (exit code 127): error while loading shared libraries: "
          "libx.so.1");
}

TEST_CASE("a link to nvcc without nvcc.profile next to it finds neither headers nor cicc") {
    FakeHost host;
    toolkit(host, "/opt/cuda", "13.0.88");
    host.program("/opt/cuda/bin/nvcc", [](const Command& command) {
        ProcessResult result;
        result.state = ProcessResult::State::exited;
        if (command.argv.at(1) == "--version")
            result.out = banner("13.0.88");
        else
            result.err = "#$ _HERE_=" + parent_path(command.argv.at(0)) + "\n#$ gcc -E\n";
        return result;
    });
    host.link("/usr/bin/nvcc", "/opt/cuda/bin/nvcc").env("PATH", "/usr/bin");
    const Scenario scenario = look(host);
    REQUIRE(scenario.build_toolkit());
    CHECK(scenario.build_toolkit()->root == "/opt/cuda");
    CHECK(scenario.build_toolkit()->part(PartKind::nvcc)->trouble.find("without nvcc.profile") !=
          std::string::npos);
}

TEST_CASE("Debian's split layout is one toolkit, its ptxas is the one in /usr/bin") {
    FakeHost host;
    script(host, "/usr/bin/nvcc", "#!/bin/sh\n\nexec /usr/lib/nvidia-cuda-toolkit/bin/nvcc \"$@\"\n",
           banner("11.8.89"));
    program(host, "/usr/lib/nvidia-cuda-toolkit/bin/nvcc", "11.8.89");
    host.file("/usr/lib/nvidia-cuda-toolkit/bin/cicc", banner("11.8.89"))
        .program("/usr/lib/nvidia-cuda-toolkit/bin/cicc", "");
    for (const char* name : {"ptxas", "cudafe++", "nvlink", "fatbinary"})
        program(host, std::string("/usr/bin/") + name, "11.8.89");
    host.file("/etc/nvcc.profile",
              "NVVMIR_LIBRARY_DIR = /usr/lib/nvidia-cuda-toolkit/libdevice\n"
              "PATH\t\t+= /usr/lib/nvidia-cuda-toolkit/bin:\n#INCLUDES\t+=\n"
              "LIBRARIES\t=+ $(_SPACE_) -L/usr/lib/x86_64-linux-gnu/stubs -L/usr/lib/x86_64-linux-gnu\n");
    host.link("/usr/lib/nvidia-cuda-toolkit/bin/nvcc.profile", "/etc/nvcc.profile");
    host.link("/usr/lib/cuda/bin", "/usr/lib/nvidia-cuda-toolkit/bin");
    host.file("/usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc", "BC");
    host.file("/usr/include/cuda_runtime_api.h", "#define CUDART_VERSION  11080\n")
        .file("/usr/include/crt/host_config.h");
    host.file("/usr/lib/x86_64-linux-gnu/libcudart.so.11.8.89")
        .link("/usr/lib/x86_64-linux-gnu/libcudart.so", "libcudart.so.11.8.89");
    host.file("/var/lib/dpkg/status",
              "Package: gcc\nVersion: 12.2\n\nPackage: nvidia-cuda-dev\nStatus: install ok installed\n"
              "Version: 11.8.89~11.8.0-5+b1\n\nPackage: zlib\nVersion: 1\n");
    host.file("/var/lib/dpkg/info/nvidia-cuda-dev:amd64.list", "/usr\n/usr/include/crt/host_config.h\n");
    host.env("PATH", "/usr/local/bin:/usr/bin").env("CUDA_HOME", "/usr");
    const Scenario scenario = look(host);
    REQUIRE(scenario.toolkits.size() == 1);
    const Toolkit& found = scenario.toolkits[0];
    CHECK(found.layout == Layout::debian);
    CHECK(std::count(found.names.begin(), found.names.end(), "/usr") == 1);
    CHECK(found.part(PartKind::ptxas)->path == "/usr/bin/ptxas");
    CHECK(version_of(found, PartKind::cicc) == "11.8.89");
    CHECK(version_of(found, PartKind::crt_headers) == "11.8.89");
    CHECK(found.part(PartKind::crt_headers)->version.origin.text ==
          "dpkg: nvidia-cuda-dev 11.8.89~11.8.0-5+b1");
    CHECK(version_of(found, PartKind::runtime_headers) == "11.8");
    CHECK(version_of(found, PartKind::cudart) == "11.8.89");
    CHECK(found.part(PartKind::libdevice));
}

TEST_CASE("a conda prefix with targets/ is a toolkit; its records give the versions of headers") {
    FakeHost host;
    toolkit(host, "/conda/env", "12.4.131");
    host.file("/conda/env/targets/x86_64-linux/include/cuda_runtime_api.h", "#define CUDART_VERSION 12040\n");
    host.file("/conda/env/targets/x86_64-linux/include/crt/host_config.h");
    host.file("/conda/env/conda-meta/cuda-crt-dev_linux-64-12.4.131-0.json",
              "{\"name\": \"cuda-crt-dev_linux-64\", \"version\": \"12.4.131\","
              "\"files\": [\"targets/x86_64-linux/include/crt/host_config.h\"]}");
    host.file("/conda/env/conda-meta/cuda-cudart-dev_linux-64-12.4.127-h1.json",
              "{\"name\": \"cuda-cudart-dev_linux-64\", \"version\": \"12.4.127\","
              "\"files\": [\"targets/x86_64-linux/include/cuda_runtime_api.h\"]}");
    host.env("CONDA_PREFIX", "/conda/env");
    const Scenario scenario = look(host);
    REQUIRE(scenario.toolkits.size() == 1);
    CHECK(scenario.toolkits[0].layout == Layout::conda);
    CHECK(version_of(scenario.toolkits[0], PartKind::crt_headers) == "12.4.131");
    CHECK(version_of(scenario.toolkits[0], PartKind::runtime_headers) == "12.4.127");
    CHECK(scenario.toolkits[0].part(PartKind::runtime_headers)->path ==
          "/conda/env/targets/x86_64-linux/include/cuda_runtime_api.h");
    FakeHost bare;
    bare.folder("/conda/base/bin").env("CONDA_PREFIX", "/conda/base");
    CHECK(look(bare).selectors.empty());
}

TEST_CASE("the HPC SDK's toolkits are found by default folder and by NVHPC_ROOT") {
    FakeHost host;
    const std::string sdk = "/opt/nvidia/hpc_sdk/Linux_x86_64/24.5";
    toolkit(host, sdk + "/cuda/12.4", "12.4.131");
    toolkit(host, sdk + "/cuda/11.8", "11.8.89");
    Scenario scenario = look(host);
    CHECK(scenario.toolkits.size() == 2);
    CHECK(scenario.toolkits[0].layout == Layout::hpc_sdk);
    host.env("NVHPC_ROOT", sdk);
    scenario = look(host);
    CHECK(scenario.build_toolkit()->root == sdk + "/cuda/12.4");
    host.env("NVHPC_ROOT", "/opt/nvidia/hpc_sdk/Linux_x86_64/24.7");
    CHECK(selector(look(host), "NVHPC_ROOT")->problem == PathProblem::missing);
}

TEST_CASE("in a tree that cannot be run, a script next to its toolkit is resolved from its text") {
    FakeHost host;
    host.foreign(true);
    const std::string sdk = "/opt/nvidia/hpc_sdk/Linux_x86_64/24.7";
    toolkit(host, sdk + "/cuda/12.5", "12.5.40");
    script(host, sdk + "/compilers/bin/nvcc",
           "#!/bin/sh\nhere=`dirname $0`\n$here/run_one_of_several \"$@\"\n");
    toolkit(host, "/apps/cuda", "12.4.131");
    script(host, "/apps/bin/nvcc", "#!/bin/sh\nhere=$(dirname $0)\nexec $here/../cuda/bin/nvcc \"$@\"\n");
    script(host, "/other/bin/nvcc", "#!/bin/sh\nexec $SOMEWHERE/bin/nvcc \"$@\"\n");
    const auto root = [&](const std::string& path) {
        host.env("PATH", path);
        const Scenario scenario = look(host);
        const Toolkit* toolkit = scenario.build_toolkit();
        return toolkit ? toolkit->root : std::string("none");
    };
    CHECK(root(sdk + "/compilers/bin") == sdk + "/cuda/12.5");
    CHECK(root("/apps/bin") == "/apps/cuda");
    CHECK(root("/other/bin") == "/other");  // CC105 reports it as unknown
}

TEST_CASE("wheel roots are found below the Python environment, and --toolkit accepts their folder") {
    FakeHost host;
    const std::string site = "/venv/lib/python3.11/site-packages";
    toolkit(host, site + "/nvidia/cu13", "13.0.88");
    program(host, site + "/nvidia/cuda_nvcc/bin/ptxas", "12.9.86");
    host.folder(site + "/nvidia/cublas/lib").env("VIRTUAL_ENV", "/venv");
    const Scenario scenario = look(host);
    REQUIRE(scenario.toolkits.size() == 2);
    CHECK(scenario.toolkits[0].layout == Layout::wheel);
    CHECK(scenario.project.toolkit == scenario.toolkits[0].id);
    CHECK(scenario.toolkits[1].part(PartKind::nvcc) == nullptr);
    CHECK(version_of(scenario.toolkits[1], PartKind::ptxas) == "12.9.86");
    toolkit(host, "/other/lib/python3.11/site-packages/nvidia/cu13", "13.1.80");
    host.env("CONDA_PREFIX", "/other");
    CHECK(look(host).toolkits.size() == 2);  // of one Python, like the frameworks
    FakeHost none;
    none.folder(site + "/nvidia/cu13/lib").env("VIRTUAL_ENV", "/venv");
    CHECK(look(none).toolkits.empty());
}

TEST_CASE("wheel roots are found wherever the current Python would import them from") {
    const auto root = [](const std::string& site) {
        FakeHost host;
        host.program("/usr/bin/python3.12", "")
            .link("/usr/bin/python3", "python3.12")
            .folder("/usr/lib/python3.12")
            .file("/usr/local/lib/python3.12/dist-packages/own.pth", "/data/site\n")
            .env("PYTHONPATH", "/opt/pylibs")
            .env("HOME", "/home/u")
            .env("PATH", "/usr/bin");
        toolkit(host, site + "/nvidia/cu13", "13.0.88");
        const Scenario scenario = look(host);
        return scenario.toolkits.size() == 1 ? scenario.toolkits.front().root : std::string();
    };
    for (const char* site :
         {"/home/u/.local/lib/python3.12/site-packages", "/opt/pylibs", "/data/site",
          "/usr/local/lib/python3.12/dist-packages", "/usr/local/lib64/python3.12/site-packages"})
        CHECK(root(site) == std::string(site) + "/nvidia/cu13");
    CHECK(root("/usr/local/lib/python3.9/dist-packages") == "");
}

TEST_CASE(
    "a Windows toolkit that was installed after this prompt was opened is found by the registry's "
    "CUDA_PATH") {
    FakeHost host(System::windows);
    host.program("D:/CUDA 13/bin/nvcc.exe", banner("13.0.88"));
    CHECK(look(host).toolkits.empty());
    host.later_env("CUDA_PATH", "D:\\CUDA 13").later_env("CUDA_PATH_V13_0", "D:\\CUDA 13\\");
    const Scenario scenario = look(host);
    REQUIRE(scenario.toolkits.size() == 1);
    CHECK(scenario.toolkits[0].root == "D:/CUDA 13");
    CHECK(scenario.selectors.size() == 1);
}

TEST_CASE("a Windows toolkit that only the registry names is found, and one whose folder is gone is named") {
    const std::string above = "SOFTWARE\\NVIDIA Corporation\\GPU Computing Toolkit\\CUDA";
    FakeHost host(System::windows);
    host.program("D:/CUDA 13/bin/nvcc.exe", banner("13.0.88"));
    host.registry_value(above, "FirstVersionInstalled", "v12.4")
        .registry_value(above + "\\v12.4", "64BitInstalled", "1")
        .registry_value(above + "\\v12.4", "InstallDir", "D:\\CUDA 12")
        .registry_value(above + "\\v13.0", "InstallDir", "D:\\CUDA 13\\");
    const Scenario scenario = look(host);
    REQUIRE(scenario.toolkits.size() == 1);
    CHECK(scenario.toolkits[0].root == "D:/CUDA 13");
    const Selector* found = selector(scenario, "HKLM\\" + above + "\\v13.0");
    REQUIRE(found);
    CHECK(found->kind == SelectorKind::registry);
    CHECK(found->toolkit == "toolkit1");
    const Selector* gone = selector(scenario, "HKLM\\" + above + "\\v12.4");
    REQUIRE(gone);
    CHECK(gone->value == "D:/CUDA 12");
    CHECK(gone->problem == PathProblem::missing);
    CHECK(scenario.selectors.size() == 2);
}

TEST_CASE("the registry of a Windows tree is named as not read") {
    FakeHost host(System::windows);
    host.foreign(true);
    CHECK(look(host).selectors.empty());
    host.file("C:/Windows/System32/config/SOFTWARE", "regf");
    const Scenario scenario = look(host);
    REQUIRE(scenario.selectors.size() == 1);
    CHECK(scenario.selectors[0].name == "HKLM\\SOFTWARE");
    CHECK(scenario.selectors[0].problem == PathProblem::unreadable);
    CHECK(scenario.toolkits.empty());
}

TEST_CASE("a toolkit in the default folder has one row, whether or not the registry names it") {
    const std::string root = "C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v13.0";
    FakeHost host(System::windows);
    host.program(root + "/bin/nvcc.exe", banner("13.0.88"));
    host.registry_value("SOFTWARE\\NVIDIA Corporation\\GPU Computing Toolkit\\CUDA\\v13.0", "InstallDir",
                        "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v13.0");
    const Scenario scenario = look(host);
    REQUIRE(scenario.selectors.size() == 1);
    CHECK(scenario.selectors[0].kind == SelectorKind::default_folder);
}

TEST_CASE("a Windows toolkit is found by CUDA_PATH, its numbered variable and its default folder") {
    FakeHost host(System::windows);
    const std::string root = "C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v13.0";
    for (const char* name : {"nvcc", "ptxas", "cudafe++", "nvlink", "fatbinary"})
        host.program(root + "/bin/" + name + ".exe", banner("13.0.88"));
    host.file(root + "/nvvm/bin/cicc.exe", "MZ" + banner("13.0.88"));
    host.file(root + "/bin/nvcc.profile",
              "TOP = $(_HERE_)/..\r\nCICC_PATH = $(TOP)/nvvm/bin\r\nPATH += $(CICC_PATH);$(_HERE_);\r\n"
              "INCLUDES += \"-I$(TOP)/include\" $(_SPACE_)\r\n");
    host.file(root + "/include/cuda_runtime_api.h", "#define CUDART_VERSION  13000\r\n")
        .file(root + "/include/crt/host_config.h");
    host.file(root + "/bin/x64/cudart64_13.dll");
    host.env("CUDA_PATH", root)
        .env("CUDA_PATH_V13_0", root)
        .env("PATH", root + "\\bin;C:\\Windows\\System32");
    const Scenario scenario = look(host);
    REQUIRE(scenario.toolkits.size() == 1);
    CHECK(selector(scenario, "CUDA_PATH_V13_0")->toolkit == "toolkit1");
    CHECK(selector(scenario, "PATH")->toolkit == "toolkit1");
    CHECK(version_of(scenario.toolkits[0], PartKind::cicc) == "13.0.88");
    CHECK(version_of(scenario.toolkits[0], PartKind::runtime_headers) == "13.0");
    CHECK(scenario.toolkits[0].part(PartKind::cudart)->path == root + "/bin/x64/cudart64_13.dll");
}

TEST_CASE("nvcc.profile: += prepends, =+ appends, ?= sets only what is unset") {
    const NvccProfile profile = parse_profile(
        "A = 1\nA += 2\nA =+ 3\nA ?= 4\nB ?= $(A)x$(NOTHING)\n# C = 1\nnonsense\n= 5\nPATH = /old\nPATH += "
        "$(H):/b:\n",
        {{"H", "/here"}});
    CHECK(profile.get("A") == "2 1 3");
    CHECK(profile.get("B") == "2 1 3x");
    CHECK(profile.get("C") == "");
    CHECK(profile.program_folders(System::linux_) == std::vector<std::string>{"/here", "/b", "/old"});
    CHECK(flag_values("-I\"/a b\" \"-I/c\" -isystem /d -I /e -I", "-I") ==
          std::vector<std::string>{"/a b", "/c", "/e"});
    CHECK(parse_profile("$($(((\n=\n+=\nA=$(", {}).get("A") == "$(");
}
