// The integers and keys of a domain that has no wish of its own: numbers as the machine has them, which wrap around.
// Domains that cover integers by weights override these functions (docs/adr/0031-soft-integers.md). Ops take what the
// kernels of integer_ops.h give, and pass predicates through bytes of 0 and 1, since how predicates are stored is the
// domain's. Random bits of a block are drawn as those of the whole array (docs/spec/random.md, "Blocks"): the block is
// cut into stretches of adjacent elements, and Threefry is asked once per stretch. Padding is half of the time a number
// that programs treat specially, else random bits, so that what depends on it is found. Cost: one pass over the
// elements.
#include "sim/integers/integer_domain.h"

#include <algorithm>
#include <cstring>

#include "core/support/mix.h"
#include "core/value/threefry.h"
#include "sim/integers/integer_ops.h"
#include "sim/integers/integer_order.h"
#include "sim/integers/native_predicates.h"
#include "sim/value/typed_bytes.h"

namespace isoshard::sim {
namespace {

/// A block of a row-major array as stretches of adjacent elements.
struct Stretches {
  size_t outer = 0;    ///< dimensions before those that a stretch covers
  int64_t length = 1;  ///< of one stretch
  std::vector<int64_t> strides;

  Stretches(const Shape& block, const Shape& whole) : outer(whole.size()), strides(whole.size(), 1) {
    for (size_t d = whole.size(); d-- > 0;) strides[d] = d + 1 == whole.size() ? 1 : strides[d + 1] * whole[d + 1];
    bool adjacent = true;
    while (outer > 0 && adjacent) {
      --outer;
      length *= block[outer];
      adjacent = block[outer] == whole[outer];
    }
  }
};

std::vector<int64_t> widened_numbers(DType dtype, int64_t n, const std::byte* x) {
  std::vector<int64_t> numbers(static_cast<size_t>(n));
  integer::widen(dtype, n, x, numbers.data());
  return numbers;
}

/// Moves element indices[r, i] of row r of x[rows, length] to place [r, i], in all planes.
void take_along_rows(const Storage& storage, int64_t rows, int64_t length, int64_t k, const std::byte* x,
                     const std::vector<int32_t>& indices, std::byte* out) {
  const size_t bytes = storage.element_bytes;
  for (size_t p = 0; p < storage.planes; ++p) {
    const std::byte* from = x + p * static_cast<size_t>(rows * length) * bytes;
    for (int64_t i = 0; i < rows * k; ++i, out += bytes) {
      std::memcpy(out, from + static_cast<size_t>(i / k * length + indices[static_cast<size_t>(i)]) * bytes, bytes);
    }
  }
}

}  // namespace

Storage IntegerDomain::integer_storage(DType dtype) const { return {info(dtype).bytes, 1}; }

void IntegerDomain::from_machine(DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  if (n != 0) std::memmove(out, x, static_cast<size_t>(n) * info(dtype).bytes);
}

void IntegerDomain::to_machine(DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  if (n != 0) std::memmove(out, x, static_cast<size_t>(n) * info(dtype).bytes);
}

std::set<int64_t> IntegerDomain::special_numbers(std::set<int64_t> numbers) {
  numbers.insert({0, 1, -1, -100});
  return numbers;
}

void IntegerDomain::integer_padding(DType dtype, const PaddingOf& padding, int64_t n, std::byte* out) const {
  const auto own = padding_numbers_.of_globals.find(padding.global);
  const std::vector<int64_t>& special =
      own == padding_numbers_.of_globals.end() ? padding_numbers_.others : own->second;
  std::vector<std::byte> bytes(static_cast<size_t>(n) * info(dtype).bytes);
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t word = mix(padding.seed + mix(static_cast<uint64_t>(i)));
    const bool is_special = word % 2 == 0 || special.size() == 1;
    const int64_t number = is_special ? special[word / 2 % special.size()] : static_cast<int64_t>(word);
    std::memcpy(bytes.data() + static_cast<size_t>(i) * info(dtype).bytes, &number, info(dtype).bytes);
  }
  from_machine(dtype, n, bytes.data(), out);
}

bool IntegerDomain::are_known(DType, int64_t, const std::byte*) const { return true; }

std::vector<int64_t> IntegerDomain::possible(DType dtype, const std::byte* element) const {
  return widened_numbers(dtype, 1, element);
}

bool IntegerDomain::has_row_weights(DType, const std::byte*, int64_t) const { return true; }

void IntegerDomain::row_weights(DType dtype, int64_t n, const std::byte* x, int64_t rows, bool clamp, DType to,
                                std::byte* weights) const {
  std::vector<int64_t> numbers(static_cast<size_t>(n));
  integer::widen_indices(dtype, n, x, numbers.data());
  std::vector<int64_t> ones(static_cast<size_t>(n * rows), 0);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t number = numbers[static_cast<size_t>(i)];
    const int64_t row = clamp ? std::clamp<int64_t>(number, 0, rows - 1) : number;
    if (row >= 0 && row < rows) ones[static_cast<size_t>(i * rows + row)] = 1;
  }
  from_integers(to, n * rows, ones.data(), weights);
}

