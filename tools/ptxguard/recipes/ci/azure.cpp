// Pipelines of Azure: stages, jobs, their matrices, variables ($(NAME) and environment), templates of the
// repository.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <utility>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/template_text.hpp"
#include "recipes/base/yaml_files.hpp"
#include "recipes/ci/azure_level.hpp"
#include "recipes/ci/azure_tasks.hpp"
#include "recipes/ci/cibuildwheel.hpp"
#include "recipes/ci/expressions.hpp"
#include "recipes/ci/never_run.hpp"
#include "recipes/ci/workflow.hpp"
#include "recipes/shell/job.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_deepest_template{20, "templates in templates", "deeper ones"};
constexpr Limit k_most_templates{2000, "uses of templates", "later ones"};
constexpr Limit k_most_template_files{500, "files of templates", "later ones"};
constexpr Limit k_most_azure_rows{256, "rows of a pipeline's matrix", "later rows"};

std::string lower_name(std::string_view name) { return lower(std::string(name)); }

// The variable of the environment for `cuda.version`: CUDA_VERSION.
std::string environment_variable(const std::string& name) {
    std::string result = upper(name);
    for (char& c : result)
        if (c == '.' || c == ' ') c = '_';
    return result;
}

class Azure {
public:
    Azure(const Tree& root, Recipe& recipe, const ReadFile& files)
        : m_root(root), m_recipe(recipe), m_files(files), m_templates(files, recipe, k_most_template_files) {}

    void read() {
        AzureLevel top{&m_recipe.file, {}, 0, false};
        add_defaults(m_root["parameters"], top);
        for (const Tree* container : m_root["resources"]["containers"].each())
            m_containers[(*container)["container"].text] = &(*container)["image"];
        read_level(m_root, top, {});
        pull_others();
    }

private:
    // The variables of the levels above a job, outer ones first.
    struct Around {
        std::vector<std::pair<const Tree*, AzureLevel>> variables;
        const Tree* pool = nullptr;
        std::string title;
    };

    // Containers that jobs name by variables.
    void pull_others() {
        Stage stage;
        stage.name = "containers";
        for (const auto& [name, image] : m_containers) {
            if (!image->is_scalar() || m_used.count(name)) continue;
            Command pull;
            for (const char* word : {"docker", "pull"})
                pull.words.push_back({word, m_recipe.file, image->line, image->column});
            pull.words.push_back(value(*image, {&m_recipe.file, {}, 0, false}));
            stage.steps.push_back(std::move(pull));
        }
        if (!stage.steps.empty()) m_recipe.stages.push_back(std::move(stage));
    }

    // A pipeline, a stage, or a template of one of them.
    bool read_level(const Tree& tree, const AzureLevel& level, Around around) {
        if (tree["variables"]) around.variables.emplace_back(&tree["variables"], level);
        if (tree["pool"]) around.pool = &tree["pool"];
        for (const char* key : {"stages", "jobs"}) {
            const Tree& list = tree[key];
            if (list && !each_item(list, level, key, [&](const Tree& one, const AzureLevel& own) {
                    return std::string(key) == "stages" ? read_stage(one, own, around)
                                                        : read_job(one, own, around);
                }))
                return false;
        }
        return tree["jobs"] || tree["stages"] || !tree["steps"] || read_job(tree, level, around);
    }

    // It, or one that it depends on by name.
    bool never_runs(const Tree& one, const std::string& name, const AzureLevel& level,
                    std::set<std::string>& off) {
        const bool needs_one =
            any_of(one["dependsOn"].each(), [&](const Tree* need) { return off.count(need->text) > 0; });
        const bool never = never_holds(one["condition"], *level.file, m_recipe.problems) ||
                           (needs_one && !ignores_needs(one["condition"]));
        if (never && !name.empty()) off.insert(name);
        return never;
    }

    bool read_stage(const Tree& stage, const AzureLevel& level, Around around) {
        if (never_runs(stage, stage["stage"].text, level, m_off_stages)) return true;
        m_off_jobs.clear();
        around.title += stage["stage"].text.empty() ? "" : stage["stage"].text + " / ";
        return read_level(stage, level, std::move(around));
    }

