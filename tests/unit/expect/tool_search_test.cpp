// SPDX-License-Identifier: Apache-2.0
#include "expect/tool_search.hpp"

#include <doctest/doctest.h>

#include "world.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_venv_site = "/venv/lib/python3.11/site-packages";

std::string banner(const std::string& version) {
    return "ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 12.0, V" + version +
           "\n";
}

FakeHost machine() {
    FakeHost host;
    host.file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n").folder(k_venv_site);
    return host.program("/venv/bin/python3", "")
        .env("VIRTUAL_ENV", "/venv")
        .env("PATH", "/venv/bin:/usr/bin");
}

FakeHost& add_tensorflow(FakeHost& host, const std::string& version) {
    host.file(std::string(k_venv_site) + "/tensorflow/python/platform/build_info.py",
              "import collections\nbuild_info = collections.OrderedDict([(\"cuda_version\", \"12.3\"), "
              "(\"is_cuda_build\", True), (\"is_rocm_build\", False)])\n");
    return add_record(host, k_venv_site, "tensorflow", version);
}

void search_tools(const FakeHost& host, const Facts& facts, const Request& request, Scenario& scenario) {
    const Asker ask(host);
    Questions questions(ask);
    ToolSearches searches(host, facts, request, scenario);
    searches.ask(questions);
    questions.run();
    searches.resolve();
}

std::vector<Pick> picks_of(const FakeHost& host, const Facts& facts = Facts::embedded()) {
    Scenario scenario = look(host);
    search_tools(host, facts, {}, scenario);
    return scenario.picks;
}

const Pick* pick_of(const std::vector<Pick>& picks, const std::string& consumer, const std::string& tool) {
    for (const Pick& pick : picks)
        if (pick.tool == tool && pick.consumer.find(consumer) == 0) return &pick;
    return nullptr;
}

std::string reason_of(const Pick& pick, const std::string& path) {
    for (const Pick::Loser& loser : pick.losers)
        if (loser.path == path) return loser.reason;
    return "(not among the losers)";
}

}  // namespace

TEST_CASE("XLA since TensorFlow 2.17 skips what is too old or excluded, with a reason for each") {
    FakeHost host = machine();
    add_tensorflow(host, "2.18.0");
    const std::string wheel = std::string(k_venv_site) + "/nvidia/cuda_nvcc/bin/ptxas";
    host.env("PATH", "/misspelt/bin:/old/bin:/bad/bin:/plain/bin:/venv/bin")
        .program("/old/bin/ptxas", banner("11.5.119"))
        .program("/bad/bin/ptxas", banner("12.3.103"))
        .file("/plain/bin/ptxas", "no x bit")
        .program(wheel, banner("12.9.86"));
    const auto picks = picks_of(host);
    const Pick* pick = pick_of(picks, "XLA in TensorFlow 2.18.0", "ptxas");
    REQUIRE(pick);
    CHECK(pick->path == wheel);
    CHECK(pick->because == "the wheel nvidia-cuda-nvcc-cu12");
    CHECK(pick->version->text == "12.9.86");
    CHECK(reason_of(*pick, "/misspelt/bin/ptxas") == "its folder does not exist");
    CHECK(reason_of(*pick, "/old/bin/ptxas") == "11.5.119 is older than 11.8");
    CHECK(reason_of(*pick, "/bad/bin/ptxas") ==
          "12.3.103: XLA counts it as faulty, and its newer releases (TensorFlow 2.17, JAX 0.4.30) pass over "
          "it");
    CHECK(reason_of(*pick, "/plain/bin/ptxas") == "is not executable");
    CHECK(reason_of(*pick, "/venv/bin/ptxas") == "does not exist");
    CHECK(reason_of(*pick, "./cuda_sdk_lib/bin/ptxas").find("not looked at") != std::string::npos);
    CHECK(pick->search->setting.find("XLA_FLAGS") == 0);
    CHECK(pick->search->follows_path);
}

