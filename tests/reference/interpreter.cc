#include "tests/reference/interpreter.h"

#include <algorithm>
#include <limits>

#include "core/support/rational_gmp.h"
#include "tests/reference/local_ops.h"
#include "tests/reference/numbers.h"

namespace isoshard::reference {
namespace {

template <class T>
Element<T> padding_of(Padding kind);
template <>
Element<double> padding_of(Padding kind) {
  if (kind == Padding::first) return {std::numeric_limits<double>::quiet_NaN(), 123456};
  return kind == Padding::zero ? Element<double>{} : Element<double>{77, 654321};
}
template <>
Element<Rounded> padding_of(Padding kind) {
  const Element<double> plain = padding_of<double>(kind);
  return {plain.x, plain.i};
}
template <>
Element<Quad> padding_of(Padding kind) {
  const Element<double> plain = padding_of<double>(kind);
  return {plain.x, plain.i};
}
template <>
Element<Formal> padding_of(Padding kind) {
  if (kind == Padding::first) return {Formal(199), 123456};
  const Element<double> plain = padding_of<double>(kind);
  return {plain.x, plain.i};
}
template <>
Element<mpq_class> padding_of(Padding kind) {
  if (kind == Padding::first) return {mpq_class(199), 123456};
  return kind == Padding::zero ? Element<mpq_class>{} : Element<mpq_class>{mpq_class(-61), 654321};
}

bool is_small_integer(double) { return false; }
bool is_small_integer(const Rounded&) { return false; }
bool is_small_integer(const Quad&) { return false; }
bool is_small_integer(const Formal&) { return false; }
bool is_small_integer(const mpq_class& x) { return x.get_den() == 1 && abs(x) <= 256; }

/// Runs bodies on all devices at once: a value is one array per position of the mesh.
template <class T>
class Interpreter {
 public:
  using A = Array<T>;
  using E = Element<T>;
  using Everywhere = std::vector<A>;

  Interpreter(const Module& module, const Mesh& mesh, const std::vector<A>& globals, Padding padding)
      : module_(module), mesh_(mesh), globals_(globals), padding_(padding_of<T>(padding)) {}

  std::vector<Everywhere> call(const Program& program, std::vector<Everywhere> arguments) {
    std::vector<Everywhere> values(program.value_count());
    return run(program, program.body(), std::move(arguments), values);
  }

  Outputs<T> outputs(const Program& program) {
    std::vector<Everywhere> values(program.value_count());
    run(program, program.body(), {}, values);
    Outputs<T> result;
    for (const auto* outputs : {&program.outputs(), &program.updates()}) {
      for (const Output& output : *outputs) result.all.push_back(assemble(output, values));
    }
    result.small_integers = small_integers_;
    return result;
  }

 private:
  static size_t count(const Shape& shape) { return static_cast<size_t>(element_count(shape)); }
  int64_t devices() const { return mesh_.device_count(); }

  AssembledOutput<T> assemble(const Output& output, const std::vector<Everywhere>& values) const {
    AssembledOutput<T> assembled{A{output.type, std::vector<E>(count(output.type.shape))}};
    std::vector<bool> written(assembled.whole.elements.size(), false);
    for (const ReturnPart& part : output.parts) store(part.layout, values[part.value.index()], assembled, written);
    assembled.covered = std::all_of(written.begin(), written.end(), [](bool w) { return w; });
    return assembled;
  }

  std::vector<Everywhere> run(const Program& program, const Region& region, std::vector<Everywhere> arguments,
                              std::vector<Everywhere>& values) {
    for (size_t i = 0; i < region.arguments.size(); ++i) values[region.arguments[i].index()] = std::move(arguments[i]);
    for (const OpId id : region.ops) {
      const Op& op = program.op(id);
      std::vector<const Everywhere*> operands;
      for (const ValueId operand : op.operands) operands.push_back(&values[operand.index()]);
      std::vector<TensorType> types;
      for (const ValueId result : op.results) types.push_back(program.value(result).type.tensor);
      std::vector<Everywhere> results = std::visit(
          [&](const auto& data) {
            if constexpr (requires { apply(data, program, op, operands, types, values); }) {
              return apply(data, program, op, operands, types, values);
            } else {
              return apply_on_each(op, operands, types);
            }
          },
          op.data);
      for (size_t i = 0; i < op.results.size(); ++i) {
        note_size(results[i]);
        values[op.results[i].index()] = std::move(results[i]);
      }
    }
    std::vector<Everywhere> results;
    for (const ValueId id : region.results) results.push_back(values[id.index()]);
    return results;
  }

