"""Runs the example on each device named and compares its answer and its pictures with NumPy's own.

Usage: heat_check.py HEAT_PROGRAM DEVICE...
"""
import subprocess
import struct
import sys
import tempfile
import zlib

import numpy as np

ROWS, COLUMNS, STEPS, EVERY = 61, 83, 450, 90


def after(plate, steps):
    t = plate.copy()
    for _ in range(steps):
        around = t[:-2, 1:-1] + t[2:, 1:-1] + t[1:-1, :-2] + t[1:-1, 2:]
        within = t[1:-1, 1:-1] + 0.2 * (around - 4 * t[1:-1, 1:-1])
        t[1:-1, 1:-1] = within
    return t


def paeth(left, up, corner):
    estimate = left + up - corner
    return min((left, up, corner), key=lambda value: abs(estimate - value))


def read_gray_png(path):
    content = open(path, "rb").read()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    packed, at = b"", 8
    while at < len(content):
        length, kind = struct.unpack(">I4s", content[at:at + 8])
        body = content[at + 8:at + 8 + length]
        if kind == b"IHDR":
            columns, rows, depth, colours = struct.unpack(">IIBB", body[:10])
            assert (depth, colours) == (8, 0)
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    lines = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(rows, columns + 1)
    picture = np.zeros((rows + 1, columns + 1), int)  # with a row above and a column to the left of zeros
    for i in range(rows):
        kind = lines[i, 0]
        for j in range(columns):
            left, up, corner = (int(v) for v in (picture[i + 1, j], picture[i, j + 1], picture[i, j]))
            estimate = (0, left, up, (left + up) // 2, paeth(left, up, corner))[kind]
            picture[i + 1, j + 1] = (int(lines[i, j + 1]) + estimate) % 256
    return picture[1:, 1:]


def main():
    program, devices = sys.argv[1], sys.argv[2:]
    for device in devices:
        with tempfile.TemporaryDirectory() as folder:
            sizes = ["--rows", ROWS, "--columns", COLUMNS, "--steps", STEPS, "--every", EVERY]
            subprocess.run([program, "--device", device, "--output", folder, *map(str, sizes)], check=True)
            start, end = np.load(folder + "/heat_start.npy"), np.load(folder + "/heat_end.npy")
            frames = [read_gray_png(f"{folder}/heat_{k:04}.png") for k in range(STEPS // EVERY)]
        assert start.shape == end.shape == (ROWS, COLUMNS) and start.dtype == end.dtype == np.float64
        assert start.max() == 100 and start.min() == 0 and start[0].min() == 60
        np.testing.assert_allclose(end, after(start, STEPS), rtol=1e-12, atol=1e-12)
        for k, frame in enumerate(frames):
            # Rounding a value that lies on the edge between two integers may go either way; nothing else may differ.
            difference = np.abs(frame - after(start, (k + 1) * EVERY) * 2.55)
            assert difference.max() <= 0.5 + 1e-9, (k, difference.max())
        print(f"{device}: the plate and {len(frames)} pictures agree with NumPy")


main()
