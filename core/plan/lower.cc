#include "core/plan/lower.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/plan/plan_builder.h"
#include "core/support/check.h"

namespace isoshard {
namespace {

/// Permutes of one direction share a communicator; sums and gathers share the one of their axis tuple.
enum class Lane : uint8_t { collective, forward, backward, pairs };

Lane lane_of(const CollectivePermute& op, int64_t size) {
  if (!op.shift) return Lane::pairs;
  const int64_t shift = (*op.shift % size + size) % size;
  return 2 * shift <= size ? Lane::forward : Lane::backward;
}

std::string queue_name(const Mesh& mesh, const Group& group, Lane lane) {
  const std::string axes = mesh.to_string(group);
  if (lane == Lane::collective) return "comm " + axes;
  return "send " + axes + (lane == Lane::forward ? " +" : lane == Lane::backward ? " -" : " pairs");
}

/// Lowers one program; calls are inlined by lowering the callee with its arguments bound.
class Lowering {
 public:
  Lowering(const Module& module, const Program& program)
      : module_(module), program_(program), mesh_(program.mesh()), out_(program.shared_mesh(), program.name()) {}

  Plan run() {
    for (const Global& global : module_.globals) out_.add_global(global);
    const Body body{program_, {}, nullptr, ""};
    const Values values = lower_body(body);
    for (const Output& output : program_.outputs()) store(output, values);
    for (const Output& update : program_.updates()) store(update, values);
    return out_.finish();
  }

 private:
  using Values = std::vector<PlanValueId>;  ///< by ValueId of the program being lowered

  /// A program body, where it was called from, and what its value names start with.
  struct Body {
    const Program& program;
    Values arguments;
    const Location* call;
    std::string prefix;
  };

  /// The op being lowered.
  struct Site {
    Values operands;
    std::vector<TensorType> results;
    std::vector<std::string> names;  ///< of the results
    std::string name;                ///< of the first result
    Location location;
    const Op* op;  ///< for ops with regions ...
    const Body* body;
    Values* values;  ///< ... which are lowered into the same table
  };

  Values lower_body(const Body& body) {
    Values values(body.program.value_count());
    const Region& region = body.program.body();
    for (size_t i = 0; i < region.arguments.size(); ++i) values[region.arguments[i].index()] = body.arguments[i];
    lower_region(body, region, values);
    return values;
  }

  void lower_region(const Body& body, const Region& region, Values& values) {
    for (const OpId id : region.ops) {
      const Op& op = body.program.op(id);
      const Location location = body.call ? op.location.within(*body.call, "called from here") : op.location;
      Site site{{}, {}, {}, "", location, &op, &body, &values};
      for (const ValueId operand : op.operands) site.operands.push_back(values[operand.index()]);
      for (const ValueId result : op.results) {
        site.results.push_back(body.program.value(result).type.tensor);
        site.names.push_back(body.prefix + body.program.value(result).name);
      }
      site.name = site.names.empty() ? body.prefix : site.names.front();
      const Values results = std::visit([&](const auto& data) { return lower_op(data, site); }, op.data);
      for (size_t i = 0; i < results.size(); ++i) values[op.results[i].index()] = results[i];
    }
  }

  Values lower_op(const Call& call, const Site& site) {
    const Program& callee = module_.program(call.callee);
    const std::string prefix = callee.name() + "." + std::to_string(calls_++) + ".";
    const Values values = lower_body(Body{callee, site.operands, &site.location, prefix});
    Values results;
    for (const ValueId id : callee.body().results) results.push_back(values[id.index()]);
    return results;
  }

