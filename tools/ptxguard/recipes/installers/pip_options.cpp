// The options of each tool; those with a value are listed even if the value is not used.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/pip_options.hpp"

#include "model/text.hpp"
#include "recipes/shell/shell_wrappers.hpp"

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
        {k_file_of_arguments},
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

namespace {

// Of any release of pip, without those in the table above.
const std::vector<std::string>& other_options_of_pip() {
    static const std::vector<std::string> names = split(
        "--help --version --debug --isolated --require-virtualenv --no-input --no-color "
        "--disable-pip-version-check --no-python-version-warning --no-cache-dir --user --no-user "
        "--compile --no-compile --no-warn-script-location --no-warn-conflicts --break-system-packages "
        "--dry-run --ignore-requires-python --check-build-dependencies --use-pep517 --no-use-pep517 "
        "--prefer-binary --require-hashes --hash --no-clean --no-verify --wheel-dir --dest "
        "--destination-dir --destination-directory --only-deps --all-releases --only-final "
        "--uploaded-prior-to --requirements-from-script --dependencies-from-script --yes --json --build "
        "--build-dir --build-directory --download --download-cache --download-dir --egg --no-install "
        "--no-download --use-wheel --no-use-wheel --always-unzip --use-mirrors --mirrors "
        "--allow-external --allow-all-external --allow-unverified --allow-insecure "
        "--process-dependency-links --default-vcs --skip-requirements-regex --environment "
        "--enable-site-packages --respect-virtualenv --log-file --local-log --unstable-feature "
        "--editable-mode",
        " ");
    return names;
}

}  // namespace

std::string meant_option(const std::string& written) {
    std::vector<std::string> names = other_options_of_pip();
    for (const OptionForm& form : pip_options())
        for (const std::string& name : split(form.names, " "))
            if (starts_with(name, "--")) names.push_back(name);
    const std::string word = written.substr(0, written.find('='));
    for (const std::string& name : names)
        if (starts_with(name, word)) return "";
    constexpr int k_slips = 2;
    const std::string nearest = nearest_word(word, names);
    return !nearest.empty() && edit_distance(word, nearest) <= k_slips ? nearest : "";
}

const std::vector<OptionForm>& uv_options() {
    static const std::vector<OptionForm> table = {{"-r --requirements --requirement"},
                                                  {k_file_of_arguments},
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
                                                  {"--no-extra"},
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
