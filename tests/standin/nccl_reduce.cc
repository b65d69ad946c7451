// How collectives add: in a cyclic order of the ranks that depends on the place in the array, rounding to the dtype
// after each add, as was measured of NCCL (docs/gpu-results.md, "How all_reduce rounds"). So programs that need another
// order, or one rounding, show. The seed draws at which rank the first chunk begins. Costs an add per element and rank.
#include "tests/standin/nccl_reduce.h"

#include <algorithm>
#include <cmath>

#include "tests/standin/machine.h"
#include "tests/standin/numbers.h"

namespace standin {
namespace {

/// Of integers modulo 2^bits, without overflow.
template <class T>
T wrapped(ncclRedOp_t op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    return static_cast<T>(op == ncclProd ? x * y : x + y);
  } else {
    return op == ncclProd ? a * b : a + b;
  }
}

template <class T>
T combined(ncclRedOp_t op, T a, T b) {
  if (op == ncclMax) return std::is_integral_v<T> ? std::max(a, b) : static_cast<T>(std::fmax(a, b));
  if (op == ncclMin) return std::is_integral_v<T> ? std::min(a, b) : static_cast<T>(std::fmin(a, b));
  return wrapped(op, a, b);
}

template <class Format>
typename Format::Value rounded(typename Format::Value value) {
  return Format::load(Format::store(value));
}

size_t first_member(size_t chunk, size_t members) {
  if (Machine::get().options().reduce_order == ReduceOrder::ranks) return 0;
  return (chunk + 1 + Machine::get().seed()) % members;
}

/// Averages of floats are sums of terms that were divided before, of integers sums that are divided after.
template <class Format>
void reduce_as(const std::vector<const void*>& terms, void* out, size_t count, ncclRedOp_t op, int chunk) {
  using T = typename Format::Value;
  constexpr bool kFloat = !std::is_integral_v<T>;
  const size_t members = terms.size();
  const bool average = op == ncclAvg;
  const T share = kFloat && average ? rounded<Format>(T(1) / static_cast<T>(members)) : T(1);
  const auto term = [&](size_t member, size_t i) {
    const T value = load_at<Format>(terms[member], i);
    return kFloat && average ? rounded<Format>(static_cast<T>(value * share)) : value;
  };
  for (size_t i = 0; i < count; ++i) {
    const size_t first = first_member(chunk < 0 ? i * members / count : static_cast<size_t>(chunk), members);
    T value = term(first, i);
    for (size_t k = 1; k < members; ++k) {
      value = rounded<Format>(combined(op, value, term((first + k) % members, i)));
    }
    if (!kFloat && average) value = static_cast<T>(value / static_cast<T>(members));
    store_at<Format>(out, i, value);
  }
}

}  // namespace

void reduce(const std::vector<const void*>& terms, void* out, size_t count, ncclDataType_t dtype, ncclRedOp_t op,
            int chunk) {
  switch (dtype) {
    case ncclInt8:
      return reduce_as<Plain<int8_t>>(terms, out, count, op, chunk);
    case ncclUint8:
      return reduce_as<Plain<uint8_t>>(terms, out, count, op, chunk);
    case ncclInt32:
      return reduce_as<Plain<int32_t>>(terms, out, count, op, chunk);
    case ncclUint32:
      return reduce_as<Plain<uint32_t>>(terms, out, count, op, chunk);
    case ncclInt64:
      return reduce_as<Plain<int64_t>>(terms, out, count, op, chunk);
    case ncclUint64:
      return reduce_as<Plain<uint64_t>>(terms, out, count, op, chunk);
    case ncclFloat16:
      return reduce_as<F16>(terms, out, count, op, chunk);
    case ncclFloat32:
      return reduce_as<Plain<float>>(terms, out, count, op, chunk);
    case ncclFloat64:
      return reduce_as<Plain<double>>(terms, out, count, op, chunk);
    case ncclBfloat16:
      return reduce_as<Bf16>(terms, out, count, op, chunk);
    case ncclFloat8e4m3:
      return reduce_as<F8E4M3>(terms, out, count, op, chunk);
    case ncclFloat8e5m2:
      return reduce_as<F8E5M2>(terms, out, count, op, chunk);
    case ncclNumTypes:
      break;
  }
}

}  // namespace standin
