// Linear hashes of tensors: in each lane, the sum of element times a_0^i_0 a_1^i_1 ..., with random units a_d per
// dimension (a polynomial identity test, as in R. Freivalds and in Karp and Rabin's hashes of strings). Linearity is
// what it is for: the fingerprint of a sum is the sum, that of a block at another place is multiplied by a power, so
// that a diagnosis can try every way to put devices together without touching elements again. Two different tensors
// have the same one with probability at most the sum of their sizes over p, per lane. Powers are kept in tables, row
// sums are formed along the last dimension. On rung E component 0 is hashed. Costs one product per element and lane.
// (docs/spec/diagnosis.md)
#include "verify/matching/fingerprint.h"

#include <algorithm>

#include "core/support/check.h"
#include "core/value/integers.h"
#include "sim/domains/exact_ring.h"
#include "verify/compare/random.h"

namespace isoshard::verify {
namespace {

/// A lane of rungs A and B and how its elements lie in a value.
struct PlainLane {
  const sim::PrimeField& ring;

  uint64_t residue(int64_t x) const { return ring.residue(x); }
  auto elements(const sim::Value& value, size_t lane) const {
    return [x = value.plane<uint32_t>(lane)](size_t i) -> uint64_t { return x[i]; };
  }
  uint64_t add(uint64_t a, uint64_t b) const { return ring.add(a, b); }
  uint64_t multiply(uint64_t a, uint64_t b) const { return ring.multiply(a, b); }
};

/// Component 0 of a lane of a tower.
struct TowerLane {
  const sim::TowerDomain& domain;
  const sim::PrimeField& ring;

