// Fix lines that several rules give, and the questions about frameworks behind some of them.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judge/fitting_builds.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/rule.hpp"
#include "judge/toolkit_questions.hpp"

using namespace ptxguard;

namespace {

Toolkit toolkit(const std::string& id, const std::string& root, Layout layout, const char* nvcc,
                const char* cicc) {
    Toolkit made;
    made.id = id;
    made.root = root;
    made.layout = layout;
    for (auto [kind, text] : {std::pair{PartKind::nvcc, nvcc}, std::pair{PartKind::cicc, cicc}}) {
        Part part;
        part.kind = kind;
        part.path = root + "/bin/" + to_string(kind);
        part.version.value = parse_version(text);
        made.parts.push_back(part);
    }
    return made;
}

Selector decides(SelectorKind kind, const std::string& name) {
    Selector selector;
    selector.kind = kind;
    selector.name = name;
    selector.decides = true;
    return selector;
}

std::vector<std::string> lines(const std::vector<Fix>& fixes) {
    std::vector<std::string> texts;
    for (const Fix& fix : fixes) texts.push_back(std::string(to_string(fix.kind)) + ": " + fix.text);
    return texts;
}

}  // namespace

TEST_CASE("one pip line brings wheels to one release, before CUDA 13 to that of the older packages") {
    const Facts facts = Facts::embedded();
    Scenario scenario;
    auto pip = [&](const char* nvcc, const char* cicc) {
        return lines(
            same_release_fix(scenario, toolkit("t", "/venv/nvidia/cu13", Layout::wheel, nvcc, cicc), facts));
    };
    CHECK(pip("13.0.88", "13.5.37") ==
          std::vector<std::string>{"command: pip install \"cuda-toolkit[nvcc,nvvm,crt,cudart]==13.0.2\" && "
                                   "ln -sfn lib /venv/nvidia/cu13/lib64"});
    // PyTorch's extension builder links libcudart.so, and nvcc 13.2 finds lib itself.
    scenario.project.torch_builds = true;
    CHECK(pip("13.3.33", "13.5.37") ==
          std::vector<std::string>{"command: pip install \"cuda-toolkit[nvcc,nvvm,crt,cudart]==13.3.1\" && "
                                   "ln -sf libcudart.so.13 /venv/nvidia/cu13/lib/libcudart.so"});
    scenario.project.torch_builds = false;
    CHECK(
        pip("99.1.5", "13.5.37") ==  // no update of the meta-package is listed: what it would pin
        std::vector<std::string>{"command: pip install \"nvidia-cuda-nvcc==99.1.5\" \"nvidia-nvvm==99.1.5\" "
                                 "\"nvidia-cuda-crt==99.1.5\" \"nvidia-cuda-runtime==99.1.*\""});
    CHECK(pip("12.8.93", "12.9.86") ==
          std::vector<std::string>{
              "command: pip install \"nvidia-cuda-nvcc-cu12==12.8.*\" \"nvidia-cuda-runtime-cu12==12.8.*\""});
}

TEST_CASE("a toolkit in a folder is replaced by a complete one of its release if there is one") {
    const Facts facts = Facts::embedded();
    Scenario scenario;
    scenario.toolkits = {toolkit("a", "/opt/mixed", Layout::nvidia, "13.0.88", "13.5.37"),
                         toolkit("b", "/opt/mixed2", Layout::nvidia, "13.0.88", "13.4.92"),
                         toolkit("c", "/opt/older", Layout::nvidia, "12.9.86", "12.9.86")};
    CHECK(same_release_fix(scenario, scenario.toolkits[0], facts).size() == 1);
    scenario.toolkits.push_back(toolkit("d", "/opt/whole", Layout::nvidia, "13.0.48", "13.0.88"));
    scenario.selectors = {decides(SelectorKind::variable, "CUDA_PATH")};
    const auto fixes = lines(same_release_fix(scenario, scenario.toolkits[0], facts));
    REQUIRE(fixes.size() == 2);
    CHECK(fixes[0] == "setting: export CUDA_PATH=/opt/whole");
    CHECK(same_release_fix(scenario, Toolkit{}, facts).empty());
}

