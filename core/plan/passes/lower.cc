// Lowers a program to a Plan in one walk over its body (docs/spec/plan.md, "Lowering"). Calls are inlined, by lowering
// the callee with its arguments bound, so that a Plan holds one order of all instructions; scans stay loops, since a
// Plan must not grow with the trips. All rank groups are written op by op in turns, so that ids over all groups ascend
// in an order in which values are computed before they are read. What depends on the rank becomes an expression over
// coordinates. Tokens and last uses are added at the end (order_blocks.cc). State errors do not matter: each op keeps
// its literal values. Cost: ops times rank groups, calls counted as often as they are inlined.
#include "core/plan/passes/lower.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "core/plan/passes/lane.h"
#include "core/plan/passes/lower_clamp.h"
#include "core/plan/passes/lower_convolution.h"
#include "core/plan/passes/lower_named.h"
#include "core/plan/passes/lower_pairwise.h"
#include "core/plan/passes/lower_pipeline.h"
#include "core/plan/passes/lower_view.h"
#include "core/plan/passes/stage_groups.h"
#include "core/plan/passes/written_values.h"
#include "core/support/call_chain.h"
#include "core/support/check.h"
#include "core/transform/pipeline/pipeline_reference.h"

namespace isoshard {
namespace {

/// Lowers one program; calls are inlined by lowering the callee with its arguments bound.
///
/// With pipelines there are rank groups (StageGroups). All of them are written op by op in turns, so that what devices
/// of several groups bring to a collective comes before all of its instructions.
class Lowering final : private FunctionLowering {
 public:
  /// `parts`: of the pipelines of `program`, functions of `module`.
  Lowering(const Module& module, const Program& program, const PartsByOp& parts)
      : module_(module),
        program_(program),
        parts_(parts),
        stages_(program, parts),
        mesh_(program.mesh()),
        out_(program.shared_mesh(), program.name()) {}

  NamedPlan run() {
    for (const Global& global : module_.globals) out_.add_global(global);
    begin_groups();
    const Body body{program_, std::vector<PlanValues>(groups_.size()), nullptr, ""};
    const std::vector<PlanValues> values = lower_body(body);
    for (const Output& output : program_.outputs()) store(output, values);
    for (const Output& update : program_.updates()) store(update, values);
    return {out_.finish(), std::move(call_results_)};
  }

 private:
  /// A program body, where it was called from, and what its value names start with.
  struct Body {
    const Program& program;
    std::vector<PlanValues> arguments;  ///< per group
    const Location* call;
    std::string prefix;
  };

  /// The op being lowered.
  struct Site {
    PlanValues operands;
    std::vector<TensorType> results;
    std::vector<std::string> names;  ///< of the results
    std::string name;                ///< of the first result
    Location location;
  };

  void begin_groups() {
    stages_.begin(out_);
    for (size_t group = 0; group < std::max<size_t>(1, stages_.size()); ++group) groups_.push_back(group);
  }

  /// Calls `lower(group)` for each group that is being written, in turns.
  template <class Lower>
  void in_each_group(const Lower& lower) {
    for (const size_t group : groups_) {
      if (!parts_.empty()) out_.continue_group(group);
      lower(group);
    }
  }

  PlanValues apply(size_t group, ProgramId function, PlanValues arguments, const std::string& prefix,
                   const Location& location) override {
    const std::vector<size_t> outside = std::exchange(groups_, {group});
    action_ = prefix;
    std::vector<PlanValues> given(group + 1);
    given[group] = std::move(arguments);
    out_.continue_group(group);
    std::vector<PlanValues> results = apply(function, std::move(given), prefix, location);
    groups_ = outside;
    action_.clear();
    return std::move(results[group]);
  }

  /// The results of a function, per group.
  std::vector<PlanValues> apply(ProgramId function, std::vector<PlanValues> arguments, const std::string& prefix,
                                const Location& location) {
    const Program& callee = module_.program(function);
    std::string name = prefix.substr(action_.size());
    if (!name.empty()) name.pop_back();
    out_.begin_function(callee.name(), std::move(name));
    const std::vector<PlanValues> values = lower_body(Body{callee, std::move(arguments), &location, prefix});
    out_.end_function();
    std::vector<PlanValues> results(values.size());
    for (const size_t group : groups_) results[group] = pick(values[group], callee.body().results);
    return results;
  }

  static PlanValues pick(const PlanValues& values, const std::vector<ValueId>& ids) {
    PlanValues result;
    for (const ValueId id : ids) result.push_back(values[id.index()]);
    return result;
  }

