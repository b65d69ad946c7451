#include "core/support/gmp_number.h"

#include <utility>

namespace isoshard {

std::shared_ptr<const GmpNumber> gmp_number(mpq_class value) {
  value.canonicalize();
  return value == 0 ? nullptr : std::make_shared<const GmpNumber>(GmpNumber{std::move(value)});
}

const mpq_class& value_of(const GmpNumber* number) {
  static const mpq_class zero;
  return number == nullptr ? zero : number->value;
}

}  // namespace isoshard