  void note_size(const Everywhere& value) {
    for (const A& own : value) {
      if (!small_integers_ || !is_float(own.type.dtype)) return;
      small_integers_ =
          std::all_of(own.elements.begin(), own.elements.end(), [](const E& e) { return is_small_integer(e.x); });
    }
  }

  // One `apply` per op of many devices: (op, program, op as written, operands, result types, values of the program).
  using Operands = std::vector<const Everywhere*>;
  using Types = std::vector<TensorType>;
  using Values = std::vector<Everywhere>;

  /// A local op.
  Values apply_on_each(const Op& op, const Operands& operands, const Types& types) {
    Values results(types.size());
    for (int64_t p = 0; p < devices(); ++p) {
      std::vector<const A*> own;
      for (const Everywhere* operand : operands) own.push_back(&(*operand)[static_cast<size_t>(p)]);
      std::vector<A> out = evaluate_local<T>(op.data, own, types);
      for (size_t i = 0; i < out.size(); ++i) results[i].push_back(std::move(out[i]));
    }
    return results;
  }
  Values apply(const Call& op, const Program&, const Op&, const Operands& operands, const Types&, Values&) {
    Values arguments;
    for (const Everywhere* operand : operands) arguments.push_back(*operand);
    return call(module_.program(op.callee), std::move(arguments));
  }
  Values apply(const PipelineRun&, const Program&, const Op&, const Operands&, const Types&, Values&) {
    throw std::logic_error("the interpreter has no pipelines: their reference is the chain of their stages");
  }
  Values apply(const Scan& scan, const Program& program, const Op& op, const Operands& operands, const Types& types,
               Values& values) {
    const auto carries = static_cast<size_t>(scan.carries);
    const bool counts = op.regions[0].arguments.size() > operands.size();
    Values carried, results(types.size());
    for (size_t c = 0; c < carries; ++c) carried.push_back(*operands[c]);
    for (size_t s = carries; s < types.size(); ++s) results[s] = each([&](int64_t) { return A{types[s], {}}; });
    for (int64_t trip = 0; trip < scan.trips; ++trip) {
      Values arguments;
      if (counts) arguments.push_back(each([&](int64_t) { return A{{DType::i32, {}}, {E{T(), trip}}}; }));
      for (Everywhere& c : carried) arguments.push_back(std::move(c));
      for (size_t s = carries; s < operands.size(); ++s) arguments.push_back(slice_of(*operands[s], trip));
      Values yields = run(program, op.regions[0], std::move(arguments), values);
      carried.assign(yields.begin(), yields.begin() + scan.carries);
      for (size_t s = carries; s < types.size(); ++s) {
        for (int64_t p = 0; p < devices(); ++p) append(results[s], yields[s], p);
      }
    }
    for (size_t c = 0; c < carries; ++c) results[c] = std::move(carried[c]);
    return results;
  }
  static void append(Everywhere& stack, const Everywhere& part, int64_t position) {
    const auto p = static_cast<size_t>(position);
    stack[p].elements.insert(stack[p].elements.end(), part[p].elements.begin(), part[p].elements.end());
  }
  Everywhere slice_of(const Everywhere& stacked, int64_t trip) {
    return each([&](int64_t p) {
      const A& whole = stacked[static_cast<size_t>(p)];
      const Shape shape(whole.type.shape.begin() + 1, whole.type.shape.end());
      const auto first = whole.elements.begin() + trip * element_count(shape);
      return A{{whole.type.dtype, shape}, {first, first + element_count(shape)}};
    });
  }

  template <class Make>
  Everywhere each(const Make& on_device) {
    Everywhere result;
    for (int64_t p = 0; p < devices(); ++p) result.push_back(on_device(p));
    return result;
  }

