// The options of each tool; those with a value are listed even if the value is not used.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/pip_options.hpp"

namespace ptxguard::recipes {

const std::vector<OptionForm>& pip_options() {
    static const std::vector<OptionForm> table = {
        {"-r --requirement --requirements"},
        {"-c --constraint --constraints"},
        {"-e --editable"},
        {"-i --index-url --pypi-url"},
        {"--extra-index-url"},
        {"-f --find-links"},
        {"--no-index", false},
        {"--pre", false},
        {"--no-deps --no-dependencies", false},
        {"--no-build-isolation", false},
        {"--no-binary"},
        {"--only-binary"},
        {"--group"},
        {"-t --target"},
        {"--prefix"},
        {"--root"},
        {"--python"},
        {"--python-version"},
        {"--platform"},
        {"--implementation"},
        {"--abi"},
        {"--src"},
        {"--upgrade-strategy"},
        {"-C --config-settings --config-setting"},
        {"--global-option"},
        {"--build-option"},
        {"--install-option"},
        {"--build-constraint"},
        {"--progress-bar"},
        {"--root-user-action"},
        {"--report"},
        {"--log"},
        {"--proxy"},
        {"--retries"},
        {"--resume-retries"},
        {"--timeout --default-timeout"},
        {"--exists-action"},
        {"--trusted-host"},
        {"--cert"},
        {"--client-cert"},
        {"--cache-dir"},
        {"--use-feature"},
        {"--use-deprecated"},
        {"--keyring-provider"},
        {"-U --upgrade", false},
        {"-I --ignore-installed", false},
        {"--force-reinstall", false},
        {"-q --quiet", false},
        {"-v --verbose", false},
    };
    return table;
}

const std::vector<OptionForm>& uv_options() {
    static const std::vector<OptionForm> table = {{"-r --requirements --requirement"},
                                                  {"-c --constraints --constraint"},
                                                  {"-e --editable"},
                                                  {"-i --index-url"},
                                                  {"--default-index"},
                                                  {"--index"},
                                                  {"--extra-index-url"},
                                                  {"-f --find-links"},
                                                  {"--index-strategy"},
                                                  {"--torch-backend"},
                                                  {"--prerelease"},
                                                  {"--no-binary"},
                                                  {"--only-binary"},
                                                  {"--no-binary-package"},
                                                  {"--overrides --override"},
                                                  {"-b --build-constraints --build-constraint"},
                                                  {"--extra"},
                                                  {"--group"},
                                                  {"--only-group"},
                                                  {"--no-group"},
                                                  {"--optional"},
                                                  {"--package"},
                                                  {"--no-install-package"},
                                                  {"-p --python"},
                                                  {"--python-version"},
                                                  {"--python-platform"},
                                                  {"-t --target"},
                                                  {"--prefix"},
                                                  {"--from"},
                                                  {"-w --with"},
                                                  {"--with-editable"},
                                                  {"--with-requirements"},
                                                  {"--directory"},
                                                  {"--project"},
                                                  {"--cache-dir"},
                                                  {"--config-file"},
                                                  {"--config-setting -C"},
                                                  {"--config-settings-package"},
                                                  {"--resolution"},
                                                  {"--fork-strategy"},
                                                  {"--exclude-newer"},
                                                  {"--exclude-newer-package"},
                                                  {"--keyring-provider"},
                                                  {"--allow-insecure-host"},
                                                  {"--trusted-host"},
                                                  {"--link-mode"},
                                                  {"--refresh-package"},
                                                  {"-P --upgrade-package"},
                                                  {"--reinstall-package"},
                                                  {"--no-build-isolation-package"},
                                                  {"--no-build-package"},
                                                  {"--no-sources-package"},
                                                  {"--env-file"},
                                                  {"-m --marker"},
                                                  {"--bounds"},
                                                  {"--rev"},
                                                  {"--tag"},
                                                  {"--branch"},
                                                  {"--script"},
                                                  {"--color"}};
    return table;
}

const std::vector<OptionForm>& poetry_options() {
    static const std::vector<OptionForm> table = {
        {"--source"}, {"-E --extras"},          {"-G --group"},      {"-P --project"}, {"-C --directory"},
        {"--python"}, {"--platform"},           {"--markers"},       {"--with"},       {"--without"},
        {"--only"},   {"-e --editable", false}, {"-D --dev", false},
    };
    return table;
}

const std::vector<OptionForm>& other_options() {
    static const std::vector<OptionForm> table = {
        {"-i --index-url --index"},
        {"--extra-index-url"},
        {"--pip-args"},
        {"--python"},
        {"-e --editable"},
        {"-G --group"},
        {"-p --project"},
        {"-r --requirements"},
        {"--spec"},
        {"--suffix"},
        {"--extra-pip-args"},
        {"--categories"},
        {"-L --lockfile"},
    };
    return table;
}

}  // namespace ptxguard::recipes
