#pragma once

#include <array>
#include <map>
#include <mutex>

#include "sim/domains/soft/tables/soft_integers.h"

namespace isoshard::sim {

/// Keys and the two u32 that each is made of: either is a function of the other. Thread-safe.
class SoftKeys {
 public:
  using Word = SoftIntegers::Word;

  explicit SoftKeys(SoftIntegers& integers) : integers_(integers) {}

  Word key_of(Word first, Word second);
  std::array<Word, 2> words_of(Word key);

 private:
  SoftIntegers& integers_;
  std::mutex mutex_;
  std::map<std::array<Word, 2>, Word> keys_;  ///< by their words
  std::map<Word, std::array<Word, 2>> words_;
};

}  // namespace isoshard::sim
