"""Pretty printers for gdb: Ferry's arrays with shape, strides and elements, shapes as tuples.

    (gdb) source share/gdb/ferry-gdb.py
    (gdb) print a
    $1 = ferry::HostArray<double> of shape (2, 3), strides (24, 8) = {{0, 1, 2}, {3, 4, 5}}

Elements are read in the debugged program's memory, along the strides; `set print elements` limits how many. Arrays in
device memory show where they lie, not what they hold. For an installed library the file goes to gdb's auto-load
directory under the library's name, or into a .gdbinit.
"""
import re

import gdb
import gdb.printing



def dims(value):
    """A ferry::Dims as a list of integers."""
    size = int(value["size_"])
    heap = value["heap_"]
    data = value["inline_"] if int(heap) == 0 else heap
    return [int(data[i]) for i in range(min(size, 64))]


def as_tuple(numbers):
    return "(%s,)" % numbers[0] if len(numbers) == 1 else "(" + ", ".join(str(n) for n in numbers) + ")"


def plain_name(type_):
    """The type without its inline namespace."""
    return re.sub(r"ferry::v\d+::", "ferry::", str(type_.strip_typedefs().unqualified()))


class DimsPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return as_tuple(dims(self.value))


class LayoutPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "shape %s, strides %s, %d-byte items at byte %d" % (
            as_tuple(dims(self.value["shape_"])), as_tuple(dims(self.value["strides_"])), int(self.value["itemsize_"]),
            int(self.value["offset_"]))


def head(value):
    """What every array shows: its type, shape and strides."""
    layout = value["handle_"]["layout"]
    return "%s of shape %s, strides %s" % (plain_name(value.type), as_tuple(dims(layout["shape_"])),
                                           as_tuple(dims(layout["strides_"])))


class Rows:
    """A part of an array below some axes, as nested braces."""

    def __init__(self, element, address, shape, strides, limit):
        self.element, self.address, self.shape, self.strides, self.limit = element, address, shape, strides, limit

    def text(self):
        if not self.shape:
            self.limit[0] -= 1
            try:
                return str(gdb.Value(self.address).cast(self.element.pointer()).dereference())
            except gdb.MemoryError:
                return "<cannot be read at 0x%x>" % self.address
        parts = []
        for i in range(self.shape[0]):
            if self.limit[0] <= 0:
                parts.append("...")
                break
            parts.append(Rows(self.element, self.address + i * self.strides[0], self.shape[1:], self.strides[1:],
                              self.limit).text())
        return "{" + ", ".join(parts) + "}"


class HostArrayPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        layout = self.value["handle_"]["layout"]
        shape, strides = dims(layout["shape_"]), dims(layout["strides_"])
        if 0 in shape:
            return head(self.value) + " = {}"
        address = int(self.value["handle_"]["base"]) + int(layout["offset_"])
        limit = [gdb.parameter("print elements") or 1 << 62]
        element = self.value.type.strip_typedefs().template_argument(0)
        return head(self.value) + " = " + Rows(element, address, shape, strides, limit).text()


class DeviceArrayPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        address = int(self.value["handle_"]["base"]) + int(self.value["handle_"]["layout"]["offset_"])
        return "%s at 0x%x of its device" % (head(self.value), address)


class DTypePrinter:
    KINDS = {"b": "bool", "i": "int%d", "u": "uint%d", "f": "float%d", "B": "bfloat%d", "c": "complex%d"}

    def __init__(self, value):
        self.value = value

    def to_string(self):
        kind, size = chr(int(self.value["kind_"])), int(self.value["itemsize_"])
        order = ">" if int(self.value["order_"]) else ""
        if kind in self.KINDS:
            name = self.KINDS[kind]
            return order + (name % (8 * size) if "%" in name else name)
        if kind == "U":
            return "%sunicode%d" % (order, size // 4)
        return {"S": "bytes%d", "V": "raw%d", "r": "record of %d bytes"}[kind] % size


class AnyArrayPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        address = int(self.value["handle_"]["base"]) + int(self.value["handle_"]["layout"]["offset_"])
        return "%s, elements %s at 0x%x" % (head(self.value), DTypePrinter(self.value["dtype_"]).to_string(), address)


def register():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("ferry")
    for name, printer in (("Dims", DimsPrinter), ("Layout", LayoutPrinter), ("DType", DTypePrinter),
                          ("AnyArray", AnyArrayPrinter)):
        printers.add_printer(name, r"^ferry::(v\d+::)?%s$" % name, printer)
    printers.add_printer("HostArray", r"^ferry::(v\d+::)?HostArray<.*>$", HostArrayPrinter)
    printers.add_printer("NDArray", r"^ferry::(v\d+::)?(NDArray|MappedArray|ManagedArray)<.*>$", DeviceArrayPrinter)
    gdb.printing.register_pretty_printer(gdb.current_objfile(), printers, replace=True)


register()
