// .NET: the program that runs a managed assembly, and the folders in which [DllImport] finds native DLLs.
// Measured with .NET Core 3.1: `dotnet.exe Host.dll` is a process whose application folder is that of
// dotnet.exe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "load/trace_windows_parts.hpp"

namespace ptxguard {

struct DotnetHost {
    std::string folder;       // of the program; empty = not known
    std::string program;      // "dotnet.exe", "Host.exe"
    std::string remark;       // what is not known
    std::string beside = {};  // folder of an assembly whose program is elsewhere: it is not searched
};
// Of the managed `assembly`: the program of the same name beside it, else dotnet.exe.
DotnetHost host_of_assembly(DllFolders& folders, const std::string& assembly);
// Of --host-exe: a program, an assembly, or a folder of either.
DotnetHost host_named(DllFolders& folders, const std::string& path);
// [DllImport] in this assembly: the native folders of its .deps.json, its own folder, then as LoadLibrary.
DllSearch dll_import_search(DllFolders& folders, const std::string& assembly, const DllProcess& process,
                            const DllPlaces& places);

}  // namespace ptxguard
