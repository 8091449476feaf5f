# ./dev gpu: what needs a GPU. Sourced by dev.
#
# The programs come from build/cuda, built here, or, where FERRY_PREBUILT names a folder, from there: for a machine that
# has the GPU but not the tools to build. Every line of every part is also kept in build/gpu/results.txt.

readonly gpu_parts=(info suites cuda hip exit numba demo big stress sanitize bench sweep)

gpu_usage() {
  cat <<'TEXT'
./dev gpu [PART...]   all parts, or some of:
  info      what the machine has, and its bandwidths
  suites    contract, unit, field and property suites on cuda:0
  cuda      graphs, raw kernels, foreign streams and pointers
  hip       the HIP backend over CUDA, through an adapter: the suites, AMD's differences, ways for a process to end
  exit      ways for a process to end
  numba     arrays handed to Numba and back
  demo      the example on cuda:0
  big       more than 2^31 elements; real out-of-memory
  stress    8 threads of 16 streams for 60 seconds
  sanitize  compute-sanitizer over reduced suites
  bench     copies against memcpy and the peers that Python finds
  sweep     copies of many sizes, ranks, orders and element sizes beside the peers
TEXT
}

gpu_program() {
  local name=$1 folder
  for folder in "${FERRY_PREBUILT:-build/cuda}"{,/tests,/tests/gpu,/tests/cuda,/../hip/tests/hip_adapter/cuda,/tests/exit,/tools,/examples,/benchmarks}; do
    [[ -f $folder/$name ]] && { printf '%s\n' "$folder/$name"; return; }
  done
  die "there is no program '$name' in ${FERRY_PREBUILT:-build/cuda}"
}

