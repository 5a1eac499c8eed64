// Compilers in Python packages: NVIDIA's wheels, Triton, torch.
// SPDX-License-Identifier: Apache-2.0
#include "discover/compilers_python.hpp"

#include <optional>

#include "discover/compilers.hpp"
#include "formats/version_text.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/text.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

void find_in_wheel(const std::string& root, FoundCompilers& found) {
    const Host& host = found.host();
    found.add(ConsumerKind::ptxas, join_path(root, "bin/" + executable_name("ptxas", host.system())));
    add_tileiras(join_path(root, "bin"), found);
    const bool windows = host.system() == System::windows;
    const std::vector<std::string> folders =
        windows ? std::vector<std::string>{"bin", "bin/x64", "bin/x86_64", "nvvm/bin"}
                : std::vector<std::string>{"lib", "nvvm/lib64"};
    for (const std::string& folder : folders) find_libraries_in(join_path(root, folder), found);
}

void find_triton(const std::string& site, FoundCompilers& found) {
    const Host& host = found.host();
    const std::string root = join_path(site, "triton");
    std::vector<BundledTool> tools;
    for (const char* folder : {"backends/nvidia/bin", "third_party/cuda/bin"})
        for (const char* name : {"ptxas", "ptxas-blackwell"}) {
            const std::string path = join_path(join_path(root, folder), executable_name(name, host.system()));
            if (!is_file(host, path)) continue;
            const bool newer = std::string(name) != "ptxas";
            found.add(ConsumerKind::ptxas, path, {},
                      newer ? "Triton, compute capability 10.0 and above" : "Triton");
            BundledTool tool;
            tool.path = path;
            tool.tool = name;
            tools.push_back(tool);
        }
    if (tools.empty()) return;
    // Replaces the ptxas for older GPUs; ptxas-blackwell has no such variable.
    const std::string chosen = host.env("TRITON_PTXAS_PATH").value_or("");
    if (!chosen.empty() && found.add(ConsumerKind::ptxas, chosen, {}, "Triton, by TRITON_PTXAS_PATH"))
        for (BundledTool& tool : tools)
            if (tool.tool == "ptxas") tool.path = chosen;
    found.add_triton(root, installed_version(host, site, {"triton*", "pytorch-triton"})).tools =
        std::move(tools);
}

}  // namespace

void add_tileiras(const std::string& folder, FoundCompilers& found) {
    const std::string path = join_path(folder, executable_name("tileiras", found.host().system()));
    if (is_file(found.host(), path))
        found.add(ConsumerKind::tileiras, path, found.owners().owner(path, {"tileiras"}).version);
}

void find_libraries_in(const std::string& folder, FoundCompilers& found) {
    const Host& host = found.host();
    for (const DirectoryEntry& entry : entries_in(host, folder)) {
        const std::string path = join_path(folder, entry.name);
        const ToolFile kind = tool_file(entry.name);
        // libnvrtc.alt.so and the like are copies of the same library for another way of loading.
        if (entry.name.find(".alt.") != std::string::npos) continue;
        if (kind == ToolFile::nvrtc)
            found.add(ProducerKind::nvrtc, path, library_version(found, path, "nvrtc"));
        if (kind == ToolFile::libnvvm)
            found.add(ProducerKind::libnvvm, path, library_version(found, path, "nvvm"));
    }
    find_linker_in(folder, found);
}

void find_linker_in(const std::string& folder, FoundCompilers& found) {
    for (const DirectoryEntry& entry : entries_in(found.host(), folder))
        if (tool_file(entry.name) == ToolFile::nvjitlink && entry.name.find(".alt.") == npos) {
            const std::string path = join_path(folder, entry.name);
            found.add(ConsumerKind::nvjitlink, path, library_version(found, path, "nvjitlink"));
        }
}

Known<Version> library_version(FoundCompilers& found, const std::string& path, const char* library) {
    const std::string file = real_or_same(found.host(), path);
    const std::string name = file_name(file);
    const std::size_t at = name.find(".so.");
    if (at != std::string::npos)
        if (const auto version = parse_version(name.substr(at + 4)); version && version->numbers.size() >= 3)
            return {*version, Origin::from_file(file)};
    return found.owners().owner(path, {library}).version;
}

void find_python_compilers(const PythonEnvironment& python, FoundCompilers& found) {
    const Host& host = found.host();
    for (const SitePlace& place : python.places) {
        const std::string nvidia = join_path(place.folder, "nvidia");
        for (const DirectoryEntry& entry : entries_in(host, nvidia))
            if (entry.type == FileType::directory) find_in_wheel(join_path(nvidia, entry.name), found);
        find_triton(place.folder, found);
        found.add(ConsumerKind::ptxas,
                  join_path(place.folder, "torch/bin/" + executable_name("ptxas", host.system())), {},
                  "torch.compile");
    }
}

