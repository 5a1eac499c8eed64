// Executes the CMake files of a project, with the folders, files, functions and loops in them, as far as
// their text and a CMakeBuild decide it. Nothing is run. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/cmake_commands.hpp"
#include "model/truth.hpp"
#include "recipes/base/branches.hpp"
#include "recipes/builds/cmake_variables.hpp"

namespace ptxguard::recipes {

class CMakeExecution {
public:
    // A file is executed once; its key is the same for all its paths.
    struct File {
        std::string key, file, text;
    };
    using Read = std::function<std::optional<File>(const std::string& path)>;

    CMakeExecution(const CMakeBuild& build, Read read) : m_read(std::move(read)), m_variables(build) {}
    virtual ~CMakeExecution() = default;

    void execute_folder(const std::string& folder);
    void execute(const File& file);
    void execute(const std::string& file, const std::vector<CMakeCommand>& commands);
    // The bodies of functions that nothing called, with open parameters.
    void execute_uncalled(Truth runs);

protected:
    // An if() or loop that is open.
    struct Block : Branch {
        std::vector<std::string> condition = {};
        int line = 0;
    };

    // A command after what it does to variables: it runs, or may run. Its arguments are not expanded.
    virtual void ran(const std::string& file, const CMakeCommand& command, Truth runs) = 0;
    // One that does not run for sure.
    virtual void is_behind(const std::string& /*file*/, const CMakeCommand& /*command*/) {}
    virtual void decides(int /*line*/, Truth /*value*/) {}
    virtual bool goes_on(const std::string& /*file*/, const CMakeCommand& /*command*/) { return true; }

    const CMakeVariables& variables() const { return m_variables; }
    CMakeVariables& variables() { return m_variables; }
    const std::vector<Block>& blocks() const { return m_blocks; }
    // What finds one, finds one: else nothing is built with it.
    void assume_toolkit();
    Truth truth_of(const std::vector<std::string>& condition) const;
    void look_into_environment(std::function<bool(const std::string&)> has) {
        m_in_environment = std::move(has);
    }
    // Whether its arguments name the language CUDA: project(), enable_language().
    bool enables_language(const CMakeCommand& command) const;

private:
    enum class Jump { none, next_item, out_of_loop, returns };
    struct Commands {  // of a file, which stays
        const std::vector<CMakeCommand>* all = nullptr;
        std::size_t first = 0, last = 0;
    };
    struct Function {
        std::string file;
        bool macro = false;  // executed in the caller's scope
        std::vector<std::string> parameters;
        Commands body;
        bool called = false;
    };

    void read(const std::string& path);
    void run(const std::string& file, const Commands& commands);
    void loop(const std::string& file, const CMakeCommand& command, const Commands& body);
    void call(Function& function, const CMakeCommand& command);
    void body_of(const Function& function, Truth runs);
    void one(const std::string& file, const CMakeCommand& command);
    bool changes_blocks(const CMakeCommand& command);
    // include() and add_subdirectory().
    void read_more(const CMakeCommand& command);
    // A command that is executed, after its variables.
    void take(const CMakeCommand& command);
    void include(const std::string& name);
    void require(const std::vector<std::string>& words);

    Read m_read;
    CMakeVariables m_variables;
    std::set<std::string> m_done;  // keys of files
    std::vector<std::unique_ptr<const std::vector<CMakeCommand>>> m_files;
    std::vector<Block> m_blocks;
    std::map<std::string, Function> m_functions;
    Jump m_jump = Jump::none;
    int m_depth = 0, m_calls = 0, m_commands = 0;
    std::set<std::string> m_targets;
    std::function<bool(const std::string&)> m_in_environment;
    bool m_language = false;   // CUDA
    bool m_sets_archs = true;  // CMake sets CMAKE_CUDA_ARCHITECTURES, by the policies of the project
};

}  // namespace ptxguard::recipes
