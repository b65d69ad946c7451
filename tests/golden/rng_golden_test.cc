// The random numbers of JAX and the keys of Flax: every case of rng.json, as a program run by the simulator.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "parallel/module/initializers.h"
#include "parallel/module/param_key.h"
#include "tests/golden/golden.h"
#include "tests/golden/program_run.h"
#include "tests/golden/same_bits.h"

namespace isoshard::golden::rng_golden_test {
namespace {

KeyLayout layout_of(const Json& c) { return c.at("partitionable") ? KeyLayout::partitionable : KeyLayout::original; }

Tensor key_tensor(uint64_t key) { return Tensor::from<uint64_t>(DType::key, {}, std::vector{key}); }

/// What `result` gives for the case's key on one device.
Tensor with_key(const Json& c, const std::function<ValueId(ModelBuilder&, ValueId)>& result) {
  ProgramRun run;
  const ValueId key = run.input("key", key_tensor(golden::key(c.at("key"))));
  run.output("y", result(run.m(), key));
  return run.run().at("y").front();
}

ValueId words(ModelBuilder& m, ValueId key) { return m.op(BitcastConvert{DType::u32}, {key}); }

Tensor numbers(const Json& c, ValueId (*draw)(ModelBuilder&, ValueId, const Draw&, std::string, Location)) {
  return with_key(c, [&](ModelBuilder& m, ValueId key) {
    const Draw shape{c.at("shape"), {}, {}, layout_of(c)};
    return draw(m, key, shape, "", Location::here());
  });
}

Draw vector_of(const Json& c) { return Draw{{c.at("n").get<int64_t>()}, {}, {}, layout_of(c)}; }

Tensor prng_key_case(const Json& c) {
  ProgramRun run;
  const auto seed = static_cast<uint32_t>(c.at("seed").get<int64_t>());  // PRNGKey takes it modulo 2^32
  run.output("y", words(run.m(), prng_key(run.m(), seed)));
  return run.run().at("y").front();
}

Tensor split_case(const Json& c) {
  return with_key(c, [&](ModelBuilder& m, ValueId key) {
    return words(m, m.op(RngSplit{c.at("n"), layout_of(c)}, {key}));
  });
}

Tensor fold_in_case(const Json& c) {
  return with_key(c, [&](ModelBuilder& m, ValueId key) {
    const ValueId value = m.op(Constant{Rational(c.at("value").get<int64_t>()), DType::u32, {}}, {});
    return words(m, m.op(RngFoldIn{}, {key, value}));
  });
}

Tensor bits_case(const Json& c) {
  return with_key(c, [&](ModelBuilder& m, ValueId key) {
    const Draw draw = vector_of(c);
    return m.op(RngBits{draw.shape, {}, draw.layout}, {key});
  });
}

Tensor bernoulli_case(const Json& c) {
  return with_key(c, [&](ModelBuilder& m, ValueId key) {
    return bernoulli(m, key, Draw{c.at("shape"), {}, {}, layout_of(c)}, c.at("p"));
  });
}

Tensor lecun_normal_case(const Json& c) {
  return with_key(c, [&](ModelBuilder& m, ValueId key) {
    return lecun_normal_initializer()(m, key, Draw{c.at("shape"), {}, {}, layout_of(c)});
  });
}

Tensor randint_case(const Json& c) {
  return with_key(c,
                  [&](ModelBuilder& m, ValueId key) { return randint(m, key, vector_of(c), c.at("lo"), c.at("hi")); });
}

Tensor uniform_range_case(const Json& c) {
  return with_key(
      c, [&](ModelBuilder& m, ValueId key) { return uniform_range(m, key, vector_of(c), c.at("lo"), c.at("hi")); });
}

ValueId folded(ModelBuilder& m, ValueId key, uint32_t data) {
  return m.op(RngFoldIn{}, {key, m.op(Constant{Rational(int64_t{data}), DType::u32, {}}, {})});
}

Tensor flax_path_case(const Json& c) {
  return with_key(c, [&](ModelBuilder& m, ValueId key) {
    return words(m, folded(m, key, param_fold(c.at("path"), c.at("counter"))));
  });
}

/// The keys of all iterations of scans, outermost first, each split from that of its level; then the path is folded in.
std::vector<ValueId> scan_keys(ModelBuilder& m, ValueId key, const std::vector<int64_t>& lengths) {
  std::vector<ValueId> keys{key};
  for (const int64_t length : lengths) {
    std::vector<ValueId> next;
    for (const ValueId outer : keys) {
      for (int64_t i = 0; i < length; ++i) next.push_back(split_key(m, outer, i, length));
    }
    keys = next;
  }
  return keys;
}

Tensor flax_scan_case(const Json& c) {
  std::vector<int64_t> lengths;  // of the levels that split this stream
  for (const Json& level : c.at("levels")) {
    if (level.at("kind") == "layers" || c.at("stream") == "dropout") lengths.push_back(level.at("length"));
  }
  const int64_t counter = draw_counter(c.at("draws_in_scope"), c.at("draw"), std::ssize(lengths));
  const uint32_t fold = param_fold(c.at("path"), counter);
  return with_key(c, [&](ModelBuilder& m, ValueId key) {
    std::vector<ValueId> rows;
    for (const ValueId k : scan_keys(m, key, lengths)) {
      rows.push_back(m.op(Reshape{{1, 2}}, {words(m, folded(m, k, fold))}));
    }
    Shape shape = lengths;
    shape.push_back(2);
    return m.op(Reshape{shape}, {m.op(Concatenate{0}, rows)});
  });
}

const std::map<std::string, Tensor (*)(const Json&)>& single_device_ops() {
  static const std::map<std::string, Tensor (*)(const Json&)> kOps = {
      {"PRNGKey", prng_key_case},
      {"split", split_case},
      {"fold_in", fold_in_case},
      {"bits", bits_case},
      {"uniform", [](const Json& c) { return numbers(c, uniform); }},
      {"normal", [](const Json& c) { return numbers(c, normal); }},
      {"truncated_normal", [](const Json& c) { return numbers(c, truncated_normal); }},
      {"bernoulli", bernoulli_case},
      {"lecun_normal", lecun_normal_case},
      {"randint", randint_case},
      {"uniform_range", uniform_range_case},
      {"flax_path", flax_path_case},
      {"flax_scan", flax_scan_case},
  };
  return kOps;
}

std::vector<Tensor> fold_rng_over_axis_case(const Json& c) {
  ProgramRun run(mesh(c.at("mesh")));
  const ValueId key = run.input("key", key_tensor(golden::key(c.at("key"))));
  run.output("y", words(run.m(), fold_rng_over_axis(run.m(), key, axis(c.at("axis"), run.mesh()))));
  return run.run().at("y");
}

/// Everything has the bits of the original: XLA's float32 polynomials for the logarithm and the inverse error function
/// are reproduced, roundings included, so normal numbers and initialisers need no tolerance either.
void run_case(const Json& c) {
  const std::string op = c.at("op");
  if (op == "fold_rng_over_axis") {
    const std::vector<Tensor> expected = per_device(c.at("result")), made = fold_rng_over_axis_case(c);
    ASSERT_EQ(made.size(), expected.size());
    for (size_t d = 0; d < made.size(); ++d) EXPECT_TRUE(same_bits(made[d], expected[d])) << "device " << d;
    return;
  }
  EXPECT_TRUE(same_bits(single_device_ops().at(op)(c), array(c.at("result"))));
}

TEST(Golden, Rng) { run_family("rng", 300, "", run_case); }

}  // namespace
}  // namespace isoshard::golden::rng_golden_test
