// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>

#include "world.hpp"

using namespace ptxguard;

namespace {

FakeHost with_torch(const std::string& version, const std::string& cuda) {
    FakeHost host;
    add_torch(host, k_site, version, cuda);
    return add_record(host, k_site, "torch", version);
}

FakeHost& add_companion(FakeHost& host, const std::string& name, const std::string& record_version,
                        const std::string& file_version, const std::string& pin) {
    if (!file_version.empty())
        host.file(k_site + "/" + name + "/version.py", "__version__ = '" + file_version + "'\n");
    return add_record(host, k_site, name, record_version,
                      pin.empty() ? "" : "Requires-Dist: torch" + pin + "\n");
}

std::vector<Conflict> misfits(const FakeHost& host) {
    const Scenario scenario = look(host, python(k_site));
    REQUIRE(scenario.expectations.size() == 1);
    return conflicts(scenario.expectations[0]);
}

std::vector<Conflict> beside(const std::string& torch, const std::string& cuda, const std::string& name,
                             const std::string& record_version, const std::string& file_version,
                             const std::string& pin) {
    FakeHost host = with_torch(torch, cuda);
    add_companion(host, name, record_version, file_version, pin);
    return misfits(host);
}

const std::string k_requires =
    "Requires-Dist: triton==3.4.0; platform_system == \"Linux\"\n"
    "Requires-Dist: nvidia-nvjitlink-cu12==12.8.93; platform_system == \"Linux\"\n"
    "Requires-Dist: nvidia-cusparse-cu12==12.5.*; extra == \"more\"\n";

std::vector<UnmetPin> pins_with(const std::string& package, const std::string& version) {
    FakeHost host;
    add_torch(host, k_site, "2.8.0+cu128", "'12.8'");
    add_record(host, k_site, "torch", "2.8.0+cu128", k_requires);
    add_record(host, k_site, package, version);
    const Scenario scenario = look(host, python(k_site));
    REQUIRE(scenario.expectations.size() == 1);
    return scenario.expectations[0].unmet_pins;
}

const std::string k_file = "nvidia/nccl/lib/libnccl.so.2";

FakeHost& add_nccl(FakeHost& host, const std::string& package, const std::string& version,
                   const std::string& size) {
    const std::string folder = k_site + "/" + package + "-" + version + ".dist-info";
    return host
        .file(folder + "/METADATA",
              "Metadata-Version: 2.1\nName: " + package + "\nVersion: " + version + "\n\n")
        .file(folder + "/RECORD", k_file + ",sha256=abc," + size + "\nnvidia/__init__.py,sha256=abc,0\n");
}

std::vector<Conflict> overwritten(const std::string& content, const std::string& other_version,
                                  const std::string& other_size) {
    FakeHost host;
    add_torch(host, k_site, "2.8.0", "'12.8'");
    add_record(host, k_site, "torch", "2.8.0", "Requires-Dist: nvidia-nccl-cu12==2.27.3\n");
    add_nccl(host, "nvidia_nccl_cu12", "2.27.3", "8");
    if (!other_version.empty()) add_nccl(host, "nvidia_nccl_cu11", other_version, other_size);
    host.file(k_site + "/" + k_file, content);
    const Scenario scenario = look(host, python(k_site));
    REQUIRE(scenario.expectations.size() == 1);
    return conflicts(scenario.expectations[0]);
}

}  // namespace

TEST_CASE("A companion that pins another minor release of torch does not match") {
    const auto found = beside("2.5.0+cu124", "'12.4'", "torchvision", "0.18.1", "0.18.1+cu121", " (==2.3.1)");
    REQUIRE(found.size() == 1);
    CHECK(found[0].package == "torchvision 0.18.1");
    CHECK(found[0].message == "is built for torch 2.3.1, not for 2.5.0+cu124");
    CHECK(found[0].harm == Harm::import);
    CHECK(found[0].fix.text ==
          "python3 -m pip install 'torchvision==0.20.0' --index-url https://download.pytorch.org/whl/cu124");
    CHECK(beside("2.5.0+cu124", "'12.4'", "xformers", "0.0.27", "", "==2.3.1").front().harm == Harm::gpu);
}

