// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution/resolution.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "facts/libraries.hpp"
#include "facts/pypi.hpp"
#include "facts/variants.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
#include "recipes/resolution/before_commands.hpp"
#include "recipes/resolution/broken_pins.hpp"
#include "recipes/resolution/candidates.hpp"
#include "recipes/resolution/companions.hpp"
#include "recipes/resolution/conda_builds.hpp"
#include "recipes/resolution/needs.hpp"
#include "recipes/resolution/refusals.hpp"
#include "recipes/resolution/requested_set.hpp"

namespace ptxguard::recipes {
namespace {

class Resolver {
public:
    Resolver(const Facts& facts, const MarkerEnvironment& markers, const BeforeCommands& before,
             RecipeFacts& recipe)
        : m_facts(facts),
          m_usual(usual(markers)),
          m_likely(markers),
          m_recipe(recipe),
          m_before(before),
          m_refusals(facts, markers, before.is_open, recipe) {
        if (m_likely.python.empty()) m_likely.python = before.likely_python;
        m_here = packages_before(facts, before);
        for (const auto& [name, one] : m_here)
            if (m_likely.python.empty() && one.version)
                m_likely.python = likely_python(facts, recipe.image.name, name, *one.version);
    }

    void run() {
        for (std::size_t at = 0; at < m_recipe.pins.size();) {
            std::size_t end = at;
            Pins pins;
            const int group = m_recipe.pins[at].group_of_command();
            for (; end < m_recipe.pins.size() && m_recipe.pins[end].group_of_command() == group; ++end)
                pins.push_back(&m_recipe.pins[end]);
            at = end;
            remove_before(group);
            pins.front()->is_from_pypi() ? command(pins) : take_others(pins);
        }
        remove_before(std::numeric_limits<int>::max());
        find_broken_pins(m_facts, m_usual, m_here, m_recipe);
        for (auto& [name, one] : m_here)
            if (one.version)
                m_recipe.installed.push_back(std::move(one));
            else if (one.of_image)
                m_recipe.kept_of_image.push_back(name);
    }

private:
    // `pip uninstall`, in a command before that one.
    void remove_before(int group) {
        for (; m_removed < m_recipe.removed.size() && m_recipe.removed[m_removed].group < group; ++m_removed)
            m_here.erase(m_recipe.removed[m_removed].package);
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
            if (!pin->version) one.version = last_of_channel(m_facts, m_recipe, m_likely.python, *pin);
            if (pin->by == "conda") m_refusals.add(*pin);
            m_here[one.package] = std::move(one);
        }
    }

    // `known`: no other build may be taken.
    void set_build(Installed& one, const std::string& build, bool known = true) const {
        recipes::set_build(m_facts, one, build, known);
    }

    const Installed* here(const std::string& package) const {
        const auto found = m_here.find(package);
        return found == m_here.end() ? nullptr : &found->second;
    }

    // An exact pin excludes NVIDIA's own build. So does a range from its release: it is a pre-release of
    // that.
    bool is_accepted(const Installed& before, const std::string& range) const {
        if (before.version) return accepts(range, *before.version);
        const std::vector<Clause> clauses = clauses_of(range);
        return none_of(clauses, [&](const Clause& one) {
            if (one.op == "==") return one.version.find('*') == std::string_view::npos;
            const auto from =
                one.op == ">=" || one.op == ">" || one.op == "~=" ? parse_version(one.version) : std::nullopt;
            return from && before.package == "torch" && m_before.own_torch && *m_before.own_torch <= *from;
        });
    }

    // Whether the requirements of `row` accept what the command has chosen so far.
    bool fits_chosen(const PypiRow& row, const RecipePin& pin) const {
        if (pin.no_deps) return true;
        return all_of(row.required, [&](const Requirement& required) {
            const auto chosen = m_chosen.find(required.name);
            return chosen == m_chosen.end() || !chosen->second.version ||
                   accepts(required.specifier, *chosen->second.version) || !applies(required, pin);
        });
    }

