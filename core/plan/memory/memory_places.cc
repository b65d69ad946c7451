// From names to addresses. A name stands for bytes of its own, for an operand, for a row of a stack, or for what a loop
// hands on; these are followed back to bytes of one's own, where the number of the iteration says which copy it is. For
// parts that must be copied into their stacks names are followed the other way, from what is made to all that it
// becomes, as one piece or as rows. Only values from which a copied part can be reached are looked at. Cost: the names
// between, which for a carry that a loop only moves are its iterations.
#include "core/plan/memory/memory_places.h"

#include <algorithm>

#include "core/plan/renames.h"

namespace isoshard {

MemoryPlaces::MemoryPlaces(const Plan& plan, const MemoryPlan& memory)
    : memory_(memory), copied_(plan.values.size(), false) {
  for (const RankGroup& group : plan.groups) note(group.blocks);
  for (const Instruction& instruction : plan.instructions) {
    if (only_renames(instruction)) names_[instruction.operands[0]].push_back(instruction.results[0]);
  }
  find_copied();
}

void MemoryPlaces::note(const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    if (!block.repeat) continue;
    note(*block.repeat);
    note(block.repeat->body);
  }
}

void MemoryPlaces::note(const Repeat& r) {
  const auto define = [&](const std::vector<PlanValueId>& ids, Role role) {
    for (size_t i = 0; i < ids.size(); ++i) made_by_.emplace(ids[i], Use{role, &r, i});
  };
  const auto use = [&](const std::vector<PlanValueId>& ids, Role role) {
    for (size_t i = 0; i < ids.size(); ++i) uses_[ids[i]].push_back(Use{role, &r, i});
  };
  define(r.arguments, Role::argument);
  define(r.results, Role::result);
  define(r.slices, Role::slice);
  use(r.initial, Role::initial);
  use(r.yields, Role::yield);
  use(r.stacked, Role::stacked);
  use(r.parts, Role::part);
}

/// Backwards from parts that are copied, until nothing new is found: once, but for what loops carry.
void MemoryPlaces::find_copied() {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t v = copied_.size(); v-- > 0;) {
      if (copied_[v] || !leads_to_copy(PlanValueId(v))) continue;
      copied_[v] = changed = true;
    }
  }
}

bool MemoryPlaces::leads_to_copy(PlanValueId value) const {
  const auto is_copied = [&](PlanValueId id) { return copied_[id.index()]; };
  const auto named = names_.find(value);
  if (named != names_.end() && std::any_of(named->second.begin(), named->second.end(), is_copied)) return true;
  const auto used = uses_.find(value);
  if (used == uses_.end()) return false;
  return std::any_of(used->second.begin(), used->second.end(), [&](const Use& use) {
    const Repeat& r = *use.repeat;
    const ValueMemory& own = memory_.values[value.index()];
    switch (use.role) {
      case Role::part:
        return own.home != Home::row || own.of != r.stacks[use.index] || is_copied(r.stacks[use.index]);
      case Role::stacked:
        return is_copied(r.slices[use.index]);
      default:
        return is_copied(r.arguments[use.index]) || is_copied(r.results[use.index]);
    }
  });
}

std::optional<int64_t> MemoryPlaces::offset(PlanValueId value, std::vector<int64_t> iterations) const {
  int64_t inside = 0;
  while (true) {
    const ValueMemory& memory = memory_.values[value.index()];
    if (memory.home == Home::none || memory.bytes == 0) return std::nullopt;
    if (memory.home == Home::own) {
      int64_t copy = 0;
      for (size_t l = 0; l < memory.copies.size(); ++l) {
        copy = copy * memory.copies[l] + iterations[l] % memory.copies[l];
      }
      return memory.offsets[static_cast<size_t>(copy)] + inside;
    }
    if (memory.home == Home::operand) {
      value = memory.of;
      continue;
    }
    const auto made = made_by_.find(value);
    const bool row = memory.home == Home::row || made->second.role == Role::slice;
    if (row) {
      inside += iterations.back() * memory.bytes;
      iterations.pop_back();
      value = memory.of;
      continue;
    }
    const Repeat& r = *made->second.repeat;
    const size_t i = made->second.index;
    if (made->second.role == Role::result) {
      if (r.count > 0) iterations.push_back(r.count - 1);
      value = r.count > 0 ? r.yields[i] : r.initial[i];
    } else if (iterations.back() == 0 || r.yields[i] == value) {
      iterations.pop_back();
      value = r.initial[i];
    } else {
      --iterations.back();
      value = r.yields[i];
    }
  }
}

