// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "model/json.hpp"
#include "model/serialize.hpp"
#include "report/report.hpp"
#include "scenario_from_json.hpp"

using namespace ptxguard;

namespace {

Scenario scenario_from(const char* text) {
    auto json = parse_json(text, "test");
    REQUIRE_MESSAGE(json, json.trouble().text());
    auto scenario = scenario_from_json(*json);
    REQUIRE_MESSAGE(scenario, scenario.trouble().text());
    return *scenario;
}

const char* k_binary = R"({"binaries":[{"path":"lib/libapp.so","format":"elf","machine":"x86_64",
"needed":["libcudart.so.12","libcublas.so.12"],"toolkits":["12.4","12.8"],"remarks":["5 cubins in .cask_resource"],
"entries":[
  {"kind":"cubin","arch":"sm_80","section":".nv_fatbin","offset":64,"size":100,"compressed":true},
  {"kind":"cubin","arch":"sm_80","fatbin":1,"section":".nv_fatbin","offset":264,"size":90},
  {"kind":"cubin","arch":"sm_90a","section":".nv_fatbin","offset":364,"size":80,"toolkit":"12.8","debug":true,"registered":false},
  {"kind":"ptx","arch":"sm_90","ptx":"8.4","section":".nv_fatbin","offset":464,"size":70,"relocatable":true},
  {"kind":"other","section":"__nv_relfatbin","offset":564,"size":60}],
"runs_on":[{"gpu":"H100 [sm_90]","arch":"sm_90","verdict":"jit","why":"PTX 8.4 for sm_90"},
  {"gpu":"sm_75","arch":"sm_75","verdict":"unknown","why":"no driver","decide":"--driver 550"}]}]})";

const char* k_trace =
    R"({"traces":[{"path":"lib/libapp.so","machine":"x86_64","remarks":["names an assembly"],"libraries":[
  {"name":"libcublas.so.12","needed_by":"lib/libapp.so","taken":"/l/libcublas.so.12","rule":"LD_LIBRARY_PATH","rule_detail":"/l",
   "library":"cublas","version":{"value":"12.8.4.1","origin":{"kind":"file","text":"its name"}},"stub":true,
   "losers":[{"path":"/m/libcublas.so.12","rule":"RUNPATH of libapp.so","why":"later in the search","version":"12.1.3.1"}],
   "undefined":5,"undefined_names":["a","b","c","d","e"],"missing_versions":["GLIBC_2.38 of libc.so.6"]},
  {"name":"libcublasLt.so.12","needed_by":"/l/libcublas.so.12","how":"dlopen","taken":"/l/libcublasLt.so.12","library":"cublasLt",
   "rule":"RUNPATH of libcublas.so.12"},
  {"name":"libcudnn.so.9","needed_by":"lib/libapp.so","taken":null,"because":"not in /l","library":"cudnn"},
  {"name":"libnvrtc.so.12","needed_by":"/l/libcublas.so.12","how":"dlopen","optional":true,"taken":null,"library":"nvrtc"}]}]})";

}  // namespace

TEST_CASE("a binary is a line per kind, architecture and PTX version") {
    CHECK(binary_text(scenario_from(k_binary).binaries.front(), false) ==
          "lib/libapp.so: ELF x86_64\n"
          "  kind    arch     PTX   entries   fatbins\n"
          "  cubin   sm_80          2         2\n"
          "  cubin   sm_90a         1         1\n"
          "  PTX     sm_90    8.4   1         1\n"
          "  other   -              1         1\n"
          "  made by   CUDA 12.4, 12.8\n"
          "  needs     libcudart.so.12, libcublas.so.12\n"
          "  note      5 cubins in .cask_resource\n"
          "  runs on   H100 [sm_90]   jit       PTX 8.4 for sm_90\n"
          "            sm_75          unknown   no driver; to decide it: --driver 550\n");
}

TEST_CASE("with --entries a binary is a line per entry") {
    Scenario scenario = scenario_from(k_binary);
    scenario.binaries.front().runs_on.clear();
    CHECK(binary_text(scenario.binaries.front(), true) ==
          "lib/libapp.so: ELF x86_64\n"
          "  kind    arch     PTX   fatbin   section          offset   bytes\n"
          "  cubin   sm_80          0        .nv_fatbin       64       100     compressed\n"
          "  cubin   sm_80          1        .nv_fatbin       264      90\n"
          "  cubin   sm_90a         0        .nv_fatbin       364      80      debug, not registered, CUDA "
          "12.8\n"
          "  PTX     sm_90    8.4   0        .nv_fatbin       464      70      relocatable\n"
          "  other   -              0        __nv_relfatbin   564      60\n"
          "  made by   CUDA 12.4, 12.8\n"
          "  needs     libcudart.so.12, libcublas.so.12\n"
          "  note      5 cubins in .cask_resource\n");
}

