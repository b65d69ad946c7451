// Random local ops. Every op is tried with every dtype, and inference says which of these are ops of the language, so
// that a dtype that an op learns to take is tested without a change here. Cost: small arrays.
#include "tests/property/local_calls_cases.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "core/ir/scalar/narrow_dtypes.h"
#include "core/value/integers.h"

namespace isoshard::testing {
namespace {

constexpr DType kDTypesOfAll[] = {DType::pred, DType::i8,  DType::u8,     DType::i32,    DType::u32,
                                  DType::i64,  DType::u64, DType::f8e4m3, DType::f8e5m2, DType::bf16,
                                  DType::f16,  DType::f32, DType::f64};

template <class T>
void append(std::vector<std::byte>& bytes, T x) {
  const auto* first = reinterpret_cast<const std::byte*>(&x);
  bytes.insert(bytes.end(), first, first + sizeof x);
}

void append_float(std::vector<std::byte>& bytes, DType dtype, double x) {
  if (dtype == DType::f64) return append(bytes, x);
  if (dtype == DType::f32) return append(bytes, static_cast<float>(x));
  scalar::with_narrow(dtype, [&](auto format) {
    using Narrow = decltype(format);
    append(bytes, scalar::narrow_bits<Narrow>(static_cast<float>(scalar::narrowed<Narrow>(x))));
  });
}

}  // namespace

int64_t LocalCases::between(int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random_);
}

Shape LocalCases::shape(int64_t least_rank, int64_t most_rank) {
  Shape shape(static_cast<size_t>(between(least_rank, most_rank)));
  for (int64_t& size : shape) size = between(0, 19) == 0 ? 0 : between(1, between(0, 3) == 0 ? 40 : 5);
  if (element_count(shape) > 20000) std::fill(shape.begin(), shape.end(), 3);
  return shape;
}

Tensor LocalCases::tensor(DType dtype, const Shape& shape, int64_t special_one_of) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kSpecial[] = {
      0.0,    -0.0,  1.0,   -1.0,   kInfinity,   -kInfinity, std::numeric_limits<double>::quiet_NaN(),
      1e-45,  2.5,   -3.0,  1e30,   -1e300,      0.5,        448.0,
      6.1e-5, 65504, 1e-40, 5e-324, 2147483648.0};
  std::normal_distribution<double> normal;
  std::vector<std::byte> bytes;
  for (int64_t i = 0; i < element_count(shape); ++i) {
    const bool special = special_one_of != 0 && between(1, special_one_of) == 1;
    if (is_float(dtype)) {
      const double usual = normal(random_) * (between(0, 3) == 0 ? 30 : 1);
      append_float(bytes, dtype, special ? kSpecial[between(0, std::size(kSpecial) - 1)] : usual);
    } else if (dtype == DType::pred) {
      append(bytes, static_cast<uint8_t>(between(0, 1)));
    } else {
      const uint64_t small = static_cast<uint64_t>(between(-3, 9));
      const uint64_t ends = uint64_t{1} << between(0, 63);
      const uint64_t number = special              ? ends - static_cast<uint64_t>(between(0, 1))
                              : between(0, 1) == 0 ? small
                                                   : random_();
      const auto* first = reinterpret_cast<const std::byte*>(&number);
      bytes.insert(bytes.end(), first, first + info(dtype).bytes);
    }
  }
  return Tensor::from_bytes(dtype, shape, bytes);
}

Tensor LocalCases::indices(DType dtype, const Shape& shape, int64_t limit) {
  std::vector<std::byte> bytes;
  for (int64_t i = 0; i < element_count(shape); ++i) {
    int64_t number = between(0, std::max<int64_t>(limit - 1, 0));
    if (between(0, 7) == 0) number = between(-3, limit + 2);
    if (between(0, 15) == 0) number = static_cast<int64_t>(random_());
    const auto* first = reinterpret_cast<const std::byte*>(&number);
    bytes.insert(bytes.end(), first, first + info(dtype).bytes);
  }
  return Tensor::from_bytes(dtype, shape, bytes);
}

DType LocalCases::integer_dtype() {
  constexpr DType kIntegers[] = {DType::i8, DType::u8, DType::i32, DType::u32, DType::i64, DType::u64};
  return kIntegers[between(0, 5)];
}

