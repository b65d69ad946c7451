#pragma once

#include "core/support/diagnostic.h"

namespace tl {
template <class T, class E>
class expected;
}  // namespace tl

namespace isoshard {

/// A value, or the one diagnostic that says why there is none. Passes that find many errors take a DiagnosticSink.
///
/// Headers that only declare functions with it include this file; who calls or defines one includes result.h.
template <class T>
using Result = tl::expected<T, Diagnostic>;

}  // namespace isoshard