  std::vector<PlanValues> lower_body(const Body& body) {
    std::vector<PlanValues> values(body.arguments.size(), PlanValues(body.program.value_count()));
    const Region& region = body.program.body();
    for (const size_t group : groups_) {
      for (size_t i = 0; i < region.arguments.size(); ++i) {
        values[group][region.arguments[i].index()] = body.arguments[group][i];
      }
    }
    lower_region(body, region, values);
    note_written(body.program, body.prefix, values, out_);
    return values;
  }

  void lower_region(const Body& body, const Region& region, std::vector<PlanValues>& values) {
    for (const OpId id : region.ops) {
      const Op& op = body.program.op(id);
      if (const Call* call = std::get_if<Call>(&op.data)) {
        lower_call(*call, op, body, values);
      } else if (const Scan* scan = std::get_if<Scan>(&op.data)) {
        lower_scan(*scan, op, body, values);
      } else if (const PipelineRun* pipeline = std::get_if<PipelineRun>(&op.data)) {
        lower_pipeline_op(*pipeline, id, body, values);
      } else {
        in_each_group([&](size_t group) {
          const Site site = make_site(op, body, values[group]);
          set(op, std::visit([&](const auto& data) { return lower_op(data, site); }, op.data), values[group]);
        });
      }
    }
  }

  static void set(const Op& op, const PlanValues& results, PlanValues& values) {
    for (size_t i = 0; i < results.size(); ++i) values[op.results[i].index()] = results[i];
  }

  static Location location_of(const Op& op, const Body& body) {
    return body.call ? op.location.within(*body.call, std::string(kInlined)) : op.location;
  }

  static Site make_site(const Op& op, const Body& body, const PlanValues& values) {
    Site site{pick(values, op.operands), {}, names_of(body, op.results), "", location_of(op, body)};
    for (const ValueId result : op.results) site.results.push_back(body.program.value(result).type.tensor);
    site.name = site.names.empty() ? body.prefix : site.names.front();
    return site;
  }

  void lower_call(const Call& call, const Op& op, const Body& body, std::vector<PlanValues>& values) {
    const std::string prefix = action_ + module_.program(call.callee).name() + "." + std::to_string(calls_++) + ".";
    std::vector<PlanValues> arguments(values.size());
    for (const size_t group : groups_) arguments[group] = pick(values[group], op.operands);
    const Location location = location_of(op, body);
    const std::vector<PlanValues> results = apply(call.callee, std::move(arguments), prefix, location);
    for (const size_t group : groups_) {
      set(op, results[group], values[group]);
      if (body.prefix.empty()) note_results(results[group], names_of(body, op.results), prefix);
    }
  }

  /// Results of a call in the program itself have other names there; those that are arguments keep theirs.
  void note_results(const PlanValues& results, const std::vector<std::string>& names, const std::string& prefix) {
    for (size_t i = 0; i < results.size(); ++i) {
      const std::string& name = out_.name(results[i]);
      if (name.rfind(prefix, 0) == 0) call_results_[name] = names[i];
    }
  }

  /// Loops stay loops: a repeat whose body is the region.
  void lower_scan(const Scan& scan, const Op& op, const Body& body, std::vector<PlanValues>& values) {
    const Region& region = op.regions.at(0);
    in_each_group([&](size_t group) { begin_repeat(scan, op, body, values[group]); });
    lower_region(body, region, values);
    in_each_group([&](size_t group) {
      PlanValues yields = pick(values[group], region.results);
      const auto middle = yields.begin() + static_cast<std::ptrdiff_t>(scan.carries);
      PlanValues parts(middle, yields.end());
      yields.erase(middle, yields.end());
      set(op, out_.end_repeat(std::move(yields), std::move(parts), names_of(body, op.results)), values[group]);
    });
  }

  void begin_repeat(const Scan& scan, const Op& op, const Body& body, PlanValues& values) {
    const Region& region = op.regions.at(0);
    const PlanValues operands = pick(values, op.operands);
    const auto middle = operands.begin() + static_cast<std::ptrdiff_t>(scan.carries);
    const size_t first = region.arguments.size() - operands.size();
    const std::vector<ValueId> arguments(region.arguments.begin() + static_cast<std::ptrdiff_t>(first),
                                         region.arguments.end());
    const Location location = location_of(op, body);
    const PlanValues inside = out_.begin_repeat(scan.trips, {operands.begin(), middle}, {middle, operands.end()},
                                                names_of(body, arguments), location);
    for (size_t i = 0; i < inside.size(); ++i) values[arguments[i].index()] = inside[i];
    if (first == 1) {
      const ValueId index = region.arguments[0];
      values[index.index()] = out_.scalar_index(Expr::loop_index(0), names_of(body, {index})[0], location);
    }
  }

