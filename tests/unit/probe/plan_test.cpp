// The whole plan on machines made of texts: programs that work, hang, crash, print garbage; the cache in between.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>

#include "host/fake_host.hpp"
#include "host/paths.hpp"
#include "probe/cache.hpp"
#include "probe/probe.hpp"

using namespace ptxguard;

namespace {

const char* const k_nvcc = "/opt/cuda/bin/nvcc";
const char* const k_ptxas = "/opt/cuda/bin/ptxas";
const char* const k_jit = "/usr/lib/libnvidia-ptxjitcompiler.so.1";

// A folder of our own that goes with the test.
struct Folder {
    std::string path = *own::temporary_folder();
    ~Folder() { own::remove_tree(path); }
};

ProcessResult exited(int code, const std::string& err = {}, const std::string& out = {}) {
    ProcessResult result;
    result.state = ProcessResult::State::exited;
    result.exit_code = code;
    result.err = err;
    result.out = out;
    return result;
}

bool has(const Command& command, const std::string& word) {
    return std::find(command.argv.begin(), command.argv.end(), word) != command.argv.end();
}

// The value of "-gencode arch=compute_80,code=..." or the default target.
std::string arch_of(const Command& command) {
    for (const std::string& word : command.argv) {
        if (starts_with(word, "arch=compute_")) return word.substr(13, word.find(',') - 13);
    }
    return "75";
}

void write(const Command& command, const std::string& name, const std::string& text) {
    REQUIRE_FALSE(own::write_file(join_path(command.directory, name), text));
}

// An nvcc that writes PTX of `version` and knows sm_75 to sm_90.
ProcessResult good_nvcc(const Command& command, const std::string& version) {
    if (has(command, "--list-gpu-code")) return exited(0, "", "sm_75\nsm_80\nsm_90\n");
    std::string arch = arch_of(command);
    if (arch == "50" || arch == "60") return exited(1, "nvcc fatal   : Unsupported gpu architecture 'compute_" + arch + "'\n");
    auto after = [&](const char* word) { return *(std::find(command.argv.begin(), command.argv.end(), word) + 1); };
    if (has(command, "-c")) {
        write(command, command.argv.back(), "object");
        return exited(0);
    }
    write(command, command.argv.back(),
          "// Cuda compilation tools, release 13.0, V13.0.88\n.version " + version + "\n.target sm_" + arch + "\n");
    write(command, after("-MF"), "x.ptx : probe.cu \\\n  /opt/cuda/include/cuda_runtime.h\n");
    return exited(0);
}

ProcessResult good_ptxas(const Command& command) {
    auto ptx = read_own_file(join_path(command.directory, command.argv[2]));
    if (!ptx) return exited(255, "ptxas fatal   : Input file could not be opened\n");
    if (ptx->find(".version 9.5") != std::string::npos)
        return exited(255, "ptxas x.ptx, line 2; fatal   : Unsupported .version 9.5; current version is '9.0'\n");
    write(command, command.argv.back(), "cubin");
    return exited(0);
}

FakeHost good_machine(const std::string& ptx = "9.0") {
    FakeHost host;
    host.program(k_nvcc, [ptx](const Command& command) { return good_nvcc(command, ptx); });
    host.program(k_ptxas, good_ptxas);
    host.file("/opt/cuda/include/cuda_runtime.h", "// a header").file(k_jit, "library");
    return host;
}

Part part(PartKind kind, const char* path, const char* version) {
    Part made;
    made.kind = kind;
    made.path = made.real_path = path;
    if (version) made.version = Known<Version>(*parse_version(version), {});
    return made;
}

Scenario scenario_for(const char* archs) {
    Scenario scenario;
    Toolkit toolkit;
    toolkit.id = "toolkit1";
    toolkit.parts = {part(PartKind::nvcc, k_nvcc, "13.0.88"), part(PartKind::ptxas, k_ptxas, "13.0.88"),
                     part(PartKind::cicc, "/opt/cuda/nvvm/bin/cicc", nullptr)};
    scenario.toolkits = {toolkit};
    scenario.project.toolkit = "toolkit1";
    if (*archs) scenario.project.archs = *parse_arch_list(archs, ArchDialect::cmake);
    return scenario;
}

void run_probe(const FakeHost& host, Scenario& scenario, const std::string& cache = {}, const char* mode = "auto") {
    ProbeOptions options;
    options.mode = mode;
    options.use_cache = !cache.empty();
    options.cache_folder = cache;
    scenario.probes.clear();
    probe(host, Facts::embedded(), options, scenario);
}

std::vector<ProbeResult> of_kind(const Scenario& scenario, ProbeKind kind) {
    std::vector<ProbeResult> results;
    for (const ProbeResult& result : scenario.probes) {
        if (result.kind == kind) results.push_back(result);
    }
    return results;
}

Driver driver_with_library() {
    Driver driver;
    driver.id = "driver1";
    driver.version = Known<Version>(*parse_version("535.261.03"), {});
    JitLibrary library;
    library.path = library.real_path = k_jit;
    driver.jit = {library};
    return driver;
}

}  // namespace

