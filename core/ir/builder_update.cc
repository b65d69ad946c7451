// `update`: next-step values of globals.

#include <algorithm>
#include <utility>

#include "core/ir/builder.h"
#include "core/support/check.h"

namespace isoshard {

bool Builder::can_update(const Global& global, const Location& location) {
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
  for (const Output& other : program_.updates_) {
    if (other.name != global.name) continue;
    sink_.error("V-update", location, subject + "the global is updated twice; expected each element once")
        .note(other.parts.front().location, "it is first updated here");
    return false;
  }
  return true;
}

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

void Builder::update(GlobalId global, ValueId value, Layout layout, Location location) {
  ISOSHARD_CHECK(program_.kind_ == ProgramKind::program, "functions update nothing");
  const Global& target = module_.global(global);
  if (!can_update(target, location) || !value.valid() ||
      !check_layout(layout, LayoutUse::output, type(value).tensor.shape.size(), mesh(), "update @" + target.name,
                    location, sink_)) {
    failed_ = true;
    return;
  }
  const TensorType& local = type(value).tensor;
  const TensorType whole{local.dtype, global_shape(local.shape, layout, mesh())};
  if (!(whole == target.type)) {
    sink_.error("V-update", location,
                "update @" + target.name + ": %" + program_.value(value).name + " is " + to_string(local) +
                    ", the blocks " + to_string(layout, mesh()) + " of " + to_string(whole) + "; the global is " +
                    to_string(target.type));
    failed_ = true;
    return;
  }
  ReturnPart part{value, std::move(layout), std::move(location)};
  check_return_states(part, target.name, "update");
  program_.updates_.push_back(Output{target.name, whole, {std::move(part)}, global});
}

}  // namespace isoshard
