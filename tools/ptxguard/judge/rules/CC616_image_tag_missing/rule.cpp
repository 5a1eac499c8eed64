// A tag of NVIDIA's or PyTorch's images that was never published, or was withdrawn.
// SPDX-License-Identifier: Apache-2.0

#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "facts/variants.hpp"
#include "judge/recipe_questions.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

void report(const RecipeImage& image, const std::string& why, const std::string& what,
            const std::string& wanted, const Origin& by, const std::string& fix, Findings& findings) {
    add(findings, "CC616", Level::warning, image, SAY("{} was never published: {}", name_of(image), why))
        .expected(what, wanted, by)
        .because("docker ends with 'manifest unknown'")
        .by_hand(fix);
}

// ubuntu25.10, ubuntu23.04: not of April of an even year. Some of 2017 and 2018 had images.
bool is_interim(const std::string& system) {
    const auto release = starts_with(system, "ubuntu") ? parse_version(system.substr(6)) : std::nullopt;
    return release && release->numbers.size() == 2 && release->major() >= 19 &&
           (release->major() % 2 != 0 || release->minor() != 4);
}

void judge_system(const RecipeImage& image, const Facts& facts, Findings& findings) {
    const auto& rows = recipe_tables(facts).ubuntu_images;
    if (is_interim(image.system) && !rows.empty())
        report(image, "NVIDIA has images for Ubuntu's LTS releases only", "Ubuntu in the tag",
               rows.back().system, rows.back().origin, SAY("use {} in the tag", rows.back().system),
               findings);
    for (const UbuntuImages& row : rows) {
        if (image.system != row.system) continue;
        const Version& first = *row.cuda_from;
        const bool ended =
            row.cuda_to && *image.cuda > *row.cuda_to && !same_release(*image.cuda, *row.cuda_to);
        if (*image.cuda >= first && !ended) continue;
        const Version& bound = ended ? *row.cuda_to : first;
        report(image, SAY("images for {} {} with CUDA {}", row.system, ended ? "end" : "begin", bound.text),
               SAY("CUDA of an image for {}", image.system), SAY("{} {}", ended ? "<=" : ">=", bound.text),
               row.origin,
               ended ? SAY("use a newer Ubuntu in the tag, or CUDA {} or older", bound.text)
                     : SAY("use an older Ubuntu in the tag, or CUDA {} or newer", bound.text),
               findings);
    }
}

// "cudnn7", "cudnn": the word in "12.1.0-cudnn7-devel-ubuntu22.04".
void judge_cudnn(const RecipeImage& image, const Facts& facts, Findings& findings) {
    const std::size_t at = image.tag.find("-cudnn");
    if (at == npos || image.cuda->numbers.size() < 2) return;
    const std::string word = image.tag.substr(at + 1, image.tag.find('-', at + 1) - at - 1);
    for (const CudnnImages& row : recipe_tables(facts).cudnn_images) {
        if (row.tag != word) continue;
        if (image.cuda->numbers.size() > 2 && contains(row.lacks, *image.cuda))
            report(image, SAY("images of CUDA {} have no '{}'", image.cuda->text, word),
                   SAY("CUDA of an image with {}", word), "another update of this release", row.origin,
                   SAY("use another update of CUDA {}, or a tag without cuDNN", image.cuda->release()),
                   findings);
        const bool early = row.cuda_from && *image.cuda < *row.cuda_from;
        const bool late =
            row.cuda_to && *image.cuda > *row.cuda_to && !same_release(*image.cuda, *row.cuda_to);
        if (!early && !late) continue;
        const Version& bound = early ? *row.cuda_from : *row.cuda_to;
        report(image, SAY("tags with '{}' {} with CUDA {}", word, early ? "begin" : "end", bound.text),
               SAY("CUDA of an image with {}", word), SAY("{} {}", early ? ">=" : "<=", bound.text),
               row.origin, SAY("use a tag with the cuDNN that images of CUDA {} have", image.cuda->release()),
               findings);
    }
}

// 11.8-devel-ubuntu22.04: since 11.8 tags name the update, 11.8.0.
void judge_update(const RecipeImage& image, Findings& findings) {
    if (image.cuda->numbers.size() != 2 || *image.cuda < *parse_version("11.8")) return;
    if (image.tag.find('-') == npos) return;
    report(image, "its tags have three numbers", "CUDA in the tag", SAY("{}.0", image.cuda->text),
           image.origin, SAY("name the update: {}.0 or newer", image.cuda->text), findings);
}