TEST_CASE("a file without device code and a damaged one are reported as such") {
    BinaryFile file;
    file.path = "x.dll";
    file.format = FileFormat::pe;
    CHECK(binary_text(file, false) == "x.dll: PE, no device code\n");
    file.trouble = "is cut off";
    CHECK(binary_text(file, false) == "x.dll: PE\n  error   is cut off\n");
}

TEST_CASE("a trace lists folder by folder what is resolved, then what is shadowed and what is missing") {
    CHECK(trace_text(scenario_from(k_trace).traces.front()) ==
          "lib/libapp.so: x86_64\n"
          "  from /l\n"
          "    libcublas.so.12     12.8.4.1          LD_LIBRARY_PATH              a stub, not the real "
          "library\n"
          "      lacks             GLIBC_2.38 of libc.so.6\n"
          "      undefined         5                 a, b, c ...\n"
          "    libcublasLt.so.12   version unknown   RUNPATH of libcublas.so.12   opened later by "
          "libcublas.so.12\n"
          "  skipped\n"
          "    libcublas.so.12   12.1.3.1   /m/libcublas.so.12   RUNPATH of libapp.so, later in the search\n"
          "  missing\n"
          "    libcudnn.so.9\n"
          "      not in /l\n"
          "  not found, and not needed to start\n"
          "    libnvrtc.so.12   opened later by libcublas.so.12\n"
          "  note   names an assembly\n");
}

TEST_CASE("a path is printed without \"..\", and a file by its name") {
    LoadTrace trace;
    trace.path = "/s/torch/lib/x.so";
    LoadedFile library;
    library.name = "/s/nvidia/lib/libcublas.so.12";
    library.taken = "/s/torch/lib/../../nvidia/lib/libcublas.so.12";
    library.library = "cublas";
    library.needed_by = trace.path;
    library.rule = "DT_RPATH of x.so";
    trace.libraries = {library};
    const std::string expected =
        "/s/torch/lib/x.so\n  from /s/nvidia/lib\n    libcublas.so.12   version unknown   DT_RPATH of x.so\n";
    CHECK(trace_text(trace) == expected);
    trace.libraries[0].real_path = "/other/nvidia/lib/libcublas.so.12";
    CHECK(trace_text(trace).find("from /other/nvidia/lib\n") != std::string::npos);
    trace.libraries[0].real_path = "/other/libcublas.so.12.8";
    CHECK(trace_text(trace) == expected);
}

TEST_CASE("a file that needs no NVIDIA library is reported as such") {
    LoadTrace trace;
    trace.path = "x.so";
    CHECK(trace_text(trace) == "x.so, needs no NVIDIA library\n");
}

TEST_CASE("the JSON of a trace has plain versions, and its members are always present") {
    Json files = files_json(scenario_from(k_trace), "deps", false);
    REQUIRE(files.size() == 1);
    const std::vector<Json>& libraries = files.items()[0]["libraries"].items();
    REQUIRE(libraries.size() == 4);
    CHECK(libraries[0]["version"].as_string() == "12.8.4.1");
    CHECK(libraries[0]["version_origin"]["text"].as_string() == "its name");
    CHECK(libraries[0]["losers"].items()[0]["version"].as_string() == "12.1.3.1");
    CHECK(libraries[0]["undefined"].as_int() == 5);
    for (const char* member : {"name", "needed_by", "how", "taken", "rule", "version", "losers", "undefined"})
        for (const Json& library : libraries) CHECK_MESSAGE(library.find(member) != nullptr, member);
    CHECK(libraries[2]["taken"].is_null());
}

TEST_CASE("the JSON of a binary has entries only on request") {
    Scenario scenario = scenario_from(k_binary);
    CHECK_FALSE(files_json(scenario, "inspect", false).items()[0].has("entries"));
    Json json = files_json(scenario, "inspect", true).items()[0];
    CHECK(json["entries"].size() == 5);
    CHECK(json["entries"].items()[3]["ptx"].as_string() == "8.4");
    CHECK(json["entries"].items()[4]["section"].as_string() == "__nv_relfatbin");
    CHECK(json["summary"].items()[1]["arch"].as_string() == "sm_90a");
}

TEST_CASE("opening a name in the file's constants fails only if no file is found") {
    LoadTrace trace;
    trace.path = "x.so";
    LoadedFile library;
    library.name = "libnccl.so.2";
    library.needed_by = trace.path;
    library.how = LoadHow::text;
    library.optional = true;
    trace.libraries = {library};
    CHECK(trace_text(trace) ==
          "x.so\n  not found, and not needed to start\n    libnccl.so.2   named in the file: opening it "
          "would fail\n");
    trace.libraries[0].undecided = true;
    trace.libraries[0].because = "not in /l";
    CHECK(trace_text(trace).find("    libnccl.so.2   named in the file\n") != std::string::npos);
    trace.libraries[0].undecided = false;
    trace.libraries[0].taken = "/l/libnccl.so.2";
    CHECK(trace_text(trace) == "x.so\n  from /l\n    libnccl.so.2         named in the file\n");
}
