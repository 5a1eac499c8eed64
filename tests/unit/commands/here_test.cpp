// A log joined with the findings of a machine, on made-up facts.
// SPDX-License-Identifier: Apache-2.0
#include "commands/here.hpp"

#include <doctest/doctest.h>

#include "diagnose/scenario_of_log.hpp"
#include "judge/judge.hpp"

using namespace ptxguard;

namespace {

const Facts& tables_of_here() {
    static const Facts facts = Facts::embedded();
    return facts;
}

Finding found_fault(const char* code, const std::string& message, std::vector<Evidence> found = {},
                    std::vector<Fix> fix = {}) {
    Finding finding;
    finding.code = code;
    finding.message = message;
    finding.found = std::move(found);
    finding.fix = std::move(fix);
    return finding;
}

Evidence at(const std::string& what, const std::string& value, const std::string& place) {
    Origin origin;
    origin.text = place;
    return {what, value, origin};
}

struct Joined {
    Diagnosed diagnosed;
    const LogDiagnosis& first() const { return diagnosed.explanation.diagnoses.front(); }
    const LogDiagnosis* with(const std::string& code) const {
        for (const LogDiagnosis& one : diagnosed.explanation.diagnoses)
            if (one.code == code) return &one;
        return nullptr;
    }
};

Joined joined_with(const std::string& log, const std::vector<Finding>& findings, const Scenario& here = {}) {
    const FoundMessages found = find_messages(log);
    const Scenario of_log = scenario_of_log("log", found, tables_of_here());
    Joined result;
    result.diagnosed =
        diagnose("log", found, tables_of_here(), judge({of_log}, tables_of_here(), {}).findings);
    join_here(of_log, {here}, findings, tables_of_here(), result.diagnosed);
    return result;
}

constexpr const char* k_no_dll =
    "Could not load dynamic library 'cublas64_11.dll'; dlerror: cublas64_11.dll not found";

}  // namespace

TEST_CASE("the cause that the machine shows comes first, and the other causes of its line become possible") {
    const Joined one = joined_with(k_no_dll, {found_fault("CC502", "only cublas64_12.dll is installed")});
    CHECK(one.first().code == "CC502");
    CHECK(one.first().here == "only cublas64_12.dll is installed");
    CHECK(one.first().rank == 1);
    REQUIRE(one.with("CC501"));
    CHECK(one.with("CC501")->here.empty());
    CHECK(one.with("CC501")->confidence == Confidence::possible);
}

TEST_CASE("an open cause takes the machine's fault as its explanation, with its rule") {
    const Joined one = joined_with(
        "Blas GEMM launch failed : a.shape=(1, 2)",
        {found_fault("CC607", "no code for the K80"), found_fault("CC208", "driver 470 is older")});
    CHECK(one.first().code == "CC407");
    CHECK(one.first().here == "no code for the K80");  // the judge's order
    CHECK(one.first().here_code == "CC607");
    CHECK(one.first().confidence == Confidence::likely);
}

TEST_CASE("one finding explains one cause of a line") {
    const Joined one = joined_with("CUDA error: CUBLAS_STATUS_ARCH_MISMATCH when calling cublasGemmEx",
                                   {found_fault("CC607", "no code for the V100")});
    CHECK(one.first().code == "CC204");
    CHECK(one.first().here_code == "CC607");
    REQUIRE(one.with("CC407"));
    CHECK(one.with("CC407")->here.empty());
    CHECK(one.with("CC407")->confidence == Confidence::possible);
}

TEST_CASE("of two findings the one that names the file of the log is taken") {
    const Joined one =
        joined_with("ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory",
                    {found_fault("CC305", "libcudnn.so.8 is not found"),
                     found_fault("CC305", "libcudnn.so.9 is not found")});
    CHECK(one.first().here == "libcudnn.so.9 is not found");
}

TEST_CASE("what the fix changes is shown first") {
    const Joined one = joined_with(
        "Couldn't invoke ptxas.exe --version",
        {found_fault("CC109", "no ptxas",
                     {at("./bin/ptxas.exe", "not looked at", ""), at("E:/a/ptxas.exe", "no such file", ""),
                      at("F:/b/ptxas.exe", "no such file", ""),
                      at("D:/CUDA/bni/ptxas.exe", "its folder does not exist", "PATH")},
                     {{FixKind::command, "replace 'D:\\CUDA\\bni' with 'D:/CUDA/bin'"}})});
    REQUIRE(one.first().here_found.size() == 3);
    CHECK(one.first().here_found.front().what == "D:/CUDA/bni/ptxas.exe");
    CHECK(one.first().fix.front().text.find("bni") != std::string::npos);
}