    // Whether what is installed accepts the pins of this command: sympy==1.14.0 excludes torch 2.6.0, and pip
    // takes another torch if a package of the command requires one.
    bool may_stay(const Installed& before, const RecipePin& pin) {
        const PypiRow* row = pypi_row(m_facts, before.package, *before.version);
        for (const Requirement& required : row ? row->required : std::vector<Requirement>{}) {
            const auto chosen = m_chosen.find(required.name);
            if (chosen == m_chosen.end() || !chosen->second.version || chosen->second.newest) continue;
            if (differs_by_build(required, before.build)) continue;
            const Version& version = *chosen->second.version;
            if (!applies(required, pin) || accepts(required.specifier, version)) continue;
            Replaced& conflict = m_conflicts[before.package];
            conflict.wanted = required.name + required.specifier;
            conflict.pinned = required.name + "==" + version.text;
            conflict.pinned_at = chosen->second.asked;
            return false;
        }
        return true;
    }

    bool applies(const Requirement& required, const RecipePin& pin) const {
        return recipes::applies(required, pin, m_usual);
    }

    // Ranges that the chosen packages and the constraints set for it; `firm` as in needs.hpp.
    std::string range_of(const RecipePin& pin, bool firm = false) const {
        std::string range = pin.specifier;
        const auto add = [&](const std::string& more) {
            if (!more.empty()) range += (range.empty() ? "" : ",") + more;
        };
        for (const RecipePin& constraint : m_recipe.constraints)
            if (constraint.group == pin.group_of_command() && constraint.package == pin.package)
                add(constraint.specifier);
        add(range_in(m_required, pin.package, firm));
        return range;
    }

    // Packages of which the newest release of another of the pins requires exactly one: torchaudio, by
    // vllm's.
    std::set<std::string> named_by_others(const Pins& pins) const {
        std::set<std::string> named;
        for (const RecipePin* pin : pins) {
            const PypiPackage* table = pypi_package(m_facts, pin->package);
            if (!table || table->releases.empty()) continue;
            for (const Requirement& required : table->row(table->releases.back()).required)
                if (required.name != pin->package && is_exact(required.specifier))
                    named.insert(required.name);
        }
        return named;
    }

    void choose(const RecipePin& pin, Installed one, const PypiRow* row) {
        require(pin, one, row, pin);
        m_chosen[one.package] = std::move(one);
    }

    // What the package brings. `of`: the request of the command that leads to it.
    void require(const RecipePin& pin, const Installed& one, const PypiRow* row, const RecipePin& of) {
        if (!row || of.no_deps || !one.version) return;
        for (const Requirement& required : row->required)
            if (applies(required, pin))
                m_required.push_back({required.name,
                                      {required.specifier, one.package + " " + one.version->text, one.asked,
                                       &of, row->origin, required.extras}});
        // Of old releases the table does not have the requirements.
        const Companion* companion = row->described ? nullptr : companion_of(m_facts, "torch", one.package);
        const CompanionWheel* wheel = companion ? companion->wheel(*one.version) : nullptr;
        if (wheel)
            m_required.push_back({"torch",
                                  {"==" + wheel->of.text,
                                   one.package + " " + one.version->text,
                                   one.asked,
                                   &of,
                                   companion->origin,
                                   {}}});
    }

    Installed requested(const RecipePin& pin) const {
        Installed one;
        one.package = pin.package;
        one.group = pin.group;
        one.asked = pin.origin;
        return one;
    }

    // torchvision==0.19.0 in an image with torch 2.4.0, which has that torchvision.
    bool is_of_image(const RecipePin& pin) const {
        const Installed *before = here(pin.package), *torch = here("torch");
        const Companion* companion = companion_of(m_facts, "torch", pin.package);
        const CompanionWheel* wheel = companion ? companion->wheel(*pin.version) : nullptr;
        return before && before->of_image && !pin.upgrade && wheel && torch && torch->of_image &&
               torch->version && wheel->of.without_local() == torch->version->without_local();
    }

