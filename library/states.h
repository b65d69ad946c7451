#pragma once  // internal

#include <isoshard/programs.h>

#include <string>
#include <vector>

#include "core/ir/module.h"
#include "verify/report/report.h"

/// What stands behind the handles.
namespace isoshard {
inline namespace v1 {
namespace detail {

struct ProgramsState {
  Module module;
  std::string input;  ///< as it was named
  std::vector<Finding> warnings;
};

struct ReportState {
  verify::CheckReport report;
  std::vector<NamedArray> counterexample;
};

}  // namespace detail
}  // namespace v1
}  // namespace isoshard
