// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "facts/pypi.hpp"
#include "facts/variants.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
#include "recipes/candidates.hpp"
#include "recipes/companions.hpp"
#include "recipes/refusals.hpp"

namespace ptxguard::recipes {

Served served(const Facts& facts, const RecipeFacts& recipe, const RecipePin& pin,
              const std::optional<Version>& version) {
    Served served{true, "", nullptr};
    if (version && !version->local().empty()) {
        served.build = lower(version->local());
        return served;
    }
    const bool first_wins = pin.first_index;
    for (const RecipeIndex& index : recipe.indexes) {
        if (index.group != pin.group) continue;
        // Pages with wheels of other projects for one build of torch (PyTorch Geometric, DGL) do not contain
        // torch.
        const bool of_others = !index.build.empty() || index.url.find("jax-releases") != std::string::npos;
        if (index.use == IndexUse::links && of_others && index.url.find("pytorch") == std::string::npos)
            continue;
        if (index.use == IndexUse::only && index.build.empty() && !index.is_pypi()) served.known = false;
        if (index.build.empty()) {
            if (index.use == IndexUse::links) served.known = false;
            continue;
        }
        const Published has =
            version ? published_build(facts, pin.package, *version, index.build) : Published::no;
        if (index.use != IndexUse::only && has == Published::no && !first_wins) continue;
        served = {true, index.build, &index};
    }
    return served;
}

namespace {

class Resolver {
public:
    Resolver(const Facts& facts, const MarkerEnvironment& markers, const std::string& likely_python,
             RecipeFacts& recipe)
        : m_facts(facts),
          m_usual(usual(markers)),
          m_likely(markers),
          m_recipe(recipe),
          m_refusals(facts, markers, recipe) {
        if (m_likely.python.empty()) m_likely.python = likely_python;
    }

    void start_with(const std::string& framework, const Origin& origin) {
        const std::size_t sign = framework.find("==");
        if (sign == std::string::npos) return;
        Installed one;
        one.package = canonical_package(framework.substr(0, sign));
        if (const auto version = parse_version(framework.substr(sign + 2))) one.version = {*version, origin};
        one.of_image = true;
        one.asked = origin;
        set_build(one, one.version ? lower(one.version->local()) : "");
        if (m_likely.python.empty() && one.version)
            m_likely.python = likely_python(m_facts, m_recipe.image.name, one.package, *one.version);
        // pytorch/pytorch has them in the releases for its torch.
        if (one.package == "torch")
            for (const char* const companion : {"torchvision", "torchaudio"}) {
                m_here[companion].package = companion;
                m_here[companion].of_image = true;
            }
        m_here[one.package] = std::move(one);
    }

    void run() {
        for (std::size_t at = 0; at < m_recipe.pins.size();) {
            std::size_t end = at;
            Pins pins;
            for (; end < m_recipe.pins.size() && m_recipe.pins[end].group == m_recipe.pins[at].group; ++end)
                pins.push_back(&m_recipe.pins[end]);
            at = end;
            if (pins.front()->by_pip())
                command(pins);
            else
                take_others(pins);
        }
        for (const auto& [name, one] : m_here) find_broken(one);
        for (auto& [name, one] : m_here)
            if (one.version) m_recipe.installed.push_back(std::move(one));
    }

private:
    // pip checks what it installs, not what an earlier command or the image has installed. Which torch a
    // companion was built for is judged elsewhere.
    void find_broken(const Installed& one) {
        const PypiRow* row = one.version ? pypi_row(m_facts, one.package, *one.version) : nullptr;
        if (!row) return;
        RecipePin nothing;
        for (const Requirement& required : row->required) {
            const Installed* other = required.name == "torch" ? nullptr : here(required.name);
            if (!other || !other->version || other->asked.overridable || other->group <= one.group ||
                !exact_version(required.specifier))
                continue;
            // Builds for another CUDA pin others of NVIDIA's packages.
            if (!one.build.empty() && starts_with(required.name, "nvidia-")) continue;
            if (!applies(required, nothing) || accepts(required.specifier, *other->version)) continue;
            m_recipe.broken.push_back({one, *other, required.name + required.specifier, row->origin});
        }
    }

