// Commands of pip -> the releases that they leave, with made-up packages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judged.hpp"
#include "recipes/python/marker_places.hpp"
#include "recipes/python/requirements.hpp"
#include "recipes/resolution/pins.hpp"
#include "recipes/resolution/resolution.hpp"

namespace ptxguard::recipes {

inline const char* const k_engine = R"({ "package": "engine", "read": "2026-01-01", "rows": [
    { "releases": ["1.0", "1.0.1"], "wheels": ["linux-x86_64"], "requires": ["torch==2.6.0"], "source": "m" },
    { "releases": ["1.1"], "wheels": ["linux-x86_64"], "requires": ["torch==2.7.0"], "source": "m" },
    { "releases": ["2.0"], "python": ">=3.11", "wheels": ["linux-x86_64"], "requires": ["torch==2.8.0"], "source": "m" },
    { "releases": ["2.1"], "python": ">=3.11", "wheels": ["linux-x86_64"], "yanked": true, "requires": [], "source": "m" }
  ], "sources": [{ "id": "m", "kind": "measured", "what": "made up" }] })";

inline const char* const k_motor = R"({ "package": "motor-gpu", "read": "2026-01-01", "rows": [
    { "releases": ["1.0"], "wheels": ["linux-x86_64", "windows"], "requires": ["engine==1.0; extra == 'all'"], "source": "m" },
    { "releases": ["1.1"], "wheels": ["linux-aarch64", "linux-x86_64", "musl-x86_64", "windows"], "requires": [], "source": "m" },
    { "releases": ["1.2"], "wheels": ["linux-x86_64"], "sdist": true, "requires": [], "source": "m" }
  ], "sources": [{ "id": "m", "kind": "measured", "what": "made up" }] })";

inline const char* const k_torchvision = R"({ "package": "torchvision", "read": "2026-01-01", "rows": [
    { "releases": ["0.23.0"], "wheels": ["linux-x86_64"], "requires": ["torch==2.8.0"], "source": "m" }
  ], "sources": [{ "id": "m", "kind": "measured", "what": "made up" }] })";

inline const char* const k_names =
    R"({ "families": [{ "start": "engine-cu", "ends": ["11x", "12x"], "instead": "engine-cu12x", "source": "m" }],
  "absent": [{ "name": "enginekit", "instead": "engine", "source": "m" }],
  "placeholders": [{ "name": "engine-gpu", "from": "2.12.0", "instead": "engine", "source": "m" }],
  "others": [{ "name": "motor", "instead": "git+https://example.org/motor", "source": "m" }],
  "sources": [{ "id": "m", "kind": "measured", "what": "made up" }] })";

inline const Facts& made_up_facts() {
    static const Facts facts = Facts::with({{"pypi/engine.json", k_engine},
                                            {"pypi/motor-gpu.json", k_motor},
                                            {"pypi/torchvision.json", k_torchvision},
                                            {"pypi_names.json", k_names}});
    return facts;
}

inline Written line_of_list(const std::string& text) {
    Written written;
    written.text = text;
    written.file = "requirements.txt";
    written.line = 1;
    return written;
}

// A recipe of pip commands: "torch==2.6.0 engine", "-U engine", "-i URL torch".
class Commands {
public:
    Commands& sync(const std::vector<std::string>& words) { return pip(words, true); }
    Commands& pip(const std::vector<std::string>& words, bool exact = false) {
        PipInstall step;
        step.tool = "pip";
        step.exact = exact;
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (words[i] == "-U")
                step.upgrade = true;
            else if (words[i] == "--no-deps")
                step.no_deps = true;
            else if (words[i] == "-c")
                step.constraints.push_back(read_requirement(line_of_list(words[++i])));
            else if (words[i] == "-i")
                step.index = line_of_list(words[++i]);
            else
                step.requirements.push_back(read_requirement(line_of_list(words[i])));
        }
        add_pins(step, ++m_group, markers, "", recipe);
        return *this;
    }

    const RecipeFacts& resolved(const std::string& image = "", int open_from = 0) {
        recipe.python = {markers.python, {}};
        if (!unusual_platform(markers).empty()) recipe.platform = {unusual_platform(markers), {}};
        BeforeCommands before{image};
        before.open_from = open_from;
        resolve(made_up_facts(), markers, before, recipe);
        return recipe;
    }
    std::string release(const std::string& package) const {
        for (const Installed& one : recipe.installed)
            if (one.package == package) return one.version->text + (one.build.empty() ? "" : "+" + one.build);
        return "";
    }

    // Of torch; its libraries are replaced too.
    std::vector<Replaced> replaced() const {
        std::vector<Replaced> found;
        for (const Replaced& one : recipe.replaced)
            if (one.before.package == "torch") found.push_back(one);
        return found;
    }

    MarkerEnvironment markers = {"3.12", "linux", "x86_64", {}};
    RecipeFacts recipe;

private:
    int m_group = 0;
};

inline const std::string k_cu118 = "https://download.pytorch.org/whl/cu118";

}  // namespace ptxguard::recipes
