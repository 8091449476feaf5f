#!/usr/bin/env bash
# What including Ferry costs a user's compiler: seconds to compile an empty program, best of five, without optimisation.
# Printed beside the three standard headers that everybody has, and beside Kokkos.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
compiler=${CXX:-g++}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# name, flags, source
measure() {
  printf '%s\nint main() {}\n' "$3" >"$folder/$1.cpp"
  local best=
  for _ in 1 2 3 4 5; do
    local start stop
    start=$(date +%s%N)
    # shellcheck disable=SC2086
    "$compiler" -std=c++20 $2 -c "$folder/$1.cpp" -o "$folder/$1.o" || return 1
    stop=$(date +%s%N)
    if [[ -z $best || $((stop - start)) -lt $best ]]; then best=$((stop - start)); fi
  done
  printf '%-28s %6.3f s\n' "$4" "$(echo "$best" | awk '{print $1 / 1e9}')"
}

measure standard "" $'#include <vector>\n#include <string>\n#include <memory>' "<vector> <string> <memory>"
measure ferry "-Iinclude" "#include <ferry/ferry.hpp>" "<ferry/ferry.hpp>"
if [[ -e /usr/include/trilinos/Kokkos_Core.hpp ]]; then
  measure kokkos "-isystem /usr/include/trilinos" "#include <Kokkos_Core.hpp>" "<Kokkos_Core.hpp>"
else
  echo "<Kokkos_Core.hpp>            not installed (libtrilinos-kokkos-dev)"
fi
