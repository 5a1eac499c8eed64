// Command lines of nvcc and ptxas.
// SPDX-License-Identifier: Apache-2.0
#include "probe/compile.hpp"

#include <algorithm>
#include <array>

#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {

namespace {

// Host compilers that nvcc finds by default; others (from CMake, CUDAHOSTCXX) must be passed on.
bool nvcc_finds_it(const HostCompiler& compiler) {
    static const std::array<const char*, 5> k_own = {"", "PATH", "NVCC_CCBIN", "NVCC_APPEND_FLAGS",
                                                     "NVCC_PREPEND_FLAGS"};
    return contains(k_own, compiler.chosen_by.variable);
}

Command base(const Compiler& compiler, const std::string& program) {
    Command command;
    command.argv = {program};
    command.time_limit = compiler.time_limit;
    // Files that a killed nvcc leaves behind are removed with the work folder; the path is relative to avoid
    // quoting.
    for (const char* name : {"TMPDIR", "TMP", "TEMP"}) command.environment[name] = ".";
    command.environment["LC_ALL"] = "C";  // its messages are parsed
    return command;
}

void add(Command& command, std::initializer_list<std::string> arguments) {
    command.argv.insert(command.argv.end(), arguments);
}

void add_common(Command& command, const Compiler& compiler) {
    append(command.argv, compiler.flags);
    if (!compiler.host_compiler.empty()) add(command, {"-ccbin", compiler.host_compiler});
}

void add_target(Command& command, Arch virtual_arch, const std::string& code) {
    add(command, {"-gencode", "arch=" + virtual_arch.compute() + ",code=" + code});
}

// The project's flags without those that are also in NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS.
std::vector<std::string> project_flags(const Host& host, const std::string& all) {
    std::vector<std::string> flags = deciding_flags(all);
    for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"}) {
        for (const std::string& flag : deciding_flags(host.env(name).value_or(""))) {
            auto same = std::find(flags.begin(), flags.end(), flag);
            if (same != flags.end()) flags.erase(same);
        }
    }
    return flags;
}

// As a shell splits them.
std::vector<std::string> words_of(std::string_view flags) {
    std::vector<std::string> words;
    bool inside = false;
    char quote = 0;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        const char c = flags[i];
        const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
        if (!quote && blank) {
            inside = false;
            continue;
        }
        if (!inside) words.emplace_back();
        inside = true;
        if (quote ? c == quote : c == '"' || c == '\'')
            quote = quote ? 0 : c;
        else if (c == '\\' && quote != '\'' && i + 1 < flags.size())
            words.back() += flags[++i];
        else
            words.back() += c;
    }
    return words;
}

using Options = std::vector<std::string_view>;

const Options& arch_options() {
    static const Options k_options = {"-arch", "--gpu-architecture", "-gencode", "--generate-code",
                                      "-code", "--gpu-code"};
    return k_options;
}

// The flags that are one of `options`, or the others.
std::string flags_with(std::string_view flags, const Options& options, bool wanted) {
    std::string kept;
    bool value_follows = false;
    for (const std::string& word : split(flags, " \t\r\n")) {
        bool names = value_follows;
        value_follows = false;
        for (std::string_view option : options) {
            if (names) break;
            if (word == option) names = value_follows = true;
            if (starts_with(word, option) && word.size() > option.size() && word[option.size()] == '=')
                names = true;
        }
        if (names == wanted) kept += (kept.empty() ? "" : " ") + word;
    }
    return kept;
}

}  // namespace

Compiler compiler_of(const Host& host, const Scenario& scenario, const Toolkit& toolkit) {
    Compiler compiler;
    compiler.system = scenario.system;
    const Part* nvcc = toolkit.part(PartKind::nvcc);
    if (nvcc) compiler.nvcc = nvcc->path;
    if (nvcc && nvcc->version)
        compiler.lists_headers = compiler.forwards = *nvcc->version >= Version{{10, 2}, "", ""};
    const auto path_of = [&](PartKind kind) {
        const Part* part = toolkit.part(kind);
        return part ? part->path : std::string();
    };
    compiler.ptxas = path_of(PartKind::ptxas);
    compiler.cicc = path_of(PartKind::cicc);
    compiler.libdevice = path_of(PartKind::libdevice);
    if (toolkit.id != scenario.project.toolkit) return compiler;
    for (const Pick& pick : scenario.picks) {
        if (pick.consumer == "this build" && pick.tool == "nvcc" && pick.toolkit == toolkit.id &&
            !pick.path.empty())
            compiler.nvcc = pick.path;
    }
    const HostCompiler& host_compiler = scenario.project.host_compiler;
    if (!nvcc_finds_it(host_compiler)) compiler.host_compiler = host_compiler.path;
    if (const auto& flags = scenario.project.nvcc_flags) {
        compiler.flags = project_flags(host, *flags);
        // Only from CMAKE_CUDA_FLAGS: if a variable contains it, the variable selects it.
        if (host_compiler.chosen_by.variable == "PATH") compiler.host_compiler = host_compiler_in(*flags);
    }
    return compiler;
}

std::vector<std::string> deciding_flags(std::string_view flags) {
    std::vector<std::string> kept;
    std::vector<std::string> words = split(flags, " \t\r\n");
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        bool allows = word == "-allow-unsupported-compiler" || word == "--allow-unsupported-compiler";
        bool alone = word == "-std" || word == "--std";
        if (allows || starts_with(word, "-std=") || starts_with(word, "--std=")) kept.push_back(word);
        if (alone && i + 1 < words.size()) kept.push_back("-std=" + words[++i]);
    }
    return kept;
}