  uint64_t residue(int64_t x) const { return ring.residue(x); }
  auto elements(const sim::Value& value, size_t lane) const {
    return [this, &value, lane](size_t i) { return domain.fingerprint(value, lane, static_cast<int64_t>(i)); };
  }
  uint64_t add(uint64_t a, uint64_t b) const { return ring.add(a, b); }
  uint64_t multiply(uint64_t a, uint64_t b) const { return ring.multiply(a, b); }
};

template <class T, class Ring, class Use>
uint64_t with_integers(const sim::Value& value, const Ring& ring, const Use& use) {
  return use([x = value.plane<T>(0), &ring](size_t i) { return ring.residue(static_cast<int64_t>(x[i])); });
}

/// Calls `use(element)`, where element(i) is the residue of element i of `lane`.
template <class Ring, class Use>
uint64_t with_elements(const sim::Value& value, size_t lane, const Ring& ring, const Use& use) {
  switch (value.type.dtype) {
    case DType::pred:
      if (value.storage.element_bytes != sizeof(uint8_t)) break;  // a ring's
      return with_integers<uint8_t>(value, ring, use);
    case DType::i8:
    case DType::u8:
    case DType::i32:
    case DType::u32:
    case DType::i64:
    case DType::u64:
      return with_integer(value.type.dtype, [&](auto zero) { return with_integers<decltype(zero)>(value, ring, use); });
    case DType::key:
      return with_integers<uint64_t>(value, ring, use);
    case DType::f8e4m3:
    case DType::f8e5m2:
    case DType::bf16:
    case DType::f16:
    case DType::f32:
    case DType::f64:
      break;
  }
  return use(ring.elements(value, lane));
}

/// The largest size along each dimension: of values, and of globals and outputs as a whole, which a device need not
/// hold.
Shape largest_sizes(const std::vector<const Plan*>& plans) {
  Shape sizes;
  const auto cover = [&](const Shape& shape) {
    if (sizes.size() < shape.size()) sizes.resize(shape.size(), 1);
    for (size_t d = 0; d < shape.size(); ++d) sizes[d] = std::max(sizes[d], shape[d]);
  };
  for (const Plan* plan : plans) {
    for (const PlanValue& value : plan->values) cover(value.type().shape);
    for (const Global& global : plan->globals) cover(global.type.shape);
    for (const Output& output : plan->outputs) cover(output.type.shape);
  }
  return sizes;
}

}  // namespace

Fingerprinter::Fingerprinter(const sim::Domain& domain, size_t lanes, uint64_t seed,
                             const std::vector<const Plan*>& plans)
    : tower_(dynamic_cast<const sim::TowerDomain*>(&domain)), lanes_(lanes), seed_(seed), powers_(lanes) {
  if (tower_ == nullptr) fields_ = dynamic_cast<const sim::ExactRing&>(domain).residue_fields();
  const Shape sizes = largest_sizes(plans);
  for (size_t lane = 0; lane < lanes; ++lane) {
    for (size_t d = 0; d < sizes.size(); ++d) {
      std::vector<uint64_t> table(static_cast<size_t>(sizes[d]), 1);
      for (size_t i = 1; i < table.size(); ++i) table[i] = multiply(lane, table[i - 1], base(lane, d));
      powers_[lane].push_back(std::move(table));
    }
  }
}

const sim::PrimeField& Fingerprinter::field(size_t lane) const {
  return tower_ != nullptr ? tower_->field(lane) : fields_[lane];
}

uint64_t Fingerprinter::multiply(size_t lane, uint64_t a, uint64_t b) const { return field(lane).multiply(a, b); }

uint64_t Fingerprinter::modulus(size_t lane) const { return field(lane).modulus(); }

uint64_t Fingerprinter::base(size_t lane, size_t dim) const {
  const RandomStream words = RandomStream(seed_).part("fingerprint").part(lane);
  uint64_t result = 0;
  for (uint64_t attempt = 0; result < 2; ++attempt) {
    result = words.word(dim + 64 * attempt) % modulus(lane);
  }
  return result;
}

template <class Ring>
uint64_t Fingerprinter::of_lane(const sim::Value& value, size_t lane, const Ring& ring) const {
  const Shape& shape = value.type.shape;
  return with_elements(value, lane, ring, [&](const auto& element) -> uint64_t {
    if (shape.empty()) return element(0);
    const size_t last = shape.size() - 1, n = static_cast<size_t>(shape[last]);
    const size_t rows = n == 0 ? 0 : static_cast<size_t>(value.size()) / n;
    const std::vector<std::vector<uint64_t>>& powers = powers_[lane];
    ISOSHARD_CHECK(powers.size() > last && powers[last].size() >= n, "a value is larger than any of the plans");
    std::vector<size_t> index(last, 0);
    uint64_t result = 0;
    for (size_t row = 0; row < rows; ++row) {
      uint64_t sum = 0;
      for (size_t i = 0; i < n; ++i) sum = ring.add(sum, ring.multiply(element(row * n + i), powers[last][i]));
      uint64_t term = sum;
      for (size_t d = 0; d < last; ++d) term = ring.multiply(term, powers[d][index[d]]);
      result = ring.add(result, term);
      for (size_t d = last; d-- > 0 && ++index[d] == static_cast<size_t>(shape[d]);) index[d] = 0;
    }
    return result;
  });
}

template <class Make>
Fingerprint Fingerprinter::in_lanes(const Make& make) const {
  Fingerprint result{};
  for (size_t lane = 0; lane < lanes_; ++lane) result[lane] = make(lane);
  return result;
}

Fingerprint Fingerprinter::one() const {
  return in_lanes([](size_t) { return uint64_t{1}; });
}

Fingerprint Fingerprinter::of(const sim::Value& value) const {
  return in_lanes([&](size_t lane) {
    return tower_ != nullptr ? of_lane(value, lane, TowerLane{*tower_, tower_->field(lane)})
                             : of_lane(value, lane, PlainLane{field(lane)});
  });
}

Fingerprint Fingerprinter::of_element(const sim::Value& value, int64_t i) const {
  const auto at = [i](const auto& element) { return element(static_cast<size_t>(i)); };
  return in_lanes([&](size_t lane) {
    return tower_ != nullptr ? with_elements(value, lane, TowerLane{*tower_, tower_->field(lane)}, at)
                             : with_elements(value, lane, PlainLane{field(lane)}, at);
  });
}

Fingerprint Fingerprinter::add(const Fingerprint& a, const Fingerprint& b) const {
  return in_lanes([&](size_t lane) { return (a[lane] + b[lane]) % modulus(lane); });
}

Fingerprint Fingerprinter::subtract(const Fingerprint& a, const Fingerprint& b) const {
  return in_lanes([&](size_t lane) { return (a[lane] + modulus(lane) - b[lane]) % modulus(lane); });
}

Fingerprint Fingerprinter::multiply(const Fingerprint& a, const Fingerprint& b) const {
  return in_lanes([&](size_t lane) { return multiply(lane, a[lane], b[lane]); });
}

bool Fingerprinter::is_unit(const Fingerprint& a) const {
  for (size_t lane = 0; lane < lanes_; ++lane) {
    if (!field(lane).is_unit(a[lane])) return false;
  }
  return true;
}

Fingerprint Fingerprinter::inverse(const Fingerprint& unit) const {
  return in_lanes([&](size_t lane) { return field(lane).inverse(unit[lane]); });
}

bool Fingerprinter::is_constant(const sim::Value& value) const {
  return tower_ != nullptr && is_float(value.type.dtype) && tower_->all_numbers(value);
}

std::optional<Ratio> Fingerprinter::small_ratio(const Fingerprint& a) const {
  std::vector<uint64_t> moduli;
  for (size_t lane = 0; lane < lanes_; ++lane) moduli.push_back(modulus(lane));
  return reconstruct({a.data(), lanes_}, moduli);
}

Fingerprint Fingerprinter::moved(const Fingerprint& a, size_t dim, int64_t start) const {
  if (start == 0) return a;
  return in_lanes([&](size_t lane) {
    uint64_t factor = 1, square = base(lane, dim);
    for (int64_t exponent = start; exponent > 0; exponent >>= 1, square = multiply(lane, square, square)) {
      if ((exponent & 1) != 0) factor = multiply(lane, factor, square);
    }
    return multiply(lane, a[lane], factor);
  });
}

Trace::Trace(const Plan& plan, const Fingerprinter& fingerprinter, size_t keep_bytes)
    : fingerprinter_(fingerprinter),
      groups_(plan),
      fingerprints_(plan.values.size()),
      computed_(plan.values.size(), 0) {
  const size_t devices = static_cast<size_t>(plan.mesh->device_count());
  const size_t bytes_of_element = fingerprinter.element_bytes();
  size_t bytes = 0;
  for (const PlanValue& value : plan.values) {
    bytes += devices * static_cast<size_t>(element_count(value.type().shape)) * bytes_of_element;
  }
  keep_ = bytes <= keep_bytes;
  for (auto& per_device : fingerprints_) per_device.resize(devices);
  if (keep_) values_.assign(plan.values.size(), std::vector<sim::Value>(devices));
}

void Trace::on_value(int64_t position, PlanValueId id, const sim::Value& value) {
  const Fingerprint fingerprint = fingerprinter_.of(value);
  if (groups_.is_first(position)) computed_[id.index()] = 1;
  for (const int64_t p : groups_.stands_for(position)) {
    fingerprints_[id.index()][static_cast<size_t>(p)] = fingerprint;
    if (keep_) values_[id.index()][static_cast<size_t>(p)] = value;
  }
}

}  // namespace isoshard::verify
