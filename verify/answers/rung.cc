#include "verify/answers/rung.h"

#include "verify/answers/words.h"

namespace isoshard::verify {

std::string_view name(Rung rung) {
  switch (rung) {
    case Rung::a:
      return "A";
    case Rung::b:
      return "B";
    case Rung::e:
      return "E";
    case Rung::eh:
      break;
  }
  return "Eh";
}

std::optional<Rung> rung_of(std::string_view name) {
  for (const Rung rung : {Rung::a, Rung::b, Rung::e, Rung::eh}) {
    if (verify::name(rung) == name) return rung;
  }
  return std::nullopt;
}

bool in_towers(Rung rung) { return rung == Rung::e || rung == Rung::eh; }

bool has_order(Rung rung) { return rung == Rung::b || rung == Rung::eh; }

std::string enumerated(const std::vector<Rung>& rungs) {
  std::vector<std::string> names;
  for (const Rung rung : rungs) names.emplace_back(name(rung));
  return enumerated(names);
}

std::string rungs_in_words(const std::vector<Rung>& rungs) {
  return (rungs.size() == 1 ? "rung " : "rungs ") + enumerated(rungs);
}

}  // namespace isoshard::verify