  /// Where element `index` of the device's block stands in the whole array of `shape`; false in padding.
  bool place(const Layout& layout, const Shape& whole, int64_t position, Index& index) const {
    size_t next = 0;
    Index result;
    for (size_t d = 0; d < layout.size(); ++d) {
      const int64_t blocks = block_count(layout[d], mesh_);
      const int64_t size = layout[d].split == Split::stack ? 1 : (whole[d] + blocks - 1) / blocks;
      const int64_t inner = layout[d].split == Split::stack ? 0 : index[next++];
      result.push_back(block_index(layout[d], mesh_, position) * size + inner);
    }
    index = std::move(result);
    for (size_t d = 0; d < layout.size(); ++d) {
      if (index[d] >= whole[d]) return false;
    }
    return true;
  }
  Values apply(const View& view, const Program&, const Op&, const Operands&, const Types& types, Values&) {
    const A& global = globals_[view.global.index()];
    return {each([&](int64_t p) {
      const bool owner = std::all_of(view.only.begin(), view.only.end(), [&](const Owner& only) {
        return mesh_.coordinate(p, only.axis) == only.coordinate;
      });
      return make_array<T>(types[0], [&](Index index) {
        for (size_t d = 0; d < view.range.size(); ++d) index[d] += view.range[d].start;
        if (!owner) return E{};
        return place(view.layout, global.type.shape, p, index) ? global.at(index) : padding_;
      });
    })};
  }
  Values apply(const BlockSize& op, const Program&, const Op&, const Operands&, const Types&, Values&) {
    const auto d = static_cast<size_t>(op.dim);
    const int64_t whole = globals_[op.global.index()].type.shape[d];
    return {each([&](int64_t p) {
      const int64_t blocks = block_count(op.layout[d], mesh_), size = (whole + blocks - 1) / blocks;
      const int64_t start = block_index(op.layout[d], mesh_, p) * size;
      return A{{DType::i32, {}}, {E{T(), std::clamp<int64_t>(whole - start, 0, size)}}};
    })};
  }
  void store(const Layout& layout, const Everywhere& value, AssembledOutput<T>& out, std::vector<bool>& written) const {
    for (int64_t p = 0; p < devices(); ++p) {
      const A& own = value[static_cast<size_t>(p)];
      for_each_index(own.type.shape, [&](const Index& index) {
        Index to = index;
        if (!place(layout, out.whole.type.shape, p, to)) return;
        E& e = out.whole.at(to);
        const size_t flat = out.whole.flat(to);
        if (written[flat] && !alike(e, own.at(index))) out.replicas_agree = false;
        if (!written[flat]) e = own.at(index);
        written[flat] = true;
      });
    }
  }

  static bool alike(const E& a, const E& b) { return a.i == b.i && same_number(a.x, b.x); }

  // Collectives and state ops. `member(p, i)` is what the i-th member of p's group holds.
  Values apply(const AxisIndex& op, const Program&, const Op&, const Operands&, const Types&, Values&) {
    return {each([&](int64_t p) { return A{{DType::i32, {}}, {E{T(), mesh_.index_in(op.axis, p)}}}; })};
  }
  Values apply(const Reinterpret&, const Program&, const Op&, const Operands& in, const Types&, Values&) {
    return {*in[0]};
  }
  Values apply(const AssertEqual& op, const Program&, const Op&, const Operands& in, const Types&, Values&) {
    for (int64_t p = 0; p < devices(); ++p) {
      const std::vector<E>& own = (*in[0])[static_cast<size_t>(p)].elements;
      const std::vector<E>& first = member(*in[0], op.axis, p, 0).elements;
      if (!std::equal(own.begin(), own.end(), first.begin(), alike)) throw AssertFailed("assert_equal failed");
    }
    return {*in[0]};
  }
  Values apply(const ConvertState& op, const Program&, const Op&, const Operands& in, const Types&, Values&) {
    return {each([&](int64_t p) {
      A own = (*in[0])[static_cast<size_t>(p)];
      if (op.owner && mesh_.index_in(op.axis, p) != *op.owner) std::fill(own.elements.begin(), own.elements.end(), E{});
      return own;
    })};
  }
  Values apply(const SliceBlock& op, const Program&, const Op&, const Operands& in, const Types& types, Values&) {
    return {
        each([&](int64_t p) { return block((*in[0])[static_cast<size_t>(p)], op.dim, index(op.axis, p), types[0]); })};
  }
  Values apply(const PlaceBlock& op, const Program&, const Op&, const Operands& in, const Types& types, Values&) {
    return {each([&](int64_t p) {
      const A& own = (*in[0])[static_cast<size_t>(p)];
      const auto d = static_cast<size_t>(op.dim);
      return make_array<T>(types[0], [&](Index at) {
        at[d] -= index(op.axis, p) * own.type.shape[d];
        return at[d] >= 0 && at[d] < own.type.shape[d] ? own.at(at) : E{};
      });
    })};
  }
  Values apply(const AllReduce& op, const Program&, const Op&, const Operands& in, const Types&, Values&) {
    return {each([&](int64_t p) { return reduced(*in[0], op.axis, p, op.op); })};
  }
  Values apply(const ReduceScatter& op, const Program&, const Op&, const Operands& in, const Types& types, Values&) {
    return {each([&](int64_t p) {
      return block(reduced(*in[0], op.axis, p, Reducer::add), op.dim, index(op.axis, p), types[0]);
    })};
  }
  Values apply(const AllGather& op, const Program&, const Op&, const Operands& in, const Types& types, Values&) {
    const auto d = static_cast<size_t>(op.dim);
    return {each([&](int64_t p) {
      return make_array<T>(types[0], [&](Index at) {
        const int64_t size = (*in[0])[0].type.shape[d], from = at[d] / std::max<int64_t>(size, 1);
        at[d] -= from * size;
        return member(*in[0], op.axis, p, from).at(at);
      });
    })};
  }
  Values apply(const AllToAll& op, const Program&, const Op&, const Operands& in, const Types& types, Values&) {
    const auto split = static_cast<size_t>(op.split_dim), concat = static_cast<size_t>(op.concat_dim);
    const int64_t members = mesh_.size(op.axis);
    return {each([&](int64_t p) {
      return make_array<T>(types[0], [&](Index at) {
        const int64_t part = types[0].shape[concat] / members, from = at[concat] / std::max<int64_t>(part, 1);
        at[concat] -= from * part;
        at[split] += index(op.axis, p) * ((*in[0])[0].type.shape[split] / members);
        return member(*in[0], op.axis, p, from).at(at);
      });
    })};
  }
  Values apply(const CollectivePermute& op, const Program&, const Op&, const Operands& in, const Types& types,
               Values&) {
    const Group group = op.counting_group();
    const int64_t size = mesh_.size(group);
    return {each([&](int64_t p) {
      const int64_t me = mesh_.index_in(group, p);
      int64_t source = op.shift ? ((me - *op.shift) % size + size) % size : -1;
      for (const auto& [from, to] : op.pairs) source = to == me ? from : source;
      if (source < 0) return make_array<T>(types[0], [](const Index&) { return E{}; });
      return member(*in[0], group, p, source);
    })};
  }

