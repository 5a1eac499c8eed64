// Toolkits and libraries that packages and modules bring.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "expect/cuda_names.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/compiling.hpp"
#include "recipes/images.hpp"
#include "recipes/pins.hpp"

namespace ptxguard::recipes {
namespace {

// 12.4 of the end of "cuda-toolkit-12-4".
std::optional<Version> release_at_end(const std::string& name) {
    const std::size_t minor = name.rfind('-');
    const std::size_t major = minor == std::string::npos ? minor : name.rfind('-', minor - 1);
    if (major == std::string::npos || minor == 0) return std::nullopt;
    const auto version =
        parse_version(name.substr(major + 1, minor - major - 1) + "." + name.substr(minor + 1));
    return version && plausible(*version) && version->suffix.empty() ? version : std::nullopt;
}

bool starts_with_any(const std::string& name, std::initializer_list<const char*> starts) {
    return std::any_of(starts.begin(), starts.end(),
                       [&](const char* start) { return starts_with(name, start); });
}

Known<Version> release_only(const Known<Version>& version) {
    const auto release = version ? parse_version(version->release()) : std::nullopt;
    return release ? Known<Version>{*release, version.origin} : Known<Version>{};
}

// "8.6.0.163-1+cuda11.8": cuDNN, and the CUDA that it is for.
void read_cudnn(const AptPackage& package, BroughtToolkit& toolkit) {
    const Origin origin = origin_of(package.whole);
    const std::string number = package.version.substr(0, package.version.find('-'));
    auto version = parse_version(number);
    if (!version) {
        // libcudnn8, libcudnn9-cuda-12
        const std::size_t digits = package.name.find_first_of("0123456789");
        if (digits != std::string::npos)
            version = parse_version(package.name.substr(digits, package.name.find('-', digits) - digits));
    }
    if (version && version->major() > 0) toolkit.cudnn = {*version, origin};
}

// The release of a label of NVIDIA's channel: nvidia/label/cuda-12.1.1.
std::optional<Version> release_of_label(const std::string& channel) {
    const std::size_t at = channel.find("label/cuda-");
    return at == std::string::npos ? std::nullopt : parse_version(channel.substr(at + 11));
}

}  // namespace

void add_apt(const AptInstall& step, std::vector<BroughtToolkit>& toolkits) {
    for (const AptPackage& package : step.packages) {
        if (!package.whole.known) continue;
        BroughtToolkit toolkit;
        const auto release = release_at_end(package.name);
        if (release) {
            toolkit.root = "/usr/local/cuda-" + release->release();
            toolkit.version = {*release, origin_of(package.whole)};
        }
        const bool whole = starts_with_any(package.name, {"cuda-toolkit-1", "cuda-toolkit-9"}) ||
                           (release && package.name == "cuda-" + package.name.substr(5) &&
                            starts_with_any(package.name.substr(5), {"9-", "10-", "11-", "12-", "13-"}));
        if (release &&
            (whole || starts_with_any(package.name, {"cuda-nvcc-", "cuda-compiler-", "cuda-minimal-build-"})))
            toolkit.compiler = true;
        if (release && (whole || starts_with_any(package.name, {"cuda-libraries-", "cuda-runtime-",
                                                                "libcublas-", "cuda-cudart-"})))
            toolkit.libraries = true;
        if (package.name == "nvidia-cuda-toolkit") {
            toolkit.root = "/usr";
            toolkit.layout = Layout::debian;
            toolkit.compiler = toolkit.libraries = true;
        }
        if (starts_with(package.name, "libcudnn")) read_cudnn(package, toolkit);
        if (toolkit.compiler || toolkit.libraries || toolkit.cudnn) toolkits.push_back(std::move(toolkit));
    }
}

void add_conda(const CondaInstall& step, std::vector<BroughtToolkit>& toolkits) {
    std::optional<Version> label;
    for (const std::string& channel : step.channels)
        if (!label) label = release_of_label(channel);
    Known<Version> pinned;  // cuda-version
    for (const CondaSpec& spec : step.specs)
        if (const auto version = conda_version(spec.version); version && spec.name == "cuda-version")
            pinned = {*version, origin_of(spec.whole)};
    for (const CondaSpec& spec : step.specs) {
        if (!spec.whole.known) continue;
        BroughtToolkit toolkit;
        toolkit.root = "/opt/conda";
        toolkit.layout = Layout::conda;
        const std::string& name = spec.name;
        const Origin origin = origin_of(spec.whole);
        if (const auto version = conda_version(spec.version); version && plausible(*version))
            toolkit.version = release_only({*version, origin});
        const auto of_channel = release_of_label(spec.channel);
        if (!toolkit.version && (of_channel || label))
            toolkit.version = release_only({of_channel ? *of_channel : *label, origin});
        if (!toolkit.version) toolkit.version = release_only(pinned);
        const bool whole = name == "cuda" || name == "cuda-toolkit" || name == "cudatoolkit-dev";
        toolkit.compiler =
            whole || name == "cuda-nvcc" || name == "cuda-compiler" || starts_with(name, "nvcc_linux");
        toolkit.libraries =
            whole || name == "cudatoolkit" || name == "cuda-libraries" || name == "cuda-runtime";
        if (name == "cudnn") {
            toolkit.version = {};
            if (const auto version = conda_version(spec.version)) toolkit.cudnn = {*version, origin};
        }
        if (toolkit.compiler || toolkit.libraries || toolkit.cudnn) toolkits.push_back(std::move(toolkit));
    }
}

void add_module(const Command& command, std::vector<BroughtToolkit>& toolkits) {
    if (command.words.size() < 3) return;
    const std::string& program = command.words[0].text;
    const std::string& verb = command.words[1].text;
    if ((program != "module" && program != "ml") || (verb != "load" && verb != "add" && verb != "swap"))
        return;
    for (std::size_t i = 2; i < command.words.size(); ++i) {
        const Written& word = command.words[i];
        std::string name = lower(word.text);
        const std::size_t slash = name.rfind('/');
        if (slash == std::string::npos || !word.known) continue;
        const std::string number = name.substr(slash + 1);
        name = name.substr(0, slash);
        name = name.substr(name.find_last_of('/') + 1);
        const auto version = parse_version(number.substr(0, number.find('-')));
        if (!version || !plausible(*version)) continue;
        BroughtToolkit toolkit;
        if (name == "cuda" || name == "cudatoolkit" || name == "cuda-toolkit") {
            toolkit.root = word.text;
            toolkit.version = release_only({*version, origin_of(word)});
            toolkit.compiler = toolkit.libraries = true;
        } else if (name == "cudnn") {
            toolkit.cudnn = {*version, origin_of(word)};
        } else {
            continue;
        }
        toolkits.push_back(std::move(toolkit));
    }
}

}  // namespace ptxguard::recipes
