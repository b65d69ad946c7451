#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/builder/builder.h"

namespace isoshard {

/// What a copied op gives beyond the results of the original: `op` is that of the original.
struct ExtraResult {
  OpId op;
  size_t index = 0;
  auto operator<=>(const ExtraResult& other) const {
    return std::pair(op.index(), index) <=> std::pair(other.op.index(), other.index);
  }
  bool operator==(const ExtraResult& other) const { return (*this <=> other) == 0; }
};

/// A value of a region, or an extra result of one of its ops.
struct KeptValue {
  ValueId value{};  ///< invalid where it is an extra result
  ExtraResult extra{};
};

/// What the copy of a scan does beyond the original.
struct ScanCopy {
  /// Values of its body that it also stacks: extra result k is the k-th. A carry is stacked as it is at the beginning
  /// of each iteration.
  std::vector<KeptValue> saved{};
  /// The scans and calls of its body give their extra results, too; otherwise they are as they were.
  bool inner = false;
};

/// What a copy changes, by op.
struct CopyOptions {
  std::map<size_t, ScanCopy> scans{};
  /// Calls that go to another function, whose first results are those of the original callee and whose others are extra
  /// results.
  std::map<size_t, ProgramId> callees{};
};

/// The carries of a scan that its body does not hand on as they are.
std::vector<size_t> changing_carries(const Op& scan);

/// Copies the ops of one program, with their names and locations, into a Builder; states are inferred anew.
class RegionCopy {
 public:
  RegionCopy(const Program& from, Builder& to, const CopyOptions& options) : from_(from), to_(to), options_(options) {}

  void bind(ValueId original, ValueId copy) { values_[original.index()] = copy; }
  /// An op that is not copied: `copy` stands for its one result.
  void replace(OpId op, ValueId copy) {
    bind(from_.op(op).results.front(), copy);
    replaced_.insert(op.index());
  }
  /// An op with one result in bodies of scans that is not copied: `copy`, a value of the outermost region, stands for
  /// it, carried into each body as a carry that never changes.
  void carry_in(OpId op, ValueId copy) {
    replace(op, copy);
    carried_in_.insert(op.index());
  }
  /// Copies all ops of the region, whose arguments are bound; false after an error.
  bool copy(const Region& region);
  /// The copy of an original value of the regions that were copied or bound.
  ValueId value(ValueId original) const { return values_.at(original.index()); }
  ValueId extra(const ExtraResult& which) const { return extras_.at(which); }
  ValueId kept(const KeptValue& which) const { return which.value.valid() ? value(which.value) : extra(which.extra); }

 private:
  bool copy_op(OpId id, const Op& op);
  std::vector<std::string> names(const std::vector<ValueId>& values) const;
  std::vector<ValueId> copy_scan(const Scan& scan, const Op& op, const ScanCopy& with);
  /// The results of ops of `region`, and of regions in it, that are carried in.
  void find_carried(const Region& region, std::vector<ValueId>& results) const;

  const Program& from_;
  Builder& to_;
  const CopyOptions& options_;
  std::map<size_t, ValueId> values_;
  std::map<ExtraResult, ValueId> extras_;
  std::set<size_t> replaced_, carried_in_;
  int plain_ = 0;  ///< how many scans around what is being copied want it as it was
};

}  // namespace isoshard
