// SPDX-License-Identifier: Apache-2.0
#include "formats/tool_file.hpp"

#include "model/file_names.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

struct Library {
    ToolFile file;
    const char *linux_stem, *windows_start;
};
const Library k_libraries[] = {{ToolFile::nvrtc, "libnvrtc", "nvrtc64_"},
                               {ToolFile::nvjitlink, "libnvjitlink", "nvjitlink_"},
                               {ToolFile::libnvvm, "libnvvm", "nvvm64_"},
                               {ToolFile::driver_jit, "libnvidia-ptxjitcompiler", "nvptxjitcompiler64"}};

}  // namespace

ToolFile tool_file(const std::string& path) {
    const std::string name = lower(file_of(path));
    if (const auto so = name.find(".so");
        so != std::string::npos && (so + 3 == name.size() || name[so + 3] == '.'))
        for (const Library& library : k_libraries)
            if (without_hash(name.substr(0, so)) == library.linux_stem) return library.file;
    if (ends_with(name, ".dll"))
        for (const Library& library : k_libraries)
            if (starts_with(name, library.windows_start)) return library.file;
    const std::string stem = ends_with(name, ".exe") ? name.substr(0, name.size() - 4) : name;
    if (stem == "nvcc") return ToolFile::nvcc;
    if (stem == "tileiras") return ToolFile::tileiras;
    if (stem == "clang" || stem == "clang++" || starts_with(stem, "clang-")) return ToolFile::clang;
    for (const char* ending : {".ptx", ".cubin", ".fatbin", ".o", ".obj", ".a", ".so", ".dll", ".lib"})
        if (ends_with(stem, ending)) return ToolFile::none;
    return stem.find("ptxas") != std::string::npos ? ToolFile::ptxas : ToolFile::none;
}

}  // namespace ptxguard
