#include "sim/domains/ring_c.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/support/check.h"
#include "core/support/mix.h"
#include "sim/integer_ops.h"

namespace isoshard::sim {
namespace {

const uint64_t* words(const std::byte* p) { return reinterpret_cast<const uint64_t*>(p); }
uint64_t* words(std::byte* p) { return reinterpret_cast<uint64_t*>(p); }

/// Different primes, fixed by the hash.
std::vector<PrimeCube> draw_lanes(size_t lanes, const KeyedHash& keys) {
  std::vector<uint32_t> primes(cube_primes().begin(), cube_primes().end());
  std::vector<PrimeCube> result;
  for (size_t l = 0; l < lanes; ++l) {
    const size_t chosen = l + scaled(keys.with(l), static_cast<uint32_t>(primes.size() - l));
    std::swap(primes[l], primes[chosen]);
    result.emplace_back(primes[l]);
  }
  return result;
}

}  // namespace

ExpRingDomain::ExpRingDomain(size_t lanes, uint64_t seed, Options options)
    : hash_(seed, 0x6578706f6e656e74u), options_(options) {
  ISOSHARD_CHECK(lanes >= 1 && lanes <= kMaxLanes, "a ring has 1 to 8 lanes");
  const KeyedHash keys = hash_;
  lanes_ = draw_lanes(lanes, KeyedHash(keys.with(0), keys.with(1)));
  hash_ = KeyedHash(keys.with(2), keys.with(3));
  for (size_t l = 0; l < kMaxLanes; ++l) lane_keys_[l] = keys.with(4 + l);
}

std::vector<mpq_class> ExpRingDomain::infinities() const {
  const std::lock_guard lock(mutex_);
  return {infinities_.begin(), infinities_.end()};
}

std::string ExpRingDomain::undecided() const {
  const std::lock_guard lock(mutex_);
  return undecided_;
}

void ExpRingDomain::note_undecided(const std::string& what) const {
  const std::lock_guard lock(mutex_);
  if (undecided_.empty()) undecided_ = what;
}

std::optional<Rational> ExpRingDomain::unrepresentable() const {
  const std::lock_guard lock(mutex_);
  return unrepresentable_;
}

void ExpRingDomain::note_unrepresentable(const Rational& constant) const {
  const std::lock_guard lock(mutex_);
  if (!unrepresentable_) unrepresentable_ = constant;
}

ExpRingDomain::Element ExpRingDomain::at(int64_t n, const std::byte* x, int64_t i) const {
  const auto count = static_cast<int64_t>(lanes());
  Element result;
  result.form = words(x)[2 * count * n + i];
  for (int64_t l = 0; l < count; ++l) result.a[static_cast<size_t>(l)] = words(x)[l * n + i];
  if (RingForms::is_plain(result.form)) return result;
  for (int64_t l = 0; l < count; ++l) result.u[static_cast<size_t>(l)] = words(x)[(count + l) * n + i];
  return result;
}

void ExpRingDomain::put(const Element& x, int64_t n, int64_t i, std::byte* out) const {
  const auto count = static_cast<int64_t>(lanes());
  for (int64_t l = 0; l < count; ++l) {
    words(out)[l * n + i] = x.a[static_cast<size_t>(l)];
    words(out)[(count + l) * n + i] = x.u[static_cast<size_t>(l)];
  }
  words(out)[2 * count * n + i] = x.form;
}

bool ExpRingDomain::all_plain(int64_t n, const std::byte* x) const {
  const uint64_t* forms = words(x) + static_cast<int64_t>(2 * lanes()) * n;
  return std::all_of(forms, forms + n, &RingForms::is_plain);
}

bool ExpRingDomain::all_finite_residues(int64_t n, const std::byte* x) const {
  const uint64_t* forms = words(x) + static_cast<int64_t>(2 * lanes()) * n;
  return std::all_of(forms, forms + n, [&](uint64_t f) { return RingForms::is_plain(f) || forms_.is_number(f); });
}

/// u = 1 everywhere and no forms.
void ExpRingDomain::make_plain(int64_t n, std::byte* out) const {
  const auto count = static_cast<int64_t>(lanes());
  std::fill_n(words(out) + count * n, count * n, uint64_t{1});
  std::fill_n(words(out) + 2 * count * n, n, RingForms::kPlain);
}

ExpRingDomain::Element ExpRingDomain::reading(const ConstantReading& constant) const {
  Element result = number(constant.factor.value());
  for (const uint32_t prime : constant.roots) {
    const Element atom = opaque(Opaque::root, integer(prime));
    Element root;
    for (size_t l = 0; l < lanes(); ++l) root.a[l] = lanes_[l].square_root(prime).value_or(atom.a[l]);
    result = product(result, root);
  }
  return result;
}

ExpRingDomain::Element ExpRingDomain::read(const Rational& constant, DType dtype) const {
  if (constant.finite()) return reading(read_constant(constant, dtype));
  if (!constant.is_nan() && constant.negative()) return minus_infinity();
  note_unrepresentable(constant);
  return opaque(Opaque::not_a_number, integer(constant.is_nan() ? 0 : 1));
}

void ExpRingDomain::constant(const Rational& constant, DType dtype, std::byte* out) const {
  put(read(constant, dtype), 1, 0, out);
}

void ExpRingDomain::from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const {
  constexpr double kInteger = 0x1p50;
  each(n, out, [&](int64_t i) {
    if (!std::isfinite(x[i])) return read(Rational::from_double(x[i]), dtype);
    if (std::fabs(x[i]) < kInteger && x[i] == std::trunc(x[i])) return integer(static_cast<int64_t>(x[i]));
    return number(mpq_class(x[i]));
  });
}

void ExpRingDomain::random(int64_t n, const RandomWord& word, std::byte* out) const {
  for (size_t l = 0; l < lanes(); ++l) {
    uint64_t* lane = words(out) + static_cast<int64_t>(l) * n;
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t w = word(l, static_cast<uint64_t>(i));
      lane[i] = lanes_[l].residue(w, mix(w + 1));
    }
  }
  make_plain(n, out);
}

