// SPDX-License-Identifier: Apache-2.0
#include "recipes/python_here.hpp"

#include <algorithm>
#include <set>

#include "facts/recipe_tables.hpp"
#include "host/paths.hpp"
#include "model/file_names.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
#include "recipes/arguments.hpp"
#include "recipes/environments.hpp"
#include "recipes/images.hpp"
#include "recipes/pins.hpp"

namespace ptxguard::recipes {
namespace {

// "3.11" of "3.11.4", "=3.11", "3.11.*", "3.11-dev"; empty for ranges, "3" and "3.x".
std::string minor_release(std::string_view text) {
    const std::string plain = trim(std::string(text));
    const std::size_t from = plain.find_first_not_of('=');
    if (from == std::string::npos || plain.find_first_of("<>!~,|*^$ ") < plain.find_first_of("0123456789"))
        return "";
    std::string number = plain.substr(from, plain.find_first_of("-*,| ", from) - from);
    while (ends_with(number, ".")) number.pop_back();
    const auto version = parse_version(number);
    return version && version->numbers.size() > 1 && version->major() == 3 ? version->release() : "";
}

// Programs and packages that bring another Python than the system's.
bool brings_python(const Command& command) {
    return std::any_of(command.words.begin(), command.words.end(), [](const Written& word) {
        const std::string name = lower(word.text);
        for (const char* one : {"miniconda", "anaconda", "miniforge", "mambaforge", "micromamba", "pyenv",
                                "python3.", "deadsnakes", "pixi", "update-alternatives"})
            if (name.find(one) != std::string::npos) return true;
        return name == "uv" || name == "module" || ends_with(name, "/uv");
    });
}
bool brings_python(const AptInstall& step) {
    return std::any_of(step.packages.begin(), step.packages.end(),
                       [](const AptPackage& one) { return starts_with(one.name, "python3."); });
}

// Of "Miniconda3-py39_4.12.0-Linux-x86_64.sh", and the lowest one of "Miniconda3-latest-...".
struct CondaPython {
    std::string release, lowest;
    Origin origin;
};
std::optional<CondaPython> python_of_installer(const Command& command, const Facts& facts) {
    for (const Written& word : command.words) {
        const std::string name = lower(file_name(word.text));
        const std::size_t python = name.find("conda3-py");
        if (python != npos) {
            const std::string digits = name.substr(python + 9, name.find('_') - python - 9);
            if (digits.size() > 1 && digits.find_first_not_of("0123456789") == npos)
                return CondaPython{"3." + digits.substr(1), "", origin_of(word)};
        }
        for (const CondaInstaller& row : recipe_tables(facts).conda_installers)
            if (starts_with(name, row.installer)) return CondaPython{"", row.python->text, origin_of(word)};
    }
    return std::nullopt;
}

bool puts_conda_on_path(const SetVariable& set) {
    const std::string value = lower(set.value.text);
    return set.name == "PATH" && (value.find("conda") != npos || value.find("forge") != npos);
}

bool installs_python(const AptInstall& step) {
    return std::any_of(step.packages.begin(), step.packages.end(), [](const AptPackage& one) {
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

void read_platform(const Written& named, PythonHere& here) {
    MarkerEnvironment& markers = here.markers;
    const std::string platform = lower(named.text);
    if (!named.known || platform.empty()) return;
    const auto has = [&](const char* word) { return platform.find(word) != npos; };
    const bool windows = has("windows"), macos = has("macos") || has("darwin");
    if (windows) markers.system = "win32";
    if (macos) markers.system = "darwin";
    if (has("arm64") || has("aarch64") || has("-arm") || has("graviton"))
        markers.machine = markers.system == "linux" ? "aarch64" : "arm64";
    else if (has("amd64") || has("x86_64"))
        markers.machine = windows ? "AMD64" : "x86_64";
    else if (starts_with(platform, "ubuntu-") || starts_with(platform, "windows-"))
        markers.machine = windows ? "AMD64" : "x86_64";  // runners of GitHub
    else if (macos)
        markers.machine = machine_of_macos(platform);
    if (windows || macos || markers.machine == "aarch64") here.platform = origin_of(named);
}

// Images for one machine or C library, whatever the recipe says of the platform.
void read_platform_of(const RecipeImage& image, PythonHere& here) {
    const std::string base = file_of(image.name);
    const auto words = split_fields(image.tag, '-');
    const bool alpine =
        base == "alpine" || std::any_of(words.begin(), words.end(),
                                        [](const std::string& one) { return starts_with(one, "alpine"); });
    const bool jetson = starts_with(base, "l4t-") || starts_with(image.name, "dustynv/");
    if (alpine) here.markers.musl = true;
    if (jetson || base == "cuda-arm64") here.markers.machine = "aarch64";
    if (alpine || jetson || base == "cuda-arm64") here.platform = image.origin;
}

// The Python of an environment, from its image and its steps in their order.
class PythonReading {
public:
    PythonReading(const RecipeImage& image, const Known<std::string>& of_image,
                  const DistributionToolkit* packaged, const Facts& facts)
        : m_facts(facts) {
        here.markers.system = "linux";
        here.origin = image.origin;
        if (file_of(image.name) == "python") m_python = minor_release(image.tag);
        if (m_python.empty() && of_image) {
            m_python = *of_image;
            here.origin = of_image.origin;
        }
        if (!m_python.empty() || !packaged || !packaged->python) return;
        m_python = m_of_distribution = packaged->python->text;
        here.origin.certainty = Certainty::predicted;
        m_open = true;  // it counts where the recipe installs it
    }

    void begin(const Stage& stage) {
        read_platform(stage.platform, here);
        for (const Clause& clause : clauses_of(stage.python))
            if (clause.op == ">=") here.markers.python_from = std::string(clause.version);
        set(minor_release(stage.python), Origin::from_file(stage.image.file, stage.image.line));
    }

    void take(const Command& command) {
        if (brings_python(command)) open_for_others();
        if (auto one = python_of_installer(command, m_facts)) m_of_conda = std::move(one);
        const std::string named = command.makes.empty() ? "" : minor_release(python_of_made(command.words));
        const bool other = !m_of_made.empty() && named != m_of_made;
        if (!other) set(named, origin_of(command.words.front()));
        if (!named.empty()) m_of_made = named;
        if (other) open_for_others();
    }
    void take(const SetVariable& variable) {
        m_conda_on_path = m_conda_on_path || puts_conda_on_path(variable);
    }
    void take(const AptInstall& step) {
        if (!m_of_distribution.empty() && installs_python(step) && m_python == m_of_distribution)
            m_open = m_opened;
        if (brings_python(step)) open_for_others();
    }
    void take(const PipInstall& step) {
        // uv may take another Python than the distribution's.
        if (step.tool == "uv" && !m_of_distribution.empty()) open_for_others();
        set(minor_release(step.python), origin_of(step.whole));
    }
    void take(const CondaInstall& step) {
        open_for_others();
        if (step.creates) m_of_conda.reset();
        for (const CondaSpec& spec : step.specs)
            if (spec.name == "python") set(minor_release(spec.version), origin_of(spec.whole));
    }
    template <class Other>
    void take(const Other&) {}

    // `of_image`: not a virtual environment's, which may be made with another Python than the image's.
    void finish(bool of_image) {
        if (!m_open && (of_image || m_of_distribution.empty())) here.markers.python = m_python;
        if (!m_of_conda || !m_conda_on_path) return;
        here.markers.python = m_of_conda->release;
        if (!m_of_conda->lowest.empty()) here.markers.python_from = m_of_conda->lowest;
        here.origin = m_of_conda->origin;
        here.origin.certainty = Certainty::predicted;
    }

    PythonHere here;

private:
    void set(const std::string& release, const Origin& origin) {
        if (release.empty()) return;
        m_python = release;
        m_of_conda.reset();
        m_open = m_opened = false;
        here.origin = origin;
    }
    void open_for_others() { m_open = m_opened = true; }

    const Facts& m_facts;
    std::string m_python, m_of_distribution;
    bool m_open = false;                    // it may be another one
    bool m_opened = false;                  // since something brings another one
    std::optional<CondaPython> m_of_conda;  // the last one that could be on PATH
    bool m_conda_on_path = false;
    std::string m_of_made;  // of the virtual environments that commands make
};

}  // namespace

std::string unusual_platform(const MarkerEnvironment& markers) {
    const bool arm = markers.machine == "aarch64" || markers.machine == "arm64";
    if (markers.system == "darwin") return markers.machine == "x86_64" ? "macOS on Intel" : "macOS";
    if (markers.system == "win32") return arm ? "Windows on ARM" : "Windows";
    if (markers.system != "linux" || (!arm && !markers.musl)) return "";
    return std::string(markers.musl ? "Alpine Linux" : "Linux") + (arm ? " on ARM" : "");
}

MarkerEnvironment usual_place(const std::string& marker) {
    const MarkerEnvironment places[] = {{"", "linux", "x86_64", {}},
                                        {"", "linux", "aarch64", {}},
                                        {"", "win32", "AMD64", {}},
                                        {"", "darwin", "arm64", {}}};
    for (const MarkerEnvironment& place : places)
        if (holds(marker, place) != Truth::no) return place;
    return places[0];
}

PythonHere python_here(const std::vector<const Step*>& steps, const std::vector<const Stage*>& line,
                       const RecipeImage& image, const Known<std::string>& python_of_image,
                       const DistributionToolkit* packaged, bool of_image, const Facts& facts) {
    PythonReading reading(image, python_of_image, packaged, facts);
    for (const Stage* stage : line) reading.begin(*stage);
    read_platform_of(image, reading.here);
    for (const Step* step : steps) std::visit([&](const auto& one) { reading.take(one); }, *step);
    reading.finish(of_image);
    const auto named = pythons_of_apt(steps);
    if (named.size() == 1) reading.here.likely = *named.begin();
    return std::move(reading.here);
}

}  // namespace ptxguard::recipes
