"""Checks what the pages say outside of C++: links, files, commands, options, environment variables.

check_text.py TARGETS: the names of the build's targets, separated by commas.
"""

import json
import re
import shlex
import sys

from pages import PageError, blocks_of, page_names, root_folder

# Commands of other people, of which the pages may show any use.
KNOWN_COMMANDS = {"cd", "git", "apt-get", "ctest", "python3", "clang-format", "clang-tidy", "cpack", "g++", "addr2line",
                  "xdg-open"}
# Folders that a path in the text may start from, beside the page's own.
STARTS = ("", "include", "include/ferry", "core", "backends")


class Checker:
    def __init__(self, root, targets):
        self.root, self.targets, self.failures = root, set(targets), 0
        code = [p for f in ("include", "core", "backends", "tools", "tests", "cmake", "examples", "benchmarks")
                for p in (root / f).rglob("*") if p.suffix in {".hpp", ".cpp", ".cu", ".cuh", ".cmake", ".sh", ".txt"}]
        self.code = "".join(p.read_text(encoding="utf-8") for p in code if "build" not in p.relative_to(root).parts)
        self.code += (root / "CMakeLists.txt").read_text() + (root / "dev").read_text()
        self.options = set(re.findall(r"(?:option|set)\((FERRY_\w+)", self.code))
        for backend in (root / "backends").glob("*/backend.cmake"):
            self.options.add(f"FERRY_{backend.parent.name.upper()}")
        self.presets = {p["name"] for p in json.loads((root / "CMakePresets.json").read_text())["configurePresets"]}
        dev = (root / "dev").read_text()
        gpu = (root / "tools/gpu.sh").read_text()
        self.dev = {
            "": set(re.findall(r"^  ([a-z]+)\)", dev, re.M)),
            "check": set(re.search(r"set -- (.*)", dev)[1].split()),
            "gpu": set(re.search(r"gpu_parts=\((.*)\)", gpu)[1].split()) | {"help"},
        }

    def fail(self, place, what):
        self.failures += 1
        print(f"{place}: {what}")

    def check(self, page):
        text = (self.root / page).read_text(encoding="utf-8")
        blocks = blocks_of(self.root, page)
        for block in blocks:
            if not block.is_tried:
                print(f"{block.place}: not tried: {block.marks['not tried']}")
            elif block.language == "sh":
                for number, line in enumerate(block.text.splitlines()):
                    self.check_command(f"{page}:{block.line + number}", line)
        prose = re.sub(r"^```.*?^```", lambda m: "\n" * m[0].count("\n"), text, flags=re.S | re.M)
        for number, line in enumerate(prose.splitlines(), 1):
            place = f"{page}:{number}"
            for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]+`", "", line)):
                self.check_link(place, page, target)
            for span in re.findall(r"`([^`]+)`", line):
                self.check_path(place, page, span)
                if span.startswith("./dev"):
                    self.check_command(place, span)
        for name in set(re.findall(r"\bFERRY_[A-Z_]*[A-Z]\b", text)):
            if not re.search(rf"\b{name}\b", self.code) and name not in self.options:
                self.fail(page, f"nothing in the code is called {name}")

    def check_link(self, place, page, target):
        if re.match(r"[a-z]+:", target):
            return
        path, _, anchor = target.partition("#")
        file = (self.root / page).parent / path if path else self.root / page
        if not file.exists():
            self.fail(place, f"there is no {path}")
        elif anchor and file.suffix == ".md":
            titles = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.M)
            slugs = {re.sub(r"[^\w -]", "", t.lower()).replace(" ", "-") for t in titles}
            if anchor not in slugs:
                self.fail(place, f"{path or page} has no heading #{anchor}")

    def check_path(self, place, page, span):
        if not re.fullmatch(r"[\w.-]+(/[\w.-]+)*/(\w[\w.-]*\.(hpp|cpp|cu|md|sh|py|cmake|npy|txt))?", span):
            return
        if span.startswith("build/"):
            return
        folders = [(self.root / page).parent, *(self.root / s for s in STARTS)]
        if not any((folder / span).exists() for folder in folders):
            self.fail(place, f"there is no {span}")

    def check_command(self, place, line):
        words = shlex.split(line, comments=True)
        for separator in ("&&", "|"):
            if separator in words:
                at = words.index(separator)
                self.check_words(place, words[:at])
                words = words[at + 1 :]
        self.check_words(place, words)

    def check_words(self, place, words):
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            words = words[1:]
        if not words:
            return
        command, arguments = words[0], words[1:]
        if command == "./dev":
            self.check_dev(place, arguments)
        elif command == "cmake":
            self.check_cmake(place, arguments)
        elif "/" in command:
            name = command.rsplit("/", 1)[1]
            if name not in self.targets and name != "my_tests" and not (self.root / command).exists():
                self.fail(place, f"nothing builds {command}")
        elif command not in KNOWN_COMMANDS:
            self.fail(place, f"what is {command}?")

    def check_dev(self, place, arguments):
        if not arguments:
            return
        if arguments[0] not in self.dev[""]:
            self.fail(place, f"./dev has no command {arguments[0]}")
        for word in arguments[1:]:
            if arguments[0] in self.dev and re.fullmatch("[a-z]+", word) and word not in self.dev[arguments[0]]:
                self.fail(place, f"./dev {arguments[0]} has no {word}")

    def check_cmake(self, place, arguments):
        for word, after in zip(arguments, [*arguments[1:], ""]):
            if option := re.match(r"-D(FERRY_\w+)=", word):
                if option[1] not in self.options:
                    self.fail(place, f"there is no option {option[1]}")
            elif word == "--preset" and after not in self.presets:
                self.fail(place, f"there is no preset {after}")
            elif word == "--target" and after not in self.targets:
                self.fail(place, f"there is no target {after}")


def main():
    root = root_folder()
    checker = Checker(root, sys.argv[1].split(","))
    pages = page_names(root)
    for page in pages:
        try:
            checker.check(page)
        except PageError as error:
            checker.fail(page, error)
    print(f"{len(pages)} pages, {checker.failures} failures")
    sys.exit(1 if checker.failures else 0)


if __name__ == "__main__":
    main()
