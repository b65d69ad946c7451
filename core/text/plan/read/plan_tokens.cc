#include "core/text/plan/read/plan_tokens.h"

#include <charconv>

namespace isoshard::text {
namespace {

constexpr int64_t kMostCount = int64_t{1} << 60;

}  // namespace

std::vector<Word> read_value_list(TokenReader& reader) {
  std::vector<Word> result;
  do {
    result.push_back(reader.expect_kind(TokenKind::value, "a value, as in %x"));
  } while (reader.accept(","));
  return result;
}

int64_t read_count(TokenReader& reader, const std::string& what) {
  const Word digits = reader.expect_kind(TokenKind::number, what);
  int64_t value = 0;
  const char* end = digits.text.data() + digits.text.size();
  const auto [stop, status] = std::from_chars(digits.text.data(), end, value);
  if (status == std::errc() && stop != end) {
    reader.fail("E-integer", digits.span, digits.text + " is not an integer; expected " + what);
  }
  if (status == std::errc() && value < kMostCount) return value;
  reader.fail("E-overflow", digits.span, digits.text + " needs more than 60 bits; expected " + what);
}

}  // namespace isoshard::text