TEST_CASE("another toolkit is chosen through the selector in use") {
    Scenario scenario;
    const Toolkit wanted = toolkit("t", "/opt/cuda 12", Layout::nvidia, "12.4.131", "12.4.131");
    CHECK(choose_toolkit_fix(scenario, wanted).text == "export PATH='/opt/cuda 12/bin':\"$PATH\"");
    scenario.selectors = {decides(SelectorKind::variable, "CUDACXX")};
    CHECK(choose_toolkit_fix(scenario, wanted).text == "export CUDACXX='/opt/cuda 12/bin/nvcc'");
    scenario.selectors = {decides(SelectorKind::option, "--toolkit")};
    CHECK(choose_toolkit_fix(scenario, wanted).text == "--toolkit '/opt/cuda 12'");
    scenario.selectors = {decides(SelectorKind::cmake, "CMAKE_CUDA_COMPILER")};
    CHECK(choose_toolkit_fix(scenario, wanted).text == "-DCMAKE_CUDA_COMPILER='/opt/cuda 12/bin/nvcc'");
    scenario.selectors = {decides(SelectorKind::default_folder, "/usr/local/cuda")};
    scenario.system = System::windows;
    CHECK(choose_toolkit_fix(scenario, wanted).text == "$env:PATH = '/opt/cuda 12/bin' + ';' + $env:PATH");
}

TEST_CASE("a list of architectures is written in its original form") {
    Scenario scenario;
    const std::vector<Target> targets = {{{80, 0}, true, false}, {{90, 'a'}, true, true}};
    // Nothing names CMake.
    const std::string flags =
        "edit: nvcc -gencode arch=compute_80,code=sm_80 -gencode "
        "arch=compute_90a,code=sm_90a -gencode arch=compute_90a,code=compute_90a";
    const std::string cmake = "edit: set(CMAKE_CUDA_ARCHITECTURES \"80-real;90a\")";
    const std::string torch = "setting: export TORCH_CUDA_ARCH_LIST='8.0;9.0a+PTX'";
    const auto fix = [&] { return lines({arch_list_fix(scenario, targets)})[0]; };
    CHECK(fix() == flags);
    for (const auto& [list, expected] : {std::pair{"80;90a", &cmake},
                                         {"-gencode arch=compute_80,code=sm_80", &flags},
                                         {"8.0;9.0a+PTX", &torch}}) {
        scenario.project.archs_text = {list, Origin::from_option("--arch")};
        CHECK(fix() == *expected);
    }
    scenario.project.archs_text = {"80", Origin::from_option("--arch")};
    for (const auto& [file, expected] :
         {std::pair{"/src/CMakeLists.txt", &cmake}, {"/src/Makefile", &flags}, {"/src/setup.py", &flags}}) {
        scenario.project.built_by = {"it builds CUDA code", Origin::from_file(file)};
        CHECK(fix() == *expected);
    }
    scenario.project.built_by = {};
    scenario.project.archs_text = {};
    scenario.selectors = {decides(SelectorKind::cmake, "CMAKE_CUDA_COMPILER")};
    scenario.toolkits = {toolkit("t", "/opt/cuda", Layout::nvidia, "12.4.131", "12.4.131")};
    scenario.selectors[0].toolkit = "t";
    CHECK(fix() == cmake);
    scenario.project.archs_text = {"8.0;9.0a+PTX", Origin::from_variable("TORCH_CUDA_ARCH_LIST")};
    CHECK(lines({arch_list_fix(scenario, targets)})[0] ==
          "setting: export TORCH_CUDA_ARCH_LIST='8.0;9.0a+PTX'");
    scenario.project.archs_text = {"80", Origin::from_variable("CUDAARCHS")};
    CHECK(lines({arch_list_fix(scenario, targets)})[0] == "setting: export CUDAARCHS='80-real;90a'");
    // PyTorch's extension builder reads only its own variable.
    scenario.project.torch_builds = true;
    scenario.project.archs_text = {"80", Origin::from_option("--arch")};
    CHECK(lines({arch_list_fix(scenario, targets)})[0] ==
          "setting: export TORCH_CUDA_ARCH_LIST='8.0;9.0a+PTX'");
}