TEST_CASE("a fault that explains nothing in the log is not named") {
    const Joined one = joined_with(k_no_dll, {found_fault("CC108", "gcc is too new")});
    CHECK(one.first().here.empty());
    CHECK(one.diagnosed.explanation.notes ==
          std::vector<std::string>{"check finds nothing on this machine that explains it"});
}

TEST_CASE("a ptxas that reads no newer PTX than the one in the log is named, with the nvcc") {
    Scenario here;
    Pick ptxas, nvcc;
    ptxas.consumer = "XLA in JAX 0.4.30";
    ptxas.tool = "ptxas";
    ptxas.path = "/usr/bin/ptxas";
    ptxas.because = "first ptxas on PATH";
    ptxas.version.value = parse_version("12.2.140");
    nvcc.consumer = "this build";
    nvcc.tool = "nvcc";
    nvcc.path = "/usr/local/cuda/bin/nvcc";
    nvcc.version.value = parse_version("12.6.85");
    here.picks = {ptxas, nvcc};
    const Joined one = joined_with("Unsupported .version 8.5; current version is '8.2'", {}, here);
    CHECK(one.first().here ==
          "ptxas 12.2.140 reads PTX up to 8.2 too: /usr/bin/ptxas (XLA in JAX 0.4.30: first ptxas on PATH)");
    REQUIRE(one.first().here_found.size() == 2);
    CHECK(one.first().here_found[0].origin.text.find("/usr/bin/ptxas") == 0);
    CHECK(one.first().here_found[1].value == "12.6.85");
}

TEST_CASE("another release on this machine than in the log is said") {
    Scenario here;
    Driver driver;
    driver.version.value = parse_version("550.54.14");
    here.drivers.push_back(driver);
    const char* const log =
        "| NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: 12.2 |\nCUDA error 222 at x\n";
    const Joined one = joined_with(log, {found_fault("CC202", "driver 550 refuses it")}, here);
    REQUIRE(one.diagnosed.explanation.notes.size() == 1);
    CHECK(one.diagnosed.explanation.notes.front().find(
              "the log has driver 535.104.05, this machine 550.54.14") == 0);
    here.drivers.front().version.value = parse_version("535");
    CHECK(joined_with(log, {found_fault("CC202", "refused")}, here).diagnosed.explanation.notes.empty());
}

TEST_CASE("the check that explains a log is given the build and the architectures that the log names") {
    const auto settings_for = [](const std::string& log, const Settings& given = {}) {
        const FoundMessages found = find_messages(log);
        const Scenario of_log = scenario_of_log("build.log", found, tables_of_here());
        const Diagnosed diagnosed = diagnose("build.log", found, tables_of_here(), {});
        return settings_for_log(given, of_log, diagnosed.explanation);
    };
    const Settings nvcc = settings_for(
        "[1/2] nvcc\nnvcc fatal   : Unsupported gpu architecture 'compute_50'\n"
        "nvcc fatal   : Unsupported gpu architecture 'compute_37'\n");
    CHECK(nvcc.one("arch") == "sm_37;sm_50");
    CHECK(nvcc.one("arch-origin") == "build.log:2");
    CHECK(nvcc.has("build"));
    // What the user names stays, and another tool's architecture is not one of the build.
    Settings given;
    given.options["arch"] = {{"80"}, Origin::from_option("--arch"), {}};
    CHECK(settings_for("nvcc fatal   : Unsupported gpu architecture 'compute_50'\n", given).one("arch") ==
          "80");
    CHECK_FALSE(
        settings_for("ptxas fatal   : Value 'sm_121' is not defined for option 'gpu-name'\n").has("arch"));
    CHECK_FALSE(settings_for(k_no_dll).has("build"));
}

TEST_CASE("the log's GPU and driver are used where the machine shows none") {
    Scenario log, here;
    log.gpus.resize(1);
    log.gpus.front().name = "RTX 5090";
    log.drivers.resize(1);
    here.gpus.resize(1);
    here.gpus.front().name = "T4";
    add_from_log(log, here);
    CHECK(here.gpus.front().name == "T4");
    CHECK(here.drivers.size() == 1);
}

TEST_CASE("a log about a framework, where none is found, asks for its environment") {
    const auto note_of = [](const std::string& log) {
        return joined_with(log, {}).diagnosed.explanation.notes.back();
    };
    const std::string mismatch =
        "RuntimeError: The detected CUDA version (13.0) mismatches the version that was used to compile "
        "PyTorch "
        "(12.8). Please make sure to use the same CUDA versions.\n";
    CHECK(note_of(mismatch) ==
          "check finds nothing on this machine that explains it; it finds no framework here: --python names "
          "the "
          "log's environment");
    CHECK(note_of(k_no_dll) == "check finds nothing on this machine that explains it");
}
