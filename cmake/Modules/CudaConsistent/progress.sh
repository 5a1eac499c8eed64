# sh progress.sh TITLE LOG: writes what a build prints into LOG, and a line at each tenth that is done: of "[ 12%]" (make) or
# "[52/430]" (Ninja).
# SPDX-License-Identifier: Apache-2.0
exec 3>"$2"
shown=0
while IFS= read -r line; do
  printf '%s\n' "$line" >&3
  case $line in
    "["*%"]"*) at=${line%%"%]"*} total=100 ;;
    "["*/*"]"*) at=${line%%/*} total=${line%%"]"*} total=${total##*/} ;;
    *) continue ;;
  esac
  at=${at##*[[ ]}
  case $at/$total in */0 | *[!0-9/]* | */ | /*) continue ;; esac
  tenth=$((at * 10 / total))
  if [ "$tenth" -gt "$shown" ]; then
    shown=$tenth
    echo "-- $1: ${tenth}0 %"
  fi
done
