#pragma once

#include <gtest/gtest.h>

#include "catalogue/catalogue.h"
#include "core/text/text.h"
#include "verify/check.h"

/// Models of the catalogue in tests: as they are, and with a mistake in their text.
namespace isoshard::testing {

inline Module made(const ModelRequest& request) {
  DiagnosticSink sink;
  std::optional<Module> module = make_model(request, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  return module ? std::move(*module) : Module();
}

/// `visit(module, program, name)` for each program of each model as the catalogue has it.
template <class Visit>
void for_each_catalogue_program(const Visit& visit) {
  for (const ModelInfo& model : catalogue()) {
    const Module module = made({model.name, {}, {}});
    for (size_t p = 0; p < module.programs.size(); ++p) {
      if (module.programs[p].kind() != ProgramKind::program) continue;
      visit(module, ProgramId(p), model.name + " @" + module.programs[p].name());
    }
  }
}

/// No errors of states, and EQUAL.
inline void expect_equal(const ModelRequest& request) {
  const Module module = made(request);
  ASSERT_EQ(module.checks.size(), 1U);
  EXPECT_TRUE(module.state_errors(module.checks[0].left).empty());
  std::string text = request.name;
  for (const MeshAxis& axis : request.mesh) text += " " + axis.name + "=" + std::to_string(axis.size);
  for (const SettingValue& setting : request.settings) text += " " + setting.name + "=" + setting.value;
  EXPECT_EQ(verify::check(module, module.checks[0]).exit_code(), 0) << text;
}

/// The first `right` of the text becomes `wrong`.
struct Mistake {
  std::string what, right, wrong;
};

/// NOT EQUAL with a mistake in the first program, which stands before the others.
inline void expect_rejected(const ModelRequest& request, const Mistake& mistake) {
  std::string text = text::print(made(request));
  const size_t at = text.find(mistake.right);
  ASSERT_LT(at, text.find("_init on @m")) << mistake.what;
  text.replace(at, mistake.right.size(), mistake.wrong);
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"wrong.shard", text});
  const std::optional<Module> module = text::parse_module(file, {}, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << mistake.what << ": " << render(d);
  ASSERT_TRUE(module.has_value());
  EXPECT_EQ(verify::check(*module, module->checks.at(0)).exit_code(), 1) << mistake.what;
}

}  // namespace isoshard::testing
