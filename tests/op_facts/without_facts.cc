// An op that declares no facts does not compile, and the compiler says what is missing.
#include "core/ir/op_facts.h"

namespace isoshard {

struct Doubled {};

OpClass class_of(const Doubled& op) { return facts_of(op).kind; }

}  // namespace isoshard
