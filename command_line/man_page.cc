// Writes manual pages from the definitions of the options: what --help says, in the sections of man-pages(7). Of
// characters only the backslash, the hyphen of names and a point or quote at the beginning of a line mean something to
// man(7).
#include "command_line/man_page.h"

#include <isoshard/version.h>

#include <algorithm>

namespace isoshard::command_line {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
  return text;
}

std::string roff(const std::string& text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) result += "\\&";
    line_begins = c == '\n';
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string header(const std::string& page, const std::string& description) {
  return ".TH " + upper(roff(page)) + " 1 \"\" \"isoshard " ISOSHARD_VERSION "\" \"User Commands\"\n.SH NAME\n" +
         roff(page) + " \\- " + roff(description) + "\n";
}

std::string names_of(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "" : ", ") + roff("-" + name);
  for (const std::string& name : option.get_lnames()) names += (names.empty() ? "" : ", ") + roff("--" + name);
  return "\\fB" + names + "\\fR" +
         (option.get_expected_max() > 0 ? " \\fI" + roff(option.get_type_name()) + "\\fR" : "");
}

std::string options_section(const CLI::App& command) {
  std::string text = ".SH OPTIONS\n";
  for (const CLI::Option* option : command.get_options()) {
    const bool positional = option->get_positional();
    text += ".TP\n" + (positional ? "\\fI" + roff(option->get_type_name()) + "\\fR" : names_of(*option)) + "\n" +
            roff(option->get_description()) + "\n";
  }
  return text;
}

std::string synopsis(const CLI::App& command) {
  std::string text = "\\fBisoshard " + roff(command.get_name()) + "\\fR";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string type = "\\fI" + roff(option->get_type_name()) + "\\fR";
    text += option->get_required() ? " " + type : " [" + type + "]";
  }
  return ".SH SYNOPSIS\n" + text + " [\\fIOPTIONS\\fR]\n";
}

std::string notes(const CLI::App& command) {
  std::string text;
  const std::string footer = command.get_footer();
  for (size_t begin = 0; begin < footer.size();) {
    const size_t end = std::min(footer.find('\n', begin), footer.size());
    text += ".PP\n" + roff(footer.substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  return text.empty() ? "" : ".SH NOTES\n" + text;
}

}  // namespace

std::string man_page(const CLI::App& app, const CLI::App* command) {
  if (command != nullptr) {
    return header("isoshard-" + command->get_name(), command->get_description()) + synopsis(*command) +
           options_section(*command) + notes(*command) + ".SH SEE ALSO\n.BR isoshard (1)\n";
  }
  std::string text =
      header("isoshard", app.get_description()) +
      ".SH SYNOPSIS\n\\fBisoshard\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n.SH COMMANDS\n";
  for (const CLI::App* each : app.get_subcommands({})) {
    text += ".TP\n\\fB" + roff(each->get_name()) + "\\fR\n" + roff(each->get_description()) + "\n";
  }
  return text + notes(app);
}

}  // namespace isoshard::command_line