  int64_t index(const Group& group, int64_t position) const { return mesh_.index_in(group, position); }
  const A& member(const Everywhere& value, const Group& group, int64_t position, int64_t i) const {
    return value[static_cast<size_t>(mesh_.member(group, position, i))];
  }
  A block(const A& whole, int64_t dim, int64_t i, const TensorType& type) const {
    const auto d = static_cast<size_t>(dim);
    return make_array<T>(type, [&](Index at) {
      at[d] += i * type.shape[d];
      return whole.at(at);
    });
  }
  A reduced(const Everywhere& value, const Group& group, int64_t position, Reducer op) const {
    A total = member(value, group, position, 0);
    const DType dtype = total.type.dtype;
    for (int64_t i = 1; i < mesh_.size(group); ++i) {
      const A& next = member(value, group, position, i);
      for (size_t k = 0; k < total.elements.size(); ++k) {
        E& a = total.elements[k];
        const E& b = next.elements[k];
        if (op == Reducer::max || op == Reducer::min) {
          const bool less = is_float(dtype) ? a.x < b.x : number_of(a.i, dtype) < number_of(b.i, dtype);
          if (less == (op == Reducer::max)) a = b;
        } else if (op == Reducer::mul) {
          a = E{a.x * b.x, wrapped(static_cast<Wide>(a.i) * b.i, dtype)};
        } else if (op == Reducer::logical_and || op == Reducer::logical_or) {
          a.i = op == Reducer::logical_and ? a.i & b.i : a.i | b.i;
        } else {
          a = E{a.x + b.x, wrapped(static_cast<Wide>(a.i) + b.i, dtype)};
        }
      }
    }
    return total;
  }

  const Module& module_;
  const Mesh& mesh_;
  const std::vector<A>& globals_;
  const E padding_;
  bool small_integers_ = true;
};

}  // namespace

template <class T>
Outputs<T> run(const Module& module, ProgramId id, const std::vector<Array<T>>& globals, Padding padding) {
  const Program& program = module.program(id);
  return Interpreter<T>(module, program.mesh(), globals, padding).outputs(program);
}

template <class T>
std::vector<OnDevices<T>> call(const Module& module, ProgramId function, std::vector<OnDevices<T>> arguments,
                               const std::vector<Array<T>>& globals) {
  const Program& program = module.program(function);
  return Interpreter<T>(module, program.mesh(), globals, Padding::zero).call(program, std::move(arguments));
}

template std::vector<OnDevices<Quad>> call(const Module&, ProgramId, std::vector<OnDevices<Quad>>,
                                           const std::vector<Array<Quad>>&);
template std::vector<OnDevices<Formal>> call(const Module&, ProgramId, std::vector<OnDevices<Formal>>,
                                             const std::vector<Array<Formal>>&);
template Outputs<double> run(const Module&, ProgramId, const std::vector<Array<double>>&, Padding);
template Outputs<Formal> run(const Module&, ProgramId, const std::vector<Array<Formal>>&, Padding);
template Outputs<Rounded> run(const Module&, ProgramId, const std::vector<Array<Rounded>>&, Padding);
template Outputs<mpq_class> run(const Module&, ProgramId, const std::vector<Array<mpq_class>>&, Padding);

}  // namespace isoshard::reference
