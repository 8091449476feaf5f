"""The rows of gpu_copies for PyTorch, CuPy and Numba in this process, beside Ferry's, as one table.

Usage: gpu_peers.py GPU_COPIES RESULT.json. Peers that are not installed are left out.
"""
import json
import statistics
import subprocess
import sys
import time

import numpy as np

try:
    import torch
except ImportError:
    torch = None
try:
    import cupy
except ImportError:
    cupy = None
try:
    from numba import cuda as numba_cuda
except ImportError:
    numba_cuda = None


def device_time(work, repeats=20):
    work()
    times = []
    for _ in range(repeats):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        work()
        stop.record()
        stop.synchronize()
        times.append(start.elapsed_time(stop) / 1e3)
    return statistics.median(times)


def cupy_time(work, repeats=20):
    work()
    times = []
    for _ in range(repeats):
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        work()
        stop.record()
        stop.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, stop) / 1e3)
    return statistics.median(times)


def wall_time(work, synchronize, repeats=10):
    work()
    synchronize()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


VIEWS = {
    "transpose/16384x16384/float": ((16384, 16384), "float32", lambda a, m: a.T),
    "transpose/12288x12288/double": ((12288, 12288), "float64", lambda a, m: a.T),
    "transpose/32768x32768/uint8": ((32768, 32768), "uint8", lambda a, m: a.T),
    "transpose/4000000x64/float": ((4_000_000, 64), "float32", lambda a, m: a.T),
    "transpose/16383x16381/float": ((16383, 16381), "float32", lambda a, m: a.T),
    "permute(2,0,1)/512x1024x512/float": ((512, 1024, 512), "float32", lambda a, m: m(a, (2, 0, 1))),
    "permute(2,1,0)/512x1024x512/float": ((512, 1024, 512), "float32", lambda a, m: m(a, (2, 1, 0))),
    "permute(3,2,1,0)/96x128x96x112/double": ((96, 128, 96, 112), "float64", lambda a, m: m(a, (3, 2, 1, 0))),
    "slice[1:-1,1:-1]/16384x16384/float": ((16384, 16384), "float32", lambda a, m: a[1:-1, 1:-1]),
    "slice[::2,:]/16384x16384/float": ((16384, 16384), "float32", lambda a, m: a[::2]),
    "slice[:,::2]/16384x16384/float": ((16384, 16384), "float32", lambda a, m: a[:, ::2]),
}


def peer_rates():
    """GB/s by row and peer, counted as gpu_copies counts."""
    rates = {}
    for name, (shape, dtype, view) in VIEWS.items():
        row = rates.setdefault(name, {})
        if torch:
            t = torch.randint(0, 255, shape, dtype=torch.uint8, device="cuda").to(getattr(torch, dtype))
            v = view(t, lambda a, axes: a.permute(*axes))
            out = torch.empty(v.shape, dtype=v.dtype, device="cuda")
            row["torch"] = 2 * out.nbytes / device_time(lambda: out.copy_(v)) / 1e9
            del t, v, out
            torch.cuda.empty_cache()
        if cupy:
            c = cupy.random.randint(0, 255, shape, dtype="uint8").astype(dtype)
            v = view(c, lambda a, axes: a.transpose(axes))
            out = cupy.empty(v.shape, dtype=v.dtype)
            row["cupy"] = 2 * out.nbytes / cupy_time(lambda: cupy.copyto(out, v)) / 1e9
            del c, v, out
            cupy.get_default_memory_pool().free_all_blocks()
    generator = np.random.default_rng(1)
    big = generator.integers(0, 255, 256 << 20, dtype=np.uint8)
    square = generator.random((8192, 8192), dtype=np.float32)
    hosts = {
        "to_device/pageable/256MiB": big,
        "to_device/every_second_column/8192x8192/float": square[:, ::2],
        "to_device/transposed/8192x8192/float": square.T,
    }
    for name, host in hosts.items():
        row = rates.setdefault(name, {})
        if torch:
            source = torch.from_numpy(host) if host.flags.c_contiguous else torch.as_tensor(host)
            out = torch.empty(host.shape, dtype=source.dtype, device="cuda")
            row["torch"] = host.nbytes / wall_time(lambda: out.copy_(source), torch.cuda.synchronize) / 1e9
        if cupy:
            out = cupy.empty(host.shape, dtype=host.dtype)
            row["cupy"] = host.nbytes / wall_time(lambda: out.set(np.ascontiguousarray(host)),
                                                  cupy.cuda.runtime.deviceSynchronize) / 1e9
        if numba_cuda:
            try:
                out = numba_cuda.device_array(host.shape, host.dtype)
                row["numba"] = host.nbytes / wall_time(lambda: out.copy_to_device(host), numba_cuda.synchronize) / 1e9
            except ValueError:
                row["numba"] = None  # refuses strided arrays
    row = rates.setdefault("to_host/pageable_touched/256MiB", {})
    if torch:
        d, h = torch.from_numpy(big).cuda(), torch.empty(big.shape, dtype=torch.uint8)
        row["torch"] = big.nbytes / wall_time(lambda: h.copy_(d), torch.cuda.synchronize) / 1e9
    if cupy:
        d, h = cupy.asarray(big), np.empty_like(big)
        row["cupy"] = big.nbytes / wall_time(lambda: d.get(out=h), cupy.cuda.runtime.deviceSynchronize) / 1e9
    if numba_cuda:
        d, h = numba_cuda.to_device(big), np.empty_like(big)
        row["numba"] = big.nbytes / wall_time(lambda: d.copy_to_host(h), numba_cuda.synchronize) / 1e9
    return rates


def main():
    program, result = sys.argv[1:]
    ferry = json.loads(subprocess.run([program, "--benchmark_format=json"], capture_output=True, text=True,
                                      check=True).stdout)
    peers = peer_rates()
    json.dump({"ferry": ferry, "peers": peers}, open(result, "w"), indent=1)
    print(f"{'work':48} {'Ferry':>9} {'of limit':>8} {'torch':>8} {'cupy':>8} {'numba':>8}")
    for row in ferry["benchmarks"]:
        name = row["name"].split("/iterations")[0].removesuffix("/manual_time")
        if "error_message" in row:
            print(f"{name:48} {row['error_message']}")
            continue
        if "GB/s" not in row:
            print(f"{name:48} {row['real_time']:9.1f} {row['time_unit']}")
            continue
        share = row.get("of_memcpy", row.get("of_pinned_link"))
        others = peers.get(name, {})
        texts = [f"{others[p]:8.1f}" if others.get(p) else f"{'-':>8}" for p in ("torch", "cupy", "numba")]
        print(f"{name:48} {row['GB/s']:9.1f} {share:8.2f} {' '.join(texts)}")


main()
