// Algorithms of products as text. Each line has all fields by name and in one order, so that one function says of both
// directions what they are, a line can be found by grep, and a mistake has a place. What a field may be is checked as
// far as a product may have it; whether cuBLASLt takes the algorithm only cuBLASLt can say. Cost: the text.
#include "exec/algorithms/algorithm_text.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/support/quoted.h"
#include "core/support/result.h"

namespace isoshard::exec {
namespace {

constexpr std::string_view kFormat = "isoshard algorithms 1";
constexpr std::string_view kEpilogues[] = {"none", "bias", "residual"};  // by calls::Epilogue

/// Goes through the fields of an algorithm: `visit` has a function for each type of one.
template <class Algorithm, class Visit>
void each_field(Algorithm& algorithm, Visit& visit) {
  visit.text("device", algorithm.host.device);
  visit.number("cublaslt", algorithm.host.version, 0);
  auto& kind = algorithm.kind;
  visit.dtype("operands", kind.operands);
  visit.dtype("result", kind.result);
  visit.flag("tf32", kind.tf32);
  visit.number("batch", kind.batch, 1);
  visit.number("m", kind.m, 1);
  visit.number("n", kind.n, 1);
  visit.number("k", kind.k, 1);
  const auto matrix = [&](std::string name, auto& of) {
    visit.flag(name + "_transposed", of.transposed);
    visit.number(name + "_row", of.row, 1);
    visit.number(name + "_batch", of.batch, 0);
    visit.number(name + "_alignment", of.alignment, 1);
  };
  matrix("a", kind.a), matrix("b", kind.b), matrix("c", kind.c);
  visit.epilogue("epilogue", kind.epilogue);
  visit.number("added_alignment", kind.added_alignment, 1);
  visit.words("algorithm", algorithm.words);
}

class Printer {
 public:
  void text(std::string_view name, const std::array<char, 256>& value) {
    begin(name);
    line_ += '"';
    line_.append(value.data(), std::find(value.begin(), value.end(), '\0'));
    line_ += '"';
  }
  template <class Integer>
  void number(std::string_view name, Integer value, int) {
    begin(name);
    line_ += std::to_string(value);
  }
  void dtype(std::string_view name, DType value) {
    begin(name);
    line_ += isoshard::name(value);
  }
  void epilogue(std::string_view name, calls::Epilogue value) {
    begin(name);
    line_ += kEpilogues[static_cast<size_t>(value)];
  }
  void flag(std::string_view name, bool value) { number(name, int{value}, 0); }
  void words(std::string_view name, const AlgorithmWords& value) {
    begin(name);
    constexpr char kDigits[] = "0123456789abcdef";
    for (const uint64_t word : value) {
      for (int shift = 60; shift >= 0; shift -= 4) line_ += kDigits[word >> shift & 15];
    }
  }
  std::string take() { return std::move(line_); }

 private:
  void begin(std::string_view name) {
    if (!line_.empty()) line_ += ' ';
    line_ += name;
    line_ += '=';
  }
  std::string line_;
};

/// Reads the fields of a line, up to the first mistake.
class LineReader {
 public:
  LineReader(std::string_view line, uint32_t number) : line_(line), number_(number) {}

  void text(std::string_view name, std::array<char, 256>& value) {
    if (!begin(name) || !expect("\"", "a text in double quotes")) return;
    const size_t end = std::min(line_.find('"', at_), line_.size());
    const std::string_view found = line_.substr(at_, end - at_);
    if (end == line_.size()) return fail("a double quote behind the text", end);
    if (found.size() >= value.size()) return fail("a text of at most 255 bytes", at_);
    std::copy(found.begin(), found.end(), value.begin());
    at_ = end + 1;
  }
  template <class Integer>
  void number(std::string_view name, Integer& value, int least) {
    if (!begin(name)) return;
    const size_t end = end_of_word();
    const auto [last, error] = std::from_chars(line_.data() + at_, line_.data() + end, value);
    const bool is_number = error == std::errc() && last == line_.data() + end;
    if (!is_number || value < static_cast<Integer>(least)) {
      return fail(
          "an integer from " + std::to_string(least) + " to " + std::to_string(std::numeric_limits<Integer>::max()),
          at_);
    }
    at_ = end;
  }
  void dtype(std::string_view name, DType& value) {
    if (!begin(name)) return;
    const std::optional<DType> found = parse_dtype(word());
    if (!found || !is_float(*found)) return fail("a dtype of floats", at_);
    value = *found;
    at_ = end_of_word();
  }
  void epilogue(std::string_view name, calls::Epilogue& value) {
    if (!begin(name)) return;
    const auto* const found = std::find(std::begin(kEpilogues), std::end(kEpilogues), word());
    if (found == std::end(kEpilogues)) return fail("none, bias or residual", at_);
    value = static_cast<calls::Epilogue>(found - kEpilogues);
    at_ = end_of_word();
  }
  void flag(std::string_view name, bool& value) {
    if (!begin(name)) return;
    if (word() != "0" && word() != "1") return fail("0 or 1", at_);
    value = word() == "1";
    at_ = end_of_word();
  }
  void words(std::string_view name, AlgorithmWords& value) {
    if (!begin(name)) return;
    const std::string_view digits = word();
    constexpr size_t kDigits = 16;
    bool good = digits.size() == kDigits * value.size();
    for (size_t i = 0; good && i < value.size(); ++i) {
      const char* const first = digits.data() + i * kDigits;
      const auto [last, error] = std::from_chars(first, first + kDigits, value[i], 16);
      good = error == std::errc() && last == first + kDigits;
    }
    if (!good) return fail("128 digits of base 16", at_);
    at_ = end_of_word();
  }
  void end() {
    if (ok() && at_ != line_.size()) fail("the end of the line", at_);
  }

