// Would this GPU run that binary? Fatbins are written as "80 90a 120f ptx:90@8.2", separated by '|'; an ABI
// is added by '/7' or '/8', code that is linked later follows '~', code that is not registered '!'.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <sstream>

#include "judge/loading_questions.hpp"

using namespace ptxguard;

namespace {

const Facts& loading_facts() {
    static const Facts embedded = Facts::embedded();
    return embedded;
}

DeviceEntry entry_of(std::string word, std::uint32_t fatbin) {
    DeviceEntry entry;
    entry.fatbin = fatbin;
    entry.kind = EntryKind::cubin;
    entry.raw_kind = 2;
    if (word[0] == '~') entry.relocatable = true;
    if (word[0] == '!') entry.registered = false;
    if (word[0] == '~' || word[0] == '!') word.erase(0, 1);
    auto take = [&](const char* prefix, EntryKind kind, std::uint16_t raw) {
        if (word.compare(0, std::string(prefix).size(), prefix) != 0) return;
        entry.kind = kind;
        entry.raw_kind = raw;
        word.erase(0, std::string(prefix).size());
    };
    take("ptx:", EntryKind::ptx, 1);
    take("lto:", EntryKind::ltoir, 8);
    take("kind16:", EntryKind::other, 16);
    if (auto at = word.find("@obfuscated"); at != std::string::npos) {
        entry.obfuscated = true;
        word.erase(at);
        entry.ptx = PtxVersion{8, 0};
    }
    if (auto at = word.find('@'); at != std::string::npos) {
        entry.ptx = parse_ptx_version(word.substr(at + 1));
        word.erase(at);
    }
    if (auto at = word.find('='); at != std::string::npos) {
        entry.toolkit = parse_version(word.substr(at + 1));
        word.erase(at);
    }
    if (auto at = word.find('/'); at != std::string::npos) {
        entry.abi = static_cast<std::uint8_t>(std::stoi(word.substr(at + 1)));
        word.erase(at);
    }
    entry.arch = parse_arch(word).value_or(Arch{});
    return entry;
}

BinaryFile file_of(const std::string& text) {
    BinaryFile file;
    file.path = "libx.so";
    file.format = FileFormat::elf;
    std::istringstream words(text);
    std::uint32_t fatbin = 0;
    for (std::string word; words >> word;) {
        if (word == "|")
            ++fatbin;
        else
            file.entries.push_back(entry_of(word, fatbin));
    }
    file.fatbins = file.entries.empty() ? 0 : fatbin + 1;
    return file;
}

Gpu gpu_of(const char* cc) {
    Gpu gpu;
    gpu.name = cc;
    gpu.declared = true;
    if (auto arch = parse_arch(cc)) gpu.arch.value = *arch;
    return gpu;
}

Driver driver_of(const char* version) {
    Driver driver;
    driver.id = "driver1";
    driver.declared = true;
    driver.version.value = parse_version(version);
    return driver;
}

RunAnswer ask(const BinaryFile& file, const char* gpu, const char* driver = nullptr) {
    Driver made = driver_of(driver ? driver : "550.54.14");
    return ask_run(file, gpu_of(gpu), driver ? &made : nullptr, Scenario{}, loading_facts());
}
std::string verdict(const std::string& text, const char* gpu, const char* driver = nullptr) {
    return to_string(ask(file_of(text), gpu, driver).said.verdict);
}
std::string why(const std::string& text, const char* gpu, const char* driver = nullptr) {
    return ask(file_of(text), gpu, driver).said.why;
}

}  // namespace

TEST_CASE("a plain cubin runs within its major, from its minor on") {
    CHECK(verdict("80/7", "8.0") == "cubin");
    CHECK(verdict("80/7", "8.6") == "cubin");
    CHECK(verdict("86/7", "8.0") == "no");
    CHECK(verdict("80/7", "9.0") == "no");
    CHECK(verdict("70/7 80/7", "9.0") == "no");
    CHECK(why("70/7 80/7", "9.0") == "it contains cubins sm_70 and sm_80 and no PTX");
    CHECK(why("80/7 86/7 | 80/7 86/7", "8.9") == "cubin sm_86 in 2 of 2 fatbins");
}

