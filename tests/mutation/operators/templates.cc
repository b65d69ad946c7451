// Text, not trees: a mistake is what somebody types, and the right pair reads as a file.
#include "tests/mutation/operators/templates.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

#include "tests/property/generator/dice.h"

namespace isoshard::mutation {
namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

/// `2..4` are 2, 3 and 4.
void add_values(const std::string& word, std::vector<std::string>& values) {
  const size_t dots = word.find("..");
  if (dots == std::string::npos) return values.push_back(word);
  for (int64_t i = std::stoll(word.substr(0, dots)); i <= std::stoll(word.substr(dots + 2)); ++i) {
    values.push_back(std::to_string(i));
  }
}

Template read(const std::filesystem::path& path) {
  Template result{path.stem().string(), "", false, {}, ""};
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() >= 3 && words[0] == "//@" && words[1] == "family") {
      result.family = words[2];
    } else if (line == "//@ decimals f32") {
      result.rounded_decimals = true;
    } else if (words.size() >= 4 && words[0] == "//@" && words[1] == "draw") {
      result.draws.push_back({words[2], {}});
      for (size_t i = 3; i < words.size(); ++i) add_values(words[i], result.draws.back().second);
    } else {
      result.text += line + "\n";
    }
  }
  if (result.family.empty()) throw std::runtime_error(path.string() + ": no line `//@ family NAME`");
  return result;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> result(1);
  for (const char c : text) {
    if (c == at) {
      result.emplace_back();
    } else {
      result.back() += c;
    }
  }
  return result;
}

/// Names and what stands for them; a name before those that it begins with.
std::map<std::string, std::string, std::greater<>> drawn_numbers(const Template& from, testing::Dice& dice) {
  std::map<std::string, std::string, std::greater<>> result;
  for (const auto& [joint, values] : from.draws) {
    const std::vector<std::string> names = split(joint, ','), value = split(dice.pick(values), ',');
    for (size_t i = 0; i < names.size(); ++i) result[names[i]] = value.at(i);
  }
  return result;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// What stands at one place: the right text first.
struct Choice {
  size_t begin, end;  ///< in the text, with the brackets
  std::vector<std::string> texts;
};

std::vector<Choice> choices_of(const std::string& text) {
  std::vector<Choice> result;
  for (size_t at = text.find("[["); at != std::string::npos; at = text.find("[[", at + 2)) {
    const size_t end = text.find("]]", at);
    if (end == std::string::npos) throw std::runtime_error("`[[` without `]]` in\n" + text);
    result.push_back({at, end + 2, split(text.substr(at + 2, end - at - 2), '|')});
  }
  return result;
}

/// The text with alternative `taken` of choice `at`, and what is right at all others.
std::string with_choice(const std::string& text, const std::vector<Choice>& choices, size_t at, size_t taken) {
  std::string result;
  size_t from = 0;
  for (size_t c = 0; c < choices.size(); ++c) {
    result += text.substr(from, choices[c].begin - from) + choices[c].texts[c == at ? taken : 0];
    from = choices[c].end;
  }
  return result + text.substr(from);
}

}  // namespace

std::vector<Template> all_templates() {
  const std::filesystem::path folder = "tests/mutation/families";
  if (!std::filesystem::is_directory(folder)) {
    throw std::runtime_error(folder.string() + " cannot be read; tests run in the root of the repository");
  }
  std::vector<Template> result;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) result.push_back(read(entry.path()));
  std::sort(result.begin(), result.end(), [](const Template& a, const Template& b) { return a.name < b.name; });
  return result;
}

Pairs draw_pairs(const Template& from, uint64_t seed) {
  testing::Dice dice(seed);
  std::string text = from.text;
  for (const auto& [name, value] : drawn_numbers(from, dice)) replace_all(text, "$" + name, value);
  const std::vector<Choice> choices = choices_of(text);
  Pairs result{{with_choice(text, choices, choices.size(), 0), ""}, {}};
  for (size_t c = 0; c < choices.size(); ++c) {
    const std::vector<std::string>& texts = choices[c].texts;
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(choices[c].begin), '\n');
    for (size_t t = 1; t < texts.size(); ++t) {
      result.mistakes.push_back({with_choice(text, choices, c, t), "line " + std::to_string(line) + ": `" + texts[t] +
                                                                       "` in place of `" + texts[0] + "`"});
    }
  }
  return result;
}

}  // namespace isoshard::mutation