    // The items of a list, with those of its templates and of the conditions that hold: `${{ if X }}:`.
    template <class Each>
    bool each_item(const Tree& list, const AzureLevel& level, const char* key, const Each& each) {
        for (const Tree* item : list.each()) {
            if (const Tree& file = (*item)["template"]; file.is_scalar()) {
                if (!each_of_template(file, (*item)["parameters"], level, key, each)) return false;
                continue;
            }
            const Tree* name = item->members.empty() ? nullptr : &item->members.front().first;
            if (!name || !starts_with(name->text, "${{")) {
                if (!each(*item, level)) return false;
                continue;
            }
            if (const auto rounds = rounds_of(name->text, level)) {
                for (const AzureLevel& round : *rounds)
                    if (!each_item(item->members.front().second, round, key, each)) return false;
                continue;
            }
            const Truth holds = condition_in(*name, level);
            if (holds == Truth::no) continue;
            AzureLevel inner = level;
            inner.open = level.open || holds == Truth::unknown;
            if (!each_item(item->members.front().second, inner, key, each)) return false;
        }
        return true;
    }

    template <class Each>
    bool each_of_template(const Tree& file, const Tree& given, const AzureLevel& level, const char* key,
                          const Each& each) {
        const Written name = filled(file, *level.file, scope_of(level));
        if (!name.known || name.text.find('@') != npos ||  // of another repository
            m_recipe.problems.exceeds(k_deepest_template, level.depth + 1, name) ||
            m_recipe.problems.exceeds(k_most_templates, ++m_uses, name))
            return true;
        const std::string beside = join_path(parent_path(*level.file), name.text);
        const bool from_root = starts_with(name.text, "/");
        const std::string top = parent_path(m_recipe.file);
        std::string path = from_root ? name.text.substr(1) : beside;
        if (!from_root && starts_with(path, top + "/")) path.erase(0, top.size() + 1);
        const YamlFiles::File* found = m_templates.at(normal_path(path, System::linux_), name, false);
        if (!found) return true;
        if (!contains(m_recipe.parts, found->name)) m_recipe.parts.push_back(found->name);
        AzureLevel inner{&found->name, {}, level.depth + 1, level.open};
        add_defaults(found->root["parameters"], inner);
        for (const auto& [parameter, value] : given.members) {
            const Tree* object = value.is_scalar() ? object_in(value.text, level) : &value;
            const Written text = filled(value, *level.file, scope_of(level));
            inner.parameters.erase(parameter.text);
            inner.objects.erase(parameter.text);
            if (object)
                inner.objects[parameter.text] = object;
            else if (value.is_scalar() && text.known)
                inner.parameters[parameter.text] = text.text;
        }
        return each_item(found->root[key], inner, key, each);
    }

    // "${{ if eq(parameters.x, 'y') }}", "${{ else }}"; of `each` and `else` nothing is known.
    Truth condition_in(const Tree& name, const AzureLevel& level) const {
        std::string_view text = trimmed(name.text);
        if (!starts_with(text, "${{") || !ends_with(text, "}}")) return Truth::unknown;
        text = trimmed(text.substr(3, text.size() - 5));
        if (!starts_with(text, "if ")) return Truth::unknown;
        return condition(text.substr(3), scope_of(level), written(name, *level.file));
    }

    Scope scope_of(const AzureLevel& level) const {
        Scope scope(m_recipe.problems);
        scope.inputs = level.parameters;
        scope.loop = level.loop;
        scope.variables = m_values;
        return scope;
    }

