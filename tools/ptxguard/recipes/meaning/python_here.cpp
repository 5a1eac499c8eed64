// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/python_here.hpp"

#include <algorithm>
#include <set>

#include "facts/recipe_tables.hpp"
#include "host/paths.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/machines.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/containers/images.hpp"
#include "recipes/meaning/python_scripts.hpp"
#include "recipes/resolution/pins.hpp"
#include "recipes/shell/activation.hpp"

namespace ptxguard::recipes {

bool is_for_jetson(const RecipeImage& image) {
    return starts_with(file_of(image.name), "l4t-") || starts_with(image.name, "dustynv/");
}

namespace {

// "3.11" of "3.11.4", "=3.11", "3.11.*", "3.11-dev"; empty for ranges, "3" and "3.x".
std::string minor_release(std::string_view text) {
    const std::string plain = trim(std::string(text));
    const std::size_t from = plain.find_first_not_of('=');
    if (from == std::string::npos || plain.find_first_of("<>!~,|*^$ ") < plain.find_first_of("0123456789"))
        return "";
    std::string number = plain.substr(from, plain.find_first_of("-*,| ", from) - from);
    while (ends_with(number, ".") || ends_with(number, "t")) number.pop_back();  // "3.14t": without the GIL
    const auto version = parse_version(number);
    return version && version->numbers.size() > 1 && version->major() == 3 ? version->release() : "";
}

// Programs and packages that bring another Python than the system's.
bool brings_python(const Command& command) {
    return any_of(command.words, [](const Written& word) {
        const std::string name = lower(word.text);
        for (const char* one : {"miniconda", "anaconda", "miniforge", "mambaforge", "micromamba", "pyenv",
                                "python3.", "python-3.", "deadsnakes", "pixi", "update-alternatives"})
            if (name.find(one) != std::string::npos) return true;
        return name == "uv" || name == "module" || ends_with(name, "/uv");
    });
}
// "python3.11"; of dnf and yum also "python39-pip", "rh-python38"
bool brings_python(const AptInstall& step) {
    return any_of(step.packages, [](const AptPackage& one) {
        const std::size_t at = one.name.find("python3");
        const std::string after = at == npos ? "" : one.name.substr(at + 7, 1);
        return !after.empty() && (after[0] == '.' || is_digit(after[0]));
    });
}
// "3.9" of rockylinux:9 and nvidia/cuda:12.4.1-devel-rockylinux9; empty = not known.
std::string python_of_system(const RecipeImage& image, const DistributionToolkit* packaged,
                             const Facts& facts) {
    if (packaged) return packaged->python ? packaged->python->text : "";
    const std::string system = system_of(image, "", facts);
    const std::size_t number = std::min(system.find_first_of("0123456789"), system.size());
    const auto release = parse_version(system.substr(number));
    return release ? python_of_image(facts, system.substr(0, number), *release) : "";
}

// Of "Miniconda3-py39_4.12.0-Linux-x86_64.sh", and the lowest one of "Miniconda3-latest-...".
struct CondaPython {
    std::string release, lowest;
    Origin origin;
    std::string file = {};
    const CondaInstaller* row = nullptr;
};
std::optional<CondaPython> python_of_installer(const Command& command, const Facts& facts) {
    for (const Written& word : command.words) {
        const std::string name = lower(file_of(word.text));
        const std::size_t python = name.find("conda3-py");
        if (python != npos) {
            const std::string digits = name.substr(python + 9, name.find('_') - python - 9);
            if (digits.size() > 1 && digits.find_first_not_of("0123456789") == npos)
                return CondaPython{"3." + digits.substr(1), "", origin_of(word)};
        }
        for (const CondaInstaller& row : recipe_tables(facts).conda_installers)
            if (starts_with(name, row.installer))
                return CondaPython{"", row.python->text, origin_of(word), file_of(word.text), &row};
    }
    return std::nullopt;
}

bool puts_conda_on_path(const SetVariable& set) {
    const std::string value = lower(set.value.text);
    return set.name == "PATH" && (value.find("conda") != npos || value.find("forge") != npos);
}

bool installs_python(const AptInstall& step) {
    return any_of(step.packages, [](const AptPackage& one) {
        return one.name == "python3" || starts_with(one.name, "python3-") || one.name == "python-is-python3";
    });
}

// python3.10, python3.10-venv
std::set<std::string> pythons_of_apt(const std::vector<const Step*>& steps) {
    std::set<std::string> named;
    for (const Step* step : steps)
        if (const auto* apt = std::get_if<AptInstall>(step))
            for (const AptPackage& one : apt->packages)
                if (starts_with(one.name, "python3."))
                    named.insert(one.name.substr(6, one.name.find('-') - 6));
    return named;
}

// "macos-14", "macos-13-large": GitHub's runners have Apple's processors since 14, other than those whose
// name says so. "macos-latest" was on Intel for years.
std::string machine_of_macos(const std::string& platform) {
    if (ends_with(platform, "-m1") || ends_with(platform, "-m2pro")) return "arm64";  // of GitLab
    const std::size_t at = platform.find("macos-");
    if (at == npos) return "";
    const std::string rest = platform.substr(at + 6);
    if (rest.find("-large") != npos || rest.find("intel") != npos) return "x86_64";
    const auto release = parse_version(rest.substr(0, rest.find_first_not_of("0123456789")));
    return !release ? "" : release->major() < 14 && rest.find("xlarge") == npos ? "x86_64" : "arm64";
}

void read_machine(const std::string& platform, bool windows, bool macos, MarkerEnvironment& markers) {
    const std::string machine = machine_in(platform);
    if (machine == "aarch64")
        markers.machine = markers.system == "linux" ? machine : "arm64";
    else if (!machine.empty())
        markers.machine = windows ? "AMD64" : machine;
    else if (starts_with_any(platform, {"ubuntu-", "windows-"}))
        markers.machine = windows ? "AMD64" : "x86_64";  // runners of GitHub
    else if (macos)
        markers.machine = machine_of_macos(platform);
}

void read_platform(const Written& named, PythonHere& here) {
    MarkerEnvironment& markers = here.markers;
    const std::string platform = lower(named.text);
    if (!named.known || platform.empty()) return;
    const auto has = [&](const char* word) { return platform.find(word) != npos; };
    const bool windows = has("windows"), macos = has("macos") || has("darwin");
    if (windows || macos) markers.system = macos ? "darwin" : "win32";
    read_machine(platform, windows, macos, markers);
    if (windows || macos || markers.machine == "aarch64") here.platform = origin_of(named);
}

// Images for one machine or C library, whatever the recipe says of the platform.
void read_platform_of(const RecipeImage& image, PythonHere& here) {
    const auto words = split_fields(image.tag, '-');
    const bool alpine = file_of(image.name) == "alpine" ||
                        any_of(words, [](const std::string& one) { return starts_with(one, "alpine"); });
    if (alpine) here.markers.musl = true;
    const std::string machine = is_for_jetson(image) ? "aarch64" : machine_of_image(image.name, image.tag);
    if (!machine.empty()) here.markers.machine = machine;
    if (alpine || machine == "aarch64") here.platform = image.origin;
}

// The release in the name of a program: "3.11" of "/usr/bin/python3.11".
std::string release_in_program(const std::string& path) {
    const std::string program = file_of(path);
    return starts_with(program, "python3.") ? minor_release(program.substr(6)) : "";
}

// What `python3`, and with it pip, is from this command on. `known`: its own release counts, whatever others
// are there.
struct ChosenPython {
    std::string release;
    bool known = true;
};

// `pyenv global 3.12.4`, `uv python pin 3.12`, `update-alternatives --install /usr/bin/python3 python3
// /usr/bin/python3.11 1`, `ln -sf /usr/bin/python3.11 /usr/bin/python3`.
ChosenPython python_chosen_by(const std::vector<Written>& words) {
    const auto text = [&](std::size_t at) { return at < words.size() ? words[at].text : std::string(); };
    const std::string program = program_name(text(0));
    if (program == "pyenv" && is_one_of(text(1), {"global", "local", "shell"}))
        return {minor_release(text(2))};
    if (program == "uv" && text(1) == "python" && text(2) == "pin") return {minor_release(text(3))};
    if (program != "update-alternatives" && program != "ln") return {};
    const bool several = text(1) == "--install";  // the one with the highest priority counts
    // That of the system's pip; elsewhere on PATH it is another one.
    const std::string link = text(1) == "--set" ? "python3" : "/usr/bin/python3";
    if (std::none_of(words.begin() + 1, words.end(), [&](const Written& one) { return one.text == link; }))
        return {};
    for (const Written& word : words)
        if (const std::string release = release_in_program(word.text); !release.empty())
            return {release, !several};
    return {};
}

// The Python for which the commands of one environment install, one step after another.
class PythonOfSteps {
public:
    PythonOfSteps(const ImageContent& content, const DistributionToolkit* packaged, const Facts& facts)
        : m_facts(facts),
          m_from(content.python_from),
          m_of_system(python_of_system(content.image, packaged, facts)) {
        const RecipeImage& image = content.image;
        m_origin = m_of_image = image.origin;
        m_glibc = glibc_of(image, facts);
        if (file_of(image.name) == "python") m_python = minor_release(image.tag);
        if (m_python.empty() && content.python) {
            m_python = *content.python;
            m_origin = content.python.origin;
        }
        m_of_distribution = m_python.empty() && !m_of_system.empty();
        if (m_of_distribution) {
            m_python = m_of_system;
            m_origin.certainty = Certainty::predicted;
        }
        m_open = m_of_distribution;
    }

