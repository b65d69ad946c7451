#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/text/text.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "verify/check.h"

/// Files with a pipeline and the same model on one device, for tests.
namespace isoshard::testing {

struct PipelineFile {
  int64_t data = 1, stages = 2, model = 1;  ///< sizes of the mesh [dp, pp, tp]
  int64_t per_rank = 1;                     ///< stages of a rank, then U and V have a dimension for them in front
  std::string placement = "loop";
  int64_t micro_batches = 4, rows = 1;  ///< rows of a micro-batch on one device
  int64_t width = 3, hidden = 2;        ///< features, and hidden ones of one device
  std::string schedule = "schedule=\"1F1B\"";
};

inline std::string number_text(int64_t value) { return std::to_string(value); }

/// The lines of the model on one device that go through the stages.
inline std::string stages_text(const PipelineFile& f) {
  const bool one = f.per_rank == 1;
  const std::string place = f.placement == "v" ? "r + q % 2 * (n - 1 - 2 * r)" : "r";
  const std::string s = one ? "s" : "q * n + r", at = one ? "s" : "q, " + place,
                    behind = one ? "s + 1" : "q + 1, " + place + " + 1";
  return (one ? "  for s in 0..n {" : "  for q in 0..c {\n  for r in 0..n {") + ("\n    %Us.{" + s) +
         "} = slice %U {start=[" + at + ", 0, 0], limit=[" + behind + ", d, f]}\n    %U.{" + s + "} = reshape %Us.{" +
         s + "} {shape=[d, f]}\n    %Vs.{" + s + "} = slice %V {start=[" + at + ", 0, 0], limit=[" + behind +
         ", f, d]}\n    %V.{" + s + "} = reshape %Vs.{" + s + "} {shape=[f, d]}\n    %z.{" + s +
         "} = dot_general %y.{" + s + "}, %U.{" + s + "} {contract=[1]x[0]}\n    %a.{" + s + "} = tanh %z.{" + s +
         "}\n    %r.{" + s + "} = dot_general %a.{" + s + "}, %V.{" + s + "} {contract=[1]x[0]}\n    %y.{" + s +
         "+1} = add %y.{" + s + "}, %r.{" + s + "}\n  }" + (one ? "" : "\n  }");
}

/// A stage x + tanh(x U) V with U and V split over tp, a head behind the last stage, the batch split over dp: loss,
/// outputs and the gradients of all parameters and of x.
inline std::string pipeline_text(const PipelineFile& f) {
  const bool one = f.per_rank == 1;
  const std::string sizes = one ? "n" : "c, n", whole = one ? "-" : "-, -", split = one ? "stack pp" : "-, stack pp",
                    of_rank = one ? "" : "stages_per_rank=c, placement=" + f.placement + ", ",
                    last = one ? "n" : "c * n";
  return "isoshard 1\nmesh @m [dp=" + number_text(f.data) + ", pp=" + number_text(f.stages) +
         ", tp=" + number_text(f.model) + "]\nlet micro = " + number_text(f.micro_batches) +
         "\nlet bm = " + number_text(f.rows) + "\nlet d = " + number_text(f.width) +
         (one ? "" : "\nlet c = " + number_text(f.per_rank)) + "\nlet fl = " + number_text(f.hidden) + R"(
let n = size(pp)
let f = fl * size(tp)
let b = bm * micro * size(dp)
global @x : f32[b, d] input
global @t : f32[b] input
global @U : f32[)" +
         sizes + R"(, d, f] param
global @V : f32[)" +
         sizes + R"(, f, d] param
global @h : f32[d] param

func @stage(%x: f32[bm, d], %U: f32[d, fl], %V: f32[fl, d]) on @m -> f32[bm, d] {
  %xr = reinterpret %x {axis=tp, to=R}
  %z = dot_general %xr, %U {contract=[1]x[0]}
  %a = tanh %z
  %p = dot_general %a, %V {contract=[1]x[0], partial={tp}}
  %r = all_reduce %p {axis=tp, to=I}
  %y = add %x, %r
  return %y
}
func @loss(%y: f32[bm, d], %h: f32[d], %t: f32[bm]) on @m -> f32[], f32[bm] {
  %o = dot_general %y, %h {contract=[1]x[0]}
  %e = subtract %o, %t
  %q = multiply %e, %e
  %l = reduce %q {op=add, dims=[0], partial={dp}}
  %m = divide %l, (bm * size(dp))
  return %m, %o
}
program @pipelined on @m {
  %x = view @x [dp, -] as I{tp}
  %t = view @t [dp] as I{tp}
  %U = view @U [)" +
         split + R"(, -, tp]
  %V = view @V [)" +
         split + R"(, tp, -]
  %h = view @h [-] as I{tp}
  %l, %o, %dx, %dU, %dV, %dh = pipeline @stage(%x, %U, %V) @loss(%h, %t) {axis=pp, microbatches=micro, wrt=[0, 1, 2, 3], )" +
         of_rank + f.schedule + R"(}
  %ll = all_reduce %l {axis=(dp, pp)}
  %oo = all_reduce %o {axis=pp}
  %gx = all_reduce %dx {axis=pp}
  %gU = all_reduce %dU {axis=dp}
  %gV = all_reduce %dV {axis=dp}
  %gh = all_reduce %dh {axis=(dp, pp)}
  return @loss = %ll []
  return @o = %oo [dp]
  return @dx = %gx [dp, -]
  return @dU = %gU [)" +
         split + R"(, -, tp]
  return @dV = %gV [)" +
         split + R"(, tp, -]
  return @dh = %gh [-]
}

func @model(%x: f32[b, d], %U: f32[)" +
         sizes + R"(, d, f], %V: f32[)" + sizes + R"(, f, d], %h: f32[d], %t: f32[b]) -> f32[], f32[b] {
  %y.0 = reshape %x {shape=[b, d]}
)" + stages_text(f) +
         R"(
  %o = dot_general %y.{)" +
         last + R"(}, %h {contract=[1]x[0]}
  %e = subtract %o, %t
  %q = multiply %e, %e
  %l = reduce %q {op=add, dims=[0]}
  %m = divide %l, (b)
  return %m, %o
}
program @sequential {
  %x = view @x [-, -]
  %t = view @t [-]
  %U = view @U [)" +
         whole + R"(, -, -]
  %V = view @V [)" +
         whole + R"(, -, -]
  %h = view @h [-]
  %l, %o, %dx, %dU, %dV, %dh = grad @model(%x, %U, %V, %h, %t) {wrt=[0, 1, 2, 3]}
  return @loss = %l []
  return @o = %o [-]
  return @dx = %dx [-, -]
  return @dU = %dU [)" +
         whole + R"(, -, -]
  return @dV = %dV [)" +
         whole + R"(, -, -]
  return @dh = %dh [-]
}
check @pipelined == @sequential
check @pipelined == @pipelined.reference
)";
}