TEST_CASE("candidates are run in one batch, without those that no search reaches") {
    FakeHost host = machine();
    add_tensorflow(host, "2.18.0");
    const std::string wheel = std::string(k_venv_site) + "/nvidia/cuda_nvcc/bin/ptxas";
    host.env("PATH", "/old/bin:/kit/bin:/later/bin:/venv/bin").program(wheel, banner("12.9.86"));
    for (const char* folder : {"/old", "/kit", "/later"})
        host.program(std::string(folder) + "/bin/ptxas", banner("11.5.119"));
    Scenario scenario = look(host);
    Part own;
    own.kind = PartKind::ptxas;
    own.path = own.real_path = "/kit/bin/ptxas";
    own.version = {*parse_version("12.8.93"), {}};
    scenario.toolkits.resize(1);
    scenario.toolkits[0].parts = {own};
    const Asker ask(host);
    Questions questions(ask);
    const Facts facts = Facts::embedded();
    ToolSearches searches(host, facts, {}, scenario);
    searches.ask(questions);
    CHECK(host.commands_run.empty());
    questions.run();
    searches.resolve();
    REQUIRE(host.commands_run.size() == 1);
    CHECK(host.commands_run[0].argv[0] == "/old/bin/ptxas");
    const Pick* pick = pick_of(scenario.picks, "XLA in TensorFlow 2.18.0", "ptxas");
    REQUIRE(pick);
    CHECK(pick->path == "/kit/bin/ptxas");
}

TEST_CASE("the data folder comes first, whatever its form in XLA_FLAGS") {
    FakeHost host = machine();
    add_tensorflow(host, "2.18.0");
    host.program("/venv/bin/ptxas", banner("12.9.86")).program("/data/bin/ptxas", banner("12.6.85"));
    SUBCASE("as a flag") { host.env("XLA_FLAGS", "--xla_dump_to=/tmp --xla_gpu_cuda_data_dir=/data"); }
    SUBCASE("in a file") {
        host.env("XLA_FLAGS", "/flags.txt").file("/flags.txt", "--xla_gpu_cuda_data_dir=/data\n");
    }
    SUBCASE("the last one counts") {
        host.env("XLA_FLAGS", "--xla_gpu_cuda_data_dir=/other --xla_gpu_cuda_data_dir=/data");
    }
    const auto picks = picks_of(host);
    const Pick* pick = pick_of(picks, "XLA in TensorFlow 2.18.0", "ptxas");
    REQUIRE(pick);
    CHECK(pick->path == "/data/bin/ptxas");
    CHECK(reason_of(*pick, "/venv/bin/ptxas") == "comes after XLA_FLAGS=--xla_gpu_cuda_data_dir");
}

TEST_CASE(
    "XLA_FLAGS is split as XLA splits it: at blanks outside of quotes, a backslash counts in double quotes") {
    const auto data_dir = [](const std::string& flags) {
        FakeHost host = machine();
        add_tensorflow(host, "2.18.0");
        host.env("XLA_FLAGS", flags);
        const auto picks = picks_of(host);
        const Pick* pick = pick_of(picks, "XLA in TensorFlow 2.18.0", "ptxas");
        REQUIRE(pick);
        for (const Pick::Loser& loser : pick->losers)
            if (loser.by == "XLA_FLAGS=--xla_gpu_cuda_data_dir") return loser.path;
        return std::string();
    };
    const std::string flag = "--xla_gpu_cuda_data_dir=";
    CHECK(data_dir(flag + "\"/a b/c\"") == "/a b/c/bin/ptxas");
    CHECK(data_dir(flag + "'/a b/c' --xla_x=1") == "/a b/c/bin/ptxas");
    CHECK(data_dir(flag + "/a b/c") == "/a/bin/ptxas");
    CHECK(data_dir("--xla_x=\"1 " + flag + "/no\" " + flag + "/yes") == "/yes/bin/ptxas");
    CHECK(data_dir(flag + "\"/a\\b\"") == "/ab/bin/ptxas");
    CHECK(data_dir(flag + "'/a\\b'") == "/a\\b/bin/ptxas");
    CHECK(data_dir("word " + flag + "/a") == "");        // the name of a file
    CHECK(data_dir("--x=1 word " + flag + "/a") == "");  // the list ends there
    CHECK(data_dir(flag + "\"/open") == "/open/bin/ptxas");
}

TEST_CASE("before TensorFlow 2.6 PATH comes last, and the first file that exists ends the search") {
    FakeHost host = machine();
    add_tensorflow(host, "2.4.1");
    host.program("/venv/bin/ptxas", banner("11.0.194"));
    SUBCASE("PATH is used if no folder has one") {
        const auto picks = picks_of(host);
        REQUIRE(pick_of(picks, "XLA in TensorFlow 2.4.1", "ptxas"));
        CHECK(pick_of(picks, "XLA in TensorFlow 2.4.1", "ptxas")->path == "/venv/bin/ptxas");
    }
    SUBCASE("a broken one in /usr/local/cuda hides it") {
        host.program("/usr/local/cuda/bin/ptxas", "nonsense", 1);
        const auto picks = picks_of(host);
        const Pick* pick = pick_of(picks, "XLA in TensorFlow 2.4.1", "ptxas");
        REQUIRE(pick);
        CHECK(pick->path.empty());
        CHECK(reason_of(*pick, "/usr/local/cuda/bin/ptxas") == "fails on --version (exit code 1): nonsense");
        CHECK(pick->because == "/usr/local/cuda, and the search ends there");
    }
}

