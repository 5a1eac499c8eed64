// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "model/serialize.hpp"
#include "scenario_from_json.hpp"

using namespace ptxguard;

namespace {

const char* k_binary =
    R"({"path":"/lib/libx.so","format":"elf","looks_like":"an HTML page","machine":"x86_64","needed":["libcudart.so.12"],
"sections":[".nv_fatbin","__nv_relfatbin"],"by_scan":true,"deep":true,"fatbins":3,
"summary":[{"kind":"cubin","arch":"sm_90a","count":1,"fatbins":1},{"kind":"ptx","arch":"sm_80","ptx":"8.4","count":2,"fatbins":2}],
"entries":[
  {"kind":"cubin","arch":"sm_90a","fatbin":2,"section":"__nv_relfatbin","raw_kind":2,"relocatable":true,"registered":false,
   "compressed":true,"debug":true,"obfuscated":true,"offset":4294967296,"size":77,"uncompressed":99,"flags":24593,"abi":8,
   "toolkit":"12.8","looks_like":"a cubin"},
  {"kind":"ptx","arch":"sm_80","ptx":"8.4","section":".nv_fatbin","raw_kind":1},
  {"kind":"other","section":".nv_fatbin","raw_kind":64}],
"toolkits":["12.4","12.8"],"remarks":["5 cubins in .cask_resource"],"trouble":"is cut",
"runs_on":[{"gpu":"H100 [sm_90]","arch":"sm_90","verdict":"jit","why":"w","decide":"d","fatbins_fit":1,"fatbins":3}],
"origin":{"kind":"file","path":"/lib/libx.so","certainty":"read","text":"t"}})";

const char* k_trace = R"({"path":"/lib/libx.so","is_program":true,"machine":"aarch64","libraries":[
  {"name":"libcublas.so.12","needed_by":"/lib/libx.so","how":"dlopen","optional":true,"taken":"/l/libcublas.so.12",
   "real_path":"/l/libcublas.so.12.8.4.1","rule":"LD_LIBRARY_PATH","rule_detail":"/l","because":"b",
   "losers":[{"path":"/m/libcublas.so.12","rule":"RUNPATH of libx.so","lost":"not-searched","why":"later","version":{"value":"12.1.3.1","origin":{}}}],
   "library":"cublas","cuda_major":12,"version":{"value":"12.8.4.1","origin":{"kind":"file","text":"its file name","certainty":"read"}},
   "cuda":{"value":"12.8","origin":{}},"stub":true,"machine":"aarch64","pinned":true,"undefined":1,"undefined_names":["f@libcublasLt.so.12"],
   "missing_versions":["GLIBC_2.38 of libc.so.6"]},
  {"name":"libnvrtc.so.12","needed_by":"/lib/libx.so","how":"text","taken":null,"because":"not in /l","undecided":true}],
"searched":["/l","/m"],"remarks":["r"],"trouble":"is cut","origin":{"kind":"file","path":"/lib/libx.so","certainty":"read","text":"t"}})";

Scenario read(const std::string& binaries, const std::string& traces) {
    std::string text = R"({"binaries":[)" + binaries + R"(],"traces":[)" + traces + "]}";
    auto json = parse_json(text, "test");
    REQUIRE(json);
    auto scenario = scenario_from_json(*json);
    REQUIRE_MESSAGE(scenario, scenario.trouble().text());
    return *scenario;
}

// Nothing in `a` is missing or different in `b`.
void contains(const Json& a, const Json& b, const std::string& at) {
    if (a.is_object() && a.size() == 0) return;  // an empty origin is left out
    CHECK_MESSAGE(a.kind() == b.kind(), at);
    for (const auto& [key, value] : a.members()) contains(value, b[key], at + "/" + key);
    REQUIRE_MESSAGE(a.items().size() <= b.items().size(), at);
    for (std::size_t i = 0; i < a.items().size(); ++i)
        contains(a.items()[i], b.items()[i], at + "/" + std::to_string(i));
    if (!a.is_object() && !a.is_array()) CHECK_MESSAGE(to_text(a) == to_text(b), at);
}

}  // namespace

