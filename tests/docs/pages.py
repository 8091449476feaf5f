"""The project's Markdown pages and the fenced blocks in them.

What is to be done with a block stands in HTML comments right before it:

  <!-- continues -->                  the block goes on where the page's last C++ block has stopped
  <!-- with: CODE -->                 CODE is put before the block, for the test alone
  <!-- file scope -->                 declarations, put outside of any function
  <!-- throws: ShapeError -->         the block ends in this error; a text block after it is the error's text
  <!-- does not compile: MESSAGE -->  the compiler refuses the block with this message, a regular expression
  <!-- stops: sim -->                 on this device the process ends in a report; a text block after it is the report
  <!-- not tried: REASON -->          the block is left alone; the reason is shown by the test

A C++ block without any is the body of a function of its own, or with a main() a whole program. A text block after it is
what it prints (blocks that continue each other print all their texts), where … stands for anything, and any hexadecimal number for any other.
"""

import pathlib
import re
from dataclasses import dataclass, field

LANGUAGES = {"cpp", "text", "sh", "cmake"}
MARKS = {"continues", "with", "file scope", "throws", "does not compile", "stops", "not tried"}


class PageError(Exception):
    """Something on a page that no reader could make sense of, or no test could try."""


@dataclass
class Block:
    page: str
    line: int  # of the block's first line of content
    language: str
    text: str
    marks: dict = field(default_factory=dict)
    expected: str = None  # the text block after it

    @property
    def place(self):
        return f"{self.page}:{self.line}"

    @property
    def is_tried(self):
        return "not tried" not in self.marks

    @property
    def is_program(self):
        return re.search(r"\bint main\(", self.text) is not None


def page_names(root):
    """All pages, as paths relative to the root."""
    names = [n for n in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md") if (root / n).exists()]
    for folder in ("docs", "examples"):
        names += sorted(p.relative_to(root).as_posix() for p in (root / folder).rglob("*.md"))
    return names


def read_marks(text, place):
    """The comments at the end of `text`, which nothing but white space separates from the block."""
    marks = {}
    while found := re.search(r"<!--((?:(?!-->).)*)-->\s*\Z", text, re.S):
        name, _, value = found[1].strip().partition(":")
        if name not in MARKS:
            raise PageError(f"{place}: no such mark: {name}")
        marks[name] = value.strip()
        text = text[: found.start()]
    return marks


def blocks_of(root, name):
    text = (root / name).read_text(encoding="utf-8")
    blocks = []
    end = 0
    for fence in re.finditer(r"^```([^\n]*)\n(.*?)^```[^\S\n]*$", text, re.S | re.M):
        line = text.count("\n", 0, fence.start(2)) + 1
        language = fence[1].strip()
        if language not in LANGUAGES:
            raise PageError(f"{name}:{line}: a block must be one of {sorted(LANGUAGES)}, not '{language}'")
        block = Block(name, line, language, fence[2], read_marks(text[end : fence.start()], f"{name}:{line}"))
        end = fence.end()
        if language == "text" and block.is_tried:
            if not blocks or blocks[-1].language != "cpp" or blocks[-1].expected is not None:
                raise PageError(f"{block.place}: a text block that follows no C++ block is nobody's output")
            blocks[-1].expected = block.text
        else:
            blocks.append(block)
    if len(re.findall(r"^\s*```", text, re.M)) % 2:
        raise PageError(f"{name}: a block without an end")
    return blocks


def groups_of(root, name):
    """The functions of a page: lists of C++ blocks, of which all but the first continue."""
    groups = []
    for block in blocks_of(root, name):
        if block.language != "cpp" or not block.is_tried or block.is_program:
            continue
        if "file scope" in block.marks or "does not compile" in block.marks:
            continue
        if "continues" in block.marks:
            if not groups:
                raise PageError(f"{block.place}: there is nothing to continue")
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups


def root_folder():
    return pathlib.Path(__file__).resolve().parents[2]