TEST_CASE("libdevice: the first nvvm/libdevice folder is used, with or without the file") {
    FakeHost host = machine();
    add_tensorflow(host, "2.18.0");
    const std::string wheel = std::string(k_venv_site) + "/nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc";
    host.file(wheel);
    SUBCASE("the wheel's") {
        const auto picks = picks_of(host);
        REQUIRE(pick_of(picks, "XLA in TensorFlow", "libdevice"));
        CHECK(pick_of(picks, "XLA in TensorFlow", "libdevice")->path == wheel);
    }
    SUBCASE("an empty folder before it") {
        host.folder("/usr/local/cuda/nvvm/libdevice");
        const auto picks = picks_of(host);
        const Pick* pick = pick_of(picks, "XLA in TensorFlow", "libdevice");
        REQUIRE(pick);
        CHECK(pick->path.empty());
        CHECK(reason_of(*pick, "/usr/local/cuda/nvvm/libdevice/libdevice.10.bc") == "does not exist");
    }
}

TEST_CASE("JAX passes XLA a data folder of its own choice, which overrides XLA_FLAGS") {
    FakeHost host = machine();
    const std::string site = k_venv_site;
    host.folder(site + "/jax_plugins/xla_cuda12")
        .program(site + "/nvidia/cuda_nvcc/bin/ptxas", banner("12.9.86"))
        .program("/data/bin/ptxas", banner("12.6.85"))
        .env("XLA_FLAGS", "--xla_gpu_cuda_data_dir=/data");
    add_record(host, site, "jax_cuda12_pjrt", "0.6.2");
    auto picks = picks_of(host);
    const Pick* pick = pick_of(picks, "XLA in JAX (CUDA 12) 0.6.2", "ptxas");
    REQUIRE(pick);
    CHECK(pick->path == site + "/nvidia/cuda_nvcc/bin/ptxas");
    host.env("CUDA_ROOT", "/data");
    picks = picks_of(host);
    CHECK(pick_of(picks, "XLA in JAX (CUDA 12) 0.6.2", "ptxas")->path == "/data/bin/ptxas");
}

TEST_CASE("JAX 0.4.38 runs the ptxas of PATH before that of the wheel, except by XLA_FLAGS") {
    const std::string site = k_venv_site, wheel = site + "/nvidia/cuda_nvcc/bin/ptxas";
    const auto used = [&](const std::string& release, const std::string& flags) {
        FakeHost host = machine();
        host.folder(site + "/jax_plugins/xla_cuda12")
            .program(wheel, banner("12.6.85"))
            .program("/kit/bin/ptxas", banner("12.1.105"))
            .program("/data/bin/ptxas", banner("12.4.131"))
            .env("PATH", "/kit/bin:/usr/bin");
        if (!flags.empty()) host.env("XLA_FLAGS", flags);
        add_record(host, site, "jax_cuda12_pjrt", release);
        const auto picks = picks_of(host);
        const Pick* pick = pick_of(picks, "XLA in JAX (CUDA 12) " + release, "ptxas");
        return pick ? pick->path : "none";
    };
    CHECK(used("0.4.36", "") == wheel);
    CHECK(used("0.4.38", "") == "/kit/bin/ptxas");
    CHECK(used("0.4.38", "--xla_gpu_cuda_data_dir=/data") == "/data/bin/ptxas");
    CHECK(used("0.5.0", "") == wheel);
    CHECK(used("0.5.1", "--xla_gpu_cuda_data_dir=/data") == wheel);
}

TEST_CASE("a shadowed folder is still searched if XLA itself names it again") {
    FakeHost host = machine();
    const std::string site = k_venv_site;
    const std::string libdevice = "/nvvm/libdevice/libdevice.10.bc";
    host.folder(site + "/jax_plugins/xla_cuda12")
        .folder(site + "/nvidia/cu13/lib")
        .file(site + "/nvidia/cuda_nvcc" + libdevice);
    add_record(host, site, "jax_cuda12_pjrt", "0.7.2");
    const auto picks = picks_of(host);
    const Pick* pick = pick_of(picks, "XLA in JAX (CUDA 12) 0.7.2", "libdevice");
    REQUIRE(pick);
    CHECK(pick->path == site + "/nvidia/cuda_nvcc" + libdevice);
    CHECK(reason_of(*pick, pick->path) == "(not among the losers)");
}

