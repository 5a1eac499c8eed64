// Finds one DLL in the folders of one search: the file that Windows loads, and the skipped ones. Inner header
// of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "load/library_facts.hpp"
#include "load/trace_windows_parts.hpp"

namespace ptxguard {

// Properties of an opened file.
struct DllImage {
    Source source;
    PeFile pe;
    std::string machine;  // "x86_64"; empty = not readable
    std::string trouble;
};
DllImage open_image(const Host& host, const std::string& path);

struct DllRequest {
    std::string name;  // with its suffix
    std::string needed_by;
    LoadHow how = LoadHow::needed;
    bool optional = false;
    std::shared_ptr<const DllSearch> search;
    std::vector<std::string> assemblies;  // side-by-side assemblies in the manifest of the importing file
};

struct DllFinder {
    const Host& host;
    const Facts& facts;
    LibraryFacts& libraries;
    DllFolders& folders;
    const DllPlaces& places;
    const DllProcess& process;
    std::string machine;  // of the process

    // Fills everything except version and the like; `image` is that of the resolved file.
    LoadedFile find(const DllRequest& request, DllImage& image) const;
};

}  // namespace ptxguard