namespace {

constexpr std::size_t k_header_bytes = 4u << 20;

// "x86_64-linux-gnu-g++-14" -> 14, "gcc-12.3" -> 12.3
std::optional<Version> version_of_program(const std::string& name) {
    const std::size_t at = name.rfind('-');
    if (at == std::string::npos) return std::nullopt;
    return parse_version(name.substr(at + 1));
}

// Debian's gcc for nvcc is a script that runs the first of "gcc-13", "gcc-12" ... that is there.
Known<Version> version_in_script(const Host& host, const std::string& path) {
    constexpr std::size_t k_script_bytes = 64u << 10;
    const auto text = host.read(path, k_script_bytes);
    if (!text || !starts_with(*text, "#!")) return {};
    for (const std::string& word : split(*text, " \t\r\n;=\"'")) {
        const std::string name = file_name(word);
        if (!starts_with(name, "gcc-") && !starts_with(name, "g++-")) continue;
        const auto version = version_of_program(name);
        if (version && !program_on_path(host, name).empty()) return {*version, Origin::from_file(path)};
    }
    return {};
}

// Each release has its own folder below .../gcc/TRIPLE or .../clang: the only one of those with this file.
std::optional<std::string> only_release_in(const Host& host, const std::vector<std::string>& folders,
                                           const std::string& file) {
    std::optional<std::string> only;
    for (const std::string& folder : folders)
        for (const std::string& release : paths_matching(host, join_path(folder, "*"))) {
            if (host.status(join_path(release, file)).type == FileType::missing) continue;
            if (only && file_name(*only) != file_name(release)) return std::nullopt;
            only = release;
        }
    return only;
}

// .../lib/gcc/TRIPLE
std::vector<std::string> folders_of_gcc(const Host& host, const std::string& root) {
    std::vector<std::string> folders;
    for (const char* lib : {"lib/gcc/*", "lib64/gcc/*"})
        for (const std::string& triple : paths_matching(host, join_path(root, lib)))
            folders.push_back(triple);
    return folders;
}

// Comments name it too: the one with a number behind it.
std::optional<int> number_after(const std::string& text, const std::string& define) {
    for (std::size_t at = text.find(define); at != std::string::npos; at = text.find(define, at + 1)) {
        const std::string rest = trim(text.substr(at + define.size(), 16));
        const auto number = parse_version(rest.substr(0, rest.find_first_not_of("0123456789")));
        if (number) return number->major();
    }
    return std::nullopt;
}

// #define __GLIBC__ 2
Known<Version> c_library_headers(const Host& host) {
    const std::string path = "/usr/include/features.h";
    const auto text = host.read(path, k_header_bytes);
    if (!text) return {};
    const auto major = number_after(*text, "__GLIBC__"), minor = number_after(*text, "__GLIBC_MINOR__");
    if (!major || !minor) return {};
    const auto version = parse_version(std::to_string(*major) + "." + std::to_string(*minor));
    return version ? Known<Version>{*version, Origin::from_file(path)} : Known<Version>{};
}

// "double cospi(double x);", not "double cospi(double x) noexcept(true);"
bool declares_plainly(const std::string& header, const std::string& function) {
    for (std::size_t at = header.find(" " + function + "(double"); at != std::string::npos;
         at = header.find(" " + function + "(double", at + 1)) {
        const std::size_t line = header.rfind('\n', at) + 1, end = header.find(')', at);
        if (end == std::string::npos || header.compare(line, 6, "extern") != 0) continue;
        return end + 1 < header.size() && header[end + 1] == ';';
    }
    return false;
}

}  // namespace

Known<Version> version_in_files(const Host& host, const HostCompiler& compiler) {
    const auto real = host.real_path(compiler.path);
    if (!real) return {};
    const std::string name = file_name(*real), root = parent_path(parent_path(*real));
    const bool clang = name.find("clang") != std::string::npos;
    if (!clang && name.find("gcc") == std::string::npos && name.find("g++") == std::string::npos) return {};
    if (const auto version = version_of_program(name)) return {*version, Origin::from_file(*real)};
    if (Known<Version> version = version_in_script(host, *real)) return version;
    const auto folder = clang ? only_release_in(host, {join_path(root, "lib/clang")}, "include")
                              : only_release_in(host, folders_of_gcc(host, root), "crtbegin.o");
    const auto version = folder ? parse_version(file_name(*folder)) : std::nullopt;
    return version ? Known<Version>{*version, Origin::from_file(*folder)} : Known<Version>{};
}

std::vector<std::string> contradicted_functions(const Host& host, const HostCompiler& compiler,
                                                const Toolkit& toolkit) {
    // A function, and the minor release 2.x of glibc that began to declare it.
    constexpr std::pair<const char*, int> k_functions[] = {{"cospi", 41}, {"sinpi", 41}, {"rsqrt", 42}};
    const auto real = host.real_path(compiler.path);
    const auto in_system = [](const std::string& path) {
        return starts_with(path, "/usr/bin/") || starts_with(path, "/bin/");
    };
    const bool of_system = in_system(compiler.path) || (real && in_system(*real));
    const Part* headers = toolkit.part(PartKind::crt_headers);
    // In the compiler's own folder they are system headers, in which cudafe++ accepts the difference
    // (measured with Debian 13's nvcc 12.4.131, which passes no -I).
    if (headers && starts_with(headers->path, "/usr/include/")) return {};
    const Known<Version> glibc = of_system && headers ? c_library_headers(host) : Known<Version>{};
    if (!glibc || glibc->major() != 2 || glibc->minor() < k_functions[0].second) return {};
    const auto text = host.read(join_path(parent_path(headers->path), "math_functions.h"), k_header_bytes);
    std::vector<std::string> found;
    for (const auto& [name, since] : k_functions)
        if (text && glibc->minor() >= since && declares_plainly(*text, name)) found.push_back(name);
    return found;
}

}  // namespace ptxguard
