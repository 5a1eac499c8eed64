// One DLL by the folders of one search: the file that Windows takes, and those that lose. Inner header of the
// room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "load/library_facts.hpp"
#include "load/trace_windows_parts.hpp"

namespace ptxguard {

// What a file says when it is opened.
struct DllImage {
    Source source;
    PeFile pe;
    std::string machine;  // "x86_64"; empty = it could not be read
    std::string trouble;
};
DllImage open_image(const Host& host, const std::string& path);

struct DllRequest {
    std::string name;  // with its ending
    std::string needed_by;
    LoadHow how = LoadHow::needed;
    bool optional = false;
    std::shared_ptr<const DllSearch> search;
    std::vector<std::string> assemblies;  // side-by-side assemblies that the asking file names
};

struct DllFinder {
    const Host& host;
    const Facts& facts;
    LibraryFacts& libraries;
    DllFolders& folders;
    const DllPlaces& places;
    const DllProcess& process;
    std::string machine;  // of the process

    // Fills all but version and the like; `image` is of the file that is taken.
    LoadedFile find(const DllRequest& request, DllImage& image) const;
};

}  // namespace ptxguard
