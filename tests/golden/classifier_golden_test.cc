// TPClassifier and PPClassifier: names, shapes and first values of their parameters and the loss of the first step, of
// the small runs in curves.json. The other cases and the steps behind the first belong to a later step, for they need
// gradients.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "core/parallel/pp_classifier.h"
#include "core/parallel/tp_mlp_block.h"
#include "core/value/threefry.h"
#include "tests/golden/layer.h"

namespace isoshard::golden {
namespace {

/// The model's part of PRNGKey(seed), and of that the parameters' part.
uint64_t init_key(const Json& c) {
  const uint64_t model = threefry::split(key_of_seed(c), 0, 3, threefry::KeyLayout::original);
  return threefry::split(model, 0, 2, threefry::KeyLayout::original);
}

/// The rows of x that each device sees: the batch is split over `data`.
std::vector<Tensor> rows_of_each(const Tensor& x, const Mesh& mesh) {
  const AxisId data = *mesh.find("data");
  const int64_t parts = mesh.size(Group{{data}}), rows = x.shape()[0] / parts, size = x.size() / parts;
  std::vector<Tensor> result;
  for (int64_t position = 0; position < mesh.device_count(); ++position) {
    const auto part =
        x.as<float>().subspan(static_cast<size_t>(mesh.coordinate(position, data) * size), static_cast<size_t>(size));
    result.push_back(Tensor::from<float>(DType::f32, {rows, x.shape()[1]}, std::vector(part.begin(), part.end())));
  }
  return result;
}

double cross_entropy(std::span<const float> logits, int32_t label) {
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
  return std::log(sum) - static_cast<double>(logits[static_cast<size_t>(label)]);
}

/// Of the devices with index `owner` over `model`, the mean over all rows.
double mean_loss(const Tensor& logits, const Tensor& labels, const Mesh& mesh, int64_t owner) {
  const AxisId data = *mesh.find("data"), model = *mesh.find("model");
  const auto rows = static_cast<size_t>(logits.shape()[1]), classes = static_cast<size_t>(logits.shape()[2]);
  double sum = 0;
  for (int64_t position = 0; position < mesh.device_count(); ++position) {
    if (mesh.coordinate(position, model) != owner) continue;
    for (size_t row = 0; row < rows; ++row) {
      const size_t of_all = static_cast<size_t>(mesh.coordinate(position, data)) * rows + row;
      const size_t begin = (static_cast<size_t>(position) * rows + row) * classes;
      sum += cross_entropy(logits.as<float>().subspan(begin, classes), labels.as<int32_t>()[of_all]);
    }
  }
  return sum / static_cast<double>(labels.size());
}

void tp_case(const Json& c) {
  SCOPED_TRACE(c.at("name").get<std::string>());
  const auto on = mesh(c.at("mesh"));
  const Json& fields = c.at("model");
  const std::string variant = fields.at("variant");
  const TpClassifier model{Group{{*on->find("model")}}, fields.at("hidden"), fields.at("layers"),
                           fields.at("classes"),        variant != "sync",   variant == "async_split"};
  const std::vector<Tensor> x = rows_of_each(array(c.at("x")), *on);
  const Layer made(on, x[0].shape(), [&](Scope& root, ValueId v) {
    return as_state(root.m(), tp_classifier(root, model, v), model.axis, State::varying);
  });
  const std::map<std::string, Tensor> init = compare_init(made, c, init_key(c));
  const double expected = c.at("loss").at("data").at(0);
  EXPECT_NEAR(mean_loss(made.output(init, x), array(c.at("y")), *on, 0), expected, 1e-5 * expected);
}

/// The dropout key of the first step: from the rest of the model's key, split as a training state does it, of its one
/// minibatch, then folded over all devices.
ValueId dropout_key(ModelBuilder& m, const Json& c) {
  const ValueId model = split_key(m, prng_key(m, c.at("seed").get<uint32_t>()), 0, 3);
  const ValueId step = split_key(m, split_key(m, model, 1, 2), 1, 2);
  return fold_rng_over_axis(m, split_key(m, step, 0, 1), Group{{*m.mesh().find("data"), *m.mesh().find("model")}});
}

void pp_case(const Json& c) {
  SCOPED_TRACE(c.at("name").get<std::string>());
  const auto on = mesh(c.at("mesh"));
  const Json& fields = c.at("model");
  const Group axis{{*on->find("model")}};
  const int64_t stages = on->size(axis);
  const PpClassifier model{axis,
                           fields.at("num_microbatches"),
                           fields.at("hidden"),
                           fields.at("layers").get<int64_t>() / stages,
                           fields.at("classes"),
                           fields.at("dropout")};
  const std::vector<Tensor> x = rows_of_each(array(c.at("x")), *on);
  const Layer made(on, x[0].shape(), [&](Scope& root, ValueId v) {
    root.set_key("dropout", dropout_key(root.m(), c));
    return pp_classifier(root, model, v);
  });
  const std::map<std::string, Tensor> init = compare_init(made, c, init_key(c));
  const double expected = c.at("loss").at("data").at(0);
  EXPECT_NEAR(mean_loss(made.output(init, x), array(c.at("y")), *on, stages - 1), expected, 1e-5 * expected);
}

TEST(Golden, PpClassifierOfTheCurves) {
  size_t ran = 0;
  for (const Json& c : load_family("curves").cases) {
    if (c.at("model").at("kind") != "pp_classifier" || !c.contains("init")) continue;
    pp_case(c);
    ++ran;
  }
  std::cout << "curves: first values and first loss of " << ran << " pp_* case; not yet: steps, gradients\n";
  EXPECT_EQ(ran, 1U);
}

TEST(Golden, TpClassifierOfTheCurves) {
  const Family family = load_family("curves");
  size_t ran = 0;
  for (const Json& c : family.cases) {
    if (c.at("model").at("kind") != "tp_classifier" || !c.contains("init")) continue;
    tp_case(c);
    ++ran;
  }
  std::cout << "curves: first values and first loss of " << ran << " tp_* cases; not yet: steps, gradients\n";
  EXPECT_EQ(ran, 4U);
}

}  // namespace
}  // namespace isoshard::golden
