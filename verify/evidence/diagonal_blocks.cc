#include "verify/evidence/diagonal_blocks.h"

#include <algorithm>

#include "verify/facts/block_rows.h"

namespace isoshard::verify {
namespace {

using Starts = std::vector<std::vector<int64_t>>;  // per position and dimension

const Match* placed_operand(const Examined& e, PlanValueId id) {
  const Match* match = e.match(id);
  return match == nullptr || match->is_sum() ? nullptr : match;
}

Starts starts_of(const Examined& e, PlanValueId id, const Match& match) {
  Starts result;
  for (int64_t p = 0; p < e.mesh().device_count(); ++p) {
    result.push_back(e.matcher.start(match, e.plan().value(id).type.shape, p));
  }
  return result;
}

bool contains_dim(const std::vector<int64_t>& dims, size_t d) {
  return std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) != dims.end();
}

/// Batch dimensions, free ones of the left operand, then of the right one.
Starts of_dot(const Examined& e, const Instruction& i, const DotGeneral& dot) {
  const Match *left = placed_operand(e, i.operands[0]), *right = placed_operand(e, i.operands[1]);
  if (left == nullptr || right == nullptr) return {};
  const Starts a = starts_of(e, i.operands[0], *left), b = starts_of(e, i.operands[1], *right);
  Starts result(a.size());
  for (size_t p = 0; p < a.size(); ++p) {
    for (const int64_t d : dot.batch.lhs) result[p].push_back(a[p][static_cast<size_t>(d)]);
    for (size_t d = 0; d < a[p].size(); ++d) {
      if (!contains_dim(dot.contract.lhs, d) && !contains_dim(dot.batch.lhs, d)) result[p].push_back(a[p][d]);
    }
    for (size_t d = 0; d < b[p].size(); ++d) {
      if (!contains_dim(dot.contract.rhs, d) && !contains_dim(dot.batch.rhs, d)) result[p].push_back(b[p][d]);
    }
  }
  return result;
}

/// Those of the first operand that has some: elementwise ops join what stands at one place.
Starts of_elementwise(const Examined& e, const Instruction& i) {
  for (const PlanValueId id : i.operands) {
    const Match* match = placed_operand(e, id);
    if (match != nullptr) return starts_of(e, id, *match);
  }
  return {};
}

bool is_elementwise(const OpData& op) {
  return std::holds_alternative<Add>(op) || std::holds_alternative<Subtract>(op) ||
         std::holds_alternative<Multiply>(op) || std::holds_alternative<Divide>(op) ||
         std::holds_alternative<Negate>(op) || std::holds_alternative<Exponential>(op) ||
         std::holds_alternative<Log>(op) || std::holds_alternative<Tanh>(op) || std::holds_alternative<Logistic>(op) ||
         std::holds_alternative<Maximum>(op) || std::holds_alternative<Select>(op);
}

Starts starts_of_result(const Examined& e, const Instruction& i) {
  const LocalOp* local = std::get_if<LocalOp>(&i.data);
  if (local == nullptr) return {};
  if (const DotGeneral* dot = std::get_if<DotGeneral>(&local->op)) return of_dot(e, i, *dot);
  return is_elementwise(local->op) ? of_elementwise(e, i) : Starts{};
}

/// Whether `block` stands in `whole` from `start` on.
bool stands_at(const Examined& e, const sim::Value& block, const sim::Value& whole, const std::vector<int64_t>& start) {
  const Shape &shape = block.type.shape, &outer = whole.type.shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (start[d] + shape[d] > outer[d]) return false;
  }
  const Fingerprinter& fingerprinter = e.matcher.fingerprinter();
  for (int64_t k = 0; k < block.size(); ++k) {
    const std::vector<int64_t> index = unflatten(k, shape);
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d) at = at * outer[d] + index[d] + start[d];
    if (fingerprinter.of_element(block, k) != fingerprinter.of_element(whole, at)) return false;
  }
  return true;
}

}  // namespace

std::optional<Match> match_placed(const Examined& e, const Instruction& i) {
  if (!e.sharded.keeps_values() || !e.reference.keeps_values() || i.results.size() != 1) return std::nullopt;
  const PlanValueId id = i.results[0];
  const TensorType& type = e.plan().value(id).type;
  if (!is_float(type.dtype) || element_count(type.shape) == 0) return std::nullopt;
  const Starts starts = starts_of_result(e, i);
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
