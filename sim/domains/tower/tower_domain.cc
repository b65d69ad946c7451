// Arrays of rung E: residues of all components of all lanes in planes, and a plane of words that say what an element is
// besides (a logarithm, a multiple of T, an exact number). Arrays of plain residues, by far most, are added, multiplied
// and summed plane by plane (TowerPlanes); where some element has a form, and for functions and comparisons, ops go
// element by element (TowerElements, TowerFunctions, TowerOrder). One form has one word, so that words compare as forms
// do, and 0 is a plain residue, so that a plane of zeros is found by a scan. In products of matrices that mix numbers
// with residues, rows and columns of numbers only are calculated again as numbers, since they must stay such. What it
// decides and why: docs/spec/verdict.md, "Rings". Cost: components times lanes times that of one prime field.
#include "sim/domains/tower/tower_domain.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "core/support/mix.h"
#include "core/support/rational_gmp.h"
#include "sim/domains/masks.h"
#include "sim/integers/integer_ops.h"
#include "sim/value/new_value.h"
#include "sim/value/reduce_offsets.h"
#include "sim/value/top_k.h"

namespace isoshard::sim {

bool TowerDomain::all_finite_residues(int64_t n, const std::byte* x) const {
  const std::span<const uint64_t> all = planes_.forms(n, x);
  return std::all_of(all.begin(), all.end(), [&](uint64_t f) { return RingForms::is_plain(f) || ring_.is_number(f); });
}

void TowerDomain::constant(const Rational& constant, DType dtype, std::byte* out) const {
  planes_.put(functions_.read(constant, dtype), 1, 0, out);
}

void TowerDomain::from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const {
  constexpr double kInteger = 0x1p50;
  planes_.each(n, out, [&](int64_t i) {
    if (!std::isfinite(x[i])) return functions_.read(Rational::from_double(x[i]), dtype);
    if (std::fabs(x[i]) < kInteger && x[i] == std::trunc(x[i])) return ring_.integer(static_cast<int64_t>(x[i]));
    return ring_.number(mpq_class(x[i]));
  });
}

void TowerDomain::random(int64_t n, const RandomWord& word, std::byte* out) const {
  for (size_t l = 0; l < lanes(); ++l) {
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t w = word(l, static_cast<uint64_t>(i));
      for (size_t c = 0; c < ring_.height(); ++c) {
        const size_t r = c * lanes() + l;
        TowerPlanes::words(out)[static_cast<int64_t>(r) * n + i] =
            ring_.field(r).residue(mix(w + 2 * c), mix(w + 2 * c + 1));
      }
    }
  }
  planes_.make_plain(n, out);
}

void TowerDomain::poison(DType, uint64_t seed, int64_t n, std::byte* out) const {
  random(
      n, [&](size_t lane, uint64_t i) { return ring_.functions().padding(seed, lane, i); }, out);
}

void TowerDomain::from_integers(DType, int64_t n, const int64_t* x, std::byte* out) const {
  planes_.each(n, out, [&](int64_t i) {
    return std::abs(x[i]) < int64_t{1} << 50 ? ring_.integer(x[i]) : ring_.number(mpq_class(static_cast<long>(x[i])));
  });
}

void TowerDomain::to_integers(DType dtype, int64_t n, const std::byte* x, DType to, int64_t* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const Element e = functions_.sinusoids().seen(planes_.at(n, x, i));
    if (!ring_.is_number(e)) ring_.notes().note_undecided("an integer from a float that depends on the inputs");
    out[i] = ring_.is_number(e) ? integer::truncated_from(dtype, from_mpq(ring_.value(e)), to) : 0;
  }
}

void TowerDomain::convert(DType, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  for (int64_t i = 0; i < n && to == DType::f8e4m3; ++i) {
    if (!is_finite(n, x, i)) ring_.notes().note_undecided("an infinity in f8e4m3, which has none");
  }
  std::copy_n(TowerPlanes::words(x), static_cast<int64_t>(ring_.residues() + 1) * n, TowerPlanes::words(out));
}

