// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/compile_commands.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/builds/arch_settings.hpp"
#include "recipes/shell/shell_syntax.hpp"

namespace ptxguard::recipes {
namespace {

std::string words_of(const Command& command, std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i < std::min(most, command.words.size()); ++i)
        text += (i ? " " : "") + command.words[i].text;
    return command.words.size() > most ? text + " ..." : text;
}

// A word that is no architecture, in a list that CMake itself reads: Common, Auto. Not those that
// rapids-cmake replaces:
// https://docs.rapids.ai/api/rapids-cmake/stable/command/rapids_cuda_init_architectures/
bool is_misread_by_cmake(const std::string& name, const std::string& text) {
    if (is_one_of(text, {"RAPIDS", "NATIVE", "ALL"})) return false;
    return is_one_of(name, {"CMAKE_CUDA_ARCHITECTURES", "CUDAARCHS"}) && !is_cmake_off(text) &&
           all_of(text,
                  [](char c) { return is_word_character(c) || std::string_view(";-+., ").find(c) != npos; });
}

void add_archs(const std::string& name, const std::string& text, ArchDialect dialect, const Written& at,
               RecipeFacts& recipe) {
    if (!at.known || text.empty()) return;
    const Result<ArchList> list = parse_arch_list(text, dialect);
    const bool none = !list || (list->targets.empty() && list->words.empty());
    if (none && !is_misread_by_cmake(name, text)) return;
    RecipeArchs archs;
    archs.name = name;
    if (none)
        archs.archs.text = text;
    else
        archs.archs = *list;
    archs.origin = origin_of(at);
    archs.origin.variable = name;
    recipe.arch_lists.push_back(std::move(archs));
}

void add_flags(const char* name, const Command& command, RecipeFacts& recipe) {
    const std::vector<Written> flags = arch_flags(command);
    std::string text;
    for (const Written& flag : flags) text += (text.empty() ? "" : " ") + flag.text;
    if (!flags.empty()) add_archs(name, text, ArchDialect::nvcc, flags.front(), recipe);
}

// The options of one nvcc call.
void read_nvcc(const Command& command, RecipeFacts& recipe) {
    NvccCall call;
    bool has_source = false;
    for (std::size_t i = 1; i < command.words.size(); ++i) {
        const std::string& word = command.words[i].text;
        const std::string next = i + 1 < command.words.size() ? command.words[i + 1].text : "";
        if (word == "--version" || word == "-V" || word == "--help" || word == "-h") return;
        if (word == "-o" || word == "--output-file") call.output = next;
        if (starts_with(word, "-o=") || starts_with(word, "--output-file="))
            call.output = word.substr(word.find('=') + 1);
        static const std::vector<std::string> modes = split(
            "-ptx --ptx -cubin --cubin -fatbin --fatbin -c --compile -dc --device-c -dw -optix-ir "
            "--optix-ir -E --preprocess -M --generate-dependencies -MM -lib --lib -dlink "
            "--device-link -cuda --cuda -ltoir --ltoir",
            " ");
        if (contains(modes, word)) call.mode = word;
        has_source = has_source || ends_with(word, ".cu") || ends_with(word, ".cpp") || ends_with(word, ".c");
    }
    add_flags("nvcc", command, recipe);
    if (!has_source && call.output.empty()) return;
    recipe.compiles.push_back(compile_step(words_of(command, 4), command.words.front()));
    recipe.compiles.back().needs_nvcc = true;
    if (call.output.empty()) return;
    call.origin = origin_of(command.words.front());
    recipe.nvcc_calls.push_back(std::move(call));
}

struct CMakeOptions {
    bool cuda = false;   // -DCMAKE_CUDA_ARCHITECTURES=80, -DGGML_CUDA=ON or similar options enable it
    bool needs = false;  // CMake ends with an error without nvcc
};
CMakeOptions read_cmake_options(const std::vector<Written>& words, RecipeFacts& recipe) {
    CMakeOptions options;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (!starts_with(words[i].text, "-D")) continue;
        const bool apart = words[i].text == "-D" && i + 1 < words.size();
        const Written& word = words[apart ? ++i : i];
        const auto defined = cmake_definition(apart ? "-D" + word.text : word.text);
        if (!defined) continue;
        const auto& [name, value] = *defined;
        const auto setting = arch_option(name, value);
        if (setting) add_archs(name, setting->text, setting->dialect, word, recipe);
        const bool on = is_on(value);
        options.cuda = options.cuda || name == "CMAKE_CUDA_ARCHITECTURES" || name == "CMAKE_CUDA_COMPILER" ||
                       ((name.find("CUDA") != std::string::npos || name == "LLAMA_CUBLAS") && on);
        options.needs = options.needs || (on && is_one_of(name, {"GGML_CUDA", "LLAMA_CUDA", "LLAMA_CUBLAS"}));
    }
    return options;
}