// 11.3.0-devel-ubuntu20.04, 11.1-base: only the last update of an old release still has tags, or none.
void judge_withdrawn(const RecipeImage& image, const Facts& facts, Findings& findings) {
    if (image.mirrored || image.tag.find('-') == npos) return;
    for (const UbuntuImages& row : recipe_tables(facts).ubuntu_images)
        if (row.withdrawn && row.system == image.system) {
            add(findings, "CC616", Level::warning, image,
                SAY("{} was withdrawn: no image for {} is left", name_of(image), row.system))
                .expected("system in the tag", "one that NVIDIA still has", row.origin)
                .because("docker ends with 'manifest unknown'")
                .by_hand("name an image for another system: rockylinux8, ubi8");
            return;
        }
    for (const CudaImages& row : recipe_tables(facts).cuda_images) {
        if (!same_release(*row.release, *image.cuda)) continue;
        const bool exact = image.cuda->numbers.size() > 2;
        const bool kept = contains(row.updates, *image.cuda);
        if (exact && kept) return;
        std::vector<std::string> updates;
        for (const Version& update : row.updates) updates.push_back(update.text);
        add(findings, "CC616", Level::warning, image,
            updates.empty()
                ? SAY("{} was withdrawn: of CUDA {} no image is left", name_of(image), row.release->text)
                : SAY("{} was withdrawn: of CUDA {} {} is left", name_of(image), row.release->text, updates))
            .expected("CUDA in the tag", updates.empty() ? "11.0.3 or newer" : list(updates), row.origin)
            .because("docker ends with 'manifest unknown'")
            .by_hand(updates.empty()
                         ? "name an image of a newer CUDA, or build it from NVIDIA's sources of its images"
                         : SAY("name {} in the tag", updates.back()));
        return;
    }
}

// pytorch/pytorch:2.4.1-cuda12.1-cudnn8-runtime: the tags name the cuDNN that the build has.
void judge_cudnn_of_torch(const RecipeImage& image, const FrameworkRelease& row, Findings& findings) {
    const auto cudnn = cudnn_of_build(row, System::linux_, *image.cuda);
    if (!cudnn || !image.cudnn || cudnn->major() == image.cudnn->major()) return;
    const std::string major = std::to_string(cudnn->major());
    report(image, SAY("torch {} for CUDA {} has cuDNN {}", row.version.text, image.cuda->release(), major),
           "cuDNN in the tag", SAY("cudnn{}", major), row.origin, SAY("the tag with cudnn{}", major),
           findings);
}

// pytorch/pytorch:2.6.0-cuda12.5-cudnn9-devel: a build of torch that was never released.
void judge_pytorch(const RecipeImage& image, const Facts& facts, Findings& findings) {
    const auto torch = parse_version(image.tag.substr(0, image.tag.find('-')));
    if (!torch || image.cuda->numbers.size() < 2) return;
    const std::string build = tag_of_cuda(*image.cuda);
    const FrameworkRelease* row = facts.framework_release("torch", *torch);
    if (!row) return;
    if (published_build(facts, "torch", *torch, build) != Published::no)
        return judge_cudnn_of_torch(image, *row, findings);
    report(image, SAY("torch {} has no build for CUDA {}", torch->text, image.cuda->release()),
           SAY("builds of torch {}", torch->text), list(row->variants), row->origin,
           "use a tag with a CUDA that this torch was built for", findings);
}

// The release at the start of a tag; nothing for "latest", "nightly-gpu", "1.0.0rc1".
std::optional<Version> release_in_tag(const RecipeImage& image, const std::string& prefix) {
    const std::string word = image.tag.substr(0, image.tag.find('-'));
    if (!starts_with(word, prefix)) return std::nullopt;
    const std::string text = word.substr(prefix.size());
    const auto release = text.empty() || !is_digit(text[0]) ? std::nullopt : parse_version(text);
    return release && !release->is_prerelease() ? release : std::nullopt;
}

// vllm/vllm-openai:0.8.5, tensorflow/tensorflow:2.16.7-gpu
void judge_release(const RecipeImage& image, const ImageTags& row, const Facts& facts, Findings& findings) {
    const auto bare = row.prefix.empty() ? std::nullopt : release_in_tag(image, "");
    const PypiPackage* table = pypi_package(facts, row.releases_of);
    if (bare && table && table->find(bare->text))
        return report(image, SAY("the releases in its tags begin with '{}'", row.prefix), "tag",
                      SAY("{}{}", row.prefix, bare->text), row.origin,
                      SAY("{}:{}{}", image.name, row.prefix, image.tag), findings);
    const auto release = release_in_tag(image, row.prefix);
    if (!table || !release || release->numbers.size() < 3) return;
    const bool lacks = contains(row.lacks, *release);
    const auto first = table->releases.empty() ? std::nullopt : parse_version(table->releases[0].version);
    if (!first || *release < *first) return;  // older than the table
    if (!lacks && !table->never_released(release->text)) return;
    report(image,
           lacks ? SAY("{} {} has no images", row.releases_of, release->text)
                 : SAY("{} {} was never released", row.releases_of, release->text),
           "release in the tag", lacks ? "one with images" : "one that exists", row.origin,
           SAY("name another release of {} in the tag", row.releases_of), findings);
}

