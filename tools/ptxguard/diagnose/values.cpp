// SPDX-License-Identifier: Apache-2.0
#include "diagnose/values.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "model/arch.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// Names that mean the same in every line of a log.
bool is_of_log(const std::string& name) {
    static const std::set<std::string> names{
        "driver",     "driver_cuda", "gpu",    "nvcc",        "torch",       "torch_cuda",
        "tensorflow", "jax",         "jaxlib", "onnxruntime", "cmake_nvcc",  "found_cuda",
        "gcc",        "numba",       "vllm",   "driver_api",  "runtime",     "arch_of_gpu",
        "archs",      "kernel",      "ptxas",  "arch_asked",  "python_minor"};
    return names.count(name) != 0;
}

// The releases that write this PTX version: "12.5 or 12.6".
std::string cuda_of_ptx(const Facts& facts, const std::string& text) {
    const auto ptx = parse_ptx_version(text);
    return ptx ? joined(facts.cuda_releases_for_ptx(*ptx), " or ") : "";
}

// The toolkits that support an architecture, as a statement and as an advice. Of a dropped one, that it was
// dropped is what matters, unless the nvcc that refused it is older, or may be: one before CUDA 8 is rare.
std::pair<std::string, std::string> toolkits_of(const ArchFacts& row, const std::optional<Version>& nvcc) {
    const auto& first = row.first_toolkit;
    const auto& last = row.last_toolkit;
    const bool is_older = first && nvcc && *nvcc < *first;
    if (first && (!last || is_older))
        return {"CUDA " + first->release() + " and newer do", "CUDA " + first->release() + " or newer"};
    if (!last) return {};
    if (first && !nvcc && first->major() >= 8) {
        const std::string span = "CUDA " + first->release() + " to " + last->release();
        return {span + " do", span};
    }
    return {"CUDA " + last->release() + " was the last that did", "CUDA " + last->release() + " or older"};
}

const LogValue* find_value(const LogValues& values, const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
}

void add_value(LogValues& values, const char* name, const std::string& text, std::int64_t line) {
    if (!text.empty()) values.try_emplace(name, LogValue{text, line});
}

void derive_from_arch(const Facts& facts, LogValues& values) {
    const LogValue* arch = find_value(values, "arch");
    const auto parsed = arch ? parse_arch(arch->text) : std::nullopt;
    const ArchFacts* row = parsed ? facts.arch(*parsed) : nullptr;
    if (!row) return;
    const LogValue* nvcc = find_value(values, "nvcc");
    auto version = nvcc ? parse_version(nvcc->text) : std::nullopt;
    const CudaRelease* release = version ? facts.cuda(*version) : nullptr;
    // An nvcc that supports the architecture is not the one that refused it.
    if (release && contains(release->ptxas_archs, *parsed)) {
        values.erase("nvcc");
        version.reset();
    }
    const auto [bound, needs] = toolkits_of(*row, version);
    add_value(values, "arch_bound", bound, arch->line);
    add_value(values, "arch_needs", needs, arch->line);
}

// "12050", as CUDA_VERSION spells 12.5; empty for a smaller number.
std::string spelled_release(const std::string& text) {
    const int number = std::atoi(text.c_str());
    return number >= 1000 ? std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10) : "";
}

void derive_releases(const Facts& facts, LogValues& values) {
    for (const auto& [name, derived] : {std::pair{"made", "made_cuda"}, std::pair{"read", "read_cuda"}})
        if (const LogValue* ptx = find_value(values, name))
            add_value(values, derived, cuda_of_ptx(facts, ptx->text), ptx->line);
    for (const char* name : {"found_cuda", "runtime"})
        if (const auto found = values.find(name); found != values.end() && all_digits(found->second.text))
            if (const std::string release = spelled_release(found->second.text); !release.empty())
                found->second.text = release;
    // "found version 11040": the CUDA release of the driver.
    if (const LogValue* api = find_value(values, "driver_api"))
        add_value(values, "driver_api_cuda", spelled_release(api->text), api->line);
}

