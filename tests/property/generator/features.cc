#include "tests/property/generator/features.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace isoshard::testing {
namespace {

/// An op where it stands.
struct Site {
  const Module& module;
  const Program& program;
  const Op& op;

  const Mesh& mesh() const { return program.mesh(); }
  const ValueType& operand(size_t n) const { return program.value(op.operands[n]).type; }
  const ValueType& result(size_t n) const { return program.value(op.results[n]).type; }
  /// The op that makes operand `n`; nothing for arguments.
  const Op* source(size_t n) const {
    const OpId id = program.value(op.operands[n]).definition;
    return id.valid() ? &program.op(id) : nullptr;
  }
};

template <class T>
const T* as(const Op& op) {
  return std::get_if<T>(&op.data);
}
template <class T>
bool is(const Op* op) {
  return op != nullptr && std::holds_alternative<T>(op->data);
}

bool varies(const ValueType& type) { return std::count(type.states.begin(), type.states.end(), State::varying) != 0; }

/// The group over which an op communicates or takes blocks; nothing for other ops.
const Group* group_of(const Op& op) {
  const Group* group = nullptr;
  std::visit(
      [&](const auto& data) {
        if constexpr (requires { data.axis.axes; }) group = &data.axis;
      },
      op.data);
  return group;
}
bool communicates(const Op& op) {
  return is<AllReduce>(&op) || is<AllGather>(&op) || is<ReduceScatter>(&op) || is<AllToAll>(&op) ||
         is<CollectivePermute>(&op);
}

bool orders(const Site& at) {
  const Reduce* reduce = as<Reduce>(at.op);
  return is<TopK>(&at.op) || is<Maximum>(&at.op) || is<Minimum>(&at.op) || is<Compare>(&at.op) ||
         (reduce != nullptr && reduce->op != Reducer::add);
}

const Shape& whole(const Site& at, const View& view) { return at.module.global(view.global).type.shape; }

/// Whether `holds(entry, size)` for some dimension of the view.
template <class Holds>
bool any_entry(const Site& at, const Holds& holds) {
  const View* view = as<View>(at.op);
  if (view == nullptr) return false;
  for (size_t d = 0; d < view->layout.size(); ++d) {
    if (holds(view->layout[d], whole(at, *view)[d])) return true;
  }
  return false;
}
int64_t padded_entries(const Site& at) {
  int64_t count = 0;
  any_entry(at, [&](const ViewEntry& e, int64_t size) {
    count += e.split == Split::uneven && size % block_count(e, at.mesh()) != 0 ? 1 : 0;
    return false;
  });
  return count;
}

bool names_an_axis_twice(const View& view) {
  AxisSet seen;
  for (const ViewEntry& entry : view.layout) {
    for (const AxisId axis : entry.axes.axes) {
      if (seen.contains(axis)) return true;
    }
    seen.insert(entry.axes.set());
  }
  return false;
}

/// A zero that enters a scan and whose state only the body gives.
bool has_zero_carry(const Site& at) {
  const Scan* scan = as<Scan>(at.op);
  for (size_t c = 0; scan != nullptr && c < static_cast<size_t>(scan->carries); ++c) {
    if (is<Constant>(at.source(c)) && at.operand(c).states != at.result(c).states) return true;
  }
  return false;
}

bool contains(const Program& program, const Region& region, const std::function<bool(const Op&)>& wanted) {
  return std::any_of(region.ops.begin(), region.ops.end(), [&](OpId id) { return wanted(program.op(id)); });
}
bool in_scan(const Site& at, const std::function<bool(const Op&)>& wanted) {
  return is<Scan>(&at.op) && contains(at.program, at.op.regions[0], wanted);
}

bool permutes_to_itself(const Site& at) {
  const CollectivePermute* permute = as<CollectivePermute>(at.op);
  if (permute == nullptr) return false;
  const int64_t size = at.mesh().size(permute->axis);
  for (int64_t i = 0; i < size; ++i) {
    if (permute->target(i, size) == i) return true;
  }
  return false;
}
bool permutes_nothing_to_some(const Site& at) {
  const CollectivePermute* permute = as<CollectivePermute>(at.op);
  return permute != nullptr && !permute->shift && std::ssize(permute->pairs) < at.mesh().size(permute->axis);
}

/// The views of one global before this one, in another block.
bool views_a_global_again(const Site& at) {
  const View* view = as<View>(at.op);
  if (view == nullptr) return false;
  return contains(at.program, at.program.body(), [&](const Op& other) {
    const View* earlier = as<View>(other);
    return earlier != nullptr && earlier->global == view->global && !(earlier->layout == view->layout);
  });
}

struct OpFeature {
  const char* name;
  bool (*holds)(const Site&);
};

// clang-format off
const OpFeature kOpFeatures[] = {
    {"view of uneven blocks", [](const Site& at) { return padded_entries(at) > 0; }},
    {"view of uneven blocks in two dimensions", [](const Site& at) { return padded_entries(at) > 1; }},
    {"view of an empty block", [](const Site& at) {
      return any_entry(at, [&](const ViewEntry& e, int64_t size) {
        const int64_t block = block_size(e, size, at.mesh());
        return e.split == Split::uneven && block * (block_count(e, at.mesh()) - 1) >= size;
      });
    }},
    {"view of uneven blocks over a tuple", [](const Site& at) {
      return any_entry(at, [](const ViewEntry& e, int64_t) { return e.split == Split::uneven && e.axes.axes.size() > 1; });
    }},
    {"view of a part of a block", [](const Site& at) { return is<View>(&at.op) && !as<View>(at.op)->range.empty(); }},
    {"view of a stack", [](const Site& at) {
      return any_entry(at, [](const ViewEntry& e, int64_t) { return e.split == Split::stack; });
    }},
    {"view on one device only", [](const Site& at) { return is<View>(&at.op) && !as<View>(at.op)->only.empty(); }},
    {"view of a computed block", [](const Site& at) {
      return any_entry(at, [](const ViewEntry& e, int64_t) { return e.of.has_value(); });
    }},
    {"view of a shifted block", [](const Site& at) {
      return any_entry(at, [&](const ViewEntry& e, int64_t) { return e.offset % block_count(e, at.mesh()) != 0; });
    }},
    {"view over a tuple not in mesh order", [](const Site& at) {
      return any_entry(at, [](const ViewEntry& e, int64_t) { return !std::is_sorted(e.axes.axes.begin(), e.axes.axes.end()); });
    }},
    {"view of a diagonal", [](const Site& at) { return is<View>(&at.op) && names_an_axis_twice(*as<View>(at.op)); }},
    {"view as invariant", [](const Site& at) { return is<View>(&at.op) && !as<View>(at.op)->invariant.empty(); }},
    {"two views of one global", views_a_global_again},
    {"padding masked by block_size", [](const Site& at) {
      return is<Select>(&at.op) && is<View>(at.source(1)) && (is<Compare>(at.source(0)) || is<And>(at.source(0)));
    }},
    {"collective over a tuple", [](const Site& at) { return communicates(at.op) && group_of(at.op)->axes.size() > 1; }},
    {"collective over a tuple not in mesh order", [](const Site& at) {
      const Group* group = group_of(at.op);
      return communicates(at.op) && !std::is_sorted(group->axes.begin(), group->axes.end());
    }},
    {"collective in a group of one", [](const Site& at) { return communicates(at.op) && at.mesh().size(*group_of(at.op)) == 1; }},
    {"collective of a collective", [](const Site& at) {
      return communicates(at.op) && at.source(0) != nullptr && communicates(*at.source(0));
    }},
    {"collective of a transposed value", [](const Site& at) {
      return communicates(at.op) && is<Transpose>(at.source(0)) &&
             !std::is_sorted(as<Transpose>(*at.source(0))->permutation.begin(), as<Transpose>(*at.source(0))->permutation.end());
    }},
    {"collective in a scan", [](const Site& at) { return in_scan(at, communicates); }},
    {"all_reduce max", [](const Site& at) { return is<AllReduce>(&at.op) && as<AllReduce>(at.op)->op == Reducer::max; }},
    {"sum over devices in its dtype", [](const Site& at) {
      return (is<AllReduce>(&at.op) && as<AllReduce>(at.op)->precision == SumPrecision::native) ||
             (is<ReduceScatter>(&at.op) && as<ReduceScatter>(at.op)->precision == SumPrecision::native);
    }},
    {"all_reduce mul", [](const Site& at) { return is<AllReduce>(&at.op) && as<AllReduce>(at.op)->op == Reducer::mul; }},
    {"reduce mul", [](const Site& at) { return is<Reduce>(&at.op) && as<Reduce>(at.op)->op == Reducer::mul; }},
    {"reduce and", [](const Site& at) { return is<Reduce>(&at.op) && as<Reduce>(at.op)->op == Reducer::logical_and; }},
    {"reduce or", [](const Site& at) { return is<Reduce>(&at.op) && as<Reduce>(at.op)->op == Reducer::logical_or; }},
    {"all_reduce min", [](const Site& at) { return is<AllReduce>(&at.op) && as<AllReduce>(at.op)->op == Reducer::min; }},
    {"all_to_all between two dimensions", [](const Site& at) {
      return is<AllToAll>(&at.op) && as<AllToAll>(at.op)->split_dim != as<AllToAll>(at.op)->concat_dim &&
             at.mesh().size(as<AllToAll>(at.op)->axis) > 1;
    }},
    {"permute to itself", permutes_to_itself},
    {"permute without a source for some", permutes_nothing_to_some},
    {"order of a varying value", [](const Site& at) { return orders(at) && varies(at.operand(0)) && is_float(at.operand(0).tensor.dtype); }},
    {"indices that vary", [](const Site& at) { return (is<Gather>(&at.op) || is<ScatterAdd>(&at.op)) && varies(at.operand(1)); }},
    {"gather in a batch", [](const Site& at) { return is<Gather>(&at.op) && as<Gather>(at.op)->batch > 0; }},
    {"scatter_add in a batch", [](const Site& at) { return is<ScatterAdd>(&at.op) && as<ScatterAdd>(at.op)->batch > 0; }},
    {"dot_general in a batch", [](const Site& at) {
      return is<DotGeneral>(&at.op) && !as<DotGeneral>(at.op)->batch.lhs.empty() && !as<DotGeneral>(at.op)->contract.lhs.empty();
    }},
    {"partial sum of a contraction", [](const Site& at) { return is<DotGeneral>(&at.op) && !as<DotGeneral>(at.op)->partial.empty(); }},
    {"convolution with groups", [](const Site& at) {
      return is<Convolution>(&at.op) && (as<Convolution>(at.op)->feature_groups || as<Convolution>(at.op)->batch_groups);
    }},
    {"convolution of a part of the input", [](const Site& at) {
      return is<Convolution>(&at.op) && std::any_of(as<Convolution>(at.op)->low.begin(), as<Convolution>(at.op)->low.end(),
                                                    [](int64_t low) { return low < 0; });
    }},
    {"partial sum of a convolution", [](const Site& at) { return is<Convolution>(&at.op) && !as<Convolution>(at.op)->partial.empty(); }},
    {"zero carry that takes the state of the body", has_zero_carry},
    {"scan without iterations", [](const Site& at) { return is<Scan>(&at.op) && as<Scan>(at.op)->trips == 0; }},
    {"scan in a scan", [](const Site& at) { return in_scan(at, [](const Op& op) { return is<Scan>(&op); }); }},
    {"call in a scan", [](const Site& at) { return in_scan(at, [](const Op& op) { return is<Call>(&op); }); }},
    {"value without elements", [](const Site& at) { return !at.op.results.empty() && element_count(at.result(0).tensor.shape) == 0; }},
    {"value that is not square", [](const Site& at) {
      const Shape& shape = at.result(0).tensor.shape;
      return shape.size() > 1 && shape[0] != shape[1];
    }},
};
// clang-format on

/// Whether the value comes, element by element, from uneven blocks with their padding.
bool carries_padding(const Module& module, const Program& program, ValueId value) {
  const OpId id = program.value(value).definition;
  if (!id.valid()) return false;
  const Op& op = program.op(id);
  if (is<View>(&op)) return padded_entries(Site{module, program, op}) > 0;
  if (is<Select>(&op)) return false;
  return std::any_of(op.operands.begin(), op.operands.end(),
                     [&](ValueId x) { return carries_padding(module, program, x); });
}

void add_output_features(const Module& module, const Program& program, std::set<std::string>& found) {
  const auto add = [&](const Output& output, const ReturnPart& part) {
    bool uneven = false;
    for (const ViewEntry& e : part.layout) {
      uneven |= e.split == Split::uneven;
      if (e.split == Split::stack) found.insert("output as a stack");
      if (e.axes.axes.size() > 1) found.insert("output over a tuple");
      if (e.offset % block_count(e, program.mesh()) != 0) found.insert("output of shifted blocks");
    }
    if (uneven) found.insert("output of uneven blocks");
    if (uneven && carries_padding(module, program, part.value)) found.insert("padding left out by an output");
    if (output.updates.valid()) found.insert("update");
    if (output.updates.valid() && uneven) found.insert("update of uneven blocks");
  };
  for (const auto* outputs : {&program.outputs(), &program.updates()}) {
    for (const Output& output : *outputs) {
      for (const ReturnPart& part : output.parts) add(output, part);
    }
  }
}

bool coprime(const Mesh& mesh) {
  for (size_t a = 0; a < mesh.axis_count(); ++a) {
    for (size_t b = 0; b < mesh.axis_count(); ++b) {
      const int64_t x = mesh.axes()[a].size, y = mesh.axes()[b].size;
      if (x == 1 || (a != b && std::gcd(x, y) != 1)) return false;
    }
  }
  return mesh.axis_count() > 1;
}

void add_mesh_features(const Mesh& mesh, std::set<std::string>& found) {
  const std::vector<int64_t>& order = mesh.device_order();
  if (mesh.axis_count() == 0) found.insert("one device");
  if (coprime(mesh)) found.insert("coprime axes");
  if (coprime(mesh) && mesh.axis_count() > 2) found.insert("three coprime axes");
  if (!std::is_sorted(order.begin(), order.end())) found.insert("devices in another order");
  for (const MeshAxis& axis : mesh.axes()) {
    if (axis.size == 1) found.insert("axis of one device");
  }
}

constexpr const char* kOtherFeatures[] = {"one device",
                                          "coprime axes",
                                          "three coprime axes",
                                          "devices in another order",
                                          "axis of one device",
                                          "output as a stack",
                                          "output over a tuple",
                                          "output of shifted blocks",
                                          "output of uneven blocks",
                                          "padding left out by an output",
                                          "update",
                                          "update of uneven blocks",
                                          "function called twice",
                                          "state P",
                                          "state V",
                                          "state R",
                                          "state I",
                                          "state =",
                                          "dtype f32",
                                          "dtype f64",
                                          "dtype bf16",
                                          "dtype f16",
                                          "dtype i8",
                                          "dtype u8",
                                          "dtype i32",
                                          "dtype u32",
                                          "dtype i64",
                                          "dtype u64",
                                          "dtype pred"};

void add_value_features(const Program& program, std::set<std::string>& found) {
  for (size_t v = 0; v < program.value_count(); ++v) {
    const ValueType& type = program.value(ValueId(v)).type;
    found.insert("dtype " + std::string(name(type.tensor.dtype)));
    for (const State state : type.states) found.insert("state " + std::string(1, letter(state)));
  }
}

/// Adds what `value` depends on, within `program`; ops that made no element do not count.
void add_ops_behind(const Module& module, const Program& program, ValueId value, std::set<size_t>& seen,
                    std::set<std::string>& names) {
  const OpId id = program.value(value).definition;
  if (!id.valid() || element_count(program.value(value).type.tensor.shape) == 0) return;
  if (!seen.insert(id.index()).second) return;
  const Op& op = program.op(id);
  names.insert(std::string(op_name(op.data)));
  for (const ValueId operand : op.operands) add_ops_behind(module, program, operand, seen, names);
  const bool runs = !is<Scan>(&op) || as<Scan>(op)->trips > 0;
  for (const Region& region : op.regions) {
    for (const ValueId result : region.results) {
      if (runs) add_ops_behind(module, program, result, seen, names);
    }
  }
  if (const Call* call = as<Call>(op)) {
    const Program& callee = module.program(call->callee);
    std::set<size_t> seen_there;
    for (const ValueId result : callee.body().results) add_ops_behind(module, callee, result, seen_there, names);
  }
}

/// All but `pipeline`, which is drawn in schedules_test.cc: its funcs, not its operands, say what it computes.
template <size_t... I>
std::vector<std::string> names_of(std::index_sequence<I...>) {
  std::vector<std::string> names{std::string(std::variant_alternative_t<I, OpVariant>::kName)...};
  std::erase(names, std::string(PipelineRun::kName));
  return names;
}

}  // namespace

