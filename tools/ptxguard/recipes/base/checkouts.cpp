// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/checkouts.hpp"

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/context_files.hpp"
#include "recipes/base/prefixes.hpp"

namespace ptxguard::recipes {
namespace {

const std::vector<OptionForm>& git_options() {
    static const std::vector<OptionForm> table = {
        {"-C"},         {"-c --config"}, {"-b --branch"}, {"-o --origin"},     {"-u --upload-pack"},
        {"-j --jobs"},  {"--depth"},     {"--reference"}, {"--filter"},        {"--shallow-since"},
        {"--template"}, {"--git-dir"},   {"--work-tree"}, {"--server-option"}, {"--separate-git-dir"},
        {"-B"},         {"--revision"},  {"--bundle-uri"}};
    return table;
}

// "git@github.com:a/b.git" and "https://token@github.com/a/b.git" are "https://github.com/a/b".
std::string plain_url(std::string url) {
    if (url.find("://") == npos) {
        const std::size_t colon = url.find(':');
        if (colon != npos) url.replace(colon, 1, "/");
        url.insert(0, "https://");
    }
    const std::size_t host = url.find("://") + 3;
    const std::size_t user = url.find('@', host);
    if (user != npos && user < url.find('/', host)) url.erase(host, user + 1 - host);
    while (ends_with(url, "/")) url.pop_back();
    if (ends_with(url, ".git")) url.resize(url.size() - 4);
    return url;
}

// Programs that may change files of the repository in which they run.
bool edits(const std::vector<Written>& words) {
    const std::string program = program_name(words[0].text);
    if (program == "patch" || program == "perl") return true;
    if (program == "sed")
        return any_of(words, [](const Written& word) { return starts_with(word.text, "-i"); });
    // vllm's own script, which removes its pin of torch
    return starts_with(program, "python") && words.size() > 1 && words[1].text.find("use_existing") != npos;
}

// As pip writes it: "git+URL@REF#subdirectory=below"; `below`: empty = its top folder.
std::string direct_reference(const Checkout& checkout, const std::string& below) {
    return "git+" + checkout.url +
           (checkout.edited        ? "@?"
            : checkout.ref.empty() ? ""
                                   : "@" + checkout.ref) +
           (below.empty() ? "" : "#subdirectory=" + below);
}

// What `git checkout`, switch, reset, apply ... do with the repository; `verb`: one of the arguments.
void change(const Argument& verb, const std::vector<Argument>& arguments, Checkout& checkout) {
    const std::string& name = verb.value.text;
    if (is_one_of(name, {"apply", "am", "cherry-pick", "merge"})) checkout.edited = true;
    if (!is_one_of(name, {"checkout", "switch", "reset"})) return;
    checkout.ref.clear();
    checkout.edited = checkout.edited || !verb.value.fixed;
    for (const Argument& one : arguments) {
        if (!one.option.empty() || one.index <= verb.index || !checkout.ref.empty()) continue;
        checkout.ref = one.value.text;
        checkout.edited = checkout.edited || !one.value.known;
    }
}

}  // namespace

std::map<std::string, Checkout>::const_iterator Checkouts::above(const std::string& path) const {
    std::string folder = normal_path(path, System::linux_);
    while (!folder.empty()) {
        if (const auto found = m_all.find(folder); found != m_all.end()) return found;
        const std::size_t slash = folder.rfind('/');
        folder.resize(slash == npos ? 0 : slash);
    }
    return m_all.end();
}

std::string Checkouts::reference(const std::string& path) const {
    const auto found = above(path);
    if (found == m_all.end()) return "";
    const std::string whole = normal_path(path, System::linux_);
    return direct_reference(found->second, whole.size() > found->first.size()
                                               ? whole.substr(found->first.size() + 1)
                                               : std::string());
}

void Checkouts::clone(const std::vector<Written>& words, std::size_t verb, const std::string& folder) {
    Checkout checkout;
    checkout.edited = !words[verb].fixed;
    std::string into;
    for (const Argument& argument : split_arguments(words, verb + 1, git_options(), false)) {
        const std::string& text = argument.value.text;
        if (argument.option == "--branch" || argument.option == "--revision") {
            checkout.ref = text;
            checkout.edited = checkout.edited || !argument.value.known;
        } else if (argument.option.empty() && checkout.url.empty()) {
            if (!argument.value.known || text.find(':') == npos) return;
            checkout.url = plain_url(text);
        } else if (argument.option.empty()) {
            if (!argument.value.known) return;
            into = text;
        }
    }
    if (checkout.url.empty()) return;
    if (into.empty()) into = file_name(checkout.url);
    const std::string place = normal_path(join_path(folder, into), System::linux_);
    if (place.size() <= k_longest_path && !place.empty()) m_all[place] = std::move(checkout);
}

void Checkouts::note(const std::vector<Written>& words, const std::string& folder) {
    if (words.empty()) return;
    if (!m_all.empty() && edits(words)) {
        const auto here = above(folder);
        if (here != m_all.end()) m_all[here->first].edited = true;
        return;
    }
    if (program_name(words[0].text) != "git") return;
    const std::vector<Argument> arguments = split_arguments(words, 1, git_options(), false);
    std::string place = folder;
    for (const Argument& argument : arguments) {
        if (argument.option == "-C") place = join_path(folder, argument.value.text);
        if (!argument.option.empty()) continue;
        if (argument.value.text == "clone") return clone(words, argument.index, place);
        const auto here = above(place);
        if (here != m_all.end()) change(argument, arguments, m_all[here->first]);
        return;
    }
}

}  // namespace ptxguard::recipes
