#include "tests/autodiff/rule_mutants.h"

#include <utility>

#include "tests/autodiff/mistakes.h"

namespace isoshard::autodiff {
namespace {

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = [] {
    std::vector<Mistake> list;
    add_results(list);
    add_operands(list);
    add_ops(list);
    add_shapes(list);
    add_convolutions(list);
    add_collectives(list);
    return list;
  }();
  return all;
}

}  // namespace

namespace {

/// The function with `change` made to one of its results.
template <class Change>
void plant_in_result(Module& module, ProgramId function, size_t i, const std::string& what, const Change& change,
                     std::vector<Mutant>& mutants) {
  const Program original = module.program(function);  // a copy: the module grows
  DiagnosticSink sink;
  Builder out(module, "mutant", original.shared_mesh(), sink,
              BuilderOptions{ProgramKind::function, original.typed(), original.location()});
  std::vector<ValueId> arguments;
  for (const ValueId id : original.body().arguments) arguments.push_back(out.argument("", original.value(id).type));
  std::vector<ValueId> results = out.append(Call{function}, std::move(arguments), {});
  results[i] = change(out, results[i]);
  out.results(std::move(results));
  const std::optional<ProgramId> made = out.finish();
  if (made) mutants.push_back({*made, "result " + std::to_string(i) + ": " + what});
}

/// Wrong whatever the rule is.
void plant_in_results(Module& module, ProgramId function, std::vector<Mutant>& mutants) {
  const size_t results = module.program(function).body().results.size(),
               axes = module.program(function).mesh().axis_count();
  for (size_t i = 0; i < results; ++i) {
    plant_in_result(
        module, function, i, "negated", [](Builder& b, ValueId v) { return b.add_op(Negate{}, {v}); }, mutants);
    plant_in_result(
        module, function, i, "doubled",
        [](Builder& b, ValueId v) {
          return b.add_op(Add{}, {v, v});
        },
        mutants);
    plant_in_result(
        module, function, i, "lost",
        [](Builder& b, ValueId v) {
          const TensorType type = b.type(v).tensor;
          return b.add_op(Constant{Rational(0), type.dtype, type.shape}, {});
        },
        mutants);
    for (size_t axis = 0; axis < axes; ++axis) {
      plant_in_result(
          module, function, i, "all_reduce over axis " + std::to_string(axis),
          [axis](Builder& b, ValueId v) {
            return b.add_op(AllReduce{Group{{AxisId(axis)}}, std::nullopt}, {v});
          },
          mutants);
    }
  }
}

/// Values that an op, a region or the function reads.
std::vector<bool> read_values(const Program& program) {
  std::vector<bool> read(program.value_count(), false);
  const auto note = [&](const std::vector<ValueId>& values) {
    for (const ValueId v : values) read[v.index()] = true;
  };
  note(program.body().results);
  for (size_t i = 0; i < program.op_count(); ++i) {
    note(program.op(OpId(i)).operands);
    for (const Region& region : program.op(OpId(i)).regions) note(region.results);
  }
  return read;
}

}  // namespace

std::vector<Mutant> mutants_of(Module& module, ProgramId function) {
  std::vector<Mutant> result;
  plant_in_results(module, function, result);
  const Program original = module.program(function);  // a copy: the module grows
  const std::vector<bool> read = read_values(original);
  for (const OpId at : mutation::live_ops(original)) {
    const std::vector<ValueId>& results = original.op(at).results;
    for (const Mistake& mistake : mistakes()) {
      if (mistake.result && (*mistake.result >= results.size() || !read[results[*mistake.result].index()])) continue;
      const auto made = mutation::rewrite(module, function, "mutant", at, 1, mistake.apply);
      if (made) result.push_back({made->program, made->where + ": " + made->did});
    }
  }
  return result;
}

}  // namespace isoshard::autodiff