std::vector<std::string> all_op_names() { return names_of(std::make_index_sequence<std::variant_size_v<OpVariant>>()); }

std::set<std::string> ops_that_matter(const Module& module, ProgramId id) {
  const Program& program = module.program(id);
  std::set<size_t> seen;
  std::set<std::string> names;
  for (const auto* outputs : {&program.outputs(), &program.updates()}) {
    for (const Output& output : *outputs) {
      for (const ReturnPart& part : output.parts) add_ops_behind(module, program, part.value, seen, names);
    }
  }
  return names;
}

std::set<std::string> features_of(const Module& module) {
  std::set<std::string> found;
  std::vector<size_t> calls(module.programs.size());
  for (const std::shared_ptr<const Mesh>& mesh : module.meshes) add_mesh_features(*mesh, found);
  for (const Program& program : module.programs) {
    add_output_features(module, program, found);
    add_value_features(program, found);
    for (size_t i = 0; i < program.op_count(); ++i) {
      const Site site{module, program, program.op(OpId(i))};
      for (const OpFeature& feature : kOpFeatures) {
        if (feature.holds(site)) found.insert(feature.name);
      }
      const Call* call = as<Call>(site.op);
      if (call != nullptr && ++calls[call->callee.index()] == 2) found.insert("function called twice");
    }
  }
  return found;
}

std::vector<std::string> all_features() {
  std::vector<std::string> names(std::begin(kOtherFeatures), std::end(kOtherFeatures));
  for (const OpFeature& feature : kOpFeatures) names.emplace_back(feature.name);
  return names;
}

}  // namespace isoshard::testing
