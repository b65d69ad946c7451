#pragma once

#include <isoshard/export.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace isoshard {
inline namespace v1 {

/// Something that is said about an input: an error, or a warning.
struct Finding {
  bool is_error = true;
  std::string rule;     ///< stable id, `T-dot-sizes`, listed in docs/rules.md; may be empty
  std::string file;     ///< as it was named; empty: it stands nowhere in a file
  uint32_t line = 0;    ///< from 1; 0: unknown
  uint32_t column = 0;  ///< in bytes from 1; 0: unknown
  std::string message;  ///< one sentence without a period
  std::string text;     ///< as the command line prints it: `file:line:col: error: message [rule]`, the line, notes
};

/// The input is wrong: a file that is missing or no program, options that do not fit it, arrays of other types.
class ISOSHARD_API InputError : public std::runtime_error {
 public:
  /// `findings` must have an error; what() is the text of all of them.
  explicit InputError(std::vector<Finding> findings);

  const std::vector<Finding>& findings() const noexcept { return *findings_; }

 private:
  std::shared_ptr<const std::vector<Finding>> findings_;  // shared: copies of exceptions may not throw
};

/// A program was run and did not come to its end: a deadlock, or an assertion of its own that failed.
class ISOSHARD_API RunError : public InputError {
 public:
  using InputError::InputError;
};

/// A bug of isoshard, which says nothing about the input. what() asks for a report.
class ISOSHARD_API LibraryError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// The caller asked to stop (StopToken), and that ended the work.
class ISOSHARD_API StoppedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace v1
}  // namespace isoshard
