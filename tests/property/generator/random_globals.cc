#include "tests/property/generator/random_globals.h"

#include <algorithm>
#include <utility>

#include "core/value/integers.h"

namespace isoshard::testing {
namespace {

constexpr int64_t kMaxDevices = 64;

DType random_dtype(Dice& dice, const RandomProgramOptions& options) {
  if (options.integers && dice.chance(30)) {
    static const std::vector<DType> kIntegers = {DType::i32, DType::i32, DType::i32,  DType::i32,
                                                 DType::i32, DType::u32, DType::i64,  DType::i8,
                                                 DType::u8,  DType::u64, DType::pred, DType::pred};
    return dice.pick(kIntegers);
  }
  if (options.doubles) return DType::f64;
  return dice.pick(
      std::vector<DType>{DType::f32, DType::f32, DType::f32, DType::f32, DType::f64, DType::bf16, DType::f16});
}

/// Sizes of 1 to the limit, or different primes, so that no two groups are of one size.
std::vector<int64_t> random_sizes(Dice& dice, const RandomProgramOptions& options) {
  std::vector<int64_t> sizes;
  size_t count = dice.below(options.max_axes + 1);
  if (count > 1 && dice.chance(40)) {
    for (const int64_t prime : {2, 3, 5}) {
      if (prime <= options.max_axis_size) sizes.push_back(prime);
    }
    dice.shuffle(sizes);
    sizes.resize(std::min(count, sizes.size()));
    return sizes;
  }
  for (int64_t devices = 1; count > 0; --count, devices *= sizes.back()) {
    sizes.push_back(dice.in(1, std::min(options.max_axis_size, kMaxDevices / devices)));
  }
  return sizes;
}

/// Now and then the ends of the dtype, or a hole.
std::optional<ValueRange> random_range(Dice& dice, DType dtype) {
  if (!is_integer(dtype) || dice.chance(50)) return std::nullopt;
  const IntegerEnds ends = integer_ends(dtype);
  const bool wide = info(dtype).bytes == sizeof(int64_t);
  if (!wide && dice.chance(20)) return ValueRange{ends.least, ends.greatest + 1, {}};
  ValueRange range{0, dice.in(2, 40), {}};
  if (dice.chance(30)) range.others.push_back(range.high + dice.in(0, 9));
  if (dice.chance(30) && !is_unsigned(dtype)) range.others.insert(range.others.begin(), -100);
  return range;
}

Init random_init(Dice& dice, DType dtype) {
  if (!is_float(dtype)) return Init{InitKind::value, Rational(dice.in(0, 1))};
  if (dice.chance(20)) {
    const int64_t numerator = dice.in(-9, 9);
    return Init{InitKind::value, Rational(numerator, dice.in(1, 9))};
  }
  return Init{std::vector<InitKind>{InitKind::normal, InitKind::uniform, InitKind::lecun_normal, InitKind::zeros,
                                    InitKind::ones}[dice.below(5)],
              {}};
}

}  // namespace

std::shared_ptr<const Mesh> random_mesh(Dice& dice, const RandomProgramOptions& options) {
  std::vector<MeshAxis> axes;
  for (const int64_t size : random_sizes(dice, options)) {
    const size_t i = axes.size();
    const std::string name = std::vector<std::string>{"data", "model", "pp"}[i % 3];
    axes.push_back(MeshAxis{name + (i < 3 ? "" : std::to_string(i)), size});
  }
  Mesh sorted("m", axes);
  std::vector<int64_t> order;
  for (int64_t i = 0; i < sorted.device_count(); ++i) order.push_back(i);
  if (dice.chance(30)) dice.shuffle(order);
  return std::make_shared<const Mesh>("m", std::move(axes), std::move(order));
}

void add_globals(Module& module, const Mesh& mesh, Dice& dice, const RandomProgramOptions& options) {
  const size_t globals = 2 + dice.below(4);
  for (size_t i = 0; i < globals; ++i) {
    TensorType type{random_dtype(dice, options), {}};
    for (size_t rank = dice.below(4); rank > 0; --rank) {
      int64_t size = dice.in(1, 3);
      for (const MeshAxis& axis : mesh.axes()) size *= dice.chance(40) && size < 12 ? axis.size : 1;
      if (dice.chance(20)) size += 1;  // which often divides by nothing
      type.shape.push_back(size);
    }
    if (element_count(type.shape) > options.max_elements) type.shape.resize(1);
    const Role role = dice.chance(45)   ? Role::param
                      : dice.chance(50) ? Role::input
                      : dice.chance(50) ? Role::state
                                        : Role::constant;
    module.globals.push_back(Global{"g" + std::to_string(i), type, role, random_init(dice, type.dtype),
                                    Location::here(), random_range(dice, type.dtype)});
  }
}

}  // namespace isoshard::testing