TEST_CASE("'a' is for one GPU, 'f' for the members of its family") {
    CHECK(verdict("90a/7", "9.0") == "cubin");
    CHECK(verdict("100a=12.8", "10.0") == "cubin");
    CHECK(verdict("100a=12.8", "10.3") == "no");
    for (const char* member : {"10.0", "10.3", "10.7"}) CHECK(verdict("100f=12.9", member) == "cubin");
    CHECK(verdict("103f=12.9", "10.0") == "no");
    CHECK(verdict("107f=13.4", "10.3", "615.71.09") == "no");
    CHECK(verdict("110f=13.0", "11.0") == "cubin");
    CHECK(verdict("120f=12.9", "12.1") == "cubin");
    CHECK(verdict("121f=12.9", "12.0") == "no");
    CHECK(verdict("121f=12.9", "12.1") == "cubin");
    CHECK(verdict("100f=12.9", "12.0") == "no");
    CHECK(verdict("ptx:120f@8.8", "12.1") == "jit");
    CHECK(verdict("ptx:120f@8.8", "10.0") == "no");
    CHECK(verdict("ptx:90a@8.0", "10.0") == "no");
}

TEST_CASE("an unlisted GPU is not guessed") {
    CHECK(verdict("100f=12.9", "10.9") == "unknown");
    CHECK(why("100f=12.9", "10.9") ==
          "the tables do not say whether sm_109 belongs to the family of sm_100f");
    CHECK(verdict("100f=12.9", "13.0") == "no");  // a family never leaves its major
    CHECK(verdict("100=12.9", "10.9") == "cubin");
    CHECK(verdict("ptx:90@8.0", "13.0") == "jit");
    CHECK(verdict("100f=12.9 ptx:90@8.0", "10.9") == "jit");  // it runs in either case
}

TEST_CASE("code of ARM servers is named on a Jetson before Thor, whatever its architecture") {
    BinaryFile file = file_of("80/7");
    CHECK(ask(file, "8.7", nullptr).said.why.find("sbsa") == std::string::npos);
    file.machine = "aarch64";
    CHECK(ask(file, "8.7", nullptr).said.why.find("needs a build for Jetson") != std::string::npos);
    CHECK(ask(file, "8.0", nullptr).said.why.find("sbsa") == std::string::npos);
}

TEST_CASE("cubins for other GPUs are not guaranteed to run on integrated ones") {
    CHECK(verdict("87/7", "8.7") == "cubin");
    CHECK(verdict("86/7", "8.7") == "unknown");
    CHECK(verdict("80/7", "8.7") == "unknown");
    CHECK(verdict("87/7", "8.9") == "unknown");
    CHECK(verdict("86/7 ptx:80@8.0", "8.7") == "jit");
    CHECK(verdict("72/7", "7.5") == "unknown");
}

TEST_CASE("10.1 of CUDA 12 is 11.0 of CUDA 13: cubins are undecided, PTX is accepted") {
    CHECK(verdict("101=12.8", "11.0") == "unknown");
    CHECK(verdict("110=13.0", "10.1") == "unknown");
    CHECK(verdict("100=12.8", "11.0") == "no");
    CHECK(verdict("ptx:101a@8.6", "11.0") == "jit");
}

TEST_CASE(
    "PTX counts where no cubin fits: target no newer than the GPU, version no newer than the driver's") {
    CHECK(verdict("80/7 ptx:80@8.0", "8.6", "470.57.02") == "no");  // its PTX needs CUDA 12
    CHECK(verdict("80/7 ptx:80@8.0", "8.6", "525.60.13") == "cubin");
    CHECK(verdict("80/7 ptx:80@8.0", "9.0", "525.60.13") == "jit");
    CHECK(verdict("80/7 ptx:90@8.0", "8.9", "525.60.13") == "cubin");
    CHECK(verdict("75/7 ptx:90@8.0", "8.9", "525.60.13") == "no");
    CHECK(verdict("80/7 ptx:80@8.3", "9.0", "535.104.05") == "no");
    CHECK(why("80/7 ptx:80@8.3", "9.0", "535.104.05") ==
          "no cubin fits, and driver 535.104.05 does not read PTX 8.3 for sm_80 (it reads up to 8.2)");
    CHECK(ask(file_of("80/7 ptx:80@8.3"), "9.0", "535.104.05").cause == RunCause::ptx_refused);
    // Of two PTX texts the one that the driver reads is used.
    CHECK(verdict("ptx:80@8.0 ptx:90@8.4", "9.0", "535.104.05") == "jit");
}