std::vector<int64_t> LocalCases::some_dims(int64_t rank) {
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < rank; ++d) {
    if (between(0, 1) == 0) dims.push_back(d);
  }
  std::shuffle(dims.begin(), dims.end(), random_);
  return dims;
}

std::vector<LocalCase> LocalCases::elementwise(DType dtype, const Shape& shape) {
  std::vector<LocalCase> cases;
  const auto x = [&] { return tensor(dtype, shape); };
  for (const OpData& op : {OpData(Negate{}),
                           OpData(Exponential{}),
                           OpData(Log{}),
                           OpData(Tanh{}),
                           OpData(Logistic{}),
                           OpData(Sqrt{}),
                           OpData(Rsqrt{}),
                           OpData(Sine{}),
                           OpData(Cosine{}),
                           OpData(ErfInv{}),
                           OpData(Floor{}),
                           OpData(Abs{}),
                           OpData(Sign{}),
                           OpData(Not{}),
                           OpData(IsFinite{}),
                           OpData(StopGradient{}),
                           OpData(ExponentialMinusOne{}),
                           OpData(LogPlusOne{}),
                           OpData(Cbrt{}),
                           OpData(Erf{}),
                           OpData(Erfc{}),

                           OpData(RoundNearestEven{}),
                           OpData(RoundNearestAfz{}),
                           OpData(Popcnt{}),
                           OpData(CountLeadingZeros{})}) {
    cases.push_back(LocalCase{op, {x()}});
  }
  for (const OpData& op :
       {OpData(Add{}), OpData(Subtract{}), OpData(Multiply{}), OpData(Divide{}), OpData(Power{}), OpData(Remainder{}),
        OpData(Maximum{}), OpData(Minimum{}), OpData(And{}), OpData(Or{}), OpData(Xor{}), OpData(ShiftRightLogical{}),
        OpData(ShiftLeft{}), OpData(ShiftRightArithmetic{}), OpData(IntegerDivide{}), OpData(Atan2{})}) {
    cases.push_back(LocalCase{op, {x(), x()}});
  }
  const Tensor same = x();
  for (const OpData& op : {OpData(ShiftLeft{}), OpData(ShiftRightLogical{}), OpData(ShiftRightArithmetic{})}) {
    add(cases, op, x(), indices(is_integer(dtype) ? dtype : DType::u8, shape, 70));
  }
  add(cases, Maximum{}, same, same);
  for (const Direction direction :
       {Direction::eq, Direction::ne, Direction::lt, Direction::le, Direction::gt, Direction::ge}) {
    add(cases, Compare{direction}, x(), x());
    add(cases, Compare{direction}, same, same);
  }
  add(cases, Select{}, tensor(DType::pred, shape), x(), x());
  add(cases, Select{}, tensor(DType::pred, {}), x(), x());
  for (const DType to : kDTypesOfAll) add(cases, Convert{to}, x());
  return cases;
}

