// The documented functions are declared by their names in a table, so no NVIDIA header is needed; their
// prototypes have never changed.
// SPDX-License-Identifier: Apache-2.0
#include "probe/compiler_interface.hpp"

#include <cstdint>

#include "model/ranges.hpp"
#include "probe/child.hpp"
#include "probe/compiler_libraries.hpp"

namespace ptxguard {

namespace {

using Handle = void*;

// PTX JIT and NVRTC take the source with the handle; the other two add it. The output of a PTX compiler is
// only measured.
constexpr Interface k_interfaces[] = {
    {Library::jit,
     "jit",
     "PTX JIT compiler",
     {"nvPTXCompilerGetVersion", "nvPTXCompilerCreate", "nvPTXCompilerDestroy", nullptr,
      "nvPTXCompilerCompile", "nvPTXCompilerGetCompiledProgramSize", nullptr, "nvPTXCompilerGetErrorLogSize",
      "nvPTXCompilerGetErrorLog", nullptr},
     "--gpu-name=",
     false},
    {Library::nvrtc,
     "nvrtc",
     "NVRTC",
     {"nvrtcVersion", "nvrtcCreateProgram", "nvrtcDestroyProgram", nullptr, "nvrtcCompileProgram",
      "nvrtcGetPTXSize", "nvrtcGetPTX", "nvrtcGetProgramLogSize", "nvrtcGetProgramLog",
      "nvrtcGetErrorString"},
     "--gpu-architecture=",
     true},
    {Library::nvvm,
     "nvvm",
     "libNVVM",
     {"nvvmVersion", "nvvmCreateProgram", "nvvmDestroyProgram", "nvvmAddModuleToProgram",
      "nvvmCompileProgram", "nvvmGetCompiledResultSize", "nvvmGetCompiledResult", "nvvmGetProgramLogSize",
      "nvvmGetProgramLog", "nvvmGetErrorString"},
     "-arch=",
     true},
    {Library::nvjitlink,
     "nvjitlink",
     "nvJitLink",
     {nullptr, "nvJitLinkCreate", "nvJitLinkDestroy", "nvJitLinkAddData", "nvJitLinkComplete",
      "nvJitLinkGetLinkedCubinSize", nullptr, "nvJitLinkGetErrorLogSize", "nvJitLinkGetErrorLog", nullptr},
     "-arch=",
     false},
};

// nvJitLink: each release exports its functions with its number in the name (__nvJitLinkCreate_12_4), newer
// ones also with all older numbers; plain names exist in some 12.x and newer. The newest number is used.
std::string newest_number(const LoadedLibrary& library) {
    for (int major = 40; major >= 12; --major)
        for (int minor = 19; minor >= 0; --minor) {
            const std::string number = "_" + std::to_string(major) + "_" + std::to_string(minor);
            if (library.symbol(("__nvJitLinkCreate" + number).c_str())) return number;
        }
    return {};
}

// Up to the first step that fails.
void run_steps(const LoadedCompiler& compiler, const std::string& input,
               const std::vector<const char*>& options, Handle& handle, Reply& reply) {
    void* const* functions = compiler.functions;
    const int count = static_cast<int>(options.size());
    const auto step = [&](Role role, auto... arguments) {
        if (reply.result != 0) return;
        reply.step = compiler.kind.functions[role];
        reply.result = call(functions[role], arguments...);
    };
    switch (compiler.kind.library) {
        case Library::jit: step(k_create, &handle, input.size(), input.c_str()); break;
        case Library::nvrtc:
            step(k_create, &handle, input.c_str(), "probe.cu", 0, static_cast<const char* const*>(nullptr),
                 static_cast<const char* const*>(nullptr));
            break;
        case Library::nvvm:
            step(k_create, &handle);
            step(k_add, handle, input.data(), input.size(), "probe.ll");
            break;
        case Library::nvjitlink:
            step(k_create, &handle, static_cast<std::uint32_t>(count), options.data());
            step(k_add, handle, static_cast<int>(link_input(input)), static_cast<const void*>(input.data()),
                 input.size(), "probe.ptx");
            step(k_compile, handle);
            return;
    }
    step(k_compile, handle, count, options.data());
}

}  // namespace

const Interface* compiler_interface(const std::string& mode) {
    return first_where(k_interfaces, [&](const Interface& kind) { return mode == kind.mode; });
}

std::string look_up(LoadedCompiler& compiler) {
    if (compiler.is(Library::nvjitlink)) compiler.number = newest_number(compiler.library);
    for (int role = 0; role < k_roles; ++role) {
        const char* name = compiler.kind.functions[role];
        if (!name) continue;
        const std::string numbered = std::string("__") + name + compiler.number;
        compiler.functions[role] = compiler.find(name);
        if (!compiler.functions[role] && compiler.is(Library::nvjitlink))
            compiler.functions[role] = compiler.find(numbered.c_str());
        if (!compiler.functions[role]) return compiler.is(Library::nvjitlink) ? numbered : name;
    }
    return {};
}

Reply compile(const LoadedCompiler& compiler, const std::string& input, Arch arch,
              const std::vector<std::string>& more) {
    const std::string target = compiler.kind.option + (compiler.kind.compute ? arch.compute() : arch.sm());
    std::vector<const char*> options{target.c_str()};
    for (const std::string& option : more) options.push_back(option.c_str());
    const bool link = compiler.is(Library::nvjitlink);
    if (link && link_input(input) != LinkInput::ptx) options.push_back("-lto");
    Reply reply;
    Handle handle = nullptr;
    const Stopwatch watch;
    run_steps(compiler, input, options, handle, reply);
    std::size_t size = 0;
    void *const lto_size = compiler.find("nvrtcGetLTOIRSize"), *const lto = compiler.find("nvrtcGetLTOIR");
    const bool wants_lto = contains(more, k_lto_option);
    if (reply.result == 0 && wants_lto)
        reply.ptx = lto_size && lto ? bytes_of(handle, lto_size, lto) : "";
    else if (reply.result == 0 && compiler.functions[k_made])
        reply.ptx = text_of(handle, compiler.functions[k_made_size], compiler.functions[k_made]);
    else if (reply.result == 0)
        reply.made = call(compiler.functions[k_made_size], handle, &size) == 0 && size > 0;
    reply.milliseconds = watch.milliseconds();
    reply.step += " " + target;
    if (!handle) return reply;
    reply.log = text_of(handle, compiler.functions[k_log_size], compiler.functions[k_log]);
    call(compiler.functions[k_destroy], &handle);
    return reply;
}

}  // namespace ptxguard
