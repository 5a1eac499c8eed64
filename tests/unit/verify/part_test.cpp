// Which files are parts, and which of a tree are taken.
// SPDX-License-Identifier: Apache-2.0
#include "verify/part.hpp"

#include <doctest/doctest.h>

#include "ask/asker.hpp"
#include "host/fake_host.hpp"
#include "host/paths.hpp"

using namespace ptxguard;

TEST_CASE("parts are recognized by their file names on both systems") {
    CHECK(fact_part("ptxas") == FactPart::ptxas);
    CHECK(fact_part("ptxas.exe") == FactPart::ptxas);
    CHECK(fact_part("ptxas-blackwell") == FactPart::ptxas);
    CHECK(fact_part("libnvrtc.so.11.2") == FactPart::nvrtc);
    CHECK(fact_part("nvrtc64_130_0.dll") == FactPart::nvrtc);
    CHECK(fact_part("libnvvm.so.4") == FactPart::nvvm);
    CHECK(fact_part("nvvm64_40_0.dll") == FactPart::nvvm);
    CHECK(fact_part("libnvJitLink.so.13") == FactPart::nvjitlink);
    CHECK(fact_part("nvJitLink_130_0.dll") == FactPart::nvjitlink);
    CHECK(fact_part("libnvidia-ptxjitcompiler.so.535.261.03") == FactPart::driver_jit);
    CHECK(fact_part("host_config.h") == FactPart::host_config);
}

TEST_CASE("builtins, static libraries, other headers and other programs are not parts") {
    for (const char* name : {"libnvrtc-builtins.so.12.9", "nvrtc-builtins64_130.dll", "nvrtc64_130_0.alt.dll",
                             "libnvrtc_static.a", "libnvrtc.alt.so.13", "libnvptxcompiler_static.a",
                             "host_defines.h", "nvcc", "ptxas.1", "fatbinary"})
        CHECK_MESSAGE(!fact_part(name), name);
}

TEST_CASE("a folder is searched; stubs and the header that only includes the other are left out") {
    FakeHost host(System::linux_);
    host.file("/t/bin/ptxas", "x");
    host.file("/t/include/host_config.h", "x");
    host.file("/t/include/crt/host_config.h", "x");
    host.file("/t/lib/stubs/libnvrtc.so", "x");
    host.file("/t/lib/libnvrtc.so.12", "x");
    const auto found = parts_at(host, "/t");
    REQUIRE(found);
    std::vector<std::string> paths;
    for (const FoundPart& part : *found) paths.push_back(part.path);
    CHECK(paths ==
          std::vector<std::string>{"/t/bin/ptxas", "/t/include/crt/host_config.h", "/t/lib/libnvrtc.so.12"});
}

TEST_CASE("a library is measured once, whatever links name it; what only has a part's name is none") {
    FakeHost host(System::linux_);
    host.file("/t/lib/libnvrtc.so.12.9.86", "x");
    host.link("/t/lib/libnvrtc.so.12", "libnvrtc.so.12.9.86");
    host.link("/t/lib/libnvvm.so.4", "nowhere");
    host.folder("/t/bin/ptxas");
    const auto found = parts_at(host, "/t");
    REQUIRE(found);
    CHECK(found->size() == 1);
}

TEST_CASE("a file that is missing or not a part is reported as such") {
    FakeHost host(System::linux_);
    host.file("/t/readme.txt", "x");
    CHECK_FALSE(parts_at(host, "/nowhere"));
    CHECK(parts_at(host, "/t/readme.txt").trouble().what == "is not a part that the tables list");
    CHECK(parts_at(host, "/t").trouble().what == "contains no part that the tables list");
}

