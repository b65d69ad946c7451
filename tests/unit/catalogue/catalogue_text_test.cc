// A model of the catalogue, printed, is a file that means the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "catalogue/catalogue.h"
#include "core/text/text.h"
#include "tests/sanitized.h"

namespace isoshard::catalogue_text_test {
namespace {

std::optional<Module> parse(const std::string& text) {
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"printed.shard", text});
  std::optional<Module> module = text::parse_module(file, {}, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  return module;
}

/// The text has functions first.
const Program& named(const Module& module, const std::string& name) {
  for (const Program& program : module.programs) {
    if (program.name() == name) return program;
  }
  ADD_FAILURE() << "no program @" << name;
  return module.programs.front();
}

/// The values with the arguments first, as a file has them: funcs may be built argument by argument.
std::vector<ValueId> in_text_order(const Program& program) {
  std::vector<ValueId> result = program.body().arguments;
  const std::set<ValueId> arguments(result.begin(), result.end());
  for (size_t i = 0; i < program.value_count(); ++i) {
    if (!arguments.contains(ValueId(i))) result.emplace_back(i);
  }
  return result;
}

/// Where the operands stand among `values`.
std::vector<std::ptrdiff_t> places(const std::vector<ValueId>& operands, const std::vector<ValueId>& values) {
  std::vector<std::ptrdiff_t> result;
  for (const ValueId id : operands) result.push_back(std::find(values.begin(), values.end(), id) - values.begin());
  return result;
}

void expect_same(const Module& left, const Program& a, const Module& right) {
  const Program& b = named(right, a.name());
  EXPECT_EQ(a.mesh(), b.mesh());
  ASSERT_EQ(a.op_count(), b.op_count());
  const std::vector<ValueId> in_a = in_text_order(a), in_b = in_text_order(b);
  for (size_t i = 0; i < a.op_count(); ++i) {
    const Op &x = a.op(OpId(i)), &y = b.op(OpId(i));
    EXPECT_EQ(places(x.operands, in_a), places(y.operands, in_b));
    const Call *call = std::get_if<Call>(&x.data), *other = std::get_if<Call>(&y.data);
    if (call == nullptr || other == nullptr) {
      EXPECT_EQ(x.data, y.data) << op_name(x.data);
    } else {
      EXPECT_EQ(left.program(call->callee).name(), right.program(other->callee).name());
    }
  }
  ASSERT_EQ(a.value_count(), b.value_count());
  for (size_t i = 0; i < a.value_count(); ++i) {
    EXPECT_EQ(a.value(in_a[i]).type, b.value(in_b[i]).type) << a.value(in_a[i]).name;
  }
}

/// Funcs of which only derivatives are used are not printed.
std::vector<const Program*> printed_programs(const Module& module) {
  std::set<ProgramId> called;
  for (const Program& program : module.programs) {
    for (size_t i = 0; i < program.op_count(); ++i) {
      for (const ProgramId id : callees(program.op(OpId(i)).data)) called.insert(id);
    }
  }
  const std::string text = text::print(module);
  std::vector<const Program*> result;
  for (size_t i = 0; i < module.programs.size(); ++i) {
    const Program& program = module.programs[i];
    const bool uncalled = program.kind() == ProgramKind::function && !called.contains(ProgramId(i));
    const bool left_out = uncalled && text.find("func @" + program.name() + "(") == std::string::npos;
    if (!left_out) result.push_back(&program);
  }
  return result;
}

TEST(CatalogueText, PrintedModelsParseToTheSamePrograms) {
  if (kSanitized) GTEST_SKIP() << kLeftOut;
  for (const ModelInfo& info : catalogue()) {
    for (const int64_t size : {1, 2, 3, 8}) {
      SCOPED_TRACE(info.name + " over axes of " + std::to_string(size));
      DiagnosticSink sink;
      std::vector<MeshAxis> axes;
      for (const AxisInfo& axis : info.axes) axes.push_back({axis.name, axis.name == "data" ? 2 : size});
      const std::optional<Module> made = make_model({info.name, axes, {}}, sink);
      ASSERT_TRUE(made.has_value());
      const std::string text = text::print(*made);
      const std::optional<Module> parsed = parse(text);
      ASSERT_TRUE(parsed.has_value()) << text;
      EXPECT_EQ(text::print(*parsed), text);
      const std::vector<const Program*> programs = printed_programs(*made);
      ASSERT_EQ(parsed->programs.size(), programs.size());
      for (const Program* program : programs) expect_same(*made, *program, *parsed);
      ASSERT_EQ(parsed->checks.size(), 1U);
      const Check &read = parsed->checks[0], &check = made->checks[0];
      EXPECT_EQ(parsed->program(read.left).name(), made->program(check.left).name());
      EXPECT_EQ(parsed->program(read.right).name(), made->program(check.right).name());
      EXPECT_EQ(read.steps, check.steps);
    }
  }
}

}  // namespace
}  // namespace isoshard::catalogue_text_test