  /// Loops stay loops: a repeat whose body is the region.
  Values lower_op(const Scan& scan, const Site& site) {
    const Region& region = site.op->regions.at(0);
    const auto middle = site.operands.begin() + static_cast<std::ptrdiff_t>(scan.carries);
    const size_t first = region.arguments.size() - site.operands.size();
    const std::vector<ValueId> arguments(region.arguments.begin() + static_cast<std::ptrdiff_t>(first),
                                         region.arguments.end());
    const Values inside = out_.begin_repeat(scan.trips, {site.operands.begin(), middle}, {middle, site.operands.end()},
                                            names_of(site, arguments), site.location);
    for (size_t i = 0; i < inside.size(); ++i) (*site.values)[arguments[i].index()] = inside[i];
    if (first == 1) {
      const ValueId index = region.arguments[0];
      (*site.values)[index.index()] = out_.scalar_index(Expr::loop_index(0), names_of(site, {index})[0], site.location);
    }
    lower_region(*site.body, region, *site.values);
    Values yields, parts;
    for (size_t i = 0; i < region.results.size(); ++i) {
      (i < static_cast<size_t>(scan.carries) ? yields : parts).push_back((*site.values)[region.results[i].index()]);
    }
    return out_.end_repeat(std::move(yields), std::move(parts), names_of(site, site.op->results));
  }

  static std::vector<std::string> names_of(const Site& site, const std::vector<ValueId>& ids) {
    std::vector<std::string> names;
    for (const ValueId id : ids) names.push_back(site.body->prefix + site.body->program.value(id).name);
    return names;
  }

