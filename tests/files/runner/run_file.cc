#include "tests/files/runner/run_file.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <stdexcept>

#include "tests/files/runner/process.h"
#include "tests/sanitized.h"

namespace isoshard::file_test {
namespace {

/// The last line of the report of a `check` begins with one of these.
const std::vector<std::string> kHeadlines = {
    "EQUAL", "NOT EQUAL", "NOT REFUTED", "DOES NOT HOLD", "COULD NOT DECIDE", "DEADLOCK", "RACE"};

/// With sanitizers, of each run: further ones run no code that these do not.
constexpr size_t kSanitizedMeshes = 2;

std::string indented(const std::string& text) {
  std::string out;
  for (const std::string& line : split_lines(text)) out += "    " + line + "\n";
  return out;
}

/// One process: `run` on one mesh.
struct Case {
  const TestFile& file;
  const Run& run;
  std::string mesh;
  std::string input;

  std::vector<std::string> arguments(const std::string& binary) const {
    std::vector<std::string> words = {binary, run.words.at(0), input};
    words.insert(words.end(), run.words.begin() + 1, run.words.end());
    if (!mesh.empty()) words.insert(words.end(), {"--mesh", mesh});
    return words;
  }
};

std::vector<Case> cases_of(const TestFile& file) {
  std::vector<Case> cases;
  for (const Run& run : file.runs) {
    const size_t most = kSanitized ? kSanitizedMeshes : run.meshes.size();
    for (size_t m = 0; m < run.meshes.size() && m < most; ++m) {
      cases.push_back(Case{file, run, run.meshes[m], file.subject});
    }
    if (run.meshes.empty()) cases.push_back(Case{file, run, "", file.subject});
  }
  return cases;
}

std::string command_line(const std::vector<std::string>& words) {
  std::string text = "isoshard";
  for (size_t i = 1; i < words.size(); ++i) text += " " + words[i];
  return text;
}

/// Collects what does not hold in one run, each text with the command that shows it.
class Report {
 public:
  Report(const Case& one, std::string command, std::vector<std::string>& failures)
      : where_(one.file.path + ":" + std::to_string(one.run.line) + ": " + command), failures_(failures) {}

  void fail(const std::string& text) { failures_.push_back(where_ + "\n  " + text); }

