// Answers are JSON files that are replaced as a whole, so several processes can share the folder, which only
// this user can read.
// SPDX-License-Identifier: Apache-2.0
#include "ask/asker.hpp"

#include "host/paths.hpp"
#include "host/private_files.hpp"
#include "model/json.hpp"
#include "model/source.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_schema = "ptxguard/answer-1";

// Variables that nvcc, gcc, cl or the loader read.
constexpr const char* k_variables[] = {"NVCC_PREPEND_FLAGS",
                                       "NVCC_APPEND_FLAGS",
                                       "NVCC_CCBIN",
                                       "CPATH",
                                       "C_INCLUDE_PATH",
                                       "CPLUS_INCLUDE_PATH",
                                       "LD_LIBRARY_PATH",
                                       "LD_PRELOAD",
                                       "COMPILER_PATH",
                                       "GCC_EXEC_PREFIX",
                                       "CUDA_HOME",
                                       "CUDA_PATH",
                                       "CUDA_ROOT",
                                       "CICC_PATH",
                                       "NVVMIR_LIBRARY_DIR",
                                       "INCLUDE",
                                       "LIB",
                                       "CL",
                                       "_CL_"};

Json texts(const std::vector<std::string>& values) {
    Json array = Json::array();
    for (const std::string& value : values) array.push(value);
    return array;
}

std::vector<std::string> texts_from(const Json& array) {
    std::vector<std::string> values;
    for (const Json& item : array.items()) values.push_back(item.as_string());
    return values;
}

// Everything that is used of an entry, and what it is for, each with its length: an entry that is truncated,
// edited or moved has another seal.
std::string sealed_text(const std::string& asked, const std::vector<std::string>& files, const Answer& answer,
                        const std::vector<std::string>& headers) {
    std::string all;
    const auto add = [&](const std::string& text) { all += std::to_string(text.size()) + ":" + text; };
    const auto add_all = [&](const std::vector<std::string>& values) {
        add(std::to_string(values.size()));
        for (const std::string& value : values) add(value);
    };
    add(asked);
    add_all(files);
    add(answer.state == ProcessResult::State::crashed ? "crashed" : "exited");
    add(std::to_string(answer.exit_code));
    add(answer.out);
    add(answer.err);
    add_all(headers);
    for (const auto& [name, text] : answer.made) add(name), add(text);
    return all;
}

}  // namespace

std::string digest(std::string_view bytes) {
    return fnv1a(bytes) + fnv1a(bytes, 0x9e3779b97f4a7c15u ^ bytes.size());
}

Result<std::string> read_own_file(const std::string& path, std::size_t limit) {
    static const std::unique_ptr<Host> k_ours = real_host();
    return k_ours->read(path, limit);
}

std::string Asker::identity(const std::string& path) const {
    {
        const std::lock_guard<std::mutex> lock(m_mutex);
        const auto known = m_identities.find(path);
        if (known != m_identities.end()) return known->second;
    }
    const FileStatus status = m_host.status(path);
    std::string text = "||";
    if (status.type != FileType::missing)
        text = std::to_string(status.size) + "|" + std::to_string(status.mtime_ns) +
               (status.executable ? "x|" : "|");  // chmod does not change the time
    const std::lock_guard<std::mutex> lock(m_mutex);
    return m_identities.emplace(path, text + path).first->second;
}

std::vector<std::string> Asker::identities(const std::vector<std::string>& paths) const {
    std::vector<std::string> all;
    for (const std::string& path : paths) all.push_back(identity(path));
    return all;
}

std::string Asker::text_of(const Question& question) const {
    std::string text = "ptxguard " PTXGUARD_VERSION "\n";
    for (const char* name : k_variables)
        if (const auto value = m_host.env(name)) text += std::string(name) + "=" + *value + "\n";
    for (const std::string& file : question.decided_by) text += file + "\n";
    if (!question.asked.empty()) return text + question.asked;
    const Command& command = question.command;
    static const std::string k_ourselves = own::executable_path();
    for (const std::string& argument : command.argv) text += (argument == k_ourselves ? "" : argument) + "\n";
    for (const auto& [name, value] : command.environment) text += name + "=" + value.value_or("") + "\n";
    if (!command.input.empty()) text += digest(command.input) + "\n";
    for (const auto& [name, bytes] : question.reads) text += name + " " + digest(bytes) + "\n";
    return text;
}

// The name does not contain the identities: a toolkit that is updated in place overwrites its own entries.
std::string Asker::file_of(const std::string& text) const {
    return join_path(join_path(m_folder, "probes"), digest(text) + ".json");
}

// Another user may know how seals are made and write files in our name, but does not have the key.
std::optional<std::string> Asker::key(bool make) const {
    const std::lock_guard<std::mutex> lock(m_mutex);
    if (!m_key && own::private_folder(m_folder, make) &&
        own::private_folder(join_path(m_folder, "probes"), make))
        m_key = own::secret(join_path(m_folder, "key"), make);
    return m_key;
}

