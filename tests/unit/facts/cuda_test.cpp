// SPDX-License-Identifier: Apache-2.0

#include "facts/runfiles.hpp"
#include "given.hpp"

namespace ptxguard {

TEST_CASE("a CUDA release has its PTX, architectures, components and drivers, with the measured build") {
    const auto facts = Facts::embedded();
    const auto* release = facts.cuda(v("13.0.88"));
    REQUIRE(release);
    CHECK(release->release.text == "13.0");
    CHECK(text_of(release->ptx_max) == "9.0");
    CHECK(release->ptxas_archs.size() == 23);
    CHECK(release->ptxas_archs.front().sm() == "sm_75");
    CHECK(text_of(release->announced_update) == "13.0.2");
    CHECK(release->updates.back().text == "13.0.3");
    CHECK(release->newest_components.at("cuda-nvcc").text == "13.0.88");
    CHECK(release->newest_components.at("nvjitlink").text == "13.0.88");
    CHECK(release->newest_components.at("cublas").text == "13.1.1.3");
    CHECK(text_of(release->driver_of_release_linux) == "580.65.06");
    CHECK(text_of(release->driver_of_release_windows) == "nothing");
    CHECK(release->host_compilers.gcc_max == 15);
    CHECK(release->host_compilers.msvc_ver_below == 1950);
    CHECK(release->origin.text == "facts/cuda/13.0.json (measured with ptxas 13.0.88)");
    CHECK(release->origin.kind == OriginKind::table);
    CHECK(release->origin.certainty == Certainty::predicted);
}

TEST_CASE("a release that could not be measured names its source") {
    const auto facts = Facts::embedded();
    const auto* release = facts.cuda(v("11.4"));
    REQUIRE(release);
    CHECK(text_of(release->ptx_max) == "7.4");
    CHECK(release->host_compilers.gcc_max == 11);
    CHECK(release->origin.text == "facts/cuda/11.4.json (documented: d-ptx, d-cudabind)");
}

TEST_CASE("a release that does not exist is not replaced by a neighbour") {
    const auto facts = Facts::embedded();
    CHECK_FALSE(facts.cuda(v("12.7")));
    CHECK_FALSE(facts.cuda(v("13.9")));
    CHECK_FALSE(facts.cuda(v("8.0")));
    CHECK(facts.troubles().empty());
}

TEST_CASE("releases are sorted by number, not by name") {
    const auto releases = Facts::embedded().cuda_releases();
    REQUIRE(releases.size() == 30);
    CHECK(releases.front().text == "9.0");
    CHECK(releases[3].text == "10.0");
    CHECK(releases.back().text == "13.5");
}

TEST_CASE("the newest release for a PTX version is the newest whose PTX is not newer") {
    const auto facts = Facts::embedded();
    CHECK(text_of(facts.newest_cuda_for_ptx({8, 2})) == "12.2");
    CHECK(text_of(facts.newest_cuda_for_ptx({8, 5})) == "12.6");
    CHECK(text_of(facts.newest_cuda_for_ptx({8, 6})) == "12.6");
    CHECK(text_of(facts.newest_cuda_for_ptx({99, 0})) == "13.5");
    CHECK(text_of(facts.newest_cuda_for_ptx({1, 0})) == "nothing");
}

TEST_CASE("the releases with an architecture begin where it was added and end where it was dropped") {
    const auto facts = Facts::embedded();
    const auto volta = facts.cuda_releases_with({70, 0});
    REQUIRE(!volta.empty());
    CHECK(volta.front().text == "9.0");
    CHECK(volta.back().text == "12.9");
    const auto spark = facts.cuda_releases_with({121, 0});
    REQUIRE(!spark.empty());
    CHECK(spark.front().text == "12.9");
    CHECK(facts.cuda_releases_with({70, 'f'}).empty());
}

TEST_CASE("the installer of a release is that of its newest update, and its name has the driver") {
    const auto facts = Facts::embedded();
    const Runfile* runfile = runfile_of(facts, v("12.8"));
    REQUIRE(runfile);
    CHECK(runfile->name("linux_sbsa") == "cuda_12.8.1_570.124.06_linux_sbsa.run");
    CHECK(runfile->address("linux") ==
          "https://developer.download.nvidia.com/compute/cuda/12.8.1/local_installers/"
          "cuda_12.8.1_570.124.06_linux.run");
    CHECK(runfile_of(facts, v("12.7")) == nullptr);
    // The driver that came with the update, where the release notes name one.
    for (const Version& release : facts.cuda_releases())
        if (const Runfile* row = runfile_of(facts, release)) CHECK(row->update.find(release.text + ".") == 0);
}

TEST_CASE("an architecture has its generation and the toolkits that support it") {
    const auto facts = Facts::embedded();
    const auto* hopper = facts.arch({90, 0});
    REQUIRE(hopper);
    CHECK(hopper->generation == "Hopper");
    CHECK(text_of(hopper->first_toolkit) == "11.8");
    CHECK(text_of(hopper->last_toolkit) == "nothing");
    CHECK(text_of(facts.arch({50, 0})->last_toolkit) == "12.9");
    CHECK_FALSE(facts.arch({90, 'f'}));
}

}  // namespace ptxguard