  void lower_pipeline_op(const PipelineRun& pipeline, OpId id, const Body& body, std::vector<PlanValues>& values) {
    const Op& op = body.program.op(id);
    const auto number = static_cast<uint32_t>(std::distance(parts_.begin(), parts_.find(id)));
    PipelineChannels channels;
    for (std::vector<size_t>& chain : stages_.chains_along(pipeline.axis)) {
      Site first = make_site(op, body, values[chain[0]]);
      PipelineSite site{module_,
                        &mesh_,
                        pipeline,
                        parts_.at(id),
                        first.location,
                        number,
                        std::move(chain),
                        {},
                        std::move(first.results),
                        std::move(first.names)};
      for (const size_t group : site.groups) site.operands.push_back(pick(values[group], op.operands));
      const std::vector<PlanValues> results = lower_pipeline(site, channels, out_, *this);
      for (size_t stage = 0; stage < results.size(); ++stage) set(op, results[stage], values[site.groups[stage]]);
    }
  }

  static std::vector<std::string> names_of(const Body& body, const std::vector<ValueId>& ids) {
    std::vector<std::string> names;
    for (const ValueId id : ids) names.push_back(body.prefix + body.program.value(id).name);
    return names;
  }

  // Ops. Calls, scans and pipelines are lowered for all groups together.

  PlanValues lower_op(const Call&, const Site&) { return for_all_groups(); }
  PlanValues lower_op(const Scan&, const Site&) { return for_all_groups(); }
  PlanValues lower_op(const PipelineRun&, const Site&) { return for_all_groups(); }
  static PlanValues for_all_groups() {
    internal_error("lower_op", "an op that is lowered for all groups", __FILE__, __LINE__);
  }

  /// The block; then, where it has an owner, zeros on the other devices.
  PlanValues lower_op(const View& view, const Site& site) {
    LoadBlock load = load_of(view, module_.global(view.global).type.shape, mesh_);
    const std::string name = view.only.empty() ? site.name : site.name + ".everywhere";
    const PlanValueId value = out_.load(std::move(load), site.results.front().shape, name, site.location);
    if (view.only.empty()) return {value};
    Group group;
    int64_t owner = 0;
    for (const Owner& only : view.only) {
      group.axes.push_back(only.axis);
      owner = owner * mesh_.axis(only.axis).size + only.coordinate;
    }
    return {out_.keep_on(value, Expr::index_in(group, mesh_), owner, site.name, site.location, "view")};
  }

  PlanValues lower_op(const BlockSize& op, const Site& site) {
    const Expr size = valid_size(op, module_.global(op.global).type.shape, mesh_);
    return {out_.scalar_index(size, site.name, site.location, std::string(BlockSize::kName))};
  }

  PlanValues lower_op(const AxisIndex& op, const Site& site) {
    return {out_.scalar_index(Expr::index_in(op.axis, mesh_), site.name, site.location)};
  }

  /// Only an owner changes what devices hold; every other state op is a matter of types.
  PlanValues lower_op(const ConvertState& op, const Site& site) {
    if (!op.owner) return site.operands;
    return {out_.keep_on(site.operands[0], Expr::index_in(op.axis, mesh_), *op.owner, site.name, site.location)};
  }
  PlanValues lower_op(const Reinterpret&, const Site& site) { return site.operands; }

  PlanValues lower_op(const SliceBlock& op, const Site& site) {
    const Expr index = Expr::index_in(op.axis, mesh_);
    return {out_.take_block(site.operands[0], op.dim, index, mesh_.size(op.axis), site.name, site.location)};
  }

  PlanValues lower_op(const PlaceBlock& op, const Site& site) {
    const Expr index = Expr::index_in(op.axis, mesh_);
    return {out_.put_block(site.operands[0], op.dim, index, mesh_.size(op.axis), site.name, site.location)};
  }

  PlanValues lower_op(const Reduce& op, const Site& site) {
    if (!is_pairwise(op.op)) return out_.local(op, site.operands, site.results, site.names, site.location);
    return {lower_pairwise(op.op, site.operands[0], op.dims, site.results.front(), site.name, site.location, out_)};
  }

  PlanValues lower_op(const Clamp&, const Site& site) {
    return {lower_clamp(site.operands, site.name, site.location, out_)};
  }

