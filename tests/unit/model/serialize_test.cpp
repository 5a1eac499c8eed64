// SPDX-License-Identifier: Apache-2.0
#include "model/serialize.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace ptxguard;

namespace {

const char* k_scenario = R"({
"name":"m","witness":"machine","system":"windows","foreign":true,"probe_mode":"full",
"toolkits":[{"id":"toolkit1","root":"/c","real_root":"/d","layout":"wheel","names":["/c"],
  "parts":[{"kind":"crt headers","path":"/c/crt","real_path":"/d/crt",
    "version":{"value":"13.0.88","origin":{"kind":"file","path":"p","line":3,"certainty":"read","text":"t"}},"trouble":"x"}],
  "wrappers":["/w"]}],
"selectors":[{"kind":"search-path","name":"PATH","value":"/x","position":2,"toolkit":"toolkit1","problem":"missing",
  "nearest":"/n","decides":true}],
"entries":[{"variable":"PATH","value":"/v","position":1,"problem":"missing","nearest":"/n"}],
"picks":[{"consumer":"CMake","tool":"nvcc","path":"/p","toolkit":"toolkit1","version":{"value":"13.0","origin":{}},
  "because":"b","losers":[{"path":"/l","reason":"r"}]}],
"drivers":[{"id":"driver1","declared":true,"version":{"value":"535.104.05","origin":{}},"cuda":{"value":"12.2","origin":{}},
  "jit":[{"path":"/j","real_path":"/k","driver_version":{"value":"535.1","origin":{}}}],"libcuda":"/u","stub":true,
  "compat":true,"kernel":{"value":"535.104.05","origin":{}},"init_error":804,"trouble":"t"}],
"gpus":[{"name":"H100","arch":{"value":"sm_90","origin":{}},"declared":true}],
"expectations":[{"framework":"PyTorch","package":"torch","version":{"value":"2.0.0+cu117","origin":{}},"path":"/t","site":"/s","how":"wheel",
  "cudnn_from":{"value":"wheels","origin":{}},"build_package":"jax-cuda12-plugin","build_version":{"value":"0.6.0","origin":{}},
  "asks_for":["nvidia-cudnn-cu12<10"],"near_releases":["1.0"],"named_package":"n","other_packages":["o"],"successor":"s",
  "misfits":[{"package":"a 1","other":"b 2","package_origin":{},"other_origin":{},"message":"m","effect":"e","harm":"gpu","wanted":"2","fix":"f"}],
  "disagreements":[{"what":"CUDA","used":"12.8","other":"12.9","used_origin":{},"other_origin":{}}],
  "python":"/py","python_because":"PATH","declared":true,"required":true,"cpu_only":{"value":false,"origin":{}},
  "vendor":{"value":"cuda","origin":{}},"cuda":{"value":"11.7","origin":{}},"cudnn":{"value":"8.5","origin":{}},
  "archs":{"value":[{"arch":"sm_80","real":true,"ptx":false}],"origin":{}},"cxx_abi":{"value":0,"origin":{}},
  "cxx_standard":{"value":17,"origin":{}},"tools":[{"path":"/b","tool":"ptxas","version":{"value":"12.8","origin":{}},"used_for":"u"}],
  "published":{"value":false,"origin":{}},"published_variants":["cu117"],"trouble":"t"}],
"project":{"archs":{"targets":[{"arch":"sm_90a","real":false,"ptx":true}],"words":["native"],"text":"90a"},
  "archs_text":{"value":"90a","origin":{}},"cxx_abi":{"value":1,"origin":{}},"cxx_standard":{"value":20,"origin":{}},
  "toolkit":"toolkit1","toolkit_because":"CUDA_HOME",
  "host_compiler":{"path":"/g","family":"gcc","version":{"value":"12.2.0","origin":{}},"chosen_by":{"kind":"variable","variable":"CC","text":"from CC"},"trouble":"t"}},
"probes":[{"kind":"driver-jit","outcome":"refused","basis":"measured","toolkit":"toolkit1","driver":"driver1","tool":"/t",
  "tool_version":"1.0","target":"sm_80","ptx":"9.0","accepts_up_to":"8.2","archs":["sm_80"],"command":"c","exit_code":7,
  "timed_out":true,"crashed":true,"words":"w","first_error":"f","culprit":"ptxas","milliseconds":1.5,"cached":true}],
"require":["driver"],
"cudnns":[{"folder":"/usr/lib","source":"system","major":9,"libraries":[{"name":"libcudnn.so.9","path":"/usr/lib/libcudnn.so.9",
  "version":{"value":"9.1.0","origin":{}}}],"version":{"value":"9.1.0","origin":{}},"header":{"value":"9.1.0","origin":{}},
  "package":{"value":"9.1.0.70","origin":{}},"cuda":{"value":"12","origin":{}},"missing":["libcudnn_adv.so.9"],
  "loaded_by":["PyTorch"]}],
"unreadable":[{"subject":"s","why":"w","named_by_user":true}]})";

}  // namespace

TEST_CASE("a scenario survives the way to JSON and back, member by member") {
    auto first = scenario_from_json(*parse_json(k_scenario, "test"));
    REQUIRE_MESSAGE(first, first.trouble().text());
    std::string text = to_text(to_json(*first));
    auto second = scenario_from_json(*parse_json(text, "test"));
    REQUIRE(second);
    CHECK(to_text(to_json(*second)) == text);
    // Nothing of the input is lost on the way.
    Json input = *parse_json(k_scenario, "test"), output = *parse_json(text, "test");
    std::function<void(const Json&, const Json&, const std::string&)> same = [&](const Json& a, const Json& b,
                                                                                 const std::string& at) {
        if (a.is_object() && a.size() == 0) return;  // an empty origin is left out
        CHECK_MESSAGE(a.kind() == b.kind(), at);
        for (const auto& [key, value] : a.members()) same(value, b[key], at + "/" + key);
        for (std::size_t i = 0; i < a.items().size(); ++i)
            if (i < b.items().size())
                same(a.items()[i], b.items()[i], at + "/" + std::to_string(i));
            else
                FAIL_CHECK(at << " lost an item");
        if (!a.is_object() && !a.is_array()) CHECK_MESSAGE(to_text(a) == to_text(b), at);
    };
    same(input, output, "");
}

TEST_CASE("a plain value stands for a known value without origin") {
    auto scenario = scenario_from_json(*parse_json(R"({"gpus":[{"name":"x","arch":"sm_90"}]})", "t"));
    REQUIRE(scenario);
    CHECK(scenario->gpus[0].arch->sm() == "sm_90");
}

TEST_CASE("a wrong word or value is trouble that names the member") {
    auto text = [](const char* json) { return scenario_from_json(*parse_json(json, "t")).trouble().text(); };
    CHECK(text(R"({"system":"beos"})") == "scenario/system has the unknown word 'beos'");
    CHECK(text(R"({"gpus":[{"arch":"sm_x"}]})") == "scenario/gpus/0/arch has a value that cannot be read");
    CHECK(text(R"({"name":5})") == "scenario/name is not a text");
    CHECK(text(R"([])") == "scenario is not an object");
}