    // Replaces "$(NAME)"; of one without a value it is not known.
    Written value(const Tree& tree, const AzureLevel& level) const {
        Written text = filled(tree, *level.file, scope_of(level));
        std::string result;
        std::size_t at = 0;
        for (;;) {
            const std::size_t begin = text.text.find("$(", at);
            const std::size_t end = begin == npos ? npos : text.text.find(')', begin);
            if (end == npos) break;
            const std::string* found =
                m_values.find(lower_name(text.text.substr(begin + 2, end - begin - 2)));
            text.known = text.known && found;
            result += text.text.substr(at, begin - at);
            result += found ? *found : text.text.substr(begin, end + 1 - begin);
            at = end + 1;
            if (m_recipe.problems.exceeds(k_most_filled, result.size(), text)) break;
        }
        text.text = result + text.text.substr(at);
        return text;
    }

    void set(const std::string& name, const Written& given, Job& out) {
        out.set(environment_variable(name), given);
        if (given.known)
            m_values.set(lower_name(name), given.text);
        else
            m_values.erase(lower_name(name));
    }

    void set_all(const Tree& variables, const AzureLevel& level, Job& out) {
        for (const auto& [name, text] : variables.members)
            if (text.is_scalar() && !starts_with(name.text, "${{")) set(name.text, value(text, level), out);
        each_item(variables.is_list() ? variables : Tree{}, level, "variables",
                  [&](const Tree& one, const AzureLevel& own) {
                      if (!one["name"]) {  // a map in a template
                          for (const auto& [name, text] : one.members)
                              if (text.is_scalar() && name.text != "group")
                                  set(name.text, value(text, own), out);
                          return true;
                      }
                      Written given = value(one["value"], own);
                      given.fixed = given.fixed && !own.open;
                      if (one["name"].is_scalar()) set(one["name"].text, given, out);
                      return true;
                  });
    }

    bool read_job(const Tree& job, const AzureLevel& level, const Around& around) {
        const std::string& own = job["job"] ? job["job"].text : job["deployment"].text;
        if (&job != &m_root && never_runs(job, own, level, m_off_jobs)) return true;
        const Tree& matrix = job["strategy"]["matrix"];
        const Tree none;
        if (!matrix.is_map()) return read_row(job, level, around, "", none);
        std::size_t count = 0;
        for (const auto& [name, row] : matrix.members) {
            if (m_recipe.problems.exceeds(k_most_azure_rows, ++count, written(name, *level.file))) break;
            if (row.is_map() && !read_row(job, level, around, name.text, row)) return false;
        }
        return true;
    }

    bool read_row(const Tree& job, const AzureLevel& level, const Around& around, const std::string& name,
                  const Tree& row) {
        Job out(m_recipe, m_files);
        const std::string own = job["job"] ? job["job"].text : job["deployment"].text;
        JobTitle title{around.title + own, ""};
        title.add_row(name);
        out.name(title);
        m_values = {};
        for (const char* folder : {"Build.SourcesDirectory", "System.DefaultWorkingDirectory",
                                   "Build.Repository.LocalPath", "Pipeline.Workspace"})
            set(folder, {std::string(k_workspace), m_recipe.file}, out);
        for (const auto& [variables, of] : around.variables) set_all(*variables, of, out);
        set_all(row, level, out);
        if (&job != &m_root) set_all(job["variables"], level, out);
        set_machine(job, level, around, out);
        each_item(job["steps"], level, "steps", [&](const Tree& step, const AzureLevel& of) {
            read_step(step, of, out);
            return true;
        });
        return out.finish();
    }

    void set_machine(const Tree& job, const AzureLevel& level, const Around& around, Job& out) {
        const Tree& pool = job["pool"] ? job["pool"] : around.pool ? *around.pool : job["pool"];
        if (pool["vmImage"].is_scalar()) out.stage.platform = value(pool["vmImage"], level);
        const std::string machine = lower(out.stage.platform.text);
        m_is_windows = machine.find("windows") != npos || starts_with(machine, "vs20");
        const Tree& container = job["container"];
        const Tree& named = container.is_map() ? container["image"] : container;
        if (!named.is_scalar()) return;
        out.stage.image = value(named, level);
        const auto resource = m_containers.find(out.stage.image.text);
        if (resource == m_containers.end()) return;
        m_used.insert(resource->first);
        out.stage.image = value(*resource->second, {&m_recipe.file, {}, 0, false});
    }