TEST_CASE("a measured JIT overrides the table") {
    Driver driver = driver_of("535.104.05");
    Scenario scenario;
    ProbeResult probe;
    probe.kind = ProbeKind::driver_jit;
    probe.driver = driver.id;
    probe.outcome = Outcome::accepted;
    probe.ptx = PtxVersion{9, 0};
    scenario.probes = {probe};
    RunAnswer answer = ask_run(file_of("ptx:80@9.0"), gpu_of("9.0"), &driver, scenario, loading_facts());
    CHECK(answer.said.verdict == RunVerdict::jit);
}

TEST_CASE("without a driver, PTX that every driver of that GPU reads is compiled, newer PTX is undecided") {
    CHECK(verdict("ptx:90@8.2", "12.0") == "jit");
    CHECK(verdict("ptx:90@8.7", "12.0") == "jit");
    CHECK(verdict("ptx:90@8.8", "12.0") == "unknown");
    CHECK(verdict("ptx:80@8.2", "8.6") == "jit");
    CHECK(verdict("ptx:80@8.3", "8.6") == "unknown");
    RunAnswer answer = ask(file_of("ptx:80@9.0"), "8.6");
    CHECK(answer.said.why == "no cubin fits, and PTX 9.0 for sm_80 needs driver 580.65.06 or newer");
    CHECK(answer.said.decide == "the driver: --driver VERSION");
}

TEST_CASE(
    "a cubin of CUDA 13 needs its driver; without one it is undecided if CUDA 12 drivers know the GPU") {
    CHECK(verdict("80/8", "8.0", "535.104.05") == "no");
    CHECK(why("80/8", "8.0", "535.104.05") ==
          "cubin sm_80 is of CUDA 13, which driver 535.104.05 does not run (580.65.06 or newer does)");
    CHECK(ask(file_of("80/8"), "8.0", "535.104.05").cause == RunCause::cubin_too_new);
    CHECK(verdict("80/8", "8.0", "580.65.06") == "cubin");
    CHECK(verdict("80/8", "8.0") == "unknown");
    CHECK(verdict("80/7", "8.0") == "cubin");
    CHECK(verdict("80=13.0", "8.0") == "unknown");
    CHECK(verdict("110=13.0", "11.0") == "cubin");    // its first driver is of CUDA 13
    CHECK(verdict("120/8", "12.0") == "unknown");     // CUDA 12.8 and 13 write ABI 8 for it
    CHECK(verdict("90/7 120/8", "12.0") == "cubin");  // the other cubin of that fatbin is of CUDA 12
    CHECK(verdict("120/8 ptx:120@8.8", "12.0") == "cubin");
    CHECK(verdict("120/8", "12.0", "575.51.03") == "unknown");
    CHECK(verdict("120/8", "12.0", "580.65.06") == "cubin");
    CHECK(verdict("120=13.0", "12.0", "575.51.03") == "no");
    CHECK(verdict("120=12.8", "12.0", "575.51.03") == "cubin");
    BinaryFile file = file_of("120/8");
    file.needed = {"libcudart.so.12"};
    CHECK(ask(file, "12.0").said.verdict == RunVerdict::cubin);
    file.needed = {"cudart64_13.dll"};
    CHECK(ask(file, "12.0").said.verdict == RunVerdict::unknown);
}

TEST_CASE("a driver that is newer than the table runs what the newest listed one runs") {
    CHECK(verdict("80/8", "8.0", "999.10") == "cubin");
    CHECK(verdict("ptx:80@9.4", "9.0", "999.10") == "jit");
    CHECK(verdict("ptx:80@9.9", "9.0", "999.10") == "unknown");
}

