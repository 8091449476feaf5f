#!/usr/bin/env bash
# The same seed gives the same interleaving and the same report, in every run of a program with one thread.
set -euo pipefail
runner=$1
export FERRY_DEVICE=sim FERRY_SIM_DEVICES=2

report() { FERRY_SIM=$2 "$runner" "$1" wrong 2>&1 >/dev/null || true; }

repeats() { # PROGRAM SCHEDULE TIMES
  local first again i
  first=$(report "$1" "$2")
  [[ $first == *'ferry: sim: '* ]] || { printf '%s under %s was not found out:\n%s\n' "$1" "$2" "$first"; exit 1; }
  for ((i = 1; i < $3; ++i)); do
    again=$(report "$1" "$2")
    [[ $again == "$first" ]] || { printf '%s under %s: run %d differs:\n%s\n%s\n' "$1" "$2" "$i" "$first" "$again"; exit 1; }
  done
}

repeats KernelsWithoutOrder random:7 100
repeats HostReadsDeviceMemory random:7 100
for program in KernelAndCopyWithoutOrder ChainWithAMissingLink KernelUsesADeadArray RegisteredSourceOverwritten; do
  for schedule in eager lazy random:1 random:2 random:3; do repeats "$program" "$schedule" 5; done
done
