#pragma once  // internal

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/support/result_fwd.h"
#include "core/value/tensor.h"

namespace isoshard {

/// The descriptors `read_npy` accepts, for messages: `|b1 (pred), <i4 (i32), ...`.
std::string accepted_npy_dtypes();

/// The array in `bytes`, a whole `.npy` file (NumPy's format 1.0, 2.0 and 3.0, C or Fortran order).
///
/// Messages start with `subject`, for example `in.npz: array "x"`. Fails with N-header (not that format), N-dtype (an
/// element type outside kDTypes, or big-endian), N-size (data of another length than the header says) or N-pred.
Result<Tensor> read_npy(std::span<const std::byte> bytes, const std::string& subject);

/// `tensor` as a `.npy` file of format 1.0 in C order; equal tensors give equal bytes.
std::vector<std::byte> write_npy(const Tensor& tensor);

}  // namespace isoshard
