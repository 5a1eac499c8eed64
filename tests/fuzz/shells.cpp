// The readers of recipes as text: shells, Dockerfiles, Makefiles, CMake files, setup.py, comments that
// suppress findings.
// SPDX-License-Identifier: Apache-2.0
#include "ask.hpp"
#include "recipes/base/suppressions.hpp"
#include "recipes/containers/dockerfile.hpp"
#include "recipes/find/gitignore.hpp"
#include "recipes/shell/scripts.hpp"
#include "recipes/shell/shell.hpp"

using namespace ptxguard;
using namespace ptxguard::recipes;

namespace {

void look_at_recipe(const Recipe& recipe) {
    for (const Stage& stage : recipe.stages) {
        look_at(stage.name);
        for (const recipes::Step& step : stage.steps)
            if (const auto* command = std::get_if<recipes::Command>(&step))
                for (const Written& word : command->words) look_at(word.text);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const ReadFile same = [&](const std::string& path, const Written&) -> std::optional<FileText> {
        if (path.size() > 40) return std::nullopt;
        return FileText{path, "-r other.txt\ntorch==2.5.1\n"};
    };
    for (const ShellKind kind : {ShellKind::posix, ShellKind::cmd, ShellKind::powershell}) {
        Shell shell;
        shell.kind = kind;
        shell.is_script = true;
        shell.files = same;
        (void)read_shell(PlacedText("x", text), shell);
    }
    look_at_recipe(read_dockerfile("Dockerfile", text, same));
    look_at_recipe(read_dockerfile("Dockerfile", "FROM a\nRUN " + text, same));
    look_at_recipe(read_makefile("Makefile", text, same));
    look_at_recipe(read_setup_script("setup.py", text));
    look_at_recipe(read_setup_script("setup.cfg", text));
    look_at_recipe(read_cmake_lists("CMakeLists.txt", text));
    look_at_recipe(read_cmake_presets("CMakePresets.json", text));
    Problems problems;
    (void)read_suppressions("x", text, problems);
    GitIgnore ignore;
    ignore.add("a", text);
    (void)ignore.excludes("a/b/c.txt", false);
    return 0;
}
