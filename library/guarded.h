#pragma once  // internal

#include <isoshard/errors.h>
#include <isoshard/version.h>

#include <string>

#include "core/support/check.h"
#include "core/support/internal_error_report.h"

namespace isoshard::library {

/// What `work` gives; a bug of isoshard in it, found while it worked on `input`, is thrown as a LibraryError.
template <class Work>
auto guarded(const std::string& input, const Work& work) {
  try {
    return work();
  } catch (const InternalError& error) {
    throw LibraryError(internal_error_report(error, ISOSHARD_VERSION, {input}));
  }
}

}  // namespace isoshard::library