TEST_CASE("A companion of the same minor release matches, whatever its patch, its range or its local part") {
    CHECK(beside("2.3.1+cu121", "'12.1'", "torchvision", "0.18.1", "0.18.1+cu121", " (==2.3.1)").empty());
    CHECK(beside("2.3.0+cu121", "'12.1'", "torchvision", "0.18.1", "0.18.1+cu121", "==2.3.1").empty());
    CHECK(beside("2.5.0+cu124", "'12.4'", "torchvision", "0.18.1", "", ">=2.0").empty());
    CHECK(beside("2.5.0+cu124", "'12.4'", "torchvision", "0.18.1", "", "==2.3.1; extra == 'old'").empty());
    CHECK(beside("2.5.0+cu124", "'12.4'", "torchmetrics", "1.0", "", "==2.3.1").empty());
}

TEST_CASE("A companion that pins no release of torch is for the one in the table") {
    const auto text = beside("2.4.0+cu121", "'12.1'", "torchtext", "0.18.0", "0.18.0+cpu", ">=2.3.0");
    REQUIRE(text.size() == 1);
    CHECK(text[0].message == "is built for torch 2.3, not for 2.4.0+cu121");
    CHECK(text[0].fix.text == "python3 -m pip install 'torch==2.3.*' 'torchtext==0.18.0'");
    CHECK(beside("2.3.1+cu121", "'12.1'", "torchtext", "0.18.0", "0.18.0+cpu", ">=2.3.0").empty());
    const auto codec = beside("2.10.0+cu128", "'12.8'", "torchcodec", "0.9.1", "", "");
    REQUIRE(codec.size() == 1);
    CHECK(codec[0].fix.text == "python3 -m pip install 'torchcodec==0.10.*'");
    CHECK(beside("2.12.0+cu130", "'13.0'", "torchcodec", "0.14.0", "", "").empty());
}

TEST_CASE("A record of another release than the files is half an update, and its pins do not count") {
    FakeHost host;
    add_torch(host, k_site, "2.9.1+cu128", "'12.8'");
    add_record(host, k_site, "torch", "2.10.0", "Requires-Dist: triton==3.6.0\n");
    add_record(host, k_site, "triton", "3.5.1");
    const Scenario scenario = look(host, python(k_site));
    REQUIRE(scenario.expectations.size() == 1);
    const Expectation& torch = scenario.expectations[0];
    REQUIRE(torch.disagreements.size() == 1);
    CHECK(torch.disagreements[0].other == "2.10.0");
    CHECK(torch.unmet_pins.empty());
    const Scenario whole = look(with_torch("2.9.1+cu128", "'12.8'"), python(k_site));
    CHECK(whole.expectations.at(0).disagreements.empty());
}

TEST_CASE("A companion of another CUDA major does not match") {
    const auto found =
        beside("2.3.1+cu121", "'12.1'", "torchvision", "0.18.1+cu118", "0.18.1+cu118", "==2.3.1");
    REQUIRE(found.size() == 1);
    CHECK(found[0].message == "is built for CUDA 11.8, torch 2.3.1+cu121 for CUDA 12.1");
    CHECK(found[0].harm == Harm::import);
    CHECK(found[0].fix.text ==
          "python3 -m pip install --force-reinstall --no-deps 'torchvision==0.18.1' --index-url "
          "https://download.pytorch.org/whl/cu121");
    CHECK(beside("2.3.1+cu121", "'12.1'", "torchvision", "0.18.1", "0.18.1+cu124", "==2.3.1").empty());
}

TEST_CASE("torchaudio refuses another CUDA minor, and its releases are numbered like torch's") {
    const auto minor = beside("2.5.1+cu121", "'12.1'", "torchaudio", "2.5.1", "2.5.1+cu124", "==2.5.1");
    REQUIRE(minor.size() == 1);
    CHECK(minor[0].message == "is built for CUDA 12.4, torch 2.5.1+cu121 for CUDA 12.1");
    const auto unpinned = beside("2.3.1+cu121", "'12.1'", "torchaudio", "2.11.0", "2.11.0+cu130", "");
    REQUIRE(unpinned.size() == 1);
    CHECK(unpinned[0].fix.text ==
          "python3 -m pip install --force-reinstall --no-deps 'torchaudio==2.3.1' --index-url "
          "https://download.pytorch.org/whl/cu121");
    const auto fix = [](const std::string& torch) {
        return beside(torch + "+cu121", "'12.1'", "torchaudio", "2.0.2", "", "==2.0.1").at(0).fix.text;
    };
    CHECK(fix("2.3.1") == "python3 -m pip install 'torchaudio==2.3.1'");
    CHECK(fix("1.13.1") == "python3 -m pip install 'torch==1.13.1' 'torchaudio==0.13.1'");
    CHECK(fix("2.12.0") == "python3 -m pip install 'torch==2.12.0' 'torchaudio>=2.11'");
}