TEST_CASE("Triton uses its variable or its own copy; for newer GPUs another variable applies") {
    FakeHost host = machine();
    const std::string bin = std::string(k_venv_site) + "/triton/backends/nvidia/bin/";
    host.program(bin + "ptxas", banner("12.8.93"))
        .program(bin + "ptxas-blackwell", banner("12.9.86"))
        .env("TRITON_PTXAS_PATH", "/opt/cuda/bin/ptxsa");
    add_record(host, k_venv_site, "triton", "3.6.0");
    const auto picks = picks_of(host);
    const Pick* older = pick_of(picks, "Triton 3.6.0 up to sm_99", "ptxas");
    REQUIRE(older);
    CHECK(older->path == bin + "ptxas");
    CHECK(reason_of(*older, "/opt/cuda/bin/ptxsa") == "its folder does not exist");
    const Pick* newer = pick_of(picks, "Triton 3.6.0 from sm_100 on", "ptxas");
    REQUIRE(newer);
    CHECK(newer->path == bin + "ptxas-blackwell");
    CHECK(reason_of(*newer, "/opt/cuda/bin/ptxsa") == "without effect from sm_100 on");
}

TEST_CASE("torch.compile selects a ptxas only for the GPUs for which Triton has no other one") {
    FakeHost host = machine();
    const std::string site = k_venv_site, bin = site + "/triton/backends/nvidia/bin/";
    host.program(bin + "ptxas", banner("12.9.86"))
        .program(bin + "ptxas-blackwell", banner("13.4.59"))
        .program(site + "/torch/bin/ptxas", banner("13.2.51"))
        .file(site + "/torch/__init__.py", "")
        .file(site + "/torch/version.py", "__version__ = '2.15.0+cu132'\ncuda = '13.2'\nhip = None\n");
    add_record(host, site, "torch", "2.15.0+cu132");
    const auto picks = picks_of(host);
    const Pick* older = pick_of(picks, "torch.compile (Triton) in torch 2.15.0+cu132 up to sm_89", "ptxas");
    REQUIRE(older);
    CHECK(older->path == site + "/torch/bin/ptxas");
    const Pick* newer = pick_of(picks, "torch.compile (Triton) in torch 2.15.0+cu132 from sm_90 on", "ptxas");
    REQUIRE(newer);
    CHECK(newer->path == bin + "ptxas-blackwell");
}

TEST_CASE("a program that Triton cannot start ends its search; one that prints nonsense does not") {
    FakeHost host = machine();
    const std::string bin = std::string(k_venv_site) + "/triton/backends/nvidia/bin/";
    host.program(bin + "ptxas", banner("12.8.93")).env("TRITON_PTXAS_PATH", "/mine");
    add_record(host, k_venv_site, "triton", "3.6.0");
    SUBCASE("without the x bit") {
        host.file("/mine");
        const auto picks = picks_of(host);
        CHECK(pick_of(picks, "Triton 3.6.0 up to sm_99", "ptxas")->path.empty());
    }
    SUBCASE("nonsense") {
        host.program("/mine", "hello");
        const auto picks = picks_of(host);
        const Pick* pick = pick_of(picks, "Triton 3.6.0 up to sm_99", "ptxas");
        CHECK(pick->path == bin + "ptxas");
        CHECK(reason_of(*pick, "/mine") == "prints no version on --version: hello");
    }
}

TEST_CASE("a release missing from the table, a build for CPUs and a conda build get no row") {
    FakeHost host = machine();
    SUBCASE("newer than all") { add_tensorflow(host, "2.99.0"); }
    SUBCASE("older than all") { add_tensorflow(host, "1.15.0"); }
    SUBCASE("CPU") {
        host.file(std::string(k_venv_site) + "/tensorflow/python/platform/build_info.py",
                  "build_info = {'is_cuda_build': False, 'is_rocm_build': False}\n");
        add_record(host, k_venv_site, "tensorflow", "2.18.0");
    }
    CHECK(picks_of(host).empty());
}

