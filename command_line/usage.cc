// Messages about the command line. CLI11 parses it and says what is wrong in its own words; here these become sentences
// that name the command, quote what was given and suggest the option or value that is closest, as all other messages
// do. Validators refuse a value before the command runs, with the range that is expected. What CLI11 could not place,
// an unknown option or one FILE too many, is told apart by its first letter. The texts of CLI11 are recognised by the
// names of its errors and, for two of them, by their wording.
#include "command_line/usage.h"

#include <algorithm>
#include <charconv>

#include "command_line/terminal.h"
#include "core/support/quoted.h"

namespace isoshard::command_line {
namespace {

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

/// The option of `command` that `word` is closest to, as `--mesh`, or empty.
std::string closest_option(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return closest_name(word.substr(0, word.find('=')), names);
}

/// The option that CLI11's message starts with (`--mesh: ...`), or null.
const CLI::Option* option_of(const CLI::App& command, const std::string& message) {
  const std::string name = message.substr(0, message.find(':'));
  return command.get_option_no_throw(name);
}

std::string too_many(const CLI::Option& positional) {
  std::string given;
  for (const std::string& value : positional.results())
    given += (given.empty() ? "" : " and ") + isoshard::quoted(value);
  return "takes one " + positional.get_type_name() + ", given are " + given;
}

/// What is wrong with the option that `error` is about, without the command's name.
std::string option_error(const CLI::App& command, const CLI::ParseError& error) {
  const std::string message = error.what();
  const CLI::Option* option = option_of(command, message);
  if (error.get_name() == "RequiredError") {
    for (const CLI::Option* wanted : command.get_options()) {
      if (wanted->get_required() && wanted->count() == 0) return "needs a " + wanted->get_type_name();
    }
  }
  if (message.find("disallowed flag override") != std::string::npos) {
    return "--" + message.substr(0, message.find(' ')) + " takes no value";
  }
  if (option != nullptr && error.get_name() == "ArgumentMismatch") {
    if (option->get_positional()) return too_many(*option);
    return option->get_expected_max() == 0 ? option->get_name() + " takes no value"
           : option->count() > 1
               ? option->get_name() + " is given " + std::to_string(option->count()) + " times; expected once"
               : option->get_name() + " needs a value, " + option->get_type_name();
  }
  return message;
}

/// A word that is the name of a file where a command belongs.
bool is_file_name(const std::string& word) {
  const auto ends = [&](const char* ending) { return word.ends_with(ending); };
  return ends(".shard") || ends(".plan") || ends(".mlir");
}

}  // namespace

CLI::Validator one_of(std::vector<std::string> names) {
  std::string choices;
  for (const std::string& name : names) choices += (choices.empty() ? "" : "|") + name;
  CLI::Validator validator(
      [names = std::move(names)](const std::string& value) -> std::string {
        if (std::find(names.begin(), names.end(), value) != names.end()) return "";
        const std::string close = closest_name(value, names);
        return isoshard::quoted(value) + " is not " + list(names) +
               (close.empty() ? "" : "; did you mean " + close + "?");
      },
      "");
  return validator.name(choices);
}

std::vector<std::string> choices_of(CLI::Option& option) {
  std::string names;
  try {
    names = option.get_validator(0)->get_name();
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
  std::vector<std::string> result;
  for (size_t begin = 0; begin < names.size();) {
    const size_t end = std::min(names.find('|', begin), names.size());
    result.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

CLI::Validator integer(uint64_t least, uint64_t most) {
  return CLI::Validator(
      [least, most](const std::string& value) -> std::string {
        uint64_t number = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
        const bool whole = error == std::errc() && end == value.data() + value.size();
        if (whole && number >= least && number <= most) return "";
        return isoshard::quoted(value) + " is not an integer from " + std::to_string(least) + " to " +
               std::to_string(most);
      },
      "");
}

CLI::Validator power_of_half(int least, int most) {
  return CLI::Validator(
      [least, most](const std::string& value) -> std::string {
        const int exponent = value.rfind("2^-", 0) == 0 ? exponent_of(value) : -1;
        if (exponent >= least && exponent <= most) return "";
        return isoshard::quoted(value) + " is not 2^-N with N from " + std::to_string(least) + " to " +
               std::to_string(most);
      },
      "");
}

int exponent_of(const std::string& power_of_half) {
  const size_t begin = std::string_view("2^-").size();
  int exponent = -1;
  const char* end = power_of_half.data() + power_of_half.size();
  const auto read = std::from_chars(power_of_half.data() + begin, end, exponent);
  return read.ec == std::errc() && read.ptr == end ? exponent : -1;
}

std::string unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), word) != names.end()) return "";
  const std::string close = closest_name(word, names);
  return "no command is called " + isoshard::quoted(word) +
         (close.empty() ? "; `isoshard --help` lists them" : "; did you mean \"" + close + "\"?");
}

bool reject_unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return false;
  const std::string word = argv[1], message = unknown_command(app, word);
  if (message.empty()) return false;
  print_error(is_file_name(word)
                  ? "no command is called " + isoshard::quoted(word) + "; did you mean `isoshard check " + word + "`?"
                  : message);
  return true;
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  const CLI::App& command = given.empty() ? app : *given.front();
  const std::string name = given.empty() ? "" : command.get_name() + " ";
  const std::vector<std::string> unknown = command.remaining();
  if (given.empty() && unknown.empty()) return "no command is given; `isoshard --help` lists them";
  // CLI11 takes what it cannot place for extras; a second FILE is one too.
  if (!unknown.empty() && unknown.front().rfind("-", 0) == 0) {
    const std::string close = closest_option(command, unknown.front());
    return name + "does not take " + isoshard::quoted(unknown.front()) +
           (close.empty() ? "; `isoshard " + name + "--help` lists what it takes" : "; did you mean " + close + "?");
  }
  if (!unknown.empty()) {
    return name + "does not take " + isoshard::quoted(unknown.front()) + " here; `isoshard " + name +
           "--help` lists what it takes";
  }
  const std::string what = name + option_error(command, error);
  return what.back() == '?' ? what : what + "; `isoshard " + name + "--help` explains it";
}

}  // namespace isoshard::command_line
