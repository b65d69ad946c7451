// The residuals of a scan of JAX stand in arrays of zeros that go around in the loop, and iteration i replaces row i. A
// fact about all rows, such as that they are positive, does not hold of the zeros, but after the loop none are left:
// that is so where the rows that the iterations replace are all rows of the array. Which row that is must be said by
// the iteration alone, i or n - 1 - i or another sum of the counter and constants. Cost: the rows of such arrays.
#include "verify/facts/signs/written_rows.h"

#include <cmath>
#include <optional>
#include <set>

#include "verify/facts/is_one_of.h"
#include "verify/facts/producers.h"

namespace isoshard::verify {
namespace {

constexpr double kBeyond = 0x1p52;  ///< no row has such a number

class WrittenRows {
 public:
  explicit WrittenRows(const Plan& plan) : plan_(plan), definitions_(definitions(plan)) {}

  std::vector<Renaming> run() {
    for (const RankGroup& group : plan_.groups) collect(group.blocks);
    return std::move(found_);
  }

 private:
  void collect(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      if (!block.repeat) continue;
      const Repeat& r = *block.repeat;
      for (size_t k = 0; k < r.results.size(); ++k) {
        const std::optional<PlanValueId> row = row_of(r, k);
        if (row) found_.push_back({*row, r.results[k]});
      }
      collect(r.body);
    }
  }

  std::optional<Instruction> maker(PlanValueId id) const {
    const InstructionId made = definitions_[id.index()];
    return made.valid() ? std::optional(plan_.instruction(made)) : std::nullopt;
  }

  /// What replaces a row of the `k`-th carried value, where all rows are replaced.
  std::optional<PlanValueId> row_of(const Repeat& r, size_t k) const {
    const std::optional<Instruction> update = maker(r.yields[k]);
    if (!update || !is_one_of<DynamicUpdateSlice>(local_op(*update))) return std::nullopt;
    Shape row = plan_.value(r.results[k]).type().shape;
    if (update->operands[0] != r.arguments[k] || row.empty()) return std::nullopt;
    std::set<int64_t> rows;
    for (int64_t i = 0; i < r.count; ++i) {
      const std::optional<int64_t> at = number(update->operands[2], i);
      if (at) rows.insert(*at);
    }
    if (rows.empty()) return std::nullopt;
    const bool all = static_cast<int64_t>(rows.size()) == row[0] && *rows.begin() == 0 && *rows.rbegin() == row[0] - 1;
    row[0] = 1;  // and from 0 on in the other dimensions, of which it has all
    const PlanValueId replacing = update->operands[1];
    return all && plan_.value(replacing).type().shape == row ? std::optional(replacing) : std::nullopt;
  }

  /// The integer scalar `id` in iteration `i`, if constants and the counter say it.
  std::optional<int64_t> number(PlanValueId id, int64_t i) const {
    const std::optional<Instruction> made = maker(id);
    if (!made) return std::nullopt;
    if (const ScalarIndex* index = std::get_if<ScalarIndex>(&made->data())) {
      return index->value == Expr::loop_index(0) ? std::optional(i) : std::nullopt;
    }
    if (const Constant* constant = op_of<Constant>(*made)) {
      const double value = constant->value.is_integer() ? constant->value.to_double() : kBeyond;
      return std::abs(value) < kBeyond ? std::optional(static_cast<int64_t>(value)) : std::nullopt;
    }
    if (!is_one_of<Add, Subtract>(local_op(*made))) return std::nullopt;
    const std::optional<int64_t> a = number(made->operands[0], i), b = number(made->operands[1], i);
    if (!a || !b) return std::nullopt;
    return is_one_of<Add>(local_op(*made)) ? *a + *b : *a - *b;
  }

  const Plan& plan_;
  std::vector<InstructionId> definitions_;
  std::vector<Renaming> found_;
};

}  // namespace

std::vector<Renaming> written_rows(const Plan& plan) { return WrittenRows(plan).run(); }

}  // namespace isoshard::verify
