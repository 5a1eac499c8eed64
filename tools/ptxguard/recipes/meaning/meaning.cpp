// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/meaning.hpp"

#include <set>

#include "facts/ngc.hpp"
#include "facts/package_names.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/builds/arch_gates.hpp"
#include "recipes/containers/images.hpp"
#include "recipes/meaning/arch_readers.hpp"
#include "recipes/meaning/built_requirements.hpp"
#include "recipes/meaning/copied_packages.hpp"
#include "recipes/meaning/copied_programs.hpp"
#include "recipes/meaning/dead_paths.hpp"
#include "recipes/meaning/image_builds.hpp"
#include "recipes/meaning/marker_passes.hpp"
#include "recipes/meaning/python_here.hpp"
#include "recipes/meaning/stages.hpp"
#include "recipes/meaning/step_reading.hpp"
#include "recipes/meaning/toolkits.hpp"
#include "recipes/meaning/variables.hpp"
#include "recipes/python/marker_places.hpp"
#include "recipes/resolution/pins.hpp"
#include "recipes/resolution/refusals.hpp"
#include "recipes/resolution/resolution.hpp"

namespace ptxguard::recipes {
namespace {

Toolkit toolkit_of(const std::string& id, const std::string& root, Layout layout,
                   const Known<Version>& version) {
    Toolkit toolkit;
    toolkit.id = id;
    toolkit.root = toolkit.real_root = root;
    toolkit.layout = layout;
    toolkit.names = {root};
    Part nvcc;
    nvcc.kind = PartKind::nvcc;
    nvcc.path = nvcc.real_path = root + "/bin/nvcc";
    nvcc.version = version;
    toolkit.parts.push_back(std::move(nvcc));
    return toolkit;
}

void add_toolkits(StepReading& reading) {
    Scenario& scenario = reading.scenario;
    const RecipeImage& image = scenario.recipe.image;
    const auto add = [&](const std::string& root, Layout layout, const Known<Version>& version) {
        const std::string id = "toolkit" + std::to_string(scenario.toolkits.size() + 1);
        scenario.toolkits.push_back(toolkit_of(id, root, layout, version));
    };
    if (image.flavour == ImageFlavour::devel)
        add("/usr/local/cuda", Layout::nvidia,
            image.cuda && image.cuda->numbers.size() > 1 ? release_only(image.cuda) : Known<Version>{});
    const bool without = image.flavour == ImageFlavour::base || image.flavour == ImageFlavour::runtime;
    const bool installs =
        any_of(reading.toolkits, [](const BroughtToolkit& one) { return one.compiler && !one.named; });
    for (const BroughtToolkit& one : reading.toolkits) {
        if (!one.compiler) continue;
        // What a recipe installs overrides what it only names.
        if (one.named && (without || installs || image.flavour == ImageFlavour::devel)) continue;
        auto* same =
            first_where(scenario.toolkits, [&](const Toolkit& other) { return other.root == one.root; });
        if (!same)
            add(one.root, one.layout, one.version);
        else if (!same->parts.front().version)
            same->parts.front().version = one.version;
    }
}

// The toolkit that builds use: the one that CUDA_HOME selects, else the only one. If several are of one
// release, any of them.
void choose_toolkit(StepReading& reading) {
    Scenario& scenario = reading.scenario;
    if (scenario.toolkits.empty()) return;
    const Toolkit& first = scenario.toolkits.front();
    for (const SetVariable& variable : reading.variables) {
        if (variable.name != "CUDA_HOME" && variable.name != "CUDA_PATH") continue;
        const auto folder = release_folder(variable.value.text);
        for (const Toolkit& toolkit : scenario.toolkits)
            if (toolkit.root == variable.value.text || (folder && toolkit.root == folder->root)) {
                scenario.project.toolkit = toolkit.id;
                scenario.project.toolkit_because = variable.name;
            }
    }
    if (!scenario.project.toolkit.empty()) return;
    const auto& release = first.parts.front().version;
    const bool all_alike = all_of(scenario.toolkits, [&](const Toolkit& toolkit) {
        const auto& other = toolkit.parts.front().version;
        return &toolkit == &first || (release && other && same_release(*release, *other));
    });
    if (all_alike) scenario.project.toolkit = first.id;
}

// NVIDIA's wheels and conda packages with libraries: it is not known which program finds them.
bool has_libraries(const RecipePin& pin) {
    const bool named = starts_with_any(pin.package, {"nvidia-c", "libcu"}) || pin.package == "cudatoolkit" ||
                       pin.package == "cudnn";
    return named && pin.by != "apt" && pin.package.find("nvcc") == std::string::npos;
}

void set_no_nvcc(StepReading& reading, const ImageContent& content) {
    RecipeFacts& recipe = reading.scenario.recipe;
    const bool brought =
        any_of(reading.toolkits, [](const BroughtToolkit& one) { return one.compiler && !one.named; });
    const bool lacks = content.known && (recipe.image.flavour == ImageFlavour::runtime ||
                                         recipe.image.flavour == ImageFlavour::base);
    recipe.no_nvcc = lacks && !brought && !reading.nvcc.is_brought();
    // The actions of a job may install anything.
    if (recipe.kind != to_string(RecipeKind::dockerfile)) return;
    const bool plain = is_plain(recipe.image, reading.facts);
    recipe.no_nvcc =
        recipe.no_nvcc || (plain && reading.scenario.toolkits.empty() && !reading.nvcc.may_install());
    recipe.starts_bare = plain || recipe.image.name == "nvidia/cuda";
}

void add_libraries(StepReading& reading, const ImageContent& content) {
    RecipeFacts& recipe = reading.scenario.recipe;
    if (content.own_libraries) {
        if (recipe.image.flavour != ImageFlavour::base) recipe.libraries_cuda = recipe.image.cuda;
        recipe.libraries_cudnn = recipe.image.cudnn;
        recipe.libraries_complete = recipe.image.cuda.value.has_value() && !reading.copies;
    }
    for (const BroughtToolkit& one : reading.toolkits) {
        if (one.libraries) recipe.libraries_cuda = one.version;
        if (one.libraries && !one.version) recipe.libraries_complete = false;
        if (one.cudnn) recipe.libraries_cudnn = one.cudnn;
    }
    if (reading.listed || any_of(recipe.pins, has_libraries)) recipe.libraries_complete = false;
    set_no_nvcc(reading, content);
}

// Nothing of CUDA is in a plain image to which nothing brings any. After the packages are resolved.
bool lacks_libraries(const StepReading& reading) {
    const RecipeFacts& recipe = reading.scenario.recipe;
    const auto brings = [](const std::string& package, const std::vector<std::string>& extras) {
        return package == "torch" || starts_with(package, "nvidia-") || !extras.empty();
    };
    return recipe.kind == to_string(RecipeKind::dockerfile) && is_plain(recipe.image, reading.facts) &&
           reading.toolkits.empty() && !reading.copies && !reading.others && !reading.listed &&
           !reading.nvcc.may_install() &&
           none_of(
               recipe.pins,
               [&](const RecipePin& pin) { return pin.by == "conda" || brings(pin.package, pin.extras); }) &&
           none_of(recipe.installed, [&](const Installed& one) { return brings(one.package, {}); });
}

void set_project(Scenario& scenario) {
    Project& project = scenario.project;
    const RecipeFacts& recipe = scenario.recipe;
    project.wanted = !recipe.arch_lists.empty() ||
                     any_of(recipe.compiles, [](const CompileStep& one) { return !one.may_be_alone; });
    for (const RecipeArchs& one : recipe.arch_lists) {
        if (one.archs.targets.empty() && one.archs.words.empty()) continue;  // CMake does not read it
        project.archs = one.archs;
        project.archs_text = {one.archs.text, one.origin};
    }
}

// Where the Python of an image is not known, the oldest that it may have: a newer package may exclude it.
std::string oldest_python(const RecipeImage& image, const Facts& facts) {
    const std::string word = "python3.";
    if (const std::size_t at = image.tag.find(word); at != npos)
        return image.tag.substr(at + 6, image.tag.find_first_not_of("0123456789", at + word.size()) - at - 6);
    const auto release = parse_version(split_fields(image.tag, '-').front());
    std::string python;
    for (const ImagePython& row : recipe_tables(facts).image_pythons)
        if (release && row.image == image.name && *row.from <= *release && !row.python.empty())
            python = row.python;
    return python;
}

void set_machine(const PythonHere& here, Scenario& scenario) {
    const MarkerEnvironment& markers = here.markers;
    if (markers.machine == "aarch64" || markers.machine == "arm64") scenario.recipe.machine = "arm64";
    if (markers.system == "win32") scenario.system = System::windows;
    const std::string unusual = unusual_platform(markers);
    if (!unusual.empty()) scenario.recipe.platform = {unusual, here.platform};
    if (!markers.python.empty()) scenario.recipe.python = {markers.python, here.origin};
    if (!markers.python_from.empty()) scenario.recipe.python.origin = here.origin;
}

// Of toolkits from the distribution.
void set_releases(const DistributionToolkit& packaged, const RecipeImage& image,
                  std::vector<BroughtToolkit>& toolkits) {
    for (BroughtToolkit& one : toolkits) {
        if (one.layout != Layout::debian || one.version) continue;
        one.version = {*packaged.cuda, image.origin};
        if (image.name.empty()) one.version.origin = packaged.origin;
        one.version.origin.certainty = Certainty::predicted;
    }
}

// What the commands of a stage start from.
struct StageStart {
    ImageContent content;
    std::string platform;
    Written system;  // the text that names it
};

StageStart start_of(const std::vector<const Stage*>& line, const Facts& facts, RecipeFacts& recipe) {
    StageStart start;
    for (const Stage* one : line) {
        if (one->gpu) recipe.gpu = {one->gpu.text, origin_of(one->gpu)};
        start.platform = one->platform.text;
        start.system = one->image ? one->image : one->platform;
        if (one->image) start.content = content_of(one->image, facts);
    }
    return start;
}

// `of_image`: the commands install beside the packages of the image's own Python.
BeforeCommands before_commands(const ImageContent& content, bool of_image, const StepReading& reading,
                               const Facts& facts) {
    BeforeCommands before{of_image ? content.framework : "", content.image.origin,
                          of_image && is_open(content, facts), reading.unread_from, reading.here.likely};
    if (!of_image) return before;
    before.package = content.package;
    if (before.likely_python.empty()) before.likely_python = oldest_python(content.image, facts);
    if (content.image.name == "nvidia/pytorch") {
        before.framework = "torch";
        before.own_torch = torch_of_ngc(facts, content.image.tag);
    }
    return before;
}

void set_cmake(RecipeKind kind, const RecipeImage& image, const std::string& platform, StepReading& reading) {
    RecipeFacts& recipe = reading.scenario.recipe;
    if (kind == RecipeKind::dockerfile || kind == RecipeKind::definition_file)
        recipe.cmake = reading.cmake.release(image, platform, reading.facts);
    const bool of_cmake = kind == RecipeKind::cmake_lists;
    if (of_cmake || recipe.cmake) recipe.cmake_minimum = reading.standards.minimum();
    if (!of_cmake || recipe.cmake_minimum) reading.standards.fill(recipe);
}

void set_source(const Recipe& recipe, const Stage& stage, const std::string& environment,
                Scenario& scenario) {
    scenario.source = SourceKind::recipe;
    scenario.foreign = true;
    const std::string title = stage.name.substr(0, stage.name.size() - stage.row.size());
    scenario.recipe.place = {recipe.file, trim(title), stage.row, environment, ""};
    scenario.recipe.kind = to_string(recipe.kind);
    scenario.recipe.by_switch = stage.by_switch;
    scenario.recipe.alternative = stage.alternative;
    scenario.recipe.is_started =
        stage.last && (recipe.kind == RecipeKind::dockerfile || recipe.kind == RecipeKind::compose);
}

// Requirements that users of any system may install.
bool is_of_any_system(const Recipe& recipe, const Stage& stage) {
    return !stage.platform && !stage.image && stage.base.empty() &&
           contains(
               std::vector{RecipeKind::requirements, RecipeKind::pyproject, RecipeKind::pipfile,
                           RecipeKind::setup_script, RecipeKind::lock_file, RecipeKind::conda_environment},
               recipe.kind);
}

struct JudgedStage {
    Scenario scenario;
    MarkerEnvironment markers;  // of its requirements
};
// `pass`: for another environment than that of most users; may be null.
JudgedStage scenario_of(const Recipe& recipe, const Stage& stage, const Stages& stages,
                        const Environments& environments, const std::string& environment,
                        const MarkerPass* pass, const Facts& facts) {
    const std::vector<const Stage*> line = stages.line_of(stage);
    const Environments::Steps steps = environments.steps(environment);
    StepReading reading{facts, stages};
    Scenario& scenario = reading.scenario;
    set_source(recipe, stage, environment, scenario);
    const auto [content, platform, system] = start_of(line, facts, scenario.recipe);
    const DistributionToolkit* packaged = distribution_toolkit(content.image, platform, facts);
    reading.here = python_here(steps, line, content, packaged, environment.empty(), facts);
    read_file_name(recipe, reading.here);
    if (pass) pass->fill(reading.here);
    if (pass) scenario.recipe.own_lines = pass->own_lines;
    if (pass) scenario.recipe.place.pass = pass->name();
    scenario.name = scenario.recipe.place.name();
    // actions/setup-python in a container puts another Python before the image's.
    const bool other_python = recipe.kind == RecipeKind::workflow && !stage.python.empty();
    const bool of_image =
        environments.has_those_of_image(environment) && !reading.here.is_new && !other_python;
    set_machine(reading.here, scenario);
    for (const Step* step : steps) std::visit([&](const auto& any) { reading.take(any); }, *step);
    for (const Step* step : steps) std::visit([&](const auto& any) { reading.look(any); }, *step);
    scenario.recipe.image = content.image;
    if (reading.names_archs) append(scenario.recipe.compiles, reading.projects);
    add_unread_lists(reading.unread_lists, scenario.recipe);
    if (packaged) set_releases(*packaged, content.image, reading.toolkits);
    add_toolkits(reading);
    choose_toolkit(reading);
    add_libraries(reading, content);
    reading.named_archs.fill(facts, scenario);
    reading.used_names.fill(facts, scenario);
    scenario.recipe.starts_bare = scenario.recipe.starts_bare || recipe.kind == RecipeKind::conda_environment;
    BeforeCommands before = before_commands(content, of_image, reading, facts);
    // An environment does not contain the packages of the image's own Python.
    const std::string framework = of_image ? content.framework : "";
    if (of_image && has_old_pip(content.image, packaged, scenario.recipe))
        accept_old_versions(scenario.recipe);
    keep_own_builds(content.image, facts, scenario.recipe);
    append(scenario.recipe.refused, reading.here.refused);
    resolve(facts, reading.here.markers, before, scenario.recipe);
    forget_copied(reading.copied, scenario.recipe.refused);
    scenario.recipe.libraries_complete = scenario.recipe.libraries_complete || lacks_libraries(reading);
    if (is_copied_away(stages, stage)) forget_libraries(scenario.recipe);
    add_frameworks(facts, {framework, content.image.origin, !content.package.empty()}, scenario);
    add_variables(reading.variables, scenario);
    add_dead_paths(steps, reading.requests.newest(content.image, platform, facts), scenario);
    reading.requests.fill(content.image, platform, system, facts, scenario.recipe);
    reading.managers.fill(content.image, system, facts, scenario.recipe);
    reading.system_pythons.fill(content.image, system, facts, scenario.recipe);
    if (!reading.requests.is_closed()) reading.managers.add_misnamed(facts, scenario.recipe);
    add_copied_programs(stages, steps, facts, scenario.recipe);
    scenario.recipe.vendor = vendor_of(recipe.file, content.image);
    set_cmake(recipe.kind, content.image, platform, reading);
    set_project(scenario);
    reading.host_compilers.fill(system_compiler(content.image, platform, facts), system, scenario);
    return {std::move(scenario), reading.here.markers};
}

bool says_anything(const Scenario& scenario) {
    return !scenario.recipe.empty() || !scenario.toolkits.empty() || !scenario.entries.empty() ||
           !scenario.selectors.empty() || !scenario.recipe.pins_for_macos.empty() ||
           !scenario.recipe.refused.empty();
}

void add_scenarios(const Recipe& recipe, const Facts& facts, Budget& budget,
                   std::vector<Scenario>& scenarios) {
    constexpr std::size_t k_scenario = 20, k_steps_at_once = 8;  // about as much work as a step of the budget
    const Stages stages(recipe);
    std::optional<std::vector<ArchGate>> gates;  // of the file, for each of its stages
    for (const Stage& stage : recipe.stages) {
        if (stages.is_base_of_another(stage)) continue;
        const Environments environments(stages.steps_of(stages.line_of(stage)));
        for (const std::string& environment : environments.names()) {
            const Environments::Steps steps = environments.steps(environment);
            const Budget::Place at{recipe.file, stage.image.line, stage.image.column};
            if (!budget.spend_at(at, k_scenario + steps.size() / k_steps_at_once)) return;
            auto [scenario, markers] =
                scenario_of(recipe, stage, stages, environments, environment, nullptr, facts);
            if (recipe.gated && !gates) gates = arch_gates(*recipe.gated, facts.cuda_releases(), budget);
            if (gates) scenario.recipe.arch_gates = *gates;
            const std::vector<MarkerPass> passes =
                marker_passes(steps, markers, scenario.recipe, is_of_any_system(recipe, stage));
            if (says_anything(scenario)) scenarios.push_back(std::move(scenario));
            for (const MarkerPass& pass : passes) {
                if (!budget.spend_at(at, k_scenario + steps.size() / k_steps_at_once)) return;
                scenarios.push_back(
                    scenario_of(recipe, stage, stages, environments, environment, &pass, facts).scenario);
            }
        }
    }
}

}  // namespace

std::vector<Scenario> scenarios_of(const std::vector<Recipe>& recipes, const Facts& facts, Budget& budget) {
    std::vector<Scenario> scenarios;
    std::set<std::string> installed;  // files whose requirements another recipe installs
    std::set<std::string> parts;
    for (const Recipe& recipe : recipes) parts.insert(recipe.parts.begin(), recipe.parts.end());
    for (const Recipe& recipe : recipes) {
        if (recipe.kind == RecipeKind::requirements || parts.count(recipe.file) > 0) continue;
        const std::size_t before = scenarios.size();
        add_scenarios(recipe, facts, budget, scenarios);
        for (std::size_t i = before; i < scenarios.size(); ++i)
            for (const RecipePin& pin : scenarios[i].recipe.pins)
                if (!pin.origin.overridable && pin.origin.path != recipe.file)
                    installed.insert(pin.origin.path);
    }
    // A requirements file is judged as part of the recipe that installs it: there its index and image are
    // known.
    for (const Recipe& recipe : recipes)
        if (recipe.kind == RecipeKind::requirements && installed.count(recipe.file) == 0)
            add_scenarios(recipe, facts, budget, scenarios);
    return scenarios;
}

std::vector<Scenario> scenarios_of(const std::vector<Recipe>& recipes, const Facts& facts) {
    Budget budget;
    return scenarios_of(recipes, facts, budget);
}

}  // namespace ptxguard::recipes
