// `lint --fix` on the disk: what is written, and what is not and why. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/replace.hpp"
#include "model/finding.hpp"
#include "recipes/base/allowed_files.hpp"

namespace ptxguard {

// The path of this machine at which a recipe is written: the target of a link, which stays a link. An error
// if it is outside of the repository or cannot be replaced without a loss.
Result<std::string> writable_path(const recipes::AllowedFiles& files, const std::string& file);

struct NewRecipe {
    std::string file;           // as it was found
    std::string before, after;  // its text
};

// All new texts are on the disk before the first file is replaced. If one cannot be, no file is changed;
// after that, only one that was changed meanwhile is left alone.
class RecipeWriter {
public:
    explicit RecipeWriter(const recipes::AllowedFiles& files) : m_files(files) {}

    void prepare(const NewRecipe& recipe);
    // Returns the files that were not changed, with the reason.
    std::vector<Trouble> finish();

private:
    // A file with all names under which it was found.
    struct Target {
        std::vector<std::string> names;
        std::string after;
        std::optional<own::NewText> text;
    };
    void refuse(const std::string& file, const Trouble& trouble);

    const recipes::AllowedFiles& m_files;
    std::map<std::string, Target> m_targets;  // by path
    std::vector<Trouble> m_refused;
};

// What killed runs left in the folders of these files.
void remove_leftovers(const recipes::AllowedFiles& files, const std::set<std::string>& recipes);

// `per-file-ignores`: suppressions for the files that match a pattern.

struct FileSuppression {
    std::string pattern, code, reason;
};
// "tests/:CC603=why"; nothing if a component is missing.
std::optional<FileSuppression> parse_file_suppression(const std::string& text);
// The files that patterns as in .gitignore name. They are relative to the folder of the configuration file in
// `origin`, else to the working folder.
std::function<bool(const std::string& file, bool is_folder)> files_named(
    const std::vector<std::string>& patterns, const Origin& origin);
// Patterns are relative to the folder of the configuration file in `origin`, else to the working folder.
Suppression suppression_of(const FileSuppression& given, const Origin& origin);

}  // namespace ptxguard
