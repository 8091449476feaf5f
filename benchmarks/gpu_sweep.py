"""Copies within a GPU of many sizes, ranks, orders and element sizes, beside PyTorch and CuPy: where is Ferry slower?

Usage: gpu_sweep.py GPU_SWEEP RESULT.json [--quick]. Peers that are not installed are left out, and so are element sizes
that they do not have. Times are of the device, between two events; of short copies a batch is queued between them.
"""
import itertools
import json
import math
import random
import statistics
import subprocess
import sys
import tempfile

try:
    import torch
except ImportError:
    torch = None
try:
    import cupy
except ImportError:
    cupy = None

TORCH = {1: "uint8", 2: "int16", 4: "float32", 8: "float64", 16: "complex128"}
CUPY = {1: "uint8", 2: "uint16", 4: "float32", 8: "float64", 16: "complex128"}


def case(itemsize, extents, axes=None, steps=None):
    axes = list(range(len(extents)))[::-1] if axes is None else list(axes)
    steps = [1] * len(extents) if steps is None else list(steps)
    size = itemsize * math.prod(-(-extents[a] // s) for a, s in zip(axes, steps))
    return {"itemsize": itemsize, "extents": list(extents), "axes": axes, "steps": steps, "bytes": size,
            "batch": max(1, min(100, (16 << 20) // max(1, size)))}


def square(itemsize, size):
    edge = max(1, math.isqrt(size // itemsize))
    return case(itemsize, [edge, edge])


def all_cases(quick):
    draw = random.Random(1)
    largest = 26 if quick else 32
    cases = [square(4, 1 << power) for power in range(10, largest + 1, 2)]
    cases += [square(size, 1 << 28) for size in (1, 2, 4, 8, 12, 16, 24)]
    four = [96, 64, 80, 112]
    for size in (1, 4, 8) if quick else (1, 2, 4, 8, 16):
        cases += [case(size, four, axes) for axes in itertools.permutations(range(4))]
    for size in (1, 2, 4, 8, 12, 16, 24):
        cases.append(case(size, [8192, 4096], [0, 1], [1, 2]))
        cases.append(case(size, [8192, 4096], [0, 1], [2, 1]))
        cases.append(case(size, [8191, 4093]))
        cases.append(case(size, [1 << 20, 3]))
        cases.append(case(size, [3, 1 << 20]))
    for rank in range(2, 7):
        for _ in range(4 if quick else 12):
            extents = [draw.randint(2, 9) for _ in range(rank)]
            while math.prod(extents) < (1 << 24):
                extents[draw.randrange(rank)] *= 2
            axes = draw.sample(range(rank), rank)
            steps = [draw.choice((1, 1, 1, 2, 3)) for _ in range(rank)]
            cases.append(case(draw.choice((1, 2, 4, 8, 16)), extents, axes, steps))
    return cases


def name_of(one):
    return f"{'x'.join(map(str, one['extents']))} of {one['itemsize']} B, axes {one['axes']}, steps {one['steps']}"


def numbers(one):
    return " ".join(map(str, [one["itemsize"], one["batch"], len(one["extents"]), *one["extents"], *one["axes"],
                              *one["steps"]]))


def ferry_times(program, cases):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(map(numbers, cases)) + "\n")
        file.flush()
        lines = subprocess.run([program, file.name], capture_output=True, text=True, check=True).stdout.split("\n")
    if lines[0].startswith("skipped"):
        sys.exit(lines[0])
    wrong = [name_of(one) for one, line in zip(cases, lines) if not line.endswith("right")]
    if wrong:
        sys.exit("wrong results: " + "; ".join(wrong))
    return [float(line.split()[0]) for line in lines if line]


def view_of(array, one, permuted):
    return permuted(array, one["axes"])[tuple(slice(None, None, step) for step in one["steps"])]


def device_time(queue, elapsed, batch, repeats=20):
    queue(1)
    return statistics.median(elapsed(lambda: queue(batch)) / batch for _ in range(repeats))


def torch_time(one):
    if torch is None or one["itemsize"] not in TORCH:
        return None
    dtype = getattr(torch, TORCH[one["itemsize"]])
    source = torch.randint(0, 100, one["extents"], dtype=torch.uint8, device="cuda").to(dtype)
    view = view_of(source, one, lambda a, axes: a.permute(*axes))
    out = torch.empty(view.shape, dtype=dtype, device="cuda")

    def elapsed(work):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        work()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) / 1e3

    def queue(times):
        for _ in range(times):
            out.copy_(view)

    seconds = device_time(queue, elapsed, one["batch"])
    del source, view, out
    torch.cuda.empty_cache()
    return seconds


def cupy_time(one):
    if cupy is None or one["itemsize"] not in CUPY:
        return None
    source = cupy.random.randint(0, 100, one["extents"], dtype="uint8").astype(CUPY[one["itemsize"]])
    view = view_of(source, one, lambda a, axes: a.transpose(axes))
    out = cupy.empty(view.shape, dtype=view.dtype)

    def elapsed(work):
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        work()
        stop.record()
        stop.synchronize()
        return cupy.cuda.get_elapsed_time(start, stop) / 1e3

    def queue(times):
        for _ in range(times):
            cupy.copyto(out, view)

    seconds = device_time(queue, elapsed, one["batch"])
    del source, view, out
    cupy.get_default_memory_pool().free_all_blocks()
    return seconds


def main():
    program, result = sys.argv[1:3]
    cases = all_cases("--quick" in sys.argv)
    rows = [dict(one, ferry=seconds, torch=torch_time(one), cupy=cupy_time(one))
            for one, seconds in zip(cases, ferry_times(program, cases))]
    with open(result, "w") as file:
        json.dump(rows, file, indent=0)
    ratios = []
    print(f"{'work':64} {'GB/s':>8} {'us':>9} {'torch':>7} {'cupy':>7}   (times as long as Ferry)")
    for row in rows:
        peers = {peer: row[peer] / row["ferry"] for peer in ("torch", "cupy") if row[peer]}
        best = min(peers.values(), default=math.inf)
        ratios.append(best)
        texts = [f"{peers[peer]:7.2f}" if peer in peers else f"{'-':>7}" for peer in ("torch", "cupy")]
        print(f"{name_of(row):64} {2 * row['bytes'] / row['ferry'] / 1e9:8.1f} {row['ferry'] * 1e6:9.2f} "
              f"{' '.join(texts)}{'  SLOWER' if best < 0.95 else ''}")
    compared = [ratio for ratio in ratios if ratio < math.inf]
    print(f"{len(rows)} cases in all; slower than a peer by more than 5 %: {sum(r < 0.95 for r in compared)} of "
          f"{len(compared)} compared" + (f"; median advantage {statistics.median(compared):.2f}" if compared else ""))


main()
