// SPDX-License-Identifier: Apache-2.0
#include "messages/message.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

const std::vector<Message>& all_messages() {
    static const std::vector<Message> all = [] {
        std::vector<Message> joined;
        for (auto* family : {messages_of_compilers,        messages_of_sources,
                             messages_of_driver,           messages_of_driver_installers,
                             messages_of_containers,       messages_of_libraries,
                             messages_of_tensorrt,         messages_of_loaders,
                             messages_of_frameworks,       messages_of_tensorflow,
                             messages_of_extensions,       messages_of_runners,
                             messages_of_applications,     messages_of_languages,
                             messages_of_python_programs,  messages_of_builds,
                             messages_of_package_managers, messages_with_facts,
                             messages_of_programs,         messages_of_statements}) {
            std::vector<Message> some = family();
            append(joined, some);
        }
        return joined;
    }();
    return all;
}

}  // namespace ptxguard
