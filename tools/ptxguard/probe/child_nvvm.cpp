// Child process: calls libNVVM to compile NVVM IR to PTX. Releases accept different IR: the version that it
// must name (nvvmIRVersion), and typed or opaque pointers depending on the LLVM inside.
// SPDX-License-Identifier: Apache-2.0
#include "host/host.hpp"
#include "probe/child.hpp"
#include "probe/child_lines.hpp"

namespace ptxguard {

namespace {

using Handle = void*;

struct Interface {
    int (*version)(int*, int*) = nullptr;
    int (*ir_version)(int*, int*, int*, int*) = nullptr;
    int (*llvm_version)(const char*, int*) = nullptr;  // of some 12.x and 13.x
    int (*create)(Handle*) = nullptr;
    int (*destroy)(Handle*) = nullptr;
    int (*add)(Handle, const char*, std::size_t, const char*) = nullptr;
    int (*compile)(Handle, int, const char**) = nullptr;
    int (*ptx_size)(Handle, std::size_t*) = nullptr;
    int (*ptx)(Handle, char*) = nullptr;
    int (*log_size)(Handle, std::size_t*) = nullptr;
    int (*log)(Handle, char*) = nullptr;
    const char* (*error_string)(int) = nullptr;
};

std::string look_up(const LoadedLibrary& library, Interface& api) {
    Finder finder(library);
    finder.need(api.version, "nvvmVersion");
    finder.need(api.create, "nvvmCreateProgram");
    finder.need(api.destroy, "nvvmDestroyProgram");
    finder.need(api.add, "nvvmAddModuleToProgram");
    finder.need(api.compile, "nvvmCompileProgram");
    finder.need(api.ptx_size, "nvvmGetCompiledResultSize");
    finder.need(api.ptx, "nvvmGetCompiledResult");
    finder.need(api.log_size, "nvvmGetProgramLogSize");
    finder.need(api.log, "nvvmGetProgramLog");
    finder.need(api.error_string, "nvvmGetErrorString");
    finder.find(api.ir_version, "nvvmIRVersion");
    finder.find(api.llvm_version, "nvvmLLVMVersion");
    return finder.missing();
}

struct IrVersion {
    int major = 1, minor = 0;
};

std::string minimal_ir(IrVersion version, bool opaque) {
    const std::string pointer = opaque ? "ptr" : "void ()*";
    return "target datalayout = "
           "\"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-"
           "f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64\"\n"
           "target triple = \"nvptx64-nvidia-cuda\"\n"
           "define void @ptxguard_probe() {\n  ret void\n}\n"
           "!nvvm.annotations = !{!0}\n"
           "!0 = !{" +
           pointer +
           " @ptxguard_probe, !\"kernel\", i32 1}\n"
           "!nvvmir.version = !{!1}\n"
           "!1 = !{i32 " +
           std::to_string(version.major) + ", i32 " + std::to_string(version.minor) + "}\n";
}

struct Reply {
    int result = 0;
    std::string log, ptx;
    double milliseconds = 0;
};

Reply compile(const Interface& api, const std::string& ir, Arch arch) {
    const Stopwatch watch;
    Reply answer;
    Handle handle = nullptr;
    const std::string option = "-arch=" + arch.compute();
    const char* options[] = {option.c_str()};
    answer.result = api.create(&handle);
    if (answer.result == 0) answer.result = api.add(handle, ir.data(), ir.size(), "probe.ll");
    if (answer.result == 0) answer.result = api.compile(handle, 1, options);
    answer.milliseconds = watch.milliseconds();
    if (!handle) return answer;
    answer.log = text_of(handle, api.log_size, api.log);
    if (answer.result == 0) answer.ptx = text_of(handle, api.ptx_size, api.ptx);
    api.destroy(&handle);
    return answer;
}

// Our own kernel: in the dialect that the library reports for this arch, otherwise in the older and then in
// the newer one.
Reply compile_minimal(const Interface& api, IrVersion version, Arch arch) {
    int llvm = 0;
    constexpr int k_first_opaque = 17, k_last_typed = 14;
    const bool told = api.llvm_version && api.llvm_version(arch.compute().c_str(), &llvm) == 0 && llvm > 0;
    if (told && llvm >= k_first_opaque) return compile(api, minimal_ir(version, true), arch);
    const Reply typed = compile(api, minimal_ir(version, false), arch);
    if (typed.result == 0 || (told && llvm <= k_last_typed)) return typed;
    const Reply opaque = compile(api, minimal_ir(version, true), arch);
    return opaque.result == 0 ? opaque : typed;
}

IrVersion say_loaded(const Interface& api, const LoadedLibrary& library) {
    int major = 0, minor = 0, debug_major = 0, debug_minor = 0, llvm = 0;
    IrVersion ir;
    Json line = Json::object();
    api.version(&major, &minor);
    line.set("event", "loaded").set("taken", library.path());
    line.set("api", std::to_string(major) + "." + std::to_string(minor));
    if (api.ir_version && api.ir_version(&ir.major, &ir.minor, &debug_major, &debug_minor) == 0)
        line.set("ir", std::to_string(ir.major) + "." + std::to_string(ir.minor));
    if (api.llvm_version && api.llvm_version("compute_100", &llvm) == 0 && llvm > 0) line.set("llvm", llvm);
    say_line(line);
    return ir;
}

}  // namespace

int child_nvvm(const std::vector<std::string>& arguments) {
    const ChildArguments asked = child_arguments(arguments);
    if (asked.library.empty()) return 2;
    auto given = own::read_standard_input(64u << 20);
    if (!given) return say_trouble(given.trouble().text());
    const auto library = LoadedLibrary::open(asked.library);
    if (!library) return say_trouble(library.trouble().text());
    Interface api;
    const std::string missing = look_up(*library, api);
    if (!missing.empty()) return say_trouble("the library is no libNVVM: it has no " + missing);
    const IrVersion ir = say_loaded(api, *library);
    for (Arch arch : asked.archs) {
        const Reply answer = given->empty() ? compile_minimal(api, ir, arch) : compile(api, *given, arch);
        const char* name = api.error_string(answer.result);
        Json line = Json::object();
        line.set("event", "compile").set("arch", arch.sm());
        line.set("call", "nvvmCompileProgram -arch=" + arch.compute()).set("result", answer.result);
        line.set("name", name ? name : "").set("log", answer.log).set("ptx", answer.ptx);
        say_line(line.set("ms", answer.milliseconds));
    }
    return 0;
}

}  // namespace ptxguard
