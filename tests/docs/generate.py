"""Writes the programs that are made of the pages' C++ blocks.

Run by CMake when it configures: generate.py FOLDER. Each line of the output is a page's name and a program's source.
"""

import pathlib
import re
import sys

from pages import PageError, blocks_of, groups_of, page_names, root_folder

HEADER = """// Made of {page} by tests/docs/generate.py.
#include <ferry/ferry.hpp>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <vector>
{includes}
using namespace ferry;
"""

MAIN = """
int main(int count, char** arguments) {
  const int wanted = count > 1 ? std::atoi(arguments[1]) : -1;
  try {
    switch (wanted) {
%s
      default: std::cerr << "there is no block " << wanted << "\\n"; return 2;
    }
  } catch (const std::exception& error) {
    std::cerr << "not expected: " << error.what() << "\\n";
    return 3;
  }
  return 0;
}
"""

INCLUDE = re.compile(r"^#include .*\n?", re.M)


def located(block):
    """A block's code, of whose lines the compiler speaks by the page's numbers."""
    code = INCLUDE.sub("\n", block.text)
    return f'{block.marks.get("with", "")}\n#line {block.line} "{block.page}"\n{code}'


def function(number, group):
    body = "".join(located(block) for block in group)
    error = group[-1].marks.get("throws")
    if any("throws" in block.marks for block in group[:-1]):
        raise PageError(f"{group[0].place}: nothing can continue a block that throws")
    if error:
        body = (
            f"try {{\n{body}\n}} catch (const {error}& docs_error) {{\n"
            '  std::cout << docs_error.what() << "\\n";\n  return;\n}\n'
            f'std::cerr << "{group[-1].place} throws no {error}\\n";\nstd::exit(4);\n'
        )
    return f"\nvoid docs_block_{number}();\nvoid docs_block_{number}() {{\n{body}}}\n"


def page_source(root, page):
    blocks = [b for b in blocks_of(root, page) if b.language == "cpp" and b.is_tried and not b.is_program]
    tried = [b for b in blocks if "does not compile" not in b.marks]
    groups = groups_of(root, page)
    if not tried:
        return None
    includes = "".join(i if i.endswith("\n") else i + "\n" for b in tried for i in INCLUDE.findall(b.text))
    text = HEADER.format(page=page, includes=includes)
    text += "".join(located(b) for b in tried if "file scope" in b.marks)
    text += "".join(function(i, group) for i, group in enumerate(groups))
    cases = "\n".join(f"      case {i}: docs_block_{i}(); break;" for i in range(len(groups)))
    return text + MAIN % cases


def refused_source(root, block):
    """A block that must not compile, after the declarations of its page."""
    scope = [b for b in blocks_of(root, block.page) if "file scope" in b.marks and b.line < block.line]
    includes = "".join(i for b in [*scope, block] for i in INCLUDE.findall(b.text))
    text = HEADER.format(page=block.page, includes=includes) + "".join(located(b) for b in scope)
    return text + f"\nvoid refused();\nvoid refused() {{\n{located(block)}}}\n"


def stem(page):
    return "docs_" + re.sub(r"\W", "_", page.removesuffix(".md").removeprefix("docs/")).lower()


def sources(root):
    """Pairs of a page and a file name, with the text of the file."""
    for page in page_names(root):
        text = page_source(root, page)
        if text:
            yield page, f"{stem(page)}.cpp", text
        programs = [b for b in blocks_of(root, page) if b.language == "cpp" and b.is_tried and b.is_program]
        for number, block in enumerate(programs, 1):
            yield page, f"{stem(page)}_program_{number}.cpp", f'#line {block.line} "{page}"\n{block.text}'


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for page, name, text in sources(root_folder()):
            path = folder / name
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
            print(f"{page}|{name}")
    except PageError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
