// Wheels, conda packages, tar and zip files: members in place.
// SPDX-License-Identifier: Apache-2.0
#include "given.hpp"

using namespace given;

namespace {

std::string object(int arch) {
    return library(built::fatbin({cubin(static_cast<std::uint32_t>(arch))})).build();
}

std::vector<BinaryFile> of(const std::string& name, const std::string& bytes) {
    FakeHost host;
    host.file("/x/" + name, bytes);
    return inspected(host, {"/x/" + name});
}

const std::string k_tar =
    built::tar(built::tar_member("pkg/README", "text") + built::tar_member("pkg/lib/libk.so", object(80)) +
               built::tar_member("pkg/lib/libcuda.so.1", "x"));

}  // namespace

TEST_CASE("libraries in a tar archive, plain and compressed") {
    for (const std::string& bytes : {k_tar, built::gzip(k_tar), built::zstd(k_tar)}) {
        const std::vector<BinaryFile> files = of("pkg.tgz", bytes);
        REQUIRE(files.size() == 3);
        CHECK(files[0].archive == ArchiveKind::other);
        CHECK(files[0].trouble.empty());
        CHECK(files[1].path == "/x/pkg.tgz(pkg/lib/libk.so)");
        CHECK(files[1].container == "/x/pkg.tgz");
        CHECK(files[1].member == "pkg/lib/libk.so");
        CHECK(files[1].summary[0].arch.sm() == "sm_80");
        CHECK(files[2].member == "pkg/lib/libcuda.so.1");
    }
}

TEST_CASE("a conda package is a zip of compressed tar archives") {
    const std::vector<BinaryFile> files =
        of("k-1.0-0.conda",
           built::zip({{"metadata.json", "{}"},
                       {"info-k-1.0-0.tar.zst", built::zstd(built::tar(built::tar_member("a", "b")))},
                       {"pkg-k-1.0-0.tar.zst", built::zstd(k_tar)}}));
    REQUIRE(files.size() == 5);
    CHECK(files[0].archive == ArchiveKind::conda);
    CHECK(files[0].summary.size() == 1);
    const std::string inner = "/x/k-1.0-0.conda(pkg-k-1.0-0.tar.zst)";
    CHECK(files[2].path == inner + "(pkg/lib/libk.so)");
    CHECK(files[2].container == inner);
    CHECK(files[4].path == inner);
    CHECK(files[4].container == "/x/k-1.0-0.conda");
}

TEST_CASE("members are counted while they are read") {
    FakeHost host;
    host.file("/x/k.whl", built::zip({{"k/README", "text"}, {"k/a.so", object(80)}, {"k/b.so", object(90)}}));
    host.file("/x/k.tar", k_tar);
    const auto counts = [&](const std::vector<std::string>& paths) {
        std::string all;
        InspectOptions options;
        options.counted = [&](std::size_t done, std::size_t of, const std::string& name) {
            all += std::to_string(done) + "/" + std::to_string(of) + " " + name + "; ";
        };
        Scenario scenario;
        inspect(host, facts(), paths, options, scenario);
        return all;
    };
    CHECK(counts({"/x/k.whl"}) == "1/2 a.so; 2/2 b.so; ");
    CHECK(counts({"/x/k.tar", "/x/gone"}) == "1/2 k.tar; 1/0 libk.so; 2/0 libcuda.so.1; 2/2 gone; ");
}

TEST_CASE("the payload of a member in a compressed archive can be read") {
    FakeHost host;
    host.file("/x/p.tar.gz", built::gzip(built::tar(built::tar_member(
                                 "libp.so", library(built::fatbin({built::ptx_entry(80, 8, 4)})).build()))));
    const auto texts = ptx_texts(host, facts(), "/x/p.tar.gz");
    REQUIRE(texts);
    REQUIRE(texts->size() == 1);
    CHECK((*texts)[0].text.find(".target sm_80") != std::string::npos);
}