  PlanValues lower_op(const Ceil&, const Site& site) {
    return {lower_ceil(site.operands[0], site.name, site.location, out_)};
  }

  PlanValues lower_op(const Convolution& op, const Site& site) {
    return {lower_convolution(op, site.operands[0], site.operands[1], site.name, site.location, out_)};
  }

  PlanValues lower_op(const AllReduce& op, const Site& site) {
    if (is_pairwise(op.op)) {
      const CommunicatorId communicator = communicator_of(op.axis, Lane::collective);
      return {gather_pairwise(op.op, site.operands[0], communicator, site.name, site.location, out_)};
    }
    const CollectiveKind kind = op.op == Reducer::max   ? CollectiveKind::all_reduce_max
                                : op.op == Reducer::min ? CollectiveKind::all_reduce_min
                                                        : CollectiveKind::all_reduce;
    return collective(kind, op.axis, 0, site, op.precision);
  }
  PlanValues lower_op(const AllGather& op, const Site& site) {
    return collective(CollectiveKind::all_gather, op.axis, op.dim, site);
  }
  PlanValues lower_op(const ReduceScatter& op, const Site& site) {
    return collective(CollectiveKind::reduce_scatter, op.axis, op.dim, site, op.precision);
  }
  PlanValues lower_op(const AllToAll& op, const Site& site) {
    const CommunicatorId communicator = communicator_of(op.axis, Lane::collective);
    return {out_.all_to_all(communicator, site.operands[0], op.split_dim, op.concat_dim, site.name, site.location)};
  }
  PlanValues lower_op(const AssertEqual& op, const Site& site) {
    return collective(CollectiveKind::assert_equal, op.axis, 0, site);
  }
  PlanValues collective(CollectiveKind kind, const Group& group, int64_t dim, const Site& site,
                        SumPrecision precision = SumPrecision::unspecified) {
    const CommunicatorId communicator = communicator_of(group, Lane::collective);
    return {out_.collective(kind, communicator, site.operands[0], dim, site.name, site.location, precision)};
  }

  PlanValues lower_op(const CollectivePermute& op, const Site& site) {
    const Group group = op.counting_group();
    const int64_t size = mesh_.size(group);
    const CommunicatorId communicator = communicator_of(group, lane_of(op, size));
    return {out_.permute(communicator, site.operands[0], peer_of(op, group, mesh_, true),
                         peer_of(op, group, mesh_, false), site.name, site.location)};
  }

  /// Ops that every device computes alike.
  template <class Op>
  PlanValues lower_op(const Op& op, const Site& site) {
    return out_.local(op, site.operands, site.results, site.names, site.location);
  }

  CommunicatorId communicator_of(const Group& group, Lane lane) {
    const auto key = std::make_pair(group.axes, lane);
    const auto known = communicators_.find(key);
    if (known != communicators_.end()) return known->second;
    const CommunicatorId id = out_.add_communicator(group, queue_name(mesh_, group, lane));
    communicators_.emplace(key, id);
    return id;
  }

  void store(const Output& output, const std::vector<PlanValues>& values) {
    const uint32_t index = out_.add_output(output.name, output.type, output.updates);
    for (const ReturnPart& part : output.parts) {
      in_each_group([&](size_t group) {
        auto [block, count] = blocks_of(part.layout, mesh_);
        out_.store(values[group][part.value.index()], index, std::move(block), std::move(count), part.location);
      });
    }
  }

  const Module& module_;
  const Program& program_;
  const PartsByOp& parts_;
  StageGroups stages_;
  const Mesh& mesh_;
  PlanBuilder out_;
  std::vector<size_t> groups_;  ///< being written
  std::string action_;          ///< what the names of its values begin with
  std::map<std::pair<std::vector<AxisId>, Lane>, CommunicatorId> communicators_;
  size_t calls_ = 0;
  std::map<std::string, std::string> call_results_;
};

}  // namespace

NamedPlan lower_named(const Module& module, ProgramId id) {
  const Program& program = module.program(id);
  ISOSHARD_CHECK(program.kind() == ProgramKind::program, "only programs are lowered; functions are inlined");
  if (!has_pipeline(program)) return Lowering(module, program, {}).run();
  Module extended = module;
  const PartsByOp parts = add_pipeline_parts(extended, program);
  return Lowering(extended, extended.program(id), parts).run();
}

Plan lower(const Module& module, ProgramId program) { return lower_named(module, program).plan; }

}  // namespace isoshard
