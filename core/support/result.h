#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "core/support/diagnostic.h"

namespace isoshard {

/// A value, or the one diagnostic that says why there is none. Passes that find many errors take a DiagnosticSink.
template <class T>
using Result = tl::expected<T, Diagnostic>;

/// The failed Result with an error diagnostic, ready to return.
inline tl::unexpected<Diagnostic> failure(std::string rule, Location location, std::string message) {
  return tl::unexpected<Diagnostic>(
      Diagnostic{Severity::error, std::move(rule), std::move(location), std::move(message), {}});
}

}  // namespace isoshard