TEST_CASE("a good toolkit is measured: list, PTX and assembly of each target, one object") {
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("80;90");
    run_probe(host, scenario);
    CHECK(of_kind(scenario, ProbeKind::list_archs)[0].archs.size() == 3);
    auto ptx = of_kind(scenario, ProbeKind::ptx);
    REQUIRE(ptx.size() == 2);
    CHECK(ptx[0].outcome == Outcome::accepted);
    CHECK(ptx[0].basis == Certainty::measured);
    CHECK(ptx[0].ptx->text() == "9.0");
    CHECK(ptx[1].target->sm() == "sm_90");
    auto assemblies = of_kind(scenario, ProbeKind::assemble);
    REQUIRE(assemblies.size() == 2);
    CHECK(assemblies[0].outcome == Outcome::accepted);
    CHECK(assemblies[0].ptx->text() == "9.0");
    auto objects = of_kind(scenario, ProbeKind::object);
    REQUIRE(objects.size() == 1);
    CHECK(objects[0].outcome == Outcome::accepted);
    CHECK(objects[0].target->sm() == "sm_80");
    // The cicc's own version stood in the PTX that it wrote.
    CHECK(scenario.toolkits[0].part(PartKind::cicc)->version->text == "13.0.88");
}

TEST_CASE("no work folder is left behind") {
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("80");
    run_probe(host, scenario);
    REQUIRE_FALSE(host.commands_run.empty());
    CHECK_FALSE(read_own_file(join_path(host.commands_run.front().directory, "probe.cu")));
}

TEST_CASE("PTX that the toolkit's own ptxas refuses carries the limit") {
    FakeHost host = good_machine("9.5");
    Scenario scenario = scenario_for("80");
    run_probe(host, scenario);
    auto assembly = of_kind(scenario, ProbeKind::assemble)[0];
    CHECK(assembly.outcome == Outcome::refused);
    CHECK(assembly.accepts_up_to->text() == "9.0");
    CHECK(assembly.ptx->text() == "9.5");
    CHECK(assembly.culprit == "ptxas");
}

TEST_CASE("with nothing asked for, nvcc's default target becomes the project's") {
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("");
    run_probe(host, scenario);
    REQUIRE(scenario.project.archs.targets.size() == 1);
    CHECK(scenario.project.archs.targets[0] == Target{{75, 0}, true, true});
    CHECK(of_kind(scenario, ProbeKind::assemble)[0].target->sm() == "sm_75");
}

TEST_CASE("words are resolved with nvcc's own list") {
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("all");
    run_probe(host, scenario);
    CHECK(scenario.project.archs.targets.size() == 3);
    CHECK(of_kind(scenario, ProbeKind::ptx).size() == 3);
}

