// What a recipe asks others for: releases of the toolkit from installers, images from a registry in commands
// and variables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "facts/recipe_tables.hpp"
#include "model/recipe.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// nvidia/cuda and pytorch/pytorch with a tag, in a value.
bool names_image(const std::string& text);

// Each image once.
class NamedImages {
public:
    void take(const Written& value, const Facts& facts, RecipeFacts& recipe);
    // docker pull, run, build --build-arg, singularity pull ...
    void take(const Command& command, const Facts& facts, RecipeFacts& recipe);

private:
    std::set<std::string> m_seen;
};

// Of one stage, in the order of its steps.
class ToolkitRequests {
public:
    void take(const Command& command);
    void take(const AptInstall& step);
    // Files that rm removes.
    void forget(const Command& rm);
    // Another source of packages than NVIDIA's repository, or a preference, may decide their versions.
    bool is_closed() const { return m_closed; }
    // `system`: the text that names the image or the runner.
    void fill(const RecipeImage& image, const std::string& platform, const Written& system,
              const Facts& facts, RecipeFacts& recipe);
    // The release of a local repository that was installed: `cuda` without a version is that one.
    Known<Version> of_local_repository() const;
    // The release of `cuda` and `cuda-toolkit` without a version: the newest of NVIDIA's repository. Nothing
    // if another one may have it.
    Known<Version> newest(const RecipeImage& image, const std::string& platform, const Facts& facts) const;

private:
    void add_components(const Command& command);
    void add_sources(const Command& command);
    void add_selected(const Command& command);
    void add_keys(const Written& word);
    void add_installer(const Written& word);
    void add_held(const AptInstall& step, const char* how);
    void note_sources(const AptPackage& package, bool by_apt);
    void add_cudnn(const AptPackage& package);
    void add_release(const AptPackage& package, const AptInstall& step);
    void add_tensorrt(const AptPackage& package);
    void add_whole(const AptPackage& package);
    const std::string& named_repository() const;
    void fill_unserved(const RecipeImage& image, const std::string& platform, const Written& system,
                       const Facts& facts, RecipeFacts& recipe) const;
    bool is_served(const ToolkitRequest& request, const RecipeImage& image, const NvidiaRepository* here,
                   const Facts& facts) const;

    bool m_contrib = false, m_non_free = false;  // of Debian, which a command adds
    bool m_other_sources = false;                // the text of apt's sources is not known
    bool m_updated = false;                      // the lists of the sources are fetched
    bool m_nvidia_sources = false;               // a command may add NVIDIA's repository
    Written m_without_sources;                   // the first package that needs it before that
    Written m_debian_toolkit;                    // nvidia-cuda-toolkit without both
    std::string m_missing;                       // the components that it lacks
    Written m_unnumbered;                        // cuda, cuda-toolkit
    bool m_closed = false;     // a local installer has one release only; a preference may choose another one
    std::string m_repository;  // the last one that a command names; "?" = one that is not known
    std::string m_installer;   // for Windows, that a command downloads: "12.8"
    bool m_forgotten = false;  // its lists of sources are removed
    bool m_unheld = false;     // apt-mark unhold
    bool m_machine_learning = false;  // NVIDIA's repository of that name, or one of TensorRT on the disk
    bool m_tinfo5 = false;            // a command may bring libtinfo5, or the sources of a system that has it
    bool m_new_key = false;           // a key that signs NVIDIA's repository may be there
    Written m_old_key;                // the one that signed it up to 2022-04
    std::vector<ToolkitRequest> m_all;
};

}  // namespace ptxguard::recipes
