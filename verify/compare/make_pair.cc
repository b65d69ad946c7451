// Makes the pair of plans that a check compares. The program on more devices counts as the sharded one, whichever side
// it stands on. Both are lowered once; outputs are matched by name, globals that neither reads are left out of all
// draws, and a map becomes a small plan that makes the start of its global from the source. Facts about integers, such
// as the rows that look-ups allow and what padding may be, are collected here too, because every draw keeps to them.
// Outputs that do not match are reported with both places before. Cost: lowering, and one pass over both plans.
#include "verify/compare/make_pair.h"

#include <memory>
#include <utility>

#include "core/ir/builder/builder.h"
#include "core/plan/cone.h"
#include "core/plan/passes/lower.h"
#include "core/plan/passes/lower_named.h"
#include "core/plan/passes/write_out.h"
#include "core/support/check.h"
#include "verify/compare/integer_values.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/updates.h"

namespace isoshard::verify {
namespace {

const Output* find_output(const Program& program, const std::string& name) {
  for (const Output& output : program.outputs()) {
    if (output.name == name) return &output;
  }
  return nullptr;
}

std::string names_of(const Program& program) {
  std::string text;
  for (const Output& output : program.outputs()) text += (text.empty() ? "@" : ", @") + output.name;
  return text;
}

/// The outputs of `a` that `b` does not have.
void check_present(const Program& a, const Program& b, const Check& check, DiagnosticSink& sink) {
  for (const Output& output : a.outputs()) {
    if (find_output(b, output.name) != nullptr) continue;
    sink.error("C-outputs", check.location,
               "check: @" + a.name() + " returns @" + output.name + ", @" + b.name() + " does not; it returns " +
                   names_of(b))
        .note(output.parts[0].location, "@" + output.name + " is returned here");
  }
}

void check_types(const Program& a, const Program& b, const Check& check, DiagnosticSink& sink) {
  for (const Output& output : a.outputs()) {
    const Output* other = find_output(b, output.name);
    if (other == nullptr || other->type == output.type) continue;
    sink.error("C-outputs", check.location,
               "check: @" + output.name + " is " + to_string(output.type) + " in @" + a.name() + " and " +
                   to_string(other->type) + " in @" + b.name() + "; expected one dtype and global shape")
        .note(output.parts[0].location, "in @" + a.name())
        .note(other->parts[0].location, "in @" + b.name());
  }
}

void mark_read(const Plan& plan, std::vector<bool>& used) {
  for (const Instruction& i : plan.instructions) {
    if (const LoadBlock* load = std::get_if<LoadBlock>(&i.data())) used[load->global.index()] = true;
  }
}

/// One device that returns the view of the map's source.
Plan plan_of(const Module& module, const GlobalMap& map) {
  Module scratch;
  scratch.globals = module.globals;
  DiagnosticSink sink;
  const std::string& name = module.global(map.global).name;
  Builder builder(scratch, name, std::make_shared<const Mesh>(), sink);
  const ValueId value = builder.add_op(View{map.source, map.layout, {}, Coverage{0}}, {}, "", map.location);
  builder.output(name, value, Layout(module.global(map.global).type.shape.size()), map.location);
  const std::optional<ProgramId> program = builder.finish();
  ISOSHARD_CHECK(program.has_value(), "a map that fits was accepted before");
  return lower(scratch, *program);
}

Side side_of(const Module& module, ProgramId program) {
  NamedPlan lowered = lower_named(module, program);
  Side side{std::move(lowered.plan)};
  side.call_results = std::move(lowered.call_results);
  return side;
}

/// What draws of integers keep to.
void add_integer_facts(Pair& pair) {
  const std::vector<IntegerValues> values = integer_values(pair);
  for (size_t g = 0; g < values.size(); ++g) {
    const Global& global = pair.module->globals[g];
    if (values[g].range && !global.range) pair.indices.rows.emplace(global.name, *values[g].range);
  }
  PaddingValues padding = padding_values(pair);
  pair.indices.padding = std::make_shared<const PaddingValues>(std::move(padding));
}

}  // namespace

bool check_outputs(const Module& module, const Check& check, DiagnosticSink& sink) {
  const size_t before = sink.error_count();
  const Program &left = module.program(check.left), &right = module.program(check.right);
  check_present(left, right, check, sink);
  check_present(right, left, check, sink);
  check_types(left, right, check, sink);
  check_updates(module, check, sink);
  return sink.error_count() == before;
}

Pair make_pair_of(const Module& module, const Check& check) {
  Side left = side_of(module, check.left), right = side_of(module, check.right);
  const bool swapped = left.plan.mesh->device_count() < right.plan.mesh->device_count();
  if (swapped) std::swap(left, right);
  Pair pair = pair_sides(module, check, std::move(left), std::move(right));
  pair.swapped = swapped;
  return pair;
}

Pair pair_sides(const Module& module, const Check& check, Side sharded, Side reference) {
  Pair pair;
  pair.module = &module;
  pair.sharded = std::move(sharded);
  pair.reference = std::move(reference);
  for (Side* side : {&pair.sharded, &pair.reference}) side->plan = write_out(std::move(side->plan));
  pair.indices = index_range(pair.sharded.plan);
  pair.indices.merge(index_range(pair.reference.plan));
  for (const Output& output : pair.sharded.plan.outputs) {
    const std::vector<Output>& others = pair.reference.plan.outputs;
    pair.reference_output.push_back(static_cast<size_t>(counterpart(check, output, others) - others.data()));
  }
  pair.used.assign(module.globals.size(), false);
  mark_read(pair.sharded.plan, pair.used);
  mark_read(pair.reference.plan, pair.used);
  pair.steps = check.steps;
  for (const GlobalMap& map : check.maps) {
    if (!pair.used[map.global.index()]) continue;
    pair.maps.push_back(MappedGlobal{map.global, plan_of(module, map)});
    pair.used[map.source.index()] = true;
  }
  add_integer_facts(pair);
  return pair;
}

}  // namespace isoshard::verify
