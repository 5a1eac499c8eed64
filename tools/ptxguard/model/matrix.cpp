// SPDX-License-Identifier: Apache-2.0
#include "model/matrix.hpp"

namespace ptxguard {
namespace {

// The last part of a path of either system.
std::string last_part(const std::string& path) {
    const std::size_t slash = path.find_last_of("/\\");
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string with_version(const std::string& name, const Known<Version>& version) {
    return version ? name + " " + version->text : name;
}

}  // namespace

std::string name_of(const Producer& producer) {
    switch (producer.kind) {
        case ProducerKind::nvrtc:
            return with_version("NVRTC", producer.version);
        case ProducerKind::libnvvm:
            return with_version("libNVVM", producer.version);
        case ProducerKind::triton:
            return with_version("Triton", producer.version);
        case ProducerKind::ptx_file:
        case ProducerKind::binary:
            return last_part(producer.path);
        default:
            return with_version(to_string(producer.kind), producer.version);
    }
}

std::string name_of(const Consumer& consumer) {
    if (consumer.kind == ConsumerKind::nvjitlink) return with_version("nvJitLink", consumer.version);
    if (consumer.kind == ConsumerKind::ptxas) {
        std::string name = last_part(consumer.path);
        if (name.size() > 4 && name.compare(name.size() - 4, 4, ".exe") == 0) name.resize(name.size() - 4);
        return with_version(name, consumer.version);
    }
    if (consumer.kind == ConsumerKind::gpu)
        return with_version(consumer.gpu.name + ", driver", consumer.version);
    if (!consumer.version && consumer.driver.cuda) return "driver of CUDA " + consumer.driver.cuda->text;
    return with_version("driver", consumer.version);
}

}  // namespace ptxguard
