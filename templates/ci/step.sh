#!/bin/sh
# Any CI: PTXGUARD_WHEEL=... sh step.sh --build --arch "80-real;90" --driver 580.65.06
# PTXGUARD_WHEEL is what pip installs: a file, an address or a requirement. Exit code 1: findings.
set -eu
folder=${PTXGUARD_FOLDER:-.ptxguard}
if [ ! -x "$folder/bin/ptxguard" ]; then
    python3 -m venv "$folder"
    "$folder/bin/python" -m pip install --quiet "${PTXGUARD_WHEEL:?name what pip is to install}"
fi
exec "$folder/bin/ptxguard" check "$@"
