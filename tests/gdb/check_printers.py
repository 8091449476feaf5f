"""Runs gdb on the sample program and compares what its variables are printed as.

Usage: check_printers.py GDB PRINTERS PROGRAM
"""
import re
import subprocess
import sys

EXPECTED = {
    "matrix": r"ferry::HostArray<double> of shape \(2, 3\), strides \(24, 8\) = \{\{0, 1, 2\}, \{3, 4, 5\}\}",
    "reversed": r"ferry::HostArray<double> of shape \(3, 2\), strides \(-8, 24\) = \{\{2, 5\}, \{1, 4\}, \{0, 3\}\}",
    "scalar": r"ferry::HostArray<int const> of shape \(\), strides \(\) = -?\d+",
    "empty": r"ferry::HostArray<float> of shape \(0, 3\), strides \(12, 4\) = \{\}",
    "large": r"ferry::HostArray<long> of shape \(1000,\), strides \(8,\) = \{0, 1, 2, 3, 4, 5, \.\.\.\}",
    "points": r"ferry::HostArray<.*Point> of shape \(1,\), strides \(8,\) = \{\{x = 1, y = 2\}\}",
    "device": r"ferry::NDArray<double> of shape \(2, 3\), strides \(24, 8\) at 0x[0-9a-f]+ of its device",
    "any": r"ferry::AnyArray of shape \(1,\), strides \(8,\), elements record of 8 bytes at 0x[0-9a-f]+",
    "none_at_all": r"\(\)",
    "one": r"\(7,\)",
    "nine": r"\(1, 2, 3, 4, 5, 6, 7, 8, 9\)",
    "swapped": r">float64",
    "layout": r"shape \(2, 3\), strides \(24, 8\), 8-byte items at byte 0",
    "unmade": r"ferry::HostArray<double> of shape \(0,\), strides \(\d+,\) = \{\}",
}


def main():
    gdb, printers, program = sys.argv[1:]
    commands = ["set confirm off", "set print elements 6", "set startup-with-shell off", f"source {printers}",
                "break stop_here", "run", "up"]
    commands += [f"print {name}" for name in EXPECTED]
    arguments = [gdb, "-nx", "-batch"]
    for command in commands:
        arguments += ["-ex", command]
    result = subprocess.run(arguments + [program], capture_output=True, text=True, timeout=120)
    if "ptrace: Operation not permitted" in result.stdout + result.stderr:
        print("SKIPPED: this machine does not let gdb trace a program")
        sys.exit(77)
    values = dict(zip(EXPECTED, re.findall(r"^\$\d+ = (.*)$", result.stdout, re.MULTILINE)))
    wrong = [name for name, pattern in EXPECTED.items() if not re.fullmatch(pattern, values.get(name, ""))]
    for name in wrong:
        print(f"{name}: expected {EXPECTED[name]}\n  printed {values.get(name, '(nothing)')}")
    if wrong:
        print(result.stdout[-3000:], result.stderr[-3000:], sep="\n--- stderr\n")
    sys.exit(1 if wrong else 0)


main()