    void take(const Stage& stage) {
        for (const Clause& clause : clauses_of(stage.python))
            if (clause.op == ">=" || clause.op == "~=") m_required_from = std::string(clause.version);
        set(minor_release(stage.python), Origin::from_file(stage.image.file, stage.image.line));
    }
    void take(const Command& command) {
        if (auto old = m_scripts.take(command, m_open ? "" : m_python, m_origin, m_facts))
            m_refused.push_back(std::move(*old));
        if (brings_python(command)) open();
        if (auto one = python_of_installer(command, m_facts)) {
            if (one->row && one->row->glibc) refuse_installer(*one);
            m_of_conda = std::move(one);
            m_installs_conda = true;
        }
        choose(command);
        if (command.makes.empty()) return;
        const std::string named = minor_release(python_of_made(command.words));
        const bool other = !m_of_made.empty() && named != m_of_made;
        if (!other) set(named, origin_of(command.words.front()));
        if (!named.empty()) m_of_made = named;
        if (other) open();
    }
    void take(const SetVariable& variable) {
        m_conda_on_path = m_conda_on_path || puts_conda_on_path(variable);
        if (variable.name == "PYENV_VERSION" && variable.lasts)
            set(minor_release(variable.value.text), origin_of(variable.value));
    }
    void take(const AptInstall& apt) {
        if (m_of_distribution && installs_python(apt) && m_python == m_of_system) m_open = m_opened;
        if (brings_python(apt)) open();
    }
    void take(const PipInstall& pip) {
        if (pip.environment == k_collected) return;
        // uv may take another Python than the distribution's.
        if (pip.tool == "uv" && m_of_distribution) open();
        set(minor_release(pip.python), origin_of(pip.whole));
    }
    void take(const CondaInstall& conda) {
        // A later command keeps the Python of its environment.
        if (conda.creates || (!m_has_conda_python && !m_from)) open();
        if (conda.creates) m_of_conda.reset();
        m_has_conda_python = m_has_conda_python && !conda.creates;
        for (const CondaSpec& spec : conda.specs)
            if (spec.name == "python") {
                set(minor_release(spec.version), origin_of(spec.whole));
                m_has_conda_python = true;
            }
    }
    template <class Other>
    void take(const Other&) {}

