// The tables of messages: what tools, libraries and frameworks write, and what it means. messages.cpp joins
// the tables of all families; causes.cpp has the causes that they refer to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "messages/pattern.hpp"
#include "model/diagnosis.hpp"
#include "model/rule_code.hpp"

namespace ptxguard {

// fault: has suspects. echo: repeats that something failed, the cause is elsewhere. fact: names a version,
// GPU, path ... harmless: looks like a fault and is none.
enum class Role { fault, echo, fact, harmless };

// For the tables.
inline constexpr auto certain = Confidence::certain, likely = Confidence::likely,
                      possible = Confidence::possible;
// The marks of a row that many programs say alike (statements.cpp); the second one's last word is what is
// absent: "Cannot find CUDA devices", not "Cannot find CUDA devices' names".
inline constexpr const char *k_statement = "statement", *k_statement_of_thing = "statement of a thing";
inline constexpr const char *k_check = "ptxguard check", *k_check_build = "ptxguard check --build";

struct Suspect {
    const char* cause;  // an id of causes.cpp
    Confidence confidence;
};

struct Message {
    Message(const char* pattern_, Role role_, const char* mark_ = "")
        : pattern(pattern_), role(role_), mark(mark_) {}
    // A fault.
    Message(const char* pattern_, std::vector<Suspect> suspects_, const char* mark_ = "")
        : pattern(pattern_),
          role(suspects_.empty() ? Role::echo : Role::fault),
          suspects(std::move(suspects_)),
          mark(mark_) {}

    const char* pattern;
    Role role;
    std::vector<Suspect> suspects;
    const char* mark;  // what the message says about the rest of the log, for diagnose/
};

inline bool is_statement(const Message& message) {
    return std::string_view(message.mark) == k_statement ||
           std::string_view(message.mark) == k_statement_of_thing;
}

// In `sentence`, `decide` and `fix`, {name} is a value from the log; a part in [brackets] is dropped unless
// all its names are known. "@name" before a bracket drops it if that one is. A name outside of brackets
// leaves a hole where its value is missing: only {NAME|otherwise} may stand there, or a value that each
// message of the cause has.
struct Cause {
    Cause(const char* id_, RuleCode code_, const char* decide_, const char* sentence_,
          std::vector<const char*> fix_ = {})
        : id(id_), code(code_), decide(decide_), sentence(sentence_), fix(std::move(fix_)) {}
    // No toolchain problem.
    Cause(const char* id_, const char* sentence_) : Cause(id_, "", "", sentence_) {}

    const char* id;
    RuleCode code;         // "" = no toolchain problem
    const char* decide;    // the command that confirms or refutes it
    const char* sentence;  // the subject first, no full stop at the end
    std::vector<const char*> fix;
};

const std::vector<Cause>& causes();
std::vector<Cause> causes_of_drivers();
std::vector<Cause> causes_of_libraries();
std::vector<Cause> causes_of_frameworks();
std::vector<Cause> causes_of_others();  // no toolchain problems
const Cause* find_cause(std::string_view id);

const std::vector<Message>& all_messages();
std::vector<Message> messages_of_compilers();
std::vector<Message> messages_of_sources();  // headers and names that are not there
std::vector<Message> messages_of_driver();
std::vector<Message> messages_of_driver_installers();
std::vector<Message> messages_of_containers();  // also of clusters
std::vector<Message> messages_of_libraries();
std::vector<Message> messages_of_tensorrt();
std::vector<Message> messages_of_loaders();
std::vector<Message> messages_of_frameworks();
std::vector<Message> messages_of_tensorflow();  // and of XLA and JAX
std::vector<Message> messages_of_extensions();  // of PyTorch
std::vector<Message> messages_of_runners();     // llama.cpp, Ollama, CTranslate2
std::vector<Message> messages_of_applications();
std::vector<Message> messages_of_languages();  // bindings and libraries beside the large frameworks
std::vector<Message> messages_of_builds();
std::vector<Message> messages_of_package_managers();
std::vector<Message> messages_with_facts();
std::vector<Message> messages_of_python_programs();               // no toolchain causes them
std::vector<Message> messages_of_statements();                    // that many programs say alike
std::vector<Suspect> suspects_of_absent(std::string_view thing);  // of the value {thing} in such a row
std::vector<Message> messages_of_requirements();                  // the same, of releases and GPUs
std::vector<Message> messages_of_programs();  // faults that no toolchain causes, echoes, harmless ones

}  // namespace ptxguard
