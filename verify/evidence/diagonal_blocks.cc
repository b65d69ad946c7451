// Finds where the devices' results of one op stand in a value of the reference when together they do not cover it, as
// the scores of one step of ring attention. Such a value has no layout that one could look for; but its operands have
// been found in the reference already, so the place of the result follows from theirs: for contractions from free and
// batch dimensions, for elementwise ops from any operand. Each block is then compared with the reference, element by
// element, by fingerprints. Cost: the elements of a result times the values of the reference, most of which fail at
// once.
#include "verify/evidence/diagonal_blocks.h"

#include <algorithm>

#include "verify/evidence/placement.h"
#include "verify/facts/block_rows.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/moved_dims.h"

namespace isoshard::verify {
namespace {

const Match* placed_operand(const Evidence& e, PlanValueId id) {
  const Match* match = e.match(id);
  return match == nullptr || match->is_sum() ? nullptr : match;
}

Starts starts_of(const Evidence& e, PlanValueId id, const Match& match) {
  Starts result;
  for (int64_t p = 0; p < e.mesh().device_count(); ++p) {
    result.push_back(e.matcher.start(match, e.plan().value(id).type().shape, p));
  }
  return result;
}

/// Batch dimensions, free ones of the left operand, then of the right one.
Starts of_dot(const Evidence& e, const Instruction& i, const DotGeneral& dot, size_t rank) {
  Starts result(static_cast<size_t>(e.mesh().device_count()), std::vector<int64_t>(rank));
  int64_t first = static_cast<int64_t>(dot.batch.lhs.size());
  for (const bool left : {true, false}) {
    const PlanValueId id = i.operands[left ? 0 : 1];
    const Match* match = placed_operand(e, id);
    if (match == nullptr) return {};
    const std::vector<int64_t>&contract = left ? dot.contract.lhs : dot.contract.rhs,
          &batch = left ? dot.batch.lhs : dot.batch.rhs;
    const size_t size = e.plan().value(id).type().shape.size();
    const std::vector<int64_t> where = dot_dims(size, contract, batch, first);
    const Starts starts = starts_of(e, id, *match);
    for (size_t p = 0; p < result.size(); ++p) {
      for (size_t d = 0; d < size; ++d) {
        if (where[d] >= 0) result[p][static_cast<size_t>(where[d])] = starts[p][d];
      }
    }
    first += static_cast<int64_t>(size - contract.size() - batch.size());
  }
  return result;
}

/// Those of the first operand that has some: elementwise ops join what stands at one place.
Starts of_elementwise(const Evidence& e, const Instruction& i) {
  for (const PlanValueId id : i.operands) {
    const Match* match = placed_operand(e, id);
    if (match != nullptr) return starts_of(e, id, *match);
  }
  return {};
}

Starts starts_of_result(const Evidence& e, const Instruction& i, size_t rank) {
  if (const DotGeneral* dot = op_of<DotGeneral>(i)) return of_dot(e, i, *dot, rank);
  const LocalOp* local = local_op(i);
  return local != nullptr && op_facts(local->op).elementwise ? of_elementwise(e, i) : Starts{};
}

/// Whether `block` stands in `whole` from `start` on.
bool stands_at(const Evidence& e, const sim::Value& block, const sim::Value& whole, const std::vector<int64_t>& start) {
  const Shape &shape = block.type.shape, &outer = whole.type.shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (start[d] + shape[d] > outer[d]) return false;
  }
  const Fingerprinter& fingerprinter = e.matcher.fingerprinter();
  for (int64_t k = 0; k < block.size(); ++k) {
    std::vector<int64_t> at = unflatten(k, shape);
    for (size_t d = 0; d < at.size(); ++d) at[d] += start[d];
    if (fingerprinter.of_element(block, k) != fingerprinter.of_element(whole, flatten(at, outer))) return false;
  }
  return true;
}

}  // namespace

std::optional<Match> match_diagonal_blocks(const Evidence& e, const Instruction& i) {
  if (!e.keeps_values() || i.results.size() != 1) return std::nullopt;
  const PlanValueId id = i.results[0];
  const TensorType& type = e.plan().value(id).type();
  if (!is_float(type.dtype) || element_count(type.shape) == 0) return std::nullopt;
  const Starts starts = starts_of_result(e, i, type.shape.size());
  if (starts.empty() || starts[0].size() != type.shape.size()) return std::nullopt;
  for (const ReferenceValue& r : e.matcher.references()) {
    if (r.type.dtype != type.dtype || r.type.shape.size() != type.shape.size() || !r.value.valid()) continue;
    const sim::Value& whole = e.reference.value(r.value, 0);
    bool all = true;
    for (size_t p = 0; p < starts.size() && all; ++p) {
      all = stands_at(e, e.sharded.value(id, static_cast<int64_t>(p)), whole, starts[p]);
    }
    if (all) return Match{&r, {}, starts, {}};
  }
  return std::nullopt;
}

}  // namespace isoshard::verify