TEST_CASE("under --root the version is read from the file, and a program of another system is skipped") {
    FakeHost host(System::windows);
    host.foreign(true);
    const std::string site = "C:/Python38/Lib/site-packages";
    host.file("C:/Python38/python.exe")
        .file(site + "/tensorflow/python/platform/build_info.py",
              "build_info = {'is_cuda_build': True, 'is_rocm_build': False, 'cuda_version': '64_110'}\n");
    add_record(host, site, "tensorflow", "2.4.1");
    std::string pe = "MZ" + std::string(0x3a, '\0') + std::string("\x40\0\0\0PE\0\0\x64\x86\0\0", 12);
    pe += std::string(12, '\0') + std::string("\xf0\0\x22\0\x0b\x02", 6) + std::string(0xee, '\0');
    host.file("C:/CUDA/bin/ptxas.exe", pe + "Cuda compilation tools, release 11.0, V11.0.194");
    std::string elf = std::string("\x7f\x45LF\2\1\1", 7) + std::string(57, '\0');
    elf[18] = 62;
    SUBCASE("a misspelt entry before it") { host.env("PATH", "C:/CUDA/bni;C:/CUDA/bin"); }
    SUBCASE("a Linux program before it") {
        host.env("PATH", "C:/elf;C:/CUDA/bin").file("C:/elf/ptxas.exe", elf);
    }
    Scenario scenario = look(host, python(site));
    search_tools(host, Facts::embedded(), python(site), scenario);
    CHECK(host.commands_run.empty());
    const Pick* pick = pick_of(scenario.picks, "XLA in TensorFlow 2.4.1", "ptxas");
    REQUIRE(pick);
    if (host.env("PATH")->find("elf") == std::string::npos) {
        CHECK(reason_of(*pick, "C:/CUDA/bni/ptxas.exe") == "its folder does not exist");
        CHECK(pick->path == "C:/CUDA/bin/ptxas.exe");
        CHECK(pick->version->text == "11.0.194");
    } else {
        CHECK(reason_of(*pick, "C:/elf/ptxas.exe") == "is a program for another system");
        CHECK(pick->path.empty());
    }
}

TEST_CASE("Numba on Windows looks for libNVVM in CUDA_HOME, then in CUDA_PATH") {
    const std::string site = "C:/Py/Lib/site-packages";
    FakeHost host(System::windows);
    host.program("C:/Py/python.exe", "").folder(site + "/numba");
    host.env("PATH", "C:/Py").env("CUDA_PATH", "C:/CUDA/v12.5");
    host.file("C:/CUDA/v12.5/nvvm/bin/nvvm64_40_0.dll", "x");
    add_record(host, site, "numba", "0.60.0");
    auto picks = picks_of(host);
    const Pick* pick = pick_of(picks, "Numba 0.60.0", "libNVVM");
    REQUIRE(pick);
    CHECK(pick->path == "C:/CUDA/v12.5/nvvm/bin/nvvm64_40_0.dll");
    host.env("CUDA_HOME", "C:/CUDA/v11.8").file("C:/CUDA/v11.8/nvvm/bin/nvvm64_40_0.dll", "x");
    picks = picks_of(host);
    CHECK(pick_of(picks, "Numba 0.60.0", "libNVVM")->path == "C:/CUDA/v11.8/nvvm/bin/nvvm64_40_0.dll");
    host.folder("C:/Py/conda-meta").file("C:/Py/Library/nvvm/bin/nvvm64_40_0.dll", "x");
    picks = picks_of(host);
    CHECK(pick_of(picks, "Numba 0.60.0", "libNVVM")->path == "C:/Py/Library/nvvm/bin/nvvm64_40_0.dll");
}

TEST_CASE("a row overlaid on the table replaces the original") {
    FakeHost host = machine();
    host.program("/ours/ptxas", banner("13.0.88")).folder(std::string(k_venv_site) + "/triton");
    add_record(host, k_venv_site, "triton", "9.9.0");
    const Facts facts = Facts::with({{"tool_search/ours.json", R"({"about": "x", "rows": [{"id": "ours",
      "program": "Triton", "package": "triton", "folder": "triton", "records": ["triton"], "from": "9.0",
      "below": "10.0", "tool": "ptxas", "steps": [{"by": "our folder", "at": "/ours/ptxas"}],
      "setting": "nothing", "wants": "any", "source": "o"}],
      "sources": [{"id": "o", "kind": "documented", "what": "ours"}]})"}});
    const auto picks = picks_of(host, facts);
    REQUIRE(picks.size() == 1);
    CHECK(picks.front().path == "/ours/ptxas");
    CHECK(picks.front().because == "our folder");
}

}  // namespace ptxguard