    void choose_pinned(const RecipePin& pin) {
        const Installed* before = here(pin.package);
        if (before && is_that_build(*before, pin)) return void(m_chosen[pin.package] = *before);
        Installed one = requested(pin);
        one.of_image = is_of_image(pin);
        const PypiRow* listed = pypi_row(m_facts, pin.package, *pin.version);
        // Refused: nothing else is compared with it.
        if (listed && needs_newer_glibc(*listed, m_likely)) return void(m_chosen[pin.package] = one);
        one.version = pin.version;
        const Served from = served(m_facts, m_recipe, pin, pin.version.value);
        const bool sure = !from.index || from.index->use == IndexUse::only ||
                          published_build(m_facts, pin.package, *pin.version, from.build) == Published::yes;
        set_build(one, one.of_image ? here("torch")->build : from.build,
                  one.of_image || (from.known && sure));
        choose(pin, std::move(one), row_of(m_facts, pin));
    }

    void refuse_range(const RequestedSet& set, const RecipePin& pin, const std::string& range,
                      const std::vector<Candidate>& all) {
        auto refused = refused_range(set, pin, all);
        const std::string firm = refused ? range_of(pin, true) : range;
        if (firm != range)
            refused = refused_range(set, pin, candidates(m_facts, m_recipe, m_likely, pin, firm));
        if (!refused && all.empty()) refused = excluded_by_pinned(set, pin, m_required);
        if (refused) m_recipe.refused.push_back(std::move(*refused));
    }

    void choose_newest(const RecipePin& pin) {
        Installed one = requested(pin);
        const Installed* before = here(pin.package);
        const std::string range = range_of(pin);
        if (before && !pin.upgrade && is_accepted(*before, range)) {
            m_chosen[pin.package] = *before;
            return;
        }
        const auto all =
            pin.open ? std::vector<Candidate>{} : candidates(m_facts, m_recipe, m_likely, pin, range);
        const RequestedSet set{m_facts, m_recipe, m_usual, m_likely, m_requested, m_chosen};
        refuse_range(set, pin, range, all);
        const bool there = may_be_there(m_before, pin) && !pin.upgrade;
        // torchvision and the like may be there too, and then bring nothing.
        const bool open = leaves_open(m_before, pin) || (there && pin.package != "torch");
        if (before || pin.upgrade || !open)
            for (const Candidate& candidate : all) {
                if (candidate.row &&
                    (!fits_chosen(*candidate.row, pin) || excluding(set, *candidate.row, pin)))
                    continue;
                one.version = {candidate.version, candidate.row->origin};
                one.version.origin.certainty = Certainty::predicted;
                one.newest = true;
                one.asked.overridable = one.asked.overridable || there;
                set_build(one, candidate.build, !candidate.other_build);
                choose(pin, std::move(one), candidate.row);
                return;
            }
        m_chosen[pin.package] = std::move(one);  // of a release that is not known
    }

