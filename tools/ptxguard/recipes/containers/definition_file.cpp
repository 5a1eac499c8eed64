// SPDX-License-Identifier: Apache-2.0
#include "recipes/containers/definition_file.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/limit.hpp"
#include "model/text.hpp"
#include "recipes/base/context_files.hpp"
#include "recipes/base/placed_text.hpp"
#include "recipes/base/template_text.hpp"
#include "recipes/containers/docker_builds.hpp"
#include "recipes/installers/match_spec.hpp"
#include "recipes/shell/shell.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_stages{100, "stages of a definition file", "later stages"};

// `apptainer build base.sif base.def`: an image in a file is built from the definition beside it.
constexpr const char* k_image_files[] = {".sif", ".simg", ".img"};

bool is_header_of_stage(std::string_view line) { return starts_with(lower(line.substr(0, 9)), "bootstrap"); }

class DefinitionReader {
public:
    DefinitionReader(const std::string& file, std::string_view text, const ReadFile& files, bool linked)
        : m_lines(lines_of(text)), m_files(files), m_linked(linked), m_context(files) {
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
        const int number = static_cast<int>(index) + 1;
        // A second header starts at the margin; no command in %post starts with this name.
        const std::string_view bare = trimmed(m_lines[index]);
        if (is_header_of_stage(bare) && bare.find(':') != npos) return begin(index);
        if (starts_with(m_lines[index], "%")) {
            m_section = split(bare.substr(1), " \t");
            if (!m_section.empty()) m_section.front() = lower(m_section.front());
            return;
        }
        if (m_recipe.stages.empty()) return;
        const Written whole = filled_line(m_lines[index], number);
        if (m_section.empty()) return header(whole);
        if (is_section("files")) return copy(whole);
        PlacedText* script = is_section("post")          ? &m_post
                             : is_section("environment") ? &m_environment
                                                         : nullptr;
        if (script) script->append(whole.text + "\n", {number, 1});
    }

    // "{{ NAME }}" is replaced in all sections before any of them is read.
    Written filled_line(std::string_view line, int number) {
        Written result{"", m_recipe.file, number, 1};
        if (line.find("{{") == npos) {
            result.text = std::string(line);
            return result;
        }
        const auto value = [&](std::string_view name) -> std::optional<std::string> {
            const auto found = m_arguments.find(name);
            if (found != m_arguments.end()) return found->second;
            // Only --build-arg gives it: a variable that no command sets.
            return is_section("post") ? std::optional("${" + std::string(name) + "}") : std::nullopt;
        };
        result.text = filled(line, "{{", value, Written(result), m_recipe.problems, result.known);
        result.fixed = false;  // --build-arg overrides it
        m_open_lines.insert(number);
        return result;
    }

    bool is_section(const char* name) const { return !m_section.empty() && m_section.front() == name; }

    void begin(std::size_t index) {
        const std::string_view text = m_lines[index];
        m_ended = m_recipe.problems.exceeds(k_most_stages, m_recipe.stages.size() + 1,
                                            Written{"", m_recipe.file, static_cast<int>(index) + 1, 1});
        if (m_ended) return;
        finish();
        m_section.clear();
        m_registry.clear();
        m_context = ContextFiles(m_files);
        m_recipe.stages.emplace_back();
        m_agent = lower(trimmed(text.substr(text.find(':') + 1)));
        read_arguments(index + 1);
    }

    // %arguments of the stage that starts here: they count above that section, too.
    void read_arguments(std::size_t index) {
        m_arguments.clear();
        bool inside = false;
        for (; index < m_lines.size() && !is_header_of_stage(trimmed(m_lines[index])); ++index) {
            const std::string_view text = trimmed(m_lines[index]);
            if (starts_with(m_lines[index], "%"))
                inside = lower(text) == "%arguments";
            else if (const std::size_t equals = text.find('='); inside && equals != npos && text[0] != '#')
                m_arguments[std::string(trimmed(text.substr(0, equals)))] =
                    without_quotes(text.substr(equals + 1));
        }
    }

    void header(const Written& whole) {
        const std::size_t colon = whole.text.find(':');
        if (colon == npos) return;
        const std::string key = lower(trimmed(std::string_view(whole.text).substr(0, colon)));
        Written value = whole;
        const std::size_t at = std::min(whole.text.find_first_not_of(" \t", colon + 1), whole.text.size());
        const std::size_t end = std::min(whole.text.find('#', at), whole.text.size());  // a comment
        value.text = trim(whole.text.substr(at, end - at));
        value.column = static_cast<int>(at) + 1;
        if (key == "registry" || key == "namespace") m_registry += value.text + "/";
        if (key == "from" && starts_with(m_agent, "docker")) {
            value.text = m_registry + value.text;
            m_recipe.stages.back().image = std::move(value);
        } else if (key == "from" && m_agent == "localimage") {
            link_base(value);
        } else if (key == "stage") {
            m_recipe.stages.back().name = lower(value.text);
        }
    }

    // Only the names of the files belong together.
    void link_base(const Written& image) {
        for (const char* end : k_image_files) {
            if (m_linked || !image.known || !ends_with(image.text, end)) continue;
            const std::string stem = image.text.substr(0, image.text.size() - std::string(end).size());
            const auto file = m_files ? m_files(stem + ".def", image) : std::nullopt;
            if (!file || !file->known || file->file == m_recipe.file) return;
            Recipe built = DefinitionReader(file->file, file->text, m_files, true).read();
            if (built.stages.empty()) return;
            const std::size_t first = m_recipe.stages.size() - 1;
            for (Stage& stage : built.stages) {
                stage.image.fixed = false;
                m_recipe.stages.insert(m_recipe.stages.end() - 1, std::move(stage));
            }
            Stage own = std::move(m_recipe.stages.back());
            m_recipe.stages.pop_back();
            prefix_stages(m_recipe, first, "base " + image.text);
            own.base = m_recipe.stages.back().name;
            m_recipe.stages.push_back(std::move(own));
            m_recipe.problems.take(built.problems);
            return;
        }
    }

    // "SOURCE [DESTINATION]"; the sources of `%files from STAGE` are not files of the repository.
    void copy(const Written& line) {
        const std::vector<std::string> words = split(line.text, " \t");
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
            for (Step& step : read_shell(*script, shell)) {
                open_values(step, [&](const Written& one) {
                    return one.file == m_recipe.file && m_open_lines.count(one.line) != 0;
                });
                m_recipe.stages.back().steps.push_back(std::move(step));
            }
            m_recipe.problems.take(shell.problems);
        }
        m_post = m_environment = PlacedText(m_recipe.file);
    }

    const std::vector<std::string_view> m_lines;
    const ReadFile& m_files;
    const bool m_linked;  // another definition starts from it
    ContextFiles m_context;
    Recipe m_recipe;
    std::vector<std::string> m_section;  // "post", "-c", "/bin/bash"; empty = the header
    std::string m_agent, m_registry;     // of the header: "docker", "nvcr.io/nvidia/"
    std::map<std::string, std::string, std::less<>> m_arguments;
    std::set<int> m_open_lines;  // with values that --build-arg overrides
    bool m_ended = false;        // at a limit
    PlacedText m_post = PlacedText(""), m_environment = PlacedText("");
};

}  // namespace

Recipe read_definition_file(const std::string& file, std::string_view text, const ReadFile& files) {
    return DefinitionReader(file, without_mark(text), files, false).read();
}

}  // namespace ptxguard::recipes