TEST_CASE("native without a GPU stays a word, and the default target is tried") {
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("native");
    run_probe(host, scenario);
    CHECK(scenario.project.archs.targets.empty());
    CHECK(of_kind(scenario, ProbeKind::ptx)[0].target->sm() == "sm_75");
}

TEST_CASE("a dropped target is refused by nvcc itself, the object is made for one that remains") {
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("60;80");
    run_probe(host, scenario);
    auto ptx = of_kind(scenario, ProbeKind::ptx);
    CHECK(ptx[0].outcome == Outcome::refused);
    CHECK(ptx[0].first_error == "nvcc fatal   : Unsupported gpu architecture 'compute_60'");
    CHECK(ptx[1].outcome == Outcome::accepted);
    CHECK(of_kind(scenario, ProbeKind::object)[0].outcome == Outcome::accepted);
    CHECK(of_kind(scenario, ProbeKind::object)[0].target->sm() == "sm_80");
}

TEST_CASE("an nvcc that hangs, crashes, says nothing, prints garbage or is for another machine is broken, and asked once") {
    auto with = [](std::function<ProcessResult(const Command&)> answer) {
        FakeHost host;
        host.program(k_nvcc, std::move(answer)).program(k_ptxas, good_ptxas);
        Scenario scenario = scenario_for("80");
        run_probe(host, scenario);
        CHECK(host.commands_run.size() <= 2);
        REQUIRE_FALSE(scenario.probes.empty());
        CHECK(scenario.probes[0].outcome == Outcome::broken);
        CHECK(of_kind(scenario, ProbeKind::object).empty());
        return scenario.probes[0];
    };
    auto hung = with([](const Command&) {
        ProcessResult result;
        result.state = ProcessResult::State::timed_out;
        result.milliseconds = 10000;
        return result;
    });
    CHECK(hung.timed_out);
    CHECK(hung.first_error == "did not end within 10 s");
    auto crashed = with([](const Command&) {
        ProcessResult result;
        result.state = ProcessResult::State::crashed;
        result.exit_code = 11;
        return result;
    });
    CHECK(crashed.crashed);
    CHECK(with([](const Command&) { return exited(0); }).first_error == "ended with exit code 0 but made nothing");
    CHECK(with([](const Command&) { return exited(0, "", "\x01\x02garbage"); }).outcome == Outcome::broken);
    CHECK(with([](const Command&) { return exited(7); }).first_error == "ended with exit code 7 and said nothing");
    auto alien = with([](const Command&) {
        ProcessResult result;
        result.trouble = "Exec format error";
        return result;
    });
    CHECK(alien.first_error == "could not be started: Exec format error");
    auto loader = with([](const Command&) {
        return exited(127, "/opt/cuda/bin/nvcc: error while loading shared libraries: libfoo.so.1: cannot open shared object "
                           "file: No such file or directory\n");
    });
    CHECK(loader.culprit == "nvcc");
}

TEST_CASE("an nvcc that lists but makes no PTX is broken") {
    FakeHost host = good_machine();
    host.program(k_nvcc, [](const Command& command) {
        return has(command, "--list-gpu-code") ? exited(0, "", "sm_80\n") : exited(0);
    });
    Scenario scenario = scenario_for("80");
    run_probe(host, scenario);
    CHECK(of_kind(scenario, ProbeKind::ptx)[0].outcome == Outcome::broken);
    CHECK(of_kind(scenario, ProbeKind::object)[0].outcome == Outcome::broken);
    CHECK(of_kind(scenario, ProbeKind::assemble).empty());
}

TEST_CASE("an nvcc without --list-gpu-code is asked through its help") {
    FakeHost host = good_machine();
    host.program(k_nvcc, [](const Command& command) {
        if (has(command, "--list-gpu-code")) return exited(1, "nvcc fatal   : Unknown option '--list-gpu-code'\n");
        if (has(command, "--help")) return exited(0, "", "Allowed values for this option:  'compute_75','sm_75','sm_80'.\n");
        return good_nvcc(command, "6.5");
    });
    Scenario scenario = scenario_for("80");
    run_probe(host, scenario);
    CHECK(of_kind(scenario, ProbeKind::list_archs)[0].archs.size() == 2);
    CHECK(of_kind(scenario, ProbeKind::ptx)[0].ptx->text() == "6.5");
}

