// SPDX-License-Identifier: Apache-2.0
#include "given.hpp"

namespace ptxguard {

TEST_CASE("GPU names are accepted as drivers and people write them") {
    const auto facts = Facts::embedded();
    const std::pair<const char*, const char*> names[] = {
        {"RTX 3090", "sm_86"},
        {"nvidia geforce rtx 3090", "sm_86"},
        {"NVIDIA GeForce RTX 3090 Ti", "sm_86"},
        {"H100", "sm_90"},
        {"NVIDIA H100 80GB HBM3", "sm_90"},
        {"NVIDIA H100 PCIe", "sm_90"},
        {"A100-SXM4-40GB", "sm_80"},
        {"NVIDIA A100 80GB PCIe", "sm_80"},
        {"Tesla V100-SXM2-16GB", "sm_70"},
        {"Tesla T4", "sm_75"},
        {"T4", "sm_75"},
        {"L40S", "sm_89"},
        {"NVIDIA GH200 480GB", "sm_90"},
        {"Orin", "sm_87"},
        {"Orin (nvgpu)", "sm_87"},
        {"NVIDIA H100 80GB HBM3 MIG 1g.10gb", "sm_90"},
        {"NVIDIA-A100-SXM4-40GB-MIG-3g.20gb", "sm_80"},
        {"NVIDIA-H100-80GB-HBM3-SHARED", "sm_90"},
        {"Tesla-T4-SHARED", "sm_75"},
        // Only in the list of PCI devices.
        {"NVIDIA A100X", "sm_80"},
        {"A30X", "sm_80"},
        {"Xavier", "sm_72"},
        {"NVIDIA RTX 6000 Ada Generation", "sm_89"},
        {"Quadro RTX 6000", "sm_75"},
        {"A6000", "sm_86"},
        {"NVIDIA GeForce RTX 4090 Laptop GPU", "sm_89"},
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "sm_120"},
        {"DGX Spark", "sm_121"},
        {"NVIDIA TITAN X (Pascal)", "sm_61"},
        {"NVIDIA GeForce GTX TITAN X", "sm_52"},
        {"NVIDIA GeForce RTX 4070 SUPER", "sm_89"},
        {"NVIDIA GeForce RTX 3060 Laptop GPU", "sm_86"},
        {"GTX 1080", "sm_61"},
        {"NVIDIA A10G", "sm_86"},
        {"RTX A5000", "sm_86"},
        {"Quadro RTX 4000", "sm_75"},
        {"NVIDIA RTX 4000 SFF Ada Generation", "sm_89"},
        {"NVIDIA GeForce MX150", "sm_61"},
        {"GeForce 940MX", "sm_50"},
        {"GeForce GTX 960M", "sm_50"},
        {"Tesla K20m", "sm_35"},
        {"Tesla K20X", "sm_35"},
        {"Tesla M2090", "sm_20"},
        {"Tesla C2075", "sm_20"},
        {"GeForce GTX 580", "sm_20"},
        {"GTX 560 Ti", "sm_21"},
        {"Quadro 6000", "sm_20"},
        {"NVIDIA GeForce RTX 2050", "sm_86"},
        {"GRID T4-16Q", "sm_75"},
        {"GRID A100D-80C", "sm_80"},
        {"NVIDIA A40-48Q", "sm_86"},
        {"NVIDIA RTX 500 Ada Generation Laptop GPU", "sm_89"},
        // Written without the blanks.
        {"RTX5090", "sm_120"},
        {"rtx4070super", "sm_89"},
        {"GTX1080Ti", "sm_61"},
        {"RTXA6000", "sm_86"},
        {"h100sxm", "sm_90"},
        {"a100pcie", "sm_80"},
        {"QuadroRTX4000", "sm_75"},
    };
    for (const auto& row : names) {
        CAPTURE(row.first);
        CHECK(text_of(facts.gpu_by_name(row.first)) == row.second);
    }
}

TEST_CASE("an architecture or a compute capability is a GPU's name, too") {
    const auto facts = Facts::embedded();
    CHECK(text_of(facts.gpu_by_name("sm_86")) == "sm_86");
    CHECK(text_of(facts.gpu_by_name("8.6")) == "sm_86");
    CHECK(text_of(facts.gpu_by_name("12.1")) == "sm_121");
    CHECK(text_of(facts.gpu_by_name("sm_90a")) == "sm_90");
}

TEST_CASE("a name that fits several chips is unknown and the candidates are listed") {
    const auto unknown = Facts::embedded().gpu_by_name("RTX 6000");
    CHECK_FALSE(unknown);
    CHECK(has(unknown.origin.text, "'RTX 6000' may be"));
    CHECK(has(unknown.origin.text, "Quadro RTX 6000 (sm_75)"));
    CHECK(has(unknown.origin.text, "NVIDIA RTX 6000 Ada (sm_89)"));
}

TEST_CASE("an unlisted name is unknown, even if it contains a listed one") {
    const auto facts = Facts::embedded();
    for (const char* name : {"", "NVIDIA", "Radeon RX 7900", "A100Z", "H1000", "RTX 9999"}) {
        CAPTURE(name);
        const auto unknown = facts.gpu_by_name(name);
        CHECK_FALSE(unknown);
        CHECK(has(unknown.origin.text, "no product is listed"));
    }
}

TEST_CASE("device ids of the PCI bus, with the forms of one chip") {
    const auto facts = Facts::embedded();
    const std::pair<const char*, const char*> ids[] = {
        {"1b80", "sm_61"},  {"102d", "sm_37"},  {"1023", "sm_35"},  {"1db6", "sm_70"},
        {"1eb8", "sm_75"},  {"2684", "sm_89"},  {"2330", "sm_90"},  {"2901", "sm_100"},
        {"3182", "sm_103"}, {"2b85", "sm_120"}, {"2e12", "sm_121"}, {"2b00", "sm_110"}};
    for (const auto& row : ids) {
        CAPTURE(row.first);
        const PciGpu gpu = facts.pci_gpu(row.first);
        REQUIRE(gpu.arch);
        CHECK(gpu.arch->sm() == row.second);
    }
    CHECK(facts.pci_gpu("2324").name == "H800");
    CHECK(facts.pci_gpu("2302").name == "GH100");
    CHECK_FALSE(facts.pci_gpu("22a3").arch);  // a switch
    CHECK_FALSE(facts.pci_gpu("1aef").arch);  // sound
}

}  // namespace ptxguard