// nvcr.io/nvidia/pytorch:24.13-py3, tensorflow/tensorflow:2.16.1-gpu-py3
void judge_words(const RecipeImage& image, const ImageTags& row, Findings& findings) {
    const auto release = release_in_tag(image, row.prefix);
    if (!release || release->numbers.size() < 2) return;
    if (row.months && (release->minor() < 1 || release->minor() > 12))
        return report(image, "its tags begin with year and month", "month in the tag", "1 to 12", row.origin,
                      "name a month in the tag", findings);
    const std::vector<std::string> words = split_fields(image.tag, '-');
    const auto has = [&](const std::string& word) { return contains(words, word); };
    const bool early = row.from && *release < *row.from;
    const bool late = row.to && *release > *row.to && !same_release(*release, *row.to);
    if (!row.needs.empty() && !early && !late && !has(row.needs))
        report(image, SAY("each of its tags has '{}'", row.needs), "word in the tag", row.needs, row.origin,
               SAY("{}:{}-{}", image.name, image.tag, row.needs), findings);
    if (!row.word.empty() && has(row.word) && (early || late))
        report(image, SAY("tags with '{}' end with {}", row.word, row.to->text), "word in the tag",
               SAY("none of '{}'", row.word), row.origin, SAY("use a tag without '{}'", row.word), findings);
}

void judge_tag(const RecipeImage& image, const Facts& facts, Findings& findings) {
    for (const ImageTags& row : recipe_tables(facts).image_tags) {
        if (row.image != image.name || image.mirrored) continue;
        if (!row.releases_of.empty()) judge_release(image, row, facts, findings);
        judge_words(image, row, findings);
    }
}

// nvidia/cuda without a tag: NVIDIA withdrew `latest`.
void judge_latest(const RecipeImage& image, Findings& findings) {
    if (!image.tag.empty() && image.tag != "latest") return;
    add(findings, "CC616", Level::warning, image,
        SAY("nvidia/cuda has no tag 'latest', which {} stands for", name_of(image)))
        .because("the image cannot be pulled ('manifest unknown')")
        .by_hand("name a tag with its CUDA: nvidia/cuda:12.9.1-devel-ubuntu24.04");
}

// nvidia/cuda:-cudnn8-runtime-ubuntu20.04: what a variable without a value has left.
void judge_empty(const RecipeImage& image, Findings& findings) {
    if (image.tag.empty() || image.tag[0] != '-') return;
    add(findings, "CC616", Level::error, image,
        SAY("{} names no CUDA: a variable before '{}' is empty", name_of(image), image.tag))
        .because(
            "docker refuses such a tag ('invalid reference format'); a FROM reads only the ARGs that stand "
            "before the first FROM")
        .by_hand("put the ARG with its default before the first FROM");
}

// FROM 12.4.1-cudnn-devel-ubuntu22.04: a tag of nvidia/cuda without the repository.
void judge_repository(const RecipeImage& image, Findings& findings) {
    const std::vector<std::string> words = split_fields(image.name, '-');
    const auto has = [&](const char* word) { return contains(words, word); };
    const auto cuda = parse_version(words.front());
    if (!image.tag.empty() || words.size() < 3 || !cuda || cuda->numbers.size() < 2) return;
    if (!has("devel") && !has("runtime") && !has("base")) return;
    add(findings, "CC616", Level::warning, image,
        SAY("{} names no repository: it is a tag of nvidia/cuda", name_of(image)))
        .because("docker looks for a repository of that name and ends with 'repository does not exist'")
        .by_hand(SAY("nvidia/cuda:{}", image.name));
}

// `of_dockerfile`: with its own default no build of it begins, whatever others pass. What was withdrawn could
// be pulled once.
void judge_image(const RecipeImage& named, bool of_dockerfile, const Facts& facts, Findings& findings) {
    RecipeImage image = named;
    image.origin.overridable = image.origin.overridable && !of_dockerfile;
    if (image.name == "nvidia/cuda") judge_latest(image, findings);
    if (image.name == "nvidia/cuda" || image.name == "pytorch/pytorch") judge_empty(image, findings);
    judge_repository(image, findings);
    judge_tag(image, facts, findings);
    if (!image.cuda) return;
    if (image.name == "pytorch/pytorch") return judge_pytorch(image, facts, findings);
    if (image.name != "nvidia/cuda") return;
    const std::size_t before = findings.size();
    judge_update(image, findings);
    judge_system(image, facts, findings);
    judge_cudnn(image, facts, findings);
    if (findings.size() == before) judge_withdrawn(named, facts, findings);
}

}  // namespace

PTXGUARD_RULE(CC616) {
    if (!is_recipe(scenario)) return;
    judge_image(scenario.recipe.image, scenario.recipe.kind == "Dockerfile", facts, findings);
    for (const RecipeImage& image : scenario.recipe.named_images) judge_image(image, false, facts, findings);
}

}  // namespace ptxguard
