"""Runs the programs that are made of one page's C++ blocks, and compares what they print with what the page says.

run_blocks.py PAGE DEVICE FOLDER: the programs are in FOLDER.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from generate import stem
from pages import blocks_of, groups_of, root_folder


def pattern(text):
    """The regular expression that a page's text block stands for."""
    lines = []
    for line in text.rstrip("\n").split("\n"):
        if line.strip() == "…":
            lines.append(r"(?:.*\n)*?")
            continue
        line = re.escape(line.rstrip()).replace("…", ".*")
        lines.append(re.sub(r"0x[0-9a-f]+", "0x[0-9a-f]+", line) + r"[ \t]*\n")
    return "".join(lines)


class Runner:
    def __init__(self, device, programs, folder):
        self.device, self.programs, self.folder = device, programs, folder
        self.failures = []

    def fail(self, block, what, result):
        self.failures.append(block)
        print(f"{block.place}: {what}\n--- it printed\n{result.stdout}--- and to stderr\n{result.stderr}---")

    def run(self, name, arguments, group):
        """Runs a program as ./my_tests of a folder that the page's blocks share."""
        block = group[-1]
        expected = "".join(b.expected for b in group if b.expected is not None)
        link = self.folder / "my_tests"
        link.unlink(missing_ok=True)
        link.symlink_to(self.programs / name)
        environment = dict(os.environ, FERRY_DEVICE=self.device)
        result = subprocess.run(
            ["./my_tests", *arguments], cwd=self.folder, env=environment, text=True, capture_output=True, timeout=120
        )
        stops = block.marks.get("stops") == self.device
        if stops != (result.returncode != 0):
            self.fail(block, f"ended with {result.returncode}", result)
        elif not expected or ("stops" in block.marks and not stops):
            print(f"{block.place}: ran")
        elif stops and not re.search(pattern(expected), result.stderr):
            self.fail(block, f"the report is not the page's\n--- the page says\n{expected}", result)
        elif not stops and not re.fullmatch(pattern(expected), result.stdout.rstrip("\n") + "\n"):
            self.fail(block, f"the output is not the page's\n--- the page says\n{expected}", result)
        else:
            print(f"{block.place}: as the page says")


def main():
    page, device, programs = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    root = root_folder()
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(device, programs, pathlib.Path(folder))
        for number, group in enumerate(groups_of(root, page)):
            runner.run(stem(page), [str(number)], group)
        complete = [b for b in blocks_of(root, page) if b.language == "cpp" and b.is_tried and b.is_program]
        for number, block in enumerate(complete, 1):
            runner.run(f"{stem(page)}_program_{number}", [], [block])
    sys.exit(f"{len(runner.failures)} blocks failed" if runner.failures else 0)


if __name__ == "__main__":
    main()