void LocalCases::movement(DType dtype, std::vector<LocalCase>& cases) {
  const Shape s = shape(0, 4);
  const auto rank = static_cast<int64_t>(s.size());
  const Tensor x = tensor(dtype, s);
  for (const char* number : {"0", "1", "-7/3", "0.1", "inf", "200", "18446744073709551615", "nan"}) {
    const std::optional<Rational> value = Rational::parse(number);
    if (is_integer(dtype) && (!value->finite() || !is_integer_of(dtype, *value))) continue;
    if (dtype == DType::pred && *value != Rational(1) && *value != Rational(0)) continue;
    add(cases, Constant{*value, dtype, s});
  }
  if (rank > 0) add(cases, Iota{dtype, s, between(0, rank - 1)});
  Shape flat{element_count(s)};
  add(cases, Reshape{flat}, x);
  std::vector<int64_t> permutation(s.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::shuffle(permutation.begin(), permutation.end(), random_);
  add(cases, Transpose{permutation}, x);
  BroadcastInDim broadcast;
  for (const int64_t size : s) {
    for (int64_t more = between(0, 1); more > 0; --more) broadcast.shape.push_back(between(1, 3));
    broadcast.dims.push_back(std::ssize(broadcast.shape));
    broadcast.shape.push_back(size == 1 ? between(1, 3) : size);
  }
  add(cases, broadcast, x);
  Slice slice;
  for (const int64_t size : s) {
    slice.start.push_back(between(0, size));
    slice.limit.push_back(between(slice.start.back(), size));
    slice.strides.push_back(between(1, 3));
  }
  add(cases, slice, x);
  slice.strides.clear();
  add(cases, slice, x);
  Pad pad;
  for (size_t d = 0; d < s.size(); ++d) pad.low.push_back(between(0, 2)), pad.high.push_back(between(0, 2));
  add(cases, pad, x, tensor(dtype, {}));
  add(cases, Pad{std::vector<int64_t>(s.size()), std::vector<int64_t>(s.size())}, x, tensor(dtype, {}));
  add(cases, Reverse{some_dims(rank)}, x);
  if (rank == 0) return;
  const int64_t dim = between(0, rank - 1);
  LocalCase concatenate{Concatenate{dim}, {}};
  for (int64_t i = between(1, 4); i > 0; --i) {
    Shape part = s;
    part[static_cast<size_t>(dim)] = between(0, 4);
    concatenate.operands.push_back(tensor(dtype, part));
  }
  cases.push_back(concatenate);
}

std::vector<Tensor> LocalCases::starts(const Shape& whole, const Shape& block) {
  std::vector<Tensor> starts;
  for (size_t d = 0; d < whole.size(); ++d) starts.push_back(indices(integer_dtype(), {}, whole[d] - block[d] + 1));
  return starts;
}

void LocalCases::blocks(DType dtype, std::vector<LocalCase>& cases) {
  const Shape s = shape(0, 4);
  Shape block;
  for (const int64_t size : s) block.push_back(between(0, 2) == 0 ? size : between(std::min<int64_t>(size, 1), size));
  const std::vector<Tensor> from = starts(s, block);
  LocalCase slice{DynamicSlice{block}, {tensor(dtype, s)}};
  slice.operands.insert(slice.operands.end(), from.begin(), from.end());
  cases.push_back(slice);
  LocalCase update{DynamicUpdateSlice{}, {tensor(dtype, s), tensor(dtype, block)}};
  update.operands.insert(update.operands.end(), from.begin(), from.end());
  cases.push_back(update);
}

void LocalCases::indexed(DType dtype, std::vector<LocalCase>& cases) {
  const Shape s = shape(1, 4);
  const int64_t dim = between(0, std::ssize(s) - 1), batch = between(0, dim);
  Shape ids(s.begin(), s.begin() + batch);
  for (int64_t i = between(0, 2); i > 0; --i) ids.push_back(between(0, 6));
  const Tensor at = indices(integer_dtype(), ids, s[static_cast<size_t>(dim)]);
  add(cases, Gather{dim, batch}, tensor(dtype, s), at);
  const Shape wide{between(1, 9), 4 * between(1, 9)};  // rows of 16 bytes, often
  add(cases, Gather{0, 0}, tensor(dtype, wide), indices(integer_dtype(), {between(0, 9)}, wide[0]));
  Shape updates(s.begin(), s.begin() + dim);
  updates.insert(updates.end(), ids.begin() + batch, ids.end());
  updates.insert(updates.end(), s.begin() + dim + 1, s.end());
  add(cases, ScatterAdd{dim, batch}, tensor(dtype, s), at, tensor(dtype, updates));
}

void LocalCases::sums(DType dtype, std::vector<LocalCase>& cases) {
  for (const Reducer op : {Reducer::add, Reducer::max, Reducer::min}) {
    const Shape s = shape(0, 5);
    add(cases, Reduce{op, some_dims(std::ssize(s)), {}}, tensor(dtype, s));
    const Shape matrix{between(1, 40), between(1, 200)};
    add(cases, Reduce{op, {between(0, 1)}, {}}, tensor(dtype, matrix));
    add(cases, Reduce{op, {0, 1}, {}}, tensor(dtype, matrix));
  }
  const Shape s = shape(1, 4);
  const int64_t last = std::ssize(s) - 1;
  add(cases, Reduce{Reducer::argmax, {between(0, last)}, {}}, tensor(dtype, s));
  add(cases, Cumsum{between(0, last)}, tensor(dtype, s));
  add(cases, TopK{between(1, std::max<int64_t>(s.back(), 1))}, tensor(dtype, s));
}

std::vector<LocalCase> LocalCases::long_reductions(DType dtype) {
  struct Kind {
    Shape shape;
    std::vector<int64_t> dims;
  };
  const Kind kinds[] = {{{between(33, 512)}, {0}},
                        {{between(1, 40), between(33, 200)}, {1}},
                        {{between(2, 5), between(513, 1600)}, {1}},
                        {{between(1, 3), 512 * between(1, 3)}, {1}},
                        {{1, between(4000, 12000)}, {1}},
                        {{between(513, 1500), between(8, 70)}, {0}},
                        {{between(513, 700), between(1, 7)}, {0}},
                        {{between(8, 12), between(70, 90), between(3, 6)}, {0, 1}},
                        {{between(8, 12), between(3, 6), between(70, 90)}, {0, 2}},
                        {{between(520, 600), between(30, 34)}, {0}},
                        {{between(200, 300), between(33, 36)}, {1}}};
  std::vector<LocalCase> cases;
  for (const Kind& kind : kinds) {
    for (const Reducer op : {Reducer::add, Reducer::max, Reducer::min}) {
      add(cases, Reduce{op, kind.dims, {}}, tensor(dtype, kind.shape, between(0, 2) == 0 ? 4000 : 0));
    }
  }
  const Kind apart[] = {{{between(16384, 18000)}, {0}}, {{between(8200, 8300), 8, 2}, {0, 2}}};
  for (const Kind& kind : apart) {
    constexpr Reducer kOps[] = {Reducer::add, Reducer::max, Reducer::min};
    add(cases, Reduce{kOps[between(0, 2)], kind.dims, {}}, tensor(dtype, kind.shape, 0));
  }
  return cases;
}

void LocalCases::products(DType dtype, std::vector<LocalCase>& cases) {
  DotGeneral op;
  Shape a, b;
  std::vector<int64_t> kinds(static_cast<size_t>(between(0, 5)));  // 0: batch, 1: contracted, 2: of a, 3: of b
  for (int64_t& kind : kinds) kind = between(0, 3);
  for (const int64_t kind : kinds) {
    const int64_t size = between(0, 25) == 0 ? 0 : between(1, kind == 1 ? 20 : 5);
    if (kind != 3) a.push_back(size);
    if (kind != 2) b.push_back(size);
    if (kind >= 2) continue;
    DimPairs& pairs = kind == 0 ? op.batch : op.contract;
    pairs.lhs.push_back(std::ssize(a) - 1), pairs.rhs.push_back(std::ssize(b) - 1);
  }
  // The dimensions of b in another order.
  std::vector<size_t> order(b.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::shuffle(order.begin(), order.end(), random_);
  Shape turned(b.size());
  for (size_t d = 0; d < b.size(); ++d) turned[order[d]] = b[d];
  for (DimPairs* pairs : {&op.batch, &op.contract}) {
    for (int64_t& dim : pairs->rhs) dim = static_cast<int64_t>(order[static_cast<size_t>(dim)]);
  }
  add(cases, op, tensor(dtype, a), tensor(dtype, turned));
}

void LocalCases::random_numbers(std::vector<LocalCase>& cases) {
  const Shape s = shape(0, 3);
  const KeyLayout layout = between(0, 1) == 0 ? KeyLayout::original : KeyLayout::partitionable;
  const Tensor keys = tensor(DType::key, s), key = tensor(DType::key, {});
  const DType word = between(0, 1) == 0 ? DType::i32 : DType::u32;
  add(cases, RngFoldIn{}, keys, tensor(word, s));
  add(cases, RngFoldIn{}, keys, tensor(word, {}));
  add(cases, RngSplit{between(1, 9), layout}, key);
  add(cases, BitcastConvert{DType::u32}, keys);
  Shape words = s;
  words.push_back(2);
  add(cases, BitcastConvert{DType::key}, tensor(DType::u32, words));
  add(cases, RngBits{s, {}, layout}, key);
  Shape whole = s;
  for (int64_t& size : whole) size += between(0, 3);
  LocalCase block{RngBits{s, whole, layout}, {key}};
  for (const Tensor& start : starts(whole, s)) block.operands.push_back(start);
  cases.push_back(block);
}

std::vector<LocalCase> LocalCases::all(DType dtype) {
  std::vector<LocalCase> cases = elementwise(dtype, shape(0, 3));
  movement(dtype, cases);
  blocks(dtype, cases);
  indexed(dtype, cases);
  sums(dtype, cases);
  products(dtype, cases);
  if (dtype == DType::key) random_numbers(cases);
  return cases;
}

}  // namespace isoshard::testing
