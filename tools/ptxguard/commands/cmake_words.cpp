// SPDX-License-Identifier: Apache-2.0
#include "commands/cmake_words.hpp"

#include <array>
#include <cctype>
#include <utility>

namespace ptxguard {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 12> k_variables = {
    {{"driver-libs", "CudaConsistent_DRIVER_LIBS"},
     {"driver", "CudaConsistent_DRIVER"},
     {"gpu", "CudaConsistent_GPUS"},
     {"toolkit", "CudaConsistent_TOOLKIT"},
     {"python", "CudaConsistent_PYTHON"},
     {"require", "CudaConsistent_REQUIRE"},
     {"config", "CudaConsistent_SETTINGS"},
     {"ignore", "CudaConsistent_IGNORE"},
     {"fail-on", "CudaConsistent_FAIL_ON"},
     {"probe", "CudaConsistent_PROBE"},
     {"cxx-standard", "CMAKE_CXX_STANDARD"},
     {"framework", "COMPONENTS"}}};

void speak(std::string& text, const std::string& list) {
    for (std::size_t at = 0; (at = text.find("--", at)) != std::string::npos;) {
        std::size_t end = at + 2;
        while (end < text.size() && (std::islower(static_cast<unsigned char>(text[end])) || text[end] == '-'))
            ++end;
        const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '\'';
        const std::string variable = begins ? cmake_variable(text.substr(at + 2, end - at - 2), list) : "";
        if (!variable.empty()) text.replace(at, end - at, variable);
        at = variable.empty() ? end : at + variable.size();
    }
}

// "--toolkit /usr/local/cuda" -> "set CudaConsistent_TOOLKIT to /usr/local/cuda"
void speak_fix(std::string& text, const std::string& list) {
    const std::size_t space = text.find(' ');
    const std::string variable =
        text.rfind("--", 0) == 0 ? cmake_variable(text.substr(2, space - 2), list) : "";
    if (variable.empty() || space == std::string::npos) return speak(text, list);
    text = "set " + variable + " to" + text.substr(space);
}

}  // namespace

std::string cmake_variable(const std::string& option, const std::string& list) {
    if (option == "arch") return list.empty() ? "CMAKE_CUDA_ARCHITECTURES" : list;
    for (const auto& [name, variable] : k_variables)
        if (option == name) return variable;
    return {};
}

void speak_cmake(Judgement& judgement, const std::string& list) {
    for (auto* findings : {&judgement.findings, &judgement.later})
        for (Finding& finding : *findings) {
            for (std::string* text : {&finding.subject, &finding.message, &finding.because})
                speak(*text, list);
            for (std::string& text : finding.decide) speak(text, list);
            for (Fix& fix : finding.fix) speak_fix(fix.text, list);
            for (auto* side : {&finding.found, &finding.expected})
                for (Evidence& one : *side)
                    for (std::string* text : {&one.what, &one.value, &one.origin.text, &one.origin.variable})
                        speak(*text, list);
        }
    for (CheckedArea& area : judgement.checklist) speak(area.decide, list);
}

}  // namespace ptxguard