Tensor TowerDomain::to_tensor(const Value& value) const {
  Shape shape{static_cast<int64_t>(lanes())};
  shape.insert(shape.end(), value.type.shape.begin(), value.type.shape.end());
  return Tensor::from_bytes(DType::i64, std::move(shape), {value.data.get(), lanes() * value.plane_bytes()});
}

Value TowerDomain::opaque_identity(const Value& x) const {
  NewValue result(x.type, x.storage);
  planes_.each(x.size(), result.data.get(),
               [&](int64_t i) { return ring_.opaque_identity(planes_.at(x.size(), x.data.get(), i)); });
  return std::move(result).finish();
}

bool TowerDomain::all_numbers(const Value& x) const {
  const std::span<const uint64_t> all = planes_.forms(x.size(), x.data.get());
  return std::all_of(all.begin(), all.end(), [&](uint64_t form) { return ring_.is_number(form); });
}

uint64_t TowerDomain::fingerprint(const Value& x, size_t lane, int64_t i) const {
  const int64_t n = x.size();
  if (RingForms::is_plain(planes_.forms(n, x.data.get())[static_cast<size_t>(i)])) {
    return TowerPlanes::words(x.data.get())[static_cast<int64_t>(lane) * n + i];
  }
  return ring_.fingerprint(planes_.at(n, x.data.get(), i)).a[lane];
}

std::vector<PrimeField> TowerDomain::residue_fields() const {
  std::vector<PrimeField> fields;
  for (size_t r = 0; r < ring_.residues(); ++r) fields.push_back(ring_.field(r));
  return fields;
}

void TowerDomain::read_residues(int64_t n, const std::byte* x, int64_t i, std::span<uint64_t> residues) const {
  const Element element = planes_.at(n, x, i);
  const Element named = ring_.is_plain(element) || ring_.is_number(element) ? element : ring_.fingerprint(element);
  std::copy_n(named.a.begin(), ring_.residues(), residues.begin());
}

void TowerDomain::write_residues(int64_t n, int64_t i, std::span<const uint64_t> residues, std::byte* out) const {
  Element element;
  std::copy_n(residues.begin(), ring_.residues(), element.a.begin());
  planes_.put(element, n, i, out);
}

bool TowerDomain::is_number(int64_t n, const std::byte* x, int64_t i) const {
  return ring_.is_number(planes_.at(n, x, i));
}

/// A number that would count as an infinity where it meets data is not one that a mean may be made of.
bool TowerDomain::is_finite(int64_t n, const std::byte* x, int64_t i) const {
  const Element element = planes_.at(n, x, i);
  return ring_.is_plain(element) || (ring_.is_number(element) && abs(ring_.value(element)) < kLeastMask);
}

uint64_t TowerDomain::residue(const Value& x, size_t lane, int64_t i) const {
  return ring_.canonical(planes_.at(x.size(), x.data.get(), i)).a[lane];
}

uint32_t TowerDomain::non_unit_lanes(const Value& x, int64_t i) const {
  const Element e = planes_.at(x.size(), x.data.get(), i);
  uint32_t result = 0;
  if (!ring_.is_plain(e) && !ring_.is_number(e)) return 0;
  for (size_t r = 0; r < ring_.residues(); ++r) result |= ring_.field(r).is_unit(e.a[r]) ? 0 : 1U << r % lanes();
  return result;
}

void TowerDomain::make_comparable(std::span<Value* const> values) const {
  uint64_t q = 0;
  const auto each_element = [&](const auto& use) {
    for (Value* value : values) {
      for (int64_t i = 0; i < value->size(); ++i) use(*value, i);
    }
  };
  each_element([&](const Value& v, int64_t i) {
    const RingForm form = ring_.form(planes_.at(v.size(), v.data.get(), i));
    if (form.q == 0) return;
    const uint64_t common = std::lcm(std::max<uint64_t>(q, 1), form.q);
    q = common <= TowerElements::kMaxFactors ? common : q;  // beyond it elements keep their own q
  });
  for (Value* value : values) {
    const int64_t n = value->size();
    std::shared_ptr<std::byte> data = allocate_aligned(value->bytes());
    for (int64_t i = 0; i < n; ++i)
      planes_.put(ring_.comparable(planes_.at(n, value->data.get(), i), q), n, i, data.get());
    value->data = std::move(data);
  }
}

