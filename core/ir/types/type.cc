#include "core/ir/types/type.h"

namespace isoshard {
namespace {
constexpr std::string_view kLetters = "RIVP=?";
}

char letter(State state) { return kLetters[static_cast<size_t>(state)]; }

std::optional<State> parse_state(std::string_view text) {
  const size_t at = text.size() == 1 ? kLetters.find(text[0]) : std::string_view::npos;
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<State>(at);
}

Group axes_in(const States& states, State wanted) {
  Group group;
  for (size_t i = 0; i < states.size(); ++i) {
    if (states[i] == wanted) group.axes.emplace_back(i);
  }
  return group;
}

std::string to_string(const TensorType& type) { return to_string(type.dtype, type.shape); }

std::string to_string(const States& states, const Mesh& mesh) {
  std::string text = "{";
  for (size_t s = 0; s < kLetters.size(); ++s) {
    std::string names;
    size_t count = 0;
    for (size_t i = 0; i < states.size(); ++i) {
      if (states[i] != static_cast<State>(s)) continue;
      names += (count++ ? ", " : "") + mesh.axes()[i].name;
    }
    if (count == 0) continue;
    if (text.size() > 1) text += ", ";
    text += std::string(1, kLetters[s]) + ": " + (count > 1 ? "(" + names + ")" : names);
  }
  return text + "}";
}

std::string to_string(const ValueType& type, const Mesh& mesh) {
  return to_string(type.tensor) + " " + to_string(type.states, mesh);
}

}  // namespace isoshard