std::vector<MemoryPlaces::Copy> MemoryPlaces::copies(PlanValueId value, const std::vector<int64_t>& iterations) const {
  std::vector<Copy> result;
  std::vector<Piece> open;
  if (bytes(value) > 0) open.push_back(Piece{value, iterations, 0, 0, bytes(value)});
  while (!open.empty()) {  // chains may be as long as loops
    const Piece piece = std::move(open.back());
    open.pop_back();
    if (!copied_[piece.value.index()]) continue;
    if (const auto named = names_.find(piece.value); named != names_.end()) {
      for (const PlanValueId name : named->second) {
        open.push_back(piece);
        open.back().value = name;
      }
    }
    const auto used = uses_.find(piece.value);
    if (used == uses_.end()) continue;
    for (const Use& use : used->second) {
      if (use.role == Role::part) {
        if (const std::optional<Copy> copy = put(use, piece, open)) result.push_back(*copy);
      } else if (use.role == Role::stacked) {
        slice(use, piece, open);
      } else {
        carry(use, piece, open);
      }
    }
  }
  return result;
}

void MemoryPlaces::carry(const Use& use, Piece piece, std::vector<Piece>& open) const {
  const Repeat& r = *use.repeat;
  if (use.role == Role::initial && r.count > 0) {
    piece.iterations.push_back(0);
    piece.value = r.arguments[use.index];
  } else if (use.role == Role::yield && piece.iterations.back() + 1 < r.count) {
    ++piece.iterations.back();
    piece.value = r.arguments[use.index];
  } else {
    if (use.role == Role::yield) piece.iterations.pop_back();
    piece.value = r.results[use.index];
  }
  open.push_back(std::move(piece));
}

/// A part that is not made in its row of the stack is copied there; the stack may be a part, too.
std::optional<MemoryPlaces::Copy> MemoryPlaces::put(const Use& use, Piece piece, std::vector<Piece>& open) const {
  const PlanValueId stack = use.repeat->stacks[use.index];
  const ValueMemory& own = memory_.values[piece.value.index()];
  const bool in_place = own.home == Home::row && own.of == stack;
  piece.begin += piece.iterations.back() * own.bytes;
  piece.iterations.pop_back();
  piece.value = stack;
  const std::optional<int64_t> place = in_place ? std::nullopt : offset(stack, piece.iterations);
  open.push_back(piece);
  if (!place) return std::nullopt;
  return Copy{piece.from, *place + piece.begin, piece.bytes};
}

/// Those of the slices that the piece reaches into.
void MemoryPlaces::slice(const Use& use, const Piece& piece, std::vector<Piece>& open) const {
  const PlanValueId slice = use.repeat->slices[use.index];
  const int64_t row = bytes(slice);
  for (int64_t i = 0; row > 0 && i < use.repeat->count; ++i) {
    const int64_t begin = std::max(piece.begin, i * row), end = std::min(piece.begin + piece.bytes, (i + 1) * row);
    if (begin >= end) continue;
    open.push_back(Piece{slice, piece.iterations, begin - i * row, piece.from + begin - piece.begin, end - begin});
    open.back().iterations.push_back(i);
  }
}

}  // namespace isoshard
