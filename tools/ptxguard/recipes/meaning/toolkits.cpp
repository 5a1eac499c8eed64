// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/toolkits.hpp"

#include <algorithm>

#include "expect/cuda_names.hpp"
#include "host/paths.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/modules.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/resolution/pins.hpp"

namespace ptxguard::recipes {
namespace {

// 12.4 at the end of "cuda-toolkit-12-4".
std::optional<Version> release_at_end(const std::string& name) {
    const std::size_t minor = name.rfind('-');
    const std::size_t major = minor == std::string::npos ? minor : name.rfind('-', minor - 1);
    if (major == std::string::npos || minor == 0) return std::nullopt;
    const auto version =
        parse_version(name.substr(major + 1, minor - major - 1) + "." + name.substr(minor + 1));
    return version && plausible(*version) && version->suffix.empty() ? version : std::nullopt;
}

// "8.6.0.163-1+cuda11.8": cuDNN, and its CUDA.
void read_cudnn(const AptPackage& package, BroughtToolkit& toolkit) {
    const Origin origin = origin_of(package.whole);
    const std::string number = package.version.substr(0, package.version.find('-'));
    auto version = parse_version(number);
    if (!version) {
        // libcudnn8, libcudnn9-cuda-12, cudnn9; of "cudnn-cuda-12" it is the CUDA
        const std::string name = package.name.substr(0, package.name.find("-cuda-"));
        const std::size_t digits = name.find_first_of("0123456789");
        if (digits != std::string::npos)
            version = parse_version(name.substr(digits, name.find('-', digits) - digits));
    }
    if (!version && !starts_with(package.name, "lib")) version = parse_version("9");
    if (version && version->major() > 0) toolkit.cudnn = {*version, origin};
}

// libcudnn8, libcudnn9-cuda-12; "cudnn", "cudnn9", "cudnn-cuda-12" and the like exist since cuDNN 9.
bool is_cudnn(const std::string& package) {
    return starts_with(package, "libcudnn") || package == "cudnn" || package == "cudnn9" ||
           starts_with_any(package, {"cudnn-cuda-", "cudnn9-cuda-"});
}

// The release in a label of NVIDIA's channel: nvidia/label/cuda-12.1.1.
std::optional<Version> release_of_label(const std::string& channel) {
    const std::size_t at = channel.find("label/cuda-");
    return at == std::string::npos ? std::nullopt : parse_version(channel.substr(at + 11));
}

// "cuda-12.1", "cuda12.1", "cuda_12.1"; "v12.1" and "12.1" below a folder named cuda.
std::optional<Version> release_of_folder(const std::string& name, const std::string& above) {
    std::string number = lower(name);
    if (starts_with(number, "cuda"))
        number.erase(0, std::min(number.find_first_not_of("-_", 4), number.size()));
    else if (lower(above) != "cuda")
        return std::nullopt;
    else if (starts_with(number, "v"))
        number.erase(0, 1);
    const auto version = parse_version(number);
    return version && version->numbers.size() > 1 && version->suffix.empty() && plausible(*version)
               ? version
               : std::nullopt;
}

void add_named(const std::string& root, const Version& release, const Written& at,
               std::vector<BroughtToolkit>& toolkits) {
    BroughtToolkit toolkit;
    toolkit.root = root;
    toolkit.version = release_only({release, origin_of(at)});
    toolkit.compiler = toolkit.named = true;
    toolkits.push_back(std::move(toolkit));
}

void add_named(const Written& path, std::vector<BroughtToolkit>& toolkits) {
    const auto folder = path.known ? release_folder(path.text) : std::nullopt;
    if (folder) add_named(folder->root, folder->release, path, toolkits);
}

// find_package(CUDAToolkit 12.1 EXACT)
void add_requested(const std::vector<Written>& words, std::vector<BroughtToolkit>& toolkits) {
    const bool exact = words[0].text == "find_package" && words[3].text == "EXACT" &&
                       is_one_of(words[1].text, {"CUDA", "CUDAToolkit"});
    const auto release = exact && words[2].known ? parse_version(words[2].text) : std::nullopt;
    if (release && plausible(*release))
        add_named(words[1].text + " " + words[2].text, *release, words[2], toolkits);
}

// With its compiler and libraries.
void add_whole(const std::string& root, const Version& release, const Written& at,
               std::vector<BroughtToolkit>& toolkits) {
    add_named(root, release, at, toolkits);
    toolkits.back().named = false;
    toolkits.back().libraries = true;
}

void add_if_any(BroughtToolkit toolkit, std::vector<BroughtToolkit>& toolkits) {
    if (toolkit.compiler || toolkit.libraries || toolkit.cudnn) toolkits.push_back(std::move(toolkit));
}

}  // namespace

std::optional<ReleaseFolder> release_folder(const std::string& path) {
    std::string above;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find_first_of("/\\", at), path.size());
        const std::string name = path.substr(at, end - at);
        if (const auto release = release_of_folder(name, above))
            return ReleaseFolder{path.substr(0, end), *release};
        above = name;
        at = end + 1;
    }
    return std::nullopt;
}

