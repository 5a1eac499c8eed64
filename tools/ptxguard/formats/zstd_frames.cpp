// Consecutive zstd frames of unknown size.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "formats/tar.hpp"

#include <zstd.h>

namespace ptxguard {

bool is_zstd(std::string_view head) { return head.substr(0, 4) == "\x28\xb5\x2f\xfd"; }

Result<std::string> unzstd(const Source& source, std::uint64_t most) {
    constexpr std::size_t k_input = 1u << 20;
    const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
    if (!context) return Trouble{"zstd", "cannot be unpacked: out of memory", ""};
    ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, 27);  // 128 MiB, as level 22 of conda packages
    std::string output, input;
    std::size_t done = 0, open = 1;  // open: 0 after the end of a frame
    for (std::uint64_t at = 0; at < source.size;) {
        input = read_bytes(source, at, k_input);
        if (input.empty()) return Trouble{"zstd", "cannot be read to its end", ""};
        at += input.size();
        ZSTD_inBuffer in{input.data(), input.size(), 0};
        for (bool full = true; in.pos < in.size || full;) {
            if (done == output.size()) {
                if (done >= most) return Trouble{"zstd", "is larger than is unpacked", ""};
                output.resize(static_cast<std::size_t>(std::min<std::uint64_t>(
                    most, std::max<std::uint64_t>(done + done / 2, std::uint64_t{4} << 20))));
            }
            ZSTD_outBuffer out{&output[0], output.size(), done};
            open = ZSTD_decompressStream(context.get(), &out, &in);
            if (ZSTD_isError(open)) return Trouble{"zstd", "is damaged", ZSTD_getErrorName(open)};
            done = out.pos;
            full = done == output.size() && open != 0;
        }
    }
    if (open != 0) return Trouble{"zstd", "is cut off", ""};
    output.resize(done);
    return output;
}

}  // namespace ptxguard