TEST_CASE("a setting for Windows is written for cmd too") {
    const System windows = System::windows;
    CHECK(set_variable("CUDA_PATH", "C:/CUDA 13", windows).in_cmd == "set \"CUDA_PATH=C:/CUDA 13\"");
    CHECK(set_variable("XLA_FLAGS", "--x=\"C:/a b\"", windows).in_cmd == "set \"XLA_FLAGS=--x=\"C:/a b\"\"");
    CHECK(set_variable("CUDA_PATH", "/usr/local/cuda", System::linux_).in_cmd.empty());
    CHECK(unset_variable("NVCC_APPEND_FLAGS", windows).in_cmd == "set \"NVCC_APPEND_FLAGS=\"");
    CHECK(extend_variable("XLA_FLAGS", "-x", windows).in_cmd == "set \"XLA_FLAGS=%XLA_FLAGS% -x\"");
    const std::string in_front = "set \"PATH=C:\\CUDA\\bin;%PATH%\"";
    CHECK(prepend_list_entry("PATH", "C:/CUDA/bin", windows).in_cmd == in_front);
    CHECK(replace_list_entry("PATH", "C:\\CUDA\\bni", "C:/CUDA/bin", windows).in_cmd == in_front);
    CHECK(replace_list_entry("PATH", "C:\\x", "", windows).in_cmd ==
          "in \"Edit environment variables for your account\" of the Start menu, remove the entry 'C:\\x' "
          "from PATH");
    Scenario scenario;
    scenario.system = windows;
    const Toolkit here = toolkit("toolkit1", "C:/CUDA", Layout::nvidia, "13.0.88", "13.0.88");
    CHECK(choose_toolkit_fix(scenario, here).in_cmd == in_front);
    scenario.selectors = {decides(SelectorKind::variable, "CUDACXX")};
    CHECK(choose_toolkit_fix(scenario, here).in_cmd == "set \"CUDACXX=C:/CUDA/bin/nvcc\"");
    scenario.selectors = {decides(SelectorKind::cmake, "CMAKE_CUDA_COMPILER")};
    CHECK(choose_toolkit_fix(scenario, here).in_cmd == "-DCMAKE_CUDA_COMPILER=\"C:/CUDA/bin/nvcc\"");
}

TEST_CASE("the builds of a framework for a CUDA major come from itself, else from the tables") {
    const Facts facts = Facts::embedded();
    Expectation torch;
    torch.framework = "PyTorch";
    torch.package = "torch";
    torch.version.value = parse_version("2.0.1+cu117");
    CHECK(release_name(torch) == "torch 2.0.1");
    CHECK(variants_for(torch, facts, 11) == std::vector<std::string>{"cu117", "cu118"});
    CHECK(lines(other_build_fix(torch, facts, 11))[0] == "manual: install the cu118 build of torch 2.0.1");
    torch.how = Installation::wheel;
    CHECK(lines(other_build_fix(torch, facts, 11))[0] ==
          "command: python3 -m pip install 'torch==2.0.1+cu118' --index-url "
          "https://download.pytorch.org/whl/cu118");
    torch.how = Installation::conda;
    CHECK(variants_for(torch, facts, 12).empty());
    CHECK(other_build_fix(torch, facts, 12).empty());
    torch.published_variants = {"cpu", "cu121"};
    CHECK(lines(other_build_fix(torch, facts, 12))[0] == "manual: install the cu121 build of torch 2.0.1");
    torch.version.value = parse_version("99.0");
    torch.published_variants.clear();
    CHECK(variants_of(torch, facts).empty());
}

