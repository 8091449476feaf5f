"""Runs a Kokkos program before and after it has adopted Ferry, and compares both with each other and with NumPy.

Usage: adopt_check.py ADOPT_BEFORE ADOPT_AFTER HEIGHTS.npy
"""
import subprocess
import sys
import tempfile

import numpy as np


def eroded(heights, steps):
    h = heights.astype(np.float64)
    for _ in range(steps):
        up, down = np.vstack([h[:1], h[:-1]]), np.vstack([h[1:], h[-1:]])
        left, right = np.hstack([h[:, :1], h[:, :-1]]), np.hstack([h[:, 1:], h[:, -1:]])
        h = h + 0.2 * (up + down + left + right - 4 * h)
    return h


def main():
    before, after, path = sys.argv[1:]
    heights = np.load(path)
    rows, columns = map(str, heights.shape)
    for steps in (0, 1, 20):
        with tempfile.TemporaryDirectory() as folder:
            raw_in, raw_out, npy_out = (f"{folder}/{name}" for name in ("in.raw", "out.raw", "out.npy"))
            heights.tofile(raw_in)
            subprocess.run([before, raw_in, rows, columns, raw_out, str(steps)], check=True)
            subprocess.run([after, path, npy_out, str(steps)], check=True)
            old, new = np.fromfile(raw_out).reshape(heights.shape), np.load(npy_out)
        assert new.dtype == np.float64 and new.shape == heights.shape
        np.testing.assert_array_equal(new, old)
        np.testing.assert_allclose(new, eroded(heights, steps), rtol=1e-12)
        assert steps == 0 or (new != heights).any()
    print("before and after agree with each other and with NumPy")


main()
