#include "tests/files/runner/expectations.h"

#include <sstream>
#include <stdexcept>

#include "tests/files/runner/process.h"

namespace isoshard::file_test {
namespace {

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string trim(const std::string& text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

class Reader {
 public:
  explicit Reader(const std::string& path) {
    file_.path = file_.subject = path;
    file_.lines = split_lines(read_file(path));
  }

  TestFile read() {
    for (at_ = 0; at_ < file_.lines.size(); ++at_) {
      const std::string& line = file_.lines[at_];
      const size_t sigil = line.find("//! ");
      if (sigil != std::string::npos) directive(line.substr(sigil + 4), trim(line.substr(0, sigil)).empty());
    }
    if (file_.runs.empty()) fail("there is no `//! run: COMMAND`");
    for (const Run& run : file_.runs) {
      at_ = run.line - 1;
      if (!run.exit_code) fail("this run needs `//! verdict: ...` for each check line, or `//! exit: N`");
    }
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw std::runtime_error(file_.path + ":" + std::to_string(at_ + 1) + ": " + message);
  }

  Run& run() {
    if (file_.runs.empty()) fail("this directive stands before the first `//! run: COMMAND`");
    return file_.runs.back();
  }

  void directive(const std::string& text, bool whole_line) {
    const size_t colon = text.find(':');
    const std::string key = text.substr(0, colon);
    const std::string value = colon == std::string::npos ? "" : trim(text.substr(colon + 1));
    if (key.starts_with("error")) return error(text, whole_line);
    if (!whole_line) fail("only `//! error:` may stand behind a statement");
    if (key == "file") {
      file_.subject = value;
    } else if (key == "run") {
      file_.runs.push_back(Run());
      run().line = at_ + 1;
      run().words = split_words(value);
    } else if (key == "meshes") {
      run().meshes = split_words(value);
    } else if (key == "exit") {
      run().exit_code = std::stoi(value);
    } else if (key == "verdict") {
      verdict(value);
    } else if (key == "says") {
      run().says.push_back(value);
    } else if (key == "prints") {
      golden(run().out);
    } else if (key == "stderr") {
      golden(run().err);
    } else {
      fail("`" + key + "` is no directive");
    }
  }

  /// The worst verdict is the exit code, as the program promises it: a failure, then doubt.
  void verdict(const std::string& value) {
    run().verdicts.push_back(value);
    const bool doubt = value.starts_with("COULD NOT DECIDE") || value.starts_with("NOT REFUTED") ||
                       value.find(" BUT ") != std::string::npos;
    const int code = doubt ? 3 : value.starts_with("EQUAL") ? 0 : 1;
    const int before = run().exit_code.value_or(0);
    run().exit_code = before == 1 || code == 0 ? before : code;
  }

  /// `error: [RULE] text` behind a statement, ``error at `TEXT`: [RULE] text`` for the one line with TEXT, or alone on
  /// a line for an error that points nowhere.
  void error(const std::string& text, bool whole_line) {
    const size_t bracket = text.find(": [");
    if (bracket == std::string::npos) fail("expected `error: [RULE] message`");
    ExpectedError expected{whole_line ? 0 : at_ + 1, text.substr(bracket + 2)};
    const std::string where = text.substr(0, bracket);
    if (where.starts_with("error at `") && where.ends_with("`")) {
      expected.line = find_line(where.substr(10, where.size() - 11));
    } else if (where != "error") {
      fail("expected ``error at `TEXT`: [RULE] message``");
    }
    file_.errors.push_back(expected);
  }

  size_t find_line(const std::string& text) const {
    const std::vector<std::string> lines = split_lines(read_file(file_.subject));
    size_t found = 0;
    for (size_t i = 0; i < lines.size(); ++i) {
      const size_t column = lines[i].find(text);
      if (column == std::string::npos || lines[i].find("//! ") < column || lines[i].starts_with("//|")) continue;
      if (found != 0) fail("`" + text + "` stands on lines " + std::to_string(found) + " and " + std::to_string(i + 1));
      found = i + 1;
    }
    if (found == 0) fail("`" + text + "` stands nowhere in " + file_.subject);
    return found;
  }

  void golden(std::optional<Golden>& block) {
    block = Golden{at_ + 1, {}};
    for (; at_ + 1 < file_.lines.size() && file_.lines[at_ + 1].starts_with("//|"); ++at_) {
      const std::string& line = file_.lines[at_ + 1];
      block->lines.push_back(line.size() > 4 ? line.substr(4) : "");
    }
  }

  TestFile file_;
  size_t at_ = 0;
};

}  // namespace

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TestFile read_expectations(const std::string& path) { return Reader(path).read(); }

}  // namespace isoshard::file_test
