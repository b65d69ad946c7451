// Sizes of a mesh from a number of devices: xlstm_jax's initialize_mesh (docs/spec/originals.md, "Meshes").
#include "parallel/sharding/initialize_mesh.h"
#include "core/support/result.h"

#include <gtest/gtest.h>

namespace isoshard::initialize_mesh_test {
namespace {

std::string sizes(const Result<std::shared_ptr<const Mesh>>& mesh) {
  if (!mesh) return mesh.error().rule + ": " + mesh.error().message;
  std::string text;
  for (const MeshAxis& axis : (*mesh)->axes()) text += axis.name + "=" + std::to_string(axis.size) + " ";
  return text;
}

TEST(InitializeMesh, TheOpenSizeIsWhatTheOthersLeave) {
  EXPECT_EQ(sizes(initialize_mesh(default_mesh_axes(), 8)), "dp=8 fsdp=1 pp=1 tp=1 ");
  EXPECT_EQ(sizes(initialize_mesh({{"dp", -1}, {"fsdp", 1}, {"pp", 1}, {"tp", 2}}, 8)), "dp=4 fsdp=1 pp=1 tp=2 ");
  EXPECT_EQ(sizes(initialize_mesh({{"a", 2}, {"b", -1}}, 2)), "a=2 b=1 ");
  EXPECT_EQ(sizes(initialize_mesh({{"a", 2}, {"b", 3}}, 6)), "a=2 b=3 ");
}

TEST(InitializeMesh, TheLastAxisIsTheFastest) {
  const Result<std::shared_ptr<const Mesh>> mesh = initialize_mesh({{"a", 2}, {"b", -1}}, 6);
  ASSERT_TRUE(mesh.has_value());
  EXPECT_EQ((*mesh)->place(4), "a=1, b=1");
}

TEST(InitializeMesh, SizesThatDoNotMakeUpTheDevices) {
  const std::string expected = "; expected sizes whose product is 8, or one size of -1 for what the others leave";
  EXPECT_EQ(sizes(initialize_mesh({{"a", 3}, {"b", -1}}, 8)),
            "C-devices: the mesh (a=3, b=-1) needs a multiple of 3 devices, and there are 8" + expected);
  EXPECT_EQ(sizes(initialize_mesh({{"a", 2}, {"b", 2}}, 8)),
            "C-devices: the mesh (a=2, b=2) needs 4 devices, and there are 8" + expected)
      << "the original fails where it reshapes";
  EXPECT_EQ(sizes(initialize_mesh({{"a", 16}}, 8)),
            "C-devices: the mesh (a=16) needs 16 devices, and there are 8" + expected);
  EXPECT_EQ(sizes(initialize_mesh({{"a", 1 << 20}, {"b", 1 << 20}}, 8)),
            "C-devices: the mesh (a=1048576, b=1048576) needs 2^31 or more devices, and there are 8" + expected);
}

TEST(InitializeMesh, SizesThatMeanNothing) {
  EXPECT_EQ(sizes(initialize_mesh({{"a", 0}, {"b", -1}}, 8)),
            "C-size: axis `a` has size 0; expected at least 1, or -1");
  EXPECT_EQ(sizes(initialize_mesh({{"a", -2}}, 8)), "C-size: axis `a` has size -2; expected at least 1, or -1");
  EXPECT_EQ(sizes(initialize_mesh({{"a", -1}, {"b", -1}}, 8)),
            "C-size: the mesh (a=-1, b=-1) has 2 sizes of -1; expected at most one");
}

}  // namespace
}  // namespace isoshard::initialize_mesh_test
