// Mutations of texts by their tokens, linked into fuzzers only. A changed byte of a text rarely passes its parser, so
// that what is behind it would see little that is wrong: here a number becomes a special one, or a token, a bracketed
// list or a line is left out, repeated or put where another was. Half of the mutations stay libFuzzer's own. Cost: one
// pass over the text.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed);

namespace {

using Random = std::minstd_rand;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

/// The end of the token at `begin`: a word, or one character.
size_t token_end(std::string_view text, size_t begin) {
  size_t end = begin + 1;
  while (is_word(text[begin]) && end < text.size() && is_word(text[end])) ++end;
  return end;
}

/// The end of what a bracket at `begin` opens, within a few hundred bytes; the token where it opens nothing.
size_t list_end(std::string_view text, size_t begin) {
  constexpr std::string_view kOpen = "([{<", kClose = ")]}>";
  constexpr size_t kFar = 400;
  int depth = 0;
  for (size_t at = begin; at < text.size() && at < begin + kFar; ++at) {
    if (kOpen.find(text[at]) != std::string_view::npos) ++depth;
    if (kClose.find(text[at]) != std::string_view::npos && --depth <= 0) return at + 1;
    if (depth == 0) break;
  }
  return token_end(text, begin);
}

struct Piece {
  size_t begin, end;
};

enum class Cut : uint8_t { token, list, line };

/// A piece of the text at a random place.
Piece piece_of(std::string_view text, Cut cut, Random& random) {
  size_t begin = random() % text.size();
  if (cut == Cut::line) {
    const size_t before = text.rfind('\n', begin == 0 ? 0 : begin - 1), after = text.find('\n', begin);
    return {before == std::string_view::npos ? 0 : before + 1,
            after == std::string_view::npos ? text.size() : after + 1};
  }
  while (begin > 0 && is_word(text[begin]) && is_word(text[begin - 1])) --begin;
  return {begin, cut == Cut::list ? list_end(text, begin) : token_end(text, begin)};
}

std::string number(Random& random) {
  static constexpr const char* kNumbers[] = {"0",
                                             "1",
                                             "2",
                                             "3",
                                             "4",
                                             "7",
                                             "8",
                                             "-1",
                                             "-2",
                                             "1048576",
                                             "2147483647",
                                             "2147483648",
                                             "-2147483648",
                                             "4294967296",
                                             "9223372036854775807",
                                             "-9223372036854775808"};
  return kNumbers[random() % std::size(kNumbers)];
}

/// A number of the text at or behind a random place, as another one.
std::string with_other_number(std::string text, Random& random) {
  const size_t from = random() % text.size();
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto begin = std::find_if(text.begin() + static_cast<ptrdiff_t>(from), text.end(), digit);
  const auto end = std::find_if_not(begin, text.end(), digit);
  return begin == text.end() ? text : text.replace(begin, end, number(random));
}

std::string mutated(const std::string& text, Random& random) {
  if (random() % 3 == 0) return with_other_number(text, random);
  const Cut cut = static_cast<Cut>(random() % 3);
  const Piece to = piece_of(text, cut, random), from = piece_of(text, cut, random);
  const std::string put = text.substr(from.begin, from.end - from.begin);
  switch (random() % 3) {
    case 0:
      return text.substr(0, to.begin) + text.substr(to.end);
    case 1:
      return text.substr(0, to.begin) + put + text.substr(to.begin);
    default:
      return text.substr(0, to.begin) + put + text.substr(to.end);
  }
}

}  // namespace

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  Random random(seed);
  if (size == 0 || random() % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::string text(reinterpret_cast<const char*>(data), size);
  for (unsigned times = 1 + random() % 3; times > 0 && !text.empty(); --times) text = mutated(text, random);
  if (text.empty() || text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
