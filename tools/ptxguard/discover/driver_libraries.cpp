// Measured on nine real drivers (390 to 555): the real file's name ends in the driver's version, the PTX
// compiler contains the banner of its CUDA release, and libcuda contains the driver's version in a path.
// SPDX-License-Identifier: Apache-2.0
#include "discover/driver_libraries.hpp"

#include <set>

#include "discover/layout.hpp"
#include "formats/pe.hpp"
#include "formats/version_text.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

namespace {

constexpr int k_depth = 6;  // DIR/usr/lib/x86_64-linux-gnu/nvidia/current
constexpr std::size_t k_folders = 4000;
constexpr std::uint64_t k_stub_size = 1u << 20;  // real ones have 10 MB and more, stubs 30 to 110 KB

std::string jit_stem(System system) {
    return system == System::windows ? "nvptxjitcompiler64" : "libnvidia-ptxjitcompiler.so";
}

// libcuda.so.535.261.03 -> 535.261.03; a branch has at least two numbers.
Known<Version> version_in_name(const std::string& path) {
    const std::string name(file_name(path));
    const std::size_t at = name.find(".so.");
    const auto version = at == std::string::npos ? std::nullopt : parse_version(name.substr(at + 4));
    if (!version || version->numbers.size() < 2 || version->major() < 100) return {};
    return {*version, Origin::from_file(path).shown_as("file name " + name)};
}

bool is_32_bit(const Host& host, const std::string& path) {
    const auto head = host.read_range(path, 0, 5);
    return head && head->size() == 5 && program_format(*head) == ProgramFormat::elf && (*head)[4] == 1;
}

Known<Version> version_in_libcuda(const Host& host, const std::string& path) {
    const auto library = host.open(path);
    const auto version = library ? libcuda_version(*library) : std::nullopt;
    if (!version) return {};
    return {*version, Origin::from_file(path).shown_as("text inside " + path)};
}

// 32.0.15.6094 in the version resource of a driver's DLL is driver 560.94: the last five digits.
Known<Version> version_in_resource(const Host& host, const std::string& path) {
    const auto source = host.open(path);
    const auto file = source && is_pe(*source) ? read_pe(*source) : Result<PeFile>(Trouble{});
    const auto info = file ? read_pe_version(*source, *file) : std::nullopt;
    if (!info || !info->file_version || lower(info->company).find("nvidia") == std::string::npos) return {};
    const Version& version = *info->file_version;
    const int branch = version.at(2) % 10 * 100 + version.at(3) / 100, update = version.at(3) % 100;
    if (version.at(3) > 9999 || branch < 100) return {};
    const auto driver =
        parse_version(std::to_string(branch) + (update < 10 ? ".0" : ".") + std::to_string(update));
    if (!driver) return {};
    return {*driver, Origin::from_file(path).shown_as("file version " + version.text + " of " + path)};
}

JitLibrary library_at(const Host& host, const std::string& path) {
    JitLibrary library;
    library.path = path;
    library.real_path = real_or_same(host, path);
    const bool windows = host.system() == System::windows;
    library.driver_version =
        windows ? version_in_resource(host, library.real_path) : version_in_name(library.real_path);
    if (library.driver_version) return library;
    const LibCuda beside = libcuda_in(host, parent_path(library.real_path));
    if (!beside.stub) library.driver_version = beside.version;
    return library;
}

void add(const Host& host, const std::string& path, std::vector<JitLibrary>& found) {
    const JitLibrary library = library_at(host, path);
    const auto same = [&](const JitLibrary& other) { return other.real_path == library.real_path; };
    if (is_32_bit(host, path) || any_of(found, same)) return;
    found.push_back(library);
}

struct Walk {
    const Host& host;
    std::set<std::string> seen;
    std::vector<JitLibrary> found;

    void enter(const std::string& folder, int depth) {
        if (seen.size() > k_folders || !seen.insert(folder_identity(host, folder)).second) return;
        const Entries entries = entries_in(host, folder);
        for (const DirectoryEntry& entry : entries)
            if (entry.type == FileType::regular && starts_with(lower(entry.name), jit_stem(host.system())))
                add(host, join_path(folder, entry.name), found);
        if (depth == 0) return;
        for (const DirectoryEntry& entry : entries)
            if (entry.type == FileType::directory) enter(join_path(folder, entry.name), depth - 1);
    }
};

}  // namespace

