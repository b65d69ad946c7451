#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/plan/plan.h"
#include "verify/matching/fingerprint.h"

namespace isoshard::verify {

/// One element of a value on one device; `index` counts the value's elements row-major.
struct Element {
  PlanValueId value;
  int64_t position = 0;
  int64_t index = 0;
};

/// How an element came about.
struct Made {
  enum class How : uint8_t {
    loaded,    ///< read from a global
    zero,      ///< filled in where nothing is
    copied,    ///< from[0]
    summed,    ///< the sum of `from`
    dotted,    ///< the sum of `products`
    computed,  ///< a function of `from`, the operands' elements at its place; none where the op is not elementwise
  };
  How how = How::computed;
  std::vector<Element> from{};
  std::vector<std::array<Element, 2>> products{};
  std::optional<Element> chosen_by{};  ///< of a copy: the index or predicate that says of what
};

/// Follows elements of a Plan's values back through its instructions, on one run of it without loops. Ops that only
/// move elements are run on the elements' places, so that what they do is said in one place (sim).
class ElementSources {
 public:
  /// `trace` must keep values.
  ElementSources(const Plan& plan, const Trace& trace, const Fingerprinter& fingerprinter, const sim::Domain& domain);

  const Plan& plan() const { return plan_; }
  const Fingerprinter& fingerprinter() const { return fingerprinter_; }
  InstructionId maker(PlanValueId id) const { return makers_[id.index()]; }
  /// Made from constants and places on the mesh only: the same in every run.
  bool is_constant(PlanValueId id) const { return constant_[id.index()] != 0; }
  Fingerprint of(const Element& e) const {
    return fingerprinter_.of_element(trace_.value(e.value, e.position), e.index);
  }
  const Shape& shape(PlanValueId id) const { return plan_.value(id).type().shape; }
  Made made(const Element& element);
  /// The indices in the global of an element that was loaded.
  std::vector<int64_t> place_in_global(const Element& loaded) const;
  /// The element stored at `whole` of an output by the device at `position`, or nothing when it stores it not.
  std::optional<Element> stored(size_t output, const std::vector<int64_t>& whole, int64_t position) const;

 private:
  Made held(Made made) const;
  Made by_local(const Instruction& i, const OpData& op, const Element& e);
  Made by_movement(const Instruction& i, const OpData& op, const Element& e, size_t first_data, size_t data);
  Made by_collective(const Instruction& i, const Collective& c, const Element& e) const;
  Made by_permute(const Instruction& i, const Permute& permute, const Element& e) const;
  Made by_take(const Instruction& i, const TakeBlock& take, const Element& e) const;
  Made by_put(const Instruction& i, const PutBlock& put, const Element& e) const;
  Made by_select(const Instruction& i, const OpData& op, const Element& e);
  Made by_reduce(const Instruction& i, const Reduce& reduce, const Element& e) const;
  Made by_dot(const Instruction& i, const DotGeneral& dot, const Element& e) const;
  Made by_scatter(const Instruction& i, const ScatterAdd& scatter, const Element& e);
  std::vector<int64_t> places(const Instruction& i, const OpData& op, int64_t position, size_t first_data, size_t data);

  const Plan& plan_;
  const Trace& trace_;
  const Fingerprinter& fingerprinter_;
  const sim::Domain& domain_;
  std::vector<InstructionId> makers_;
  std::vector<char> constant_;
  std::map<std::pair<InstructionId, int64_t>, std::vector<int64_t>> places_;  ///< of movements, per device
};

}  // namespace isoshard::verify
