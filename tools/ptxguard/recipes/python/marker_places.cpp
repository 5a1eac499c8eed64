// SPDX-License-Identifier: Apache-2.0
#include "recipes/python/marker_places.hpp"

#include "model/text.hpp"

namespace ptxguard::recipes {

std::string unusual_platform(const MarkerEnvironment& markers) {
    const bool arm = markers.machine == "aarch64" || markers.machine == "arm64";
    if (markers.system == "darwin") return markers.machine == "x86_64" ? "macOS on Intel" : "macOS";
    if (markers.system == "win32") return arm ? "Windows on ARM" : "Windows";
    if (markers.system != "linux" || (!arm && !markers.musl)) return "";
    return std::string(markers.musl ? "Alpine Linux" : "Linux") + (arm ? " on ARM" : "");
}

MarkerEnvironment usual_place(const std::string& marker) {
    const MarkerEnvironment places[] = {{"", "linux", "x86_64", {}},
                                        {"", "linux", "aarch64", {}},
                                        {"", "win32", "AMD64", {}},
                                        {"", "darwin", "arm64", {}}};
    for (const MarkerEnvironment& place : places)
        if (holds(marker, place) != Truth::no) return place;
    return places[0];
}

}  // namespace ptxguard::recipes
