#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exec/store/frame.h"

namespace isoshard::exec {

/// What a rank is about to run, and on what. All ranks of a job have to say the same but for their device.
struct Introduction {
  std::vector<std::pair<std::string, std::string>> runs{};  ///< names and values: `mesh`, `data=1,model=2`
  std::string device{};                                     ///< which no two ranks may have; empty: any may
};

/// As the first frame of a rank, and back; nothing where a frame is none.
Frame frame_of(const Introduction& introduction);
std::optional<Introduction> introduction_in(const Frame& frame);

/// What differs first between rank 0 and another rank, in words.
std::optional<std::string> difference(const Introduction& first, const Introduction& other, size_t rank);

/// A number by which texts and arrays are told apart. A change of one byte changes it; it is no protection against
/// somebody who looks for two texts with the same number.
class Digest {
 public:
  void add(const void* data, size_t bytes);
  void add(const std::string& text) { add(text.data(), text.size()); }
  /// Sixteen digits.
  std::string text() const;

 private:
  uint64_t state_ = 0;
};

}  // namespace isoshard::exec
