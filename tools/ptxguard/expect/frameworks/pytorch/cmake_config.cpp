// Up to torch 2.6, TorchConfig.cmake sets the std::string ABI for its users; later ones rely on libstdc++'s
// default, and then the libraries are read (libraries.cpp).
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "expect/frameworks/pytorch/pytorch.hpp"
#include "formats/cmake_commands.hpp"
#include "host/paths.hpp"

namespace ptxguard::pytorch {
namespace {

constexpr std::string_view k_macro = "_GLIBCXX_USE_CXX11_ABI=";

Known<int> abi_of(const CMakeCommand& command, const std::string& path) {
    if (command.name != "set" || command.arguments.empty() || command.arguments[0] != "TORCH_CXX_FLAGS")
        return {};
    for (const std::string& argument : command.arguments) {
        const std::size_t at = argument.find(k_macro);
        if (at == std::string::npos) continue;
        const std::string value = argument.substr(at + k_macro.size(), 1);
        if (value == "0" || value == "1") return {value == "1", Origin::from_file(path, command.line)};
    }
    return {};
}

// "CXX_STANDARD 17" of a target, or the feature cxx_std_17.
Known<int> standard_of(const CMakeCommand& command, const std::string& path) {
    const auto& words = command.arguments;
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string number;
        if (words[i] == "CXX_STANDARD" && i + 1 < words.size()) number = words[i + 1];
        if (starts_with(words[i], "cxx_std_")) number = words[i].substr(8);
        for (const int standard : {11, 14, 17, 20, 23, 26})
            if (number == std::to_string(standard))
                return {standard,
                        Origin::from_file(path, command.lines[i + (words[i] == "CXX_STANDARD" ? 1 : 0)])};
    }
    return {};
}

}  // namespace

void read_cmake_config(std::string_view text, const std::string& path, System system,
                       Expectation& expectation) {
    for (const CMakeCommand& command : read_cmake_commands(text)) {
        if (system == System::linux_)
            if (auto abi = abi_of(command, path)) expectation.cxx_abi = abi;
        const bool sets = command.name == "set_target_properties" || command.name == "set_property" ||
                          command.name == "target_compile_features";
        if (!sets) continue;
        if (auto standard = standard_of(command, path)) expectation.cxx_standard = standard;
    }
}

}  // namespace ptxguard::pytorch
