// Shared libraries through LoadLibrary.
// SPDX-License-Identifier: Apache-2.0
#include "host/library.hpp"
#include "host/paths.hpp"
#include "host/wide_windows.hpp"

namespace ptxguard {

Result<LoadedLibrary> LoadedLibrary::open(const std::string& path) {
    // Search a library's own folder for its dependencies; a message box for a broken one would wait for a
    // click.
    const bool absolute = is_absolute(path, System::windows);
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    // NVRTC opens its builtins by name only, so their folder has to be searched, as programs that ship them
    // ensure. (A working folder of more than 258 characters is refused.)
    if (absolute) SetDllDirectoryW(platform::wide_path(parent_path(path)).c_str());
    HMODULE handle = LoadLibraryExW(platform::wide_path(path).c_str(), nullptr,
                                    absolute ? LOAD_WITH_ALTERED_SEARCH_PATH : 0);
    if (handle) return LoadedLibrary(reinterpret_cast<void*>(handle));
    return Trouble{path, "cannot be loaded", platform::words_of(GetLastError())};
}

void* LoadedLibrary::symbol(const char* name) const {
    return reinterpret_cast<void*>(GetProcAddress(reinterpret_cast<HMODULE>(m_handle), name));
}

std::string LoadedLibrary::path() const {
    std::wstring text(32768, 0);
    text.resize(GetModuleFileNameW(reinterpret_cast<HMODULE>(m_handle), text.data(),
                                   static_cast<DWORD>(text.size())));
    return platform::narrow_path(text);
}

}  // namespace ptxguard