TEST_CASE("cached answers run nothing and say that they are cached") {
    Folder cache;
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("80;90");
    run_probe(host, scenario, cache.path);
    const std::size_t results = scenario.probes.size();
    host.commands_run.clear();
    Scenario again = scenario_for("80;90");
    run_probe(host, again, cache.path);
    CHECK(host.commands_run.empty());
    REQUIRE(again.probes.size() == results);
    for (const ProbeResult& result : again.probes) CHECK(result.cached);
    CHECK(of_kind(again, ProbeKind::ptx)[1].ptx->text() == "9.0");
    CHECK(again.toolkits[0].part(PartKind::cicc)->version->text == "13.0.88");
}

TEST_CASE("a new target costs its own compile only") {
    Folder cache;
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("80");
    run_probe(host, scenario, cache.path);
    host.commands_run.clear();
    Scenario wider = scenario_for("80;90");
    run_probe(host, wider, cache.path);
    CHECK(host.commands_run.size() == 2);  // -ptx and ptxas for 90
}

TEST_CASE("a changed program, header or variable is asked anew") {
    Folder cache;
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("80");
    run_probe(host, scenario, cache.path);
    auto runs_after = [&](FakeHost& changed) {
        changed.commands_run.clear();
        Scenario next = scenario_for("80");
        run_probe(changed, next, cache.path);
        return changed.commands_run.size();
    };
    CHECK(runs_after(host) == 0);
    host.file("/opt/cuda/include/cuda_runtime.h", "// another header altogether");
    CHECK(runs_after(host) == 2);  // PTX and object; its assembly is of the same PTX
    CHECK(runs_after(host) == 0);
    host.file("/opt/cuda/nvvm/bin/cicc", "now it is there");
    CHECK(runs_after(host) == 4);
    host.env("CPATH", "/elsewhere");
    CHECK(runs_after(host) == 4);
    host.env("NVCC_APPEND_FLAGS", "-lineinfo");
    CHECK(runs_after(host) == 4);
    host.env("EDITOR", "ed");
    CHECK(runs_after(host) == 0);
}

TEST_CASE("assembly of cached PTX works when only ptxas is new") {
    Folder cache;
    FakeHost host = good_machine("9.5");
    Scenario scenario = scenario_for("80");
    run_probe(host, scenario, cache.path);
    // The assembly's entry is lost, the PTX's is not.
    auto entries = real_host()->list(join_path(cache.path, "probes"));
    REQUIRE(entries);
    for (const DirectoryEntry& entry : *entries) {
        std::string path = join_path(join_path(cache.path, "probes"), entry.name);
        if (read_own_file(path)->find("-arch=sm_80") != std::string::npos)
            REQUIRE_FALSE(own::write_file(path, "{\"schema\""));
    }
    host.commands_run.clear();
    run_probe(host, scenario, cache.path);
    REQUIRE(host.commands_run.size() == 1);
    CHECK(of_kind(scenario, ProbeKind::assemble)[0].outcome == Outcome::refused);
}

TEST_CASE("a damaged cache is rebuilt, not believed") {
    Folder cache;
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("80");
    run_probe(host, scenario, cache.path);
    const std::string folder = join_path(cache.path, "probes");
    auto entries = real_host()->list(folder);
    REQUIRE(entries);
    REQUIRE(entries->size() == 4);
    for (const char* damage : {"", "{", "[]", "{\"schema\":\"ptxguard/probe-1\"}", "\x01\x02\x03"}) {
        for (const DirectoryEntry& entry : *entries) REQUIRE_FALSE(own::write_file(join_path(folder, entry.name), damage));
        host.commands_run.clear();
        Scenario next = scenario_for("80");
        run_probe(host, next, cache.path);
        CHECK(host.commands_run.size() == 4);
        CHECK(of_kind(next, ProbeKind::ptx)[0].outcome == Outcome::accepted);
    }
    host.commands_run.clear();
    Scenario last = scenario_for("80");
    run_probe(host, last, cache.path);
    CHECK(host.commands_run.empty());
}