TEST_CASE("Builds with and without CUDA do not match") {
    const auto without = beside("2.3.1+cu121", "'12.1'", "torchvision", "0.18.1", "0.18.1+cpu", "==2.3.1");
    REQUIRE(without.size() == 1);
    CHECK(without[0].harm == Harm::gpu);
    CHECK(without[0].message == "is built without CUDA, torch 2.3.1+cu121 for CUDA 12.1");
    const auto with = beside("2.3.1+cpu", "None", "torchvision", "0.18.1", "0.18.1+cu121", "==2.3.1");
    REQUIRE(with.size() == 1);
    CHECK(with[0].harm == Harm::import);
    CHECK(with[0].message == "is built for CUDA 12.1, torch 2.3.1+cpu without it");
    CHECK(beside("2.3.1+cpu", "None", "torchvision", "0.18.1", "0.18.1+cpu", "==2.3.1").empty());
    CHECK(beside("2.3.1", "None", "torchvision", "0.18.1", "", "==2.3.1").empty());
}

TEST_CASE("PyTorch Geometric's builds name their torch in the version") {
    const auto found = beside("2.3.1+cu121", "'12.1'", "torch_scatter", "2.1.2+pt21cu121", "", "");
    REQUIRE(found.size() == 1);
    CHECK(found[0].message == "is built for torch 2.1, not for 2.3.1+cu121");
    CHECK(beside("2.3.1+cu121", "'12.1'", "torch_scatter", "2.1.2+pt23cu121", "", "").empty());
    CHECK(beside("2.3.1+cu121", "'12.1'", "torch_scatter", "2.1.2", "", "").empty());
}

TEST_CASE("Every companion in the table is read, with and without libraries to look for") {
    const Facts facts = Facts::embedded();
    for (const Companion* row : companions_of(facts, "torch")) {
        CAPTURE(row->package);
        FakeHost host = with_torch("2.5.1+cu121", "'12.1'");
        std::string name = row->package;
        std::replace(name.begin(), name.end(), '-', '_');
        add_companion(host, name, "0.0.1", "", "==1.0.0");
        const Scenario scenario = look(host, python(k_site));
        REQUIRE(scenario.expectations.size() == 1);
        REQUIRE(scenario.expectations[0].companions.size() == 1);
    }
}

TEST_CASE("A library overwritten by the package of another CUDA is reported") {
    const auto found = overwritten("12345", "2.14.3", "5");
    REQUIRE(found.size() == 1);
    CHECK(found[0].package == "nvidia-nccl-cu12 2.27.3");
    CHECK(found[0].message == "has lost its libnccl.so.2 to nvidia-nccl-cu11 2.14.3");
    CHECK(found[0].harm == Harm::import);
    CHECK(
        found[0].fix.text ==
        "python3 -m pip uninstall -y nvidia-nccl-cu11 && python3 -m pip install --force-reinstall --no-deps "
        "'nvidia-nccl-cu12==2.27.3'");
    REQUIRE(overwritten("12345", "2.29.1", "5").size() == 1);
    CHECK(overwritten("12345", "2.29.1", "5").front().harm == Harm::later);
}

TEST_CASE("Two packages with the same file do not conflict if the framework's own is installed, or unknown") {
    CHECK(overwritten("12345678", "", "").empty());
    CHECK(overwritten("12345678", "2.14.3", "5").empty());
    CHECK(overwritten("12345678", "2.14.3", "8").empty());
    CHECK(overwritten("123456", "2.14.3", "5").empty());
}

TEST_CASE("an exact requirement of torch that another release fills is kept") {
    const auto found = pins_with("triton", "3.6.0");
    REQUIRE(found.size() == 1);
    CHECK(found[0].package == "triton");
    CHECK(found[0].version->text == "3.6.0");
    CHECK(found[0].wanted.text == "3.4.0");
    CHECK(pins_with("triton", "3.4.0").empty());
    CHECK(pins_with("triton", "3.4.0+git12ab34").empty());
    CHECK(pins_with("nvidia_nvjitlink_cu12", "12.4.127").size() == 1);
    CHECK(pins_with("nvidia_cusparse_cu12", "12.3.1").empty());  // of an extra
    CHECK(pins_with("numpy", "1.0").empty());
}