/// The module of a file; a failure of the test where there are errors.
inline std::optional<Module> module_of(const std::string& text) {
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"pipeline.shard", text});
  std::optional<Module> module = text::parse_module(file, {}, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  if (!module) return std::nullopt;
  for (const Check& check : module->checks) {
    for (const Diagnostic& d : module->state_errors(check.left)) ADD_FAILURE() << render(d);
  }
  return module;
}

/// `text` with the first `from` as `to`.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// The first error of a file as `RULE message`, then the first state error of its programs.
inline std::string error_of(const std::string& text) {
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"pipeline.shard", text});
  const std::optional<Module> module = text::parse_module(file, {}, sink);
  for (const Diagnostic& d : sink.diagnostics()) return d.rule + " " + d.message;
  for (const Check& check : module->checks) {
    for (const Diagnostic& d : module->state_errors(check.left)) return d.rule + " " + d.message;
  }
  return "";
}

/// The worst exit code of all checks of a file.
inline int exit_code_of(const std::string& text) {
  const std::optional<Module> module = module_of(text);
  int worst = module && !module->checks.empty() ? 0 : 2;
  for (size_t c = 0; module && c < module->checks.size(); ++c) {
    worst = std::max(worst, verify::check(*module, module->checks[c]).exit_code());
  }
  return worst;
}

/// The report of the first check.
inline verify::CheckReport report_of(const std::string& text) {
  const std::optional<Module> module = module_of(text);
  if (!module) return {};
  return verify::check(*module, module->checks.front());
}

/// Values that differ everywhere.
inline std::vector<sim::Value> ramps_for(const Plan& plan) {
  std::vector<sim::Value> globals;
  for (const Global& global : plan.globals) {
    std::vector<float> numbers(static_cast<size_t>(element_count(global.type.shape)));
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.3F - 0.07F * static_cast<float>(i % 11);
    globals.push_back(
        sim::from_tensor(Tensor::from<float>(DType::f32, global.type.shape, numbers), sim::float_domain()));
  }
  return globals;
}

}  // namespace isoshard::testing