 private:
  std::string where_;
  std::vector<std::string>& failures_;
};

/// `subject:LINE:COLUMN: error: MESSAGE [RULE]` or `error: MESSAGE [RULE]` as an error; nothing for other lines.
std::optional<ExpectedError> parse_error_line(const std::string& subject, const std::string& line) {
  const bool located = line.starts_with(subject + ":");
  const size_t at = line.find("error: "), bracket = line.rfind(" [");
  if (!located && at != 0) return std::nullopt;
  if (at == std::string::npos || bracket == std::string::npos || bracket < at || !line.ends_with("]")) {
    return std::nullopt;
  }
  ExpectedError found;
  if (located) found.line = std::strtoull(line.c_str() + subject.size() + 1, nullptr, 10);
  found.text = line.substr(bracket + 1) + " " + line.substr(at + 7, bracket - at - 7);
  return found;
}

std::vector<ExpectedError> errors_in(const std::string& subject, const std::string& output) {
  std::vector<ExpectedError> found;
  for (const std::string& line : split_lines(output)) {
    if (const std::optional<ExpectedError> error = parse_error_line(subject, line)) found.push_back(*error);
  }
  return found;
}

bool remove_error(std::vector<ExpectedError>& errors, const ExpectedError& error) {
  const auto same = [&](const ExpectedError& e) { return e.line == error.line && e.text == error.text; };
  const auto at = std::find_if(errors.begin(), errors.end(), same);
  if (at == errors.end()) return false;
  errors.erase(at);
  return true;
}

void compare_errors(const Case& one, const Outcome& outcome, Report& report) {
  std::vector<ExpectedError> actual = errors_in(one.input, outcome.err);
  for (const ExpectedError& error : one.file.errors) {
    if (!remove_error(actual, error)) {
      report.fail("missing on line " + std::to_string(error.line) + ": error: " + error.text);
    }
  }
  for (const ExpectedError& error : actual) {
    report.fail("not expected on line " + std::to_string(error.line) + ": error: " + error.text);
  }
}

std::vector<std::string> headlines_in(const std::string& out) {
  std::vector<std::string> found;
  for (const std::string& line : split_lines(out)) {
    const auto begins = [&](const std::string& word) { return line.starts_with(word); };
    if (std::any_of(kHeadlines.begin(), kHeadlines.end(), begins)) found.push_back(line);
  }
  return found;
}

/// Each headline must begin with its verdict: what follows are numbers, or a cause that the file does not care about.
void compare_verdicts(const Case& one, const Outcome& outcome, Report& report) {
  const std::vector<std::string> actual = headlines_in(outcome.out), &expected = one.run.verdicts;
  const auto begins = [](const std::string& headline, const std::string& verdict) {
    return headline.starts_with(verdict);
  };
  if (std::equal(actual.begin(), actual.end(), expected.begin(), expected.end(), begins)) return;
  std::string text = "verdicts differ; expected\n";
  for (const std::string& verdict : expected) text += indented(verdict);
  report.fail(text + "  the output is\n" + indented(outcome.out + outcome.err));
}

/// A golden block and what it should be.
struct Blessing {
  size_t begin, end;
  std::vector<std::string> lines;
};

/// The verdicts at the beginning of lines and the rule ids at their ends (tests/blessing.py).
std::vector<std::string> decisions(const std::vector<std::string>& lines) {
  static const std::regex kDecision(
      "^(EQUAL as formulas, BUT|EQUAL|NOT EQUAL|NOT REFUTED|COULD NOT DECIDE|DOES NOT HOLD|BAD INPUT|DEADLOCK|RACE)"
      "|(\\[[A-Z]-[a-z0-9-]+\\])$");
  std::vector<std::string> found;
  for (const std::string& line : lines) {
    for (std::sregex_iterator i(line.begin(), line.end(), kDecision), end; i != end; ++i) found.push_back(i->str());
  }
  return found;
}

void compare_golden(const std::string& what, const Golden& golden, const std::string& text,
                    std::vector<Blessing>& blessings, Report& report) {
  const std::vector<std::string> lines = split_lines(text);
  if (lines == golden.lines) return;
  const bool decided = !golden.lines.empty() && decisions(golden.lines) != decisions(lines);
  report.fail(
      what + " differs from the golden block; " +
      (decided ? "a verdict or rule is another one, so rewrite it by hand. " : "ISOSHARD_BLESS=1 rewrites it. ") +
      what + " is\n" + indented(text));
  if (decided) return;
  blessings.push_back(Blessing{golden.begin, golden.begin + golden.lines.size(), lines});
}

/// Rewrites golden blocks, the last first, so that the places of the others stay right.
void bless_file(const TestFile& file, std::vector<Blessing> blessings) {
  std::vector<std::string> lines = file.lines;
  std::sort(blessings.begin(), blessings.end(), [](const Blessing& a, const Blessing& b) { return a.begin > b.begin; });
  for (const Blessing& blessing : blessings) {
    const auto at = [&](size_t i) { return lines.begin() + static_cast<std::ptrdiff_t>(i); };
    lines.erase(at(blessing.begin), at(blessing.end));
    for (size_t i = blessing.lines.size(); i-- > 0;) {
      const std::string& line = blessing.lines[i];
      lines.insert(at(blessing.begin), line.empty() ? "//|" : "//| " + line);
    }
  }
  std::ofstream out(file.path, std::ios::binary | std::ios::trunc);
  for (const std::string& line : lines) out << line << "\n";
}

std::string print(const std::string& binary, const Case& one, const std::string& input, bool types, Report& report) {
  std::vector<std::string> words = {binary, "show", input};
  if (types) words.push_back("--types");
  if (input == one.file.subject && !one.mesh.empty()) words.insert(words.end(), {"--mesh", one.mesh});
  for (size_t i = 1; input == one.file.subject && i + 1 < one.run.words.size(); ++i) {
    if (one.run.words[i] == "--mesh" || one.run.words[i] == "--set") {
      words.insert(words.end(), {one.run.words[i], one.run.words[i + 1]});
    }
  }
  const Outcome outcome = run_process(words);
  if (outcome.exit_code != 0) report.fail(command_line(words) + " fails:\n" + indented(outcome.out + outcome.err));
  return outcome.out;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

/// The headlines of a report without the places of `path`, which move when a program is printed, and without causes,
/// which speak of what is written: a printed program has numbers in place of sizes of axes, and new names.
std::string unlocated(const std::string& out, const std::string& path) {
  const std::string differs = "NOT EQUAL";
  std::string text;
  for (const std::string& headline : headlines_in(out)) {
    const size_t at = headline.find(differs);
    text += (at == std::string::npos ? headline : headline.substr(0, at + differs.size())) + "\n";
  }
  for (size_t at = 0; (at = text.find(path + ":", at)) != std::string::npos;) {
    text.erase(at, text.find_first_not_of("0123456789:", at + path.size()) - at);
  }
  return text;
}

size_t functions_in(const std::string& text) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find("\nfunc @", at)) != std::string::npos; ++at) ++count;
  return count;
}

