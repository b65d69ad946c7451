#pragma once

#include <vector>

#include "core/ir/all_ops.h"
#include "tests/reference/numbers.h"

namespace isoshard::reference {

/// One op with its operands; each family of ops has one `apply` per op.
template <class T>
struct LocalOp {
  using E = Element<T>;
  using A = Array<T>;

  const std::vector<const A*>& operands;
  const std::vector<TensorType>& results;

  const A& in(size_t n) const { return *operands[n]; }
  const TensorType& out() const { return results[0]; }
  bool floats() const { return is_float(in(0).type.dtype); }
  DType dtype() const { return in(0).type.dtype; }
  template <class Make>
  std::vector<A> make(const Make& element) const {
    return {make_array<T>(out(), element)};
  }

  template <class X, class I>
  std::vector<A> unary(const X& on_float, const I& on_integer) const {
    return make([&](const Index& index) {
      const E& e = in(0).at(index);
      return floats() ? E{T(on_float(e.x)), 0} : E{T(), wrapped(on_integer(number_of(e.i, dtype())), dtype())};
    });
  }
  template <class F>
  std::vector<A> function(const char* name, F f) const {
    return make([&](const Index& index) { return E{real(name, f, in(0).at(index).x), 0}; });
  }
  template <class X, class I>
  std::vector<A> binary(const X& on_float, const I& on_integer) const {
    return make([&](const Index& index) {
      const E &a = in(0).at(index), &b = in(1).at(index);
      if (floats()) return E{T(on_float(a.x, b.x)), 0};
      return E{T(), wrapped(on_integer(number_of(a.i, dtype()), number_of(b.i, dtype())), dtype())};
    });
  }
  /// The elements of operand 0 elsewhere: `from(index)` says where.
  template <class From>
  std::vector<A> moved(const From& from) const {
    return make([&](const Index& index) { return in(0).at(from(index)); });
  }
  bool less(const E& a, const E& b, DType type) const {
    return is_float(type) ? a.x < b.x : number_of(a.i, type) < number_of(b.i, type);
  }
  E plus(const E& a, const E& b, DType type) const { return E{a.x + b.x, wrapped(static_cast<Wide>(a.i) + b.i, type)}; }
  E times(const E& a, const E& b, DType type) const {
    return E{a.x * b.x, wrapped(static_cast<Wide>(a.i) * b.i, type)};
  }
};

}  // namespace isoshard::reference
