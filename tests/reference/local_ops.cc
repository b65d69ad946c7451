#include "tests/reference/local_ops.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "tests/reference/numbers.h"

namespace isoshard::reference {
namespace {

/// Evaluates one op; one `apply` per op.
template <class T>
struct Local {
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
      return floats() ? E{T(on_float(e.x)), 0} : E{T(), wrapped(on_integer(e.i), dtype())};
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
      return floats() ? E{T(on_float(a.x, b.x)), 0} : E{T(), wrapped(on_integer(a.i, b.i), dtype())};
    });
  }
  /// The elements of operand 0 elsewhere: `from(index)` says where.
  template <class From>
  std::vector<A> moved(const From& from) const {
    return make([&](const Index& index) { return in(0).at(from(index)); });
  }
  bool less(const E& a, const E& b, DType type) const { return is_float(type) ? a.x < b.x : a.i < b.i; }
  E plus(const E& a, const E& b, DType type) const { return E{a.x + b.x, wrapped(static_cast<Wide>(a.i) + b.i, type)}; }
  E times(const E& a, const E& b, DType type) const {
    return E{a.x * b.x, wrapped(static_cast<Wide>(a.i) * b.i, type)};
  }

  std::vector<A> apply(const Constant& op) const {
    if (is_float(out().dtype)) return make([&](const Index&) { return E{from_rational(op.value, T()), 0}; });
    return make([&](const Index&) { return E{T(), op.value.value().get_num().get_si()}; });
  }
  std::vector<A> apply(const Iota& op) const {
    return make([&](const Index& index) {
      const int64_t i = index[u(op.dim)];
      return is_float(out().dtype) ? E{T(static_cast<double>(i)), 0} : E{T(), wrapped(i, out().dtype)};
    });
  }

  std::vector<A> apply(const Negate&) const {
    return unary([](const T& x) { return T(-x); }, [](Wide i) { return -i; });
  }
  std::vector<A> apply(const Abs&) const {
    return unary([](const T& x) { return T(x < 0 ? T(-x) : x); }, [](Wide i) { return i < 0 ? -i : i; });
  }
  std::vector<A> apply(const Sign&) const {
    return unary(
        [](const T& x) {
          return is_nan(x) ? x : T(x > 0 ? 1 : x < 0 ? -1 : 0);
        },
        [](Wide i) {
          return static_cast<Wide>(i > 0 ? 1 : i < 0 ? -1 : 0);
        });
  }
  std::vector<A> apply(const Floor&) const {
    return unary([](const T& x) { return floor_of(x); }, [](Wide i) { return i; });
  }
  std::vector<A> apply(const Exponential&) const {
    return function("exp", [](double x) { return std::exp(x); });
  }
  std::vector<A> apply(const Log&) const {
    return function("log", [](double x) { return std::log(x); });
  }
  std::vector<A> apply(const Tanh&) const {
    return function("tanh", [](double x) { return std::tanh(x); });
  }
  std::vector<A> apply(const Logistic&) const {
    return function("logistic", [](double x) { return 1 / (1 + std::exp(-x)); });
  }
  std::vector<A> apply(const Sqrt&) const {
    return function("sqrt", [](double x) { return std::sqrt(x); });
  }
  std::vector<A> apply(const Rsqrt&) const {
    return function("rsqrt", [](double x) { return 1 / std::sqrt(x); });
  }
  std::vector<A> apply(const Sine&) const {
    return function("sine", [](double x) { return std::sin(x); });
  }
  std::vector<A> apply(const Cosine&) const {
    return function("cosine", [](double x) { return std::cos(x); });
  }

  std::vector<A> apply(const Add&) const {
    return binary(std::plus<T>(), [](Wide a, Wide b) { return a + b; });
  }
  std::vector<A> apply(const Subtract&) const {
    return binary(std::minus<T>(), [](Wide a, Wide b) { return a - b; });
  }
  std::vector<A> apply(const Multiply&) const {
    return binary(std::multiplies<T>(), [](Wide a, Wide b) { return a * b; });
  }
  std::vector<A> apply(const Divide&) const {
    return binary([](const T& a, const T& b) { return divide(a, b); },
                  [](Wide, Wide) -> Wide { throw Unsupported("integer division"); });
  }
  std::vector<A> apply(const Power&) const {
    return binary([](const T& a, const T& b) { return power(a, b); },
                  [](Wide, Wide) -> Wide { throw Unsupported("integer power"); });
  }
  std::vector<A> apply(const Remainder&) const {
    return binary([](const T& a, const T& b) { return T(a - b * truncated(divide(a, b))); },
                  [](Wide a, Wide b) { return b == 0 ? a : a % b; });
  }
  std::vector<A> apply(const Maximum&) const {
    return binary([](const T& a, const T& b) { return is_nan(a) || a > b ? a : b; },
                  [](Wide a, Wide b) { return a > b ? a : b; });
  }
  std::vector<A> apply(const Minimum&) const {
    return binary([](const T& a, const T& b) { return is_nan(a) || a < b ? a : b; },
                  [](Wide a, Wide b) { return a < b ? a : b; });
  }
  std::vector<A> apply(const And&) const {
    return make([&](const Index& i) { return E{T(), in(0).at(i).i & in(1).at(i).i}; });
  }
  std::vector<A> apply(const Or&) const {
    return make([&](const Index& i) { return E{T(), in(0).at(i).i | in(1).at(i).i}; });
  }
  std::vector<A> apply(const Not&) const {
    return make([&](const Index& index) {
      const int64_t i = in(0).at(index).i;
      return E{T(), dtype() == DType::pred ? 1 - i : wrapped(~i, dtype())};
    });
  }
  std::vector<A> apply(const Compare& op) const {
    return make([&](const Index& index) {
      const E &a = in(0).at(index), &b = in(1).at(index);
      const bool lt = less(a, b, dtype()), gt = less(b, a, dtype()), eq = floats() ? a.x == b.x : a.i == b.i;
      const bool truth[] = {false, eq, !eq, lt, lt || eq, gt, gt || eq};
      return E{T(), truth[static_cast<size_t>(op.direction)] ? 1 : 0};
    });
  }
  std::vector<A> apply(const Select&) const {
    return make([&](const Index& index) {
      const E& pred = in(0).type.shape.empty() ? in(0).elements[0] : in(0).at(index);
      return in(pred.i != 0 ? 1 : 2).at(index);
    });
  }
  std::vector<A> apply(const Convert& op) const {
    return make([&](const Index& index) {
      const E& e = in(0).at(index);
      if (op.dtype == DType::pred) return E{T(), (floats() ? e.x != 0 : e.i != 0) ? 1 : 0};
      if (is_float(op.dtype)) return floats() ? e : E{from_rational(Rational(e.i), T()), 0};
      return E{T(), wrapped(floats() ? to_integer(truncated(e.x)) : e.i, op.dtype)};
    });
  }
  std::vector<A> apply(const StopGradient&) const { return {in(0)}; }

  std::vector<A> apply(const BroadcastInDim& op) const {
    return moved([&](const Index& index) {
      Index from;
      for (size_t d = 0; d < op.dims.size(); ++d) {
        from.push_back(in(0).type.shape[d] == 1 ? 0 : index[u(op.dims[d])]);
      }
      return from;
    });
  }
  std::vector<A> apply(const Reshape&) const { return {A{out(), in(0).elements}}; }
  std::vector<A> apply(const Transpose& op) const {
    return moved([&](const Index& index) {
      Index from(index.size());
      for (size_t d = 0; d < index.size(); ++d) from[u(op.permutation[d])] = index[d];
      return from;
    });
  }
  std::vector<A> apply(const Slice& op) const {
    return moved([&](Index index) {
      for (size_t d = 0; d < index.size(); ++d) {
        index[d] = op.start[d] + index[d] * (op.strides.empty() ? 1 : op.strides[d]);
      }
      return index;
    });
  }
  std::vector<A> apply(const Reverse& op) const {
    return moved([&](Index index) {
      for (const int64_t d : op.dims) index[u(d)] = in(0).type.shape[u(d)] - 1 - index[u(d)];
      return index;
    });
  }
  std::vector<A> apply(const Concatenate& op) const {
    return make([&](Index index) {
      size_t part = 0;
      for (; index[u(op.dim)] >= in(part).type.shape[u(op.dim)]; ++part) {
        index[u(op.dim)] -= in(part).type.shape[u(op.dim)];
      }
      return in(part).at(index);
    });
  }
  std::vector<A> apply(const Pad& op) const {
    return make([&](Index index) {
      for (size_t d = 0; d < index.size(); ++d) {
        index[d] -= op.low[d];
        if (index[d] < 0 || index[d] >= in(0).type.shape[d]) return in(1).elements[0];
      }
      return in(0).at(index);
    });
  }

  /// The clamped starts of a block of `sizes`, whose operands begin at `first`.
  Index starts(size_t first, const Shape& sizes) const {
    Index result;
    for (size_t d = 0; d < sizes.size(); ++d) {
      result.push_back(std::clamp<int64_t>(in(first + d).elements[0].i, 0, in(0).type.shape[d] - sizes[d]));
    }
    return result;
  }
  std::vector<A> apply(const DynamicSlice& op) const {
    const Index start = starts(1, op.sizes);
    return moved([&](Index index) {
      for (size_t d = 0; d < index.size(); ++d) index[d] += start[d];
      return index;
    });
  }
  std::vector<A> apply(const DynamicUpdateSlice&) const {
    const Index start = starts(2, in(1).type.shape);
    return make([&](const Index& index) {
      Index inner;
      for (size_t d = 0; d < index.size(); ++d) {
        inner.push_back(index[d] - start[d]);
        if (inner[d] < 0 || inner[d] >= in(1).type.shape[d]) return in(0).at(index);
      }
      return in(1).at(inner);
    });
  }

  /// Where the entry at `index` of a gather's result stands in operand 0; its indexed dimension is not clamped.
  Index gathered(const Index& index, int64_t dim, int64_t batch) const {
    const size_t ids_rank = in(1).type.shape.size() - u(batch);
    Index id(index.begin(), index.begin() + batch);
    id.insert(id.end(), index.begin() + dim, index.begin() + dim + static_cast<int64_t>(ids_rank));
    Index from(index.begin(), index.begin() + dim);
    from.push_back(in(1).at(id).i);
    from.insert(from.end(), index.begin() + dim + static_cast<int64_t>(ids_rank), index.end());
    return from;
  }
  std::vector<A> apply(const Gather& op) const {
    return moved([&](const Index& index) {
      Index from = gathered(index, op.dim, op.batch);
      from[u(op.dim)] = std::clamp<int64_t>(from[u(op.dim)], 0, in(0).type.shape[u(op.dim)] - 1);
      return from;
    });
  }
  std::vector<A> apply(const ScatterAdd& op) const {
    A result = in(0);
    for_each_index(in(2).type.shape, [&](const Index& index) {
      const Index to = gathered(index, op.dim, op.batch);
      if (to[u(op.dim)] < 0 || to[u(op.dim)] >= in(0).type.shape[u(op.dim)]) return;
      E& e = result.at(to);
      e = plus(e, in(2).at(index), dtype());
    });
    return {result};
  }

  std::vector<A> apply(const DotGeneral& op) const {
    std::vector<int64_t> free[2];
    const std::vector<int64_t>* used[2][2] = {{&op.batch.lhs, &op.contract.lhs}, {&op.batch.rhs, &op.contract.rhs}};
    for (size_t n = 0; n < 2; ++n) {
      for (int64_t d = 0; d < static_cast<int64_t>(in(n).type.shape.size()); ++d) {
        const auto has = [d](const std::vector<int64_t>& dims) { return std::count(dims.begin(), dims.end(), d) != 0; };
        if (!has(*used[n][0]) && !has(*used[n][1])) free[n].push_back(d);
      }
    }
    Shape terms;
    for (const int64_t d : op.contract.lhs) terms.push_back(in(0).type.shape[u(d)]);
    return make([&](const Index& index) {
      Index at[2] = {Index(in(0).type.shape.size()), Index(in(1).type.shape.size())};
      size_t next = 0;
      for (size_t k = 0; k < op.batch.lhs.size(); ++k, ++next) {
        at[0][u(op.batch.lhs[k])] = at[1][u(op.batch.rhs[k])] = index[next];
      }
      for (size_t n = 0; n < 2; ++n) {
        for (const int64_t d : free[n]) at[n][u(d)] = index[next++];
      }
      E sum;
      for_each_index(terms, [&](const Index& k) {
        for (size_t d = 0; d < k.size(); ++d) at[0][u(op.contract.lhs[d])] = at[1][u(op.contract.rhs[d])] = k[d];
        sum = plus(sum, times(in(0).at(at[0]), in(1).at(at[1]), dtype()), dtype());
      });
      return sum;
    });
  }

  /// What a reduction starts from: 0, or the least or greatest value there is.
  E start_of(Reducer op) const {
    if (op == Reducer::add) return E{};
    const bool least = op != Reducer::min;
    if (!floats()) return E{T(), least ? least_of(dtype()) : greatest_of(dtype())};
    return E{infinity<T>(least), 0};
  }
  std::vector<A> apply(const Reduce& op) const {
    Shape reduced;
    for (const int64_t d : op.dims) reduced.push_back(in(0).type.shape[u(d)]);
    std::vector<A> values = {A{results[0], {}}};
    if (op.op == Reducer::argmax) values.push_back(A{results[1], {}});
    for_each_index(results[0].shape, [&](const Index& kept) {
      bool first = true;
      E total;
      int64_t best = 0, count = 0;
      for_each_index(reduced, [&](const Index& k) {
        Index at;
        size_t next = 0;
        for (int64_t d = 0; d < static_cast<int64_t>(in(0).type.shape.size()); ++d) {
          const auto it = std::find(op.dims.begin(), op.dims.end(), d);
          at.push_back(it == op.dims.end() ? kept[next++] : k[u(it - op.dims.begin())]);
        }
        const E& e = in(0).at(at);
        const bool better = op.op == Reducer::min ? less(e, total, dtype()) : less(total, e, dtype());
        if (first) {
          total = e;
        } else if (op.op == Reducer::add) {
          total = plus(total, e, dtype());
        } else if (better) {
          total = e;
          best = count;
        }
        first = false;
        ++count;
      });
      values[0].elements.push_back(first ? start_of(op.op) : total);
      if (values.size() == 2) values[1].elements.push_back(E{T(), best});
    });
    return values;
  }
  std::vector<A> apply(const Cumsum& op) const {
    return make([&](Index index) {
      E sum;
      for (const int64_t last = std::exchange(index[u(op.dim)], 0); index[u(op.dim)] <= last; ++index[u(op.dim)]) {
        sum = plus(sum, in(0).at(index), dtype());
      }
      return sum;
    });
  }
  std::vector<A> apply(const TopK&) const {
    std::vector<A> values = {A{results[0], {}}, A{results[1], {}}};
    for_each_index(results[0].shape, [&](Index index) {
      const int64_t rank = index.back();
      std::vector<int64_t> order(u(in(0).type.shape.back()));
      std::iota(order.begin(), order.end(), 0);
      const auto element = [&](int64_t i) {
        index.back() = i;
        return in(0).at(index);
      };
      std::stable_sort(order.begin(), order.end(),
                       [&](int64_t a, int64_t b) { return less(element(b), element(a), dtype()); });
      values[0].elements.push_back(element(order[u(rank)]));
      values[1].elements.push_back(E{T(), order[u(rank)]});
    });
    return values;
  }
};

}  // namespace

template <class T>
std::vector<Array<T>> evaluate_local(const OpData& data, const std::vector<const Array<T>*>& operands,
                                     const std::vector<TensorType>& results) {
  return std::visit(
      [&](const auto& op) -> std::vector<Array<T>> {
        const Local<T> local{operands, results};
        if constexpr (requires { local.apply(op); }) {
          return local.apply(op);
        } else {
          throw Unsupported(std::string(op.kName) + " is no local op");
        }
      },
      data);
}

template std::vector<Array<double>> evaluate_local(const OpData&, const std::vector<const Array<double>*>&,
                                                   const std::vector<TensorType>&);
template std::vector<Array<mpq_class>> evaluate_local(const OpData&, const std::vector<const Array<mpq_class>*>&,
                                                      const std::vector<TensorType>&);

}  // namespace isoshard::reference
