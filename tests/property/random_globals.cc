#include "tests/property/random_globals.h"

#include <utility>

namespace isoshard::testing {
namespace {

DType random_dtype(Dice& dice, bool integers) {
  if (integers && dice.chance(25)) return dice.chance(75) ? DType::i32 : DType::pred;
  return dice.chance(80) ? DType::f32 : DType::f64;
}

Init random_init(Dice& dice, DType dtype) {
  if (!is_float(dtype)) return Init{InitKind::value, Rational(dice.in(0, 1))};
  if (dice.chance(20)) return Init{InitKind::value, Rational(dice.in(-9, 9), dice.in(1, 9))};
  return Init{std::vector<InitKind>{InitKind::normal, InitKind::uniform, InitKind::lecun_normal, InitKind::zeros,
                                    InitKind::ones}[dice.below(5)],
              {}};
}

}  // namespace

std::shared_ptr<const Mesh> random_mesh(Dice& dice, const RandomProgramOptions& options) {
  std::vector<MeshAxis> axes;
  const size_t count_of_axes = dice.below(options.max_axes + 1);
  for (size_t i = 0; i < count_of_axes; ++i) {
    axes.push_back(MeshAxis{std::vector<std::string>{"data", "model", "pp"}[i % 3] + (i < 3 ? "" : std::to_string(i)),
                            dice.in(1, options.max_axis_size)});
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
    TensorType type{random_dtype(dice, options.integers), {}};
    for (size_t rank = dice.below(4); rank > 0; --rank) {
      int64_t size = dice.in(1, 3);
      for (const MeshAxis& axis : mesh.axes()) size *= dice.chance(40) && size < 12 ? axis.size : 1;
      type.shape.push_back(size);
    }
    if (element_count(type.shape) > options.max_elements) type.shape.resize(1);
    const Role role = dice.chance(45)   ? Role::param
                      : dice.chance(50) ? Role::input
                      : dice.chance(50) ? Role::state
                                        : Role::constant;
    module.globals.push_back(
        Global{"g" + std::to_string(i), type, role, random_init(dice, type.dtype), Location::here()});
  }
}

}  // namespace isoshard::testing