  /// The block; then, where it has an owner, zeros on the other devices.
  Values lower_op(const View& view, const Site& site) {
    auto [block, count] = blocks(view.layout);
    LoadBlock load{view.global, std::move(block), std::move(count)};
    if (!view.range.empty()) set_part(view, load);
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

  void set_part(const View& view, LoadBlock& load) const {
    const Shape& whole = module_.global(view.global).type.shape;
    size_t next = 0;
    for (size_t d = 0; d < view.layout.size(); ++d) {
      const BlockRange* range = view.layout[d].split == Split::stack ? nullptr : &view.range[next++];
      const int64_t start = range == nullptr ? 0 : range->start;
      const bool to_end = range == nullptr || !range->limit;
      load.start.push_back(start);
      load.size.push_back((to_end ? block_size(view.layout[d], whole[d], mesh_) : *range->limit) - start);
    }
  }

  /// block k of size L has max(0, min(L, n - k*L)) elements.
  Values lower_op(const BlockSize& op, const Site& site) {
    const ViewEntry& entry = op.layout[static_cast<size_t>(op.dim)];
    const int64_t whole = module_.global(op.global).type.shape[static_cast<size_t>(op.dim)];
    const int64_t size = block_size(entry, whole, mesh_);
    const bool padded = size * block_count(entry, mesh_) != whole;
    const Expr rest = Expr(whole) - block_expr(entry, mesh_) * size;
    const Expr valid = padded ? max(Expr(0), min(Expr(size), rest)) : Expr(size);
    return {out_.scalar_index(valid, site.name, site.location, std::string(BlockSize::kName))};
  }

  Values lower_op(const AxisIndex& op, const Site& site) {
    return {out_.scalar_index(Expr::index_in(op.axis, mesh_), site.name, site.location)};
  }

  /// Only an owner changes what devices hold; every other state op is a matter of types.
  Values lower_op(const ConvertState& op, const Site& site) {
    if (!op.owner) return site.operands;
    return {out_.keep_on(site.operands[0], Expr::index_in(op.axis, mesh_), *op.owner, site.name, site.location)};
  }
  Values lower_op(const Reinterpret&, const Site& site) { return site.operands; }

  Values lower_op(const SliceBlock& op, const Site& site) {
    const Expr index = Expr::index_in(op.axis, mesh_);
    return {out_.take_block(site.operands[0], op.dim, index, mesh_.size(op.axis), site.name, site.location)};
  }

  Values lower_op(const PlaceBlock& op, const Site& site) {
    const Expr index = Expr::index_in(op.axis, mesh_);
    return {out_.put_block(site.operands[0], op.dim, index, mesh_.size(op.axis), site.name, site.location)};
  }

  Values lower_op(const AllReduce& op, const Site& site) {
    const CollectiveKind kind = op.op == Reducer::max   ? CollectiveKind::all_reduce_max
                                : op.op == Reducer::min ? CollectiveKind::all_reduce_min
                                                        : CollectiveKind::all_reduce;
    return collective(kind, op.axis, 0, site);
  }
  Values lower_op(const AllGather& op, const Site& site) {
    return collective(CollectiveKind::all_gather, op.axis, op.dim, site);
  }
  Values lower_op(const ReduceScatter& op, const Site& site) {
    return collective(CollectiveKind::reduce_scatter, op.axis, op.dim, site);
  }
  Values lower_op(const AllToAll& op, const Site& site) {
    const CommunicatorId communicator = communicator_of(op.axis, Lane::collective);
    return {out_.all_to_all(communicator, site.operands[0], op.split_dim, op.concat_dim, site.name, site.location)};
  }
  Values lower_op(const AssertEqual& op, const Site& site) {
    return collective(CollectiveKind::assert_equal, op.axis, 0, site);
  }
  Values collective(CollectiveKind kind, const Group& group, int64_t dim, const Site& site) {
    const CommunicatorId communicator = communicator_of(group, Lane::collective);
    return {out_.collective(kind, communicator, site.operands[0], dim, site.name, site.location)};
  }

  Values lower_op(const CollectivePermute& op, const Site& site) {
    const Group group = op.counting_group();
    const int64_t size = mesh_.size(group);
    const CommunicatorId communicator = communicator_of(group, lane_of(op, size));
    return {out_.permute(communicator, site.operands[0], peer(op, group, true), peer(op, group, false), site.name,
                         site.location)};
  }

  /// The member that a device sends to, or (not `sends`) receives from; -1 is nobody.
  Expr peer(const CollectivePermute& op, const Group& group, bool sends) const {
    const int64_t size = mesh_.size(group);
    const Expr index = Expr::index_in(group, mesh_);
    if (op.shift) return *op.shift % size == 0 ? index : mod(index + (sends ? *op.shift : -*op.shift) % size, size);
    std::vector<int64_t> table(static_cast<size_t>(size), -1);
    for (const auto& [from, to] : op.pairs) table[static_cast<size_t>(sends ? from : to)] = sends ? to : from;
    return Expr::lookup(index, std::move(table));
  }

  /// Ops that every device computes alike.
  template <class Op>
  Values lower_op(const Op& op, const Site& site) {
    return out_.local(op, site.operands, site.results, site.names, site.location);
  }

  std::pair<std::vector<Expr>, std::vector<int64_t>> blocks(const Layout& layout) const {
    std::pair<std::vector<Expr>, std::vector<int64_t>> result;
    for (const ViewEntry& entry : layout) {
      result.first.push_back(block_expr(entry, mesh_));
      result.second.push_back(block_count(entry, mesh_));
    }
    return result;
  }

  CommunicatorId communicator_of(const Group& group, Lane lane) {
    const auto key = std::make_pair(group.axes, lane);
    const auto known = communicators_.find(key);
    if (known != communicators_.end()) return known->second;
    const CommunicatorId id = out_.add_communicator(group, queue_name(mesh_, group, lane));
    communicators_.emplace(key, id);
    return id;
  }

  void store(const Output& output, const Values& values) {
    const uint32_t index = out_.add_output(output.name, output.type, output.updates);
    for (const ReturnPart& part : output.parts) {
      auto [block, count] = blocks(part.layout);
      out_.store(values[part.value.index()], index, std::move(block), std::move(count), part.location);
    }
  }

  const Module& module_;
  const Program& program_;
  const Mesh& mesh_;
  PlanBuilder out_;
  std::map<std::pair<std::vector<AxisId>, Lane>, CommunicatorId> communicators_;
  size_t calls_ = 0;
};

}  // namespace

Plan lower(const Module& module, ProgramId id) {
  const Program& program = module.program(id);
  ISOSHARD_CHECK(program.kind() == ProgramKind::program, "only programs are lowered; functions are inlined");
  return Lowering(module, program).run();
}

}  // namespace isoshard
