// SPDX-License-Identifier: Apache-2.0
#include "recipes/containers/definition_file.hpp"

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/limit.hpp"
#include "model/text.hpp"
#include "recipes/base/context_files.hpp"
#include "recipes/base/placed_text.hpp"
#include "recipes/shell/shell.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_stages{100, "stages of a definition file", "later stages"};

class DefinitionReader {
public:
    DefinitionReader(const std::string& file, std::string_view text, const ReadFile& files)
        : m_lines(lines_of(text)), m_files(files), m_context(files) {
        m_recipe.kind = RecipeKind::definition_file;
        m_recipe.file = file;
        m_post = m_environment = PlacedText(file);
    }

    Recipe read() {
        for (std::size_t i = 0; i < m_lines.size() && !m_ended; ++i) line(i);
        finish();
        for (Stage& stage : m_recipe.stages) stage.last = &stage == &m_recipe.stages.back();
        return std::move(m_recipe);
    }

private:
    void line(std::size_t index) {
        const std::string_view whole = m_lines[index];
        const std::string_view text = trimmed(whole);
        const int number = static_cast<int>(index) + 1;
        if (starts_with(whole, "%")) {
            m_section = split(text.substr(1), " \t");
            if (!m_section.empty()) m_section.front() = lower(m_section.front());
            return;
        }
        const std::size_t colon = text.find(':');
        const std::string key = colon == std::string_view::npos ? "" : lower(trimmed(text.substr(0, colon)));
        // A second header starts at the margin; no command in %post starts with this name.
        if (key == "bootstrap") return begin(text, colon, number);
        if (m_recipe.stages.empty()) return;
        if (m_section.empty()) return header(key, whole, number);
        if (is_section("files")) return copy(text);
        PlacedText* script = is_section("post")          ? &m_post
                             : is_section("environment") ? &m_environment
                                                         : nullptr;
        if (script) script->append(std::string(whole) + "\n", {number, 1});
    }

    bool is_section(const char* name) const { return !m_section.empty() && m_section.front() == name; }

    void begin(std::string_view text, std::size_t colon, int number) {
        m_ended = m_recipe.problems.exceeds(k_most_stages, m_recipe.stages.size() + 1,
                                            Written{"", m_recipe.file, number, 1});
        if (m_ended) return;
        finish();
        m_section.clear();
        m_context = ContextFiles(m_files);
        m_recipe.stages.emplace_back();
        m_from_docker = starts_with(lower(trimmed(text.substr(colon + 1))), "docker");
    }

    void header(const std::string& key, std::string_view whole, int number) {
        const std::size_t colon = whole.find(':');
        if (colon == std::string_view::npos) return;
        const std::size_t at = std::min(whole.find_first_not_of(" \t", colon + 1), whole.size());
        const std::string value(trimmed(whole.substr(at)));
        if (key == "from" && m_from_docker) {
            Written image = {value, m_recipe.file, number, static_cast<int>(at) + 1};
            image.known = value.find("{{") == std::string::npos;
            m_recipe.stages.back().image = std::move(image);
        }
        if (key == "stage") m_recipe.stages.back().name = lower(value);
    }

    // "SOURCE [DESTINATION]"; the sources of `%files from STAGE` are not files of the repository.
    void copy(std::string_view text) {
        const std::vector<std::string> words = split(text, " \t");
        if (words.empty() || words[0][0] == '#' || m_section.size() > 1) return;
        ContextFiles::Copy copied;
        copied.sources = {words[0]};
        copied.destination = words.size() > 1 ? words[1] : "/" + words[0];
        m_context.add(std::move(copied));
    }

    // %environment applies when the container runs, so its settings come after %post.
    void finish() {
        if (m_recipe.stages.empty()) return;
        for (const PlacedText* script : {&m_post, &m_environment}) {
            Shell shell;
            shell.is_script = script == &m_environment;
            shell.starts_in = "/";
            shell.files = m_files.instead(
                [&](const std::string& path, const Written& by) { return m_context.read(path, "/", by); });
            for (Step& step : read_shell(*script, shell))
                m_recipe.stages.back().steps.push_back(std::move(step));
            m_recipe.problems.take(shell.problems);
        }
        m_post = m_environment = PlacedText(m_recipe.file);
    }

    const std::vector<std::string_view> m_lines;
    const ReadFile& m_files;
    ContextFiles m_context;
    Recipe m_recipe;
    std::vector<std::string> m_section;  // "post", "-c", "/bin/bash"; empty = the header
    bool m_from_docker = false;
    bool m_ended = false;  // at a limit
    PlacedText m_post = PlacedText(""), m_environment = PlacedText("");
};

}  // namespace

Recipe read_definition_file(const std::string& file, std::string_view text, const ReadFile& files) {
    return DefinitionReader(file, without_mark(text), files).read();
}

}  // namespace ptxguard::recipes
