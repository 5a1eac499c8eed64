// What is run again and what is not; a cache that is damaged, truncated, edited or not writable.
// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

using namespace machine;

TEST_CASE("cached results run nothing and are marked as cached") {
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

TEST_CASE("a new target costs only its own compile") {
    Folder cache;
    FakeHost host = good_machine();
    Scenario scenario = probed(host, "80", cache.path);
    host.commands_run.clear();
    Scenario wider = scenario_for("80;90");
    run_probe(host, wider, cache.path);
    CHECK(host.commands_run.size() == 2);  // -ptx and ptxas for 90
}

namespace {

// Of the compiles that list their headers.
std::vector<std::string> listers(const FakeHost& host) {
    std::vector<std::string> archs;
    for (const Command& command : host.commands_run)
        if (has(command, "-MF")) archs.push_back(arch_of(command));
    return archs;
}

}  // namespace

TEST_CASE("the object compile lists the headers for all targets") {
    Folder cache;
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("80-virtual;90-real");
    run_probe(host, scenario, cache.path);
    CHECK(listers(host) == std::vector<std::string>{"90"});
    host.commands_run.clear();
    run_probe(host, scenario, cache.path);
    CHECK(host.commands_run.empty());
}

TEST_CASE("the headers for all targets are listed by one compile, for a target that this nvcc supports") {
    Folder cache;
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("50;80;90");
    run_probe(host, scenario, cache.path);
    CHECK(listers(host) == std::vector<std::string>{"80"});
    // Each entry has the list, whichever targets are requested next.
    for (const char* archs : {"90", "50", "90;80"}) {
        Scenario next = probed(host, archs, cache.path);
        CAPTURE(archs);
        CHECK(std::none_of(host.commands_run.begin(), host.commands_run.end(),
                           [](const Command& command) { return has(command, "-ptx"); }));
    }
    host.file("/opt/cuda/include/cuda_runtime.h", "// another header altogether");
    Scenario next = probed(host, "90", cache.path);
    CHECK(std::any_of(host.commands_run.begin(), host.commands_run.end(),
                      [](const Command& command) { return has(command, "-c"); }));
}

TEST_CASE("after a change of a program, header or variable the compiles run again") {
    Folder cache;
    FakeHost host = good_machine();
    Scenario scenario = probed(host, "80", cache.path);
    auto runs_after = [&](FakeHost& changed) {
        Scenario next = probed(changed, "80", cache.path);
        return changed.commands_run.size();
    };
    CHECK(runs_after(host) == 0);
    host.file("/opt/cuda/include/cuda_runtime.h", "// another header altogether");
    CHECK(runs_after(host) == 1);  // the object; the assembly is of the same PTX
    CHECK(runs_after(host) == 0);
    host.file("/opt/cuda/nvvm/bin/cicc", "now it is there");
    CHECK(runs_after(host) == 2);  // the list and the object
    host.env("CPATH", "/elsewhere");
    CHECK(runs_after(host) == 3);
    host.env("NVCC_APPEND_FLAGS", "-lineinfo");
    CHECK(runs_after(host) == 3);
    host.env("EDITOR", "ed");
    CHECK(runs_after(host) == 0);
}

TEST_CASE("assembly of cached PTX works when only ptxas is new") {
    Folder cache;
    FakeHost host = good_machine("9.5");
    Scenario scenario = probed(host, "80", cache.path);
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

TEST_CASE("a damaged cache is rebuilt") {
    Folder cache;
    FakeHost host = good_machine();
    Scenario scenario = probed(host, "80", cache.path);
    const std::string folder = join_path(cache.path, "probes");
    auto entries = real_host()->list(folder);
    REQUIRE(entries);
    REQUIRE(entries->size() == 3);
    for (const char* damage : {"", "{", "[]", "{\"schema\":\"ptxguard/answer-1\"}", "\x01\x02\x03"}) {
        for (const DirectoryEntry& entry : *entries)
            REQUIRE_FALSE(own::write_file(join_path(folder, entry.name), damage));
        Scenario next = probed(host, "80", cache.path);
        CHECK(host.commands_run.size() == 3);
        CHECK(of_kind(next, ProbeKind::ptx)[0].outcome == Outcome::accepted);
    }
    Scenario last = probed(host, "80", cache.path);
    CHECK(host.commands_run.empty());
}

TEST_CASE("an entry that was truncated or edited anywhere is ignored") {
    Folder cache;
    FakeHost host = good_machine();
    Scenario scenario = probed(host, "80", cache.path);
    const std::string folder = join_path(cache.path, "probes");
    std::string path, text;
    auto entries = real_host()->list(folder);
    REQUIRE(entries);
    for (const DirectoryEntry& entry : *entries) {
        std::string found = *read_own_file(join_path(folder, entry.name));
        if (found.find(".version 9.0") == std::string::npos ||
            found.find("\"text\":\"//") == std::string::npos)
            continue;
        path = join_path(folder, entry.name);
        text = found;
    }
    REQUIRE_FALSE(path.empty());
    REQUIRE_FALSE(own::write_file(path, text.substr(0, text.size() / 2)));
    host.commands_run.clear();
    run_probe(host, scenario, cache.path);
    CHECK(host.commands_run.size() == 1);
    std::size_t at = text.find("\"text\":\"//") + 9;
    text[at] = 'X';
    REQUIRE_FALSE(own::write_file(path, text));
    host.commands_run.clear();
    run_probe(host, scenario, cache.path);
    CHECK(host.commands_run.size() == 1);
}

TEST_CASE("a cache folder that cannot be written is not an error") {
    Folder cache;
    std::string file = join_path(cache.path, "file");
    REQUIRE_FALSE(own::write_file(file, "in the way"));
    FakeHost host = good_machine();
    Scenario scenario = probed(host, "80", file);
    CHECK(of_kind(scenario, ProbeKind::ptx)[0].outcome == Outcome::accepted);
    CHECK_FALSE(of_kind(scenario, ProbeKind::ptx)[0].cached);
}

TEST_CASE("broken results are not cached, refusals are") {
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
    Scenario again = probed(host, "80", cache.path);
    CHECK(host.commands_run.size() == 1);
    CHECK(of_kind(again, ProbeKind::object)[0].outcome == Outcome::accepted);
}

TEST_CASE("without a cache nothing is read or written") {
    FakeHost host = good_machine();
    Scenario scenario = probed(host, "80");
    std::size_t runs = host.commands_run.size();
    run_probe(host, scenario);
    CHECK(host.commands_run.size() == 2 * runs);
}