    // conda, lock files: what they pin is there.
    void take_others(const Pins& pins) {
        for (const RecipePin* pin : pins) {
            if (pin->by == "apt") continue;
            Installed one;
            one.package = std::string(pip_name(*pin));
            one.group = pin->group;
            one.asked = pin->origin;
            if (pin->version && pin->version->numbers.size() > 2) one.version = pin->version;
            m_here[one.package] = std::move(one);
        }
    }

    void set_build(Installed& one, const std::string& build) const {
        one.build = build;
        if (!one.version) return;
        if (const auto cuda = cuda_of_tag(build)) {
            one.cuda = {*cuda, one.version.origin};
        } else if (build.empty()) {
            const auto plain = parse_version(one.version->without_local());
            const FrameworkRelease* row = plain ? m_facts.framework_release(one.package, *plain) : nullptr;
            if (row && row->cuda) one.cuda = {*row->cuda, row->origin};
        }
    }

    const Installed* here(const std::string& package) const {
        const auto found = m_here.find(package);
        return found == m_here.end() ? nullptr : &found->second;
    }

    // Whether the requirements of `row` accept what the command has chosen so far.
    bool fits_chosen(const PypiRow& row, const RecipePin& pin) const {
        if (pin.no_deps) return true;
        return std::all_of(row.required.begin(), row.required.end(), [&](const Requirement& required) {
            const auto chosen = m_chosen.find(required.name);
            if (chosen == m_chosen.end() || !chosen->second.version || !applies(required, pin)) return true;
            return accepts(required.specifier, *chosen->second.version);
        });
    }

    bool applies(const Requirement& required, const RecipePin& pin) const {
        return recipes::applies(required, pin, m_usual);
    }

    // Ranges that the chosen packages and the constraints set for it.
    std::string range_of(const RecipePin& pin) const {
        std::string range = pin.specifier;
        const auto add = [&](const std::string& more) {
            if (!more.empty()) range += (range.empty() ? "" : ",") + more;
        };
        for (const RecipePin& constraint : m_recipe.constraints)
            if (constraint.group == pin.group && constraint.package == pin.package) add(constraint.specifier);
        for (const auto& [name, by] : m_required)
            if (name == pin.package) add(by.specifier);
        return range;
    }

    void choose(const RecipePin& pin, Installed one, const PypiRow* row) {
        require(pin, one, row);
        m_chosen[one.package] = std::move(one);
    }

    // What the package brings.
    void require(const RecipePin& pin, const Installed& one, const PypiRow* row) {
        if (!row || pin.no_deps || !one.version) return;
        for (const Requirement& required : row->required)
            if (applies(required, pin))
                m_required.push_back({required.name,
                                      {required.specifier, one.package + " " + one.version->text, one.asked,
                                       &pin, row->origin}});
    }

    Installed requested(const RecipePin& pin) const {
        Installed one;
        one.package = pin.package;
        one.group = pin.group;
        one.asked = pin.origin;
        return one;
    }

    void choose_pinned(const RecipePin& pin) {
        Installed one = requested(pin);
        one.version = pin.version;
        set_build(one, served(m_facts, m_recipe, pin, pin.version.value).build);
        choose(pin, std::move(one), pypi_row(m_facts, pin.package, *pin.version));
    }

    void choose_newest(const RecipePin& pin) {
        Installed one = requested(pin);
        const Installed* before = here(pin.package);
        const std::string range = range_of(pin);
        if (before && !pin.upgrade && (!before->version || accepts(range, *before->version))) {
            m_chosen[pin.package] = *before;
            return;
        }
        if (!pin.open)
            for (const Candidate& candidate : candidates(m_facts, m_recipe, m_likely, pin, range)) {
                if (candidate.row && !fits_chosen(*candidate.row, pin)) continue;
                one.version = {candidate.version, candidate.row->origin};
                one.version.origin.certainty = Certainty::predicted;
                one.newest = true;
                set_build(one, candidate.build);
                choose(pin, std::move(one), candidate.row);
                return;
            }
        m_chosen[pin.package] = std::move(one);  // of a release that is not known
    }