bool selects_toolkit(const std::string& variable) {
    return is_one_of(variable, {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT",
                                "CUDA_TOOLKIT_ROOT_DIR", "CUDACXX", "CMAKE_CUDA_COMPILER"});
}

// CUDA_HOME=/usr/local/cuda-12.1, PATH=/usr/local/cuda-12.1/bin:$PATH
void add_named(const SetVariable& variable, std::vector<BroughtToolkit>& toolkits) {
    if (selects_toolkit(variable.name)) return add_named(variable.value, toolkits);
    if (variable.name != "PATH") return;
    Written first = variable.value;
    first.text.resize(std::min(first.text.find_first_of(":;"), first.text.size()));
    const std::string& text = first.text;
    if (ends_with(text, "/bin") || ends_with(text, "\\bin")) {
        first.known = text.find('$') == std::string::npos && text.find('%') == std::string::npos;
        add_named(first, toolkits);
    }
}

// /usr/local/cuda-12.1/bin/nvcc, -DCMAKE_CUDA_COMPILER=...
void add_named(const Command& command, std::vector<BroughtToolkit>& toolkits) {
    const std::vector<Written>& words = command.words;
    if (words.empty()) return;
    if (ends_with(words[0].text, "/nvcc")) add_named(words[0], toolkits);
    // update-alternatives --set cuda /usr/local/cuda-12.1
    if (file_name(words[0].text) == "update-alternatives" && words.size() == 4 && words[2].text == "cuda")
        add_named(words[3], toolkits);
    for (Written word : words) {
        const auto definition = cmake_definition(word.text);
        if (!definition || !selects_toolkit(definition->first)) continue;
        word.text = definition->second;
        add_named(word, toolkits);
    }
    if (words.size() > 3) add_requested(words, toolkits);
}

Known<Version> release_only(const Known<Version>& version) {
    const auto release = version ? parse_version(version->release()) : std::nullopt;
    return release ? Known<Version>{*release, version.origin} : Known<Version>{};
}

namespace {

// cuda-toolkit-12-4, cuda-12-4
bool is_whole_toolkit(const std::string& package) {
    return starts_with_any(package, {"cuda-toolkit-1", "cuda-toolkit-9", "cuda-9-", "cuda-10-", "cuda-11-",
                                     "cuda-12-", "cuda-13-"});
}

}  // namespace

void add_apt(const AptInstall& step, std::vector<BroughtToolkit>& toolkits) {
    for (const AptPackage& package : step.packages) {
        if (!package.whole.known) continue;
        BroughtToolkit toolkit;
        auto release = release_at_end(package.name);
        const bool unnumbered = is_one_of(package.name, {"cuda", "cuda-toolkit"});
        if (const auto version = unnumbered ? parse_version(package.version) : std::nullopt)
            release = parse_version(version->release());  // cuda=12.4.1-1
        if (release) {
            toolkit.root = "/usr/local/cuda-" + release->release();
            toolkit.version = {*release, origin_of(package.whole)};
            const bool whole = unnumbered || is_whole_toolkit(package.name);
            toolkit.compiler = whole || starts_with_any(package.name, {"cuda-nvcc-", "cuda-compiler-",
                                                                       "cuda-minimal-build-"});
            toolkit.libraries = whole || starts_with_any(package.name, {"cuda-libraries-", "cuda-runtime-",
                                                                        "libcublas-", "cuda-cudart-"});
        } else if (unnumbered || starts_with_any(package.name, {"cuda-toolkit-1", "cuda-1"})) {
            // The newest of its repository: nvcc of a release that is not known.
            toolkit.compiler = toolkit.libraries = true;
            toolkit.root = "/usr/local/cuda";
        }
        if (package.name == "nvidia-cuda-toolkit") {
            toolkit.root = "/usr";
            toolkit.layout = Layout::debian;
            toolkit.compiler = toolkit.libraries = true;
        }
        if (is_cudnn(package.name)) read_cudnn(package, toolkit);
        add_if_any(std::move(toolkit), toolkits);
    }
}