  bool ok() const { return expected_.empty(); }
  Diagnostic mistake(const std::shared_ptr<const SourceFile>& file) const {
    const auto column = static_cast<uint32_t>(wrong_at_ + 1);
    const std::string_view found = line_.substr(wrong_at_, line_.find(' ', wrong_at_) - wrong_at_);
    const auto end = static_cast<uint32_t>(column + std::max<size_t>(found.size(), 1));
    std::string message = !found.empty() ? quoted(found) : wrong_at_ < line_.size() ? "a blank" : "the line ends";
    message += "; expected " + expected_;
    return {Severity::error, "I-algorithms", Location::span(file, number_, column, end), std::move(message), {}};
  }

 private:
  bool begin(std::string_view name) {
    if (at_ != 0 && !expect(" ", "a blank")) return false;
    return expect(std::string(name) + "=", std::string(name) + "=");
  }
  bool expect(std::string_view text, std::string what) {
    if (!ok()) return false;
    if (line_.substr(at_, text.size()) == text) {
      at_ += text.size();
      return true;
    }
    fail(std::move(what), at_);
    return false;
  }
  size_t end_of_word() const { return std::min(line_.find(' ', at_), line_.size()); }
  std::string_view word() const { return line_.substr(at_, end_of_word() - at_); }
  void fail(std::string what, size_t place) { expected_ = std::move(what), wrong_at_ = place; }

  std::string_view line_;
  uint32_t number_;
  size_t at_ = 0, wrong_at_ = 0;
  std::string expected_;  ///< empty: no mistake so far
};

using Key = std::pair<AlgorithmHost, ProductKind>;

Diagnostic twice(const std::shared_ptr<const SourceFile>& file, uint32_t line, uint32_t first) {
  std::string message("the algorithm of line ");
  message += std::to_string(first) + " is for the same product, device and version; expected one of both";
  return {Severity::error, "I-algorithms", Location::span(file, line, 1, 2), std::move(message), {}};
}

}  // namespace

std::string algorithms_text(std::span<const ProductAlgorithm> algorithms) {
  std::string text(kFormat);
  text += '\n';
  for (const ProductAlgorithm& algorithm : algorithms) {
    Printer printer;
    each_field(algorithm, printer);
    text += printer.take() + '\n';
  }
  return text;
}

Result<std::vector<ProductAlgorithm>> parse_algorithms(const std::shared_ptr<const SourceFile>& file) {
  if (std::string_view(file->text).substr(0, file->text.find('\n')) != kFormat) {
    std::string message("expected the line `");
    message.append(kFormat).append("`");
    return failure("I-algorithms", Location::span(file, 1, 1, 2), std::move(message));
  }
  std::vector<ProductAlgorithm> algorithms;
  std::map<Key, uint32_t> lines;
  std::string_view rest = std::string_view(file->text).substr(std::min(kFormat.size() + 1, file->text.size()));
  for (uint32_t line = 2; !rest.empty(); ++line) {
    const size_t end = rest.find('\n');
    LineReader reader(rest.substr(0, end), line);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    ProductAlgorithm algorithm;
    each_field(algorithm, reader);
    reader.end();
    if (!reader.ok()) return tl::unexpected(reader.mistake(file));
    const auto [first, is_new] = lines.try_emplace(Key(algorithm.host, algorithm.kind), line);
    if (!is_new) return tl::unexpected(twice(file, line, first->second));
    algorithms.push_back(algorithm);
  }
  return algorithms;
}

}  // namespace isoshard::exec
