// Ops on floats of a soft domain, in three layers: the ring's op on the elements, which are means where a float has a
// table; the same op on tables, part by part, where these are small (32 parts through every op, 1024 through + - x and
// sums); and what is known of floats that are numbers. Each layer is right without the one above, which only knows
// more: a mean of a table is what the ring's op would give on the collapsed operands only where the op is linear, so
// results of tables write their own means. Cost: parts times the ring's op.
#include "sim/domains/soft/soft_float_domain.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "sim/domains/soft/soft_cases.h"
#include "sim/value/reduce_offsets.h"

namespace isoshard::sim {
namespace {

bool is_ring_op(BinaryOp op) { return op == BinaryOp::add || op == BinaryOp::subtract || op == BinaryOp::multiply; }

}  // namespace

SoftFloatDomain::SoftFloatDomain(std::unique_ptr<ExactRing> ring, uint64_t seed, Options options)
    : SoftWordDomain(std::move(ring), seed, options.weights, options.limits),
      options_(std::move(options)),
      arrays_(*ring_, integers_, options_),
      numbers_(arrays_, options_),
      products_(arrays_),
      cells_(arrays_, options_.cuts),
      order_(arrays_) {}

Storage SoftFloatDomain::storage(DType dtype) const {
  if (dtype == DType::pred) return {sizeof(Word), 1};
  const Storage storage = ring_->storage(dtype);
  return {storage.element_bytes, storage.planes + 2};
}

void SoftFloatDomain::random(int64_t n, const RandomWord& word, std::byte* out) const {
  ring_->random(n, word, out);
  arrays_.no_tables(DType::f32, n, out);  // all float dtypes are stored alike
  if (cells_.cut()) cells_.put_cells(n, out);
}

void SoftFloatDomain::from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const {
  ring_->from_doubles(dtype, n, x, out);
  arrays_.no_tables(dtype, n, out);
  for (int64_t i = 0; i < n; ++i) {
    if (std::isfinite(x[i]))
      arrays_.set_number(arrays_.known().number(RealNumber::exactly(mpq_class(x[i]))), dtype, n, i, out);
  }
}

void SoftFloatDomain::from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const {
  ring_->from_integers(dtype, n, x, out);
  arrays_.no_tables(dtype, n, out);
  for (int64_t i = 0; i < n; ++i) {
    arrays_.set_number(arrays_.known().number(RealNumber::whole(x[i])), dtype, n, i, out);
  }
}

void SoftFloatDomain::unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  const size_t most = op == UnaryOp::negate ? SoftIntegers::kMostCounts : integers_.limits().everywhere;
  const KnownFloats known = numbers_.known_floats(dtype, n, x);
  const std::vector<std::byte> argument = options_.ordered ? arrays_.copy_of(dtype, n, x) : std::vector<std::byte>();
  arrays_.on_tables(dtype, n, x, out, most, [&](int64_t count, const std::byte* from, std::byte* to) {
    ring_->unary(op, dtype, count, from, to);
  });
  numbers_.take_numbers(op, known, out);
  if (options_.ordered && op == UnaryOp::exponential) order_.note_exponentials(dtype, n, argument.data(), out);
}

void SoftFloatDomain::sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  const std::vector<std::byte> from = options_.cases ? arrays_.copy_of(dtype, n, x) : std::vector<std::byte>();
  const KnownFloats known = numbers_.known_floats(dtype, n, x);
  arrays_.on_tables(dtype, n, x, out, integers_.limits().everywhere,
                    [&](int64_t count, const std::byte* a, std::byte* to) { ring_->sign(op, dtype, count, a, to); });
  if (options_.cases && op == SignOp::abs) {
    std::vector<std::byte> opposite(from.size());
    unary(UnaryOp::negate, dtype, n, from.data(), opposite.data());
    choose_by_cases(arrays_, {dtype, n, from.data(), opposite.data(), Extreme::maximum}, out);
  }
  if (cells_.cut()) cells_.take_signs(op, {dtype, n, from.data(), nullptr, Extreme::maximum}, out);
  numbers_.take_numbers(op, known, out);
}

