#!/bin/sh
# Any CI: PTXGUARD_WHEEL=... sh step.sh --build --arch "80-real;90" --driver 580.65.06
# PTXGUARD_WHEEL is what pip installs: a file, an address or a requirement. Exit code 1: findings.
# Nothing of the checkout is run, or a pull request could bring its own ptxguard: pip and ptxguard are in a new folder, and -I
# keeps Python from importing modules of this one.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -I -m venv "$folder"
"$folder/bin/python" -I -m pip install --quiet "${PTXGUARD_WHEEL:?name what pip is to install}"
"$folder/bin/ptxguard" check "$@"