void TowerDomain::invert(int64_t n, const std::byte* x, std::byte* out) const {
  planes_.invert(n, x, out);
  for (int64_t i = 0; i < n; ++i) {
    const Element inverse = planes_.at(n, out, i);
    const auto end = inverse.a.begin() + static_cast<std::ptrdiff_t>(ring_.residues());
    if (std::find(inverse.a.begin(), end, uint64_t{0}) != end)
      planes_.put(functions_.inverted(planes_.at(n, x, i)), n, i, out);
  }
}

void TowerDomain::divide(int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  std::vector<std::byte> inverses(planes_.bytes(n));
  invert(n, y, inverses.data());
  binary(BinaryOp::multiply, DType::f32, n, x, inverses.data(), out);
}

void TowerDomain::logistic(int64_t n, const std::byte* x, std::byte* out) const {
  std::vector<std::byte> denominators(planes_.bytes(n));
  planes_.each(n, denominators.data(), [&](int64_t i) {
    return ring_.sum(ring_.integer(1), functions_.exponential(ring_.negated(planes_.at(n, x, i))));
  });
  invert(n, denominators.data(), out);
}

void TowerDomain::unary(UnaryOp op, DType, int64_t n, const std::byte* x, std::byte* out) const {
  if (op == UnaryOp::logistic && planes_.all_plain(n, x)) return logistic(n, x, out);
  planes_.each(n, out, [&](int64_t i) { return functions_.apply(op, planes_.at(n, x, i)); });
}

void TowerDomain::binary(BinaryOp op, DType, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  if (op == BinaryOp::divide && planes_.all_plain(n, y)) return divide(n, x, y, out);
  const bool residues = op == BinaryOp::add || op == BinaryOp::subtract || op == BinaryOp::multiply;
  if (!residues || !planes_.all_plain(n, x) || !planes_.all_plain(n, y)) {
    return planes_.each(n, out,
                        [&](int64_t i) { return functions_.apply(op, planes_.at(n, x, i), planes_.at(n, y, i)); });
  }
  planes_.binary(op, n, x, y, out);
}

void TowerDomain::dot(DType, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                      std::byte* out) const {
  const auto exactly = [&](int64_t i, int64_t j) {
    Element result = ring_.integer(0);
    for (int64_t t = 0; t < k; ++t)
      result = ring_.sum(result, ring_.product(planes_.at(m * k, a, i * k + t), planes_.at(k * n, b, t * n + j)));
    return result;
  };
  if (!all_finite_residues(m * k, a) || !all_finite_residues(k * n, b)) {
    return planes_.each(m * n, out, [&](int64_t i) { return exactly(i / n, i % n); });
  }
  planes_.dot(m, n, k, a, b, out);
  // Numbers times numbers are numbers.
  const auto number_at = [&](int64_t size, const std::byte* x, int64_t i) {
    return ring_.is_number(planes_.forms(size, x)[static_cast<size_t>(i)]);
  };
  std::vector<int64_t> rows, columns;
  const auto all_numbers = [k](const auto& at_index) {
    for (int64_t t = 0; t < k; ++t) {
      if (!at_index(t)) return false;
    }
    return true;
  };
  for (int64_t i = 0; i < m; ++i) {
    if (all_numbers([&](int64_t t) { return number_at(m * k, a, i * k + t); })) rows.push_back(i);
  }
  for (int64_t j = 0; j < n && !rows.empty(); ++j) {
    if (all_numbers([&](int64_t t) { return number_at(k * n, b, t * n + j); })) columns.push_back(j);
  }
  for (const int64_t i : rows) {
    for (const int64_t j : columns) planes_.put(exactly(i, j), m * n, i * n + j, out);
  }
}

