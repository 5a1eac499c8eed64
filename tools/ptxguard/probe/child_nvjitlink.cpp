// Child process: calls nvJitLink. Each release exports its functions with its number in the name
// (__nvJitLinkCreate_12_4), newer ones also with all older numbers; plain names exist in some 12.x and newer.
// The newest number is used. The prototypes have not changed.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "host/host.hpp"
#include "probe/child.hpp"
#include "probe/child_lines.hpp"
#include "probe/diagnose.hpp"
#include "probe/ptx_source.hpp"

namespace ptxguard {

namespace {

using Handle = void*;

struct Interface {
    int (*version)(unsigned*, unsigned*) = nullptr;  // 12.3 and newer
    int (*create)(Handle*, std::uint32_t, const char**) = nullptr;
    int (*destroy)(Handle*) = nullptr;
    int (*add)(Handle, int, const void*, std::size_t, const char*) = nullptr;
    int (*complete)(Handle) = nullptr;
    int (*cubin_size)(Handle, std::size_t*) = nullptr;
    int (*log_size)(Handle, std::size_t*) = nullptr;
    int (*log)(Handle, char*) = nullptr;
};

constexpr int k_input_ptx = 2;

// The newest number in the function names: "_13_0"; "" if there is none.
std::string newest_number(const LoadedLibrary& library, std::string& release) {
    for (int major = 40; major >= 12; --major) {
        for (int minor = 19; minor >= 0; --minor) {
            const std::string number = "_" + std::to_string(major) + "_" + std::to_string(minor);
            if (!library.symbol(("__nvJitLinkCreate" + number).c_str())) continue;
            release = std::to_string(major) + "." + std::to_string(minor);
            return number;
        }
    }
    return {};
}

std::string look_up(const LoadedLibrary& library, const std::string& number, Interface& api) {
    Finder finder(library);
    auto need = [&](auto& function, const std::string& name) {
        if (!finder.find(function, name)) finder.need(function, "__" + name + number);
    };
    finder.find(api.version, "nvJitLinkVersion");
    need(api.create, "nvJitLinkCreate");
    need(api.destroy, "nvJitLinkDestroy");
    need(api.add, "nvJitLinkAddData");
    need(api.complete, "nvJitLinkComplete");
    need(api.cubin_size, "nvJitLinkGetLinkedCubinSize");
    need(api.log_size, "nvJitLinkGetErrorLogSize");
    need(api.log, "nvJitLinkGetErrorLog");
    return finder.missing();
}

struct Reply {
    int result = 0;
    std::string step = "nvJitLinkCreate", log;
    bool made = false;
    double milliseconds = 0;
};

Reply assemble(const Interface& api, const std::string& ptx, Arch arch) {
    const Stopwatch watch;
    Reply answer;
    Handle handle = nullptr;
    const std::string option = "-arch=" + arch.sm();
    const char* options[] = {option.c_str()};
    answer.result = api.create(&handle, 1, options);
    if (answer.result == 0) {
        answer.step = "nvJitLinkAddData";
        answer.result = api.add(handle, k_input_ptx, ptx.data(), ptx.size(), "probe.ptx");
    }
    if (answer.result == 0) {
        answer.step = "nvJitLinkComplete";
        answer.result = api.complete(handle);
    }
    std::size_t size = 0;
    answer.made = answer.result == 0 && api.cubin_size(handle, &size) == 0 && size > 0;
    answer.milliseconds = watch.milliseconds();
    if (!handle) return answer;
    answer.log = text_of(handle, api.log_size, api.log);
    api.destroy(&handle);
    return answer;
}

void say(const char* event, Arch arch, const Reply& answer) {
    Json line = Json::object();
    line.set("event", event).set("arch", arch.sm()).set("call", answer.step + " -arch=" + arch.sm());
    line.set("result", answer.result).set("log", answer.log).set("made", answer.made);
    say_line(line.set("ms", answer.milliseconds));
}

// Each supported arch, given PTX of an absurd version, reports the newest version that it accepts.
void ask_limit(const Interface& api, std::vector<Arch> candidates) {
    for (int number : {75, 90, 100, 120, 52, 35}) candidates.push_back({number, 0});
    for (Arch arch : candidates) {
        const Reply answer = assemble(api, minimal_ptx(k_absurd_ptx_version, arch), arch);
        if (!current_version_in(answer.log)) continue;
        say("limit", arch, answer);
        return;
    }
}

}  // namespace

int child_nvjitlink(const std::vector<std::string>& arguments) {
    const ChildArguments asked = child_arguments(arguments);
    if (asked.library.empty()) return 2;
    auto ptx = own::read_standard_input(64u << 20);
    if (!ptx) return say_trouble(ptx.trouble().text());
    const auto library = LoadedLibrary::open(asked.library);
    if (!library) return say_trouble(library.trouble().text());
    std::string release;
    const std::string number = newest_number(*library, release);
    Interface api;
    const std::string missing = look_up(*library, number, api);
    if (!missing.empty()) return say_trouble("the library is no nvJitLink: it has no " + missing);
    unsigned major = 0, minor = 0;
    if (api.version && api.version(&major, &minor) == 0)
        release = std::to_string(major) + "." + std::to_string(minor);
    say_line(Json::object().set("event", "loaded").set("version", release).set("taken", library->path()));
    if (asked.limit) ask_limit(api, asked.archs);
    PtxVersion version{1, 4};
    for (const std::string& option : asked.options)
        if (auto given = parse_ptx_version(option)) version = *given;
    for (Arch arch : asked.archs)
        say("compile", arch, assemble(api, ptx->empty() ? minimal_ptx(version, arch) : *ptx, arch));
    return 0;
}

}  // namespace ptxguard
