#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "exec/launch/launch.h"

namespace isoshard::exec {

/// What the environment says of the launcher of this process: nothing where there is none; in words what is wrong where
/// the variables of one are not complete, or contradict each other.
tl::expected<std::optional<Launch>, std::string> recognise(const Variables& variables);

}  // namespace isoshard::exec
