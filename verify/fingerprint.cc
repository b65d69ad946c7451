#include "verify/fingerprint.h"

#include <algorithm>

#include "sim/kernels/elementwise_mod31.h"
#include "verify/random.h"

namespace isoshard::verify {
namespace {

uint32_t power(uint32_t x, int64_t exponent) {
  uint32_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = sim::multiply_mod31(result, x);
    x = sim::multiply_mod31(x, x);
  }
  return result;
}

uint32_t residue(int64_t x) { return static_cast<uint32_t>((x % sim::kMod31 + sim::kMod31) % sim::kMod31); }

/// Calls `element(i)` for the residue of element i of `lane`.
template <class Use>
uint32_t with_elements(const sim::Value& value, size_t lane, const Use& use) {
  switch (value.type.dtype) {
    case DType::pred:
      if (value.storage.element_bytes == sizeof(uint32_t)) break;  // a ring's
      return use([x = value.plane<uint8_t>(0)](size_t i) -> uint32_t { return x[i]; });
    case DType::i32:
      return use([x = value.plane<int32_t>(0)](size_t i) { return residue(x[i]); });
    case DType::u32:
      return use([x = value.plane<uint32_t>(0)](size_t i) { return residue(x[i]); });
    case DType::i64:
      return use([x = value.plane<int64_t>(0)](size_t i) { return residue(x[i]); });
    case DType::key:
      return use([x = value.plane<uint64_t>(0)](size_t i) { return static_cast<uint32_t>(x[i] % sim::kMod31); });
    case DType::bf16:
    case DType::f16:
    case DType::f32:
    case DType::f64:
      break;
  }
  return use([x = value.plane<uint32_t>(lane)](size_t i) { return x[i]; });
}

}  // namespace

Fingerprinter::Fingerprinter(size_t lanes, uint64_t seed, const std::vector<const Plan*>& plans)
    : lanes_(lanes), seed_(seed), powers_(lanes) {
  std::vector<int64_t> sizes;
  for (const Plan* plan : plans) {
    for (const PlanValue& value : plan->values) {
      for (size_t d = 0; d < value.type.shape.size(); ++d) {
        if (d == sizes.size()) sizes.push_back(1);
        sizes[d] = std::max(sizes[d], value.type.shape[d]);
      }
    }
  }
  for (size_t lane = 0; lane < lanes; ++lane) {
    for (size_t d = 0; d < sizes.size(); ++d) {
      std::vector<uint32_t> table(static_cast<size_t>(sizes[d]), 1);
      for (size_t i = 1; i < table.size(); ++i) table[i] = sim::multiply_mod31(table[i - 1], base(lane, d));
      powers_[lane].push_back(std::move(table));
    }
  }
}

uint32_t Fingerprinter::base(size_t lane, size_t dim) const {
  const uint64_t word = RandomStream(seed_).part("fingerprint").part(lane).word(dim);
  return 2 + static_cast<uint32_t>(word % (sim::kMod31 - 2));
}

uint32_t Fingerprinter::of_lane(const sim::Value& value, size_t lane) const {
  const Shape& shape = value.type.shape;
  return with_elements(value, lane, [&](const auto& element) -> uint32_t {
    if (shape.empty()) return element(0);
    const size_t last = shape.size() - 1, n = static_cast<size_t>(shape[last]);
    const size_t rows = n == 0 ? 0 : static_cast<size_t>(value.size()) / n;
    const std::vector<std::vector<uint32_t>>& powers = powers_[lane];
    std::vector<size_t> index(last, 0);
    uint32_t result = 0;
    for (size_t row = 0; row < rows; ++row) {
      uint64_t sum = 0;
      for (size_t i = 0; i < n; ++i) {
        sum = sim::fold_mod31(sum + static_cast<uint64_t>(element(row * n + i)) * powers[last][i]);
      }
      uint32_t term = sim::reduce_mod31(sum);
      for (size_t d = 0; d < last; ++d) term = sim::multiply_mod31(term, powers[d][index[d]]);
      result = sim::add_mod31(result, term);
      for (size_t d = last; d-- > 0 && ++index[d] == static_cast<size_t>(shape[d]);) index[d] = 0;
    }
    return result;
  });
}

Fingerprint Fingerprinter::of(const sim::Value& value) const {
  Fingerprint result{};
  for (size_t lane = 0; lane < lanes_; ++lane) result[lane] = of_lane(value, lane);
  return result;
}

Fingerprint Fingerprinter::add(const Fingerprint& a, const Fingerprint& b) const {
  Fingerprint result{};
  for (size_t lane = 0; lane < lanes_; ++lane) result[lane] = sim::add_mod31(a[lane], b[lane]);
  return result;
}

Fingerprint Fingerprinter::subtract(const Fingerprint& a, const Fingerprint& b) const {
  Fingerprint result{};
  for (size_t lane = 0; lane < lanes_; ++lane) result[lane] = sim::subtract_mod31(a[lane], b[lane]);
  return result;
}

Fingerprint Fingerprinter::moved(const Fingerprint& a, size_t dim, int64_t start) const {
  if (start == 0) return a;
  Fingerprint result{};
  for (size_t lane = 0; lane < lanes_; ++lane) {
    result[lane] = sim::multiply_mod31(a[lane], power(base(lane, dim), start));
  }
  return result;
}

Trace::Trace(const Plan& plan, const Fingerprinter& fingerprinter, size_t keep_bytes)
    : fingerprinter_(fingerprinter), fingerprints_(plan.values.size()), computed_(plan.values.size(), 0) {
  const size_t devices = static_cast<size_t>(plan.mesh->device_count());
  size_t bytes = 0;
  for (const PlanValue& value : plan.values) {
    bytes += devices * static_cast<size_t>(element_count(value.type.shape)) * sizeof(uint32_t) * fingerprinter.lanes();
  }
  keep_ = bytes <= keep_bytes;
  for (auto& per_device : fingerprints_) per_device.resize(devices);
  if (keep_) values_.assign(plan.values.size(), std::vector<sim::Value>(devices));
}

void Trace::on_value(int64_t position, PlanValueId id, const sim::Value& value) {
  const size_t at = static_cast<size_t>(position);
  fingerprints_[id.index()][at] = fingerprinter_.of(value);
  if (position == 0) computed_[id.index()] = 1;
  if (keep_) values_[id.index()][at] = value;
}

}  // namespace isoshard::verify
