"""Exchanges generated .npy files with the C++ side: NumPy writes, Ferry reads, works and writes, NumPy reads.

Usage: npy_exchange.py EXCHANGE_PROGRAM
The environment's FERRY_SEED replays a run, FERRY_CASES changes the number of cases.
"""
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np
from numpy.lib import format as npy_format

from samples import random_array, random_record, random_scalar, random_values

SEED = int(os.environ.get("FERRY_SEED", "20261201"))
CASES = int(os.environ.get("FERRY_CASES", "1500"))

NUMBERS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
           "float64", "longdouble", "complex64", "complex128"]


def same(expected, actual):
    """Types, byte order included, and values bit for bit; bytes between fields do not count."""
    if expected.shape != actual.shape or expected.dtype.names != actual.dtype.names:
        return False
    if expected.dtype.itemsize != actual.dtype.itemsize:
        return False
    if expected.dtype.names is not None:
        return all(expected.dtype.fields[n][1] == actual.dtype.fields[n][1] and same(expected[n], actual[n])
                   for n in expected.dtype.names)
    if expected.dtype != actual.dtype:
        return False
    if expected.dtype.char in "gG":  # bytes that pad a long double count no more than those between fields
        return np.array_equal(expected, actual, equal_nan=True)
    return np.ascontiguousarray(expected).tobytes() == np.ascontiguousarray(actual).tobytes()


def write(path, array, rng):
    version = [None, (1, 0), (2, 0), (3, 0)][rng.integers(4)]
    with open(path, "wb") as file:
        try:
            npy_format.write_array(file, array, version=version)
        except (UnicodeEncodeError, ValueError):  # a name that needs UTF-8 has one version only
            file.seek(0)
            file.truncate()
            npy_format.write_array(file, array, version=(3, 0))


def anything(rng, shape, dtype):
    """Values of all magnitudes, and all that are special."""
    if dtype.kind in "biu":
        return random_values(rng, shape, dtype)
    if dtype.kind == "c":
        part = dtype.type(0).real.dtype
        return anything(rng, shape, part) + dtype.type(1j) * anything(rng, shape, part)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 65519.0, 65520.0, 2.0**-25, 3 * 2.0**-25, 1 + 2.0**-11, 1e300, -1e-300]
    values = rng.standard_normal(shape) * 10.0 ** rng.integers(-45, 45, shape)
    values = np.where(rng.random(shape) < 0.3, rng.choice(special, shape), values)
    return np.where(rng.random(shape) < 0.3, rng.standard_normal(shape) * 1000, values).astype(dtype)


def in_range(rng, shape, source, target):
    """Values that an integer holds when their fraction is gone."""
    low, high = (0, 120) if target.kind == "u" else (-100, 100)
    values = rng.integers(low, high, shape) + rng.random(shape)
    if source.kind == "c":
        values = values + 1j * rng.random(shape)
    return np.asarray(values).astype(source)


def steps_for(rng, array):
    """Random steps, and what they make of the array; its byte order stays unless a step says otherwise."""
    steps, expected = [], array
    if rng.random() < 0.3:
        steps.append("map")
    if expected.dtype.names and rng.random() < 0.3:
        which = int(rng.integers(len(expected.dtype.names)))
        steps.append(f"field:{which}")
        expected = expected[expected.dtype.names[which]]
    for step in rng.permutation(["transpose", "reverse", "step", "native", "device"]):
        if rng.random() > 0.3:
            continue
        steps.append(step)
        if step == "transpose":
            expected = expected.T
        elif step == "reverse":
            expected = expected[(...,) + (slice(None, None, -1),) * expected.ndim]
        elif step == "step":
            expected = expected[(...,) + (slice(None, None, 2),) * expected.ndim]
        else:
            expected = expected.astype(expected.dtype.newbyteorder("="))
    return ",".join(steps or ["copy"]), expected


def conversion(rng):
    """Two types, and values whose conversion C++ and NumPy define alike: all but numbers that no integer holds."""
    source, target = (np.dtype(NUMBERS[rng.integers(len(NUMBERS))]) for _ in range(2))
    shape = tuple(int(n) for n in rng.integers(1, 6, rng.integers(0, 4)))
    with np.errstate(all="ignore"):
        restricted = source.kind in "fc" and target.kind in "iu"
        array = in_range(rng, shape, source, target) if restricted else anything(rng, shape, source)
        array = np.asarray(array)
        expected = array.real if source.kind == "c" and target.kind not in "cb" else array
        expected = expected.astype(target)
    if rng.random() < 0.3:
        array = array.astype(array.dtype.newbyteorder())
    return array, "astype:" + target.name.replace("float128", "longdouble"), expected


def same_numbers(expected, actual):
    """As same(), but one NaN is like the other."""
    if expected.dtype != actual.dtype or expected.shape != actual.shape:
        return False
    if expected.dtype.kind == "c":
        return same_numbers(expected.real, actual.real) and same_numbers(expected.imag, actual.imag)
    if not np.array_equal(expected, actual, equal_nan=expected.dtype.kind == "f"):
        return False
    real = expected.dtype.kind == "f"
    return not real or np.array_equal(np.signbit(expected) & ~np.isnan(expected), np.signbit(actual) & ~np.isnan(actual))


def check(path, expected, alike):
    """What is wrong with the file that Ferry wrote, or None."""
    actual = np.load(path)
    if not alike(np.asarray(expected), actual):
        return f"expected {np.asarray(expected)!r}, got {actual!r}"
    with open(path, "rb") as file:
        file.seek(6)
        wide = file.read(2)[0] > 1
        length = int.from_bytes(file.read(4 if wide else 2), "little")
        fortran = b"'fortran_order': True" in file.read(length)
        if file.tell() % 64 != 0:
            return f"data starts at byte {file.tell()}"
    if fortran and actual.flags.c_contiguous and actual.size > 0:
        return "written in F order though C order would do"
    return None


def main():
    rng = np.random.default_rng(SEED)
    warnings.simplefilter("ignore", UserWarning)  # of names that need version 3
    print(f"seed {SEED}, {CASES} cases (replay: FERRY_SEED={SEED} FERRY_CASES={CASES})", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        jobs = []
        for case in range(CASES):
            path = f"{folder}/{case}.npy"
            if case % 4 == 3:
                array, command, expected = conversion(rng)
            else:
                array = random_array(rng, random_record(rng) if rng.random() < 0.5 else random_scalar(rng))
                command, expected = steps_for(rng, array)
            write(path, array, rng)
            jobs.append((command, path, path + ".out", array.dtype, expected))
        text = "".join(f"{command} {path} {out}\n" for command, path, out, _, _ in jobs)
        answers = subprocess.run([sys.argv[1]], input=text, capture_output=True, text=True, check=True).stdout.splitlines()
        assert len(answers) == len(jobs), "the C++ side stopped early"
        failed = 0
        for case, ((command, _, out, dtype, expected), answer) in enumerate(zip(jobs, answers)):
            problem = answer if answer != "ok" else check(out, expected, same_numbers if "astype" in command else same)
            if problem is not None:
                failed += 1
                print(f"case {case}: {command} on {dtype} {np.shape(expected)}: {problem}")
        print(f"{len(jobs) - failed} passed, {failed} failed")
        sys.exit(1 if failed else 0)


main()