namespace {

// Of the spec itself, of its channel or a label of all, or of the pin on cuda-version.
Known<Version> release_of_spec(const CondaSpec& spec, const std::optional<Version>& label,
                               const Known<Version>& pinned) {
    const Origin origin = origin_of(spec.whole);
    const auto own = conda_version(spec.version);
    Known<Version> release = own && plausible(*own) ? release_only({*own, origin}) : Known<Version>{};
    if (release) return release;
    const auto of_channel = release_of_label(spec.channel);
    if (of_channel || label) release = release_only({of_channel ? *of_channel : *label, origin});
    return release ? release : release_only(pinned);
}

}  // namespace

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
        toolkit.version = release_of_spec(spec, label, pinned);
        const bool whole = is_one_of(name, {"cuda", "cuda-toolkit", "cudatoolkit-dev"});
        toolkit.compiler = whole || is_one_of(name, {"cuda-nvcc", "cuda-compiler"}) ||
                           starts_with_any(name, {"nvcc_linux", "cuda-nvcc_"});  // cuda-nvcc_linux-64
        toolkit.libraries =
            whole || is_one_of(name, {"cudatoolkit", "cuda-libraries", "cuda-runtime", "pytorch-cuda"});
        if (name == "cudnn") {
            toolkit.version = {};
            if (const auto version = conda_version(spec.version)) toolkit.cudnn = {*version, origin};
        }
        add_if_any(std::move(toolkit), toolkits);
    }
}

namespace {

bool is_runfile(const std::string& name) {
    return starts_with(name, "cuda_") && name.find("linux") != std::string::npos;
}

// wget -O cuda.run https://.../cuda_12.8.1_570.124.06_linux.run, curl -L https://... -o cuda.run
void take_renamed(const std::vector<Written>& words, RunfileNames& names) {
    const auto url = std::find_if(words.begin(), words.end(), [](const Written& word) {
        return word.known && word.text.find("://") != npos && is_runfile(file_name(word.text));
    });
    for (std::size_t i = 1; url != words.end() && i + 1 < words.size(); ++i)
        if (is_one_of(words[i].text, {"-O", "--output-document", "-o", "--output"}))
            names[file_name(words[i + 1].text)] = file_name(url->text);
}

}  // namespace

// sh cuda_12.8.1_570.124.06_linux.run --silent --toolkit
void add_runfile(const Command& command, RunfileNames& names, std::vector<BroughtToolkit>& toolkits) {
    const std::vector<Written>& words = command.words;
    if (is_one_of(program_name(words.front().text), {"wget", "curl"})) return take_renamed(words, names);
    const auto original = [&](const Written& word) {
        const std::string name = file_name(word.text);
        const auto found = names.find(name);
        return found == names.end() ? name : found->second;
    };
    const auto last = words.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(words.size(), 3));
    const auto file =
        std::find_if(words.begin(), last, [&](const Written& word) { return is_runfile(original(word)); });
    if (file == last || !file->known) return;
    if (file != words.begin() && !is_one_of(file_name(words.front().text), {"sh", "bash", "sudo"})) return;
    const auto has = [&](const char* option) {
        return any_of(words, [&](const Written& word) { return word.text == option; });
    };
    const bool toolkit =
        any_of(words, [](const Written& word) { return starts_with(word.text, "--toolkit"); });
    const std::string name = original(*file);
    const auto version = parse_version(name.substr(5, name.find('_', 5) - 5));
    if (version && plausible(*version) && (toolkit || (has("--silent") && !has("--driver"))))
        add_whole("/usr/local/cuda-" + version->release(), *version, *file, toolkits);
}

// A download of cuda_12.4.1_551.78_windows.exe, which its command or the next one starts.
void add_windows_installer(const Command& command, std::vector<BroughtToolkit>& toolkits) {
    for (const Written& word : command.words) {
        const std::string name = file_of(word.text);
        if (!word.known || !starts_with(name, "cuda_") || !ends_with(name, ".exe") ||
            name.find("_win") == npos)
            continue;
        const auto version = parse_version(name.substr(5, name.find('_', 5) - 5));
        if (version && plausible(*version) && version->numbers.size() > 1)
            add_whole("C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v" + version->release(), *version,
                      word, toolkits);
    }
}

void add_deb(const Command& command, std::vector<BroughtToolkit>& toolkits) {
    for (const Written& word : command.words) {
        if (!word.known || !ends_with(word.text, ".deb")) continue;
        const std::vector<std::string> parts = split(file_name(word.text), "_");
        if (parts.size() < 3 || !starts_with(parts[0], "libcudnn")) continue;
        AptInstall install;
        install.packages.push_back({parts[0], parts[1], word});
        add_apt(install, toolkits);
    }
}

void add_module(const Command& command, std::vector<BroughtToolkit>& toolkits) {
    for (const Written& word : modules_loaded_by(command)) {
        const auto [name, release] = named_module(word.text);
        if (!release || !plausible(*release)) continue;
        if (is_one_of(name, {"cuda", "cudatoolkit", "cuda-toolkit"}))
            add_whole(word.text, *release, word, toolkits);
        else if (name == "cudnn")
            toolkits.emplace_back().cudnn = {*release, origin_of(word)};
    }
}

}  // namespace ptxguard::recipes
