// The right twin of without_facts.cc: it compiles.
#include "core/ir/op_facts.h"

namespace isoshard {

struct Doubled {
  static constexpr OpFacts kFacts{.kind = OpClass::linear, .elementwise = true};
};
struct Chosen {
  bool adds;
  OpFacts facts() const { return {adds ? OpClass::linear : OpClass::order}; }
};

static_assert(facts_of(Doubled{}).elementwise);
OpClass class_of(const Chosen& op) { return facts_of(op).kind; }

}  // namespace isoshard
