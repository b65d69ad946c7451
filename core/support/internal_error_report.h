#pragma once

#include <string>
#include <vector>

#include "core/support/check.h"

namespace isoshard {

/// What a user reads, and is asked to send, when isoshard has a bug: the invariant that broke, the version, and each
/// input with a hash of its text where it is a file, so that a report can be matched with a program that stays at home.
std::string internal_error_report(const InternalError& error, const std::string& version,
                                  const std::vector<std::string>& inputs);

}  // namespace isoshard