    void command(const Pins& pins) {
        m_chosen.clear();
        m_required.clear();
        Pins floating;
        for (const RecipePin* pin : pins) {
            if (!pin->unreadable.empty()) continue;
            if (pin->version)
                choose_pinned(*pin);
            else
                floating.push_back(pin);
        }
        // What others are built for is chosen after them.
        std::stable_partition(floating.begin(), floating.end(), [](const RecipePin* pin) {
            return pin->package != "torch" && pin->package != "jaxlib";
        });
        for (const RecipePin* pin : floating)
            if (m_chosen.find(pin->package) == m_chosen.end()) choose_newest(*pin);
        m_refusals.add(pins, m_here, m_chosen);
        // The list grows while it is read: requirements of requirements.
        constexpr std::size_t k_deepest = 500;
        for (std::size_t i = 0; i < m_required.size() && i < k_deepest; ++i) bring(m_required[i].first);
        for (auto& [name, one] : m_chosen) install(name, one);
    }

    // The requirements of the command on a package that it does not request.
    void bring(const std::string package) {  // a copy: the list grows
        if (m_chosen.find(package) != m_chosen.end()) return;
        const auto first = std::find_if(m_required.begin(), m_required.end(),
                                        [&](const auto& one) { return one.first == package; });
        const Needed need = first->second;
        RecipePin pin = *need.pin;
        pin.package = package;
        pin.specifier.clear();
        pin.extras.clear();
        pin.upgrade = false;
        Installed one = requested(pin);
        one.required_by = need.by;
        const std::string range = range_of(pin);
        const Installed* before = here(package);
        if (before && (!before->version || accepts(range, *before->version))) return;
        if (pin.open) return;
        for (const Candidate& candidate : candidates(m_facts, m_recipe, m_likely, pin, range)) {
            one.version = {candidate.version, need.origin};
            one.version.origin.certainty = Certainty::predicted;
            one.newest = !need.pin->version || !exact_version(range);
            set_build(one, candidate.build);
            const PypiRow* row = candidate.row;
            m_chosen[package] = one;
            if (row)
                for (const Requirement& required : row->required)
                    if (applies(required, pin))
                        m_required.push_back({required.name,
                                              {required.specifier, package + " " + one.version->text,
                                               one.asked, need.pin, row->origin}});
            return;
        }
    }

    void install(const std::string& name, Installed& one) {
        const Installed* before = here(name);
        if (before && before->version && one.version &&
            before->version->without_local() != one.version->without_local() && before->group < one.group)
            m_recipe.replaced.push_back({*before, one});
        m_here[name] = std::move(one);
    }

    struct Needed {
        std::string specifier;
        std::string by;  // "vllm 0.33.0"
        Origin asked;
        const RecipePin* pin = nullptr;  // of the command's requirement
        Origin origin;
    };

    const Facts& m_facts;
    MarkerEnvironment m_usual;
    MarkerEnvironment m_likely;  // for what floats; nothing is refused for it
    RecipeFacts& m_recipe;
    Refusals m_refusals;
    std::map<std::string, Installed> m_here;
    // Of one command:
    std::map<std::string, Installed> m_chosen;
    std::vector<std::pair<std::string, Needed>> m_required;
};

}  // namespace

void resolve(const Facts& facts, const MarkerEnvironment& markers, const std::string& image_framework,
             const Origin& image_origin, RecipeFacts& recipe, const std::string& likely_python) {
    Resolver resolver(facts, markers, likely_python, recipe);
    resolver.start_with(image_framework, image_origin);
    resolver.run();
}

}  // namespace ptxguard::recipes
