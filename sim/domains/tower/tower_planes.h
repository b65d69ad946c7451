#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/ir/ops/select.h"
#include "sim/domains/prime_field.h"
#include "sim/domains/tower/tower_elements.h"
#include "sim/kernels/elementwise.h"
#include "sim/kernels/reduce.h"

namespace isoshard::sim {

/// How n elements of rung E lie in an array: a plane per residue, then one of the words for their forms; and the
/// arithmetic of plain ones, plane by plane. Fields must outlive it.
class TowerPlanes {
 public:
  using Element = TowerElement;

  /// Residues of plane r are in fields[r].
  explicit TowerPlanes(std::span<const PrimeField> fields) : fields_(fields) {}

  static const uint64_t* words(const std::byte* p) { return reinterpret_cast<const uint64_t*>(p); }
  static uint64_t* words(std::byte* p) { return reinterpret_cast<uint64_t*>(p); }

  /// Of an array of n elements.
  size_t bytes(int64_t n) const { return static_cast<size_t>(n * (residues() + 1)) * sizeof(uint64_t); }

  Element at(int64_t n, const std::byte* x, int64_t i) const {
    Element result;
    for (int64_t r = 0; r < residues(); ++r) result.a[static_cast<size_t>(r)] = words(x)[r * n + i];
    result.form = words(x)[residues() * n + i];
    return result;
  }
  void put(const Element& x, int64_t n, int64_t i, std::byte* out) const {
    for (int64_t r = 0; r < residues(); ++r) words(out)[r * n + i] = x.a[static_cast<size_t>(r)];
    words(out)[residues() * n + i] = x.form;
  }
  /// Writes make(i) for i < n; out may be what `make` reads.
  template <class Make>
  void each(int64_t n, std::byte* out, const Make& make) const {
    for (int64_t i = 0; i < n; ++i) put(make(i), n, i, out);
  }

  std::span<const uint64_t> forms(int64_t n, const std::byte* x) const {
    return {words(x) + residues() * n, static_cast<size_t>(n)};
  }
  bool all_plain(int64_t n, const std::byte* x) const {
    const std::span<const uint64_t> all = forms(n, x);
    return std::all_of(all.begin(), all.end(), &RingForms::is_plain);
  }
  void make_plain(int64_t n, std::byte* out) const { std::fill_n(words(out) + residues() * n, n, RingForms::kPlain); }

  /// Of residues only, whatever the forms of the operands; results are plain. `op` is + - or x.
  void binary(BinaryOp op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const;
  /// 1 / x of residues only, 0 where a residue is 0; results are plain, in an array of their own.
  void invert(int64_t n, const std::byte* x, std::byte* out) const;
  /// out[m, n] = a[m, k] . b[k, n]
  void dot(int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b, std::byte* out) const;
  void sum(const ReducePlan& plan, const std::byte* x, std::byte* out) const;

 private:
  int64_t residues() const { return static_cast<int64_t>(fields_.size()); }

  std::span<const PrimeField> fields_;
};

}  // namespace isoshard::sim
