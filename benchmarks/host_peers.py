"""The rows of host_copies for NumPy in this process, beside Ferry's, as one table.

Usage: host_peers.py HOST_COPIES RESULT.json
"""
import json
import statistics
import subprocess
import sys
import time

import numpy as np

VIEWS = {
    "dense/8192x4096/float": ((8192, 4096), "float32", lambda a: a),
    "transpose/4096x4096/float": ((4096, 4096), "float32", lambda a: a.T),
    "transpose/4095x4093/float": ((4095, 4093), "float32", lambda a: a.T),
    "transpose/4096x4096/double": ((4096, 4096), "float64", lambda a: a.T),
    "transpose/8192x8192/uint8": ((8192, 8192), "uint8", lambda a: a.T),
    "permute(2,0,1)/256x512x256/float": ((256, 512, 256), "float32", lambda a: a.transpose(2, 0, 1)),
    "permute(3,2,1,0)/64x64x64x64/float": ((64, 64, 64, 64), "float32", lambda a: a.transpose(3, 2, 1, 0)),
    "slice[1:-1,1:-1]/4096x4096/float": ((4096, 4096), "float32", lambda a: a[1:-1, 1:-1]),
    "slice[::2,:]/4096x4096/float": ((4096, 4096), "float32", lambda a: a[::2]),
    "slice[:,::2]/4096x4096/float": ((4096, 4096), "float32", lambda a: a[:, ::2]),
    "slice[:,::-1]/4096x4096/float": ((4096, 4096), "float32", lambda a: a[:, ::-1]),
}


def numpy_rate(shape, dtype, view, repeats=20):
    source = view(np.random.default_rng(1).integers(0, 255, shape, dtype=np.uint8).astype(dtype))
    target = np.empty(source.shape, source.dtype)
    target[...] = source
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        target[...] = source
        times.append(time.perf_counter() - start)
    return 2 * target.nbytes / statistics.median(times) / 1e9


def main():
    program, result = sys.argv[1:]
    ferry = json.loads(subprocess.run([program, "--benchmark_format=json"], capture_output=True, text=True,
                                      check=True).stdout)
    peers = {name: numpy_rate(*row) for name, row in VIEWS.items()}
    json.dump({"ferry": ferry, "numpy": peers}, open(result, "w"), indent=1)
    print(f"{'work':40} {'threads':>7} {'Ferry':>7} {'of memcpy':>9} {'NumPy':>7} {'ratio':>6}")
    for row in ferry["benchmarks"]:
        name, threads = row["name"].split("/iterations")[0].rsplit("/", 1)
        if "error_message" in row:
            print(f"{name:40} {row['error_message']}")
            continue
        rate, peer = row["GB/s"], peers[name]
        print(f"{name:40} {threads:>7} {rate:7.2f} {row['of_memcpy']:9.2f} {peer:7.2f} {rate / peer:6.2f}")


main()
