// The blocks of an output that devices store, and where the reference has their elements. An element i of a block
// stands at i plus the block's start, in the whole array without the padding of uneven splits; a block that reaches
// beyond it has no elements to compare with. Fingerprints of single elements, not values, are compared, as everywhere
// in a diagnosis (verify/matching/fingerprint.h). Cost: one fingerprint per stored element.
#include "verify/evidence/stored_blocks.h"

#include "verify/facts/block_rows.h"

namespace isoshard::verify {

PlanValueId stored_value(const Plan& plan, size_t output) {
  for (const Instruction& i : plan.instructions) {
    const StoreBlock* store = std::get_if<StoreBlock>(&i.data());
    if (store != nullptr && store->output == output) return i.operands[0];
  }
  return {};
}

std::vector<StoredValue> stored_values(const Evidence& e) {
  std::vector<StoredValue> result;
  if (!e.keeps_values() || e.pair.reference.plan.mesh->device_count() != 1) return result;
  for (const Instruction& i : e.plan().instructions) {
    const StoreBlock* store = std::get_if<StoreBlock>(&i.data());
    for (int64_t p = 0; store != nullptr && p < e.mesh().device_count(); ++p) {
      if (e.sharded.groups().home(i.operands[0], p) == p) result.push_back({store, i.operands[0], p});
    }
  }
  return result;
}

std::vector<Fingerprint> reference_elements(const Evidence& e, const StoredValue& stored) {
  const StoreBlock& store = *stored.store;
  const PlanValueId whole = stored_value(e.pair.reference.plan, e.pair.reference_output[store.output]);
  const Shape& shape = e.plan().outputs[store.output].type.shape;
  Shape sizes;
  for (size_t d = 0; d < shape.size(); ++d) sizes.push_back((shape[d] + store.count[d] - 1) / store.count[d]);
  std::vector<Fingerprint> result;
  for (int64_t i = 0; i < e.sharded.value(stored.value, stored.position).size(); ++i) {
    std::vector<int64_t> index = unflatten(i, sizes);
    for (size_t d = 0; d < shape.size(); ++d) {
      index[d] += store.block[d].evaluate(e.mesh(), stored.position, {}) * sizes[d];
      if (index[d] >= shape[d]) return {};
    }
    result.push_back(e.matcher.fingerprinter().of_element(e.reference.value(whole, 0), flatten(index, shape)));
  }
  return result;
}

}  // namespace isoshard::verify
