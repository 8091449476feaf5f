"""Runs the example on each device named and compares its answer with NumPy's own.

Usage: terrain_check.py TERRAIN_PROGRAM HEIGHTS.npy DEVICE...
"""
import subprocess
import sys
import tempfile

import numpy as np


def expected_relief(heights, row=92.6, column=74.3):
    h = heights.astype(np.float64)
    rows, columns = h.shape
    i, j = np.arange(rows), np.arange(columns)
    up, down = np.maximum(i - 1, 0), np.minimum(i + 1, rows - 1)
    left, right = np.maximum(j - 1, 0), np.minimum(j + 1, columns - 1)
    dz_dx = 2 * (h[:, right] - h[:, left]) / ((right - left) * column)
    dz_dy = 2 * (h[down] - h[up]) / ((down - up) * row)[:, None]
    light = np.maximum((dz_dx + dz_dy + 2**0.5) / 2, 0)
    return light**2 / (dz_dx**2 + dz_dy**2 + 1) * 255


def main():
    program, path, devices = sys.argv[1], sys.argv[2], sys.argv[3:]
    heights = np.load(path)
    for device in devices:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([program, "--device", device, "--input", path, "--output", folder], check=True)
            columns = np.load(folder + "/terrain_columns.npy")
            relief = np.load(folder + "/terrain_relief.npy")
            picture = open(folder + "/terrain_relief.png", "rb").read()
        assert columns.dtype == np.float64 and columns.shape == (3, heights.shape[1])
        np.testing.assert_array_equal(columns[0], heights.min(axis=0))
        np.testing.assert_array_equal(columns[1], heights.max(axis=0))
        np.testing.assert_allclose(columns[2], heights.mean(axis=0), rtol=1e-13)
        assert relief.dtype == np.uint8 and relief.shape == heights.shape
        # Rounding a value that lies on the edge between two integers may go either way; nothing else may differ.
        difference = np.abs(relief - expected_relief(heights))
        assert difference.max() <= 0.5 + 1e-9, difference.max()
        assert relief.std() > 20, "a relief without contrast shows nothing"
        assert picture.startswith(b"\x89PNG") and len(picture) > 10_000
        print(f"{device}: columns and relief agree with NumPy")


main()
