#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Pairs of programs as text in which numbers are open and mistakes stand beside what is right:
/// tests/mutation/families.
///
/// A line `//@ family masks` says what it is about; `//@ draw n 2..4` or `//@ draw eps 0.001 1/768` what stands for
/// `$n` and `$eps`, `//@ draw d,scale 4,0.5 9,1/3` for two that go together. `[[lt|le|gt]]` is `lt` in the right pair,
/// and any other in a mistake. All of these stand in @subject, which is checked against @reference.
namespace isoshard::mutation {

struct Template {
  std::string name;    ///< of its file
  std::string family;  ///< `masks`, ...
  /// `//@ decimals f32`: a decimal is any number that is read as the same f32, such as 0.57735027 of 1/sqrt(3).
  bool rounded_decimals = false;
  std::vector<std::pair<std::string, std::vector<std::string>>> draws;  ///< what each open number may be
  std::string text;
};

/// All templates, ordered by name.
///
/// Throws std::runtime_error when a file of the project cannot be read or does not keep the form.
std::vector<Template> all_templates();

/// A pair of programs.
struct Pair {
  std::string text;
  std::string did;  ///< `line 12: le in place of lt`; empty of the right one
};
/// The right pair with random numbers, and one pair per mistake with the same numbers.
struct Pairs {
  Pair right;
  std::vector<Pair> mistakes;
};
Pairs draw_pairs(const Template& from, uint64_t seed);

}  // namespace isoshard::mutation