TEST_CASE("a header without limits cannot be measured; one with only limits has no release") {
    FakeHost host(System::linux_);
    host.file("/a/include/crt/host_config.h", "#pragma once\n");
    host.file("/b/include/crt/host_config.h",
              "#if __GNUC__ > 13\n\n#error -- unsupported GNU version! gcc versions later than 13\n#endif\n");
    const std::string header = "#if __GNUC__ > 15\n#error -- unsupported GNU version!\n#endif\n";
    host.file("/s/nvidia/cu13/include/crt/host_config.h", header);
    host.file("/s/nvidia_cuda_crt-13.1.80.dist-info/RECORD",
              "nvidia/cu13/include/crt/host_config.h,sha256=x," + std::to_string(header.size()) + "\n");
    const Facts facts = Facts::with({});
    CHECK(
        !measure_part(host, facts, {"/a/include/crt/host_config.h", FactPart::host_config}).trouble.empty());
    const auto bare = measure_part(host, facts, {"/b/include/crt/host_config.h", FactPart::host_config});
    CHECK(bare.trouble.empty());
    CHECK(!bare.version);
    CHECK(bare.values["host_compilers"]["gcc_max"].as_int() == 13);
    const auto packed =
        measure_part(host, facts, {"/s/nvidia/cu13/include/crt/host_config.h", FactPart::host_config});
    REQUIRE(packed.version);
    CHECK(packed.version->text == "13.1.80");
}

namespace {

// Answers as ptxas 12.9 does, for three architectures.
ProcessResult small_ptxas(const Command& command) {
    ProcessResult run;
    run.state = ProcessResult::State::exited;
    const std::string& option = command.argv.at(1);
    if (option == "--version") {
        run.out =
            "ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 12.9, V12.9.86\n";
    } else if (option == "--help") {
        run.out =
            "--other\n        for 'sm_10' and the like\n--gpu-name <gpu name>   (-arch)\n"
            "        Allowed values for this option:  'compute_80','sm_75','sm_80','sm_90a'.\n"
            "        Default value:  'sm_80'.\n\n--help   (-h)\n";
    } else if (option != "-arch=sm_75" && option != "-arch=sm_80" && option != "-arch=sm_90a") {
        run.exit_code = 255;
        run.err = "ptxas fatal   : Value '" + option.substr(6) + "' is not defined for option 'gpu-name'\n";
    } else if (const std::string text = *read_own_file(join_path(command.directory, command.argv.at(2)));
               text.find(".version 8.8") == std::string::npos) {
        run.exit_code = 255;
        run.err =
            "ptxas next.ptx, line 1; fatal   : Unsupported .version 8.9; current version is '8.8'\n"
            "ptxas fatal   : Ptx assembly aborted due to errors\n";
    }
    return run;
}

}  // namespace

TEST_CASE("a ptxas is queried for its version, its newest PTX, each architecture and its refusal") {
    FakeHost host(System::linux_);
    host.program("/t/bin/ptxas", small_ptxas);
    const Facts facts = Facts::embedded();
    const auto measured = measure_part(host, facts, {"/t/bin/ptxas", FactPart::ptxas});
    REQUIRE_MESSAGE(measured.trouble.empty(), measured.trouble);
    CHECK(measured.version->text == "12.9.86");
    CHECK(
        to_text(measured.values, -1) ==
        R"({"ptx":{"max":"8.8"},"ptxas_archs":{"values":["sm_75","sm_80","sm_90a"],"default":"sm_80"},)"
        R"("refusal_of_newer_ptx":{"tried":"8.9","rc":255,"text":"ptxas next.ptx, line 1; fatal   : Unsupported .version 8.9; current version is '8.8'"}})");
}

TEST_CASE("a ptxas that prints nothing, or is not a ptxas, cannot be measured") {
    FakeHost host(System::linux_);
    host.program("/t/bin/ptxas", "", 0);
    host.program("/u/bin/ptxas", "Cuda compilation tools, release 12.9, V12.9.86", 0);
    host.program("/v/bin/ptxas", [](const Command&) {
        ProcessResult run;
        run.state = ProcessResult::State::timed_out;
        run.milliseconds = 30000;
        return run;
    });
    const Facts facts = Facts::with({});
    CHECK(measure_part(host, facts, {"/t/bin/ptxas", FactPart::ptxas}).trouble.find("says no version") == 0);
    CHECK(measure_part(host, facts, {"/u/bin/ptxas", FactPart::ptxas}).trouble ==
          "did not say which .version it reads");
    CHECK(measure_part(host, facts, {"/v/bin/ptxas", FactPart::ptxas})
              .trouble.find("did not end within 30 s") != std::string::npos);
}
