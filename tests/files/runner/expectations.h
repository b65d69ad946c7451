#pragma once

#include <optional>
#include <string>
#include <vector>

namespace isoshard::file_test {

/// A diagnostic that must appear, or that appeared: `line` is 0 when it points at no line.
struct ExpectedError {
  size_t line = 0;
  std::string text;  ///< `[RULE] message`, whole
};

/// A golden block: the exact lines of an output, rewritten with ISOSHARD_BLESS=1.
struct Golden {
  size_t begin = 0;  ///< index of its first line in the file
  std::vector<std::string> lines;
};

/// One run of the program and what must come of it (tests/files/README.md describes the directives).
struct Run {
  size_t line = 0;                    ///< of its `run:` directive
  std::vector<std::string> words;     ///< command and options, without the file
  std::vector<std::string> meshes;    ///< one process per mesh; empty: one process without --mesh
  std::vector<std::string> verdicts;  ///< how the last line of each report begins
  std::vector<std::string> says;      ///< substrings of stdout
  std::optional<int> exit_code;
  std::optional<Golden> out, err;  ///< all of stdout, all of stderr
};

/// A file with expectations.
struct TestFile {
  std::string path;                ///< the file that carries the directives
  std::string subject;             ///< the file that is run: itself, or the one that `file:` names
  std::vector<std::string> lines;  ///< of `path`
  std::vector<ExpectedError> errors;
  std::vector<Run> runs;
};

/// The lines of `text`, without their ends.
std::vector<std::string> split_lines(const std::string& text);

/// Reads the directives of `path`; throws std::runtime_error with `path:line` when one is not understood, when there is
/// no run, or when a run expects nothing.
TestFile read_expectations(const std::string& path);

}  // namespace isoshard::file_test
