// `update`: next-step values of globals.
// An update names a global, a value and a layout, and its parts together must make up the global exactly once
// (docs/spec/views.md, "Updates"). Inputs and constants cannot be updated. The shape that value and layout make is
// compared with the global's, where uneven splits may have padding at the end. States follow the rules of results.
// Names of results and updates must differ, because archives and reports know them by name. Cost: one check of coverage
// per updated global.

#include <algorithm>
#include <utility>

#include "core/ir/builder/builder.h"
#include "core/ir/builder/coverage.h"
#include "core/support/check.h"

namespace isoshard {

/// Reports and archives name both results and updated globals.
void Builder::check_update_names() {
  for (const Output& output : program_.outputs_) {
    for (const Output& update : program_.updates_) {
      if (output.name != update.name) continue;
      sink_
          .error("V-update", output.parts.front().location,
                 "return @" + output.name + ": the program updates a global of that name; rename the output")
          .note(update.parts.front().location, "it is updated here");
      failed_ = true;
    }
  }
}

/// The parts of each updated global make it up, once.
void Builder::check_updates_cover() {
  for (const Output& update : program_.updates_) {
    failed_ |= !check_parts(update.parts, update.type.shape, mesh(), "@" + update.name, sink_, "update");
  }
}

bool Builder::can_update(const Global& global, ValueId value, const Layout& layout, const Location& location) {
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
  const TensorType& local = type(value).tensor;
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
              subject + "%" + program_.value(value).name + " is " + isoshard::to_string(local) + ", laid out as " +
                  isoshard::to_string(layout, mesh()) + " it makes " + isoshard::to_string(whole) + "; the global is " +
                  isoshard::to_string(global.type));
  return false;
}

void Builder::update(GlobalId global, ValueId value, Layout layout, Location location) {
  ISOSHARD_CHECK(program_.kind_ == ProgramKind::program, "functions update nothing");
  ISOSHARD_CHECK(open_.size() == 1, "an open scan");
  const Global& target = module_.global(global);
  if (!can_update(target, value, layout, location)) {
    failed_ = true;
    return;
  }
  ReturnPart part{value, std::move(layout), std::move(location)};
  check_return_states(part, target.name, "update");
  std::vector<Output>& updates = program_.updates_;
  const auto known =
      std::find_if(updates.begin(), updates.end(), [&](const Output& other) { return other.updates == global; });
  if (known == updates.end()) {
    updates.push_back(Output{target.name, target.type, {std::move(part)}, global});
  } else {
    known->parts.push_back(std::move(part));
  }
}

}  // namespace isoshard
