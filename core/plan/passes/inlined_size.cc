// Counts what lowering would write before it is written: a func that calls another one twice is few lines and twice as
// many ops, so that n such funcs ask for 2^n (docs/adr/0089-limits.md). A callee has a smaller count than its callers
// and is counted once, however often it is called, so that the count takes no longer than reading the file. The funcs
// of a pipeline count once: how often they are written follows from its schedule, not from nested calls.
#include "core/plan/passes/inlined_size.h"

#include <cstdio>
#include <map>
#include <string>

namespace isoshard {
namespace {

/// Sizes of bodies that are known already.
class InlinedSizes {
 public:
  explicit InlinedSizes(const Module& module) : module_(module) {}

  double of_body(ProgramId id) {
    const auto known = sizes_.find(id);
    if (known != sizes_.end()) return known->second;
    const Program& program = module_.program(id);
    double size = 0;
    for (size_t i = 0; i < program.op_count(); ++i) size += of_op(program.op(OpId(i)));
    return sizes_.emplace(id, size).first->second;
  }

  double of_op(const Op& op) {
    if (const Call* call = std::get_if<Call>(&op.data)) return of_body(call->callee);
    double size = 1;
    for (const ProgramId callee : callees(op.data)) size += of_body(callee);
    return size;
  }

 private:
  const Module& module_;
  std::map<ProgramId, double> sizes_;
};

std::string count_in_words(double count) {
  char text[40];
  std::snprintf(text, sizeof text, count < 1e7 ? "%.0f" : "%.3g", count);
  return text;
}

}  // namespace

double inlined_ops(const Module& module, ProgramId program) { return InlinedSizes(module).of_body(program); }

std::optional<Diagnostic> exceeds_inlined_ops(const Module& module, ProgramId program) {
  InlinedSizes sizes(module);
  const double total = sizes.of_body(program);
  if (total <= kMostInlinedOps) return std::nullopt;
  const Program& asked = module.program(program);
  const Op* largest = nullptr;
  for (size_t i = 0; i < asked.op_count(); ++i) {
    const Op& op = asked.op(OpId(i));
    if (largest == nullptr || sizes.of_op(op) > sizes.of_op(*largest)) largest = &op;
  }
  return Diagnostic{Severity::error,
                    "E-limit",
                    largest->location,
                    "@" + asked.name() + " is " + count_in_words(total) +
                        " ops once its calls are inlined, of which this one is " +
                        count_in_words(sizes.of_op(*largest)) + "; expected at most " +
                        count_in_words(kMostInlinedOps) + ": let funcs call each other less often, or loop with `scan`",
                    {}};
}

}  // namespace isoshard
