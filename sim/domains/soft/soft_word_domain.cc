// Arrays of soft integers, element by element: each op of the IR on words of SoftIntegers. Names of inputs are of the
// global, the step and the place in the whole array, so that both programs have one variable for one element, however
// it is split. Random bits are opaque functions of key and place. Padding is a variable of its own per element: any of
// the numbers that stand for all of its dtype, else an opaque integer. What asks for a machine's number of a word that
// has none is noted, and ends the answer. Cost: one operation of soft_operations.cc per element.
#include "sim/domains/soft/soft_word_domain.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/value/threefry.h"
#include "sim/integers/integer_ops.h"
#include "sim/value/reduce_offsets.h"

namespace isoshard::sim {

namespace {

/// What names are of, besides the functions of SoftIntegers.
enum SoftSource : uint64_t {
  kPadding = (uint64_t{1} << 32) + 1,
  kFoldIn = (uint64_t{1} << 33) + 3,
  kSplit,
  kRandomBits,
};

constexpr DType kBits = DType::i64;  ///< in which predicates are calculated

}  // namespace

void SoftWordDomain::inputs(std::string_view name, uint64_t step, int64_t n, const ValuesOf& values_of,
                            std::byte* out) const {
  std::vector<uint64_t> parts(3 + name.size());
  std::copy(name.begin(), name.end(), parts.begin() + 3);
  parts[0] = step;
  parts[1] = name.size();
  for (int64_t i = 0; i < n; ++i) {
    parts[2] = static_cast<uint64_t>(i);
    const SoftName named = integers_.name(kInput, parts);
    const std::span<const int64_t> values = values_of(i);
    words(out)[i] = values.empty()       ? integers_.opaque(named)
                    : values.size() == 1 ? integers_.number(values[0])
                                         : integers_.variable(named, values);
  }
}

/// Each is any of the numbers that stand for all of its dtype; where only all of them do, an opaque integer.
void SoftWordDomain::integer_padding(DType dtype, const PaddingOf& padding, int64_t n, std::byte* out) const {
  if (dtype == DType::key) return IntegerDomain::integer_padding(dtype, padding, n, out);
  const auto numbers = padding_numbers().of_globals.find(padding.global);
  const bool opaque = numbers == padding_numbers().of_globals.end();
  for (int64_t i = 0; i < n; ++i) {
    const std::array<uint64_t, 2> parts{padding.seed, static_cast<uint64_t>(i)};
    const SoftName name = integers_.name(kPadding, parts);
    words(out)[i] = opaque ? integers_.opaque(name) : integers_.variable(name, numbers->second);
  }
}

void SoftWordDomain::from_native(int64_t n, const uint8_t* x, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) words(out)[i] = integers_.number(x[i] != 0 ? 1 : 0);
}

void SoftWordDomain::decide(int64_t n, const std::byte* predicate, uint8_t* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const Word word = words(predicate)[i];
    if (!integers_.is_known(word)) integers_.note_undecided("a predicate that depends on inputs, as a byte");
    out[i] = integers_.is_known(word) && integers_.value(word) != 0 ? 1 : 0;
  }
}

void SoftWordDomain::logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  const Word one = integers_.number(1);
  for (int64_t i = 0; i < n; ++i) {
    const Word a = words(x)[i];
    words(out)[i] = op == Logic::negation      ? integers_.apply(IntegerOp::subtract, kBits, one, a)
                    : op == Logic::conjunction ? integers_.apply(IntegerOp::multiply, kBits, a, words(y)[i])
                                               : integers_.apply(IntegerOp::maximum, kBits, a, words(y)[i]);
  }
}

void SoftWordDomain::from_machine(DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) {
    int64_t number = 0;
    if (dtype == DType::key) {
      std::memcpy(&number, x + static_cast<size_t>(i) * sizeof number, sizeof number);
    } else {
      integer::widen(dtype, 1, x + static_cast<size_t>(i) * info(dtype).bytes, &number);
    }
    words(out)[i] = integers_.number(number);
  }
}

void SoftWordDomain::to_machine(DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const Word word = words(x)[i];
    if (!integers_.is_known(word)) integers_.note_undecided("a use that needs to know an integer");
    const int64_t number = integers_.is_known(word) ? integers_.value(word) : 0;
    std::memcpy(out + static_cast<size_t>(i) * info(dtype).bytes, &number, info(dtype).bytes);  // little-endian
  }
}

bool SoftWordDomain::are_known(DType, int64_t n, const std::byte* x) const {
  return std::all_of(words(x), words(x) + n, [&](Word word) { return integers_.is_known(word); });
}

std::vector<int64_t> SoftWordDomain::possible(DType, const std::byte* element) const {
  return integers_.possible(*words(element));
}

void SoftWordDomain::integer_op(IntegerOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                                std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) words(out)[i] = integers_.apply(op, dtype, words(x)[i], words(y)[i]);
}

void SoftWordDomain::integer_compare(Direction direction, DType dtype, int64_t n, const std::byte* x,
                                     const std::byte* y, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) words(out)[i] = integers_.compare(direction, dtype, words(x)[i], words(y)[i]);
}

void SoftWordDomain::integer_select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x,
                                    const std::byte* y, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) {
    words(out)[i] = integers_.choose(words(predicate)[i], dtype, words(x)[i], words(y)[i]);
  }
}

