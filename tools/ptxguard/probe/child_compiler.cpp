// Child process: calls a compiler in a library and reports its results.
// SPDX-License-Identifier: Apache-2.0
#include "formats/fatbin.hpp"
#include "host/host.hpp"
#include "model/text.hpp"
#include "probe/child.hpp"
#include "probe/compile.hpp"
#include "probe/compiler_interface.hpp"
#include "probe/compiler_libraries.hpp"
#include "probe/diagnose.hpp"
#include "probe/ptx_source.hpp"

namespace ptxguard {

namespace {

void say(const LoadedCompiler& compiler, const char* event, Arch arch, const Reply& reply) {
    Json line = Json::object();
    line.set("event", event).set("arch", arch.sm()).set("call", reply.step).set("result", reply.result);
    if (void* const error = compiler.functions[k_error]) {
        const char* name = reinterpret_cast<const char* (*)(int)>(error)(reply.result);
        line.set("name", name ? name : "");
    }
    line.set("log", reply.log);
    if (compiler.functions[k_made])
        line.set(read_raw_ir(reply.ptx) ? "ltoir" : "ptx",
                 read_raw_ir(reply.ptx) ? to_hex(reply.ptx) : reply.ptx);
    else
        line.set("made", reply.made);
    say_line(line.set("ms", reply.milliseconds));
}

// Finds an arch that the library supports by compiling PTX of an absurd version: an unsupported arch is
// refused first, and the refusal of the version contains the newest one that it accepts.
std::optional<Arch> ask_limit(const LoadedCompiler& compiler, std::vector<Arch> candidates) {
    for (int number : {52, 75, 90, 100, 120, 35}) candidates.push_back({number, 0});
    for (Arch arch : candidates) {
        const Reply reply = compile(compiler, minimal_ptx(k_absurd_ptx_version, arch), arch);
        const bool unknown = compiler.is(Library::jit) ? is_unknown_gpu_name(reply.log)
                                                       : !current_version_in(reply.log).has_value();
        if (unknown) continue;
        say(compiler, "limit", arch, reply);
        if (compiler.is(Library::jit))
            say(compiler, "oldest", arch,
                compile(compiler, minimal_ptx(k_oldest_ptx_version, k_oldest_ptx_target), arch));
        return arch;
    }
    return std::nullopt;
}

// NVRTC opens its builtins by name, and some (13.0's wheel) have no RUNPATH to the ones next to them: a
// program that ships both loads them first, as torch does. Windows searches the working folder, which is the
// library's.
void open_builtins(const std::string& nvrtc) {
    const auto host = real_host();
    if (host->system() == System::windows) return;
    for (const std::string& file : builtins_beside(*host, nvrtc)) (void)LoadedLibrary::open(file);
}

// The list of architectures was added in 11.2.
void add_archs(const LoadedCompiler& compiler, Json& line) {
    void *const number = compiler.find("nvrtcGetNumSupportedArchs"), *const list = compiler.find(
                                                                         "nvrtcGetSupportedArchs");
    int count = 0;
    constexpr int k_most = 1024;
    if (!number || !list || call(number, &count) != 0 || count <= 0 || count >= k_most) return;
    std::vector<int> numbers(static_cast<std::size_t>(count) + 1);
    Json archs = Json::array();
    if (call(list, numbers.data()) == 0)
        for (int i = 0; i < count; ++i) archs.push(numbers[static_cast<std::size_t>(i)]);
    line.set("archs", std::move(archs));
}

// libNVVM: the version that IR must have (nvvmIRVersion), and typed or opaque pointers depending on its LLVM.
struct Dialect {
    int major = 1, minor = 0;
};

// 0 = not reported; only some 12.x and 13.x do.
int llvm_of(const LoadedCompiler& compiler, const std::string& arch) {
    void* const version = compiler.find("nvvmLLVMVersion");
    int llvm = 0;
    return version && call(version, arch.c_str(), &llvm) == 0 && llvm > 0 ? llvm : 0;
}

Dialect add_dialect(const LoadedCompiler& compiler, Json& line) {
    Dialect ir;
    int debug_major = 0, debug_minor = 0;
    void* const version = compiler.find("nvvmIRVersion");
    if (version && call(version, &ir.major, &ir.minor, &debug_major, &debug_minor) == 0)
        line.set("ir", std::to_string(ir.major) + "." + std::to_string(ir.minor));
    if (const int llvm = llvm_of(compiler, "compute_100")) line.set("llvm", llvm);
    return ir;
}

// In the dialect that the library reports for this arch, otherwise in the older and then in the newer one.
Reply compile_minimal_ir(const LoadedCompiler& compiler, Dialect version, Arch arch) {
    constexpr int k_first_opaque = 17, k_last_typed = 14;
    const int llvm = llvm_of(compiler, arch.compute());
    if (llvm >= k_first_opaque)
        return compile(compiler, minimal_ir(version.major, version.minor, true), arch);
    const Reply typed = compile(compiler, minimal_ir(version.major, version.minor, false), arch);
    if (typed.result == 0 || (llvm > 0 && llvm <= k_last_typed)) return typed;
    const Reply opaque = compile(compiler, minimal_ir(version.major, version.minor, true), arch);
    return opaque.result == 0 ? opaque : typed;
}

std::string version_of(const LoadedCompiler& compiler) {
    int major = 0, minor = 0;
    void* version = compiler.functions[k_version];
    if (!version && compiler.is(Library::nvjitlink)) {
        version = compiler.find("nvJitLinkVersion");  // 12.3 and newer
        if (!version || call(version, &major, &minor) != 0) {
            const auto number = split(compiler.number, "_");
            return number.size() == 2 ? number[0] + "." + number[1] : "";
        }
    } else {
        call(version, &major, &minor);
    }
    return std::to_string(major) + "." + std::to_string(minor);
}

Dialect say_loaded(const LoadedCompiler& compiler) {
    const bool release = compiler.is(Library::nvrtc) || compiler.is(Library::nvjitlink);
    Json line = Json::object();
    line.set("event", "loaded").set(release ? "version" : "api", version_of(compiler));
    line.set("taken", compiler.library.path());
    if (compiler.is(Library::nvrtc)) add_archs(compiler, line);
    const Dialect ir = compiler.is(Library::nvvm) ? add_dialect(compiler, line) : Dialect{};
    say_line(line);
    return ir;
}

Reply compile_input(const LoadedCompiler& compiler, const ChildArguments& asked, const std::string& input,
                    Dialect ir, Arch arch) {
    if (compiler.is(Library::nvrtc))
        return compile(compiler, input.empty() ? k_device_source : input, arch, asked.options);
    if (compiler.is(Library::nvvm) && input.empty()) return compile_minimal_ir(compiler, ir, arch);
    return compile(compiler, input, arch);
}

void compile_for_all(const LoadedCompiler& compiler, const ChildArguments& asked, const std::string& input,
                     Dialect ir) {
    std::optional<Arch> known;
    if (asked.limit || compiler.is(Library::jit)) known = ask_limit(compiler, asked.archs);
    const auto version = compiler.is(Library::jit) ? read_ptx_head(input).version : std::nullopt;
    PtxVersion empty_kernel{1, 4};
    for (const std::string& option : asked.options)
        if (const auto given = parse_ptx_version(option)) empty_kernel = *given;
    for (Arch arch : asked.archs) {
        const Reply reply = compiler.is(Library::nvjitlink) && input.empty()
                                ? compile(compiler, minimal_ptx(empty_kernel, arch), arch)
                                : compile_input(compiler, asked, input, ir, arch);
        say(compiler, "compile", arch, reply);
        if (known && version && is_unknown_gpu_name(reply.log))
            say(compiler, "version", *known, compile(compiler, minimal_ptx(*version, *known), *known));
    }
}

}  // namespace

std::optional<int> child_compiler(const std::string& mode, const std::vector<std::string>& arguments) {
    const Interface* kind = compiler_interface(mode);
    if (!kind) return std::nullopt;
    const ChildArguments asked = child_arguments(arguments);
    if (asked.library.empty()) return 2;
    const auto input = own::read_standard_input(64u << 20);
    if (!input) return say_trouble(input.trouble().text());
    const auto library = LoadedLibrary::open(asked.library);
    if (!library) return say_trouble(library.trouble().text());
    LoadedCompiler compiler{*kind, *library};
    const std::string missing = look_up(compiler);
    if (!missing.empty())
        return say_trouble(std::string("the library is not ") + kind->name + ": it has no " + missing);
    if (compiler.is(Library::nvrtc)) open_builtins(library->path());
    const Dialect ir = say_loaded(compiler);
    compile_for_all(compiler, asked, *input, ir);
    return 0;
}

}  // namespace ptxguard
