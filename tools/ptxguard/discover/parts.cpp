// nvcc calls cicc through CICC_PATH and the other programs by bare name, with the profile's folders before
// PATH (measured with --dryrun). Without a profile everything comes from PATH. Headers: INCLUDES, then the
// compiler's own search; cuda_runtime.h includes "crt/..." from its own folder first.
// SPDX-License-Identifier: Apache-2.0
#include "discover/parts.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "packages/library_places.hpp"
#include "packages/reading.hpp"

namespace ptxguard {
namespace {

constexpr int k_newest_major = 20, k_oldest_major = 3;  // of library names; libnvvm began with 3

struct Searcher {
    const Host& host;
    System system;
    std::vector<Part> parts;

    bool add(PartKind kind, const std::string& path) {
        const FileStatus status = host.status(path);
        if (status.type == FileType::missing || status.type == FileType::directory) return false;
        Part part;
        part.kind = kind;
        part.path = path;
        if (status.type != FileType::regular && status.type != FileType::other)
            part.fail(why_no_file(status.type));
        else if (is_program(kind) && !status.executable)
            part.fail("is not executable", PartFault::not_executable);
        if (const auto real = host.real_path(path)) part.real_path = *real;
        parts.push_back(part);
        return true;
    }

    // The first usable one; otherwise the first that exists.
    bool add_first(PartKind kind, const std::vector<std::string>& folders, const std::string& name) {
        for (const bool usable : {true, false})
            for (const auto& folder : folders) {
                if (folder.empty()) continue;
                const std::string path = normal_path(join_path(folder, name), system);
                const FileStatus status = host.status(path);
                const bool works =
                    status.type == FileType::regular && (status.executable || !is_program(kind));
                if ((works || !usable) && add(kind, path)) return true;
            }
        return false;
    }
};

void find_programs(Searcher& search, const Site& site, const NvccProfile& profile, Layout layout) {
    const System system = search.system;
    std::vector<std::string> folders = profile.program_folders(system);
    if (!profile.found && site.nvcc.empty()) folders.push_back(site.bin);
    if (system == System::windows)
        folders.push_back(site.bin);  // CreateProcess searches the caller's folder first
    if (!site.nvcc.empty())
        for (const PathFolder& entry : path_folders(search.host)) folders.push_back(entry.folder);
    if (layout == Layout::debian)
        folders.push_back("/usr/bin");  // split layout; a root may be checked without PATH
    std::vector<std::string> cicc = folders;
    if (const std::string path = profile.get("CICC_PATH"); !path.empty()) cicc = {path};
    if (site.nvcc.empty()) cicc.push_back(join_path(site.root, "nvvm/bin"));
    const auto named = [&](const char* stem) { return executable_name(stem, system); };
    search.add_first(PartKind::cicc, cicc, named("cicc"));
    search.add_first(PartKind::ptxas, folders, named("ptxas"));
    search.add_first(PartKind::cudafe, folders, named("cudafe++"));
    search.add_first(PartKind::nvlink, folders, named("nvlink"));
    search.add_first(PartKind::fatbinary, folders, named("fatbinary"));
}

std::vector<std::string> include_folders(const Searcher& search, const Site& site,
                                         const NvccProfile& profile) {
    std::vector<std::string> folders = profile.include_folders();
    const std::string target = target_folder(search.host, site.root);
    if (!target.empty()) folders.push_back(join_path(site.root, target + "/include"));
    folders.push_back(join_path(site.root, "include"));
    folders.push_back(join_path(parent_path(site.root), "cuda_runtime/include"));  // wheels of CUDA 11 and 12
    if (site.nvcc.empty()) return folders;  // no compiler here that would search elsewhere
    for (const char* name : {"CPATH", "CPLUS_INCLUDE_PATH"})
        append(folders, split_list(search.host.env(name).value_or(""), search.system));
    if (search.system == System::linux_)
        append(folders, {"/usr/local/include", "/usr/include/x86_64-linux-gnu",
                         "/usr/include/aarch64-linux-gnu", "/usr/include"});
    return folders;
}

void find_files(Searcher& search, const Site& site, const NvccProfile& profile) {
    const auto includes = include_folders(search, site, profile);
    search.add_first(PartKind::runtime_headers, includes, "cuda_runtime_api.h");
    std::vector<std::string> crt = includes;
    if (!search.parts.empty() && search.parts.back().kind == PartKind::runtime_headers)
        crt.insert(crt.begin(), parent_path(search.parts.back().path));
    search.add_first(PartKind::crt_headers, crt, "crt/host_config.h");
    std::vector<std::string> cccl;  // from 13.0 in a folder of its own, which only nvcc.profile searches
    for (const std::string& folder : includes) {
        if (starts_with(normal_path(folder, search.system), site.root + "/"))
            cccl.push_back(join_path(folder, "cccl"));
        cccl.push_back(folder);
    }
    search.add_first(PartKind::cccl, cccl, "cuda/std/__cccl/cuda_toolkit.h");
    search.add_first(PartKind::cudnn_headers, includes, "cudnn.h");
    search.add_first(PartKind::nccl_headers, includes, "nccl.h");
    search.add_first(PartKind::libdevice,
                     {profile.get("NVVMIR_LIBRARY_DIR"), join_path(site.root, "nvvm/libdevice")},
                     "libdevice.10.bc");
}

std::vector<std::string> library_folders(const Searcher& search, const Site& site,
                                         const NvccProfile& profile) {
    std::vector<std::string> folders = profile.library_folders();
    const std::string target = target_folder(search.host, site.root);
    if (!target.empty()) folders.push_back(join_path(site.root, target + "/lib"));
    if (search.system == System::windows)
        for (const char* name : {"bin/x64", "bin/x86_64", "bin"})
            folders.push_back(join_path(site.root, name));
    else
        for (const char* name : {"lib64", "lib"}) folders.push_back(join_path(site.root, name));
    return folders;
}

struct LibraryName {
    PartKind kind;
    const char* stem;   // libSTEM.so.N
    const char* dll;    // DLL names begin with it
    const char* wheel;  // folder next to the root in wheels
};
constexpr LibraryName k_libraries[] = {
    {PartKind::cudart, "cudart", "cudart64_", "cuda_runtime"},
    {PartKind::nvrtc, "nvrtc", "nvrtc64_", "cuda_nvrtc"},
    {PartKind::nvvm, "nvvm", "nvvm64_", "cuda_nvcc/nvvm"},
    {PartKind::cublas, "cublas", "cublas64_", "cublas"},
    {PartKind::cudnn, "cudnn", "cudnn64_", "cudnn"},
    {PartKind::nccl, "nccl", "nccl64_", "nccl"},
};

bool find_shared_object(Searcher& search, const LibraryName& library, const std::string& folder) {
    const auto names = search.host.names(folder);
    const std::string stem = std::string("lib") + library.stem + ".so";
    const auto add = [&](const std::string& ending) {
        return names && std::binary_search(names->begin(), names->end(), stem + ending) &&
               search.add(library.kind, normal_path(join_path(folder, stem + ending), search.system));
    };
    for (const char* ending : {"", ".11.2", ".11.1", ".11.0"})  // cudart and NVRTC of CUDA 11
        if (add(ending)) return true;
    for (int major = k_newest_major; major >= k_oldest_major; --major)
        if (add("." + std::to_string(major))) return true;
    return false;
}

bool find_dll(Searcher& search, const LibraryName& library, const std::string& folder) {
    for (const auto& entry : entries_in(search.host, folder)) {
        const std::string name = lower(entry.name);
        if (starts_with(name, library.dll) && ends_with(name, ".dll") &&
            name.find(".alt.") == std::string::npos)
            return search.add(library.kind, normal_path(join_path(folder, entry.name), search.system));
    }
    return false;
}

bool find_library_in(Searcher& search, const LibraryName& library, const std::string& folder) {
    return search.system == System::windows ? find_dll(search, library, folder)
                                            : find_shared_object(search, library, folder);
}

// Not part of a toolkit.
bool comes_apart(PartKind kind) { return kind == PartKind::cudnn || kind == PartKind::nccl; }

// What `-lcudnn` links: only the name without a number, in nvcc's folders, LIBRARY_PATH and the linker's own.
bool find_linked(Searcher& search, const LibraryName& library, std::vector<std::string> folders) {
    if (search.system == System::windows || !comes_apart(library.kind)) return false;
    append(folders, split_list(search.host.env("LIBRARY_PATH").value_or(""), search.system));
    append(folders, system_library_folders());
    folders.push_back("/usr/local/lib");
    return search.add_first(library.kind, folders, std::string("lib") + library.stem + ".so");
}

// Where else a library may be besides the toolkit's own library folders.
std::vector<std::string> other_folders(const Searcher& search, const LibraryName& library, const Site& site,
                                       Layout layout) {
    std::vector<std::string> folders;
    const bool windows = search.system == System::windows;
    if (library.kind == PartKind::nvvm)  // a folder of its own up to CUDA 12
        for (const char* name : {"nvvm/lib64", "nvvm/bin", "nvvm/bin/x64"})
            folders.push_back(join_path(site.root, name));
    if (layout == Layout::wheel)
        folders.push_back(
            join_path(parent_path(site.root), std::string(library.wheel) + (windows ? "/bin" : "/lib")));
    else if (!windows && (layout == Layout::debian || comes_apart(library.kind)))
        append(folders, system_library_folders());
    return folders;
}

void find_libraries(Searcher& search, const Site& site, const NvccProfile& profile, Layout layout) {
    const auto own = library_folders(search, site, profile);
    for (const auto& library : k_libraries) {
        if (find_linked(search, library, own)) continue;
        std::vector<std::string> folders = own;
        append(folders, other_folders(search, library, site, layout));
        for (const auto& folder : folders)
            if (find_library_in(search, library, folder)) break;
    }
}

}  // namespace

std::vector<Part> find_parts(const Host& host, const Site& site, Layout layout) {
    Searcher search{host, host.system(), {}};
    const NvccProfile profile = profile_of(host, site);
    if (!site.nvcc.empty()) {
        if (search.add(PartKind::nvcc, site.nvcc)) {
            Part& nvcc = search.parts.back();
            if (!site.trouble.empty()) nvcc.fail(site.trouble, site.fault);
            if (const auto real = host.real_path(site.real_nvcc)) nvcc.real_path = *real;
        }
    }
    find_programs(search, site, profile, layout);
    find_files(search, site, profile);
    find_libraries(search, site, profile, layout);
    return search.parts;
}

}  // namespace ptxguard
