// Keys and random bits, by the words of JAX's definition: whole arrays, two words at a time.

#include <algorithm>
#include <array>
#include <bit>

#include "tests/reference/local_ops.h"

namespace isoshard::reference {
namespace {

using Block = std::array<uint32_t, 2>;

/// Threefry-2x32: five times four rounds, each followed by the next two of three key words.
Block threefry(Block key, Block x) {
  const uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAU};
  const int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  x = {x[0] + keys[0], x[1] + keys[1]};
  for (uint32_t i = 1; i <= 5; ++i) {
    for (const int rotation : rotations[(i - 1) % 2]) {
      x[0] += x[1];
      x[1] = std::rotl(x[1], rotation) ^ x[0];
    }
    x[0] += keys[i % 3];
    x[1] += keys[(i + 1) % 3] + i;
  }
  return x;
}

/// Of an array: the first half meets the second, and a lonely last number meets 0.
std::vector<uint32_t> hash(Block key, std::vector<uint32_t> counters) {
  const size_t count = counters.size();
  if (count % 2 == 1) counters.push_back(0);
  const size_t half = counters.size() / 2;
  std::vector<uint32_t> result(counters.size());
  for (size_t i = 0; i < half; ++i) {
    const Block words = threefry(key, {counters[i], counters[half + i]});
    result[i] = words[0];
    result[half + i] = words[1];
  }
  result.resize(count);
  return result;
}

std::vector<uint32_t> counting(size_t count) {
  std::vector<uint32_t> result;
  for (size_t i = 0; i < count; ++i) result.push_back(static_cast<uint32_t>(i));
  return result;
}

template <class T>
struct Random : LocalOp<T> {
  using typename LocalOp<T>::A;
  using typename LocalOp<T>::E;
  using LocalOp<T>::in;
  using LocalOp<T>::out;
  using LocalOp<T>::dtype;
  using LocalOp<T>::make;
  using LocalOp<T>::operands;

  static Block words_of(const E& key) {
    return {static_cast<uint32_t>(key.i), static_cast<uint32_t>(static_cast<uint64_t>(key.i) >> 32)};
  }
  static E key_of(Block words) { return E{T(), static_cast<int64_t>(uint64_t{words[1]} << 32 | words[0])}; }

  std::vector<A> apply(const RngFoldIn&) const {
    return make([&](const Index& index) {
      const E& data = in(1).type.shape.empty() ? in(1).elements[0] : in(1).at(index);
      const std::vector<uint32_t> words = hash(words_of(in(0).at(index)), {0, static_cast<uint32_t>(data.i)});
      return key_of({words[0], words[1]});
    });
  }
  std::vector<A> apply(const RngSplit& op) const {
    const Block key = words_of(in(0).elements[0]);
    const std::vector<uint32_t> words = hash(key, counting(2 * u(op.n)));
    return make([&](const Index& index) {
      const auto i = static_cast<uint32_t>(index[0]);
      if (op.key_layout == KeyLayout::partitionable) return key_of(threefry(key, {0, i}));
      return key_of({words[2 * i], words[2 * i + 1]});
    });
  }
  std::vector<A> apply(const RngBits& op) const {
    const Block key = words_of(in(0).elements[0]);
    A whole{TensorType{DType::u32, op.global_shape.empty() ? op.shape : op.global_shape}, {}};
    const auto count = static_cast<size_t>(element_count(whole.type.shape));
    std::vector<uint32_t> bits = hash(key, counting(count));
    for (uint32_t i = 0; op.key_layout == KeyLayout::partitionable && i < bits.size(); ++i) {
      const Block words = threefry(key, {0, i});
      bits[i] = words[0] ^ words[1];
    }
    for (const uint32_t word : bits) whole.elements.push_back(E{T(), word});
    return make([&](Index index) {
      for (size_t d = 0; d < index.size() && operands.size() > 1; ++d) {
        index[d] += std::clamp<int64_t>(in(1 + d).elements[0].i, 0, whole.type.shape[d] - op.shape[d]);
      }
      return whole.at(index);
    });
  }
  std::vector<A> apply(const BitcastConvert& op) const {
    if (op.dtype == DType::key) {
      return make([&](Index index) {
        index.push_back(0);
        const auto first = static_cast<uint32_t>(in(0).at(index).i);
        index.back() = 1;
        return key_of({first, static_cast<uint32_t>(in(0).at(index).i)});
      });
    }
    return make([&](Index index) {
      const auto word = static_cast<size_t>(index.back());
      index.pop_back();
      return E{T(), words_of(in(0).at(index))[word]};
    });
  }
};

}  // namespace

template <class T>
Results<T> random(const OpData& op, const LocalOp<T>& local) {
  return apply_if_known(op, Random<T>{local});
}
template Results<double> random(const OpData&, const LocalOp<double>&);
template Results<Rounded> random(const OpData&, const LocalOp<Rounded>&);
template Results<Formal> random(const OpData&, const LocalOp<Formal>&);
template Results<Quad> random(const OpData&, const LocalOp<Quad>&);
template Results<mpq_class> random(const OpData&, const LocalOp<mpq_class>&);

}  // namespace isoshard::reference
