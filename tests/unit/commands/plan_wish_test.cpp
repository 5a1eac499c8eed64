// What `plan` is asked for: names, Pythons, node types.
// SPDX-License-Identifier: Apache-2.0
#include "commands/plan_wish.hpp"

#include <doctest/doctest.h>

#include "commands/node_types.hpp"
#include "host/fake_host.hpp"

using namespace ptxguard;

namespace {

const Facts& tables_of_wishes() {
    static const Facts facts = Facts::embedded();
    return facts;
}

Settings asking(const std::vector<std::string>& frameworks) {
    Settings settings;
    set_option(settings, "framework", frameworks, Origin::from_option("--framework"));
    return settings;
}

Result<std::vector<Wish>> wishes(const Settings& settings, const Host& host) {
    return wishes_from(settings, host, tables_of_wishes(), *read_plan_table(tables_of_wishes()));
}

Wish wish_of(const std::string& framework) {
    const auto all = wishes(asking({framework}), FakeHost());
    REQUIRE(all);
    return all->front();
}

std::string no_wish(const std::string& framework) {
    const auto all = wishes(asking({framework}), FakeHost());
    return all ? "" : all.trouble().text();
}

FakeHost with_environment() {
    FakeHost host;
    host.file("/env/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.4\n")
        .folder("/env/lib/python3.12/site-packages");
    host.program("/usr/bin/python3.12", "").link("/env/bin/python3", "/usr/bin/python3.12");
    return host;
}

}  // namespace

TEST_CASE("a package for CPUs is planned as the one for CUDA, of the same release") {
    CHECK(wish_of("onnxruntime==1.22.0").framework.build.text == "onnxruntime-gpu==1.22.0");
    CHECK(wish_of("tensorflow-cpu").framework.build.name == "tensorflow");
    CHECK(wish_of("pytorch-cpu").framework.build.text == "torch");
    CHECK(wish_of("Numba").framework.build.name == "numba-cuda");
    CHECK(wish_of("pytorch_cpu").says.front() ==
          "pytorch-cpu has no CUDA and runs without a GPU; torch is the package for CUDA");
    CHECK(wish_of("torch").says.empty());
}

TEST_CASE("a package without CUDA is answered in words") {
    CHECK(wish_of("onnxruntime-directml").nothing);
    CHECK(wish_of("tensorflow-metal").nothing);
}

TEST_CASE("a package that requires a framework is planned with it") {
    const Wish vllm = wish_of("vllm");
    CHECK(vllm.package == "vllm");
    CHECK(vllm.framework.build.name == "torch");
    CHECK(wish_of("torchvision==0.20.1").release->text == "0.20.1");
    CHECK(wish_of("tensorflow-text").framework.build.name == "tensorflow");
    CHECK(no_wish("vllm>=0.9").find("is not NAME[==VERSION]") != std::string::npos);
    CHECK(no_wish("unheard-of").find("is not a supported framework") != std::string::npos);
}

TEST_CASE("a package without a table ends no question about others") {
    const auto all = wishes(asking({"unheard-of==1.2", "torch"}), FakeHost());
    REQUIRE(all);
    CHECK(all->front().unlisted);
    CHECK_FALSE(all->back().unlisted);
    for (const char* wrong : {"torhc", "unheard of", "unheard-of>=1", "unheard/of"})
        CHECK_FALSE(wishes(asking({"torch", wrong}), FakeHost()));
}

TEST_CASE("a package with a release for each torch is planned with its own") {
    const Wish beside = wish_of("fbgemm-gpu==1.4.2");
    REQUIRE(beside.companion);
    CHECK(beside.framework.build.name == "torch");
    CHECK(beside.release->text == "1.4.2");
    CHECK(beside.own_code);
    CHECK(wish_of("torchcodec").companion);
    CHECK_FALSE(wish_of("torchcodec").own_code);
}

TEST_CASE("the Python is the named one, else that of the active environment, else open") {
    FakeHost host = with_environment();
    CHECK(wishes(asking({"torch"}), host)->front().request.python.empty());
    host.env("VIRTUAL_ENV", "/env");
    const auto active = wishes(asking({"torch"}), host);
    CHECK(active->front().request.python == "3.12");
    CHECK(active->front().python_from == "/env");
    Settings settings = asking({"torch"});
    set_option(settings, "python", {"3.14t"}, Origin::from_option("--python"));
    const auto named = wishes(settings, host);
    CHECK(named->front().request.python == "3.14");
    CHECK(named->front().free_threaded == "3.14t");
    CHECK(named->front().python_from.empty());
}

TEST_CASE("an environment that is active here is not that of another system") {
    FakeHost host = with_environment();
    host.env("VIRTUAL_ENV", "/env");
    for (const char* option : {"os", "isolated"}) {
        Settings settings = asking({"torch"});
        set_option(settings, option, {option == std::string("os") ? "windows" : "1"},
                   Origin::from_option("--x"));
        CHECK(wishes(settings, host)->front().request.python.empty());
    }
}

TEST_CASE("a node type is a name, GPUs and a driver") {
    const auto node = parse_node_type("old=V100, A100:470.256.02");
    REQUIRE(node);
    CHECK(node->name == "old");
    CHECK(node->gpus == std::vector<std::string>{"V100", "A100"});
    CHECK(node->driver == "470.256.02");
    CHECK(parse_node_type("RTX 3090:535")->name == "RTX 3090:535");
    for (const char* wrong :
         {"V100", "V100:", ":470", "a=:470", "V100:12.4", "V100:new", "=V100:470", "V100:99", "V100:1000"})
        CHECK_FALSE(parse_node_type(wrong));
    for (const char* right : {"V100:100", "V100:999"}) CHECK(parse_node_type(right));
}

TEST_CASE("nodes are pairs, drivers and GPUs are combined") {
    Settings settings = asking({"torch"});
    set_option(settings, "node", {"V100:470", "H100:580"}, Origin::from_option("--node"));
    const auto all = wishes(settings, FakeHost());
    const std::vector<Wish> nodes = machines_of(all->front(), settings);
    REQUIRE(nodes.size() == 2);
    CHECK(nodes[1].request.drivers == std::vector<std::string>{"580"});
    CHECK(nodes[1].request.gpus == std::vector<std::string>{"H100"});
    Settings both = asking({"torch"});
    set_option(both, "gpu", {"V100", "H100"}, Origin::from_option("--gpu"));
    set_option(both, "driver", {"470", "580"}, Origin::from_option("--driver"));
    CHECK(machines_of(wishes(both, FakeHost())->front(), both).size() == 4);
}

TEST_CASE("a configuration lists node types as a table") {
    Settings settings;
    const auto trouble = add_configuration(settings, "ptxguard.toml",
                                           "[nodes]\nold = {gpu = [\"V100\", \"A100\"], driver = \"470\"}\n"
                                           "new = \"H100:580\"\n");
    CHECK_FALSE(trouble);
    CHECK(settings.all("node") == std::vector<std::string>{"old=V100,A100:470", "new=H100:580"});
    Settings bad;
    const auto wrong = add_configuration(bad, "ptxguard.toml", "[nodes]\nold = {gpu = \"V100\"}\n");
    REQUIRE(wrong);
    CHECK(wrong->text().find("ptxguard.toml:1: node needs GPU:DRIVER") != std::string::npos);
}
