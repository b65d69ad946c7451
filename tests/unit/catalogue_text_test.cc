// A model of the catalogue, printed, is a file that means the same.
#include <gtest/gtest.h>

#include "core/parallel/catalogue.h"
#include "core/text/text.h"

namespace isoshard {
namespace {

std::optional<Module> parse(const std::string& text) {
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"printed.shard", text});
  std::optional<Module> module = text::parse_module(file, {}, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  return module;
}

void expect_same(const Program& a, const Program& b) {
  EXPECT_EQ(a.name(), b.name());
  EXPECT_EQ(a.mesh(), b.mesh());
  ASSERT_EQ(a.op_count(), b.op_count());
  for (size_t i = 0; i < a.op_count(); ++i) {
    EXPECT_EQ(a.op(OpId(i)).data, b.op(OpId(i)).data) << op_name(a.op(OpId(i)).data);
    EXPECT_EQ(a.op(OpId(i)).operands, b.op(OpId(i)).operands);
  }
  ASSERT_EQ(a.value_count(), b.value_count());
  for (size_t i = 0; i < a.value_count(); ++i) {
    EXPECT_EQ(a.value(ValueId(i)).type, b.value(ValueId(i)).type) << a.value(ValueId(i)).name;
  }
}

TEST(CatalogueText, PrintedModelsParseToTheSamePrograms) {
  for (const ModelInfo& info : catalogue()) {
    for (const int64_t size : {1, 2, 3, 8}) {
      DiagnosticSink sink;
      std::vector<MeshAxis> axes;
      for (const AxisInfo& axis : info.axes) axes.push_back({axis.name, axis.name == "data" ? 2 : size});
      const std::optional<Module> made = make_model({info.name, axes, {}}, sink);
      ASSERT_TRUE(made.has_value());
      const std::string text = text::print(*made);
      const std::optional<Module> parsed = parse(text);
      ASSERT_TRUE(parsed.has_value()) << text;
      EXPECT_EQ(text::print(*parsed), text);
      ASSERT_EQ(parsed->programs.size(), made->programs.size());
      for (size_t i = 0; i < made->programs.size(); ++i) expect_same(made->programs[i], parsed->programs[i]);
      ASSERT_EQ(parsed->checks.size(), 1U);
      EXPECT_EQ(parsed->checks[0].left, made->checks[0].left);
      EXPECT_EQ(parsed->checks[0].right, made->checks[0].right);
    }
  }
}

}  // namespace
}  // namespace isoshard
