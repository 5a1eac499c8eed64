// SPDX-License-Identifier: Apache-2.0
#include "model/loading.hpp"

#include "model/text.hpp"

namespace ptxguard {
namespace {

struct Start {
    const char* text;
    LoadStep step;
};
constexpr Start k_starts[] = {
    {"DT_RPATH of ", LoadStep::rpath},
    {"DT_RUNPATH of ", LoadStep::runpath},
    {"LD_LIBRARY_PATH", LoadStep::ld_library_path},
    {"LD_PRELOAD", LoadStep::ld_preload},
    {"import of ", LoadStep::import},
    {"preload of ", LoadStep::import},
    {"found by ", LoadStep::finder},
    {"PATH", LoadStep::path},
    {"current folder", LoadStep::current_folder},
    {"Windows", LoadStep::windows},
};

}  // namespace

LoadRule::LoadRule(std::string text_) : text(std::move(text_)) {
    if (text.empty()) return;
    step = LoadStep::other;
    for (const Start& start : k_starts)
        if (starts_with(text, start.text)) step = start.step;
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