TEST_CASE("binaries and traces survive a round trip through JSON, member by member") {
    Scenario first = read(k_binary, k_trace);
    std::string text = to_text(to_json(first));
    auto second = scenario_from_json(*parse_json(text, "test"));
    REQUIRE(second);
    CHECK(to_text(to_json(*second)) == text);
    Json output = *parse_json(text, "test");
    contains(*parse_json(k_binary, "test"), output["binaries"].items().front(), "binary");
    contains(*parse_json(k_trace, "test"), output["traces"].items().front(), "trace");
}

TEST_CASE("numbers and enums of a binary are unchanged") {
    Scenario scenario = read(k_binary, k_trace);
    const BinaryFile& file = scenario.binaries.front();
    REQUIRE(file.entries.size() == 3);
    CHECK(file.entries[0].section == 1);
    CHECK(file.entries[0].offset == 4294967296u);
    CHECK_FALSE(file.entries[0].registered);
    CHECK(file.entries[1].registered);
    CHECK(file.entries[1].ptx == PtxVersion{8, 4});
    CHECK(file.entries[2].arch.number == 0);
    CHECK(file.runs_on.front().verdict == RunVerdict::jit);
    const LoadTrace& trace = scenario.traces.front();
    CHECK(trace.library("cublas")->undefined == std::size_t{1});
    CHECK(trace.libraries[1].how == LoadHow::text);
    CHECK_FALSE(trace.libraries[1].taken);
    CHECK_FALSE(trace.libraries[1].undefined);
}

TEST_CASE("what follows from the entries need not be written: sections, fatbins and summary") {
    Scenario scenario = read(R"({"path":"x","format":"elf","entries":[
        {"kind":"cubin","arch":"sm_80","section":".nv_fatbin"},{"kind":"cubin","arch":"sm_80","fatbin":1,"section":"b"}]})",
                             "");
    const BinaryFile& file = scenario.binaries.front();
    CHECK(file.sections == std::vector<std::string>{".nv_fatbin", "b"});
    CHECK(file.fatbins == 2);
    REQUIRE(file.summary.size() == 1);
    CHECK(file.summary.front().count == 2);
    CHECK(file.summary.front().fatbins == 2);
}

TEST_CASE("a report without --entries keeps the summary") {
    Json json = binary_json(read(k_binary, "").binaries.front(), false);
    CHECK_FALSE(json.has("entries"));
    CHECK(json["summary"].size() == 2);
}

TEST_CASE("a wrong word in a binary or a trace is an error that names the member") {
    auto text = [](const char* json) { return scenario_from_json(*parse_json(json, "t")).trouble().text(); };
    CHECK(text(R"({"binaries":[{"format":"coff"}]})") ==
          "scenario/binaries/0/format has the unknown word 'coff'");
    CHECK(text(R"({"binaries":[{"entries":[{"kind":"sass"}]}]})") ==
          "scenario/binaries/0/entries/0/kind has the unknown word 'sass'");
    CHECK(text(R"({"traces":[{"libraries":[{"how":"magic"}]}]})") ==
          "scenario/traces/0/libraries/0/how has the unknown word 'magic'");
    CHECK(text(R"({"traces":[{"libraries":[{"undefined":"many"}]}]})") ==
          "scenario/traces/0/libraries/0/undefined has a value that cannot be read");
}

TEST_CASE("fatbins with the same content are one kind, in the order of the fatbins") {
    const auto entry = [](std::uint32_t fatbin, int arch, bool registered = true) {
        DeviceEntry made;
        made.fatbin = fatbin;
        made.arch = {arch, 0};
        made.registered = registered;
        return made;
    };
    // Fatbins 0 and 2 have sm_80 and sm_90; an unregistered entry is of none.
    const auto kinds = fatbin_kinds(
        {entry(2, 80), entry(1, 75), entry(0, 80), entry(2, 90), entry(0, 90), entry(1, 100, false)});
    REQUIRE(kinds.size() == 2);
    CHECK(kinds[0].count == 2);
    CHECK(kinds[0].entries == std::vector<std::size_t>{2, 4});
    CHECK(kinds[1].count == 1);
    CHECK(kinds[1].entries == std::vector<std::size_t>{1});
    CHECK(fatbin_kinds({}).empty());
}
