"""Compares what Ferry prints with what NumPy prints, character by character.

Usage: print_like_numpy.py PRINT_PROGRAM
The environment's FERRY_SEED replays a run, FERRY_CASES changes the number of cases.
"""
import os
import subprocess
import sys
import tempfile
import warnings
from itertools import zip_longest

import numpy as np

from samples import leaves, random_array, random_record, random_scalar, random_values

SEED = int(os.environ.get("FERRY_SEED", "20261201"))
NUMPY = tuple(int(part) for part in np.__version__.split(".")[:2])
CASES = int(os.environ.get("FERRY_CASES", "1500"))


def random_reals(rng, shape, dtype):
    """Numbers as people have them: few digits, many digits, mixed exponents, signs, infinities, NaN."""
    with np.errstate(all="ignore"):
        scale = 10.0 ** rng.integers(-12, 13) if rng.random() < 0.3 else 1.0
        values = rng.standard_normal(shape) * scale
        style = rng.random()
        if style < 0.2:
            values = np.round(values * 100)
        elif style < 0.4:
            values = np.round(values, int(rng.integers(0, 6)))
        elif style < 0.5:
            values = values * 10.0 ** rng.integers(-20, 20, shape)
        elif style < 0.55:
            values = np.abs(np.round(values * 1e7))
        if rng.random() < 0.2:
            values = np.where(rng.random(shape) < 0.3, rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], shape), values)
        return np.asarray(values).astype(dtype)


def fill(rng, array):
    for leaf in leaves(array):
        if leaf.dtype.kind == "f" and rng.random() < 0.8:
            leaf[...] = random_reals(rng, leaf.shape, leaf.dtype)
        elif leaf.dtype.kind == "c" and rng.random() < 0.9:
            leaf.real[...] = random_reals(rng, leaf.shape, leaf.real.dtype)
            leaf.imag[...] = random_reals(rng, leaf.shape, leaf.real.dtype)
        elif leaf.dtype.kind in "iu" and rng.random() < 0.7:
            leaf[...] = rng.integers(0, 100, leaf.shape) - (50 if leaf.dtype.kind == "i" else 0)
        elif leaf.dtype.kind == "S" and rng.random() < 0.8:
            leaf[...] = rng.choice([b"", b"a", b"it's", b'"', b"\\\n", b"x\0y", b"'\""], leaf.shape)
    return array


def large(rng):
    """More than a thousand elements, so that the middle is left out."""
    shapes = [(1001,), (1000,), (5000,), (40, 40), (7, 200), (200, 7), (6, 300), (10, 11, 12), (3, 4, 5, 60),
              (1001, 1), (1, 1001), (2, 3, 500), (500, 3, 2), (6,) * 4]
    return random_values(rng, shapes[rng.integers(len(shapes))], random_scalar(rng))


def has_short_floats(dtype):
    if dtype.names is not None:
        return any(has_short_floats(dtype.fields[name][0]) for name in dtype.names)
    if dtype.base.names is not None:
        return has_short_floats(dtype.base)
    return dtype.base.newbyteorder("=") in (np.float16, np.float32, np.complex64)


def prints_otherwise(array):
    """Whether this NumPy has rules of its own for the array. Ferry keeps to those of NumPy 1.14 to 1.26. Since 2.0, lone
    records and lone bytes are written with the digits and names that they have in Python; since 2.2, short floats turn
    to scientific notation as soon as they have more digits than they hold."""
    lone = NUMPY >= (2, 0) and array.ndim == 0 and (array.dtype.names is not None or array.dtype.kind == "S")
    return lone or (NUMPY >= (2, 2) and has_short_floats(array.dtype))


def every_half():
    return np.arange(65536, dtype=np.uint16).view(np.float16)


def cases(rng):
    # Each half stands alone once, since in one array the columns hide how many digits a number needs.
    for half in every_half()[::37]:
        yield np.array(half)
        yield np.array([half])
    for text in ("1e16", "9999999999999998", "1e15", "0.0001", "0.00009999", "1e-5", "123456789.0", "50331648", "100.5", "0.1", "1e300", "5e-324"):
        for kind in (np.float32, np.float64, np.longdouble, np.complex128):
            with np.errstate(all="ignore"):
                yield np.array(float(text)).astype(kind)
                yield np.array([float(text), 1.0]).astype(kind)
    for count in range(CASES):
        if count % 6 == 0:
            yield fill(rng, large(rng))
        else:
            yield fill(rng, random_array(rng, random_record(rng) if rng.random() < 0.4 else random_scalar(rng)))


def main():
    rng = np.random.default_rng(SEED)
    warnings.simplefilter("ignore", UserWarning)  # of names that need version 3
    print(f"seed {SEED} (replay: FERRY_SEED={SEED} FERRY_CASES={CASES})", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        jobs = []
        for case, array in enumerate(cases(rng)):
            if prints_otherwise(array):
                continue
            path = f"{folder}/{case}.npy"
            np.save(path, array)
            jobs.append((path, array))
        answer = subprocess.run([sys.argv[1]], input="".join(path + "\n" for path, _ in jobs), capture_output=True,
                                text=True, check=True).stdout
    texts = answer.split("\nend of array\n")
    assert len(texts) == len(jobs) + 1, "the C++ side stopped early"
    failed = 0
    for case, ((_, array), text) in enumerate(zip(jobs, texts)):
        with np.errstate(all="ignore"):
            expected = str(array)
        if text != expected:
            failed += 1
            if failed <= 10:
                lines = zip_longest(expected.split("\n"), text.split("\n"), fillvalue="(nothing)")
                line, (wanted, found) = next((k, pair) for k, pair in enumerate(lines) if pair[0] != pair[1])
                print(f"case {case}, {array.dtype} {array.shape}, line {line}:\n  NumPy {wanted}\n  Ferry {found}")
    print(f"{len(jobs) - failed} printed alike, {failed} not")
    sys.exit(1 if failed else 0)


main()
