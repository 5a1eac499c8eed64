// Child process: calls NVIDIA's documented nvPTXCompiler interface in a driver's library. Its few prototypes
// are declared here, so no NVIDIA header is needed.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <optional>

#include "host/host.hpp"
#include "host/library.hpp"
#include "model/json.hpp"
#include "probe/child.hpp"
#include "probe/compile.hpp"
#include "probe/diagnose.hpp"
#include "probe/ptx_source.hpp"

namespace ptxguard {

namespace {

using Handle = void*;

struct Interface {
    int (*create)(Handle*, std::size_t, const char*) = nullptr;
    int (*destroy)(Handle*) = nullptr;
    int (*compile)(Handle, int, const char* const*) = nullptr;
    int (*error_log_size)(Handle, std::size_t*) = nullptr;
    int (*error_log)(Handle, char*) = nullptr;
    int (*program_size)(Handle, std::size_t*) = nullptr;
    int (*version)(unsigned*, unsigned*) = nullptr;
};

// The first function that the library lacks; nullptr if it has all.
const char* look_up(const LoadedLibrary& library, Interface& api) {
    const char* missing = nullptr;
    auto find = [&](auto& function, const char* name) {
        void* symbol = library.symbol(name);
        if (!symbol && !missing) missing = name;
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
    };
    find(api.create, "nvPTXCompilerCreate");
    find(api.destroy, "nvPTXCompilerDestroy");
    find(api.compile, "nvPTXCompilerCompile");
    find(api.error_log_size, "nvPTXCompilerGetErrorLogSize");
    find(api.error_log, "nvPTXCompilerGetErrorLog");
    find(api.program_size, "nvPTXCompilerGetCompiledProgramSize");
    find(api.version, "nvPTXCompilerGetVersion");
    return missing;
}

struct Reply {
    int result = 0;
    std::string log;
    bool made = false;
};

Reply compile(const Interface& api, const std::string& ptx, Arch arch) {
    Reply answer;
    Handle handle = nullptr;
    answer.result = api.create(&handle, ptx.size(), ptx.c_str());
    if (answer.result != 0) return answer;
    std::string option = "--gpu-name=" + arch.sm();
    const char* options[] = {option.c_str()};
    answer.result = api.compile(handle, 1, options);
    std::size_t size = 0;
    if (api.error_log_size(handle, &size) == 0 && size > 0 && size < (1u << 20)) {
        answer.log.assign(size + 1, '\0');
        if (api.error_log(handle, &answer.log[0]) != 0) answer.log.clear();
        answer.log.resize(std::char_traits<char>::length(answer.log.c_str()));
    }
    size = 0;
    answer.made = answer.result == 0 && api.program_size(handle, &size) == 0 && size > 0;
    api.destroy(&handle);
    return answer;
}

void say(const Json& line) {
    std::printf("%s\n", to_text(line, -1).c_str());
    std::fflush(stdout);  // the next step may crash
}

void say(const char* event, Arch arch, const Reply& answer) {
    Json line = Json::object();
    line.set("event", event).set("arch", arch.sm()).set("result", answer.result).set("log", answer.log);
    say(line.set("made", answer.made));
}

int say_trouble(const std::string& text) {
    say(Json::object().set("event", "trouble").set("text", text));
    return 0;
}

// Finds an arch that the library supports by giving it PTX of an absurd version: an unsupported arch is
// refused first.
std::optional<Arch> ask_limit(const Interface& api, std::vector<Arch> candidates) {
    for (int number : {52, 75, 90, 100, 120, 35}) candidates.push_back({number, 0});
    for (Arch arch : candidates) {
        Reply answer = compile(api, minimal_ptx(k_absurd_ptx_version, arch), arch);
        if (is_unknown_gpu_name(answer.log)) continue;
        say("limit", arch, answer);
        return arch;
    }
    return std::nullopt;
}

}  // namespace

int child_jit(const std::vector<std::string>& arguments) {
    if (arguments.empty()) return 2;
    auto input = own::read_standard_input(16u << 20);
    if (!input) return say_trouble(input.trouble().text());
    auto library = LoadedLibrary::open(arguments.front());
    if (!library) return say_trouble(library.trouble().text());
    Interface api;
    if (const char* missing = look_up(*library, api))
        return say_trouble(std::string("the library has no ") + missing);
    unsigned major = 0, minor = 0;
    api.version(&major, &minor);
    say(Json::object()
            .set("event", "loaded")
            .set("api", std::to_string(major) + "." + std::to_string(minor)));
    std::vector<Arch> archs;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        if (auto arch = parse_arch(arguments[i])) archs.push_back(*arch);
    }
    std::optional<Arch> known = ask_limit(api, archs);
    std::optional<PtxVersion> version = read_ptx_head(*input).version;
    for (Arch arch : archs) {
        Reply answer = compile(api, *input, arch);
        say("compile", arch, answer);
        if (is_unknown_gpu_name(answer.log) && known && version)
            say("version", *known, compile(api, minimal_ptx(*version, *known), *known));
    }
    return 0;
}

}  // namespace ptxguard