void derive(const Facts& facts, LogValues& values) {
    // "Target GPU SM 61", "gpu arch 120"
    if (const auto arch = values.find("arch");
        arch != values.end() && arch->second.text.size() > 1 && all_digits(arch->second.text))
        arch->second.text = "sm_" + arch->second.text;
    derive_from_arch(facts, values);
    derive_releases(facts, values);
    for (const auto& [package, name] : {std::pair{"torch", "PyTorch"}, std::pair{"tensorflow", "TensorFlow"},
                                        std::pair{"jaxlib", "JAX"}, std::pair{"onnxruntime", "ONNX Runtime"}})
        if (const LogValue* version = find_value(values, package)) {
            add_value(values, "framework", std::string(name) + " " + version->text, version->line);
            add_value(values, "package", package, version->line);
        }
}

// "UserWarning: NVIDIA GeForce RTX 5070 Ti": what a logger writes before the name of a GPU is no part of it.
std::string cleaned(const std::string& name, const std::string& text) {
    const std::size_t colon = name == "gpu" ? text.rfind(": ") : npos;
    return colon == npos ? text : text.substr(colon + 2);
}

class Filler {
public:
    Filler(std::string_view text, const LogValues& values) : m_text(text), m_values(values) {}

    // Up to the closing bracket, or the end.
    std::string fill(bool inside, bool& known) {
        std::string result;
        while (m_at < m_text.size()) {
            const char c = m_text[m_at++];
            const bool doubled =
                !inside && m_at < m_text.size() && m_text[m_at] == c && (c == '[' || c == ']');
            if (doubled) {
                ++m_at;
                result += c;
            } else if (c == ']' && inside) {
                break;
            } else if (c == '[') {
                bool all = true;
                const std::string part = fill(true, all);
                if (all) result += part;
            } else if (c == '{') {
                result += value(known);
            } else if (c == '@' && is_condition()) {
                result += part_without();
            } else {
                result += c;
            }
        }
        return result;
    }

private:
    std::string value(bool& known) {
        const std::size_t close = std::min(m_text.find('}', m_at), m_text.size());
        const std::string_view inner = m_text.substr(m_at, close - m_at);
        m_at = std::min(close + 1, m_text.size());
        const std::size_t bar = inner.find('|');
        const auto found = m_values.find(std::string(inner.substr(0, bar)));
        if (found != m_values.end()) return found->second.text;
        if (bar != npos) return std::string(inner.substr(bar + 1));
        known = false;
        return "";
    }
    bool is_condition() const {
        const std::size_t open = m_text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", m_at);
        return open != npos && open > m_at && m_text[open] == '[';
    }
    std::string part_without() {
        const std::size_t open = m_text.find('[', m_at);
        const std::string name(m_text.substr(m_at, open - m_at));
        m_at = open + 1;
        bool known = true;
        const std::string part = fill(true, known);
        return m_values.count(name) ? "" : part;
    }

    std::string_view m_text;
    const LogValues& m_values;
    std::size_t m_at = 0;
};

}  // namespace

LogValues values_of_log(const FoundMessages& found) {
    LogValues values;
    std::set<std::string> disputed;
    for (const FoundMessage& message : found.messages)
        for (const auto& [name, captured] : message.captured) {
            const std::string text = cleaned(name, captured);
            if (is_statement(*message.message) || !is_of_log(name) || text.empty()) continue;
            const auto [known, added] = values.try_emplace(name, LogValue{text, message.line});
            // "12.8" and "12.8.93" agree.
            const std::string& other = known->second.text;
            if (added || starts_with(other, text)) continue;
            if (starts_with(text, other))
                known->second = {text, message.line};
            else
                disputed.insert(name);
        }
    for (const std::string& name : disputed) values.erase(name);
    return values;
}

LogValues values_for(const FoundMessage& message, const LogValues& of_log, const Facts& facts) {
    LogValues values;
    for (const auto& [name, text] : message.captured)
        if (!text.empty()) values.try_emplace(name, LogValue{cleaned(name, text), message.line});
    values.insert(of_log.begin(), of_log.end());
    derive(facts, values);
    return values;
}

std::string filled(std::string_view text, const LogValues& values) {
    bool known = true;
    return Filler(text, values).fill(false, known);
}

}  // namespace ptxguard
