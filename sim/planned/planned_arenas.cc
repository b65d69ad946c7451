// Runs a Plan's arithmetic where its memory plan says, to see that it can be done there: the bits that come out are
// those of a run in which each value has memory of its own, or the memory plan or the order of the Plan is wrong. The
// engine keeps its own values too, for their types and their ends; what is computed with comes from here. Operands are
// copied out before a result is written, as each kernel reads all of an element's operands before it writes it. Cost: a
// copy of each operand and result, and a search for its place.
#include "sim/planned/planned_arenas.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "core/support/check.h"
#include "core/value/tensor.h"
#include "sim/evaluate/conversion.h"

namespace isoshard::sim {
namespace {

constexpr std::byte kPoison{0xcb};

}  // namespace

int64_t arena_bytes(const Plan& plan, const MemoryPlan& memory) {
  int64_t total = 0;
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    total += memory.groups[g].bytes * plan.groups[g].size(*plan.mesh);
  }
  return total;
}

PlannedArenas::PlannedArenas(const Plan& plan, const MemoryPlan& memory, const Domain& domain)
    : plan_(plan), memory_(memory), domain_(domain), places_(plan, memory) {
  arenas_.resize(static_cast<size_t>(plan.mesh->device_count()));
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    const auto bytes = static_cast<size_t>(memory.groups[g].bytes);
    for (int64_t rank = 0; rank < plan.groups[g].size(*plan.mesh); ++rank) {
      arenas_[static_cast<size_t>(plan.groups[g].position(rank))].resize(bytes);
    }
  }
  poison();
}

void PlannedArenas::poison() {
  for (std::vector<std::byte>& arena : arenas_) std::fill(arena.begin(), arena.end(), kPoison);
}

std::byte* PlannedArenas::place(int64_t position, PlanValueId id, const std::vector<int64_t>& iterations) {
  const std::optional<int64_t> offset = places_.offset(id, iterations);
  if (!offset) return nullptr;
  std::vector<std::byte>& arena = arenas_[static_cast<size_t>(position)];
  ISOSHARD_CHECK(*offset >= 0 && *offset + memory_.values[id.index()].bytes <= std::ssize(arena),
                 "a value lies beyond the end of its arena");
  return arena.data() + *offset;
}

Value PlannedArenas::read(int64_t position, PlanValueId id, const std::vector<int64_t>& iterations, Value kept) {
  const std::byte* const from = place(position, id, iterations);
  if (from == nullptr) return kept;
  const TensorType& type = plan_.value(id).type();
  const std::span<const std::byte> bytes(from, static_cast<size_t>(memory_.values[id.index()].bytes));
  return from_tensor(Tensor::from_bytes(type.dtype, type.shape, bytes), domain_);
}

void PlannedArenas::begin(int64_t position, PlanValueId id, const std::vector<int64_t>& iterations) {
  std::byte* const to = place(position, id, iterations);
  if (to != nullptr) std::fill_n(to, memory_.values[id.index()].bytes, kPoison);
}

void PlannedArenas::write(int64_t position, PlanValueId id, const std::vector<int64_t>& iterations,
                          const Value& value) {
  if (memory_.values[id.index()].home == Home::operand) return;  // renaming touches nothing, and its bytes may be gone
  std::byte* const to = place(position, id, iterations);
  if (to == nullptr) return;
  const Tensor tensor = to_tensor(value, domain_);
  const std::span<const std::byte> bytes = tensor.bytes();
  ISOSHARD_CHECK(std::ssize(bytes) == memory_.values[id.index()].bytes, "a value has another size than was planned");
  std::memcpy(to, bytes.data(), bytes.size());
  std::byte* const arena = arenas_[static_cast<size_t>(position)].data();
  for (const MemoryPlaces::Copy& copy : places_.copies(id, iterations)) {
    std::memcpy(arena + copy.to, bytes.data() + copy.from, static_cast<size_t>(copy.bytes));
  }
}

}  // namespace isoshard::sim