    PlacedText text_of(const Tree& text, const AzureLevel& level) const {
        const Scope scope = scope_of(level);
        const PlacedText first = script(text, *level.file, scope);
        return filled_lines(
            first.written(0, first.text), "$(", ")",
            [&](std::string_view name, const Written&) -> std::optional<std::string> {
                const std::string* found = m_values.find(lower_name(name));
                return found ? std::optional(*found) : std::nullopt;
            },
            [](std::string_view name) { return "$(" + std::string(name) + ")"; }, m_recipe.problems);
    }

    void read_step(const Tree& step, const AzureLevel& level, Job& out) {
        const Truth runs = step["condition"].is_scalar() ? condition(step["condition"].text, scope_of(level),
                                                                     written(step["condition"], *level.file))
                                                         : Truth::yes;
        if (runs == Truth::no || step["enabled"].text == "false") return;
        const bool open = level.open || runs == Truth::unknown;
        const Variables before = out.variables();
        for (const auto& [name, text] : step["env"].members)
            if (text.is_scalar()) out.set(name.text, value(text, level), false);
        const Tree& inputs = step["inputs"];
        const std::string task = lower(step["task"].text.substr(0, step["task"].text.find('@')));
        const ShellKind system = m_is_windows ? ShellKind::cmd : ShellKind::posix;
        const auto run = [&](const Tree& text, ShellKind kind) {
            if (!text.is_scalar()) return;
            const Tree& folder =
                step["workingDirectory"] ? step["workingDirectory"] : inputs["workingDirectory"];
            const PlacedText whole = text_of(text, level);
            out.run(whole, folder ? value(folder, level).text : "", kind, open);
            if (!folder) run_cibuildwheel(whole, m_is_windows, open, m_files, out);
        };
        run(step["script"], system);
        run(step["bash"], ShellKind::posix);
        run(step["pwsh"], ShellKind::powershell);
        run(step["powershell"], ShellKind::powershell);
        if (task == "bash") run(inputs["script"], ShellKind::posix);
        if (task == "cmdline") run(inputs["script"], system);
        if (task == "powershell") run(inputs["script"], ShellKind::powershell);
        if (task == "usepythonversion") python(value(inputs["versionSpec"], level), out);
        if (const Written text =
                command_of_task(task, inputs, [&](const Tree& one) { return value(one, level); }))
            command(text.text, text, open, out);
        for (const auto& [name, text] : step["env"].members) out.unset(name.text, before);
        for (const SetVariable& one : out.outputs(open)) set(one.name, one.value, out);
    }

    static void python(const Written& version, Job& out) {
        const bool number = version && version.known && version.text.find_first_not_of("0123456789.") == npos;
        if (number) out.stage.python = version.text;
    }

    // `arguments`: for a shell.
    static void command(const std::string& text, const Written& at, bool open, Job& out) {
        Written whole = at;
        whole.text = text;
        out.run(PlacedText(whole), "", ShellKind::posix, open);
    }
    const Tree& m_root;
    Recipe& m_recipe;
    const ReadFile& m_files;
    YamlFiles m_templates;
    std::size_t m_uses = 0;
    std::map<std::string, const Tree*> m_containers;
    std::set<std::string> m_used;                    // of them
    std::set<std::string> m_off_stages, m_off_jobs;  // those that never run; the jobs of the stage
    SharedMap<std::string> m_values;                 // of the job, by lower-case names
    bool m_is_windows = false;
};

}  // namespace

bool is_azure_pipeline(const Tree& root) {
    const Tree& stages = root["stages"];
    const bool own_stages = stages.is_list() && !stages.items.empty() && stages.items.front().is_map();
    return own_stages || root["jobs"].is_list() || root["steps"].is_list();
}

void read_azure_pipeline(const Tree& root, Recipe& recipe, const ReadFile& files) {
    Azure(root, recipe, files).read();
}

}  // namespace ptxguard::recipes
