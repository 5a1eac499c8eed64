// .travis.yml: the jobs of `jobs: include:` (`matrix: include:`), or one for each line of `env`; the phases
// of a job override those at the top.
// SPDX-License-Identifier: Apache-2.0
#include "model/text.hpp"
#include "recipes/ci/cibuildwheel.hpp"
#include "recipes/ci/expressions.hpp"
#include "recipes/ci/workflow.hpp"
#include "recipes/shell/job.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_travis_rows{256, "jobs", "later ones", "Travis"};

// The releases of Ubuntu that `dist` names, as other systems name such a machine.
const std::map<std::string, std::string>& platforms() {
    static const std::map<std::string, std::string> table = {
        {"trusty", "ubuntu-14.04"}, {"xenial", "ubuntu-16.04"}, {"bionic", "ubuntu-18.04"},
        {"focal", "ubuntu-20.04"},  {"jammy", "ubuntu-22.04"},  {"noble", "ubuntu-24.04"}};
    return table;
}

class Travis {
public:
    Travis(const Tree& root, Recipe& recipe, const ReadFile& files)
        : m_root(root), m_recipe(recipe), m_files(files) {}

    void read() {
        const Tree none;
        std::size_t count = 0;
        const auto job = [&](const Tree& own, const Tree& env) {
            return !m_recipe.problems.exceeds(k_most_travis_rows, ++count, Written{"", m_recipe.file}) &&
                   read_job(count, own, env);
        };
        const Tree& rows = rows_of_env();
        bool expands = false;
        for (const Tree* row : rows.each()) {
            expands = true;
            if (!job(none, *row)) return;
        }
        for (const char* key : {"jobs", "matrix"})
            for (const Tree* own : m_root[key]["include"].each()) {
                expands = true;
                // Without an own `env` it has the first line of the list.
                const Tree& env = (*own)["env"];
                const Tree* first = rows.each().empty() ? &none : rows.each().front();
                if (!job(*own, env ? env : *first)) return;
            }
        if (!expands) job(none, none);
    }

private:
    // `env: [A=1, A=2]`; of `env: {global: ..., jobs: ...}` the latter.
    const Tree& rows_of_env() const {
        const Tree& env = m_root["env"];
        if (!env.is_map()) return env;
        return env["jobs"] ? env["jobs"] : env["matrix"];
    }

    // "CUDA=10.2 ARCH=sm_75", a list of such texts, or a map.
    void set_all(const Tree& env, Job& out) const {
        for (const Tree* one : env.each()) {
            for (const auto& [name, value] : one->members)
                if (value.is_scalar() && name.text != "secure")
                    out.set(name.text, written(value, m_recipe.file));
            if (!one->is_scalar()) continue;
            const PlacedText pairs = script(*one, m_recipe.file, Scope(m_recipe.problems));
            PlacedText command(m_recipe.file);
            command.append("export ", pairs.place(0));
            command.append(pairs.text, pairs.place(0));
            out.go_on(command);
        }
    }

    const Tree& own_or_common(const Tree& own, const char* key) const {
        return own[key] ? own[key] : m_root[key];
    }

    void install_packages(const Tree& packages, Job& out) const {
        AptInstall install;
        for (const Tree* one : packages.each())
            if (one->is_scalar()) install.packages.push_back({one->text, "", written(*one, m_recipe.file)});
        if (install.packages.empty()) return;
        install.whole = install.packages.front().whole;
        out.add(std::move(install));
    }

    bool read_job(std::size_t number, const Tree& own, const Tree& env) {
        Job out(m_recipe, m_files);
        out.stage.name = "job " + (own["name"].is_scalar() ? own["name"].text : std::to_string(number));
        const Tree& dist = own_or_common(own, "dist");
        const Tree& os = own_or_common(own, "os");
        const auto platform = platforms().find(dist.text);
        const bool on_linux = os.is_list() || os.text.empty() || os.text == "linux";
        if (on_linux && dist.is_scalar() && platform != platforms().end()) {
            out.stage.platform = written(dist, m_recipe.file);
            out.stage.platform.text = platform->second;
        }
        if (m_root["env"].is_map()) set_all(m_root["env"]["global"], out);
        set_all(env, out);
        if (on_linux) install_packages(own_or_common(own, "addons")["apt"]["packages"], out);
        for (const char* phase : {"before_install", "install", "before_script", "script"})
            for (const Tree* line : own_or_common(own, phase).each())
                if (line->is_scalar()) {
                    const PlacedText text = script(*line, m_recipe.file, Scope(m_recipe.problems));
                    out.go_on(text);
                    run_cibuildwheel(text, false, false, m_files, out);
                }
        return out.finish();
    }

    const Tree& m_root;
    Recipe& m_recipe;
    const ReadFile& m_files;
};

}  // namespace

bool is_travis(const Tree& root) {
    return root["language"].is_scalar() || root["dist"].is_scalar() || root["jobs"]["include"].is_list() ||
           root["matrix"]["include"].is_list();
}

void read_travis(const Tree& root, Recipe& recipe, const ReadFile& files) {
    Travis(root, recipe, files).read();
}

}  // namespace ptxguard::recipes
