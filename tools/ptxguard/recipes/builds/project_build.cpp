// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/project_build.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/base/tree_places.hpp"
#include "recipes/builds/build_settings.hpp"
#include "recipes/builds/cmake_projects.hpp"
#include "recipes/builds/project_steps.hpp"
#include "recipes/builds/projects.hpp"
#include "recipes/python/requirements.hpp"

namespace ptxguard::recipes {
namespace {

bool holds(const std::string& text, std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(), [&](const char* word) { return text.find(word) != npos; });
}

// find_package(Torch), ${TORCH_LIBRARIES}; other files of the project may hold the call.
ProjectBuild build_of_cmake(const std::string& text) {
    if (holds(lower(text), {"torch"})) return ProjectBuild::torch;
    return holds(text, {"include(", "add_subdirectory("}) ? ProjectBuild::unknown : ProjectBuild::native;
}

class ProjectFiles {
public:
    ProjectFiles(std::string folder, const Written& by, const ReadFile& files)
        : m_folder(std::move(folder)), m_by(by), m_files(files) {}

    ProjectBuild python() const {
        const auto setup = text_of("setup.py"), project = text_of("pyproject.toml");
        const auto root = project ? tree_of_pyproject(project->text, project->file) : Result<Tree>(Trouble{});
        if (project && !root) return ProjectBuild::unknown;
        const bool asks_torch = root && requires_torch(*root);
        if (setup) return by_setup(setup->text, asks_torch);
        if (!root) return ProjectBuild::unknown;
        return asks_torch ? ProjectBuild::torch : by_backend(*root);
    }

    ProjectBuild cmake() const {
        const auto lists = text_of("CMakeLists.txt");
        return lists ? build_of_cmake(lists->text) : ProjectBuild::unknown;
    }

    // A Makefile may call anything that another file names.
    ProjectBuild make() const {
        const auto makefile = text_of("Makefile");
        const bool calls =
            !makefile || holds(makefile->text, {"torch", "setup.py", "pip", "python", "cmake", ".sh"});
        return calls ? ProjectBuild::unknown : ProjectBuild::native;
    }

private:
    std::optional<FileText> text_of(const char* name) const { return file_in(m_files, m_folder, name, m_by); }

    static bool requires_torch(const Tree& root) {
        return any_of(root["build-system"]["requires"].each(),
                      [](const Tree* one) { return read_requirement(written(*one, "")).name == "torch"; });
    }

    ProjectBuild by_setup(const std::string& text, bool asks_torch) const {
        if (!holds(text, {"ext_modules", "cmdclass", "cpp_extension", "subprocess", "os.system", "**"}))
            return ProjectBuild::plain;
        if (asks_torch || holds(text, {"torch"})) return ProjectBuild::torch;
        // CMake finds torch by itself; a module of the project may have the extensions.
        if (holds(text, {"cmake", "CMake", "skbuild"})) return cmake();
        return holds(text, {"ext_modules"}) &&
                       !holds(text, {"from tools", "from setup", "import setup_", "sys.path"})
                   ? ProjectBuild::native
                   : ProjectBuild::unknown;
    }

    ProjectBuild by_backend(const Tree& root) const {
        const Tree& tools = root["tool"];
        const std::string backend = root["build-system"]["build-backend"].text;
        const std::string module = backend.substr(0, backend.find_first_of(".:"));
        if (root["build-system"]["backend-path"]) return ProjectBuild::unknown;
        if (backend.empty() || module == "setuptools")
            return tools["setuptools"]["ext-modules"] ? ProjectBuild::native : ProjectBuild::plain;
        if (module == "hatchling")
            return tools["hatch"]["build"]["hooks"] || tools["hatch"]["build"]["targets"]["wheel"]["hooks"]
                       ? ProjectBuild::unknown
                       : ProjectBuild::plain;
        if (module == "poetry") return tools["poetry"]["build"] ? ProjectBuild::unknown : ProjectBuild::plain;
        if (module == "pdm") return tools["pdm"]["build"] ? ProjectBuild::unknown : ProjectBuild::plain;
        if (is_one_of(module, {"flit_core", "uv_build"})) return ProjectBuild::plain;
        if (is_one_of(module, {"scikit_build_core", "py_build_cmake"})) return cmake();
        return is_one_of(module, {"maturin", "mesonpy"}) ? ProjectBuild::native : ProjectBuild::unknown;
    }

