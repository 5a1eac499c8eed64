// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "packages/python.hpp"
#include "world.hpp"

using namespace ptxguard;

namespace {

const std::string k_editable_site = "/env/site-packages";

FakeHost source_tree() {
    FakeHost host;
    host.folder(k_editable_site);
    add_torch(host, "/src/pytorch", "2.9.0a0+gitabc", "'12.8'");
    return host;
}

void check_editable(const FakeHost& host) {
    const Scenario scenario = look(host, python(k_editable_site));
    REQUIRE(scenario.expectations.size() == 1);
    const Expectation& torch = scenario.expectations[0];
    CHECK(torch.how == Installation::editable);
    CHECK(torch.path == "/src/pytorch/torch");
    CHECK(torch.version->text == "2.9.0a0+gitabc");
    CHECK(torch.cuda->text == "12.8");
}

}  // namespace

TEST_CASE("a .pth file with a plain path points to the source tree") {
    check_editable(source_tree().file(k_editable_site + "/__editable__.torch-2.9.pth",
                                      "\xEF\xBB\xBF# comment\r\n/src/pytorch\r\n"));
}

TEST_CASE("a .pth file that imports setuptools' finder points to the folders in its MAPPING") {
    check_editable(source_tree()
                       .file(k_editable_site + "/__editable__.torch-2.9.pth",
                             "import __editable___torch_2_9_finder; __editable___torch_2_9_finder.install()")
                       .file(k_editable_site + "/__editable___torch_2_9_finder.py",
                             "MAPPING: dict[str, str] = {'torch': '/src/pytorch/torch', 'torchgen': "
                             "'/src/pytorch/torchgen'}\n"));
}

TEST_CASE("an egg-link and a direct_url.json point to the source tree, too") {
    check_editable(source_tree().file(k_editable_site + "/torch.egg-link", "/src/pytorch\n."));
    check_editable(source_tree().file(k_editable_site + "/torch-2.9.dist-info/direct_url.json",
                                      R"({"url": "file:///src/py%74orch", "dir_info": {"editable": true}})"));
}

TEST_CASE("code in a .pth file, a path that does not exist and a wheel from a folder add nothing") {
    FakeHost host = source_tree();
    host.file(k_editable_site + "/a.pth", "import os; os.system('x')\n/nowhere\n\n")
        .file(k_editable_site + "/b.pth", std::string("\0\1", 2));
    host.file(k_editable_site + "/x-1.dist-info/direct_url.json",
              R"({"url": "file:///src/pytorch", "dir_info": {}})")
        .file(k_editable_site + "/y-1.dist-info/direct_url.json", "{");
    CHECK(with_added_paths(host, {k_editable_site}).size() == 1);
    CHECK(look(host, python(k_editable_site)).expectations.empty());
}

TEST_CASE("a folder that pip installed into is not a source tree, whatever points to it") {
    FakeHost host;
    host.folder(k_editable_site).file(k_editable_site + "/more.pth", "/data/site\n");
    add_torch(host, "/data/site", "2.8.0+cu128", "'12.8'");
    host.file("/data/site/torch-2.8.0.dist-info/RECORD", "torch/version.py,,\n")
        .file("/data/site/torch-2.8.0.dist-info/METADATA", "Name: torch\nVersion: 2.8.0\n");
    const Scenario scenario = look(host, python(k_editable_site));
    REQUIRE(scenario.expectations.size() == 1);
    CHECK(scenario.expectations[0].how == Installation::wheel);
}

TEST_CASE("relative paths of a .pth file start at its folder") {
    FakeHost host;
    host.file("/s/site-packages/a.pth", "../other\n").folder("/s/other");
    const auto places = with_added_paths(host, {"/s/site-packages"});
    REQUIRE(places.size() == 2);
    CHECK(places[1].folder == "/s/other");
    CHECK(places[1].editable);
}
