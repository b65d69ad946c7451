#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/support/result_fwd.h"
#include "core/value/tensor.h"

namespace isoshard {

/// An array of an archive; `name` is without `.npy`.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// What `read_npz` refuses before it allocates anything (sizes in an archive are claims).
struct NpzLimits {
  uint64_t max_bytes = uint64_t{16} << 30;       ///< of all arrays of the archive together
  uint64_t max_ratio = 1000;                     ///< of inflated to stored bytes, per array and for the archive ...
  uint64_t free_inflation = uint64_t{16} << 20;  ///< ... once more than this many bytes come out
};

struct NpzWriteOptions {
  bool deflate = false;  ///< as numpy.savez_compressed; otherwise stored, as numpy.savez
};

/// The arrays of the `.npz` archive `path`, as written by numpy.savez or savez_compressed, in the archive's order.
///
/// Messages start with the path. Fails with N-open, N-magic (no archive), N-truncated, N-archive (damaged), N-member (a
/// file that is no array, encrypted or packed another way), N-duplicate, N-inflate (over `limits`), N-data (a member
/// that cannot be inflated or fails its checksum), and as read_npy().
Result<std::vector<NamedTensor>> read_npz(const std::string& path, const NpzLimits& limits = {});

/// As read_npz() of a file that holds `bytes`; `path` is what messages call it.
Result<std::vector<NamedTensor>> parse_npz(std::span<const std::byte> bytes, const std::string& path,
                                           const NpzLimits& limits = {});

/// Writes `arrays` to `path` in order, replacing it only when everything was written (see write_file()).
///
/// The bytes depend on names, values and options only (and on the version of zlib when deflated), not on time or user.
/// Needs about twice the memory of the arrays. Fails with N-duplicate, N-name or N-write.
Result<void> write_npz(const std::string& path, std::span<const NamedTensor> arrays, NpzWriteOptions options = {});

}  // namespace isoshard
