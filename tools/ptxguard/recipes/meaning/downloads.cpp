// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/downloads.hpp"

#include "facts/variants.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/containers/images.hpp"

namespace ptxguard::recipes {
namespace {

// https://download.pytorch.org/libtorch/cu124/libtorch-win-shared-with-deps-2.4.1%2Bcu124.zip
struct LibtorchArchive {
    std::string folder, build;  // "cu124"; the same in those that exist
    std::optional<Version> version;
};

std::optional<LibtorchArchive> libtorch_in(const std::string& text) {
    const std::string_view site = "download.pytorch.org/libtorch/";
    const std::size_t at = text.find(site);
    if (at == npos) return std::nullopt;
    std::string rest = text.substr(at + site.size());
    rest.erase(std::min(rest.find_first_of(" \"'?#"), rest.size()));
    const std::vector<std::string> parts = split(rest, "/");
    if (parts.size() != 2 || !starts_with(parts[1], "libtorch-")) return std::nullopt;  // nightly/cu124/...
    LibtorchArchive archive;
    archive.folder = parts[0];
    std::string file = parts[1];
    for (const char* plus : {"%%2B", "%2B", "%2b"})
        if (const std::size_t sign = file.find(plus); sign != npos)
            file.replace(sign, std::string_view(plus).size(), "+");
    const std::size_t sign = file.find('+'), dash = file.rfind('-', sign);
    if (sign == npos || dash == npos) return std::nullopt;
    archive.version = parse_version(file.substr(dash + 1, sign - dash - 1));
    archive.build = file.substr(sign + 1, file.rfind('.') - sign - 1);
    return archive;
}

}  // namespace

void refuse_downloads(const Command& command, const Facts& facts, RecipeFacts& recipe) {
    // What is shown to the user is fetched by another command.
    if (!command.words.empty() &&
        is_one_of(lower(command.words[0].text), {"echo", "printf", "write-host", "write-output"}))
        return;
    for (const Written& word : command.words) {
        const auto archive = word.known ? libtorch_in(word.text) : std::nullopt;
        if (!archive || !archive->version || !archive->version->suffix.empty()) continue;
        const FrameworkRelease* row = facts.framework_release("torch", *archive->version);
        const auto is_missing = [&](const std::string& build) {
            return cuda_of_tag(build) &&
                   published_build(facts, "torch", *archive->version, build) == Published::no;
        };
        const bool missing = is_missing(archive->build) || is_missing(archive->folder);
        const bool mixed =
            cuda_of_tag(archive->folder) && cuda_of_tag(archive->build) && archive->folder != archive->build;
        if (!row || (!missing && !mixed)) continue;
        RefusedPin one;
        one.why = Refusal::no_build;
        one.package = "libtorch";
        one.pinned = "libtorch " + archive->version->text;
        one.by = missing ? is_missing(archive->build) ? archive->build : archive->folder
                         : archive->folder + " with " + archive->build;
        one.wanted = joined(row->variants, ", ");
        one.origin = one.by_origin = origin_of(word);
        one.wanted_origin = row->origin;
        recipe.refused.push_back(std::move(one));
    }
}

}  // namespace ptxguard::recipes