TEST_CASE("an entry that was cut off or edited anywhere is not believed") {
    Folder cache;
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("80");
    run_probe(host, scenario, cache.path);
    const std::string folder = join_path(cache.path, "probes");
    std::string path, text;
    auto entries = real_host()->list(folder);
    REQUIRE(entries);
    for (const DirectoryEntry& entry : *entries) {
        std::string found = *read_own_file(join_path(folder, entry.name));
        if (found.find(".version 9.0") == std::string::npos || found.find("\"ptx\":\"//") == std::string::npos) continue;
        path = join_path(folder, entry.name);
        text = found;
    }
    REQUIRE_FALSE(path.empty());
    REQUIRE_FALSE(own::write_file(path, text.substr(0, text.size() / 2)));
    host.commands_run.clear();
    run_probe(host, scenario, cache.path);
    CHECK(host.commands_run.size() == 1);
    std::size_t at = text.find("\"ptx\":\"//") + 8;
    text[at] = 'X';
    REQUIRE_FALSE(own::write_file(path, text));
    host.commands_run.clear();
    run_probe(host, scenario, cache.path);
    CHECK(host.commands_run.size() == 1);
}

TEST_CASE("a cache folder that cannot be written is no trouble") {
    Folder cache;
    std::string file = join_path(cache.path, "file");
    REQUIRE_FALSE(own::write_file(file, "in the way"));
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("80");
    run_probe(host, scenario, file);
    CHECK(of_kind(scenario, ProbeKind::ptx)[0].outcome == Outcome::accepted);
    CHECK_FALSE(of_kind(scenario, ProbeKind::ptx)[0].cached);
}

TEST_CASE("broken answers are not kept, refusals are") {
    Folder cache;
    FakeHost host = good_machine();
    bool hang = true;
    host.program(k_nvcc, [&hang](const Command& command) {
        if (!has(command, "-c") || !hang) return good_nvcc(command, "9.0");
        ProcessResult result;
        result.state = ProcessResult::State::timed_out;
        return result;
    });
    Scenario scenario = scenario_for("60;80");
    run_probe(host, scenario, cache.path);
    CHECK(of_kind(scenario, ProbeKind::object)[0].timed_out);
    hang = false;
    host.commands_run.clear();
    Scenario again = scenario_for("80");
    run_probe(host, again, cache.path);
    CHECK(host.commands_run.size() == 1);
    CHECK(of_kind(again, ProbeKind::object)[0].outcome == Outcome::accepted);
}

TEST_CASE("without a cache nothing is read or written") {
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("80");
    run_probe(host, scenario);
    std::size_t runs = host.commands_run.size();
    run_probe(host, scenario);
    CHECK(host.commands_run.size() == 2 * runs);
}

TEST_CASE("mode off and a foreign tree run nothing and predict") {
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("80");
    scenario.drivers = {driver_with_library()};
    run_probe(host, scenario, {}, "off");
    CHECK(host.commands_run.empty());
    CHECK(of_kind(scenario, ProbeKind::ptx)[0].basis == Certainty::predicted);
    CHECK(of_kind(scenario, ProbeKind::driver_jit)[0].outcome == Outcome::refused);
    CHECK(of_kind(scenario, ProbeKind::driver_jit)[0].basis == Certainty::predicted);
    host.foreign(true);
    run_probe(host, scenario);
    CHECK(host.commands_run.empty());
}