void TowerDomain::sum(DType, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  const int64_t in = plan.input_size(), n = plan.output_size();
  if (n == 0) return;
  if (in != 0 && planes_.all_plain(in, x)) return planes_.sum(plan, x, out);
  const std::vector<int64_t> kept = offsets(plan.kept()), reduced = offsets(plan.reduced());
  planes_.each(n, out, [&](int64_t i) {
    Element result = ring_.integer(0);
    for (int64_t j = 0; j < plan.count(); ++j) {
      result = ring_.sum(result, planes_.at(in, x, kept[static_cast<size_t>(i)] + reduced[static_cast<size_t>(j)]));
    }
    return result;
  });
}

void TowerDomain::accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const {
  if (planes_.all_plain(n, acc) && planes_.all_plain(n, x)) return binary(BinaryOp::add, dtype, n, acc, x, acc);
  planes_.each(n, acc, [&](int64_t i) { return ring_.sum(planes_.at(n, acc, i), planes_.at(n, x, i)); });
}

void TowerDomain::from_native(int64_t n, const uint8_t* x, std::byte* out) const {
  const Element bits[] = {ring_.integer(0), ring_.integer(1)};
  planes_.each(n, out, [&](int64_t i) { return bits[x[i] != 0]; });
}

void TowerDomain::decide(int64_t n, const std::byte* predicate, uint8_t* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const Element p = planes_.at(n, predicate, i);
    if (!ring_.is_number(p)) ring_.notes().note_undecided("an integer that depends on a predicate of floats");
    out[i] = ring_.is_number(p) && ring_.value(p) != 0 ? 1 : 0;
  }
}

void TowerDomain::to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const {
  convert(DType::pred, dtype, n, predicate, out);
}

void TowerDomain::compare(Direction direction, DType, int64_t n, const std::byte* x, const std::byte* y,
                          std::byte* out) const {
  planes_.each(n, out, [&](int64_t i) { return order_.compared(direction, planes_.at(n, x, i), planes_.at(n, y, i)); });
}

void TowerDomain::finite(DType, int64_t n, const std::byte* x, std::byte* out) const {
  planes_.each(n, out, [&](int64_t i) {
    const Element e = planes_.at(n, x, i);
    if (ring_.form(e).kind == RingForm::Kind::minus_infinity) return ring_.integer(0);
    return ring_.opaque(Opaque::finite, ring_.named(e));
  });
}

void TowerDomain::logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  planes_.each(n, out, [&](int64_t i) {
    const Element a = planes_.at(n, x, i);
    if (op == Logic::negation) return ring_.complement(a);
    const Element b = planes_.at(n, y, i);
    if (op == Logic::conjunction) return ring_.product(a, b);
    return ring_.complement(ring_.product(ring_.complement(a), ring_.complement(b)));
  });
}

void TowerDomain::select(DType, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
                         std::byte* out) const {
  planes_.each(n, out, [&](int64_t i) {
    return order_.chosen(planes_.at(n, predicate, i), planes_.at(n, x, i), planes_.at(n, y, i));
  });
}

void TowerDomain::sign(SignOp op, DType, int64_t n, const std::byte* x, std::byte* out) const {
  planes_.each(n, out, [&](int64_t i) { return order_.sign(op, planes_.at(n, x, i)); });
}

void TowerDomain::extreme(Extreme op, DType, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  planes_.each(n, out, [&](int64_t i) { return order_.extreme(op, planes_.at(n, x, i), planes_.at(n, y, i)); });
}

void TowerDomain::top_k(DType, int64_t rows, int64_t length, int64_t k, const std::byte* x, int32_t* indices) const {
  const int64_t n = rows * length;
  std::vector<Element> elements;
  bool decided = ring_.order().key != 0;
  for (int64_t i = 0; i < n; ++i) elements.push_back(planes_.at(n, x, i));
  if (!decided)
    decided = std::all_of(elements.begin(), elements.end(), [&](const Element& e) { return ring_.is_number(e); });
  if (!decided && length > 1 && rows > 0) ring_.notes().note_undecided("an index of argmax or top_k");
  const auto above = [&](int64_t a, int64_t b) {
    const Element &left = elements[static_cast<size_t>(a)], &right = elements[static_cast<size_t>(b)];
    return decided && ring_.value(order_.compared(Direction::gt, left, right)) != 0;
  };
  top_k_rows(rows, length, k, above, indices);
}

}  // namespace isoshard::sim