void read_cmake(const Command& command, RecipeFacts& recipe) {
    const CMakeOptions options = read_cmake_options(command.words, recipe);
    if (!options.cuda) return;
    recipe.compiles.push_back(compile_step(words_of(command, 3), command.words.front()));
    recipe.compiles.back().needs_nvcc = options.needs;
}

// python setup.py install: only its sources show whether it compiles device code, unless its options contain
// CUDA.
void read_setup(const Command& command, RecipeFacts& recipe) {
    const auto names_cuda = [](const Written& word) {
        const std::string text = lower(word.text);
        return text.find("cuda") != std::string::npos || text.find("fused_kernels") != std::string::npos;
    };
    if (!any_of(command.words, names_cuda)) return;
    recipe.compiles.push_back(compile_step(words_of(command, 4), command.words.front()));
    recipe.compiles.back().needs_nvcc = true;
    // NVIDIA's apex, and Megatron's kernels: extensions of torch.
    recipe.compiles.back().imports_torch = any_of(command.words, [](const Written& word) {
        return word.text.find("cuda_ext") != npos || word.text.find("fused_kernels") != npos;
    });
}

// make NVCCFLAGS="-gencode arch=compute_80,code=sm_80", cmake -DCMAKE_CUDA_FLAGS=-arch=sm_80
std::vector<Written> flags_in_values(const Command& command) {
    std::vector<Written> flags;
    for (const Written& word : command.words) {
        const std::size_t equals = word.text.find('=');
        const std::size_t begin = starts_with(word.text, "-D") ? 2 : 0;
        const std::size_t colon = std::min(word.text.find(':'), equals);  // -DNAME:STRING=
        if (equals == npos || !is_name(word.text.substr(begin, colon - begin))) continue;
        const std::vector<std::string> parts = split(word.text.substr(equals + 1), " \t;\"'");
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const bool pair = parts[i] == "-gencode" && i + 1 < parts.size();
            if (!pair && !starts_with(parts[i], "-gencode=") && !starts_with(parts[i], "-arch=sm_")) continue;
            flags.push_back(word);
            flags.back().text = parts[i];
            if (!pair) continue;
            flags.push_back(word);
            flags.back().text = parts[++i];
        }
    }
    return flags;
}

}  // namespace

// nvcc's own call, and compiler flags in another kind of build script.
std::vector<Written> arch_flags(const Command& command) {
    std::vector<Written> flags;
    const std::string program = program_name(command.words.front().text);
    const bool nvcc = program == "nvcc";
    if (program == "make" || program == "cmake") return flags_in_values(command);
    for (std::size_t i = 0; i < command.words.size(); ++i) {
        const std::string& word = command.words[i].text;
        const bool pair = nvcc && is_one_of(word, {"-arch", "--gpu-architecture", "-gencode",
                                                   "--generate-code", "-code", "--gpu-code"});
        const bool joined = nvcc ? starts_with(word, "-arch=") || starts_with(word, "-gencode=") ||
                                       starts_with(word, "--generate-code=") ||
                                       starts_with(word, "--gpu-architecture=")
                                 : starts_with(word, "-gencode");
        if (pair || joined) flags.push_back(command.words[i]);
        if (pair && i + 1 < command.words.size()) flags.push_back(command.words[++i]);
    }
    return flags;
}

bool compiles_programs(const Command& command) {
    return !command.words.empty() &&
           is_one_of(program_name(command.words.front().text),
                     {"nvcc", "cmake", "make", "ninja", "meson", "bazel", "cargo", "go", "gcc", "g++"});
}

CompileStep compile_step(const std::string& what, const Written& at) {
    CompileStep step;
    step.what = what;
    step.origin = origin_of(at);
    return step;
}

bool reads_cuda_on(const std::vector<Written>& words, RecipeFacts& recipe) {
    return read_cmake_options(words, recipe).cuda;
}

void add_command(const Command& command, RecipeFacts& recipe) {
    if (command.words.empty()) return;
    const std::string program = program_name(command.words.front().text);
    if (program == "nvcc") return read_nvcc(command, recipe);
    if (program == "cmake") {
        add_flags("-gencode", command, recipe);
        return read_cmake(command, recipe);
    }
    const bool python = starts_with(program, "python");
    if (python && command.words.size() > 2 && file_name(command.words[1].text) == "setup.py")
        read_setup(command, recipe);
    add_flags("-gencode", command, recipe);
}

bool is_arch_variable(std::string_view name) {
    const std::vector<std::string_view>& all = arch_variables();
    return contains(all, name);
}

bool add_arch_variable(const SetVariable& variable, RecipeFacts& recipe) {
    if (!is_arch_variable(variable.name)) return false;
    if (const auto setting = arch_variable(variable.name, variable.value.text))
        add_archs(variable.name, setting->text, setting->dialect, variable.value, recipe);
    return true;
}

}  // namespace ptxguard::recipes
