#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "core/ir/types/type.h"
#include "core/support/shared.h"

namespace isoshard {

/// What the names of the values of one call begin with, instead of what those of the first call do.
struct NamePrefix {
  std::string text;
  size_t replaces = 0;  ///< bytes
};

/// One SSA value of a Plan; every rank of the group holds its own.
///
/// Calls of one function (PlanBuilder::copy_call) share what their values are and differ in what names begin with.
class PlanValue {
 public:
  PlanValue(TensorType type, std::string name) : declared_(Declared{std::move(type), std::move(name), {}}) {}
  /// What `like`, of the first call of a function, is in another one.
  PlanValue(const PlanValue& like, Shared<NamePrefix> prefix) : declared_(like.declared_), prefix_(std::move(prefix)) {}

  const TensorType& type() const { return declared_->type; }
  std::string name() const;
  /// `%y`, or what `written` says.
  std::string in_words() const;
  /// The expression of the source that it is, where nobody gave it a name; empty otherwise.
  const std::string& written() const { return declared_->written; }
  void set_written(std::string text) { declared_.own().written = std::move(text); }

 private:
  struct Declared {
    TensorType type;
    std::string name, written;
  };
  Shared<Declared> declared_;
  Shared<NamePrefix> prefix_;  ///< nothing: that of the name
};

}  // namespace isoshard
