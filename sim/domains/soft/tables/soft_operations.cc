// Operations of soft integers (docs/spec/verdict.md, "Integers"): pointwise on joint tables where these are small; else
// by parts of a joint partition; otherwise + and multiples of formal sums, and any function of one sum on a variable
// that counts it; otherwise an opaque function of the operands, of a maximum or minimum of the set of all its operands
// (ADR 109), which no grouping into blocks changes. Each step is exact for all entries of all variables, so
// the order decides only how much is known, and how soon it ends. Calls are remembered by function and words: programs
// compute the same thing for many elements. Numbers wrap around as the machine's do, and a sum that may leave its dtype
// ends the answer. Cost: the entries of a table, at most 1024, or the parts of a partition, as many.
#include "sim/domains/soft/tables/soft_operations.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "core/support/check.h"
#include "core/support/mix.h"
#include "core/value/integers.h"
#include "sim/integers/integer_ops.h"
#include "sim/integers/integer_order.h"

namespace isoshard::sim {
namespace {

/// What a name is of: the ops of each dtype, then these.
enum SoftFunction : uint64_t {
  kCompared = 1 << 16,
  kEqual = 1 << 17,
  kChosen = 1 << 18,
  kConverted = 1 << 19,
  kLinear = kConverted + 2,  // kConverted + 1: SoftWords
  kMember = kConverted + 3,
  kExtremeOfSet = 1 << 20
};

uint64_t function_of(IntegerOp op, DType dtype) {
  return static_cast<uint64_t>(op) << 8 | static_cast<uint64_t>(dtype);
}

constexpr bool is_unary(IntegerOp op) {
  return op == IntegerOp::negate || op == IntegerOp::absolute || op == IntegerOp::sign || op == IntegerOp::complement ||
         op == IntegerOp::count_ones || op == IntegerOp::leading_zeros;
}

constexpr bool commutes(IntegerOp op) {
  return op == IntegerOp::add || op == IntegerOp::multiply || op == IntegerOp::minimum || op == IntegerOp::maximum ||
         op == IntegerOp::conjunction || op == IntegerOp::disjunction || op == IntegerOp::exclusive_or;
}

/// Sums in it are what the machine calculates. A u64 beyond 2^63 is a negative word, and what is right modulo 2^64 is
/// right of it; its order is not (has_order_of_words).
SoftRange range_of(DType dtype) {
  constexpr int64_t kWide = int64_t{1} << 61;  // so that sums of two stay numbers of 64 bits
  if (info(dtype).bytes == sizeof(int64_t)) return {-kWide, kWide};
  const IntegerEnds ends = integer_ends(dtype);
  return {ends.least, ends.greatest};
}

/// The bits of a dtype.
uint64_t mask_of(DType dtype) { return ~uint64_t{0} >> (64 - 8 * info(dtype).bytes); }

bool within(const SoftRange& inner, const SoftRange& outer) {
  return inner.low >= outer.low && inner.high <= outer.high;
}

using Numbers = SoftWords::Numbers;

/// As the machine has them.
std::vector<std::byte> wrapped(DType dtype, const Numbers& numbers) {
  std::vector<std::byte> bytes(numbers.size() * sizeof(int64_t));
  integer::wrap(dtype, std::ssize(numbers), numbers.data(), bytes.data());
  return bytes;
}

Numbers widened(DType dtype, size_t n, const std::vector<std::byte>& bytes) {
  Numbers result(n);
  integer::widen(dtype, static_cast<int64_t>(n), bytes.data(), result.data());
  return result;
}

Numbers applied(IntegerOp op, DType dtype, const Numbers& x, const Numbers& y) {
  std::vector<std::byte> result = wrapped(dtype, x);
  integer::apply(op, dtype, std::ssize(x), result.data(), wrapped(dtype, y).data(), result.data());
  return widened(dtype, x.size(), result);
}

Numbers compared(Direction direction, DType dtype, const Numbers& x, const Numbers& y) {
  std::vector<uint8_t> holds(x.size());
  integer::compare(direction, dtype, std::ssize(x), wrapped(dtype, x).data(), wrapped(dtype, y).data(), holds.data());
  return {holds.begin(), holds.end()};
}

}  // namespace

size_t SoftOperations::Hash::operator()(const Call& c) const {
  return mix(mix(mix(mix(c.function + 1) ^ c.x) ^ c.y) ^ c.z);
}

template <class Make>
SoftOperations::Word SoftOperations::remembered(const Call& call, const Make& make) {
  const auto known = calls_.find(call);
  if (known != calls_.end()) return known->second;
  const Word result = make();
  calls_.emplace(call, result);
  return result;
}

SoftOperations::Word SoftOperations::opaque_result(uint64_t function, std::span<const Word> arguments) {
  return words_.opaque(words_.name_of(function, arguments));
}

/// A formal sum of two numbers of this dtype, or of one times a number.
std::optional<SoftOperations::Word> SoftOperations::linear(IntegerOp op, DType dtype, Word x, Word y) {
  if (!words_.is_sum(x) || !words_.is_sum(y)) return std::nullopt;
  const SoftSum a = words_.sum_of(x), b = words_.sum_of(y);
  if (!within(words_.tables().range(a), range_of(DType::i64)) ||
      !within(words_.tables().range(b), range_of(DType::i64))) {
    words_.notes().note_undecided("a sum of integers that may overflow");
    return std::nullopt;
  }
  std::optional<SoftSum> result;
  if (op == IntegerOp::add) result = SoftTables::combined(1, a, 1, b);
  if (op == IntegerOp::negate) result = SoftTables::combined(-1, a, 0, a);
  if (op == IntegerOp::subtract) result = SoftTables::combined(1, a, -1, b);
  if (op == IntegerOp::multiply) result = words_.tables().product(a, b, words_.names().limits().joint);
  if (!result) return std::nullopt;
  if (!within(words_.tables().range(*result), range_of(dtype))) {
    words_.notes().note_undecided("a sum of integers that may overflow");
    return std::nullopt;
  }
  return words_.word_of(std::move(*result));
}

SoftOperations::Linear SoftOperations::linear_of(DType dtype, Word word) const {
  Linear result;
  result.dtype = dtype;
  if (!words_.is_opaque(word)) {
    result.constant = static_cast<uint64_t>(words_.value(word));
    return result;
  }
  const Linear& own = words_.linear(word);
  if (!own.terms.empty() && own.dtype == dtype) return own;
  result.terms[word] = 1;
  return result;
}

/// + - and products with numbers are exact modulo the range of the dtype: x + x is 2 x, and x + 1 - 1 is x, whatever
/// overflows.
std::optional<SoftOperations::Word> SoftOperations::linear_opaque(IntegerOp op, DType dtype, Word x, Word y) {
  const bool sums = op == IntegerOp::add || op == IntegerOp::subtract || op == IntegerOp::negate;
  const auto is_number = [&](Word word) { return words_.is_number(word); };
  const auto is_linear = [&](Word word) { return words_.is_opaque(word) || is_number(word); };
  if ((!sums && op != IntegerOp::multiply) || !is_linear(x) || !is_linear(y)) return std::nullopt;
  if (op == IntegerOp::multiply && !is_number(x) && !is_number(y)) return std::nullopt;
  const uint64_t mask = mask_of(dtype);
  Linear a = linear_of(dtype, x);
  const Linear b = linear_of(dtype, y);
  const uint64_t of_a = op == IntegerOp::negate     ? ~uint64_t{0}
                        : op == IntegerOp::multiply ? (is_number(y) ? b.constant : 0)
                                                    : 1;
  const uint64_t of_b = op == IntegerOp::negate     ? 0
                        : op == IntegerOp::subtract ? ~uint64_t{0}
                        : op == IntegerOp::multiply ? (is_number(y) ? 0 : a.constant)
                                                    : 1;
  a.constant = (a.constant * of_a + b.constant * of_b) & mask;
  for (auto& [term, factor] : a.terms) factor *= of_a;
  for (const auto& [term, factor] : b.terms) a.terms[term] += factor * of_b;
  for (auto term = a.terms.begin(); term != a.terms.end();) {
    term->second &= mask;
    term = term->second == 0 ? a.terms.erase(term) : std::next(term);
  }
  if (a.terms.empty()) return words_.word_of(SoftSum{wrapped_integer(dtype, static_cast<int64_t>(a.constant))});
  if (a.terms.size() == 1 && a.constant == 0 && a.terms.begin()->second == 1) return a.terms.begin()->first;
  std::vector<std::pair<SoftName, uint64_t>> named;
  for (const auto& [term, factor] : a.terms) {
    const std::array<Word, 1> of_term{term};
    named.emplace_back(words_.name_of(kLinear, of_term), factor);
  }
  std::sort(named.begin(), named.end());
  std::vector<uint64_t> parts{static_cast<uint64_t>(dtype), a.constant};
  for (const auto& [term, factor] : named) parts.insert(parts.end(), {term.first, term.second, factor});
  const Word result = words_.opaque(words_.names().name(kLinear, parts));
  words_.set_linear(result, std::move(a));
  return result;
}

/// Whether larger numbers are larger words: not where a u64 may be beyond 2^63. Of words that are not opaque.
bool SoftOperations::has_order_of_words(DType dtype, std::span<const Word> operands) const {
  const auto is_natural = [&](Word word) { return words_.range(word).low >= 0; };
  return dtype != DType::u64 || std::all_of(operands.begin(), operands.end(), is_natural);
}

SoftOperations::Word SoftOperations::uncached(IntegerOp op, DType dtype, Word x, Word y) {
  const std::array<Word, 2> both{x, y};
  const std::span<const Word> operands(both.data(), is_unary(op) ? 1 : 2);
  if (std::any_of(operands.begin(), operands.end(), [&](Word word) { return words_.is_opaque(word); })) {
    if (const std::optional<Word> result = linear_opaque(op, dtype, x, y)) return *result;
    if (x == y && op == IntegerOp::exclusive_or) return Word{0};
    if (const std::optional<Word> result = extreme_of_set(op, dtype, x, y)) return *result;
    return words_.opaque(name_of_op(op, dtype, operands));
  }
  const auto f = [&](std::vector<Numbers>& t) { return applied(op, dtype, t.front(), t.back()); };
  if (const std::optional<Word> result = words_.pointwise(operands, f)) return *result;
  if (const std::optional<Word> result = linear(op, dtype, x, y)) return *result;
  if (const std::optional<Word> result = words_.partwise(operands, f)) return *result;
  std::vector<Word> simple;
  for (const Word operand : operands) {
    const std::optional<Word> count = words_.is_sum(operand) ? words_.counted(words_.sum_of(operand)) : std::nullopt;
    if (count) simple.push_back(*count);
  }
  if (simple.size() == operands.size() && both != std::array{simple.front(), simple.back()}) {
    if (const std::optional<Word> result = words_.pointwise(simple, f)) return *result;
  }
  const bool ordered = has_order_of_words(dtype, both);
  if (ordered && op == IntegerOp::maximum && y != 0) {  // y + max(x - y, 0)
    const Word difference = uncached(IntegerOp::subtract, DType::i64, x, y);
    return uncached(IntegerOp::add, dtype, y, uncached(IntegerOp::maximum, DType::i64, difference, Word{0}));
  }
  if (ordered && op == IntegerOp::minimum) {  // x - max(x - y, 0)
    const Word difference = uncached(IntegerOp::subtract, DType::i64, x, y);
    return uncached(IntegerOp::subtract, dtype, x, uncached(IntegerOp::maximum, DType::i64, difference, Word{0}));
  }
  return words_.opaque(name_of_op(op, dtype, operands));
}

/// What a maximum or minimum of x and y is taken of, without repetition; of numbers one is left.
std::vector<SoftOperations::Word> SoftOperations::united(IntegerOp op, DType dtype, Word x, Word y) {
  std::set<Word> all;
  std::optional<Word> number;
  const auto put = [&](Word word) {
    if (!words_.is_number(word)) {
      all.insert(word);
    } else {
      number = number ? uncached(op, dtype, *number, word) : word;
    }
  };
  for (const Word word : {x, y}) {
    const auto known = sets_.find({function_of(op, dtype), word, 0, 0});
    if (known == sets_.end()) put(word);
    for (size_t i = 0; known != sets_.end() && i < known->second.size(); ++i) put(known->second[i]);
  }
  if (number) all.insert(*number);
  return {all.begin(), all.end()};
}

/// An opaque function of the set of all that x and y are maxima (minima) of; nothing for other ops, and where the sets
/// are too large to be remembered.
std::optional<SoftOperations::Word> SoftOperations::extreme_of_set(IntegerOp op, DType dtype, Word x, Word y) {
  if (op != IntegerOp::maximum && op != IntegerOp::minimum) return std::nullopt;
  std::vector<Word> set = united(op, dtype, x, y);
  if (set.size() == 1) return set[0];
  if (members_ + set.size() > kMostMembers) return std::nullopt;
  std::vector<SoftName> names;
  for (const Word& member : set) names.push_back(words_.name_of(kMember, std::span(&member, 1)));
  std::sort(names.begin(), names.end());
  std::vector<uint64_t> parts;
  for (const SoftName& name : names) parts.insert(parts.end(), {name.first, name.second});
  const Word result = words_.opaque(words_.names().name(kExtremeOfSet + function_of(op, dtype), parts));
  members_ += set.size();
  sets_.emplace(Call{function_of(op, dtype), result, 0, 0}, std::move(set));
  return result;
}

/// The same in either order where the op is.
SoftName SoftOperations::name_of_op(IntegerOp op, DType dtype, std::span<const Word> operands) {
  const SoftName named = words_.name_of(function_of(op, dtype), operands);
  if (!commutes(op) || operands.size() < 2) return named;
  const std::array<Word, 2> turned{operands[1], operands[0]};
  return std::min(named, words_.name_of(function_of(op, dtype), turned));
}

SoftOperations::Word SoftOperations::apply(IntegerOp op, DType dtype, Word x, Word y) {
  if (is_unary(op)) y = x;
  return remembered({function_of(op, dtype), x, y, 0}, [&] { return uncached(op, dtype, x, y); });
}

/// An opaque predicate of two arguments; equality is that of either order.
SoftOperations::Word SoftOperations::opaque_predicate(uint64_t function, Word x, Word y) {
  const std::array<Word, 2> arguments{x, y};
  SoftName named = words_.name_of(function, arguments);
  if (function == kEqual) {
    const std::array<Word, 2> turned{y, x};
    named = std::min(named, words_.name_of(function, turned));
  }
  std::vector<uint64_t> weight;
  for (size_t r = 0; r < words_.names().weight_residues(); ++r)
    weight.push_back(words_.names().random_weight(named, 0, r));
  return words_.predicate(std::move(weight));
}

SoftOperations::Word SoftOperations::opaque_comparison(Direction direction, DType dtype, Word x, Word y) {
  const uint64_t ordered = kCompared + static_cast<uint64_t>(dtype);
  switch (direction) {
    case Direction::eq:
      return opaque_predicate(kEqual, x, y);
    case Direction::ne:
      return words_.opposite(opaque_predicate(kEqual, x, y));
    case Direction::gt:
      return opaque_predicate(ordered, x, y);
    case Direction::le:
      return words_.opposite(opaque_predicate(ordered, x, y));
    case Direction::lt:
      return opaque_predicate(ordered, y, x);
    case Direction::ge:
      return words_.opposite(opaque_predicate(ordered, y, x));
    case Direction::none:
      break;
  }
  internal_error("compare", "inference rejects a compare without direction", __FILE__, __LINE__);
}

SoftOperations::Word SoftOperations::uncached_compare(Direction direction, DType dtype, Word x, Word y) {
  if (x == y) {
    return words_.word_of(
        SoftSum{direction == Direction::eq || direction == Direction::le || direction == Direction::ge});
  }
  if (is_unsigned(dtype) && y == 0 && (direction == Direction::ge || direction == Direction::lt)) {
    return words_.word_of(SoftSum{direction == Direction::ge});
  }
  if (is_unsigned(dtype) && x == 0 && (direction == Direction::le || direction == Direction::gt)) {
    return words_.word_of(SoftSum{direction == Direction::le});
  }
  if (words_.is_opaque(x) || words_.is_opaque(y)) return opaque_comparison(direction, dtype, x, y);
  const std::array<Word, 2> operands{x, y};
  const auto f = [&](std::vector<Numbers>& t) { return compared(direction, dtype, t.front(), t.back()); };
  if (const std::optional<Word> result = words_.pointwise(operands, f)) return *result;
  if (const std::optional<Word> result = words_.partwise(operands, f)) return *result;
  const bool subtracts = words_.is_sum(x) && words_.is_sum(y) && has_order_of_words(dtype, operands);
  const std::optional<SoftSum> difference =
      subtracts ? SoftTables::combined(1, words_.sum_of(x), -1, words_.sum_of(y)) : std::nullopt;
  if (const std::optional<Word> count = difference ? words_.counted(*difference) : std::nullopt) {
    const std::array<Word, 2> against_zero{*count, Word{0}};
    const auto g = [&](std::vector<Numbers>& t) { return compared(direction, DType::i64, t.front(), t.back()); };
    if (const std::optional<Word> result = words_.pointwise(against_zero, g)) return *result;
  }
  words_.notes().note_undecided("a comparison of integers of more than 65536 numbers");
  return Word{0};
}

SoftOperations::Word SoftOperations::compare(Direction direction, DType dtype, Word x, Word y) {
  const uint64_t function = kCompared + (static_cast<uint64_t>(direction) << 8) + static_cast<uint64_t>(dtype);
  return remembered({function, x, y, 0}, [&] { return uncached_compare(direction, dtype, x, y); });
}

/// y + predicate (x - y)
std::optional<SoftOperations::Word> SoftOperations::chosen_sum(Word predicate, Word x, Word y) {
  if (!words_.is_sum(predicate) || !words_.is_sum(x) || !words_.is_sum(y)) return std::nullopt;
  const std::optional<SoftSum> difference = SoftTables::combined(1, words_.sum_of(x), -1, words_.sum_of(y));
  const std::optional<SoftSum> product =
      difference ? words_.tables().product(words_.sum_of(predicate), *difference, words_.names().limits().chosen)
                 : std::nullopt;
  const std::optional<SoftSum> result = product ? SoftTables::combined(1, words_.sum_of(y), 1, *product) : std::nullopt;
  return result ? std::optional(words_.word_of(*result)) : std::nullopt;
}

SoftOperations::Word SoftOperations::uncached_choice(Word predicate, Word x, Word y) {
  const std::array<Word, 3> operands{predicate, x, y};
  if (words_.is_opaque(predicate) || words_.is_opaque(x) || words_.is_opaque(y))
    return opaque_result(kChosen, operands);
  const auto f = [](std::vector<Numbers>& t) {
    Numbers result = t[2];
    for (size_t i = 0; i < result.size(); ++i) result[i] = t[0][i] != 0 ? t[1][i] : t[2][i];
    return result;
  };
  if (const std::optional<Word> result = words_.pointwise(operands, f)) return *result;
  if (const std::optional<Word> result = chosen_sum(predicate, x, y)) return *result;
  if (const std::optional<Word> result = words_.partwise(operands, f)) return *result;
  return opaque_result(kChosen, operands);
}

SoftOperations::Word SoftOperations::choose(Word predicate, DType dtype, Word x, Word y) {
  return remembered({kChosen + static_cast<uint64_t>(dtype), predicate, x, y},
                    [&] { return uncached_choice(predicate, x, y); });
}

SoftOperations::Word SoftOperations::uncached_conversion(uint64_t function, DType to, Word x) {
  const std::array<Word, 1> operand{x};
  if (words_.is_opaque(x)) return opaque_result(function, operand);
  const auto f = [&](std::vector<Numbers>& t) { return widened(to, t[0].size(), wrapped(to, t[0])); };
  if (const std::optional<Word> result = words_.pointwise(operand, f)) return *result;
  if (words_.is_sum(x) && within(words_.tables().range(words_.sum_of(x)), range_of(to))) return x;
  if (const std::optional<Word> result = words_.partwise(operand, f)) return *result;
  return opaque_result(function, operand);
}

SoftOperations::Word SoftOperations::convert(DType from, DType to, Word x) {
  const uint64_t function = kConverted + (static_cast<uint64_t>(from) << 8) + static_cast<uint64_t>(to);
  return remembered({function, x, 0, 0}, [&] { return uncached_conversion(function, to, x); });
}

}  // namespace isoshard::sim
