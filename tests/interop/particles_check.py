"""Runs the example on each device named and compares its records with NumPy's own.

Usage: particles_check.py PARTICLES_PROGRAM DEVICE...
"""
import re
import subprocess
import sys
import tempfile

import numpy as np

COUNT, STEPS, TIME_STEP = 1003, 40, 0.01


def after(start, steps):
    p = start.copy()
    pull = TIME_STEP / p["mass"].astype(np.float64)[:, None]
    for _ in range(steps):
        p["velocity"] -= pull * p["position"]
        p["position"] += TIME_STEP * p["velocity"]
    return p


def energy(p):
    return (p["mass"].astype(np.float64)[:, None] * p["velocity"] ** 2 + p["position"] ** 2).sum() / 2


def main():
    program, devices = sys.argv[1], sys.argv[2:]
    for device in devices:
        with tempfile.TemporaryDirectory() as folder:
            command = [program, "--device", device, "--output", folder, "--count", str(COUNT), "--steps", str(STEPS)]
            printed = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout
            start, records, arrays = (np.load(f"{folder}/particles_{name}.npy") for name in ("start", "records", "arrays"))
        assert start.shape == (COUNT,) and start.dtype.names == ("position", "velocity", "mass", "number")
        assert (start["velocity"] == 0).all() and start["position"].std() > 0.5
        once, twice = after(start, STEPS), after(start, 2 * STEPS)
        assert np.abs(twice["position"] - once["position"]).max() > 0.1, "particles that do not move show nothing"
        for found, wanted in ((records, once), (arrays, twice)):
            np.testing.assert_array_equal(found["number"], np.arange(COUNT))
            np.testing.assert_array_equal(found["mass"], start["mass"])
            for member in ("position", "velocity"):
                np.testing.assert_allclose(found[member], wanted[member], rtol=1e-12, atol=1e-12)
        energies = [float(text) for text in re.findall(r"energy (\S+)", printed)]
        np.testing.assert_allclose(energies, [energy(once), energy(once), energy(twice)], rtol=1e-9)
        print(f"{device}: {COUNT} records agree with NumPy")


main()
