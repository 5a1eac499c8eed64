// SPDX-License-Identifier: Apache-2.0
#include "model/loading.hpp"

#include <string_view>
#include <utility>

#include "model/text.hpp"

namespace ptxguard {
namespace {

constexpr std::pair<LoadStep, const char*> k_words[] = {
    {LoadStep::rpath, "DT_RPATH of "},
    {LoadStep::runpath, "DT_RUNPATH of "},
    {LoadStep::ld_library_path, "LD_LIBRARY_PATH"},
    {LoadStep::ld_preload, "LD_PRELOAD"},
    {LoadStep::import, "import of "},
    {LoadStep::preload, "preload of "},
    {LoadStep::finder, "found by "},
    {LoadStep::path, "PATH"},
    {LoadStep::current_folder, "current folder"},
    {LoadStep::windows, "Windows"},
};

}  // namespace

LoadRule::LoadRule(LoadStep step_, const std::string& of) : step(step_) {
    for (const auto& [known, word] : k_words)
        if (known == step) text = word + of;
}

LoadRule::LoadRule(std::string other)
    : step(other.empty() ? LoadStep::none : LoadStep::other), text(std::move(other)) {}

LoadRule LoadRule::from_text(const std::string& text) {
    for (const auto& [step, word] : k_words)
        if (starts_with(text, word)) return {step, text.substr(std::string_view(word).size())};
    return text;
}

std::string deciding_variable(const LoadRule& rule) {
    switch (rule.step) {
        case LoadStep::ld_library_path:
            return "LD_LIBRARY_PATH";
        case LoadStep::ld_preload:
            return "LD_PRELOAD";
        case LoadStep::path:
            return "PATH";
        default:
            return {};
    }
}

const LoadedFile* LoadTrace::library(const std::string& library_name) const {
    for (const LoadedFile& library : libraries)
        if (library.library == library_name) return &library;
    return nullptr;
}

}  // namespace ptxguard
