"""Exchanges generated .npy files with the C++ side: NumPy writes, Ferry reads, works and writes, NumPy reads.

Usage: npy_exchange.py EXCHANGE_PROGRAM
The environment's FERRY_SEED replays a run, FERRY_CASES changes the number of cases.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
from numpy.lib import format as npy_format

SEED = int(os.environ.get("FERRY_SEED", "20261201"))
CASES = int(os.environ.get("FERRY_CASES", "700"))

SCALARS = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", "S1", "S5", "V3", "f16"]
NUMBERS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
           "float64", "longdouble", "complex64", "complex128"]


def random_scalar(rng, native=False):
    code = SCALARS[rng.integers(len(SCALARS))]
    return np.dtype(("<" if native or rng.random() < 0.7 else ">") + code)


def random_record(rng, depth=0):
    """Nested, with sub-arrays, packed, aligned or with gaps of any size."""
    names, formats, offsets, end = [], [], [], 0
    for k in range(rng.integers(1, 6)):
        kind = random_record(rng, depth + 1) if depth < 2 and rng.random() < 0.2 else random_scalar(rng)
        if rng.random() < 0.25:
            kind = np.dtype((kind, tuple(int(n) for n in rng.integers(1, 4, rng.integers(1, 3)))))
        names.append("n" + "ab_é'\\"[rng.integers(6)] * int(rng.integers(0, 2)) + str(k))
        formats.append(kind)
        end += int(rng.integers(0, 4)) if rng.random() < 0.4 else 0
        offsets.append(end)
        end += kind.itemsize
    if rng.random() < 0.3:
        return np.dtype(list(zip(names, formats)))
    if rng.random() < 0.3:
        return np.dtype(list(zip(names, formats)), align=True)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets,
                     "itemsize": end + int(rng.integers(0, 5))})


def random_array(rng, dtype):
    shape = tuple(int(n) for n in rng.integers(0 if rng.random() < 0.15 else 1, 6, rng.integers(0, 6)))
    count = int(np.prod(shape, dtype=np.int64))
    data = np.frombuffer(rng.bytes(count * dtype.itemsize), np.uint8).copy()
    array = np.zeros(count, dtype)
    if not dtype.hasobject and count:
        array = np.frombuffer(data.tobytes(), dtype).copy()
    for leaf in leaves(array):
        # Bytes that are no value of their type: a bool is 0 or 1, and the padding of a long double is nobody's.
        if leaf.dtype.kind == "b":
            leaf[...] = leaf.view(np.uint8) & 1
        if leaf.dtype.kind == "f" and leaf.dtype.itemsize == 16:
            leaf[...] = rng.standard_normal(leaf.shape).astype(leaf.dtype)
    array = array.reshape(shape)
    return np.asfortranarray(array) if rng.random() < 0.5 and array.ndim else array


def leaves(array):
    if array.dtype.names is None:
        yield array
    else:
        for name in array.dtype.names:
            yield from leaves(array[name])


def same(expected, actual):
    """Values bit for bit, and types but for byte order; bytes between fields do not count."""
    if expected.shape != actual.shape or expected.dtype.names != actual.dtype.names:
        return False
    if expected.dtype.itemsize != actual.dtype.itemsize:
        return False
    if expected.dtype.names is not None:
        return all(expected.dtype.fields[n][1] == actual.dtype.fields[n][1] and same(expected[n], actual[n])
                   for n in expected.dtype.names)
    if expected.dtype.newbyteorder("=") != actual.dtype.newbyteorder("="):
        return False
    if expected.dtype.kind == "f" and expected.dtype.itemsize == 16:
        return np.array_equal(expected.astype(expected.dtype.newbyteorder("=")), actual, equal_nan=True)
    native = expected.astype(expected.dtype.newbyteorder("="))
    return np.ascontiguousarray(native).tobytes() == np.ascontiguousarray(actual).tobytes()


def write(path, array, rng):
    version = [None, (1, 0), (2, 0), (3, 0)][rng.integers(4)]
    with open(path, "wb") as file:
        try:
            npy_format.write_array(file, array, version=version)
        except (UnicodeEncodeError, ValueError):  # a name that needs UTF-8 has one version only
            file.seek(0)
            file.truncate()
            npy_format.write_array(file, array, version=(3, 0))


def in_range(rng, source, target):
    """Values that both types hold, where C++ and NumPy agree by definition; the rest is settled by unit tests."""
    source, target = np.dtype(source), np.dtype(target)
    shape = tuple(int(n) for n in rng.integers(1, 6, rng.integers(0, 4)))
    if source.kind == "b":
        return rng.integers(0, 2, shape).astype(source)
    low, high = -100, 100
    if source.kind == "u" or (target.kind == "u" and source.kind in "fc"):
        low = 0
    values = rng.integers(low, high, shape)
    if source.kind in "fc":
        values = values + rng.random(shape)
        if source.kind == "c":
            values = values + 1j * rng.random(shape)
    return np.asarray(values).astype(source)


def steps_for(rng, array):
    steps = [s for s in ("transpose", "reverse", "step", "device") if rng.random() < 0.35] or ["copy"]
    expected = array
    for step in steps:
        if step == "transpose":
            expected = expected.T
        elif step == "reverse":
            expected = expected[(...,) + (slice(None, None, -1),) * expected.ndim]
        elif step == "step":
            expected = expected[(...,) + (slice(None, None, 2),) * expected.ndim]
    return ",".join(steps), expected


def main():
    rng = np.random.default_rng(SEED)
    print(f"seed {SEED}, {CASES} cases (replay: FERRY_SEED={SEED} FERRY_CASES={CASES})", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        jobs = []
        for case in range(CASES):
            path = f"{folder}/{case}.npy"
            if case % 3 == 2:
                source, target = NUMBERS[rng.integers(len(NUMBERS))], NUMBERS[rng.integers(len(NUMBERS))]
                array = in_range(rng, source, target)
                with np.errstate(all="ignore"):
                    expected = (array.real if array.dtype.kind == "c" and np.dtype(target).kind not in "cb" else array)
                    expected = expected.astype(target)
                command = "astype:" + target
            else:
                array = random_array(rng, random_record(rng) if rng.random() < 0.4 else random_scalar(rng))
                command, expected = steps_for(rng, array)
            write(path, array, rng)
            jobs.append((command, path, path + ".out", array.dtype, expected))
        text = "".join(f"{command} {path} {out}\n" for command, path, out, _, _ in jobs)
        answers = subprocess.run([sys.argv[1]], input=text, capture_output=True, text=True, check=True).stdout.splitlines()
        assert len(answers) == len(jobs), "the C++ side stopped early"
        failed = 0
        for case, ((command, path, out, dtype, expected), answer) in enumerate(zip(jobs, answers)):
            problem = None if answer == "ok" else answer
            if problem is None:
                actual = np.load(out)
                if not same(np.asarray(expected), actual):
                    problem = f"expected {np.asarray(expected)!r}, got {actual!r}"
                with open(out, "rb") as file:
                    version = npy_format.read_magic(file)
                    _, fortran, _ = npy_format._read_array_header(file, version)
                    if file.tell() % 64 != 0:
                        problem = f"data starts at byte {file.tell()}"
                if problem is None and fortran and actual.flags.c_contiguous and actual.size > 0:
                    problem = "written in F order though C order would do"
            if problem is not None:
                failed += 1
                print(f"case {case}: {command} on {dtype}: {problem}")
        print(f"{len(jobs) - failed} passed, {failed} failed")
        sys.exit(1 if failed else 0)


main()
