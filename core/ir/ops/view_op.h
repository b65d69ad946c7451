#pragma once

#include <string_view>
#include <tuple>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"
#include "core/ir/view.h"

namespace isoshard {

/// Reads the device's block of a global (design 4.3). Text: `view @W [model, -] as I{data}`.
///
/// Shapes: each split dimension is divided by its number of blocks, which must be exact.
/// States: V on splitting axes; elsewhere R, I where `invariant` says so, `=` for globals without a gradient.
struct View {
  GlobalId global;
  Layout layout;
  AxisSet invariant;

  static constexpr std::string_view kName = "view";
  static constexpr std::string_view kDoc = "The device's block of a global.";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 0;
  static constexpr auto fields() {
    return std::tuple{field("global", &View::global, "the global that is read"),
                      field("layout", &View::layout, "one entry per dimension"),
                      optional_field("invariant", &View::invariant, "axes read as I: the gradient arrives reduced")};
  }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const View&) const = default;
};

/// Who writes a layout: a view may name an axis in several entries (each device reads one block: `[model-1, model]`),
/// an output may not (its blocks would not tile the array).
enum class LayoutUse : uint8_t { view, output };

/// Reports layouts whose rank or axes do not fit.
bool check_layout(const Layout& layout, LayoutUse use, size_t rank, const Mesh& mesh, const std::string& subject,
                  const Location& location, DiagnosticSink& sink);

}  // namespace isoshard
