"""Lists the code objects for AMD GPUs in a program, and the kernels in each.

Usage: list_code_objects.py PROGRAM ARCHITECTURE... -- SOURCE...

Fails unless every kernel of the sources is in the code objects of each architecture.
A program holds bundles: the text __CLANG_OFFLOAD_BUNDLE__, the number of entries, and for each its offset from the
bundle's start, size, and name; entries for GPUs are ELF files, in which a kernel K has a descriptor K.kd.
"""
import re
import struct
import sys

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"


def bundles(data):
    at = data.find(MAGIC)
    while at >= 0:
        (count,) = struct.unpack_from("<Q", data, at + len(MAGIC))
        entry = at + len(MAGIC) + 8
        if count < 100:  # the text may also occur by itself
            for _ in range(count):
                offset, size, length = struct.unpack_from("<QQQ", data, entry)
                name = data[entry + 24 : entry + 24 + length].decode()
                entry += 24 + length
                if size > 0:
                    yield name, data[at + offset : at + offset + size]
        at = data.find(MAGIC, at + 1)


def kernels(elf):
    assert elf[:4] == b"\x7fELF" and elf[4] == 2, "not a 64-bit ELF file"
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    size, count = struct.unpack_from("<HH", elf, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, table + i * size) for i in range(count)]
    for _, kind, _, _, offset, length, link, _, _, step in sections:
        if kind != 11:  # dynamic symbols
            continue
        names = sections[link][4]
        for at in range(offset, offset + length, step):
            (name,) = struct.unpack_from("<I", elf, at)
            text = elf[names + name : elf.index(b"\0", names + name)].decode()
            if text.endswith(".kd"):
                yield text[:-3]


def declared(source):
    bounds = r"(?:__launch_bounds__\((?:[^()]|\([^()]*\))*\)\s*)?"
    with open(source) as file:
        return re.findall(r"__global__\s+" + bounds + r"void\s+" + bounds + r"(\w+)\s*\(", file.read())


def main():
    program, *rest = sys.argv[1:]
    split = rest.index("--")
    architectures, wanted = rest[:split], [kernel for source in rest[split + 1 :] for kernel in declared(source)]
    assert wanted, "no kernels in the sources"
    with open(program, "rb") as file:
        data = file.read()
    found = {}
    for name, code in bundles(data):
        if "amdgcn" in name:
            mine = list(kernels(code))
            found.setdefault(name.split("--")[-1].split(":")[0], []).extend(mine)
            print(f"{name}: {len(code)} bytes, {len(mine)} kernels")
    wrong = 0
    for architecture in architectures:
        for kernel in wanted:
            mangled = f"{len(kernel)}{kernel}"
            count = sum(mangled in name for name in found.get(architecture, []))
            print(f"{architecture}: {count} of {kernel}")
            wrong += count == 0
    return wrong != 0


sys.exit(main())
