// SPDX-License-Identifier: Apache-2.0
#include "recipes/containers/images.hpp"

#include "expect/cuda_names.hpp"
#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "facts/variants.hpp"
#include "host/paths.hpp"
#include "model/file_names.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/containers/image_families.hpp"

namespace ptxguard::recipes {
namespace {

bool starts_with_digit(const std::string& text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; }

// "docker.io/library/nvidia/cuda" -> "nvidia/cuda"; nvcr.io's names are only stripped of the host.
std::string without_registry(const std::string& name) {
    for (const char* host : {"docker.io/", "registry-1.docker.io/", "nvcr.io/", "index.docker.io/"})
        if (starts_with(name, host)) return name.substr(std::string(host).size());
    return name;
}

Known<Version> version_here(const std::string& text, const Origin& origin) {
    const auto version = parse_version(text);
    return version && plausible(*version) ? Known<Version>{*version, origin} : Known<Version>{};
}

Origin predicted(Origin origin) {
    origin.certainty = Certainty::predicted;
    return origin;
}

ImageFlavour flavour_of(const std::vector<std::string>& words) {
    for (const std::string& word : words)
        for (const ImageFlavour flavour : {ImageFlavour::base, ImageFlavour::runtime, ImageFlavour::devel})
            if (word == to_string(flavour)) return flavour;
    return ImageFlavour::unknown;
}

// "cudnn8"; tags contain a bare "cudnn" from 12.4.1, the first release with only cuDNN 9.
void add_cudnn(const std::vector<std::string>& words, RecipeImage& image) {
    for (const std::string& word : words) {
        if (!starts_with(word, "cudnn")) continue;
        const std::string number = word.substr(5);
        image.cudnn = version_here(number.empty() ? "9" : number, image.origin);
    }
}

// nvidia/cuda:11.6.2-cudnn8-devel-ubuntu20.04 has cuDNN 8.4.0.
void add_cudnn_release(const std::vector<std::string>& words, const Facts& facts, RecipeImage& image) {
    if (!image.cuda) return;
    for (const CudnnOfImage& row : recipe_tables(facts).cudnn_of_images)
        if (contains(words, row.tag) && same_release(*row.cuda, *image.cuda))
            image.cudnn = {*row.cudnn, predicted(image.origin)};
}

// nvidia/cuda:12.1.1-cudnn8-devel-ubuntu22.04
void read_cuda(ImageContent& content, const Facts& facts) {
    RecipeImage& image = content.image;
    const auto words = split_fields(image.tag, '-');
    if (starts_with_digit(words.front())) image.cuda = version_here(words.front(), image.origin);
    image.flavour = flavour_of(words);
    if (image.name == "nvidia/cudagl" && image.flavour == ImageFlavour::unknown) return;
    for (const std::string& word : words)
        if (starts_with(word, "ubuntu") || starts_with(word, "centos") || starts_with(word, "rockylinux") ||
            starts_with(word, "ubi") || starts_with(word, "rhel") || starts_with(word, "opensuse"))
            image.system = word;
    add_cudnn(words, image);
    add_cudnn_release(words, facts, image);
    content.own_libraries = image.flavour != ImageFlavour::unknown;
}

// pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel: the CUDA libraries are torch's own; devel adds a toolkit.
void read_pytorch(ImageContent& content, const Facts& facts) {
    RecipeImage& image = content.image;
    const auto words = split_fields(image.tag, '-');
    image.flavour = flavour_of(words);
    add_cudnn(words, image);
    for (const std::string& word : words)
        if (starts_with(word, "cuda") && starts_with_digit(word.substr(4)))
            image.cuda = version_here(word.substr(4), image.origin);
    const auto release = starts_with_digit(words.front()) ? parse_version(words.front()) : std::nullopt;
    if (!release) return;
    const std::string python = python_of_image(facts, image.name, *release);
    if (!python.empty()) content.python = {python, predicted(image.origin)};
    content.framework = "torch==" + words.front();
    if (image.cuda && image.cuda->numbers.size() > 1) content.framework += "+" + tag_of_cuda(*image.cuda);
}

// Up to 2.1.0 those without "py3" have Python 2.
void add_python_of_tensorflow(const std::vector<std::string>& words, const std::optional<Version>& release,
                              const Facts& facts, ImageContent& content) {
    const RecipeImage& image = content.image;
    static const Version k_only_python3 = *parse_version("2.1.1");
    if (release && (contains(words, "py3") || !(*release < k_only_python3)))
        if (const auto python = python_of_image(facts, image.name, *release); !python.empty())
            content.python = {python, predicted(image.origin)};
    if (words.front() == "latest" || words.front() == "nightly" || image.tag.empty())
        content.python_from = {newest_python_of_image(facts, image.name), predicted(image.origin)};
}

// tensorflow/tensorflow:2.15.0-gpu: TensorFlow with the libraries that it was built with. Only the devel
// images have nvcc.
void read_tensorflow(ImageContent& content, const Facts& facts) {
    RecipeImage& image = content.image;
    const auto words = split_fields(image.tag, '-');
    const auto release = starts_with_digit(words.front()) ? parse_version(words.front()) : std::nullopt;
    add_python_of_tensorflow(words, release, facts, content);
    if (!contains(words, "gpu") || !release) return;
    content.framework = "tensorflow==" + words.front();
    image.flavour = ImageFlavour::runtime;
    // Images of 1.x contain the package with -gpu.
    const FrameworkRelease* row = facts.framework_release("tensorflow", *release);
    if (!row || !row->cuda) row = facts.framework_release("tensorflow-gpu", *release);
    if (!row) return;
    if (row->cuda) image.cuda = {*row->cuda, predicted(image.origin)};
    const auto cudnn = row->cuda ? cudnn_of_build(*row, System::linux_, *row->cuda) : std::nullopt;
    if (cudnn || row->cudnn) image.cudnn = {cudnn ? *cudnn : *row->cudnn, predicted(image.origin)};
    content.own_libraries = image.cuda.value.has_value();
}

// Of that month; null: newer than the tables by more than a month.
const NgcImages* ngc_images_of(const Version& month, const std::vector<NgcImages>& rows) {
    const NgcImages* found = nullptr;
    for (const NgcImages& row : rows)
        if (*row.month <= month) found = &row;
    if (!found) return nullptr;
    const Version& last = *rows.back().month;
    const bool newer = month > last && (month.major() > last.major() || month.minor() > last.minor() + 1);
    return newer ? nullptr : found;
}

// nvcr.io/nvidia/pytorch:24.02-py3. The same for all frameworks except MXNet's last one: 24.06 has CUDA
// 12.4.1 (its release notes).
void read_ngc(ImageContent& content, const Facts& facts) {
    RecipeImage& image = content.image;
    const auto words = split_fields(image.tag, '-');
    const auto month = parse_version(words.front());
    // Triton's images have the same libraries, and nvcc only in some releases; its client's have none.
    const bool triton = image.name == "nvidia/tritonserver";
    if (!triton) image.flavour = ImageFlavour::devel;
    if (triton && words.back() == "sdk") return;
    if (!month || month->numbers.size() != 2) return;
    if (const auto python = python_of_image(facts, image.name, *month); !python.empty())
        content.python = {python, predicted(image.origin)};
    const NgcImages* found = ngc_images_of(*month, recipe_tables(facts).ngc_images);
    if (!found) return;
    if (image.name == "nvidia/mxnet" && *month >= *parse_version("24.06")) return;
    image.cuda = version_here(found->cuda->text, predicted(image.origin));
    image.cudnn = version_here(found->cudnn->text, predicted(image.origin));
    content.own_libraries = true;
}

// vllm/vllm-openai:v0.8.5-x86_64: the package whose release begins the tag, and the torch that it requires.
// For which CUDA that is, the tag does not tell.
void read_package(ImageContent& content, const Facts& facts) {
    const RecipeImage& image = content.image;
    for (const ImageTags& row : recipe_tables(facts).image_tags) {
        if (row.image != image.name || row.releases_of.empty() || !starts_with(image.tag, row.prefix))
            continue;
        const std::string release = split_fields(image.tag.substr(row.prefix.size()), '-').front();
        const auto version = starts_with_digit(release) ? parse_version(release) : std::nullopt;
        const Requirement* torch =
            version ? requirement_on(facts, row.releases_of, *version, "torch") : nullptr;
        if (!torch || !torch->pinned()) continue;
        content.package = row.releases_of + "==" + release;
        content.framework = "torch" + torch->specifier;
    }
}

bool is_ngc_framework(const std::string& name) {
    for (const char* one :
         {"nvidia/pytorch", "nvidia/tensorflow", "nvidia/jax", "nvidia/mxnet", "nvidia/cupy",
          "nvidia/modulus/modulus", "nvidia/paddlepaddle", "nvidia/tensorrt", "nvidia/tritonserver"})
        if (name == one) return true;
    return false;
}

// quay.io/pypa/manylinux_2_28_x86_64:2025.03.09-1 -> "manylinux_2_28". The compilers of older tags are
// others.
std::string manylinux_of(const RecipeImage& image) {
    const auto year = image.tag.empty() || image.tag == "latest" ? parse_version("2025")
                                                                 : parse_version(image.tag.substr(0, 4));
    if (parent_path(image.name) != "quay.io/pypa" || !year || year->major() < 2025) return "";
    const std::string base = file_name(image.name);
    for (const std::string machine : {"_x86_64", "_aarch64"})
        if (ends_with(base, machine)) return base.substr(0, base.size() - machine.size());
    return "";
}

}  // namespace

const DistributionToolkit* distribution_toolkit(const RecipeImage& image, const std::string& platform,
                                                const Facts& facts) {
    const std::string base = file_of(image.name);
    std::vector<std::string> words = split_fields(image.tag, '-');
    // ubuntu:22.04, debian:12.5-slim, ubuntu-22.04
    if (base == "ubuntu" || base == "debian") words.push_back(base + words.front());
    if (image.name.empty() && starts_with(platform, "ubuntu-"))
        words.push_back("ubuntu" + platform.substr(7));
    const DistributionToolkit* found = nullptr;
    for (const DistributionToolkit& row : recipe_tables(facts).distribution_toolkits)
        for (const std::string& word : words)
            if (word == row.codename || word == row.system || starts_with(word, row.system + "."))
                found = &row;
    return found;
}

std::string system_of(const RecipeImage& image, const std::string& platform, const Facts& facts) {
    if (image.name.empty()) return platform;
    const std::string base = file_name(image.name);
    if (starts_with(base, "manylinux")) return manylinux_of(image);
    for (const char* one : {"ubuntu", "fedora", "rockylinux", "almalinux", "amazonlinux", "centos"})
        if (base == one) {  // rockylinux:9.3-minimal
            const std::string release = split_fields(image.tag, '-').front();
            return base + (base == "ubuntu" ? release : release.substr(0, release.find('.')));
        }
    if (starts_with(base, "ubi") && base.size() > 3 && is_digit(base[3]))  // redhat/ubi9, .../ubi8-minimal
        return split_fields(base, '-').front();
    if (base == "debian")
        if (const DistributionToolkit* row = distribution_toolkit(image, platform, facts)) return row->system;
    return image.system;
}

const SystemCompiler* system_compiler(const RecipeImage& image, const std::string& platform,
                                      const Facts& facts) {
    const std::string system = system_of(image, platform, facts);
    for (const SystemCompiler& row : recipe_tables(facts).system_compilers)
        if (row.system == system) return &row;
    return nullptr;
}

std::string glibc_of(const RecipeImage& image, const Facts& facts) {
    const DistributionToolkit* distribution = distribution_toolkit(image, "", facts);
    const std::string system = distribution ? distribution->system : system_of(image, "", facts);
    for (const SystemRelease& row : recipe_tables(facts).system_glibcs)
        if (!image.name.empty() && row.system == system) return row.version->text;
    return "";
}

ImageContent content_of(const Written& written, const Facts& facts) {
    ImageContent content;
    RecipeImage& image = content.image;
    image.origin = origin_of(written);
    const std::size_t at = written.text.find('@');
    const std::string text = written.text.substr(0, at);
    const std::size_t colon = text.rfind(':'), slash = text.rfind('/');
    const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
    const std::string name = without_registry(tagged ? text.substr(0, colon) : text);
    image.name = without_mirror(name);
    // NVIDIA's registry has tags of old CUDA releases that Docker Hub has lost.
    image.mirrored = image.name != name || starts_with(text, "nvcr.io/nvidia/cuda:");
    if (tagged)
        image.tag = text.substr(colon + 1);
    else if (at != std::string::npos)
        image.tag = written.text.substr(at + 1);  // "sha256:..."
    content.known = true;
    if (image.name == "nvidia/cuda" || image.name == "nvidia/cudagl" || image.name == "nvidia/cuda-arm64" ||
        image.name == "nvidia/cuda-ppc64le")
        read_cuda(content, facts);
    else if (image.name == "pytorch/pytorch")
        read_pytorch(content, facts);
    else if (image.name == "tensorflow/tensorflow")
        read_tensorflow(content, facts);
    else if (is_ngc_framework(image.name))
        read_ngc(content, facts);
    else
        content.known = read_family(content, facts);
    if (content.framework.empty() && !content.known) read_package(content, facts);
    // ubuntu, python:3-slim: a newer one each year.
    if (is_one_of(split_fields(image.tag, '-').front(), {"", "latest", "3", "slim"}) && !content.python_from)
        if (const auto python = newest_python_of_image(facts, image.name); !python.empty())
            content.python_from = {python, predicted(image.origin)};
    return content;
}

std::string python_of_image(const Facts& facts, const std::string& image, const Version& release) {
    std::string python;
    for (const ImagePython& row : recipe_tables(facts).image_pythons)
        if (row.image == image && *row.from <= release) python = row.python;
    return python;
}

std::string newest_python_of_image(const Facts& facts, const std::string& image) {
    std::string python;
    for (const ImagePython& row : recipe_tables(facts).image_pythons)
        if (row.image == image && !row.python.empty()) python = row.python;
    return python;
}

bool is_plain(const RecipeImage& image, const Facts& facts) {
    return recipe_tables(facts).is_plain(image.name);
}

bool is_open(const ImageContent& content, const Facts& facts) {
    if (content.known || content.image.name.empty()) return false;
    const std::string base = file_name(content.image.name);
    // Copies in other registries have the same content.
    const std::vector<std::string>& plain = recipe_tables(facts).plain_images;
    return !is_one_of(base, {"cuda", "l4t-base", "l4t-jetpack", "l4t-cuda", "l4t-tensorrt"}) &&
           none_of(plain, [&](const std::string& one) { return file_name(one) == base; });
}

Known<std::string> vendor_of(const std::string& file, const RecipeImage& image) {
    const std::string name = lower(file_name(file));
    const std::size_t at = name.find("rocm");
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    const bool named = at != std::string::npos && (at == 0 || !is_letter(name[at - 1])) &&
                       (at + 4 >= name.size() || !is_letter(name[at + 4]));
    // One that also names CUDA is for both.
    if (named && name.find("cuda") == std::string::npos) return {"rocm", Origin::from_file(file)};
    if (starts_with(image.name, "rocm/")) return {"rocm", image.origin};
    return {};
}

}  // namespace ptxguard::recipes
