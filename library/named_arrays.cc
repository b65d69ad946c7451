#include "library/named_arrays.h"

#include <algorithm>

namespace isoshard::library {
namespace {

/// How many bytes an array of these sizes has; nothing where a size is negative or no memory holds it.
std::optional<size_t> bytes_of(DType dtype, const Shape& shape) {
  constexpr size_t kMost = size_t{1} << 62;
  size_t bytes = info(dtype).bytes;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) bytes = 0;
  for (const int64_t size : shape) {
    if (size < 0 || (size > 0 && bytes > kMost / static_cast<size_t>(size))) return std::nullopt;
    bytes *= static_cast<size_t>(size);
  }
  return bytes;
}

std::optional<Tensor> to_tensor(const NamedArray& array, DiagnosticSink& sink) {
  const std::optional<DType> dtype = parse_dtype(array.dtype);
  if (!dtype) {
    sink.error("I-type", {}, "the array " + array.name + " is of " + array.dtype + ", which is no dtype of isoshard");
    return std::nullopt;
  }
  if (bytes_of(*dtype, array.shape) != array.bytes.size()) {
    sink.error("I-type", {},
               "the array " + array.name + " has " + std::to_string(array.bytes.size()) + " bytes, which are no " +
                   to_string(*dtype, array.shape));
    return std::nullopt;
  }
  return Tensor::from_bytes(*dtype, array.shape, array.bytes);
}

}  // namespace

NamedArray to_array(const NamedTensor& array) {
  const std::span<const std::byte> bytes = array.tensor.bytes();
  return {array.name, std::string(name(array.tensor.dtype())), array.tensor.shape(), {bytes.begin(), bytes.end()}};
}

std::vector<NamedArray> to_arrays(const std::vector<NamedTensor>& arrays) {
  std::vector<NamedArray> result;
  for (const NamedTensor& array : arrays) result.push_back(to_array(array));
  return result;
}

std::vector<NamedTensor> to_tensors(const std::vector<NamedArray>& arrays, DiagnosticSink& sink) {
  std::vector<NamedTensor> result;
  for (const NamedArray& array : arrays) {
    const auto same = [&](const NamedTensor& other) { return other.name == array.name; };
    if (std::any_of(result.begin(), result.end(), same)) {
      sink.error("I-unknown", {}, "there are two arrays " + array.name);
    }
    if (std::optional<Tensor> tensor = to_tensor(array, sink)) result.push_back({array.name, std::move(*tensor)});
  }
  return result;
}

}  // namespace isoshard::library