    void fill(bool of_image, PythonHere& here) const {
        here.refused = m_refused;
        here.origin = m_origin;
        here.is_new = m_installs_conda && m_conda_on_path;
        here.markers.python_from = m_required_from;
        // A virtual environment may be made with another Python than the image's.
        if (!m_open && (of_image || !m_of_distribution)) here.markers.python = m_python;
        if (m_of_conda && m_conda_on_path) {
            here.markers.python = m_of_conda->release;
            if (!m_of_conda->lowest.empty()) here.markers.python_from = m_of_conda->lowest;
            here.origin = m_of_conda->origin;
            here.origin.certainty = Certainty::predicted;
        } else if (m_from && m_python.empty() && !m_open && of_image) {
            here.markers.python_from = *m_from;
            here.origin = m_from.origin;
        }
    }

private:
    // What `python3` is from the command on.
    void choose(const Command& command) {
        const ChosenPython chosen = python_chosen_by(command.words);
        if (chosen.release.empty()) return;
        Origin origin = origin_of(command.words.front());
        if (program_name(command.words.front().text) != "pyenv") origin.certainty = Certainty::predicted;
        const bool other = !chosen.known && !m_alternative.empty() && m_alternative != chosen.release;
        m_alternative = chosen.known ? "" : chosen.release;
        set(chosen.release, origin);
        if (other) open();
    }