TEST_CASE("a driver's library is fed the PTX that was made") {
    FakeHost host = good_machine();
    std::string fed;
    host.program(own::executable_path(), [&fed](const Command& command) {
        fed = command.input;
        CHECK(command.argv[1] == "--child");
        CHECK(command.argv[2] == "jit");
        CHECK(command.argv[3] == k_jit);
        return exited(0, "",
                      "{\"event\":\"compile\",\"arch\":\"sm_80\",\"result\":7,\"log\":\"ptxas application ptx input, line 2; "
                      "fatal   : Unsupported .version 9.0; current version is '8.2'\"}\n");
    });
    Scenario scenario = scenario_for("80");
    scenario.drivers = {driver_with_library()};
    run_probe(host, scenario);
    CHECK(fed.find(".version 9.0") != std::string::npos);
    auto results = of_kind(scenario, ProbeKind::driver_jit);
    REQUIRE(results.size() == 1);
    CHECK(results[0].outcome == Outcome::refused);
    CHECK(results[0].basis == Certainty::measured);
    CHECK(results[0].toolkit == "toolkit1");
}

TEST_CASE("a library that crashes is reported, and the table answers beside it") {
    FakeHost host = good_machine();
    host.program(own::executable_path(), [](const Command&) {
        ProcessResult result;
        result.state = ProcessResult::State::crashed;
        result.exit_code = 11;
        return result;
    });
    Scenario scenario = scenario_for("80");
    scenario.drivers = {driver_with_library()};
    run_probe(host, scenario);
    auto results = of_kind(scenario, ProbeKind::driver_jit);
    REQUIRE(results.size() == 2);
    CHECK(results[0].outcome == Outcome::broken);
    CHECK(results[1].basis == Certainty::predicted);
    CHECK(results[1].outcome == Outcome::refused);
}

TEST_CASE("without a toolkit the driver is asked how far it reads") {
    FakeHost host;
    host.file(k_jit, "library");
    host.program(own::executable_path(), [](const Command& command) {
        CHECK(command.input.empty());
        return exited(0, "",
                      "{\"event\":\"limit\",\"arch\":\"sm_52\",\"result\":7,\"log\":\"fatal   : Unsupported .version 99.9; "
                      "current version is '8.2'\"}\n");
    });
    Scenario scenario;
    scenario.drivers = {driver_with_library()};
    run_probe(host, scenario);
    auto results = of_kind(scenario, ProbeKind::driver_jit);
    REQUIRE(results.size() == 1);
    CHECK(results[0].accepts_up_to->text() == "8.2");
    CHECK_FALSE(results[0].ptx);
}

TEST_CASE("mode full tries every toolkit, auto only the build's") {
    FakeHost host = good_machine();
    host.program("/opt/other/bin/nvcc", [](const Command& command) { return good_nvcc(command, "8.4"); });
    Scenario scenario = scenario_for("80");
    Toolkit other;
    other.id = "toolkit2";
    other.parts = {part(PartKind::nvcc, "/opt/other/bin/nvcc", "12.4.131")};
    scenario.toolkits.insert(scenario.toolkits.begin(), other);
    run_probe(host, scenario);
    CHECK(of_kind(scenario, ProbeKind::ptx).size() == 1);
    run_probe(host, scenario, {}, "full");
    auto ptx = of_kind(scenario, ProbeKind::ptx);
    REQUIRE(ptx.size() == 2);
    CHECK(ptx[0].toolkit == "toolkit1");
    CHECK(ptx[1].ptx->text() == "8.4");
}

TEST_CASE("a build with flags for many targets in NVCC_APPEND_FLAGS does not stop the PTX probe") {
    FakeHost host = good_machine();
    host.env("NVCC_APPEND_FLAGS", "-gencode arch=compute_90,code=sm_90 -O1");
    Scenario scenario = scenario_for("80");
    run_probe(host, scenario);
    bool seen = false;
    for (const Command& command : host.commands_run) {
        if (!has(command, "-ptx")) continue;
        auto flags = command.environment.find("NVCC_APPEND_FLAGS");
        REQUIRE(flags != command.environment.end());
        CHECK(*flags->second == "-O1");
        seen = true;
    }
    CHECK(seen);
}
