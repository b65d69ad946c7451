#pragma once

#include <functional>
#include <string>

#include "core/ir/module.h"

namespace isoshard::testing {

/// Whether a module still shows what is looked for.
using Fails = std::function<bool(const Module&)>;

/// A smaller `.shard` file that still fails, from one that fails: ops, whole scans and calls are left out and their
/// uses replaced by an earlier value of the same type and states or by constants, unused parts are dropped, until
/// nothing more can go.
///
/// Every candidate is parsed and elaborated again, so that the result is a valid program. `module` is printed with its
/// types; tests print the result beside their message.
std::string shrink(const Module& module, const Fails& fails);

/// The file that `text` holds; nothing when it has an error.
std::optional<Module> module_of(const std::string& text);

}  // namespace isoshard::testing
