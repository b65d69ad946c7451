#pragma once  // internal

#include <cstddef>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "core/value/tensor.h"

namespace isoshard {

/// What stands before the data of a `.npy` file.
struct NpyHeader {
  std::string descr;  ///< NumPy's type descriptor, unquoted; a list for structured types, as written
  bool fortran_order = false;
  Shape shape;
  size_t data_offset = 0;  ///< bytes from the start of the file
};

/// Parses magic, version and the dictionary (a Python literal with descr, fortran_order, shape); the error says what is
/// wrong as the rest of a sentence about the array. The element type is not looked at.
tl::expected<NpyHeader, std::string> parse_npy_header(std::span<const std::byte> bytes);

}  // namespace isoshard