void SoftFloatDomain::binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                             std::byte* out) const {
  const size_t most = is_ring_op(op) ? SoftIntegers::kMostCounts : integers_.limits().everywhere;
  const KnownFloats left = numbers_.known_floats(dtype, n, x), right = numbers_.known_floats(dtype, n, y);
  const bool ordered = options_.ordered && op == BinaryOp::divide;
  const std::vector<std::byte> dividend = ordered ? arrays_.copy_of(dtype, n, x) : std::vector<std::byte>();
  const std::vector<std::byte> divisor = ordered ? arrays_.copy_of(dtype, n, y) : std::vector<std::byte>();
  arrays_.on_joint_tables(dtype, n, x, y, out, most,
                          [&](int64_t count, const std::byte* a, const std::byte* b, std::byte* to) {
                            ring_->binary(op, dtype, count, a, b, to);
                          });
  numbers_.take_numbers(op, left, right, out);
  if (ordered) order_.note_quotients(n, dividend.data(), divisor.data(), out);
}

void SoftFloatDomain::extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                              std::byte* out) const {
  const std::vector<std::byte> left = options_.cases ? arrays_.copy_of(dtype, n, x) : std::vector<std::byte>();
  const std::vector<std::byte> right = options_.cases ? arrays_.copy_of(dtype, n, y) : std::vector<std::byte>();
  const KnownFloats known_left = numbers_.known_floats(dtype, n, x), known_right = numbers_.known_floats(dtype, n, y);
  arrays_.on_joint_tables(dtype, n, x, y, out, integers_.limits().everywhere,
                          [&](int64_t count, const std::byte* a, const std::byte* b, std::byte* to) {
                            ring_->extreme(op, dtype, count, a, b, to);
                          });
  if (options_.cases) choose_by_cases(arrays_, {dtype, n, left.data(), right.data(), op}, out);
  if (cells_.cut()) cells_.take_extremes(op, {dtype, n, left.data(), right.data(), op}, out);
  numbers_.take_numbers(op, known_left, known_right, out);
}

void SoftFloatDomain::accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const {
  binary(BinaryOp::add, dtype, n, acc, x, acc);
}

void SoftFloatDomain::convert(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  const std::vector<SoftFloats::Id> ids = arrays_.tables(from, n, x);
  const std::vector<SoftNumbers::Id> known = arrays_.numbers(from, n, x);
  ring_->convert(from, to, n, x, out);
  arrays_.no_tables(to, n, out);
  for (size_t i = 0; i < ids.size(); ++i) arrays_.set_table(ids[i], to, n, static_cast<int64_t>(i), out);
  for (size_t i = 0; i < known.size(); ++i) arrays_.set_number(known[i], to, n, static_cast<int64_t>(i), out);
}

void SoftFloatDomain::dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                          std::byte* out) const {
  ring_->dot(dtype, m, n, k, a, b, out);
  arrays_.no_tables(dtype, m * n, out);
  products_.multiply({dtype, {m, n, k}, a, b, arrays_.tables(dtype, m * k, a), arrays_.tables(dtype, k * n, b)}, out);
  numbers_.take_products({m, n, k}, dtype, arrays_.numbers(dtype, m * k, a), arrays_.numbers(dtype, k * n, b), out);
}

void SoftFloatDomain::sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  ring_->sum(dtype, plan, x, out);
  arrays_.no_tables(dtype, plan.output_size(), out);
  if (options_.ordered) order_.note_sums(plan, x, out);
  sum_tables(dtype, plan, x, out);
  numbers_.take_sums(plan, dtype, arrays_.numbers(dtype, plan.input_size(), x), out);
}

void SoftFloatDomain::sum_tables(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  const std::vector<SoftFloats::Id> ids = arrays_.tables(dtype, plan.input_size(), x);
  if (ids.empty()) return;
  const std::vector<int64_t> kept = offsets(plan.kept()), reduced = offsets(plan.reduced());
  for (int64_t i = 0; i < plan.output_size(); ++i) {
    std::vector<SoftFloats::Id> terms;
    for (const int64_t j : reduced) terms.push_back(ids[static_cast<size_t>(kept[static_cast<size_t>(i)] + j)]);
    const std::optional<SoftIntegers::Partition> over = arrays_.joint(terms, integers_.limits().joint);
    const size_t entries = over ? integers_.parts(*over) : 1;
    if (entries == 1 || entries > arrays_.most_parts(*over)) continue;
    std::vector<std::byte> total;
    for (size_t j = 0; j < terms.size(); ++j) {
      std::vector<std::byte> term =
          arrays_.spread(terms[j], dtype, plan.input_size(), x, kept[static_cast<size_t>(i)] + reduced[j], *over);
      if (total.empty()) {
        total = std::move(term);
      } else {
        ring_->accumulate(dtype, static_cast<int64_t>(entries), total.data(), term.data());
      }
    }
    arrays_.keep(std::move(total), *over, dtype, plan.output_size(), i, out);
  }
}

}  // namespace isoshard::sim
