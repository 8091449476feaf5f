"""Generated arrays of every type that Ferry reads, for the tests that compare it with NumPy."""
import numpy as np

SCALARS = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", "S1", "S5", "V3", "f16",
           "c32", "U3"]


WORDS = np.array(["", "a", "it's", '"', "'\"", "é", "日本", "\t\n", "\u200b", "\U0001f600", "x\0y", "\xa0", "\\"])


def random_scalar(rng, native=False):
    code = SCALARS[rng.integers(len(SCALARS))]
    return np.dtype(("<" if native or rng.random() < 0.7 else ">") + code)


def random_record(rng, depth=0, largest_sub_array=3):
    """Nested, with sub-arrays, packed, aligned or with gaps of any size."""
    names, formats, offsets, end = [], [], [], 0
    for k in range(rng.integers(1, 6)):
        nested = depth < 2 and rng.random() < 0.2
        kind = random_record(rng, depth + 1, largest_sub_array) if nested else random_scalar(rng)
        if rng.random() < 0.25:
            shape = rng.integers(0 if rng.random() < 0.1 else 1, largest_sub_array + 1, rng.integers(1, 3))
            kind = np.dtype((kind, tuple(int(n) for n in shape)))
        names.append("n" + ["a", "b_", "é", "'", "\\", "日本", "\t", "\u200b"][rng.integers(8)]
                     * int(rng.integers(0, 2)) + str(k))
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


def random_shape(rng, most=32):
    choice = rng.random()
    if choice < 0.1:
        return ()
    if choice < 0.14:  # as many axes as NumPy knows
        shape = [1] * most
        for axis in rng.integers(0, most, 4):
            shape[axis] = int(rng.integers(1, 4))
        return tuple(shape)
    return tuple(int(n) for n in rng.integers(0 if rng.random() < 0.15 else 1, 6, rng.integers(1, 6)))


def leaves(array):
    """Views of all scalars in an array of records."""
    if array.dtype.names is None:
        yield array
    else:
        for name in array.dtype.names:
            yield from leaves(array[name])


def random_values(rng, shape, dtype):
    """Any bytes, but no bytes that are no value: a bool is 0 or 1, and the padding of a long double is nobody's."""
    array = np.zeros(shape, dtype)
    if array.size and dtype.itemsize:
        array = np.frombuffer(rng.bytes(array.size * dtype.itemsize), dtype).copy().reshape(shape)
    for leaf in leaves(array):
        if leaf.dtype.kind == "b":
            leaf[...] = leaf.view(np.uint8) & 1
        if leaf.dtype.kind == "U":
            leaf[...] = rng.choice(WORDS, leaf.shape)
        if leaf.dtype.kind in "fc" and leaf.dtype.itemsize >= 16 and leaf.dtype.char in "gG":
            leaf[...] = rng.standard_normal(leaf.shape).astype(leaf.dtype)
    return array


def random_array(rng, dtype):
    # Sub-arrays add their axes to those of the array, and NumPy allows no more than 32.
    array = random_values(rng, random_shape(rng, 32 if dtype.names is None else 24), dtype)
    return np.asfortranarray(array) if rng.random() < 0.5 and array.ndim else array
