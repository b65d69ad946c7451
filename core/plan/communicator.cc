// Groups of a communicator: along axes the mesh counts them, sets are looked through (cost: their positions), as few
// Plans have any and those that do are written by hand.
#include "core/plan/communicator.h"

#include <algorithm>

#include "core/support/check.h"

namespace isoshard {

const std::vector<int64_t>* Communicator::set_of(int64_t position) const {
  const auto holds = [position](const std::vector<int64_t>& set) {
    return std::find(set.begin(), set.end(), position) != set.end();
  };
  const auto set = std::find_if(sets.begin(), sets.end(), holds);
  return set == sets.end() ? nullptr : &*set;
}

int64_t Communicator::size(const Mesh& mesh) const {
  return sets.empty() ? mesh.size(group) : static_cast<int64_t>(sets[0].size());
}

int64_t Communicator::index_in(const Mesh& mesh, int64_t position) const {
  if (sets.empty()) return mesh.index_in(group, position);
  const std::vector<int64_t>* set = set_of(position);
  ISOSHARD_CHECK(set != nullptr, "a position that takes no part");
  return std::find(set->begin(), set->end(), position) - set->begin();
}

int64_t Communicator::member(const Mesh& mesh, int64_t position, int64_t index) const {
  if (sets.empty()) return mesh.member(group, position, index);
  const std::vector<int64_t>* set = set_of(position);
  ISOSHARD_CHECK(set != nullptr, "a position that takes no part");
  return (*set)[static_cast<size_t>(index)];
}

std::string Communicator::to_string(const Mesh& mesh) const {
  if (sets.empty()) return mesh.to_string(group);
  std::string text("{");
  for (const std::vector<int64_t>& set : sets) {
    text += text.size() == 1 ? "{" : ",{";
    for (size_t i = 0; i < set.size(); ++i) {
      if (i != 0) text += ",";
      text += std::to_string(set[i]);
    }
    text += "}";
  }
  return text += "}";
}

}  // namespace isoshard
