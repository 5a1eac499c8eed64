// SPDX-License-Identifier: Apache-2.0
#include "recipes/containers/image_families.hpp"

#include "expect/cuda_names.hpp"
#include "facts/variants.hpp"
#include "host/paths.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/release_words.hpp"

namespace ptxguard::recipes {
namespace {

// Where the tag has the release of torch.
enum class TorchIn { nowhere, first, last, named };

struct Family {
    const char* name;  // "/NAME" = the last part, in any registry; "NAME*" = its start
    TorchIn torch;
};
constexpr Family k_families[] = {
    {"runpod/pytorch", TorchIn::first},        // 2.1.0-py3.10-cuda11.8.0-devel-ubuntu22.04
    {"runpod/base", TorchIn::nowhere},         // 0.6.2-cuda12.2.0
    {"mosaicml/pytorch", TorchIn::first},      // 2.1.2_cu121-python3.10-ubuntu20.04
    {"mosaicml/llm-foundry", TorchIn::first},  // 2.3.0_cu121_flash2-latest
    {"anibali/pytorch", TorchIn::first},       // 1.11.0-cuda11.3-ubuntu20.04
    {"cnstark/pytorch", TorchIn::first},       // 2.0.1-py3.9.17-cuda11.8.0-devel-ubuntu20.04
    {"winglian/axolotl*", TorchIn::last},      // main-base-py3.10-cu118-2.0.1
    {"axolotlai/axolotl*", TorchIn::last},     // main-py3.11-cu124-2.6.0
    {"/pytorch-training", TorchIn::first},     // AWS: 2.1.0-gpu-py310-cu121-ubuntu20.04-sagemaker
    {"/pytorch-inference", TorchIn::first},
    {"/huggingface-pytorch-training", TorchIn::first},
    {"/huggingface-pytorch-inference", TorchIn::first},
    {"/modelscope", TorchIn::named},  // ubuntu22.04-cuda12.1.0-py310-torch2.3.0-1.15.0
    {"pytorchlightning/pytorch_lightning", TorchIn::nowhere},  // base-cuda-py3.10-torch2.0-cuda11.7.1
    {"rapidsai/*", TorchIn::nowhere},                          // 24.02-cuda12.0-py3.10
    {"nvidia/rapidsai/*", TorchIn::nowhere},                   // NVIDIA's registry has the same
    {"paddlepaddle/paddle", TorchIn::nowhere},                 // 2.6.1-gpu-cuda12.0-cudnn8.9-trt8.6
    {"nvidia/nvhpc", TorchIn::nowhere},                        // 25.9-devel-cuda13.0-ubuntu24.04
    {"nvidia/cuda-dl-base", TorchIn::nowhere},                 // 24.10-cuda12.6-devel-ubuntu22.04
    {"pytorch/manylinux*", TorchIn::nowhere},                  // cuda12.1
    {"mcr.microsoft.com/azureml/openmpi*", TorchIn::nowhere},  // openmpi4.1.0-cuda11.8-cudnn8-ubuntu22.04
};

bool is_of(const Family& family, const std::string& name) {
    std::string pattern = family.name;
    if (pattern.front() == '/') return ends_with(name, pattern);
    if (pattern.back() != '*') return name == pattern;
    pattern.pop_back();
    return starts_with(name, pattern);
}

std::vector<std::string> words_of_image(const RecipeImage& image) {
    // The names of Microsoft's images have what others have in their tags.
    return split(starts_with(image.name, "mcr.") ? file_name(image.name) + "-" + image.tag : image.tag, "-_");
}

std::string behind(const std::string& word, std::initializer_list<const char*> starts) {
    for (const std::string start : starts)
        if (starts_with(word, start) && word.size() > start.size() && is_digit(word[start.size()]))
            return word.substr(start.size());
    return "";
}

// "12.1.0", "121", "1281"
std::optional<Version> cuda_of_word(const std::string& word) {
    return cuda_of_number(behind(word, {"cuda", "cu"}));
}

// "torch2.3.0", "torch280"; only with all three numbers.
std::optional<Version> torch_of_word(const std::string& word) {
    const std::string text = behind(word, {"torch"});
    const bool digits = text.size() == 3 && text.find_first_not_of("0123456789") == npos;
    const auto version = parse_version(digits ? std::string{text[0], '.', text[1], '.', text[2]} : text);
    return version && version->numbers.size() == 3 ? version : std::nullopt;
}

std::optional<Version> torch_of(const std::vector<std::string>& words, TorchIn where) {
    for (const std::string& word : words)
        if (const auto named = torch_of_word(word)) return named;
    if (where == TorchIn::first) return whole_release(words.front());
    if (where == TorchIn::last) return whole_release(words.back());
    return std::nullopt;
}

// "3.10" of "py3.10", "py310", "python3.9.17"
std::string python_of(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        const std::string text = behind(word, {"python", "py"});
        if (text.size() > 1 && text[0] == '3' && text[1] != '.') return "3." + text.substr(1);
        if (const auto version = parse_version(text); version && version->numbers.size() > 1)
            return version->release();
    }
    return "";
}

void add_cuda_of(const std::vector<std::string>& words, RecipeImage& image) {
    const bool one_only = !contains(words, "cpu") && image.tag.find("nocuda") == npos;
    for (const std::string& word : words) {
        const auto cuda = one_only ? cuda_of_word(word) : std::nullopt;
        if (cuda && cuda->numbers.size() > 1 && plausible(*cuda)) image.cuda = {*cuda, image.origin};
        for (const ImageFlavour flavour : {ImageFlavour::runtime, ImageFlavour::devel})
            if (word == to_string(flavour)) image.flavour = flavour;
    }
}

}  // namespace

std::string without_mirror(const std::string& name) {
    for (const std::string own : {"nvidia/cuda", "pytorch/pytorch"}) {
        if (!ends_with(name, "/" + own)) continue;
        const std::string host = name.substr(0, name.find('/'));
        if (host.find_first_of(".:") != npos) return own;
    }
    return name;
}

bool read_family(ImageContent& content, const Facts& facts) {
    RecipeImage& image = content.image;
    const auto* family = first_where(k_families, [&](const Family& one) { return is_of(one, image.name); });
    const std::vector<std::string> words = words_of_image(image);
    if (!family || words.empty()) return false;
    add_cuda_of(words, image);
    if (const std::string python = python_of(words); !python.empty()) content.python = {python, image.origin};
    content.own_libraries = image.cuda && image.flavour == ImageFlavour::devel;
    auto torch = torch_of(words, family->torch);
    // runpod's first tags: 3.10-2.0.0-117
    if (words.size() > 2 && starts_with(words[0], "3.") && whole_release(words[1]) &&
        cuda_of_word("cu" + words[2])) {
        content.python = {words[0], image.origin};
        image.cuda = {*cuda_of_word("cu" + words[2]), image.origin};
        torch = whole_release(words[1]);
    }
    if (!torch || !image.cuda) return true;
    // The CUDA in the tag is the toolkit's: torch is for another one if it has no build for it.
    const std::string build = tag_of_cuda(*image.cuda);
    if (published_build(facts, "torch", *torch, build) == Published::yes)
        content.framework = "torch==" + torch->text + "+" + build;
    return true;
}

}  // namespace ptxguard::recipes