TEST_CASE("a GPU that the driver is too old for runs nothing") {
    CHECK(verdict("120=12.8", "12.0", "550.54.14") == "no");
    CHECK(why("120=12.8", "12.0", "550.54.14") ==
          "driver 550.54.14 is older than sm_120, which needs 570.26 or newer");
    CHECK(ask(file_of("120=12.8"), "12.0", "550.54.14").cause == RunCause::gpu_too_new);
    CHECK(ask(file_of("80=12.8"), "12.0", "550.54.14").cause == RunCause::not_there);
    CHECK(verdict("90/7", "9.0", "525.60.13") == "cubin");
}

TEST_CASE("each fatbin is judged separately and the numbers are reported") {
    CHECK(why("75/7 | 80/7 | 90/7 | 80/7", "8.6") == "cubin sm_80 in 2 of 4 fatbins");
    CHECK(why("80/7 | ptx:80@8.0 | ptx:80@8.0", "8.6") ==
          "PTX 8.0 for sm_80 is compiled by the driver, in 2 of 3 fatbins; 1 more have a cubin");
    CHECK(why("80/7 | 80/7 | ptx:80@8.0", "8.6") == "cubin sm_80 in 2 of 3 fatbins; 1 more by PTX");
    RunAnswer answer = ask(file_of("75/7 | 80/7 | 90/7"), "8.6");
    CHECK(answer.said.fatbins_fit == 1);
    CHECK(answer.said.fatbins == 3);
    CHECK(answer.said.gpu == "8.6 (sm_86)");
}

TEST_CASE("relocatable PTX is a fallback only if every object has it; LTO-IR is never used by itself") {
    CHECK(verdict("80/7 | ~80/7 ~ptx:80@8.0 | ~80/7 ~ptx:80@8.0", "8.0") == "cubin");
    CHECK(verdict("80/7 | ~80/7 ~ptx:80@8.0 | ~80/7 ~ptx:80@8.0", "9.0") == "jit");
    CHECK(verdict("80/7 | ~80/7 ~ptx:80@8.0 | ~80/7", "9.0") == "no");
    CHECK(verdict("80/7 | ~90/7 | ~90/7", "9.0") == "jit");
    CHECK(verdict("80/7 | ~ptx:80@8.3 | ~ptx:80@8.0", "9.0", "535.104.05") == "no");
    CHECK(verdict("80/7 | ~lto:80 | ~lto:80", "9.0") == "no");
    CHECK(why("80/7 | ~lto:80", "9.0") ==
          "it contains cubin sm_80 and no PTX, and LTO-IR, which is not used by itself");
    CHECK(verdict("~lto:80", "8.0") == "unknown");
    CHECK(verdict("~80/7 | ~80/7", "8.0") == "cubin");  // an object, not linked yet
    CHECK(verdict("~lto:80 ~90/7", "8.0") == "unknown");
    CHECK(why("~lto:80 ~90/7", "8.0") == "only LTO-IR may fit; a device link has to make code from it");
    CHECK(verdict("~lto:80 ~90/7", "9.0") == "cubin");
    CHECK(verdict("~80/7", "9.0") == "no");
}

TEST_CASE("a device link alone does not run a file whose own kernels have nothing for the GPU") {
    // NCCL's objects beside the file's kernels, the link's result first.
    const char* linked = "35/7 60/7 | 52/7 60/7 | 52/7 60/7 | ~35/7 ~60/7 | ~35/7 ~60/7";
    CHECK(verdict(linked, "3.7") == "no");
    CHECK(
        why(linked, "3.7") ==
        "2 of 3 fatbins have nothing for sm_37: only what is linked of relocatable objects does; it contains "
        "cubins sm_35, sm_52 and sm_60 and no PTX");
    CHECK(ask(file_of(linked), "3.7").cause == RunCause::not_there);
    CHECK(verdict(linked, "6.0") == "cubin");
    CHECK(verdict("52/7 60/7 | 52/7 60/7 | 52/7 | ~35/7 | ~35/7", "3.7") == "no");
    CHECK(verdict("35/7 60/7 | 52/7 60/7 | 35/7 60/7 | ~35/7 ~60/7", "3.7") == "cubin");
    CHECK(verdict("35/7 60/7 | 52/7 60/7 | ~35/7 ~60/7", "3.7") == "cubin");  // one may be the link's
}

