// Shared libraries through dlopen.
// SPDX-License-Identifier: Apache-2.0
#include "host/library.hpp"

#include <dlfcn.h>
#include <link.h>

namespace ptxguard {

Result<LoadedLibrary> LoadedLibrary::open(const std::string& path) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle) return LoadedLibrary(handle);
    const char* cause = dlerror();
    return Trouble{path, "cannot be loaded", cause ? cause : ""};
}

void* LoadedLibrary::symbol(const char* name) const { return dlsym(m_handle, name); }

std::string LoadedLibrary::path() const {
    link_map* map = nullptr;
    if (dlinfo(m_handle, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_name) return {};
    return map->l_name;
}

}  // namespace ptxguard
