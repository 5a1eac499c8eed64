// Which releases the commands of a recipe leave, with a made-up package.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution/resolution.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "pip_commands.hpp"
#include "recipes/python/requirements.hpp"
#include "recipes/resolution/refusals.hpp"

namespace ptxguard::recipes {

TEST_CASE("an unpinned package gets its newest release, with what that requires") {
    Commands all;
    all.pip({"engine"}).resolved();
    CHECK(all.release("engine") == "2.0");
    CHECK(all.release("torch") == "2.8.0");
    CHECK(all.recipe.replaced.empty());
    CHECK(std::all_of(all.recipe.installed.begin(), all.recipe.installed.end(),
                      [](const Installed& one) { return one.newest; }));
}

TEST_CASE("the Python decides which release is the newest") {
    Commands all;
    all.markers.python = "3.10";
    all.pip({"engine"}).resolved();
    CHECK(all.release("engine") == "1.1");
}

TEST_CASE("pins, ranges and constraints of the command decide") {
    Commands pinned, range, constrained;
    pinned.pip({"torch==2.6.0", "engine"}).resolved();
    CHECK(pinned.release("engine") == "1.0.1");
    CHECK(pinned.recipe.replaced.empty());
    range.pip({"engine<2"}).resolved();
    CHECK(range.release("engine") == "1.1");
    constrained.pip({"engine", "-c", "torch==2.7.0"}).resolved();
    CHECK(constrained.release("torch") != "2.8.0");
}

TEST_CASE("a later command replaces what the newest release does not accept") {
    Commands all;
    all.pip({"torch==2.6.0"}).pip({"engine"}).resolved();
    REQUIRE(all.replaced().size() == 1);
    CHECK(all.replaced()[0].before.version->text == "2.6.0");
    CHECK(all.replaced()[0].after.version->text == "2.8.0");
    CHECK(all.replaced()[0].after.required_by == "engine 2.0");
    CHECK(all.release("torch") == "2.8.0");
}

TEST_CASE("what is installed stays, unless it has to be upgraded or is not accepted") {
    Commands kept, upgraded, without;
    kept.pip({"engine==1.0"}).pip({"engine"}).resolved();
    CHECK(kept.release("engine") == "1.0");
    upgraded.pip({"engine==1.0"}).pip({"-U", "engine"}).resolved();
    CHECK(upgraded.release("engine") == "2.0");
    without.pip({"torch==2.6.0"}).pip({"--no-deps", "engine"}).resolved();
    CHECK(without.release("engine") == "2.0");
    CHECK(without.release("torch") == "2.6.0");
}

TEST_CASE("behind a command that reads unknown files torch may be there, not in front of it") {
    for (const int open_from : {0, 1, 2, 3}) {
        Commands all;
        all.pip({"motor-gpu"}).pip({"engine"}).resolved("", open_from);
        CHECK_MESSAGE(all.release("torch") == (open_from == 1 ? "" : "2.8.0"), open_from);
    }
}

TEST_CASE("the torch of an image counts as installed") {
    Commands all;
    all.pip({"engine"}).resolved("torch==2.6.0+cu124");
    REQUIRE(all.replaced().size() == 1);
    CHECK(all.replaced()[0].before.of_image);
    CHECK(all.replaced()[0].before.build == "cu124");
}

TEST_CASE("an image with torch has the packages that are built for it") {
    Commands stays, upgraded;
    stays.pip({"torch", "torchvision"}).pip({"torchaudio"}).resolved("torch==2.6.0+cu124");
    CHECK(stays.replaced().empty());
    upgraded.pip({"-U", "torchvision"}).resolved("torch==2.6.0+cu124");
    CHECK(upgraded.release("torch") == "2.8.0");
}

TEST_CASE("a release of torchaudio that an image has stays, with its build") {
    const auto built_for = [](Commands& all, const std::string& image) {
        all.resolved(image);
        for (const Installed& one : all.recipe.installed)
            if (one.package == "torchaudio") return one.cuda ? one.cuda->release() : "";
        return std::string("absent");
    };
    Commands stays, other, of_index, plain, old;
    CHECK(built_for(stays.pip({"torchaudio==2.4.0"}), "torch==2.4.0+cu124") == "12.4");
    CHECK(built_for(other.pip({"torchaudio==2.3.0"}), "torch==2.4.0+cu124") == "12.1");
    CHECK(built_for(of_index.pip({"-i", k_cu118, "torchaudio==2.0.1"}), "") == "11.8");
    CHECK(built_for(plain.pip({"torchaudio==2.0.1"}), "") == "11.7");
    CHECK(built_for(old.pip({"torchaudio==0.12.1"}), "") == "");
}

TEST_CASE("a package that pins bring excludes a pin beside them") {
    Commands refused, fits, floats, of_index;
    refused.pip({"engine==1.0", "nvidia-cuda-nvrtc-cu12==12.6.77"}).resolved();
    REQUIRE(refused.recipe.refused.size() == 1);
    CHECK(refused.recipe.refused[0].pinned == "torch==2.6.0");
    CHECK(refused.recipe.refused[0].required_by == "engine 1.0");
    CHECK(refused.recipe.refused[0].wanted == "nvidia-cuda-nvrtc-cu12==12.4.127");
    fits.pip({"engine==1.0", "nvidia-cuda-nvrtc-cu12==12.4.127"}).resolved();
    CHECK(fits.recipe.refused.empty());
    floats.pip({"engine", "nvidia-cuda-nvrtc-cu12==12.6.77"}).resolved();
    CHECK(floats.recipe.refused.empty());
    of_index
        .pip({"-i", "https://download.pytorch.org/whl/cu126", "torchvision==0.23.0",
              "nvidia-cuda-nvrtc-cu12==12.4.127"})
        .resolved();
    CHECK(of_index.recipe.refused.empty());
}

TEST_CASE("the only index decides the release and its build") {
    Commands all;
    all.pip({"-i", k_cu118, "torch"}).resolved();
    CHECK(all.release("torch") == "2.7.1+cu118");
}

TEST_CASE("another index may have a release that no table lists") {
    Commands all;
    all.pip({"-i", "https://example.org/feed", "engine"}).resolved();
    CHECK(all.release("engine").empty());
}

TEST_CASE("commands that pip refuses") {
    const auto why = [](Commands& all) {
        all.resolved();
        REQUIRE(all.recipe.refused.size() == 1);
        return all.recipe.refused[0].why;
    };
    Commands none, build, python, set;
    CHECK(why(none.pip({"engine==1.0.2"})) == Refusal::no_release);
    CHECK(why(build.pip({"-i", k_cu118, "torch==2.9.0"})) == Refusal::no_build);
    CHECK(why(set.pip({"torch==2.7.0", "engine==1.0"})) == Refusal::no_set);
    CHECK(set.recipe.refused[0].wanted == "torch==2.6.0");
    python.markers.python = "3.8";
    CHECK(why(python.pip({"engine==2.0"})) == Refusal::no_python);
}

TEST_CASE("names that PyPI does not have, or that install nothing") {
    const auto why = [](const std::vector<std::string>& words, const std::string& image = "") {
        Commands all;
        all.pip(words).resolved(image);
        return all.recipe.refused.empty() ? "" : std::string(to_string(all.recipe.refused[0].why));
    };
    CHECK(why({"enginekit==1.0"}) == "no_package");
    CHECK(why({"engine-cu118"}) == "no_package");
    CHECK(why({"engine-cu11x"}).empty());
    CHECK(why({"engine-cuda"}).empty());
    CHECK(why({"engine-gpu"}) == "placeholder");
    CHECK(why({"engine-gpu>=2.0"}) == "placeholder");
    CHECK(why({"engine-gpu==2.12.0"}) == "placeholder");
    CHECK(why({"engine-gpu==2.10.0"}).empty());
    CHECK(why({"engine-gpu<2.11"}).empty());
    CHECK(why({"motor"}) == "other_name");
    // Another index may have it.
    CHECK(why({"-i", "https://example.org/feed", "enginekit"}).empty());
    CHECK(why({"enginekit @ https://example.org/enginekit-1.0-py3-none-any.whl"}).empty());
    // What the image has is kept.
    CHECK(why({"engine-gpu"}, "engine-gpu==2.4.0").empty());
    CHECK(why({"-U", "engine-gpu"}, "engine-gpu==2.4.0") == "placeholder");
}

TEST_CASE("a release that is far newer than the newest never existed") {
    const auto refuses = [](const std::vector<std::string>& words) {
        Commands all;
        all.pip(words).resolved();
        return !all.recipe.refused.empty() && all.recipe.refused[0].why == Refusal::no_release;
    };
    CHECK(refuses({"torchvision==2.8.0"}));
    CHECK(refuses({"torchvision==1.12.0"}));
    CHECK(refuses({"-i", k_cu118, "torchvision==2.8.0"}));
    CHECK(refuses({"engine==2.40"}));
    CHECK_FALSE(refuses({"torchvision==0.24.0"}));
    CHECK_FALSE(refuses({"torchvision==1.0.0"}));
    CHECK_FALSE(refuses({"engine==3.0"}));
}

TEST_CASE("a range without a release for this Python is refused") {
    Commands old, newer, open;
    old.markers.python = "3.9";
    old.pip({"engine>=2"}).resolved();
    REQUIRE(old.recipe.refused.size() == 1);
    CHECK(old.recipe.refused[0].why == Refusal::no_python);
    CHECK(old.recipe.refused[0].wanted == ">=3.11");
    newer.pip({"engine>=2"}).resolved();
    CHECK(newer.recipe.refused.empty());
    open.markers.python.clear();
    open.pip({"engine>=2"}).resolved();
    CHECK(open.recipe.refused.empty());
}

TEST_CASE("a release without a file for the platform is refused") {
    const auto refused = [](const std::string& system, const std::string& machine, const std::string& word,
                            bool musl = false) {
        Commands all;
        all.markers.system = system;
        all.markers.machine = machine;
        all.markers.musl = musl;
        all.pip({word}).resolved();
        return all.recipe.refused.empty() ? "" : std::string(to_string(all.recipe.refused[0].why));
    };
    CHECK(refused("linux", "x86_64", "motor-gpu==1.0").empty());
    CHECK(refused("linux", "aarch64", "motor-gpu==1.0") == "no_platform");
    CHECK(refused("linux", "aarch64", "motor-gpu==1.1").empty());
    CHECK(refused("linux", "aarch64", "motor-gpu<1.1") == "no_platform");
    CHECK(refused("linux", "aarch64", "motor-gpu").empty());  // an older one, or the source archive
    CHECK(refused("linux", "x86_64", "motor-gpu==1.0", true) == "no_platform");
    CHECK(refused("linux", "x86_64", "motor-gpu==1.1", true).empty());
    CHECK(refused("win32", "AMD64", "motor-gpu==1.0").empty());
    CHECK(refused("win32", "AMD64", "motor-gpu==1.2").empty());  // a source archive
    CHECK(refused("darwin", "", "motor-gpu==1.1") == "no_platform");
    // What it requires.
    CHECK(refused("win32", "AMD64", "motor-gpu[all]==1.0") == "no_platform");
    // PyTorch's builds for CUDA.
    CHECK(refused("darwin", "arm64", "torch==2.3.1+cu121") == "no_platform");
    CHECK(refused("linux", "aarch64", "torch==2.3.1+cu121") == "no_platform");
    CHECK(refused("linux", "aarch64", "torch==2.7.0+cu128").empty());
    CHECK(refused("darwin", "arm64", "torch==2.3.1").empty());
}

TEST_CASE("ranges of one command that exclude each other are refused") {
    const auto refused = [](const std::vector<std::string>& words) {
        Commands all;
        all.pip(words).resolved();
        return all.recipe.refused.empty() ? "" : all.recipe.refused[0].wanted;
    };
    CHECK(refused({"torch==2.6.0", "engine>=1.1"}) == "torch==2.7.0");
    CHECK(refused({"torch==2.6.0", "engine>=1.0"}).empty());
    CHECK(refused({"torch<2.7", "engine>=1.1"}) == "torch==2.7.0");
    CHECK(refused({"torch<2.8", "engine>=1.1"}).empty());
    CHECK(refused({"torch==2.6.0", "engine"}).empty());
    CHECK(refused({"--no-deps", "torch==2.6.0", "engine>=1.1"}).empty());
}

TEST_CASE("NVIDIA's own torch is older than the release that it becomes") {
    const auto replaced = [](const std::string& word) {
        Commands all;
        all.recipe.image.name = "nvidia/pytorch";
        all.pip({word});
        BeforeCommands before{"torch"};
        before.own_torch = {*parse_version("2.4"), {}};
        resolve(made_up_facts(), all.markers, before, all.recipe);
        return !all.replaced().empty();
    };
    CHECK(replaced("torch>=2.4"));
    CHECK(replaced("torch~=2.4"));
    CHECK_FALSE(replaced("torch>=2.3"));
    CHECK_FALSE(replaced("torch"));
    CHECK(replaced("engine==1.1"));
}

TEST_CASE("an exact synchronisation removes what it does not request") {
    Commands all;
    all.pip({"motor-gpu==1.1"}).sync({"engine==1.0"}).resolved();
    CHECK(all.release("engine") == "1.0");
    CHECK(all.release("motor-gpu").empty());
}

TEST_CASE("a wheel for another Python is refused") {
    const auto refused = [](const std::string& file) {
        Commands all;
        all.pip({"https://example.org/" + file}).resolved();
        return !all.recipe.refused.empty();
    };
    CHECK(refused("engine-1.0-cp311-cp311-linux_x86_64.whl"));
    CHECK_FALSE(refused("engine-1.0-cp312-cp312-linux_x86_64.whl"));
    CHECK_FALSE(refused("engine-1.0-cp39-abi3-linux_x86_64.whl"));
    CHECK_FALSE(refused("engine-1.0-py3-none-any.whl"));
}

TEST_CASE("a project that requires another Python is refused") {
    PipInstall install;
    install.tool = "pip";
    install.pythons.push_back(line_of_list(">=3.11"));
    const auto refused = [&](const std::string& python) {
        RecipeFacts recipe;
        refuse_projects(install, 1, python, {}, own_facts(), recipe);
        return recipe.refused.size();
    };
    CHECK(refused("3.10") == 1);
    CHECK(refused("3.11") == 0);
    CHECK(refused("") == 0);
    install.tool = "poetry";
    CHECK(refused("3.10") == 0);
}

TEST_CASE("what PyPI's torch requires of NVIDIA's packages is not what its other builds require") {
    Commands pypi, other;
    pypi.pip({"torch==2.5.1", "nvidia-cublas-cu12==12.1.3.1"}).resolved();
    REQUIRE(pypi.recipe.refused.size() == 1);
    CHECK(pypi.recipe.refused[0].wanted == "nvidia-cublas-cu12==12.4.5.8");
    other.pip({"torch==2.5.1+cu121", "nvidia-cublas-cu12==12.1.3.1"}).resolved();
    CHECK(other.recipe.refused.empty());
}

TEST_CASE("later releases, pre-releases and local versions are not refused") {
    Commands all;
    all.pip({"engine==3.0"}).pip({"engine==1.0.2rc1"}).pip({"engine==1.0.2+local"}).resolved();
    CHECK(all.recipe.refused.empty());
}

TEST_CASE("a marker decides, leaves open or excludes") {
    Commands all;
    all.markers.machine.clear();
    all.pip({"engine==1.0; platform_machine == 'x86_64'", "engine==1.1; platform_machine == 'aarch64'",
             "torch==2.0.0; sys_platform == 'win32'"})
        .resolved();
    REQUIRE(all.recipe.pins.size() == 1);
    CHECK(all.recipe.pins[0].version->text == "1.0");
    CHECK_FALSE(all.recipe.pins[0].origin.overridable);  // the usual machine
    Commands python;
    python.markers.python.clear();
    python.pip({"engine==1.0; python_version < '3.10'"}).resolved();
    REQUIRE(python.recipe.pins.size() == 1);
    CHECK(python.recipe.pins[0].origin.overridable);
    Commands macos;
    macos.pip({"torch==2.0.1; sys_platform == 'darwin'", "torch==2.0.1; sys_platform != 'darwin'"});
    CHECK(macos.recipe.pins.size() == 1);
    CHECK(macos.recipe.pins_for_macos.size() == 1);
}

}  // namespace ptxguard::recipes
