// A ring around an exact ring in which each float and predicate also has the set of conditions under which it has no
// value (docs/spec/verdict.md, "Where a formula has no value"; docs/adr/0039-undefined-per-element.md). Sets are
// interned numbers in one more plane; residues are the inner ring's and are not touched. An op unites the sets of its
// operands as the table of that section says; where all sets are empty, which is nearly everywhere, it is the inner
// ring's op and a scan of a plane. Conditions are named by residues, so both programs name equal ones alike. Runs in
// one thread, since the numbers of sets depend on the order in which they are made. Cost: one look per element, and set
// operations where sets are not empty, up to 2^20 conditions.
#include "sim/domains/undefined/undefined_domain.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/value/new_value.h"

namespace isoshard::sim {

UndefinedDomain::UndefinedDomain(std::unique_ptr<ExactRing> ring)
    : RingAround(std::move(ring)), residues_(ring_->residue_fields().size()), sets_([&] {
        std::vector<PrimeField> fields = ring_->residue_fields();
        fields.resize(ring_->lanes(), fields[0]);
        return fields;
      }()) {}

Storage UndefinedDomain::storage(DType dtype) const {
  const Storage inside = ring_->storage(dtype);
  return {inside.element_bytes, inside.planes + 1};
}

size_t UndefinedDomain::plane_of_sets(DType dtype, int64_t n) const {
  const Storage inside = ring_->storage(dtype);
  return inside.planes * inside.element_bytes * static_cast<size_t>(n);
}

UndefinedDomain::Set UndefinedDomain::set_at(DType dtype, int64_t n, const std::byte* x, int64_t i) const {
  Set set = 0;
  const size_t bytes = ring_->storage(dtype).element_bytes;
  std::memcpy(&set, x + plane_of_sets(dtype, n) + bytes * static_cast<size_t>(i), sizeof set);
  return set;
}

UndefinedDomain::Sets UndefinedDomain::read(DType dtype, int64_t n, const std::byte* x) const {
  Sets result(static_cast<size_t>(n));
  bool any = false;
  for (int64_t i = 0; i < n; ++i) any = (result[static_cast<size_t>(i)] = set_at(dtype, n, x, i)) != 0 || any;
  if (!any) result.clear();
  return result;
}

void UndefinedDomain::write(DType dtype, int64_t n, const Sets& sets, std::byte* out) const {
  const size_t bytes = ring_->storage(dtype).element_bytes;
  std::byte* plane = out + plane_of_sets(dtype, n);
  std::memset(plane, 0, bytes * static_cast<size_t>(n));
  for (size_t i = 0; i < sets.size(); ++i) std::memcpy(plane + bytes * i, &sets[i], sizeof(Set));
}

UndefinedDomain::Element UndefinedDomain::element(int64_t n, const std::byte* x, int64_t i) const {
  if (sets_.exceeded()) return 0;  // sets tell nothing any more
  std::vector<uint64_t> residues(residues_);
  ring_->read_residues(n, x, i, residues);
  return sets_.element(std::span(residues).first(lanes()));
}

UndefinedDomain::Element UndefinedDomain::element_of(const Value& x, int64_t i) const {
  return element(x.size(), x.data.get(), i);
}

std::vector<UndefinedDomain::Element> UndefinedDomain::weights(int64_t n, const std::byte* predicate) const {
  const NewValue floats(TensorType{DType::f32, {n}}, ring_->storage(DType::f32));
  ring_->to_float(DType::f32, n, predicate, floats.data.get());
  std::vector<Element> result;
  for (int64_t i = 0; i < n; ++i) result.push_back(element(n, floats.data.get(), i));
  return result;
}

Value UndefinedDomain::with_sets(const Value& x) const {
  if (!is_float(x.type.dtype) && x.type.dtype != DType::pred) return x;
  NewValue result(x.type, storage(x.type.dtype));
  if (x.bytes() != 0) std::memcpy(result.data.get(), x.data.get(), x.bytes());
  write(x.type.dtype, x.size(), {}, result.data.get());
  return std::move(result).finish();
}

Value UndefinedDomain::without_sets(const Value& x) const {
  if (!is_float(x.type.dtype) && x.type.dtype != DType::pred) return x;
  NewValue result(x.type, ring_->storage(x.type.dtype));
  if (result.bytes() != 0) std::memcpy(result.data.get(), x.data.get(), result.bytes());
  return std::move(result).finish();
}

std::vector<UndefinedDomain::Set> UndefinedDomain::sets_of(const Value& x) const {
  Sets result = read(x.type.dtype, x.size(), x.data.get());
  result.resize(static_cast<size_t>(x.size()), 0);
  return result;
}

namespace {

Value with_plane(const Value& x) {
  NewValue result(x.type, x.storage);
  if (x.bytes() != 0) std::memcpy(result.data.get(), x.data.get(), x.bytes());
  return std::move(result).finish();
}

}  // namespace

Value UndefinedDomain::marked(const Value& x, uint32_t needs) const {
  Sets sets = sets_of(x);
  for (int64_t i = 0; i < x.size(); ++i) {
    const bool zero = non_unit_lanes(x, i) != 0;
    if (needs == UndefinedSets::kNonzero && !zero && is_number(x.size(), x.data.get(), i)) continue;
    Set& set = sets[static_cast<size_t>(i)];
    set = sets_.unite(set, sets_.factor(element_of(x, i), needs));
  }
  const Value result = with_plane(x);
  write(x.type.dtype, x.size(), sets, const_cast<std::byte*>(result.data.get()));
  return result;
}

Value UndefinedDomain::marked_maximum(const Value& x) const {
  Sets sets = sets_of(x);
  for (int64_t i = 0; i < x.size(); ++i) {
    Set& set = sets[static_cast<size_t>(i)];
    set = sets_.unite(set, sets_.no_maximum(element_of(x, i)));
  }
  const Value result = with_plane(x);
  write(x.type.dtype, x.size(), sets, const_cast<std::byte*>(result.data.get()));
  return result;
}

void UndefinedDomain::random(int64_t n, const RandomWord& word, std::byte* out) const {
  ring_->random(n, word, out);
  write(DType::f32, n, {}, out);
}

void UndefinedDomain::make_comparable(std::span<Value* const> values) const {
  for (Value* value : values) *value = without_sets(*value);
  ring_->make_comparable(values);
}

Value UndefinedDomain::opaque_identity(const Value& x) const {
  Value result = with_sets(ring_->opaque_identity(without_sets(x)));
  Sets sets = read(x.type.dtype, x.size(), x.data.get());
  write(x.type.dtype, x.size(), sets, const_cast<std::byte*>(result.data.get()));
  return result;
}

void UndefinedDomain::constant(const Rational& constant, DType dtype, std::byte* out) const {
  ring_->constant(constant, dtype, out);
  write(dtype, 1, {}, out);
}

void UndefinedDomain::from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const {
  ring_->from_doubles(dtype, n, x, out);
  write(dtype, n, {}, out);
}

void UndefinedDomain::poison(DType dtype, uint64_t seed, int64_t n, std::byte* out) const {
  ring_->poison(dtype, seed, n, out);
  write(dtype, n, {}, out);
}

void UndefinedDomain::from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const {
  ring_->from_integers(dtype, n, x, out);
  write(dtype, n, {}, out);
}

void UndefinedDomain::integers_to_floats(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  ring_->integers_to_floats(from, to, n, x, out);
  write(to, n, {}, out);
}

void UndefinedDomain::from_native(int64_t n, const uint8_t* x, std::byte* out) const {
  ring_->from_native(n, x, out);
  write(DType::pred, n, {}, out);
}

void UndefinedDomain::integer_compare(Direction direction, DType dtype, int64_t n, const std::byte* x,
                                      const std::byte* y, std::byte* out) const {
  ring_->integer_compare(direction, dtype, n, x, y, out);
  write(DType::pred, n, {}, out);
}

void UndefinedDomain::integers_to_predicates(DType from, int64_t n, const std::byte* x, std::byte* out) const {
  ring_->integers_to_predicates(from, n, x, out);
  write(DType::pred, n, {}, out);
}

void UndefinedDomain::convert(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  const Sets sets = read(from, n, x);
  ring_->convert(from, to, n, x, out);
  write(to, n, sets, out);
}

void UndefinedDomain::to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const {
  const Sets sets = read(DType::pred, n, predicate);
  ring_->to_float(dtype, n, predicate, out);
  write(dtype, n, sets, out);
}

void UndefinedDomain::keep(const Sets& sets) const {
  Set& kept = integers_[reference_ ? 1 : 0];
  for (const Set set : sets) kept = sets_.unite(kept, sets_.conditions(set));
}

/// What functions that are no floats make of floats, element by element.
void UndefinedDomain::keep_decided(uint32_t function, DType dtype, int64_t n, const std::byte* x) const {
  Sets sets = read(dtype, n, x);
  for (size_t i = 0; i < sets.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const std::pair<Element, Set> operand{element(n, x, at), sets_.conditions(sets[i])};
    sets[i] = sets_.decided(function, std::span(&operand, 1));
  }
  keep(sets);
}

}  // namespace isoshard::sim