TEST_CASE("a toolkit to get is named by its release, or by its major if nothing more is known") {
    const auto named = [](const char* release, const char* why) {
        return get_toolkit_fix(Scenario(), *parse_version(release), Facts::embedded(), why).text;
    };
    CHECK(named("12.4.1", "") == "build with CUDA 12.4");
    CHECK(named("12.4", "(torch is built with it)") == "build with CUDA 12.4 (torch is built with it)");
    CHECK(named("12", "") == "build with CUDA 12");
}

namespace {

std::string got(const std::vector<Installer>& installers, const char* release,
                const std::vector<Selector>& selectors = {}, System system = System::linux_) {
    Scenario scenario;
    scenario.installers = installers;
    scenario.selectors = selectors;
    scenario.system = system;
    const Fix fix = get_toolkit_fix(scenario, *parse_version(release), Facts::embedded(), "or older");
    CHECK(fix.step);
    return std::string(to_string(fix.kind)) + ": " + fix.text;
}

}  // namespace

TEST_CASE("a toolkit is installed by what installs packages here, and then selected") {
    const Installer module{"module", false, {"cuda/12.8.0", "cuda/12.8.1", "cuda/13.0.2"}},
        active{"mamba", true, {}}, conda{"conda", false, {}}, apt{"apt-get", false, {}},
        dnf{"dnf", false, {}};
    CHECK(got({module, active}, "12.8") == "command: module load cuda/12.8.1");
    CHECK(got({active, apt}, "12.8") ==
          "command: mamba install -y -c conda-forge \"cuda-version=12.8\" cuda-nvcc cuda-cudart-dev && "
          "export PATH=\"$CONDA_PREFIX\"/bin:\"$PATH\"");
    CHECK(got({active}, "11.8") ==
          "command: mamba install -y -c nvidia/label/cuda-11.8.0 cuda-toolkit && "
          "export PATH=\"$CONDA_PREFIX\"/bin:\"$PATH\"");
    CHECK(got({apt, conda}, "12.8") ==
          "command: apt-get install -y cuda-toolkit-12-8 && export PATH=/usr/local/cuda-12.8/bin:\"$PATH\"");
    CHECK(got({dnf}, "13.0") ==
          "command: dnf install -y cuda-toolkit-13-0 && export PATH=/usr/local/cuda-13.0/bin:\"$PATH\"");
    CHECK(got({conda}, "12.4") ==
          "command: conda create -y -p \"$HOME/cuda-12.4\" -c conda-forge \"cuda-version=12.4\" cuda-nvcc "
          "cuda-cudart-dev && export PATH=\"$HOME/cuda-12.4\"/bin:\"$PATH\"");
    const std::string pip =
        "command: python3 -m pip install \"cuda-toolkit[nvcc,nvvm,crt,cudart]==13.0.2\" && "
        "CU13=\"$(python3 -c 'import nvidia.cu13 as m; print(list(m.__path__)[0])')\" && "
        "ln -sfn lib \"$CU13\"/lib64 && export PATH=\"$CU13\"/bin:\"$PATH\"";
    CHECK(got({{"pip", true, {}}, apt}, "13.0") == pip);
    CHECK(got({{"pip", false, {}}}, "13.0") == pip);
    // Before CUDA 13 the wheels have no nvcc, and nothing else has CUDA 10.
    CHECK(got({{"pip", true, {}}}, "12.8") == "manual: build with CUDA 12.8 or older");
    CHECK(got({active, conda}, "10.2") == "manual: build with CUDA 10.2 or older");
    CHECK(got({module}, "12.9") == "manual: build with CUDA 12.9 or older");
    // Where no package manager has one, NVIDIA's installer of the newest update.
    const Installer wget{"wget", false, {"linux"}}, curl{"curl", false, {"linux_sbsa"}};
    CHECK(
        got({{"pip", true, {}}, wget}, "12.4") ==
        "command: wget https://developer.download.nvidia.com/compute/cuda/12.4.1/local_installers/"
        "cuda_12.4.1_550.54.15_linux.run && sh cuda_12.4.1_550.54.15_linux.run --silent --override --toolkit "
        "--installpath=\"$HOME/cuda-12.4\" && export PATH=\"$HOME/cuda-12.4\"/bin:\"$PATH\"");
    CHECK(got({curl}, "12.4")
              .find("curl -fLO https://developer.download.nvidia.com/compute/cuda/12.4.1/"
                    "local_installers/cuda_12.4.1_550.54.15_linux_sbsa.run") != std::string::npos);
    CHECK(got({apt, wget}, "12.4").find("apt-get") != std::string::npos);
    CHECK(got({wget}, "10.2") == "manual: build with CUDA 10.2 or older");
}

