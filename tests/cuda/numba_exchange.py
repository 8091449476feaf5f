"""A Numba kernel writes Ferry arrays, and Ferry writes Numba's, in one process.

Usage: numba_exchange.py LIBRARY. Skips (exit code 77) where Numba or a GPU is missing.
"""
import ctypes
import sys

try:
    import numpy as np

    if not hasattr(np, "row_stack"):  # some versions of Numba's CUDA target still look for NumPy's former name
        np.row_stack = np.vstack
    from numba import cuda

    if not cuda.is_available():
        raise ImportError("no GPU")
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


class Fields(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("shape", ctypes.c_int64 * 2), ("strides", ctypes.c_int64 * 2),
                ("stream", ctypes.c_size_t)]

    @property
    def __cuda_array_interface__(self):
        return {"version": 3, "typestr": "<f4", "data": (self.data, False), "shape": tuple(self.shape),
                "strides": tuple(self.strides), "stream": self.stream}


library = ctypes.CDLL(sys.argv[1])
library.ferry_make.restype = Fields
library.ferry_make.argtypes = [ctypes.c_int64, ctypes.c_int64, ctypes.c_int, ctypes.c_int]
library.ferry_weighted_sum.restype = ctypes.c_double
library.ferry_reverse_rows.restype = ctypes.c_double
library.ferry_reverse_rows.argtypes = [ctypes.POINTER(Fields)]


@cuda.jit
def scale(array, factor):
    i, j = cuda.grid(2)
    if i < array.shape[0] and j < array.shape[1]:
        array[i, j] = array[i, j] * factor + j


def launch(array, factor):
    blocks = tuple((n + 15) // 16 for n in array.shape)
    scale[blocks, (16, 16)](array, factor)


def weighted(array):
    i, j = np.indices(array.shape)
    return float((array.astype(np.float64) * (1 + i * 7 + j * 13)).sum())


checks = 0
for rows, columns in [(1, 1), (3, 5), (100, 77), (640, 480)]:
    for transposed in (0, 1):
        for own_stream in (0, 1):
            fields = library.ferry_make(rows, columns, transposed, own_stream)
            expected = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
            expected = expected.T if transposed else expected
            theirs = cuda.as_cuda_array(fields)
            assert theirs.__cuda_array_interface__["data"][0] == fields.data, "no copy was made"
            np.testing.assert_array_equal(theirs.copy_to_host(), expected)
            launch(theirs, 2)
            cuda.synchronize()
            expected = expected * np.float32(2) + np.arange(expected.shape[1], dtype=np.float32)
            np.testing.assert_allclose(library.ferry_weighted_sum(), weighted(expected), rtol=1e-12)
            checks += 1

    for order in "CF":
        host = np.asarray(np.random.default_rng(rows).integers(0, 1000, (rows, columns)), dtype=np.float32, order=order)
        mine = cuda.to_device(host)
        launch(mine, 3)
        interface = mine.__cuda_array_interface__
        strides = interface["strides"] or mine.strides
        fields = Fields(interface["data"][0], (ctypes.c_int64 * 2)(*mine.shape), (ctypes.c_int64 * 2)(*strides), 1)
        expected = (host * np.float32(3) + np.arange(columns, dtype=np.float32))[::-1]
        np.testing.assert_allclose(library.ferry_reverse_rows(ctypes.byref(fields)), weighted(expected), rtol=1e-12)
        np.testing.assert_array_equal(mine.copy_to_host(), expected)
        checks += 1

library.ferry_forget()
print(f"{checks} exchanges between Ferry and Numba agree")