TEST_CASE("archives within archives end, and damaged ones have a reason") {
    std::string nested = k_tar;
    for (int i = 0; i < 6; ++i)
        nested = built::zip({{"in.tar.gz", built::gzip(built::tar(built::tar_member("x.zip", nested)))}});
    std::string troubles;
    for (const BinaryFile& file : of("x.zip", nested)) troubles += file.trouble;
    CHECK(troubles == "is an archive within archives, deeper than is read");

    const std::string gzip = built::gzip(k_tar), zstd = built::zstd(k_tar);
    for (const std::string& cut : {gzip.substr(0, gzip.size() / 2), zstd.substr(0, zstd.size() / 2)}) {
        const std::vector<BinaryFile> files = of("x.tar.gz", cut);
        REQUIRE(files.size() == 1);
        CHECK_FALSE(files[0].trouble.empty());
    }
    CHECK(of("x.tar.xz",
             "\xfd"
             "7zXZ")[0]
              .trouble.find("not read") != std::string::npos);
    // Names with dots stay names.
    const auto tricks = of("x.tar", built::tar(built::tar_member("../../etc/libk.so", object(80))));
    CHECK(tricks[1].member == "../../etc/libk.so");
}

TEST_CASE("a METADATA that is too long is reported") {
    const std::string head = "Metadata-Version: 2.1\nName: k\nVersion: 1\nRequires-Dist: torch\n";
    for (const std::size_t padding : {std::size_t{4000000}, std::size_t{4300000}}) {
        const std::string metadata = head + "\n" + std::string(padding, 'x');
        const std::vector<BinaryFile> files =
            of("k-1-py3-none-any.whl",
               built::zip({{"k-1.dist-info/METADATA", metadata}, {"k/libk.so", object(80)}}));
        REQUIRE(!files.empty());
        if (padding < 4u << 20) {
            CHECK(files[0].trouble.empty());
            CHECK(files[0].requires_dist == std::vector<std::string>{"torch"});
        } else {
            CHECK(files[0].trouble ==
                  "its member k-1.dist-info/METADATA exceeds the limit of 4194304 bytes of METADATA: "
                  "ptxguard did not "
                  "read what the wheel requires");
        }
    }
}

TEST_CASE("a wheel's modules without device code are listed with the NVIDIA libraries that they need") {
    built::Elf plain, needs;
    plain.needed = {"libc.so.6"};
    needs.needed = {"libcudart.so.12", "libc.so.6"};
    const auto files = of("k-1-py3-none-any.whl", built::zip({{"k/a.so", plain.build()},
                                                              {"k/b.so", needs.build()},
                                                              {"k/bin/server", needs.build()},
                                                              {"k/LICENSE", "text"},
                                                              {"k-1.dist-info/entry", "text"}}));
    REQUIRE(files.size() == 3);
    CHECK(files[0].needed == std::vector<std::string>{"libcudart.so.12"});
    CHECK(files[0].remarks == std::vector<std::string>{"3 members, 0 with device code"});
    CHECK(files[1].member == "k/b.so");
    CHECK(files[2].member == "k/bin/server");
}

TEST_CASE("a wheel needs no library that it brings") {
    built::Elf needs;
    needs.needed = {"libnvjpeg-ae5a5fd1.so.13.0.1.86", "libcudart.so.13"};
    const auto files = of("k-1-py3-none-any.whl",
                          built::zip({{"k/a.so", needs.build()},
                                      {"k.libs/libnvjpeg-ae5a5fd1.so.13.0.1.86", built::Elf().build()}}));
    REQUIRE(!files.empty());
    CHECK(files[0].needed == std::vector<std::string>{"libcudart.so.13"});
    const auto alone = of("k-1-py3-none-any.whl", built::zip({{"k/a.so", needs.build()}}));
    REQUIRE(!alone.empty());
    CHECK(alone[0].needed == std::vector<std::string>{"libnvjpeg-ae5a5fd1.so.13.0.1.86", "libcudart.so.13"});
}