    std::string m_folder;
    const Written& m_by;
    const ReadFile& m_files;
};

// The file of `python FILE`; null = none.
const Written* python_file(const Command& command) {
    for (std::size_t i = 1; i < command.words.size(); ++i) {
        const std::string& word = command.words[i].text;
        if (word == "-c" || word == "-m") return nullptr;
        if (!starts_with(word, "-")) return &command.words[i];
    }
    return nullptr;
}

ProjectBuild build_by_python(const Command& command, const ReadFile& files) {
    const auto inline_code = [&](std::size_t i) {
        return command.words[i].text == "-c" && i + 1 < command.words.size();
    };
    for (std::size_t i = 1; i < command.words.size(); ++i)
        if (inline_code(i))
            return holds(command.words[i + 1].text, {"cpp_extension"}) ? ProjectBuild::torch
                                                                       : ProjectBuild::plain;
    const Written* file = python_file(command);
    if (!file)
        return builds_python_project(command) ? ProjectFiles("", command.words[0], files).python()
                                              : ProjectBuild::plain;
    if (file_name(file->text) == "setup.py")
        return ProjectFiles(parent_path(file->text), *file, files).python();
    if (const auto text =
            files && file->known ? files(normal_path(file->text, System::linux_), *file) : std::nullopt)
        return holds(text->text, {"cpp_extension"}) ? ProjectBuild::torch : ProjectBuild::plain;
    // Whether an unseen script compiles, its name suggests.
    return holds(lower(file_name(file->text)), {"build", "compile", "setup", "install"})
               ? ProjectBuild::unknown
               : ProjectBuild::plain;
}

}  // namespace

bool builds_python_project(const Command& command) {
    const std::vector<Written>& words = command.words;
    const std::string program = program_name(words[0].text);
    const auto word = [&](std::size_t i) { return i < words.size() ? words[i].text : std::string(); };
    if (starts_with(program, "python"))
        return word(1) == "-m" && is_one_of(word(2), {"build", "cibuildwheel", "installer"});
    return is_one_of(program, {"uv", "poetry", "hatch", "pdm", "pyproject-build", "cibuildwheel"}) &&
           (word(1) == "build" || is_one_of(program, {"pyproject-build", "cibuildwheel"}));
}

ProjectBuild build_of_projects(const PipInstall& install, const ReadFile& files) {
    ProjectBuild most = ProjectBuild::plain;
    for (const Written& project : install.projects) {
        const std::string folder = project.text.substr(0, project.text.find('['));
        const bool is_path = project.known && folder.find("://") == npos;
        most =
            std::max(most, is_path ? ProjectFiles(folder, project, files).python() : ProjectBuild::unknown);
    }
    return most;
}

ProjectBuild build_of_command(const Command& command, const ReadFile& files) {
    const std::string program = program_name(command.words[0].text);
    if (starts_with(program, "python")) return build_by_python(command, files);
    if (builds_python_project(command)) return ProjectFiles("", command.words[0], files).python();
    if (program == "cmake" || program == "cmake3") {
        if (!configures(command)) return ProjectBuild::plain;
        return ProjectFiles(configured_project(command).source.text, command.words[0], files).cmake();
    }
    if (program == "make" || program == "gmake")
        return ProjectFiles(folder_of_make(command), command.words[0], files).make();
    return ProjectBuild::unknown;
}

}  // namespace ptxguard::recipes