void ExpRingDomain::poison(DType, uint64_t seed, int64_t n, std::byte* out) const {
  KeyedHash padding = hash_;
  padding.absorb(static_cast<uint64_t>(Opaque::padding));
  padding.absorb(seed);
  const auto word = [&](size_t lane, uint64_t i) {
    KeyedHash element = padding;
    element.absorb(i);
    return element.with(lane_keys_[lane]);
  };
  random(n, word, out);
}

void ExpRingDomain::from_integers(DType, int64_t n, const int64_t* x, std::byte* out) const {
  each(n, out, [&](int64_t i) {
    return std::abs(x[i]) < int64_t{1} << 50 ? integer(x[i]) : number(mpq_class(static_cast<long>(x[i])));
  });
}

void ExpRingDomain::to_integers(DType, int64_t n, const std::byte* x, DType to, int64_t* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const Element e = at(n, x, i);
    if (!is_number(e)) note_undecided("an integer from a float that depends on the inputs");
    out[i] = integer::truncated(is_number(e) ? value(e).get_d() : 0.0, to);
  }
}

void ExpRingDomain::convert(DType, DType, int64_t n, const std::byte* x, std::byte* out) const {
  std::copy_n(words(x), static_cast<int64_t>(2 * lanes() + 1) * n, words(out));
}

Tensor ExpRingDomain::to_tensor(const Value& value) const {
  Shape shape{static_cast<int64_t>(lanes())};
  shape.insert(shape.end(), value.type.shape.begin(), value.type.shape.end());
  return Tensor::from_bytes(DType::i64, std::move(shape), {value.data.get(), lanes() * value.plane_bytes()});
}

uint64_t ExpRingDomain::residue(const Value& x, size_t lane, int64_t i) const {
  return canonical(at(x.size(), x.data.get(), i)).a[lane];
}

uint32_t ExpRingDomain::non_unit_lanes(const Value& x, int64_t i) const {
  const Element e = at(x.size(), x.data.get(), i);
  uint32_t result = 0;
  if (!is_plain(e) && !is_number(e)) return 0;
  for (size_t l = 0; l < lanes(); ++l) result |= lanes_[l].is_unit(e.a[l]) ? 0 : 1U << l;
  return result;
}

void ExpRingDomain::make_comparable(std::span<Value* const> values) const {
  uint64_t q = 0;
  const auto each_element = [&](const auto& use) {
    for (Value* value : values) {
      for (int64_t i = 0; i < value->size(); ++i) use(*value, i);
    }
  };
  each_element([&](const Value& v, int64_t i) {
    const RingForm form = forms_.form(at(v.size(), v.data.get(), i).form);
    if (form.q == 0) return;
    const uint64_t common = std::lcm(std::max<uint64_t>(q, 1), form.q);
    q = common <= kMaxFactors ? common : q;  // beyond it elements keep their own q
  });
  for (Value* value : values) {
    const int64_t n = value->size();
    if (all_plain(n, value->data.get()) && q == 0) continue;
    std::shared_ptr<std::byte> data = allocate_aligned(value->bytes());
    for (int64_t i = 0; i < n; ++i) put(comparable(at(n, value->data.get(), i), q), n, i, data.get());
    value->data = std::move(data);
  }
}

/// The same element of all that are equal to it, where one common q is known (0: there are no logarithms).
ExpRingDomain::Element ExpRingDomain::comparable(const Element& x, uint64_t q) const {
  RingForm form = forms_.form(x.form);
  if (q == 0 || form.kind == RingForm::Kind::minus_infinity) return canonical(x);
  if (form.q != 0 && q % form.q != 0) return canonical(x);
  Element result = raised(x, q);
  form.c = form.kind == RingForm::Kind::number ? mpq_class(0) : form.c;
  form.kind = RingForm::Kind::value;
  form.q = q;
  form.factors = 0;
  result.form = forms_.word(form);
  return result;
}

}  // namespace isoshard::sim
