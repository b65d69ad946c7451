// Arrays of rung E: residues of all components of all lanes in planes, and a plane of words that say what an element is
// besides (a logarithm, a multiple of T, an exact number). Plain residues are the usual case and go through loops per
// plane; where some element has a form, ops go element by element (tower_elements.cc). One form has one word, so that
// words compare as forms do, and 0 is a plain residue, so that a plane of zeros is found by a scan. Matrix products and
// sums are made modulo each prime. What it decides and why: docs/spec/verdict.md, "Rings". Cost: components times lanes
// times that of one prime field.
#include "sim/domains/tower/tower_domain.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/support/mix.h"
#include "sim/domains/masks.h"
#include "sim/integers/integer_ops.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {
TowerDomain::Element TowerDomain::at(int64_t n, const std::byte* x, int64_t i) const {
  const auto count = static_cast<int64_t>(ring_.residues());
  Element result;
  for (int64_t r = 0; r < count; ++r) result.a[static_cast<size_t>(r)] = words(x)[r * n + i];
  result.form = words(x)[count * n + i];
  return result;
}

void TowerDomain::put(const Element& x, int64_t n, int64_t i, std::byte* out) const {
  const auto count = static_cast<int64_t>(ring_.residues());
  for (int64_t r = 0; r < count; ++r) words(out)[r * n + i] = x.a[static_cast<size_t>(r)];
  words(out)[count * n + i] = x.form;
}

std::span<const uint64_t> TowerDomain::forms(int64_t n, const std::byte* x) const {
  return {words(x) + static_cast<int64_t>(ring_.residues()) * n, static_cast<size_t>(n)};
}

bool TowerDomain::all_plain(int64_t n, const std::byte* x) const {
  const std::span<const uint64_t> all = forms(n, x);
  return std::all_of(all.begin(), all.end(), &RingForms::is_plain);
}

bool TowerDomain::all_finite_residues(int64_t n, const std::byte* x) const {
  const std::span<const uint64_t> all = forms(n, x);
  return std::all_of(all.begin(), all.end(),
                     [&](uint64_t f) { return RingForms::is_plain(f) || ring_.forms().is_number(f); });
}

/// No forms.
void TowerDomain::make_plain(int64_t n, std::byte* out) const {
  std::fill_n(words(out) + static_cast<int64_t>(ring_.residues()) * n, n, RingForms::kPlain);
}

void TowerDomain::constant(const Rational& constant, DType dtype, std::byte* out) const {
  put(ring_.read(constant, dtype), 1, 0, out);
}

void TowerDomain::from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const {
  constexpr double kInteger = 0x1p50;
  each(n, out, [&](int64_t i) {
    if (!std::isfinite(x[i])) return ring_.read(Rational::from_double(x[i]), dtype);
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
        words(out)[static_cast<int64_t>(r) * n + i] = ring_.field(r).residue(mix(w + 2 * c), mix(w + 2 * c + 1));
      }
    }
  }
  make_plain(n, out);
}

void TowerDomain::poison(DType, uint64_t seed, int64_t n, std::byte* out) const {
  random(
      n, [&](size_t lane, uint64_t i) { return ring_.padding(seed, lane, i); }, out);
}

void TowerDomain::from_integers(DType, int64_t n, const int64_t* x, std::byte* out) const {
  each(n, out, [&](int64_t i) {
    return std::abs(x[i]) < int64_t{1} << 50 ? ring_.integer(x[i]) : ring_.number(mpq_class(static_cast<long>(x[i])));
  });
}

void TowerDomain::to_integers(DType, int64_t n, const std::byte* x, DType to, int64_t* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const Element e = ring_.seen(at(n, x, i));
    if (!ring_.is_number(e)) ring_.notes().note_undecided("an integer from a float that depends on the inputs");
    out[i] = integer::truncated(ring_.is_number(e) ? ring_.value(e).get_d() : 0.0, to);
  }
}

void TowerDomain::convert(DType, DType, int64_t n, const std::byte* x, std::byte* out) const {
  std::copy_n(words(x), static_cast<int64_t>(ring_.residues() + 1) * n, words(out));
}

Tensor TowerDomain::to_tensor(const Value& value) const {
  Shape shape{static_cast<int64_t>(lanes())};
  shape.insert(shape.end(), value.type.shape.begin(), value.type.shape.end());
  return Tensor::from_bytes(DType::i64, std::move(shape), {value.data.get(), lanes() * value.plane_bytes()});
}

Value TowerDomain::opaque_identity(const Value& x) const {
  NewValue result(x.type, x.storage);
  each(x.size(), result.data.get(), [&](int64_t i) { return ring_.opaque_identity(at(x.size(), x.data.get(), i)); });
  return std::move(result).finish();
}

bool TowerDomain::all_numbers(const Value& x) const {
  const std::span<const uint64_t> all = forms(x.size(), x.data.get());
  return std::all_of(all.begin(), all.end(), [&](uint64_t form) { return ring_.forms().is_number(form); });
}

uint64_t TowerDomain::fingerprint(const Value& x, size_t lane, int64_t i) const {
  const int64_t n = x.size();
  if (RingForms::is_plain(forms(n, x.data.get())[static_cast<size_t>(i)])) {
    return words(x.data.get())[static_cast<int64_t>(lane) * n + i];
  }
  return ring_.fingerprint(at(n, x.data.get(), i)).a[lane];
}

std::vector<PrimeField> TowerDomain::residue_fields() const {
  std::vector<PrimeField> fields;
  for (size_t r = 0; r < ring_.residues(); ++r) fields.push_back(ring_.field(r));
  return fields;
}

void TowerDomain::read_residues(int64_t n, const std::byte* x, int64_t i, std::span<uint64_t> residues) const {
  const Element element = at(n, x, i);
  const Element named = ring_.is_plain(element) || ring_.is_number(element) ? element : ring_.fingerprint(element);
  std::copy_n(named.a.begin(), ring_.residues(), residues.begin());
}

void TowerDomain::write_residues(int64_t n, int64_t i, std::span<const uint64_t> residues, std::byte* out) const {
  Element element;
  std::copy_n(residues.begin(), ring_.residues(), element.a.begin());
  put(element, n, i, out);
}

bool TowerDomain::is_number(int64_t n, const std::byte* x, int64_t i) const { return ring_.is_number(at(n, x, i)); }

/// A number that would count as an infinity where it meets data is not one that a mean may be made of.
bool TowerDomain::is_finite(int64_t n, const std::byte* x, int64_t i) const {
  const Element element = at(n, x, i);
  return ring_.is_plain(element) || (ring_.is_number(element) && abs(ring_.value(element)) < kLeastMask);
}

uint64_t TowerDomain::residue(const Value& x, size_t lane, int64_t i) const {
  return ring_.canonical(at(x.size(), x.data.get(), i)).a[lane];
}

uint32_t TowerDomain::non_unit_lanes(const Value& x, int64_t i) const {
  const Element e = at(x.size(), x.data.get(), i);
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
    const RingForm form = ring_.forms().form(at(v.size(), v.data.get(), i).form);
    if (form.q == 0) return;
    const uint64_t common = std::lcm(std::max<uint64_t>(q, 1), form.q);
    q = common <= TowerElements::kMaxFactors ? common : q;  // beyond it elements keep their own q
  });
  for (Value* value : values) {
    const int64_t n = value->size();
    std::shared_ptr<std::byte> data = allocate_aligned(value->bytes());
    for (int64_t i = 0; i < n; ++i) put(ring_.comparable(at(n, value->data.get(), i), q), n, i, data.get());
    value->data = std::move(data);
  }
}

}  // namespace isoshard::sim