std::optional<Answer> Asker::known(const Question& question) const {
    if (m_folder.empty() || question.decided_by.empty()) return std::nullopt;
    const auto key_of_seal = key(false);
    if (!key_of_seal) return std::nullopt;
    const std::string asked = text_of(question);
    const auto text = read_own_file(file_of(asked), 64u << 20);
    const auto json = text ? parse_json(*text, "cache entry") : Result<Json>(text.trouble());
    if (!json || (*json)["schema"].as_string() != k_schema || (*json)["question"].as_string() != asked ||
        texts_from((*json)["files"]) != identities(question.decided_by))
        return std::nullopt;
    Answer answer;
    answer.cached = true;
    answer.state =
        (*json)["crashed"].as_bool() ? ProcessResult::State::crashed : ProcessResult::State::exited;
    answer.exit_code = static_cast<int>((*json)["exit_code"].as_int());
    answer.out = (*json)["out"].as_string();
    answer.err = (*json)["err"].as_string();
    answer.milliseconds = (*json)["ms"].as_real();
    for (const Json& file : (*json)["made"].items())
        answer.made[file["name"].as_string()] = file["text"].as_string();
    const std::vector<std::string> headers = texts_from((*json)["headers"]);
    if ((*json)["seal"].as_string() !=
        seal(*key_of_seal, sealed_text(asked, texts_from((*json)["files"]), answer, headers)))
        return std::nullopt;
    for (const std::string& stored : headers) {
        const std::string path = stored.substr(stored.find('|', stored.find('|') + 1) + 1);  // size|time|path
        if (path == stored || identity(path) != stored) return std::nullopt;
        answer.headers.push_back(path);
    }
    return answer;
}

void Asker::keep(const Question& question, const Answer& answer) const {
    const bool ended =
        answer.state == ProcessResult::State::exited || answer.state == ProcessResult::State::crashed;
    if (m_folder.empty() || question.decided_by.empty() || answer.cached || !ended || answer.truncated)
        return;
    // A cache folder that cannot be written is not the user's problem.
    const auto key_of_seal = key(true);
    if (!key_of_seal) return;
    const std::string asked = text_of(question);
    const std::vector<std::string> files = identities(question.decided_by);
    const std::vector<std::string> headers = identities(answer.headers);
    Json made = Json::array();
    for (const auto& [name, text] : answer.made)
        made.push(Json::object().set("name", name).set("text", text));
    Json json = Json::object();
    json.set("schema", k_schema).set("question", asked).set("files", texts(files));
    json.set("headers", texts(headers)).set("exit_code", answer.exit_code);
    json.set("crashed", answer.state == ProcessResult::State::crashed).set("ms", answer.milliseconds);
    json.set("out", answer.out).set("err", answer.err).set("made", std::move(made));
    json.set("seal", seal(*key_of_seal, sealed_text(asked, files, answer, headers)));
    (void)own::write_file(file_of(asked), to_text(json, -1));
}

namespace {

struct SipState {
    std::uint64_t a, b, c, d;

    static std::uint64_t turned(std::uint64_t value, int bits) {
        return value << bits | value >> (64 - bits);
    }

    void round() {
        a += b, b = turned(b, 13) ^ a, a = turned(a, 32);
        c += d, d = turned(d, 16) ^ c;
        a += d, d = turned(d, 21) ^ a;
        c += b, b = turned(b, 17) ^ c, c = turned(c, 32);
    }

    void take(std::uint64_t word) {
        d ^= word;
        round(), round();
        a ^= word;
    }
};

std::string hex(std::uint64_t value) {
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[value >> shift & 15];
    return text;
}

}  // namespace

std::uint64_t siphash(std::string_view key, std::string_view bytes) {
    const std::uint64_t first = load_u64(&key[0]), second = load_u64(&key[8]);
    SipState state{first ^ 0x736f6d6570736575u, second ^ 0x646f72616e646f6du, first ^ 0x6c7967656e657261u,
                   second ^ 0x7465646279746573u};
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) state.take(load_u64(&bytes[at]));
    std::uint64_t last = static_cast<std::uint64_t>(bytes.size()) << 56;
    for (int shift = 0; at < bytes.size(); ++at, shift += 8)
        last |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at])) << shift;
    state.take(last);
    state.c ^= 0xff;
    for (int i = 0; i < 4; ++i) state.round();
    return state.a ^ state.b ^ state.c ^ state.d;
}

std::string seal(std::string_view key, std::string_view bytes) {
    return hex(siphash(key.substr(0, 16), bytes)) + hex(siphash(key.substr(16, 16), bytes));
}

}  // namespace ptxguard
