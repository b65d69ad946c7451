#include "tests/autodiff/adjoint_identity.h"

#include <algorithm>
#include <map>
#include <utility>

namespace isoshard::autodiff {
namespace {

using reference::Array;
using reference::Element;
using reference::Formal;
using testing::Dice;
namespace mod = reference::mod;

uint64_t random_number(Dice& dice) { return mod::of(dice.in(INT64_MIN / 4, INT64_MAX / 4)); }

bool differs_over(State state) { return state == State::varying || state == State::partial; }

/// The coordinates on the axes over which devices differ.
std::vector<int64_t> own_coordinates(const States& states, const Mesh& mesh, int64_t position) {
  std::vector<int64_t> result;
  for (size_t i = 0; i < states.size(); ++i) {
    if (differs_over(states[i])) result.push_back(mesh.coordinate(position, AxisId(i)));
  }
  return result;
}

/// A few numbers with their slopes, which come up again and again.
std::vector<Formal> common_numbers(const Draw& draw) {
  Dice dice(11);
  std::vector<Formal> numbers;
  for (int i = 0; i < 4; ++i) numbers.emplace_back(random_number(dice), random_number(dice));
  for (const int64_t i : {-1, 1}) numbers.emplace_back(mod::of(i), random_number(dice));
  if (draw.zeros) numbers[0].value = numbers[1].value = 0;
  if (draw.zeros) numbers[1].slope = numbers[0].slope;
  return numbers;
}

Element<Formal> draw_element(DType dtype, const Draw& draw, Dice& dice) {
  if (dtype == DType::pred) return {{}, dice.in(0, 1)};
  if (!is_float(dtype)) return {{}, dice.in(draw.least, draw.most)};
  if (draw.equal) return {Formal(*draw.equal), 0};
  if (draw.small) return {Formal(static_cast<double>(dice.in(0, 2))), 0};
  static const std::vector<Formal> plain = common_numbers({}), with_zeros = common_numbers({.zeros = true});
  if (!draw.apart && dice.chance(50)) return {dice.pick(draw.zeros ? with_zeros : plain), 0};
  const uint64_t value = random_number(dice);
  return {Formal(value, random_number(dice)), 0};
}

void without_slopes(Everywhere& value) {
  for (Array<Formal>& own : value) {
    for (Element<Formal>& e : own.elements) e.x.slope = 0;
  }
}

/// What a cotangent of such a value looks like: P is equal on all devices, R is a term of each.
States cotangent_states(const States& primal) {
  States result = primal;
  for (State& state : result) {
    if (state == State::replicated) {
      state = State::partial;
    } else if (state != State::varying) {
      state = State::equal;
    }
  }
  return result;
}

}  // namespace

Everywhere draw_value(const ValueType& type, const Mesh& mesh, const Draw& draw, Dice& dice) {
  std::map<std::vector<int64_t>, Array<Formal>> drawn;
  Everywhere result;
  for (int64_t p = 0; p < mesh.device_count(); ++p) {
    Array<Formal>& own = drawn[own_coordinates(type.states, mesh, p)];
    if (own.elements.empty()) {
      own.type = type.tensor;
      for (int64_t n = element_count(type.tensor.shape); n > 0; --n) {
        own.elements.push_back(draw_element(type.tensor.dtype, draw, dice));
      }
    }
    result.push_back(own);
  }
  return result;
}

AdjointIdentity::AdjointIdentity(const Module& module, ProgramId function, const Vjp& vjp, uint64_t seed,
                                 const Draw& draw, std::vector<Array<Formal>> globals)
    : function_(function),
      vjp_(vjp),
      mesh_(module.program(function).mesh()),
      typed_(module.program(function).typed()),
      globals_(std::move(globals)) {
  const Program& program = module.program(function);
  Dice dice(seed);
  for (const ValueId id : program.body().arguments) {
    types_.push_back(program.value(id).type);
    if (!typed_) types_.back().states.assign(mesh_.axis_count(), State::varying);
    arguments_.push_back(draw_value(types_.back(), mesh_, draw, dice));
    const bool moves = std::find(vjp.wrt.begin(), vjp.wrt.end(), types_.size() - 1) != vjp.wrt.end();
    if (!moves) without_slopes(arguments_.back());
  }
  const int ties = Formal::ties;
  const Values results = reference::call(module, function, arguments_, globals_);
  smooth_ = Formal::ties == ties;
  Values forward = reference::call(module, vjp.forward, arguments_, globals_);
  for (const size_t r : vjp.active_results) {
    const ValueType& type = program.value(program.body().results[r]).type;
    ValueType cotangent = type;
    cotangent.states = typed_ ? cotangent_states(type.states) : States(mesh_.axis_count(), State::varying);
    Everywhere drawn = draw_value(cotangent, mesh_, {}, dice);
    without_slopes(drawn);
    along_ = mod::add(along_, pair(drawn, results[r], type.states));
    backward_arguments_.push_back(std::move(drawn));
  }
  for (size_t i = forward.size() - vjp.residuals; i < forward.size(); ++i) {
    without_slopes(forward[i]);
    backward_arguments_.push_back(std::move(forward[i]));
  }
}

uint64_t AdjointIdentity::pair(const Everywhere& cotangents, const Everywhere& primals, const States& states) const {
  uint64_t sum = 0;
  for (int64_t p = 0; p < mesh_.device_count(); ++p) {
    bool counts = true;
    for (size_t i = 0; typed_ && i < states.size(); ++i) {
      counts &= states[i] != State::invariant || mesh_.coordinate(p, AxisId(i)) == 0;
    }
    const auto device = static_cast<size_t>(p);
    for (size_t n = 0; counts && n < primals[device].elements.size(); ++n) {
      const uint64_t product =
          mod::multiply(cotangents[device].elements[n].x.value, primals[device].elements[n].x.slope);
      sum = mod::add(sum, product);
    }
  }
  return sum;
}

Values AdjointIdentity::apply(const Module& module, ProgramId function, const Values& arguments) const {
  return reference::call(module, function, arguments, globals_);
}

Values AdjointIdentity::gradients(const Module& module, ProgramId backward) const {
  return apply(module, backward, backward_arguments_);
}

std::string AdjointIdentity::problem(const Values& gradients) const {
  uint64_t sum = 0;
  for (size_t k = 0; k < vjp_.wrt.size(); ++k) {
    const ValueType& type = types_[vjp_.wrt[k]];
    const Everywhere& gradient = gradients[k];
    if (gradient[0].type != type.tensor) return "gradient " + std::to_string(k) + " has another type";
    sum = mod::add(sum, pair(gradient, arguments_[vjp_.wrt[k]], type.states));
    std::map<std::vector<int64_t>, const Array<Formal>*> known;
    for (int64_t p = 0; typed_ && p < mesh_.device_count(); ++p) {
      const Array<Formal>& own = gradient[static_cast<size_t>(p)];
      const Array<Formal>*& first = known[own_coordinates(cotangent_states(type.states), mesh_, p)];
      if (first == nullptr) first = &own;
      if (own != *first) return "gradient " + std::to_string(k) + " differs over an axis on which it is =";
    }
  }
  return sum == along_ ? "" : "<ybar, J xdot> is not <J^T ybar, xdot>";
}

bool same(const Values& a, const Values& b) { return a == b; }

}  // namespace isoshard::autodiff
