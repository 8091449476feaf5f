#!/usr/bin/env bash
# How many of the corpus' wrong programs does each tool catch? Builds the runner three times, runs every program on plain
# host memory, on it under the sanitizers, and on the simulated device, and prints a table in Markdown.
# A program counts as caught when it ends with an error or a report and its corrected twin does not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

for preset in host asan tsan; do
  cmake --preset "$preset" >/dev/null
  cmake --build "build/$preset" --target ferry_sim_corpus >/dev/null
done

outcome() { # PRESET DEVICE SCHEDULE PROGRAM
  local runner=build/$1/tests/ferry_sim_corpus
  export FERRY_DEVICE=$2 FERRY_SIM=$3 FERRY_SIM_DEVICES=2
  timeout 60 "$runner" "$4" right >/dev/null 2>&1 || { echo 'does not run'; return; }
  if timeout 60 "$runner" "$4" wrong >/dev/null 2>&1; then echo -; else echo caught; fi
}

columns=('host host eager' 'asan host eager' 'tsan host eager' 'host sim eager' 'host sim lazy' 'host sim random:1')
declare -A caught
echo '| program | host memory | with ASan and UBSan | with TSan | sim, eager | sim, lazy | sim, random |'
echo '|---|---|---|---|---|---|---|'
programs=0
while read -r program; do
  programs=$((programs + 1))
  row="| $program |"
  for column in "${columns[@]}"; do
    # shellcheck disable=SC2086 # three words
    found=$(outcome $column "$program")
    [[ $found != caught ]] || caught[$column]=$((${caught[$column]:-0} + 1))
    row+=" $found |"
  done
  echo "$row"
done < <(build/host/tests/ferry_sim_corpus list)
row="| **caught, of $programs** |"
for column in "${columns[@]}"; do row+=" ${caught[$column]:-0} |"; done
echo "$row"