TEST_CASE("the toolkit that was installed is selected as the present one is") {
    const Installer apt{"apt-get", false, {}};
    const std::string command = "command: apt-get install -y cuda-toolkit-12-8 && ";
    const auto by = [&](SelectorKind kind, const char* name) {
        return got({apt}, "12.8", {decides(kind, name)}).substr(command.size());
    };
    CHECK(by(SelectorKind::variable, "CUDA_HOME") == "export CUDA_HOME=/usr/local/cuda-12.8");
    CHECK(by(SelectorKind::variable, "CUDACXX") == "export CUDACXX=/usr/local/cuda-12.8/bin/nvcc");
    CHECK(by(SelectorKind::cmake, "CMAKE_CUDA_COMPILER") ==
          "cmake --fresh -DCMAKE_CUDA_COMPILER=/usr/local/cuda-12.8/bin/nvcc .");
    CHECK(by(SelectorKind::option, "--toolkit") == "export PATH=/usr/local/cuda-12.8/bin:\"$PATH\"");
    CHECK(by(SelectorKind::variable, "CONDA_PREFIX") == "export PATH=/usr/local/cuda-12.8/bin:\"$PATH\"");
    CHECK(
        got({{"conda", true, {}}}, "12.8", {decides(SelectorKind::variable, "CUDA_PATH")}, System::windows) ==
        "command: conda install -y -c conda-forge \"cuda-version=12.8\" cuda-nvcc cuda-cudart-dev; "
        "$env:CUDA_PATH = \"$env:CONDA_PREFIX/Library\"");
}

TEST_CASE(
    "the framework for the toolkit at hand: of this release, else the nearest newer, else an older one") {
    const Facts facts = Facts::embedded();
    Expectation torch;
    torch.framework = "PyTorch";
    torch.package = "torch";
    torch.how = Installation::wheel;
    Scenario scenario;
    const auto fix = [&](const char* version, const char* cuda) {
        torch.version.value = parse_version(version);
        const auto fixes = build_for_toolkit_fix(torch, *parse_version(cuda), scenario, facts);
        return fixes.empty() ? std::string("none") : fixes.front().text;
    };
    const std::string pip = "python3 -m pip install 'torch==",
                      index = "' --index-url https://download.pytorch.org/whl/";
    CHECK(fix("2.9.1+cu128", "13.0") == pip + "2.9.1+cu130" + index + "cu130");
    CHECK(fix("2.8.0+cu128", "13.0") == pip + "2.9.1+cu130" + index + "cu130");
    CHECK(fix("2.11.0+cu130", "11.8") == pip + "2.7.1+cu118" + index + "cu118");
    scenario.python.version = "3.9";  // no wheel of 2.9 is for it
    CHECK(fix("2.8.0+cu128", "13.0") == "none");
}
