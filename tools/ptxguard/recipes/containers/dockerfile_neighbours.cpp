// SPDX-License-Identifier: Apache-2.0
#include "recipes/containers/dockerfile_neighbours.hpp"

#include <algorithm>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/shell/shell_tokens.hpp"

namespace ptxguard::recipes {
namespace {

// Those of registries and distributions: others build them.
bool is_foreign(const std::string& name) {
    return starts_with_any(name, {"nvidia/", "nvcr.io/", "pytorch/", "tensorflow/", "rocm/", "intel/",
                                  "quay.io/", "mcr.microsoft.com/", "gcr.io/", "public.ecr.aws/",
                                  "condaforge/", "continuumio/", "mambaorg/", "library/"});
}

std::vector<std::string> names_of(const std::string& image) {
    const std::size_t slash = image.rfind('/'), colon = image.rfind(':');
    const bool tagged = colon != npos && (slash == npos || colon > slash);
    const std::string name = image.substr(slash == npos ? 0 : slash + 1,
                                          (tagged ? colon : npos) - (slash == npos ? 0 : slash + 1));
    std::vector<std::string> names;
    if (slash != npos || name.find_first_of("-_") != npos) add_once(names, name);
    const std::size_t dash = name.find_last_of("-_");
    if (dash != npos) add_once(names, name.substr(dash + 1));
    const std::string tag = tagged ? image.substr(colon + 1) : "";
    if (slash != npos && tag != "latest" && tag.find_first_of(".0123456789") == npos) add_once(names, tag);
    return names;
}

}  // namespace

std::optional<FileText> dockerfile_of_image(const Written& image, const ReadFile& files,
                                            const std::string& own_file) {
    if (!files || !image.known || image.text.find_first_of("$@") != npos || is_foreign(image.text))
        return std::nullopt;
    for (const std::string& name : names_of(image.text)) {
        if (name.size() < 3 || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-_") != npos) continue;
        for (const std::string& path :
             {name + ".Dockerfile", "Dockerfile." + name, name + "/Dockerfile", name + ".dockerfile"}) {
            auto file = files(path, image);
            if (file && file->known && file->file != own_file) return file;
        }
    }
    return std::nullopt;
}

std::map<std::string, Written> arguments_beside(const ReadFile& files, const Written& by) {
    std::map<std::string, Written> values;
    if (!files) return values;
    for (const char* name : {"config.txt", ".env", "build.env", "docker.env", "versions.env", "config.env",
                             "build-args.txt", "build_args.txt"}) {
        const auto file = files(name, by);
        if (!file || !file->known) continue;
        int number = 0;
        for (const std::string_view line : lines_of(file->text)) {
            ++number;
            const std::size_t equals = line.find('=');
            const std::string variable(trimmed(line.substr(0, equals)));
            if (equals == npos || !is_name(variable)) continue;
            std::string text(trimmed(line.substr(equals + 1)));
            if (text.size() > 1 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0])
                text = text.substr(1, text.size() - 2);
            Written value{text, file->file, number, static_cast<int>(equals) + 2, false};
            value.known = text.find_first_of("$`") == npos;
            values.emplace(variable, std::move(value));
        }
    }
    return values;
}

}  // namespace ptxguard::recipes
