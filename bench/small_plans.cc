#include "bench/small_plans.h"

#include <memory>
#include <utility>
#include <vector>

namespace isoshard::bench {
namespace {

std::shared_ptr<const Mesh> line_of(int64_t devices) {
  return std::make_shared<Mesh>("m", std::vector<MeshAxis>{MeshAxis{"x", devices}});
}

Planned with_small_numbers(Plan plan) {
  std::vector<sim::Value> globals = small_numbers(plan);
  return Planned{std::move(plan), std::move(globals)};
}

Expr own_index() { return Expr::coordinate(AxisId(size_t{0})); }

}  // namespace

Planned small_ops(int64_t devices, bool communicate) {
  PlanBuilder builder(line_of(devices));
  const TensorType scalar{DType::f32, {}};
  const GlobalId global = builder.add_global(Global{"x", scalar, Role::input, Init{}, Location()});
  const PlanValueId x = builder.load(global, {}, {});
  const CommunicatorId all = builder.add_communicator(Group{{AxisId(size_t{0})}}, "comm");
  const std::vector<PlanValueId> inside = builder.begin_repeat(kSmallOpRounds, {x});
  const PlanValueId y = builder.local(Negate{}, {inside[0]}, scalar);
  builder.end_repeat({communicate ? builder.collective(CollectiveKind::all_reduce, all, y) : y});
  return with_small_numbers(builder.finish());
}

PlanValueId append_all_reduce(PlanBuilder& builder, CommunicatorId communicator, PlanValueId x, int64_t /*devices*/) {
  return builder.collective(CollectiveKind::all_reduce, communicator, x);
}

PlanValueId append_reduce_scatter(PlanBuilder& builder, CommunicatorId communicator, PlanValueId x,
                                  int64_t /*devices*/) {
  return builder.collective(CollectiveKind::reduce_scatter, communicator, x);
}

PlanValueId append_all_gather(PlanBuilder& builder, CommunicatorId communicator, PlanValueId x, int64_t devices) {
  return builder.collective(CollectiveKind::all_gather, communicator, builder.take_block(x, 0, 0, devices));
}

PlanValueId append_permute(PlanBuilder& builder, CommunicatorId communicator, PlanValueId x, int64_t devices) {
  return builder.permute(communicator, x, mod(own_index() + 1, devices), mod(own_index() + (devices - 1), devices));
}

Planned collective_rounds(int64_t devices, int64_t elements, int64_t rounds, AppendCollective append, Operand operand) {
  PlanBuilder builder(line_of(devices));
  const bool own = operand == Operand::own_block;
  const TensorType whole{DType::f32, {own ? devices * elements : elements}};
  const GlobalId global = builder.add_global(Global{"x", whole, Role::input, Init{}, Location()});
  const PlanValueId x = own ? builder.load(global, {own_index()}, {devices}) : builder.load(global, {Expr(0)}, {1});
  const CommunicatorId communicator = builder.add_communicator(Group{{AxisId(size_t{0})}}, "comm");
  const std::vector<PlanValueId> inside = builder.begin_repeat(rounds, {x});
  append(builder, communicator, inside[0], devices);
  builder.end_repeat({inside[0]});
  return with_small_numbers(builder.finish());
}

}  // namespace isoshard::bench