bool IntegerDomain::take_rows(const IndicesOf&, DType, const std::byte*, std::byte*) const { return false; }

bool IntegerDomain::sum_in_rows(const IndicesOf&, DType, const std::byte*, std::byte*) const { return false; }

void IntegerDomain::integer_op(IntegerOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                               std::byte* out) const {
  integer::apply(op, dtype, n, x, y, out);
}

void IntegerDomain::integer_compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                                    std::byte* out) const {
  std::vector<uint8_t> holds(static_cast<size_t>(n));
  integer::compare(direction, dtype, n, x, y, holds.data());
  from_native(n, holds.data(), out);
}

void IntegerDomain::integer_select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x,
                                   const std::byte* y, std::byte* out) const {
  std::vector<uint8_t> holds(static_cast<size_t>(n));
  decide(n, predicate, holds.data());
  select_native(info(dtype).bytes, n, holds.data(), x, y, out);
}

void IntegerDomain::integer_dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                                std::byte* out) const {
  integer::dot(dtype, m, n, k, a, b, out);
}

void IntegerDomain::integer_sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  integer::sum(dtype, plan, x, out);
}

void IntegerDomain::integers_to_integers(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  integer::wrap(to, n, widened_numbers(from, n, x).data(), out);
}

void IntegerDomain::predicates_to_integers(DType to, int64_t n, const std::byte* x, std::byte* out) const {
  std::vector<uint8_t> holds(static_cast<size_t>(n));
  decide(n, x, holds.data());
  integer::wrap(to, n, std::vector<int64_t>(holds.begin(), holds.end()).data(), out);
}

void IntegerDomain::integers_to_predicates(DType from, int64_t n, const std::byte* x, std::byte* out) const {
  std::vector<uint8_t> holds;
  for (const int64_t i : widened_numbers(from, n, x)) holds.push_back(i != 0 ? 1 : 0);
  from_native(n, holds.data(), out);
}

void IntegerDomain::integers_to_floats(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  if (from == DType::u64) return from_unsigned(to, n, as<uint64_t>(x), out);
  from_integers(to, n, widened_numbers(from, n, x).data(), out);
}

void IntegerDomain::floats_to_integers(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  std::vector<int64_t> numbers(static_cast<size_t>(n));
  to_integers(from, n, x, to, numbers.data());
  integer::wrap(to, n, numbers.data(), out);
}

void IntegerDomain::largest(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, std::byte* values,
                            std::byte* indices) const {
  std::vector<int32_t> found(static_cast<size_t>(rows * k));
  if (is_float(dtype)) {
    top_k(dtype, rows, length, k, x, found.data());
  } else {
    integer::top_k(dtype, rows, length, k, x, found.data());
  }
  take_along_rows(is_float(dtype) ? storage(dtype) : integer_storage(dtype), rows, length, k, x, found, values);
  from_machine(DType::i32, rows * k, reinterpret_cast<const std::byte*>(found.data()), indices);
}

void IntegerDomain::fold_in(DType, int64_t n, const std::byte* keys, const std::byte* data, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i)
    as<uint64_t>(out)[i] = threefry::fold_in(as<uint64_t>(keys)[i], as<uint32_t>(data)[i]);
}

void IntegerDomain::split_key(const RngSplit& op, const std::byte* key, std::byte* out) const {
  const uint64_t whole = *as<uint64_t>(key);
  for (int64_t i = 0; i < op.n; ++i) as<uint64_t>(out)[i] = threefry::split(whole, i, op.n, op.key_layout);
}

/// Stretch by stretch; `index` counts the outer dimensions.
void IntegerDomain::random_bits(const BitsBlock& block, const std::byte* key, std::byte* out) const {
  const Shape& whole = block.op.whole();
  const Stretches stretches(block.op.shape, whole);
  std::vector<int64_t> index(stretches.outer, 0);
  auto* to = as<uint32_t>(out);
  for (int64_t left = element_count(block.op.shape); left > 0; left -= stretches.length, to += stretches.length) {
    int64_t first = 0;
    for (size_t d = 0; d < block.start.size(); ++d) {
      first += (block.start[d] + (d < index.size() ? index[d] : 0)) * stretches.strides[d];
    }
    threefry::random_bits(*as<uint64_t>(key), first, stretches.length, element_count(whole), block.op.key_layout, to);
    for (size_t d = index.size(); d-- > 0 && ++index[d] == block.op.shape[d];) index[d] = 0;
  }
}

void IntegerDomain::keys_to_words(int64_t n, const std::byte* keys, std::byte* words) const {
  if (n != 0) std::memcpy(words, keys, static_cast<size_t>(n) * sizeof(uint64_t));
}

void IntegerDomain::words_to_keys(int64_t n, const std::byte* words, std::byte* keys) const {
  if (n != 0) std::memcpy(keys, words, static_cast<size_t>(n) * sizeof(uint64_t));
}

}  // namespace isoshard::sim
