"""Writes the archives of this folder with NumPy; run it in the folder as /usr/bin/python3 make.py.

The committed files came from NumPy 1.24.2 (Debian 12). tests/unit/npz_test.cc knows the values.
"""

import numpy as np

arrays = {
    "W": np.arange(6, dtype="<f4").reshape(2, 3) / 4,
    "double": np.array([0.1, -0.0, np.inf, np.nan], dtype="<f8"),
    "mask": np.array([True, False, True]),
    "index": np.array([[-(2**31)], [2**31 - 1]], dtype="<i4"),
    "scalar": np.array(2.5, dtype="<f4"),
    "empty": np.zeros((0, 4), dtype="<f4"),
    "group/über": np.array([7], dtype="<i4"),
}
np.savez("stored.npz", **arrays)
np.savez_compressed("deflated.npz", **arrays)
np.savez("fortran.npz", x=np.asfortranarray(np.arange(24, dtype="<i4").reshape(2, 3, 4)))
np.savez_compressed("zeros.npz", x=np.zeros(1 << 16))
np.savez("nothing.npz")
np.savez("int64.npz", step=np.arange(3))