    // Miniconda3-latest on Ubuntu 18.04.
    void refuse_installer(const CondaPython& of) {
        const auto here = parse_version(m_glibc);
        if (!here || !(*here < *of.row->glibc) || !m_refused.empty()) return;
        RefusedPin one;
        one.why = Refusal::old_glibc;
        one.package = one.pinned = of.file;
        one.by = m_glibc;
        one.by_origin = m_of_image;
        one.wanted = of.row->glibc->text;
        one.wanted_origin = of.row->origin;
        one.origin = of.origin;
        m_refused.push_back(std::move(one));
    }
    // Something brings another one.
    void open() { m_opened = m_open = true; }
    void set(const std::string& release, const Origin& origin) {
        if (release.empty()) return;
        m_python = release;
        m_of_conda.reset();
        m_open = m_opened = m_of_distribution = false;
        m_origin = origin;
    }

    const Facts& m_facts;
    Known<std::string> m_from;  // of the image: this one or a newer one
    std::string m_of_system;    // the distribution's python3
    std::string m_python, m_required_from, m_glibc;
    std::vector<RefusedPin> m_refused;
    Origin m_origin, m_of_image;
    // The distribution's Python counts where the recipe installs it.
    bool m_of_distribution = false, m_open = false, m_opened = false;
    std::optional<CondaPython> m_of_conda;  // the last one that could be on PATH
    bool m_conda_on_path = false, m_installs_conda = false, m_has_conda_python = false;
    PythonScripts m_scripts;
    std::string m_of_made;      // of the virtual environments that commands make
    std::string m_alternative;  // the last that a command adds to those of python3
};

}  // namespace

void read_file_name(const Recipe& recipe, PythonHere& here) {
    const bool of_any_system = recipe.kind == RecipeKind::requirements ||
                               recipe.kind == RecipeKind::conda_environment ||
                               recipe.kind == RecipeKind::shell_script;
    if (!of_any_system || here.markers.system != "linux" || !here.markers.machine.empty()) return;
    for (const std::string& word : split(lower(file_of(recipe.file)), "-_. "))
        if (is_one_of(word, {"mac", "macos", "macosx", "osx", "darwin", "apple"})) {
            here.markers.system = "darwin";
            here.platform = Origin::from_file(recipe.file, 1);
            return;
        }
}

PythonHere python_here(const std::vector<const Step*>& steps, const std::vector<const Stage*>& line,
                       const ImageContent& content, const DistributionToolkit* packaged, bool of_image,
                       const Facts& facts) {
    PythonHere here;
    here.markers.system = "linux";
    PythonOfSteps choice(content, packaged, facts);
    for (const Stage* stage : line) {
        read_platform(stage->platform, here);
        choice.take(*stage);
    }
    read_platform_of(content.image, here);
    here.markers.glibc = glibc_of(content.image, facts);
    for (const Step* step : steps) std::visit([&](const auto& any) { choice.take(any); }, *step);
    choice.fill(of_image, here);
    const auto named = pythons_of_apt(steps);
    if (named.size() == 1) here.likely = *named.begin();
    return here;
}

}  // namespace ptxguard::recipes
