// Reads and writes the .npy format of NumPy (its versions 1.0 to 3.0). The header is parsed in npy_header.cc; here the
// dtype is looked up in the table of dtypes and the number of bytes compared with the shape, with overflow, before
// anything is allocated. Every refusal says what to do in NumPy about it. Column-major arrays are copied to row-major
// order with a counter of indices. What is written is version 1.0, row-major, padded to 64 bytes as NumPy does, so that
// equal arrays give equal bytes. Cost: one copy of the data. Source: numpy.lib.format.
#include "core/value/npy.h"

#include <bit>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/support/check.h"
#include "core/support/quoted.h"
#include "core/support/result.h"
#include "core/value/npy_header.h"

namespace isoshard {
namespace {

static_assert(std::endian::native == std::endian::little, "the .npy data is read and written as it lies in memory");

/// What to do about a type that is not accepted; `descr` is NumPy's descriptor.
std::string dtype_repair(std::string_view descr) {
  if (descr.starts_with('[')) return "structured; store one array per field";
  if (descr.size() < 2) return {};
  if (descr[0] == '>') {
    for (const DTypeInfo& row : kDTypes) {
      if (row.numpy.substr(1) == descr.substr(1)) {
        return "big-endian; convert with x.astype('" + std::string(row.numpy) + "')";
      }
    }
  }
  switch (descr[1]) {
    case 'O':
      return "Python objects; build it with a dtype";
    case 'i':
    case 'u':
      return "an integer; convert with x.astype('<i4')";
    case 'f':
      return "a float; convert with x.astype('<f4') or '<f8'";
    case 'V':
      return "raw bytes; |V2 is taken for bf16, |V1 for a float of 8 bits";
    case 'c':
      return "complex; store x.real and x.imag";
    default:
      return {};
  }
}

tl::unexpected<Diagnostic> unsupported_dtype(const std::string& subject, const std::string& descr) {
  const std::string repair = dtype_repair(descr);
  return failure("N-dtype", {},
                 subject + " has dtype " + quoted(descr, 40) + (repair.empty() ? "" : " (" + repair + ")") +
                     "; expected one of " + accepted_npy_dtypes());
}

std::optional<DType> dtype_of(std::string_view descr) {
  if (descr == "<V2") return DType::bf16;    // so ml_dtypes names it; NumPy itself says |V2
  if (descr == "<V1") return DType::f8e4m3;  // or f8e5m2: the bits do not tell, nor those of <u8 whether it is a key
  for (const DTypeInfo& row : kDTypes) {
    if (row.numpy == descr) return row.dtype;
  }
  return std::nullopt;
}

/// The bytes of an array, or nothing when that number, or the product of the sizes that are not 0, overflows.
std::optional<size_t> byte_count(const Shape& shape, size_t element_bytes) {
  int64_t product = static_cast<int64_t>(element_bytes);
  bool empty = false;
  for (const int64_t size : shape) {
    empty = empty || size == 0;
    if (size != 0 && __builtin_mul_overflow(product, size, &product)) return std::nullopt;
  }
  return empty ? 0 : static_cast<size_t>(product);
}

/// Copies `source`, whose first dimension varies fastest, to `target` in row-major order.
void transpose_fortran(const Shape& shape, size_t width, const std::byte* source, std::byte* target) {
  const size_t rank = shape.size();
  std::vector<size_t> stride(rank), index(rank, 0), extent(rank);
  size_t count = 1;
  for (size_t d = 0; d < rank; ++d) {
    extent[d] = static_cast<size_t>(shape[d]);
    stride[d] = count;
    count *= extent[d];
  }
  size_t from = 0;
  for (size_t to = 0; to < count; ++to) {
    std::memcpy(target + to * width, source + from * width, width);
    for (size_t d = rank; d-- > 0;) {
      from += stride[d];
      if (++index[d] < extent[d]) break;
      from -= stride[d] * extent[d];
      index[d] = 0;
    }
  }
}

/// The index of the first byte that is neither 0 nor 1, or nothing.
std::optional<size_t> first_not_bool(std::span<const std::byte> bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (std::to_integer<unsigned>(bytes[i]) > 1) return i;
  }
  return std::nullopt;
}

}  // namespace

std::string accepted_npy_dtypes() {
  std::string text;
  for (const DTypeInfo& row : kDTypes) {
    if (!text.empty()) text += ", ";
    text += std::string(row.numpy) + " (" + std::string(row.name) + ")";
  }
  return text;
}

Result<Tensor> read_npy(std::span<const std::byte> bytes, const std::string& subject) {
  const tl::expected<NpyHeader, std::string> header = parse_npy_header(bytes);
  if (!header) return failure("N-header", {}, subject + " " + header.error());
  const std::optional<DType> dtype = dtype_of(header->descr);
  if (!dtype) return unsupported_dtype(subject, header->descr);
  const std::span<const std::byte> data = bytes.subspan(header->data_offset);
  const std::string type = to_string(*dtype, header->shape);
  const std::optional<size_t> expected = byte_count(header->shape, info(*dtype).bytes);
  if (!expected) return failure("N-size", {}, subject + " has a header that says " + type + ", more than 2^63 bytes");
  if (*expected != data.size()) {
    return failure("N-size", {},
                   subject + " holds " + std::to_string(data.size()) + " bytes of data; expected " +
                       std::to_string(*expected) + " for " + type +
                       (data.size() < *expected ? ": it is truncated" : ""));
  }
  if (const std::optional<size_t> at = *dtype == DType::pred ? first_not_bool(data) : std::nullopt) {
    return failure("N-pred", {},
                   subject + " holds the byte " + std::to_string(std::to_integer<unsigned>(data[*at])) +
                       " at element " + std::to_string(*at) + " of " + type + "; expected 0 or 1");
  }
  if (!header->fortran_order || *expected == 0) return Tensor::from_bytes(*dtype, header->shape, data);
  const std::shared_ptr<std::byte> rows = allocate_aligned(*expected);
  transpose_fortran(header->shape, info(*dtype).bytes, data.data(), rows.get());
  return Tensor::from_bytes(*dtype, header->shape, {rows.get(), *expected});
}

std::vector<std::byte> write_npy(const Tensor& tensor) {
  ISOSHARD_CHECK(tensor.size() == element_count(tensor.shape()), "an array to write must have been given values");
  std::string shape;
  for (const int64_t size : tensor.shape()) shape += (shape.empty() ? "" : ", ") + std::to_string(size);
  if (tensor.shape().size() == 1) shape += ',';
  std::string header = "{'descr': '" + std::string(info(tensor.dtype()).numpy) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr size_t kPrefix = 10, kAlignment = 64;  // NumPy pads so that the data can be mapped aligned
  header.append((kAlignment - (kPrefix + header.size() + 1) % kAlignment) % kAlignment, ' ');
  header += '\n';
  ISOSHARD_CHECK(header.size() < 65536, "a .npy 1.0 header holds a shape of a few thousand dimensions");
  std::string start("\x93NUMPY\x01\x00", 8);
  start += static_cast<char>(header.size() & 0xffU);
  start += static_cast<char>(header.size() >> 8U);
  start += header;
  std::vector<std::byte> file(start.size() + tensor.bytes().size());
  std::memcpy(file.data(), start.data(), start.size());
  if (!tensor.bytes().empty()) std::memcpy(file.data() + start.size(), tensor.bytes().data(), tensor.bytes().size());
  return file;
}

}  // namespace isoshard
