// SPDX-License-Identifier: Apache-2.0
#include "recipes/ci/toolkit_action.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "model/version.hpp"
#include "recipes/base/arguments.hpp"

namespace ptxguard::recipes {
namespace {

// The words of a JSON array, each at the array's place.
std::vector<Written> words_of_array(const Written& array) {
    std::vector<Written> words;
    for (const std::string& text : split(array.text, "[]\"', \n")) {
        words.push_back(array);
        words.back().text = text;
    }
    return words;
}

}  // namespace

AptInstall toolkit_of_action(const ToolkitInputs& inputs) {
    AptInstall install;
    install.whole = inputs.uses;
    const std::size_t at = inputs.uses.text.find('@');
    install.action = lower(inputs.uses.text.substr(0, at));
    install.packaged = inputs.network && inputs.runner == "Linux";
    install.release = install.whole;
    install.release.text = at == npos ? "" : inputs.uses.text.substr(at + 1);
    const Written& version = inputs.version;
    const auto parts = split(version.text, ".");
    const std::string release = parts.size() > 1 ? parts[0] + "-" + parts[1] : version.text;
    const bool known = inputs.components.known && inputs.others.known;
    const std::vector<Written> components = words_of_array(inputs.components);
    const std::vector<Written> others = words_of_array(inputs.others);
    if (!known || components.empty() || (!install.packaged && inputs.runner != "Windows")) {
        install.packages.push_back({"cuda-toolkit-" + release, version.text, version});
        return install;
    }
    // The release is asked for, whatever is taken of it.
    install.packages.push_back({"cuda-cudart-" + release, version.text, version});
    // apt installs the packages of these names, NVIDIA's installer for Windows those components.
    for (const Written& one : components) {
        install.components.push_back(one.text);
        const bool named = install.packaged || one.text == "nvcc";
        if (named) install.packages.push_back({"cuda-" + one.text + "-" + release, version.text, one});
    }
    if (install.packaged)
        for (const Written& one : others)
            install.packages.push_back({one.text + "-" + release, version.text, one});
    return install;
}

Written path_of_toolkit(const ToolkitInputs& inputs) {
    const auto release = inputs.version.known ? parse_version(inputs.version.text) : std::nullopt;
    Written path = inputs.version;
    path.text = release && inputs.runner == "Linux" ? "/usr/local/cuda-" + release->release() : std::string();
    return path;
}

// microsoft/setup-msbuild puts only MSBuild on PATH: https://github.com/microsoft/setup-msbuild/issues/121
bool may_enter_prompt(const std::string& action) {
    if (starts_with_any(action, {"actions/", "docker/", "pypa/", "codecov/", "softprops/"})) return false;
    return !is_one_of(
        action, {"jimver/cuda-toolkit", "n-storm/cuda-toolkit", "microsoft/setup-msbuild",
                 "dtolnay/rust-toolchain", "actions-rs/toolchain", "swatinem/rust-cache",
                 "astral-sh/setup-uv", "hendrikmuhs/ccache-action", "mozilla-actions/sccache-action",
                 "ncipollo/release-action", "seanmiddleditch/gha-setup-ninja", "ashutoshvarma/setup-ninja",
                 "lukka/get-cmake", "jwlawson/actions-setup-cmake", "conda-incubator/setup-miniconda"});
}

}  // namespace ptxguard::recipes
