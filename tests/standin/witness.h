#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace standin {

/// Whether calls are to be written down: $STANDIN_CALLS names a folder.
bool witnesses();

/// Writes a call of the calling thread's rank as a line of the file `rank_R` in that folder. Whoever calls holds the
/// mutex.
void witness(std::initializer_list<std::string_view> words);

/// Numbers of constants and counts.
template <class Number>
std::string word(Number number) {
  return std::to_string(static_cast<long long>(number));
}

}  // namespace standin
