// Version numbers as numbers: "13.0.88", "535.104.05", "9.1.0.70", "2.5.1+cu121", "13.4.46rc1".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxguard {

struct Version {
    std::vector<int> numbers;  // at least one
    std::string
        suffix;        // "rc1", "+cu121", "a0+git1234"; never takes part in ==, < except pre-releases (below)
    std::string text;  // as written, for people ("535.104.05" keeps its zero)

    int at(std::size_t index) const { return index < numbers.size() ? numbers[index] : 0; }
    int major() const { return at(0); }
    int minor() const { return at(1); }
    // "13.0" of 13.0.88: the release as users write it.
    std::string release() const { return std::to_string(major()) + "." + std::to_string(minor()); }
    // Local part without '+': "cu121" of 2.0.0+cu121; empty without one.
    std::string local() const;
    // "2.0.0" of 2.0.0+cu121.
    std::string without_local() const { return text.substr(0, text.find('+')); }
    bool is_prerelease() const;  // suffix starts with a, b, c, rc, dev or .dev
};

// Parses a whole text; a leading 'v' or 'V' is allowed. Empty if it is not a version ("", "garbage", "13.x",
// a number above 99,999,999).
std::optional<Version> parse_version(std::string_view text);
// The first version inside a longer text, after `marker` (may be empty): find_version("release 13.0,
// V13.0.88", "V").
std::optional<Version> find_version(std::string_view text, std::string_view marker);

// "110" 11.0, "92" 9.2: the last digit is the minor.
std::optional<Version> with_dot(std::string_view digits);
// A CUDA release in a tag: "cu92" 9.2, "cu117" 11.7, "cu130" 13.0; nothing for "cu12", "cu", "cpu".
std::optional<Version> cuda_of_tag(std::string_view tag);
// What a project's own builds are told apart by: "cu121", "cpu", "xpu", "rocm6.0", "cuda11.cudnn86". Others'
// builds have labels of their own: "nv23.10", "cbc9beb.d20250514".
bool is_build_tag(std::string_view tag);

// Missing numbers count as 0 (13.0 == 13.0.0); a pre-release is older than its release.
int compare(const Version& a, const Version& b);
inline bool operator==(const Version& a, const Version& b) { return compare(a, b) == 0; }
inline bool operator!=(const Version& a, const Version& b) { return compare(a, b) != 0; }
inline bool operator<(const Version& a, const Version& b) { return compare(a, b) < 0; }
inline bool operator>(const Version& a, const Version& b) { return compare(a, b) > 0; }
inline bool operator<=(const Version& a, const Version& b) { return compare(a, b) <= 0; }
inline bool operator>=(const Version& a, const Version& b) { return compare(a, b) >= 0; }
// From `from` on and below `below`; an absent bound does not limit.
bool is_within(const Version& version, const std::optional<Version>& from,
               const std::optional<Version>& below);
inline bool same_release(const Version& a, const Version& b) {
    return a.major() == b.major() && a.minor() == b.minor();
}

// PTX ISA version, the number in a PTX text's `.version` line.
struct PtxVersion {
    int major = 0;
    int minor = 0;
    std::string text() const { return std::to_string(major) + "." + std::to_string(minor); }
};
std::optional<PtxVersion> parse_ptx_version(std::string_view text);
inline int compare(PtxVersion a, PtxVersion b) {
    return a.major != b.major ? a.major - b.major : a.minor - b.minor;
}
inline bool operator==(PtxVersion a, PtxVersion b) { return compare(a, b) == 0; }
inline bool operator!=(PtxVersion a, PtxVersion b) { return compare(a, b) != 0; }
inline bool operator<(PtxVersion a, PtxVersion b) { return compare(a, b) < 0; }
inline bool operator>(PtxVersion a, PtxVersion b) { return compare(a, b) > 0; }
inline bool operator<=(PtxVersion a, PtxVersion b) { return compare(a, b) <= 0; }
inline bool operator>=(PtxVersion a, PtxVersion b) { return compare(a, b) >= 0; }

}  // namespace ptxguard