std::string host_compiler_in(std::string_view flags) {
    std::string last;
    std::vector<std::string> words = split(flags, " \t\r\n");
    for (std::size_t i = 0; i < words.size(); ++i) {
        for (std::string_view option : {"-ccbin", "--compiler-bindir"}) {
            if (words[i] == option && i + 1 < words.size()) last = words[i + 1];
            if (starts_with(words[i], std::string(option) + "=")) last = words[i].substr(option.size() + 1);
        }
    }
    return last;
}

const char* object_file(System system) { return system == System::windows ? "probe.obj" : "probe.o"; }
std::string stem_of(std::optional<Arch> arch) { return arch ? arch->compute() : "default"; }

Command list_command(const Compiler& compiler) {
    Command command = base(compiler, compiler.nvcc);
    add(command, {"--list-gpu-code"});
    return command;
}

Command help_command(const Compiler& compiler) {
    Command command = base(compiler, compiler.nvcc);
    add(command, {"--help"});
    return command;
}

Command dry_command(const Compiler& compiler) {
    Command command = base(compiler, compiler.nvcc);
    add(command, {"--dryrun", "-c"});
    add_common(command, compiler);
    add(command, {k_source_file});
    return command;
}

Command dry_command(const Compiler& compiler, std::string_view flags) {
    Command command = base(compiler, compiler.nvcc);
    add(command, {"--dryrun", "-c"});
    if (compiler.forwards) add(command, {"-forward-unknown-to-host-compiler"});
    add_common(command, compiler);
    for (std::string& word : words_of(flags)) command.argv.push_back(std::move(word));
    add(command, {k_source_file});
    return command;
}

Command ptx_command(const Host& host, const Compiler& compiler, std::optional<Arch> arch) {
    Command command = base(compiler, compiler.nvcc);
    for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"}) {
        if (auto flags = host.env(name)) command.environment[name] = without_arch_flags(*flags);
    }
    add(command, {"-ptx"});
    if (arch) add_target(command, *arch, arch->compute());
    add_common(command, compiler);
    add(command, {k_source_file, "-o", stem_of(arch) + ".ptx"});
    return command;
}

void add_header_list(Command& command, const std::string& stem) {
    command.argv.insert(command.argv.begin() + 1, {"-MD", "-MF", stem + ".d"});
}

Command object_command(const Compiler& compiler, std::optional<Target> target) {
    Command command = base(compiler, compiler.nvcc);
    add(command, {"-c", "--keep"});
    if (target) add_target(command, target->arch, target->real ? target->arch.sm() : target->arch.compute());
    add_common(command, compiler);
    add(command, {k_source_file, "-o", object_file(compiler.system)});
    return command;
}

// A compiler that host_config.h of CUDA 10.2 to 13 accepts; cicc only imitates its language.
Command cicc_command(const Compiler& compiler, Arch arch) {
    Command command = base(compiler, compiler.cicc);
    add(command, {"--microsoft_version=1929", "--msvc_target_version=1929", "-arch", arch.compute(), "-m64"});
    if (!compiler.libdevice.empty()) add(command, {"-nvvmir-library", compiler.libdevice});
    add(command, {k_preprocessed_file, "-o", stem_of(arch) + ".ptx"});
    return command;
}

Command link_command(const Host& host, const Compiler& compiler, bool shared_runtime) {
    const std::string runtime = shared_runtime ? "shared" : "static";
    Command command = base(compiler, compiler.nvcc);
    // nvcc refuses a second -cudart.
    for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
        if (const auto flags = host.env(name)) command.environment[name] = without_runtime_flags(*flags);
    add(command, {"-cudart", runtime});
    add_common(command, compiler);
    add(command, {k_link_source_file, "-o", "link-" + runtime + ".exe"});
    return command;
}

Command ptxas_command(const std::string& ptxas, Arch arch, const std::string& input,
                      const std::string& output, std::chrono::milliseconds limit) {
    Compiler compiler;
    compiler.time_limit = limit;
    Command command = base(compiler, ptxas);
    add(command, {"-arch=" + arch.sm(), input, "-o", output});
    return command;
}

const char* const k_clang_source =
    "__attribute__((global)) void ptxguard_probe(float* out, const float* in) { *out += *in; }\n";

Command clang_command(const std::string& clang, const std::string& cuda, Arch arch, const std::string& output,
                      std::chrono::milliseconds limit) {
    Compiler compiler;
    compiler.time_limit = limit;
    Command command = base(compiler, clang);
    add(command, {"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=" + arch.sm(), "-nocudainc",
                  "-nocudalib", "-S"});
    if (!cuda.empty()) add(command, {"--cuda-path=" + cuda});
    add(command, {k_clang_source_file, "-o", output});
    return command;
}

std::string command_line(const Command& command) {
    std::string line;
    for (const std::string& argument : command.argv) {
        bool quote = argument.empty() || argument.find_first_of(" \t;'\"") != std::string::npos;
        line += (line.empty() ? "" : " ") + (quote ? "\"" + argument + "\"" : argument);
    }
    return line;
}

std::string without_arch_flags(std::string_view flags) { return flags_with(flags, arch_options(), false); }
std::string arch_flags_of(std::string_view flags) { return flags_with(flags, arch_options(), true); }
std::string without_runtime_flags(std::string_view flags) {
    return flags_with(flags, {"-cudart", "--cudart"}, false);
}

}  // namespace ptxguard
