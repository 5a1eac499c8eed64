// SPDX-License-Identifier: Apache-2.0
#include "commands/plan_wish.hpp"

#include <algorithm>

#include "commands/node_types.hpp"
#include "facts/pypi.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/conda.hpp"
#include "packages/python.hpp"

namespace ptxguard {

std::string framework_below(const std::string& package, const Facts& facts) {
    const PypiPackage* table = pypi_package(facts, package);
    if (!table || table->releases.empty()) return "";
    for (const char* framework : {"torch", "jax", "tensorflow"})
        if (requirement_on(facts, package, *parse_version(table->releases.back().version), framework))
            return framework;
    return "";
}

namespace {

bool is_free_threaded(const std::string& python) { return ends_with(python, "t"); }

// "3.12", "3.14t"
bool is_python_version(const std::string& text) {
    const auto version = parse_version(is_free_threaded(text) ? text.substr(0, text.size() - 1) : text);
    return version && version->numbers.size() > 1 && version->major() == 3;
}

// A named version. In a configuration it is the interpreter of `check`. Otherwise that of the environment
// that is active here, if the plan is for this system.
std::string python_of(const Settings& settings, const Host& host, std::string& from) {
    const std::string python = settings.one("python");
    const bool said = settings.origin("python").kind == OriginKind::option;
    if (said || is_python_version(python)) return python;
    if (settings.has("isolated") || settings.has("os") || settings.has("python")) return "";
    Scenario here;
    find_python(host, {}, here);
    const std::string& prefix = here.python.prefix;
    const bool environment = is_file(host, join_path(prefix, "pyvenv.cfg")) || is_conda_prefix(host, prefix);
    if (prefix.empty() || !environment) return "";  // the system's own
    if (!is_python_version(here.python.version)) return "";
    from = prefix;
    return here.python.version;
}

std::string replaced_name(std::string says, const std::string& name) {
    const std::size_t at = says.find("{name}");
    return at == std::string::npos ? says : says.replace(at, 6, name);
}

// The row of a package whose releases for those of its framework are listed.
const Companion* listed_companion(const Facts& facts, const std::string& package) {
    for (const char* framework : {"torch", "jax", "tensorflow"}) {
        const Companion* row = companion_of(facts, framework, package);
        if (row && (!row->releases.empty() || !row->wheels.empty())) return row;
    }
    return nullptr;
}

bool wish_for_companion(const Companion& row, const std::string& rest, Wish& wish) {
    if (!rest.empty() && !starts_with(rest, "==")) return false;
    if (!rest.empty()) wish.release = parse_version(trim(rest.substr(2)));
    wish.companion = &row;
    wish.own_code = !row.cpu_build_works;
    wish.same_command = true;
    wish.says.push_back(row.package + " has a release for each " + row.of);
    wish.framework = *parse_framework(row.of);
    return rest.empty() || wish.release;
}

Result<Wish> wish_for(const std::string& text, const Facts& facts, const PlanTable& words) {
    Wish wish;
    wish.named = trim(text);
    const std::size_t sign = std::min(wish.named.find_first_of("=<>~!+ @[("), wish.named.size());
    const std::string name = canonical_package(wish.named.substr(0, sign));
    std::string planned = wish.named;
    if (const PlanName* row = words.named(name)) {
        wish.says.push_back(replaced_name(row->says, name));
        wish.nothing = row->plan.empty();
        if (wish.nothing) return wish;
        const std::string rest = wish.named.substr(sign);
        const bool pinned = !rest.empty() && !row->same_release;
        wish.install = replaced_name(row->install, pinned ? "'" + wish.named + "'" : name);
        wish.same_command = row->same_command;
        wish.compiled = row->compiled;
        if (!pinned) wish.companion = listed_companion(facts, name);
        planned = row->plan + (row->same_release && starts_with(rest, "==") ? rest : "");
    }
    auto framework = parse_framework(planned);
    if (framework) {
        wish.framework = std::move(*framework);
        return wish;
    }
    const std::string below = framework_below(name, facts);
    const Companion* row = listed_companion(facts, name);
    if (below.empty() && row && wish_for_companion(*row, wish.named.substr(sign), wish)) return wish;
    wish.unlisted = below.empty() && is_other_package(wish.named);
    if (wish.unlisted) return wish;
    if (below.empty()) return framework.trouble();
    wish.package = name;
    wish.framework = *parse_framework(below);
    if (const std::string rest = wish.named.substr(sign); starts_with(rest, "=="))
        wish.release = parse_version(trim(rest.substr(2)));
    else if (!rest.empty() && rest[0] != '[')
        return Trouble{"--framework " + text, "is not NAME[==VERSION]",
                       "for example " + name + "==" + pypi_package(facts, name)->releases.back().version};
    return wish;
}

}  // namespace

Result<std::vector<Wish>> wishes_from(const Settings& settings, const Host& host, const Facts& facts,
                                      const PlanTable& words) {
    if (!settings.has("framework")) return Trouble{"--framework", "is missing", "for example torch"};
    std::string from;
    const std::string python = python_of(settings, host, from);
    if (!python.empty() && !is_python_version(python))
        return Trouble{"--python", "needs a version such as 3.12, not '" + python + "'", ""};
    std::vector<Wish> wishes;
    for (const std::string& text : settings.all("framework")) {
        auto wish = wish_for(text, facts, words);
        if (!wish) return wish.trouble();
        wish->request = request_from(settings);
        for (const NodeType& node : node_types(settings)) {
            wish->request.drivers.push_back(node.driver);
            append(wish->request.gpus, node.gpus);
        }
        if (is_free_threaded(python)) wish->free_threaded = python;
        wish->request.python = is_free_threaded(python) ? python.substr(0, python.size() - 1) : python;
        wish->python_from = from;
        wish->system = host.system();
        const std::string os = settings.one("os");
        wish->macos = os == "macos";
        if (const auto system = from_word<System>(os)) wish->system = *system;
        wishes.push_back(std::move(*wish));
    }
    // Nothing else is to be planned.
    if (all_of(wishes, [](const Wish& wish) { return wish.unlisted; }))
        return parse_framework(wishes.front().named).trouble();
    return wishes;
}

std::string own_code_words(const Wish& wish) { return "the device code of " + wish.companion->package; }

std::vector<Wish> machines_of(const Wish& wish, const Settings& settings) {
    std::vector<Wish> machines;
    for (const NodeType& node : node_types(settings)) {
        Wish one = wish;
        one.node = node.name;
        one.request.drivers = {node.driver};
        one.request.gpus = node.gpus;
        machines.push_back(std::move(one));
    }
    if (!machines.empty()) return machines;
    std::vector<std::string> drivers = wish.request.drivers, gpus = wish.request.gpus;
    if (drivers.size() < 2 && gpus.size() < 2) return machines;
    if (drivers.empty()) drivers.resize(1);
    if (gpus.empty()) gpus.resize(1);
    for (const std::string& driver : drivers)
        for (const std::string& gpu : gpus) {
            Wish pair = wish;
            if (!driver.empty()) pair.request.drivers = {driver};
            if (!gpu.empty()) pair.request.gpus = {gpu};
            machines.push_back(std::move(pair));
        }
    return machines;
}

}  // namespace ptxguard
