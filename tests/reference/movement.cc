// Ops that move elements, and scatter_add.

#include <algorithm>
#include <limits>

#include "tests/reference/local_ops.h"

namespace isoshard::reference {
namespace {

template <class T>
struct Movement : LocalOp<T> {
  using typename LocalOp<T>::A;
  using typename LocalOp<T>::E;
  using LocalOp<T>::in;
  using LocalOp<T>::out;
  using LocalOp<T>::dtype;
  using LocalOp<T>::make;
  using LocalOp<T>::moved;
  using LocalOp<T>::plus;

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

  /// An index; what of a u64 no array reaches is the greatest one.
  static int64_t as_index(const A& indices, const Index& at) {
    const Wide number = number_of(indices.at(at).i, indices.type.dtype);
    return static_cast<int64_t>(std::min<Wide>(number, std::numeric_limits<int64_t>::max()));
  }
  /// The clamped starts of a block of `sizes`, whose operands begin at `first`.
  Index starts(size_t first, const Shape& sizes) const {
    Index result;
    for (size_t d = 0; d < sizes.size(); ++d) {
      result.push_back(std::clamp<int64_t>(as_index(in(first + d), {}), 0, in(0).type.shape[d] - sizes[d]));
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
    from.push_back(as_index(in(1), id));
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
};

}  // namespace

template <class T>
Results<T> movement(const OpData& op, const LocalOp<T>& local) {
  return apply_if_known(op, Movement<T>{local});
}
template Results<double> movement(const OpData&, const LocalOp<double>&);
template Results<Rounded> movement(const OpData&, const LocalOp<Rounded>&);
template Results<Formal> movement(const OpData&, const LocalOp<Formal>&);
template Results<Quad> movement(const OpData&, const LocalOp<Quad>&);
template Results<mpq_class> movement(const OpData&, const LocalOp<mpq_class>&);

}  // namespace isoshard::reference