std::vector<JitLibrary> jit_libraries_in(const Host& host, const std::string& folder) {
    std::vector<JitLibrary> found;
    const bool windows = host.system() == System::windows;
    const std::string path =
        join_path(folder, windows ? "nvptxJITCompiler64.dll" : "libnvidia-ptxjitcompiler.so.1");
    if (host.status(path).type == FileType::regular) add(host, path, found);
    return found;
}

std::vector<JitLibrary> find_jit_libraries(const Host& host, const std::string& folder_or_file) {
    Walk walk{host, {}, {}};
    const FileStatus status = host.status(folder_or_file);
    if (status.type == FileType::regular) add(host, folder_or_file, walk.found);
    if (status.type == FileType::directory) walk.enter(folder_or_file, k_depth);
    return walk.found;
}

Known<Version> driver_version_in_name(const Host& host, const std::string& path) {
    return version_in_name(real_or_same(host, path));
}

LibCuda libcuda_in(const Host& host, const std::string& folder) {
    LibCuda library;
    const bool windows = host.system() == System::windows;
    const std::string path = join_path(folder, windows ? "nvcuda.dll" : "libcuda.so.1");
    const FileStatus status = host.status(path);
    if (status.type != FileType::regular || is_32_bit(host, path)) return library;
    library.path = path;
    const std::string file = real_or_same(host, path);
    library.version = windows ? version_in_resource(host, file) : version_in_name(file);
    const bool in_stubs = file_name(parent_path(file)) == "stubs" || file_name(folder) == "stubs";
    const bool wsl =
        folder.find("/wsl/") != std::string::npos;  // WSL's libcuda is a small loader of the real one
    library.stub = !windows && !wsl && (in_stubs || (!library.version && status.size < k_stub_size));
    if (!library.version && !library.stub && !windows && !wsl)
        library.version = version_in_libcuda(host, file);
    return library;
}

Known<Version> jit_release(const Host& host, const JitLibrary& library) {
    auto exact = scanned_version(host.open(library.real_path), library.real_path);
    if (!exact) return {};
    const std::string release = exact->release();
    if (const auto version = parse_version(release)) exact.value = *version;
    return exact;
}

// A label counts only if a number follows it directly (not "CUDA Version: N/A").

namespace {

std::optional<Version> labelled(const std::string& text, const std::string& label) {
    for (std::size_t at = text.find(label); at != std::string::npos; at = text.find(label, at + 1)) {
        const std::size_t start = text.find_first_not_of(' ', at + label.size());
        if (start == std::string::npos) continue;
        if (const auto version =
                parse_version(text.substr(start, text.find_first_of(" |\t\r\n", start) - start)))
            return version;
    }
    return std::nullopt;
}

}  // namespace

SmiBanner parse_smi_banner(const std::string& text) {
    SmiBanner banner;
    banner.driver = labelled(text, "Driver Version:");
    if (!banner.driver) banner.driver = labelled(text, "KMD Version:");
    banner.cuda = labelled(text, "CUDA UMD Version:");
    if (!banner.cuda) banner.cuda = labelled(text, "CUDA Version:");
    return banner;
}

std::vector<std::pair<std::string, Arch>> parse_smi_gpus(const std::string& text) {
    std::vector<std::pair<std::string, Arch>> gpus;
    for (const auto& line : split(text, "\r\n")) {
        const std::size_t comma = line.rfind(',');
        if (comma == std::string::npos) continue;
        const auto arch = parse_arch(trim(line.substr(comma + 1)));
        const std::string name = trim(line.substr(0, comma));
        if (arch && !name.empty()) gpus.emplace_back(name, *arch);
    }
    return gpus;
}

std::optional<KernelModule> parse_kernel_module(const std::string& text) {
    for (const auto& line : split(text, "\r\n")) {
        if (line.find("Kernel Module") == std::string::npos) continue;
        for (const auto& word : split(line, " \t")) {
            const auto version = parse_version(word);
            if (version && version->numbers.size() >= 2 && version->major() >= 100)
                return KernelModule{*version, line.find("Open Kernel Module") != std::string::npos};
        }
    }
    return std::nullopt;
}

}  // namespace ptxguard
