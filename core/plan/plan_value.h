#pragma once

#include <cstdint>
#include <string>

#include "core/ir/types/type.h"
#include "core/schedule/action.h"

namespace isoshard {

/// What several values of a Plan are: those of one instruction in all calls of a function.
struct DeclaredValue {
  TensorType type;
  std::string name, written;
  uint32_t action_bytes = 0;  ///< of the name: its front is the text of the action that the call is part of
};

/// The action whose text a name begins with, in 8 bytes; or none.
struct NameAction {
  uint64_t stage : 31 = 0, micro_batch : 31 = 0, kind : 2 = 0;
  /// Whether an action can be written so.
  static bool fits(const schedule::Action& action);
  explicit NameAction(const schedule::Action& action);
  NameAction() = default;
  schedule::Action action() const;
};

/// One SSA value of a Plan; every rank of the group holds its own. PlanValueList hands it out, and outlives it.
///
/// Calls of one function (PlanBuilder::copy_call) share what their values are and differ in what names begin with.
class PlanValue {
 public:
  explicit PlanValue(const DeclaredValue& declared) : declared_(&declared) {}
  PlanValue(const DeclaredValue& declared, NameAction named_by)
      : declared_(&declared), named_by_(named_by), is_copy_(true) {}

  const TensorType& type() const { return declared_->type; }
  std::string name() const;
  /// `%y`, or what the source has in its place.
  std::string in_words() const;
  /// The expression of the source that it is, where nobody gave it a name; empty otherwise.
  const std::string& written() const { return declared_->written; }

 private:
  const DeclaredValue* declared_;
  NameAction named_by_;
  bool is_copy_ = false;
};

}  // namespace isoshard