TEST_CASE("what is unreadable or not listed is unknown") {
    CHECK(verdict("ptx:80@obfuscated", "8.0") == "unknown");
    CHECK(verdict("80/7 ptx:80@obfuscated", "8.0") == "cubin");
    CHECK(verdict("kind16:80", "8.0") == "unknown");
    CHECK(verdict("kind16:90", "8.0") == "no");
    CHECK(verdict("!80/7", "8.0") == "unknown");
    CHECK(verdict("75/7 | !80/7", "8.0") == "unknown");
    CHECK(verdict("75/7 | !90/7", "8.0") == "no");
    CHECK(verdict("75/7 | !ptx:80@8.0", "8.6") == "unknown");
    CHECK(verdict("75/7 | !ptx:90@8.0", "8.6") == "no");
    CHECK(ask(file_of(""), "8.0").cause == RunCause::no_code);
    CHECK(ask(file_of("80/7"), "GTX 9999").said.verdict == RunVerdict::unknown);
    BinaryFile cut = file_of("75/7");
    cut.trouble = "is cut in fatbin 2";
    CHECK(ask(cut, "8.0").said.verdict == RunVerdict::unknown);
    CHECK(ask(cut, "7.5").said.verdict == RunVerdict::cubin);
}

TEST_CASE("a driver that refuses most of what fits the GPU does not run the file; fewer are counted") {
    const RunAnswer most = ask(file_of("86=12.4 | 86/8 | 86/8 | 90/8"), "8.6", "550.54.14");
    CHECK(most.cause == RunCause::cubin_too_new);
    CHECK(most.said.verdict == RunVerdict::no);
    CHECK(most.said.fatbins_fit == 1);
    CHECK(most.said.why.find(", in 2 of 4 fatbins; it runs only 1") != std::string::npos);
    CHECK(why("86=12.4 | 86=12.4 | 86/8", "8.6", "550.54.14") ==
          "cubin sm_86 in 2 of 3 fatbins; driver 550.54.14 does not run 1 more");
    CHECK(why("86=12.4 | 86/8 | 86/8 | 90/8", "8.6", "580.65.06") == "cubin sm_86 in 3 of 4 fatbins");
    CHECK(ask(file_of("75/7 | ptx:80@8.7 | ptx:80@8.7 | ptx:80@8.0"), "8.6", "550.54.14").cause ==
          RunCause::ptx_refused);
}

TEST_CASE("drivers decide between CUDA majors that the file leaves undecided") {
    CHECK(verdict("80/7", "8.0", "470.57.02") == "unknown");
    CHECK(ask(file_of("80/7"), "8.0", "470.57.02").said.decide == "the toolkit that made the cubins: --deep");
    CHECK(verdict("80=11.8", "8.0", "470.57.02") == "cubin");
    CHECK(verdict("80=12.1", "8.0", "470.57.02") == "no");
    CHECK(verdict("70=10.2", "7.0", "418.39") == "no");
    CHECK(verdict("70=10.1", "7.0", "418.39") == "cubin");
}

TEST_CASE("a cubin beside a runtime of CUDA 11 is of CUDA 11, which an older driver does not run") {
    const auto with_runtime = [](const char* name, const char* driver) {
        BinaryFile file = file_of("70/7");
        file.needed = {name};
        const Driver declared = driver_of(driver);
        return ask_run(file, gpu_of("7.0"), &declared, Scenario(), loading_facts()).cause;
    };
    CHECK(with_runtime("libcudart.so.11.0", "418.40.04") == RunCause::cubin_too_new);
    CHECK(with_runtime("libcudart.so.11.0", "450.80.02") != RunCause::cubin_too_new);
    CHECK(with_runtime("libcudart.so.10.2", "418.40.04") != RunCause::cubin_too_new);
}
