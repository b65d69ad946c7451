// What a program may return, and what it may update.
// A layout and the shape of a block tell the shape of the whole, but for uneven splits, whose last block may have
// padding: there the declared type decides, or the global's. An output has at most one block per device; a global's
// updates make it up exactly once (coverage.h). Inputs come from outside in every step and constants never change, so
// neither is updated. States go by the row of `return`: what the devices hold must be the value, not a term of it.
// Names of results and updates differ, because archives and reports know them by name. Cost: one check of coverage per
// array.
#include "core/ir/builder/return_checks.h"

#include <algorithm>

#include "core/ir/builder/coverage.h"
#include "core/ir/written_as.h"

namespace isoshard {

std::optional<TensorType> ReturnChecks::output_type(const std::string& name, ValueId value, const Layout& layout,
                                                    const std::optional<TensorType>& declared,
                                                    const Location& location) const {
  const TensorType& local = program_.value(value).type.tensor;
  const auto fail = [&](const char* rule, const std::string& message) {
    sink_.error(rule, location, "return @" + name + message);
    return std::nullopt;
  };
  const bool uneven =
      std::any_of(layout.begin(), layout.end(), [](const ViewEntry& e) { return e.split == Split::uneven; });
  if (uneven && !declared) {
    return fail("T-output",
                ": blocks with padding do not tell the size of the whole; write its type after the layout, "
                "as in `[uneven model] : f32[7]`");
  }
  int64_t blocks = 1;
  for (const ViewEntry& entry : layout) blocks *= std::min(block_count(entry, mesh()), mesh().device_count() + 1);
  if (blocks > mesh().device_count()) {
    return fail("C-coverage", " has more blocks than the " + std::to_string(mesh().device_count()) +
                                  " devices that write one each; expected layouts that tile it");
  }
  const TensorType tiled{local.dtype, global_shape(local.shape, layout, mesh())};
  if (!declared) return tiled;
  const bool same_rank = declared->shape.size() == tiled.shape.size();
  bool fits =
      declared->dtype == local.dtype && same_rank && block_shape(declared->shape, layout, mesh()) == local.shape;
  for (size_t d = 0; d < layout.size() && fits; ++d) {
    fits = layout[d].split == Split::uneven || declared->shape[d] == tiled.shape[d];
  }
  if (fits) return declared;
  return fail("T-output", " is written as " + isoshard::to_string(*declared) + "; the blocks " +
                              isoshard::to_string(local) + " laid out as " + isoshard::to_string(layout, mesh()) +
                              " make " + (uneven ? "at most " : "") + isoshard::to_string(tiled));
}

bool ReturnChecks::can_update(const Global& global, ValueId value, const Layout& layout,
                              const Location& location) const {
  const std::string subject = "update @" + global.name + ": ";
  if (!global.can_be_updated()) {
    const bool is_input = global.role == Role::input;
    sink_
        .error("V-update", location,
               subject + "the global is " +
                   (is_input ? "an input, which comes from outside in every step" : "a const, which never changes") +
                   "; expected a param, state or key")
        .note(global.location, "it is declared here");
    return false;
  }
  if (!value.valid()) return false;
  const TensorType& local = program_.value(value).type.tensor;
  if (!check_layout(layout, LayoutUse::output, local.shape.size(), mesh(), "update @" + global.name, location, sink_)) {
    return false;
  }
  TensorType whole{local.dtype, global_shape(local.shape, layout, mesh())};
  for (size_t d = 0; d < layout.size() && layout.size() == global.type.shape.size(); ++d) {
    const int64_t size = global.type.shape[d];
    const bool fits = layout[d].split == Split::uneven &&
                      block_size(layout[d], size, mesh()) * block_count(layout[d], mesh()) == whole.shape[d];
    if (fits) whole.shape[d] = size;
  }
  if (whole == global.type) return true;
  sink_.error("V-update", location,
              subject + in_words(program_, value) + " is " + isoshard::to_string(local) + ", laid out as " +
                  isoshard::to_string(layout, mesh()) + " it makes " + isoshard::to_string(whole) + "; the global is " +
                  isoshard::to_string(global.type));
  return false;
}

std::vector<Diagnostic> ReturnChecks::state_errors(const ReturnPart& part, const std::string& name,
                                                   const std::string& statement) const {
  std::vector<Diagnostic> errors;
  const AxisSet splitting = splitting_axes(part.layout);
  const Value& value = program_.value(part.value);
  for (size_t i = 0; i < value.type.states.size(); ++i) {
    const State state = value.type.states[i];
    const bool split = splitting.contains(AxisId(i));
    const bool fits = state != State::partial && (split || state != State::varying || !program_.typed());
    if (fits) continue;
    const std::string axis = mesh().axes()[i].name;
    const std::string why =
        state == State::partial
            ? "P: the devices hold terms of a sum; all_reduce it first"
            : "V: the devices hold different values and the layout does not split over it; all_gather it, or name the "
              "axis in the layout";
    errors.push_back(Diagnostic{Severity::error,
                                "S-return",
                                part.location,
                                statement + ": " + in_words(program_, part.value) + " for @" + name + " is " +
                                    letter(state) + " over `" + axis + "`" + why.substr(1),
                                {}});
  }
  return errors;
}

bool ReturnChecks::names_differ() const {
  bool differ = true;
  for (const Output& output : program_.outputs()) {
    for (const Output& update : program_.updates()) {
      if (output.name != update.name) continue;
      sink_
          .error("V-update", output.parts.front().location,
                 "return @" + output.name + ": the program updates a global of that name; rename the output")
          .note(update.parts.front().location, "it is updated here");
      differ = false;
    }
  }
  return differ;
}

bool ReturnChecks::updates_cover() const {
  bool good = true;
  for (const Output& update : program_.updates()) {
    good = check_parts(update.parts, update.type.shape, mesh(), "@" + update.name, sink_, "update") && good;
  }
  return good;
}

bool ReturnChecks::views_and_outputs_cover() const {
  bool good = check_views(program_, module_, sink_);
  for (const Output& output : program_.outputs()) {
    good = check_parts(output.parts, output.type.shape, mesh(), "@" + output.name, sink_) && good;
  }
  return good;
}

}  // namespace isoshard
