"""Runs every way of ending a process and judges exit code, stderr and time.

Usage: run_exit_cases.py PROGRAM DEVICE [without-kernels]
"""
import subprocess
import sys

ANYWHERE = {
    "plain": 0,
    "code_3": 3,
    "statics": 0,
    "statics_of_every_pool": 0,
    "thread_locals": 0,
    "exit_in_a_function": 4,
    "exit_from_a_thread": 5,
    "quick_exit": 6,
    "leaked": 0,
    "detached_threads": 7,
    "after_fork": 9,
    "copy_threads": 0,
}
ON_A_GPU = {"kernel_fault": 12}
ON_CUDA = {"after_reset": 10, "after_reset_and_reuse": 11}  # HIP has no call by which a reset of others would be seen
SAYS = {"kernel_fault": "cannot be used again"}


def main():
    program, device, *without_kernels = sys.argv[1:]
    cases = dict(ANYWHERE)
    if device.startswith(("cuda", "hip")) and not without_kernels:
        cases.update(ON_A_GPU)
    if device.startswith("cuda"):
        cases.update(ON_CUDA)
    failures = 0
    for name, code in cases.items():
        try:
            done = subprocess.run([program, name, device], capture_output=True, text=True, timeout=60)
            got, stderr = done.returncode, done.stderr.strip()
        except subprocess.TimeoutExpired:
            got, stderr = "no end within 60 s", ""
        good = got == code and (SAYS[name] in stderr if name in SAYS else stderr == "")
        failures += not good
        print(f"{'ok' if good else 'WRONG':5} {name}: {got}" + ("" if good else f", not {code}; stderr: {stderr}"))
    print(f"{len(cases) - failures} of {len(cases)} ways to end are right on {device}")
    return failures != 0


sys.exit(main())
