// Inspects a file of any bytes, with everything that --deep does. It is its own neighbour, as the member of a
// thin archive.
// SPDX-License-Identifier: Apache-2.0
#include "inspect/inspect.hpp"

#include <cstdlib>

#include "ask.hpp"
#include "host/fake_host.hpp"

using namespace ptxguard;

namespace {

struct OneFile : FakeHost {
    explicit OneFile(const Source& source) : m_source(source) {}
    Result<Source> open(const std::string&) const override { return m_source; }
    const Source& m_source;
};

void look_at_all(const BinaryFile& file, const Source& source) {
    for (const std::string* text : {&file.path, &file.machine, &file.trouble}) look_at(*text);
    for (const auto* list : {&file.needed, &file.sections, &file.remarks})
        for (const std::string& text : *list) look_at(text);
    for (const DeviceEntry& entry : file.entries) {
        look_at(entry.arch.sm());
        if (entry.section >= file.sections.size()) std::abort();
        if (entry.offset > source.size || entry.size > source.size - entry.offset) std::abort();
    }
}

void ask(const Source& source) {
    static const Facts facts = Facts::embedded();
    const OneFile host(source);
    Scenario scenario;
    InspectOptions options;
    options.deep = true;
    inspect(host, facts, {"/x/file"}, options, scenario);
    for (const BinaryFile& file : scenario.binaries) look_at_all(file, source);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ask_whole_and_shrinking(data, size, ask);
    return 0;
}
