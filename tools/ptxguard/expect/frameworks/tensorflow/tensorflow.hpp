// TensorFlow as a wheel (tensorflow, -cpu, -gpu, _intel, nightly), and as a name on the command line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expect/expect.hpp"

namespace ptxguard::tensorflow {

std::vector<Expectation> read(const Host& host, const SitePlace& place);
Expectation declared(const Facts& facts, System system, const DeclaredBuild& build);

// build_info.py in its forms: `cuda_version_number = "10.0"` (1.x), `build_info =
// collections.OrderedDict([...])`. Invalid content is an error, and then nothing of the file is used.
void read_build_info(std::string_view text, const std::string& path, Expectation& expectation);
// cuda_config.h: TF_CUDA_VERSION, TF_CUDNN_VERSION, TF_CUDA_COMPUTE_CAPABILITIES. Fills only what is still
// unknown.
void read_cuda_config(std::string_view text, const std::string& path, Expectation& expectation);

// The C package without Python. Nothing if the folder has none.
std::vector<Expectation> read_libtensorflow(const Host& host, const std::string& root);
// The folder itself if it is the root of a C package, otherwise empty.
std::string libtensorflow_root(const Host& host, const std::string& prefix);

// cuda_config.h and the version's header, below FOLDER/include. Fill only what is still unknown.
void add_config(const Host& host, const std::string& folder, Expectation& expectation);
void add_version_header(const Host& host, const std::string& folder, Expectation& expectation);

}  // namespace ptxguard::tensorflow