    void command(const Pins& pins) {
        m_chosen.clear();
        m_required.clear();
        m_conflicts.clear();
        m_requested = pins;
        Pins floating;
        for (const RecipePin* pin : pins) {
            if (!pin->unreadable.empty()) continue;
            if (pin->version)
                choose_pinned(*pin);
            else
                floating.push_back(pin);
        }
        // What others are built for is chosen after them, and of these first what names exact releases of
        // others: a resolver goes back until they fit.
        const std::set<std::string> named = named_by_others(floating);
        std::stable_partition(floating.begin(), floating.end(),
                              [&](const RecipePin* pin) { return named.count(pin->package) == 0; });
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

    // The triton of a torch that was there before stays where its release is accepted.
    bool came_with_torch(const std::string& package, const std::string& range) const {
        const Installed* torch = here("torch");
        const PypiRow* row = torch && torch->version ? pypi_row(m_facts, "torch", *torch->version) : nullptr;
        for (const Requirement& required : row ? row->required : std::vector<Requirement>{}) {
            const auto exact = exact_version(required.specifier);
            if (required.name == package && (!exact || accepts(range, *exact))) return true;
        }
        return false;
    }

    bool stays(const Installed& before, const RecipePin& pin, const std::string& range) {
        if (!is_accepted(before, range) || !before.version) return is_accepted(before, range);
        const PypiRow* row = pypi_row(m_facts, before.package, *before.version);
        return fits_needs(m_required, row, pin, before.build, m_usual) && may_stay(before, pin);
    }

    // The requirements of the command on a package that it does not request. A copy of its name: the list
    // grows.
    void bring(const std::string package) {  // NOLINT(performance-unnecessary-value-param)
        if (m_chosen.find(package) != m_chosen.end()) return;
        const Installed* before = here(package);
        const Needed need = decisive(m_required, package, [&](const std::string& range) {
            return !before || is_accepted(*before, range);
        });
        RecipePin pin = *need.pin;
        pin.package = package;
        pin.specifier.clear();
        pin.extras = extras_in(m_required, package);
        pin.upgrade = false;
        Installed one = requested(pin);
        one.required_by = need.by;
        const std::string range = range_of(pin);
        if (before ? stays(*before, pin, range)
                   : came_with_torch(package, range) || leaves_open(m_before, pin))
            return;
        if (pin.open || (!before && may_be_there(m_before, pin))) return;
        for (const Candidate& candidate : candidates(m_facts, m_recipe, m_likely, pin, range)) {
            const bool open = before || !is_exact(range);  // pip goes back to an older release
            if (open && candidate.row &&
                !(fits_chosen(*candidate.row, pin) &&
                  fits_needs(m_required, candidate.row, pin, candidate.build, m_usual)))
                continue;
            one.version = {candidate.version, need.origin};
            one.version.origin.certainty = Certainty::predicted;
            one.newest = !need.pin->version || !is_exact(need.specifier);
            set_build(one, candidate.build, !candidate.other_build);
            require(pin, one, candidate.row, *need.pin);
            if (!one.newest) m_refusals.add_brought(pin, one, m_chosen);
            m_chosen[package] = std::move(one);
            return;
        }
    }

    void install(const std::string& name, Installed& one) {
        const Installed* before = here(name);
        const bool own_build = before && before->of_image && m_recipe.image.name == "nvidia/pytorch";
        const bool other =
            before && one.version && before->group < one.group &&
            (before->version ? before->version->without_local() != one.version->without_local() : own_build);
        // An upgrade of the package that an image is for moves what it requires along.
        const std::string upgraded = m_before.package.substr(0, m_before.package.find('='));
        const bool own_set = before && before->of_image && !upgraded.empty() &&
                             (name == upgraded || starts_with(one.required_by, upgraded + " "));
        if (other && !own_set) {
            Replaced replaced = m_conflicts[name];
            replaced.before = *before;
            replaced.after = one;
            m_recipe.replaced.push_back(std::move(replaced));
        }
        m_here[name] = std::move(one);
    }

    const Facts& m_facts;
    MarkerEnvironment m_usual;
    MarkerEnvironment m_likely;  // for what floats; nothing is refused for it
    RecipeFacts& m_recipe;
    const BeforeCommands& m_before;
    Refusals m_refusals;
    std::map<std::string, Installed> m_here;
    std::size_t m_removed = 0;  // of m_recipe.removed: those that are done
    // Of one command:
    Pins m_requested;
    std::map<std::string, Installed> m_chosen;
    Needs m_required;
    std::map<std::string, Replaced> m_conflicts;  // by the package that cannot stay
};

}  // namespace

void resolve(const Facts& facts, const MarkerEnvironment& markers, const BeforeCommands& before,
             RecipeFacts& recipe) {
    Resolver(facts, markers, before, recipe).run();
}

}  // namespace ptxguard::recipes