void SoftWordDomain::integer_dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                                 std::byte* out) const {
  for (int64_t i = 0; i < m * n; ++i) {
    Word total = integers_.number(0);
    for (int64_t t = 0; t < k; ++t) {
      const Word term = integers_.apply(IntegerOp::multiply, dtype, words(a)[i / n * k + t], words(b)[t * n + i % n]);
      total = integers_.apply(IntegerOp::add, dtype, total, term);
    }
    words(out)[i] = total;
  }
}

void SoftWordDomain::integer_sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  const std::vector<int64_t> kept = offsets(plan.kept()), reduced = offsets(plan.reduced());
  for (int64_t i = 0; i < plan.output_size(); ++i) {
    Word total = integers_.number(0);
    for (int64_t j = 0; j < plan.count(); ++j) {
      const Word term = words(x)[kept[static_cast<size_t>(i)] + reduced[static_cast<size_t>(j)]];
      total = integers_.apply(IntegerOp::add, dtype, total, term);
    }
    words(out)[i] = total;
  }
}

void SoftWordDomain::integers_to_integers(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) words(out)[i] = integers_.convert(from, to, words(x)[i]);
}

void SoftWordDomain::predicates_to_integers(DType, int64_t n, const std::byte* x, std::byte* out) const {
  std::copy_n(words(x), n, words(out));
}

void SoftWordDomain::integers_to_predicates(DType from, int64_t n, const std::byte* x, std::byte* out) const {
  const Word zero = integers_.number(0);
  for (int64_t i = 0; i < n; ++i) words(out)[i] = integers_.compare(Direction::ne, from, words(x)[i], zero);
}

Storage SoftWordDomain::integer_storage(DType) const { return {sizeof(Word), 1}; }

void SoftWordDomain::fold_in(DType dtype, int64_t n, const std::byte* keys, const std::byte* data,
                             std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const std::array<Word, 2> both{words(keys)[i], words(data)[i]};
    if (are_known(dtype, 1, keys + i * 8) && are_known(dtype, 1, data + i * 8)) {
      const auto key = static_cast<uint64_t>(integers_.value(both[0]));
      const uint64_t folded = threefry::fold_in(key, static_cast<uint32_t>(integers_.value(both[1])));
      words(out)[i] = integers_.number(static_cast<int64_t>(folded));
    } else {
      words(out)[i] = integers_.opaque(integers_.name_applied(kFoldIn, both));
    }
  }
}

/// Of the original layout, keys are the bits of twice as many numbers (jax.random.split).
void SoftWordDomain::split_key(const RngSplit& op, const std::byte* key, std::byte* out) const {
  const Word whole = *words(key);
  for (int64_t i = 0; i < op.n; ++i) {
    if (integers_.is_known(whole)) {
      const auto number = static_cast<uint64_t>(integers_.value(whole));
      words(out)[i] = integers_.number(static_cast<int64_t>(threefry::split(number, i, op.n, op.key_layout)));
    } else if (op.key_layout == KeyLayout::original) {
      const BitsOf bits{whole, 2 * op.n, op.key_layout};
      words(out)[i] = keys_.key_of(bits_at(bits, 2 * i), bits_at(bits, 2 * i + 1));
    } else {
      const std::array<Word, 4> parts{whole, integers_.number(i), integers_.number(op.n),
                                      integers_.number(static_cast<int64_t>(op.key_layout))};
      words(out)[i] = integers_.opaque(integers_.name_applied(kSplit, parts));
    }
  }
}

/// An opaque function of key and place.
SoftWordDomain::Word SoftWordDomain::bits_at(const BitsOf& bits, int64_t place) const {
  const std::array<Word, 4> parts{bits.key, integers_.number(place), integers_.number(bits.count),
                                  integers_.number(static_cast<int64_t>(bits.layout))};
  return integers_.opaque(integers_.name_applied(kRandomBits, parts));
}

void SoftWordDomain::random_bits(const BitsBlock& block, const std::byte* key, std::byte* out) const {
  const Shape &shape = block.op.shape, &whole = block.op.whole();
  const Word word = *words(key);
  const int64_t n = element_count(shape);
  if (integers_.is_known(word)) {
    const auto number = static_cast<uint64_t>(integers_.value(word));
    std::vector<std::byte> bits(static_cast<size_t>(n) * sizeof(uint32_t));
    IntegerDomain::random_bits(block, reinterpret_cast<const std::byte*>(&number), bits.data());
    return from_machine(DType::u32, n, bits.data(), out);
  }
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = i, place = 0, stride = 1;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d], stride *= whole[d]) {
      place += (block.start[d] + rest % shape[d]) * stride;
    }
    words(out)[i] = bits_at({word, element_count(whole), block.op.key_layout}, place);
  }
}

void SoftWordDomain::keys_to_words(int64_t n, const std::byte* keys, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const std::array<Word, 2> halves = keys_.words_of(words(keys)[i]);
    std::copy(halves.begin(), halves.end(), words(out) + 2 * i);
  }
}

void SoftWordDomain::words_to_keys(int64_t n, const std::byte* halves, std::byte* keys) const {
  for (int64_t i = 0; i < n; ++i) words(keys)[i] = keys_.key_of(words(halves)[2 * i], words(halves)[2 * i + 1]);
}

}  // namespace isoshard::sim