gpu_failures=0
# Runs one check with its output in a log; the table gets the line that says most.
gpu_check() {
  local part=$1 what=$2 log start code summary
  shift 2
  log=build/gpu/$part-${what//[^a-zA-Z0-9]/_}.log
  start=$(date +%s)
  code=0
  timeout "${FERRY_GPU_TIMEOUT:-500}" "$@" >"$log" 2>&1 </dev/null || code=$?
  summary=$(grep -E '^\[  (PASSED|FAILED)  \] [0-9]+ tests?|ERROR SUMMARY|RACECHECK SUMMARY|ways to end|exchanges|agree|^stress:|cases in all' "$log" | tail -n 3 | paste -sd';' || true)
  [[ $code == 0 ]] || { gpu_failures=$((gpu_failures + 1)); grep -E 'Failure|FAILED|WRONG|=========.*(Invalid|Error|Race)' "$log" | head -n 10 || true; }
  printf '%-9s %-28s %-7s %4d s  %s\n' "$part" "$what" "$([[ $code == 0 ]] && echo passed || echo "FAILED($code)")" \
    $(($(date +%s) - start)) "$summary" | tee -a build/gpu/results.txt
}

gpu_suites() {
  local contract unit field property
  contract=$(gpu_program ferry_contract_tests) unit=$(gpu_program ferry_unit_tests)
  field=$(gpu_program ferry_field_tests) property=$(gpu_program ferry_property_tests)
  export FERRY_TEST_DEVICE=cuda:0 FERRY_CONTRACT_DEVICES=cuda:0
  gpu_check suites contract "$contract"
  local pool
  for pool in direct driver cached; do
    FERRY_POOL=$pool gpu_check suites "unit, pool $pool" "$unit"
    FERRY_POOL=$pool gpu_check suites "field, pool $pool" "$field" --gtest_filter=-Big*
    FERRY_POOL=$pool gpu_check suites "property, pool $pool" "$property"
  done
}
gpu_cuda() {
  gpu_check cuda "capture, foreign, memory" "$(gpu_program ferry_cuda_tests)" "--gtest_filter=-Big*:Stress*:OutOf*"
}
gpu_hip() {
  if [[ -z ${FERRY_PREBUILT:-} ]]; then
    command -v hipcc >/dev/null || need_packages "${hip_packages[@]}"
    PATH=$PATH:/usr/local/cuda/bin configure hip -DCMAKE_CUDA_ARCHITECTURES=native
    PATH=$PATH:/usr/local/cuda/bin build hip
  fi
  local label pool differences
  export FERRY_TEST_DEVICE=hip:0 FERRY_CONTRACT_DEVICES=hip:0
  for pool in 0 1; do
    export FERRY_HIP_MALLOC_ASYNC=$pool
    for label in contract unit field property; do
      gpu_check hip "$label, async malloc $pool" "$(gpu_program ferry_hip_on_cuda_${label}_tests)" --gtest_filter=-Big*
    done
    for differences in "" no-async-malloc async-out-of-memory xnack-off no-registration; do
      FERRY_HIP_ADAPTER=$differences gpu_check hip "differences $differences, $pool" \
        "$(gpu_program ferry_hip_on_cuda_differences_tests)"
    done
    gpu_check hip "ends of a process, $pool" python3 tests/exit/run_exit_cases.py \
      "$(gpu_program ferry_hip_on_cuda_exit_cases)" hip:0
  done
}
gpu_exit() {
  gpu_check exit "ends of a process" python3 tests/exit/run_exit_cases.py "$(gpu_program ferry_exit_cases)" cuda:0
}
gpu_numba() {
  gpu_check numba exchange python3 tests/cuda/numba_exchange.py "$(gpu_program libferry_numba_exchange.so)"
}
gpu_demo() {
  mkdir -p build/gpu/out
  gpu_check demo "terrain against NumPy" python3 tests/interop/terrain_check.py "$(gpu_program terrain)" \
    examples/data/jacksboro_fault_dem.npy cuda:0
}
gpu_info() {
  gpu_check info "what is there" "$(gpu_program ferry-info)"
  cat build/gpu/info-what_is_there.log
}
gpu_big() {
  gpu_check big "2^31 elements, out of memory" "$(gpu_program ferry_cuda_tests)" "--gtest_filter=Big*:OutOf*"
}
gpu_stress() {
  FERRY_STRESS_SECONDS=60 gpu_check stress "8 threads of 16 streams" "$(gpu_program ferry_cuda_tests)" "--gtest_filter=Stress*"
}
gpu_sanitize() {
  local sanitizer=(compute-sanitizer --error-exitcode 9 --print-limit 20) contract unit field property
  contract=$(gpu_program ferry_contract_tests) unit=$(gpu_program ferry_unit_tests)
  field=$(gpu_program ferry_field_tests) property=$(gpu_program ferry_property_tests)
  export FERRY_TEST_DEVICE=cuda:0 FERRY_CONTRACT_DEVICES=cuda:0
  # The checker itself, since one that sees nothing would find everything clean.
  gpu_check sanitize "memcheck finds a planted fault" bash -c \
    'compute-sanitizer "$1" kernel_fault cuda:0 | grep -E "Invalid __global__ write|ERROR SUMMARY: [1-9]"' - \
    "$(gpu_program ferry_exit_cases)"
  # Calls that fail on purpose are no finding, so the memory checker does not report the runtime's return codes.
  # What asks for more memory than there is, or for millions of rows one by one, is left out: it says nothing new.
  local quick="-*Memory*:*TwoMillion*:*ManyThreads*:Big*:*C013*"
  gpu_check sanitize "memcheck contract" "${sanitizer[@]}" --report-api-errors no "$contract" "--gtest_filter=$quick"
  gpu_check sanitize "memcheck unit" "${sanitizer[@]}" --report-api-errors no "$unit" "--gtest_filter=$quick"
  gpu_check sanitize "memcheck field" "${sanitizer[@]}" --report-api-errors no "$field" "--gtest_filter=$quick"
  FERRY_CASES=0.02 gpu_check sanitize "memcheck property" "${sanitizer[@]}" --report-api-errors no "$property" \
    "--gtest_filter=Array*"
  gpu_check sanitize "racecheck contract" "${sanitizer[@]}" --tool racecheck "$contract" \
    "--gtest_filter=*Kernels*:*Copy*:-*TwoMillion*:*C013*"
  gpu_check sanitize "initcheck contract" "${sanitizer[@]}" --tool initcheck "$contract" \
    "--gtest_filter=*Kernels*:*Copy*:*Order*:-*TwoMillion*:*C013*:*ManyThreads*"
  FERRY_CASES=0.01 gpu_check sanitize "initcheck property" "${sanitizer[@]}" --tool initcheck "$property" \
    "--gtest_filter=Array*"
}
gpu_bench() {
  gpu_check bench "copies" python3 benchmarks/gpu_peers.py "$(gpu_program gpu_copies)" build/gpu/bench.json
  cat build/gpu/bench-copies.log
}
gpu_sweep() {
  gpu_check sweep "copies beside peers" python3 benchmarks/gpu_sweep.py "$(gpu_program gpu_sweep)" build/gpu/sweep.json
  cat build/gpu/sweep-copies_beside_peers.log
}

gpu() {
  local part
  case ${1:-} in
    help | -h | --help) gpu_usage && return ;;
  esac
  if [[ -z ${FERRY_PREBUILT:-} ]]; then
    command -v nvcc >/dev/null || [[ -x /usr/local/cuda/bin/nvcc ]] || die "nvcc was not found; install the CUDA toolkit, or name a folder of programs built elsewhere in FERRY_PREBUILT"
    need_packages "${build_packages[@]}" "${test_packages[@]}" "${bench_packages[@]}"
    PATH=$PATH:/usr/local/cuda/bin configure cuda -DCMAKE_CUDA_ARCHITECTURES=native
    PATH=$PATH:/usr/local/cuda/bin build cuda
  fi
  mkdir -p build/gpu
  (($#)) || set -- "${gpu_parts[@]}"
  for part in "$@"; do
    declare -F "gpu_$part" >/dev/null || { gpu_usage >&2; die "there is no part '$part'"; }
    say "gpu $part"
    "gpu_$part"
  done
  ((gpu_failures == 0)) || die "$gpu_failures checks failed; the logs are in build/gpu"
}
