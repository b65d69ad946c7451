// Compares one output in the ring: every stored block with the whole of the reference, bit for bit in all lanes, since
// equal elements have equal residues. Domains whose bits are not unique make both sides comparable first. The first
// element that differs is the least in the order of the whole array, whichever device holds it. Where copies agree and
// all differ, a constant ratio is looked for; where they do not, the axes along which they disagree are told. Cost: one
// pass over the blocks.
#include "verify/ring/compare_output.h"

#include <algorithm>
#include <cstring>

#include "core/support/check.h"
#include "sim/domains/exact_ring.h"
#include "sim/run/assemble.h"
#include "verify/facts/block_rows.h"

namespace isoshard::verify {
namespace {

/// The first element (row-major in the whole array) of `block` that differs from `whole`, or -1.
int64_t first_difference(const sim::StoredBlock& block, const sim::Value& whole) {
  int64_t first = -1;
  const size_t bytes = whole.storage.element_bytes;
  ISOSHARD_CHECK(block.value.storage == whole.storage, "both sides compute in one domain");
  for_each_row(block, whole.type.shape, [&](const BlockRow& row) {
    for (size_t p = 0; p < whole.storage.planes; ++p) {
      const std::byte* a = block.value.data.get() + p * block.value.plane_bytes();
      const std::byte* b = whole.data.get() + p * whole.plane_bytes();
      a += static_cast<size_t>(row.in_block) * bytes;
      b += static_cast<size_t>(row.in_whole) * bytes;
      if (std::memcmp(a, b, static_cast<size_t>(row.length) * bytes) == 0) continue;
      int64_t i = 0;
      while (std::memcmp(a + static_cast<size_t>(i) * bytes, b + static_cast<size_t>(i) * bytes, bytes) == 0) ++i;
      if (first < 0 || row.in_whole + i < first) first = row.in_whole + i;
    }
  });
  return first;
}

void make_comparable(const sim::Domain& domain, std::vector<sim::StoredBlock>& a, std::vector<sim::StoredBlock>& b) {
  const auto* ring = dynamic_cast<const sim::ExactRing*>(&domain);
  std::vector<sim::Value*> values;
  for (auto* blocks : {&a, &b}) {
    for (sim::StoredBlock& block : *blocks) values.push_back(&block.value);
  }
  const bool differ = ring != nullptr && !values.empty() && !ring->compares_bits(values[0]->type.dtype);
  if (differ) ring->make_comparable(values);
}

}  // namespace

RingOutput compare_output(std::vector<sim::StoredBlock> blocks, std::vector<sim::StoredBlock> reference,
                          const TensorType& type, const Mesh& mesh, const sim::Domain& domain) {
  RingOutput result;
  make_comparable(domain, blocks, reference);
  const sim::Assembled expected = sim::assemble(type, reference);
  const sim::Value& whole = expected.value;
  int64_t first = -1;
  for (const sim::StoredBlock& block : blocks) {
    const int64_t here = first_difference(block, whole);
    if (here < 0) continue;
    result.wrong_positions.push_back(block.position);
    first = first < 0 ? here : std::min(first, here);
  }
  const sim::Assembled own = sim::assemble(type, blocks);
  ISOSHARD_CHECK(own.covered_once() && expected.covered_once(),
                 "a layout stores each element of its output exactly once");
  result.copies_agree = own.disagreements.empty() && expected.disagreements.empty();
  result.equal = result.wrong_positions.empty() && expected.disagreements.empty();
  if (!result.equal) {
    for (const sim::Disagreement& d : own.disagreements) result.disagreeing_positions.push_back(d.other);
    result.disagreeing_axes = disagreeing_axes(blocks, mesh);
    const auto* ring = dynamic_cast<const sim::ExactRing*>(&domain);
    if (ring != nullptr && result.disagreeing_positions.empty()) {
      result.ratio = constant_ratio(*ring, own.value, whole);
    }
  }
  if (first >= 0) result.first_index = unflatten(first, type.shape);
  return result;
}

}  // namespace isoshard::verify