/// print -> parse -> print of one case, plain and with types, through files in `folder`. Cases that print a program
/// that was `seen` are the same again. The first one of a file is checked again, too.
void check_fixpoint(const std::string& binary, const Case& one, const Outcome& original, const std::string& folder,
                    std::set<std::string>& seen, Report& report) {
  const std::string plain = folder + "/printed.shard", typed = folder + "/typed.shard";
  write_file(plain, print(binary, one, one.file.subject, false, report));
  if (!seen.insert(read_file(plain)).second) return;
  write_file(typed, print(binary, one, one.file.subject, true, report));
  const std::string printed = read_file(plain);
  const auto same = [&](const std::string& what, const std::string& expected, const std::string& actual) {
    if (expected != actual) report.fail(what + " differs:\n" + indented(actual) + "  from\n" + indented(expected));
  };
  same("the printed program, printed again,", printed, print(binary, one, plain, false, report));
  // With types, a function that is called with operands of several states is printed once for each of them, each with
  // the next number that is free.
  if (functions_in(printed) == functions_in(read_file(typed))) {
    same("the printed program, read and printed with types,", read_file(typed),
         print(binary, one, plain, true, report));
    same("the program with types, read and printed without,", printed, print(binary, one, typed, false, report));
  }
  same("the program with types, printed again,", read_file(typed), print(binary, one, typed, true, report));
  if (one.run.verdicts.empty() || seen.size() > 1) return;
  const Outcome again = run_process({binary, "check", plain});
  const std::string file = one.arguments(binary)[2];
  same("the verdict of the printed program", unlocated(original.out, file), unlocated(again.out, plain));
}

std::string make_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "isoshard-files-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  return name;
}

}  // namespace

std::vector<std::string> run_file(const std::string& binary, const TestFile& file, const RunOptions& options) {
  std::vector<std::string> failures;
  std::vector<Blessing> blessings;
  const std::string folder = make_folder();
  std::set<std::string> printed;
  size_t accepted = 0;
  for (const Case& one : cases_of(file)) {
    const std::vector<std::string> words = one.arguments(binary);
    const Outcome outcome = run_process(words);
    Report report(one, command_line(words), failures);
    if (outcome.exit_code != *one.run.exit_code) {
      report.fail("exit code " + std::to_string(outcome.exit_code) + ", expected " +
                  std::to_string(*one.run.exit_code) + "; the output is\n" + indented(outcome.out + outcome.err));
    }
    if (!one.run.err && one.run.verdicts.empty()) compare_errors(one, outcome, report);
    if (!one.run.verdicts.empty()) compare_verdicts(one, outcome, report);
    for (const std::string& text : one.run.says) {
      if (outcome.out.find(text) == std::string::npos) {
        report.fail("does not say `" + text + "` but\n" + indented(outcome.out));
      }
    }
    if (one.run.out) compare_golden("stdout", *one.run.out, outcome.out, blessings, report);
    if (one.run.err) compare_golden("stderr", *one.run.err, outcome.err, blessings, report);
    if (!options.fixpoint || *one.run.exit_code == 2) continue;
    ++accepted;
    check_fixpoint(binary, one, outcome, folder, printed, report);
  }
  std::filesystem::remove_all(folder);
  if (options.fixpoint && accepted == 0) {
    failures.push_back(file.path + ": every run is rejected; the file belongs into rejected/");
  }
  if (options.bless && !blessings.empty()) {
    bless_file(file, blessings);
    failures.push_back(file.path + ": golden blocks are rewritten; read them, and run again");
  }
  return failures;
}

}  // namespace isoshard::file_test
