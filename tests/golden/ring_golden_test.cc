// The ring gathers and scatters: every case of ring.json, bit by bit, as a program run by the simulator; the cotangents
// of gathers are sums, whose order is the compiler's.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "parallel/sharding/ring_collectives.h"
#include "tests/golden/golden.h"
#include "tests/golden/program_run.h"
#include "tests/golden/same_bits.h"

namespace isoshard::golden::ring_golden_test {
namespace {

using Items = std::vector<ValueId>;
using Gather = std::function<Items(ModelBuilder&, ValueId, const Group&)>;
using Scatter = std::function<ValueId(ModelBuilder&, const Items&, const Group&)>;

const std::map<std::string, Gather>& gathers() {
  static const std::map<std::string, Gather> kOps = {
      {"async_gather/up", [](ModelBuilder& m, ValueId x, const Group& axis) { return async_gather(m, x, axis); }},
      {"async_gather/down",
       [](ModelBuilder& m, ValueId x, const Group& axis) { return async_gather(m, x, axis, false); }},
      {"async_gather_bidirectional/up",
       [](ModelBuilder& m, ValueId x, const Group& axis) { return async_gather_bidirectional(m, x, axis); }},
      {"async_gather_bidirectional/down",
       [](ModelBuilder& m, ValueId x, const Group& axis) { return async_gather_bidirectional(m, x, axis, false); }},
      {"async_gather_split",
       [](ModelBuilder& m, ValueId x, const Group& axis) { return async_gather_split(m, x, axis); }},
  };
  return kOps;
}

const std::map<std::string, Scatter>& scatters() {
  static const std::map<std::string, Scatter> kOps = {
      {"async_scatter/up",
       [](ModelBuilder& m, const Items& xs, const Group& axis) { return async_scatter(m, xs, axis); }},
      {"async_scatter/down",
       [](ModelBuilder& m, const Items& xs, const Group& axis) { return async_scatter(m, xs, axis, false); }},
      {"async_scatter_split",
       [](ModelBuilder& m, const Items& xs, const Group& axis) { return async_scatter_split(m, xs, axis); }},
  };
  return kOps;
}

void expect_devices(const std::vector<Tensor>& made, const std::vector<Tensor>& expected) {
  ASSERT_EQ(made.size(), expected.size());
  for (size_t d = 0; d < made.size(); ++d) EXPECT_TRUE(same_bits(made[d], expected[d])) << "device " << d;
}

void gather_case(const Json& c, const Gather& gather) {
  ProgramRun run(mesh(c.at("mesh")));
  const Items items = gather(run.m(), run.input_per_device("x", per_device(c.at("x"))), axis(c.at("axis"), run.mesh()));
  ASSERT_EQ(items.size(), c.at("items").size());
  for (size_t k = 0; k < items.size(); ++k) run.output("item" + std::to_string(k), items[k]);
  const std::map<std::string, std::vector<Tensor>> made = run.run();
  for (size_t k = 0; k < items.size(); ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    expect_devices(made.at("item" + std::to_string(k)), per_device(c.at("items")[k]));
  }
  std::map<std::string, std::vector<Tensor>> cotangents;
  for (size_t k = 0; k < items.size(); ++k) {
    cotangents["item" + std::to_string(k)] = per_device(c.at("item_cotangents")[k]);
  }
  const std::vector<Tensor> x = run.gradients(cotangents).at("x"), expected = per_device(c.at("x_cotangent"));
  for (size_t d = 0; d < x.size(); ++d) EXPECT_TRUE(close(x[d], expected[d], 1e-6, 0)) << "device " << d;
}

void scatter_case(const Json& c, const Scatter& scatter) {
  ProgramRun run(mesh(c.at("mesh")));
  Items xs;
  for (const Json& x : c.at("xs")) {
    xs.push_back(run.input_per_device("x" + std::to_string(xs.size()), per_device(x)));
  }
  run.output("y", scatter(run.m(), xs, axis(c.at("axis"), run.mesh())));
  expect_devices(run.run().at("y"), per_device(c.at("y")));
  const std::map<std::string, std::vector<Tensor>> made = run.gradients({{"y", per_device(c.at("y_cotangent"))}});
  for (size_t k = 0; k < xs.size(); ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    expect_devices(made.at("x" + std::to_string(k)), per_device(c.at("xs_cotangents")[k]));
  }
}

/// The illegal uses are named, not described: lists of the wrong length and a width that has no half.
void error_case(const Json& c) {
  const std::string name = c.at("name");
  ProgramRun run(mesh(c.at("mesh")));
  const Group ring = run.m().group("tp");
  const std::vector<int64_t> numbers = error(c.at("error")).value().numbers;
  const size_t length = name.find("wrong_length_5") != std::string::npos ? 5 : 3;
  const int64_t width = name.find("odd_width") != std::string::npos ? numbers.at(0) : 2;
  const Tensor value = Tensor::from<float>(DType::f32, {width}, std::vector<float>(static_cast<size_t>(width), 1.0F));
  const ValueId x = run.input_per_device("x", std::vector<Tensor>(4, value));
  if (name == "error/async_gather_split/odd_width") {
    async_gather_split(run.m(), x, ring);
  } else if (name.rfind("error/async_scatter_split/wrong_length", 0) == 0) {
    async_scatter_split(run.m(), Items(length, x), ring);
  } else if (name.rfind("error/async_scatter/wrong_length", 0) == 0) {
    async_scatter(run.m(), Items(length, x), ring);
  } else {
    throw std::runtime_error("an unknown illegal use");
  }
  const std::string message = run.messages();
  EXPECT_EQ(message.rfind("C-ring-", 0), 0U) << message;
  for (const int64_t number : numbers)
    EXPECT_NE(message.find(std::to_string(number) + " "), std::string::npos) << message;
}

void run_case(const Json& c) {
  const std::string op = c.at("op");
  if (op == "error") return error_case(c);
  if (const auto gather = gathers().find(op); gather != gathers().end()) return gather_case(c, gather->second);
  scatter_case(c, scatters().at(op));
}

TEST(Golden, Ring) { run_family("ring", 188, "", run_case); }

}  // namespace
}  // namespace isoshard::golden::ring_golden_test
