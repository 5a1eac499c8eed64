// `ptxguard lint [PATH...]`: the CUDA stack that recipes (Dockerfiles, requirements, workflows ...) would
// create. Runs and downloads nothing.
// SPDX-License-Identifier: Apache-2.0
#include "commands/command.hpp"
#include "commands/run.hpp"
#include "host/paths.hpp"
#include "recipes/find.hpp"
#include "recipes/meaning.hpp"

namespace ptxguard {
namespace {

using recipes::FoundRecipe;
using recipes::Recipe;

struct Lint {
    std::vector<Recipe> recipes;
    Scenario unread;  // what could not be read
};

void tell(Lint& lint, std::string subject, std::string why, bool named, const Location& at) {
    Unreadable one;
    one.subject = std::move(subject);
    one.why = std::move(why);
    one.named_by_user = named;
    one.origin = Origin::from_file(at.file, at.line);
    one.origin.column = at.column;
    lint.unread.unreadable.push_back(std::move(one));
}

void tell(Lint& lint, const Trouble& trouble, bool named) {
    const std::string why = trouble.what + (trouble.cause.empty() ? "" : ": " + trouble.cause);
    tell(lint, trouble.subject, why, named, Location{trouble.subject, 0, 0});
}

void read_into(Lint& lint, const Host& host, const FoundRecipe& found, bool named) {
    auto text = recipes::read_recipe_text(host, found.path);
    if (!text) return tell(lint, text.trouble(), named);
    Recipe recipe = recipes::read_recipe(host, found, *text);
    for (const Recipe::Problem& problem : recipe.problems) {
        const Location at{problem.at.file.empty() ? found.path : problem.at.file, problem.at.line,
                          problem.at.column};
        tell(lint, at.file + (at.line ? ":" + std::to_string(at.line) : ""), problem.why, false, at);
    }
    lint.recipes.push_back(std::move(recipe));
}

void read_path(Lint& lint, const Host& host, const std::string& path) {
    if (host.status(path).type == FileType::directory) {
        recipes::Search search;
        recipes::find_recipes(host, path, search);
        for (const Trouble& trouble : search.troubles) tell(lint, trouble, false);
        for (const FoundRecipe& found : search.found) read_into(lint, host, found, false);
        return;
    }
    const auto kind = recipes::recipe_kind(path);
    if (kind) return read_into(lint, host, {path, *kind}, true);
    tell(lint,
         {path, "is not a recipe", "lint knows files by their names, such as Dockerfile or requirements.txt"},
         true);
}

}  // namespace

int run_lint(const Settings& settings) {
    auto run = prepare_run(settings);
    if (!run) return usage_error("lint", run.trouble());
    std::vector<std::string> paths = settings.arguments;
    if (paths.empty()) paths = {"."};
    for (const std::string& path : paths)
        if (run->host->status(path).type == FileType::missing)
            return usage_error("lint", {path, "does not exist", ""});
    run->progress->say("reading recipes");
    Lint lint;
    lint.unread.name = "recipes";
    lint.unread.witness = Witness::binary;
    for (const std::string& path : paths) read_path(lint, *run->host, path);
    Report report;
    report.scenarios = recipes::scenarios_of(lint.recipes, run->facts);
    report.scenarios.push_back(std::move(lint.unread));
    return finish_run("lint", *run, settings, std::move(report));
}

}  // namespace ptxguard
