#include "tests/golden/param_trees.h"

#include <gtest/gtest.h>

#include "tests/golden/same_bits.h"

namespace isoshard::golden {

std::optional<std::vector<Group>> names_of(const Leaf& leaf, const Mesh& mesh) {
  if (!leaf.names) return std::nullopt;
  std::vector<Group> result;
  for (const AxisNames& names : *leaf.names) {
    result.emplace_back();
    for (const std::string& name : names) result.back().axes.push_back(mesh.find(name).value());
  }
  return result;
}

Group all_axes(const Mesh& mesh) {
  Group group;
  for (size_t i = 0; i < mesh.axis_count(); ++i) group.axes.emplace_back(i);
  return group;
}

ParamTree params(ProgramRun& run, const Json& json) {
  ParamTree result;
  for (const Leaf& leaf : tree(json)) {
    const ValueId value = run.input_per_device("x" + std::to_string(result.size()), leaf.arrays);
    result.push_back(ParamLeaf{leaf.path, names_of(leaf, run.mesh()), value});
  }
  return result;
}

/// Trees under names of their own in one program.
void put_out(ProgramRun& run, const std::string& name, const ParamTree& made) {
  for (size_t i = 0; i < made.size(); ++i) run.output(name + std::to_string(i), made[i].value);
}

void expect_tree(const ProgramRun& run, const std::map<std::string, std::vector<Tensor>>& outputs,
                 const std::string& name, const ParamTree& made, const Json& json) {
  const std::vector<Leaf> expected = tree(json);
  ASSERT_EQ(made.size(), expected.size());
  for (size_t i = 0; i < made.size(); ++i) {
    SCOPED_TRACE(name + " " + expected[i].path);
    EXPECT_EQ(made[i].path, expected[i].path);
    EXPECT_EQ(made[i].names, names_of(expected[i], run.mesh()));
    const std::vector<Tensor>& arrays = outputs.at(name + std::to_string(i));
    ASSERT_EQ(arrays.size(), expected[i].arrays.size());
    for (size_t d = 0; d < arrays.size(); ++d) {
      EXPECT_TRUE(same_bits(arrays[d], expected[i].arrays[d])) << "device " << d;
    }
  }
}

}  // namespace isoshard::golden
