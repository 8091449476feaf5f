"""Tries the C++ blocks that a page says do not compile: check_refused.py COMPILER."""

import re
import subprocess
import sys

from generate import refused_source
from pages import blocks_of, page_names, root_folder


def main():
    root = root_folder()
    failures = tried = 0
    for page in page_names(root):
        for block in blocks_of(root, page):
            if "does not compile" not in block.marks:
                continue
            tried += 1
            command = [sys.argv[1], "-std=c++20", "-fsyntax-only", f"-I{root}/include", "-x", "c++", "-"]
            result = subprocess.run(command, input=refused_source(root, block), text=True, capture_output=True)
            errors = [line for line in result.stderr.splitlines() if "error:" in line]
            if not any(re.search(block.marks["does not compile"], line) for line in errors):
                failures += 1
                print(f"{block.place}: expected '{block.marks['does not compile']}', the compiler said\n{result.stderr}")
    print(f"{tried} blocks that must not compile, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
