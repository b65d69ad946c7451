#pragma once

#include <string_view>
#include <tuple>
#include <vector>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"
#include "core/ir/types/view.h"

namespace isoshard {

/// Elements `start` to `limit` (half-open) of one dimension of a block; no limit means its end.
struct BlockRange {
  int64_t start = 0;
  std::optional<int64_t> limit{};
  bool operator==(const BlockRange&) const = default;
};

/// How often the views of one global in one program read each of its elements, over views and devices. Devices that
/// differ only on axes on which a layout does not depend read a block once.
struct Coverage {
  int64_t times = 1;  ///< 0: `incomplete`, not checked
  bool operator==(const Coverage&) const = default;
};

/// The coordinate of the device on one axis that an owner mask names: `model=0`.
struct Owner {
  AxisId axis;
  int64_t coordinate = 0;
  bool operator==(const Owner&) const = default;
};

/// Reads the device's block of a global (docs/spec/views.md, "Blocks"). Text: `view @W [model, -] as I{data}`.
///
/// Shapes: a split dimension becomes a block (see Split); `range` then takes a part of it. The block of every device
/// must exist. States: V on splitting axes; P on those of `only`; elsewhere R, I where `invariant` says so, `=` for
/// globals without a gradient.
struct View {
  GlobalId global;
  Layout layout;
  AxisSet invariant;
  Coverage coverage{};
  std::vector<BlockRange> range{};  ///< one per dimension of the block, or empty for all of it
  std::vector<Owner> only{};        ///< the value on the devices with these coordinates, zeros elsewhere

  static constexpr std::string_view kName = "view";
  static constexpr std::string_view kDoc = "The device's block of a global.";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 0;
  static constexpr OpFacts kFacts{OpClass::source};
  static constexpr auto fields() {
    return std::tuple{
        field("global", &View::global, "the global that is read"),
        field("layout", &View::layout, "one entry per dimension"),
        optional_field("invariant", &View::invariant, "axes read as I: the gradient arrives reduced"),
        optional_field("coverage", &View::coverage, "how often the program reads each element of the global"),
        optional_field("range", &View::range, "the part of the block that is read"),
        optional_field("only", &View::only, "the coordinates of the devices that get the value")};
  }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const View&) const = default;
};

/// How many elements of the device's block are elements of the global, the others being padding (docs/spec/views.md,
/// "Padding"), i32[]. Text: `block_size @W [uneven model, -] {dim=0}`.
///
/// States: V on the axes that split `dim`, `=` elsewhere. The global and its layout are written as for `view`.
struct BlockSize {
  GlobalId global;
  Layout layout;
  int64_t dim = 0;

  static constexpr std::string_view kName = "block_size";
  static constexpr std::string_view kDoc = "The number of elements of the device's block that are no padding, i32[].";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 0;
  static constexpr OpFacts kFacts{OpClass::source};
  static constexpr auto fields() { return std::tuple{field("dim", &BlockSize::dim, "the dimension of the global")}; }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const BlockSize&) const = default;
};

/// Who writes a layout: a view may name an axis in several entries (each device reads one block: `[model-1, model]`),
/// an output may not (its blocks would not tile the array).
enum class LayoutUse : uint8_t { view, output };

/// Reports layouts whose rank or axes do not fit an array of `rank` dimensions, or (for outputs) blocks of that rank,
/// and blocks that do not exist.
bool check_layout(const Layout& layout, LayoutUse use, size_t rank, const Mesh& mesh, const std::string& subject,
                  const Location& location, DiagnosticSink& sink);

}  // namespace isoshard
