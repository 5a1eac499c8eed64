// The architectures that a setup.py requests for a release of CUDA.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/base/release_words.hpp"
#include "recipes/builds/arch_gates.hpp"
#include "recipes/builds/arch_requests.hpp"
#include "recipes/builds/compile_commands.hpp"
#include "recipes/python/python_follower.hpp"

namespace ptxguard::recipes {
namespace {

class RequestObserver : public PythonObserver {
public:
    explicit RequestObserver(ReleaseRequests& result) : m_result(result) {}

    void gets(const std::string& name, const PythonValue& value, bool more, const PythonRun& run) override {
        if (!more && run.certain) forget(name);
        add(name, value, run, 0);
    }
    void decides(int line, Truth value) override { m_result.conditions[line].push_back(value); }
    void fails(int line) override { m_result.failures.insert(line); }

private:
    void add(const std::string& name, const PythonValue& value, const PythonRun& run, int depth) {
        if (value.is_list() || value.kind == PythonValue::Kind::table) {
            for (const PythonValue& item : value.items) add(name, item, run, depth + 1);
            return;
        }
        // Rows of tables (an architecture and its releases) and sentences request nothing.
        const bool is_text = value.is_text(), is_flag = is_text && is_arch_flag(value.text.text);
        if (!is_flag && (name.empty() || depth > 1 || (!is_text && !value.is_known()))) return;
        if (is_text && !is_flag && !is_arch_variable(name) && value.text.text.find(' ') != npos) return;
        for (const Arch arch : archs_in(name, value.text.text)) {
            const bool decided = value.text.known && !run.by_cuda;
            m_result.uses[{name, arch}] = {place_of(value, arch),
                                           decided && (is_flag || (is_arch_variable(name) && run.certain))};
        }
    }

    // Of the value in f"sm_{arch}" that has its number.
    static Place place_of(const PythonValue& value, Arch arch) {
        for (const PythonValue& part : value.items)
            if (part.text.line > 0 && part.text.text.find(std::to_string(arch.number)) != npos)
                return {part.text.line, part.text.column};
        return {value.text.line, value.text.column};
    }

    void forget(const std::string& name) {
        auto at = m_result.uses.lower_bound({name, Arch{}});
        while (at != m_result.uses.end() && at->first.name == name) at = m_result.uses.erase(at);
    }

    ReleaseRequests& m_result;
};

}  // namespace

std::shared_ptr<const GatedScript> gated_script(const std::string& file, std::string_view python) {
    const Version any = *parse_version("12.0");
    const std::string names = upper(python);
    if (names.find("SM_") == npos && names.find("COMPUTE_") == npos && names.find("ARCH") == npos)
        return nullptr;
    GatedScript script{file, {}, std::make_shared<PythonFollower>(file, python)};
    const bool compares = script.python->has_name(
        [&](const std::string& name) { return release_in_python(name, any).has_value(); });
    return compares ? std::make_shared<GatedScript>(std::move(script)) : nullptr;
}

ReleaseRequests python_requests_for(const GatedScript& script, const Version& release, Budget& budget) {
    ReleaseRequests result;
    result.release = release;
    RequestObserver observer(result);
    Shell shell;
    shell.files = ReadFile({}, std::shared_ptr<Budget>(std::shared_ptr<Budget>(), &budget));
    PythonFollower follower = *script.python;
    follower.show(observer, release, shell);
    return result;
}

}  // namespace ptxguard::recipes
