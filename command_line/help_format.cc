#include "command_line/help_format.h"

#include <unistd.h>

#include <algorithm>

#include "command_line/terminal.h"

namespace isoshard::command_line {
namespace {

/// Lines wider than this are hard to read, however wide the terminal is.
constexpr size_t kWidest = 120, kNames = 24;

class HelpFormatter final : public CLI::Formatter {
 public:
  explicit HelpFormatter(size_t columns) : columns_(columns) {}

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return entry(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
  }
  /// Without what an option needs or excludes: the command says so where it matters.
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = option->get_type_name().empty() ? "" : " " + option->get_type_name();
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size && !text.ends_with("...")) text += " ...";
    return text + (option->get_required() ? " (required)" : "");
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_name(), command->get_description());
  }
  std::string make_description(const CLI::App* app) const override {
    return wrapped(app->get_description(), columns_, 0) + "\n";
  }
  std::string make_footer(const CLI::App* app) const override {
    return app->get_footer().empty() ? "" : "\n" + wrapped(app->get_footer(), columns_, 0) + "\n";
  }

 private:
  /// Names of more than their column have a line of their own.
  std::string entry(const std::string& names, const std::string& description) const {
    std::string text = "  " + names;
    if (description.empty()) return text + "\n";
    text += names.size() + 4 <= kNames ? std::string(kNames - text.size(), ' ') : "\n" + std::string(kNames, ' ');
    return text + wrapped(description, columns_ - kNames, kNames) + "\n";
  }

  size_t columns_;
};

}  // namespace

std::string wrapped(const std::string& text, size_t columns, size_t indent) {
  std::string result;
  size_t used = 0;
  for (size_t begin = 0; begin < text.size();) {
    if (text[begin] == '\n') {
      result += "\n" + std::string(indent, ' ');
      used = 0;
      ++begin;
      continue;
    }
    const size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const size_t length = end - begin;
    if (used > 0 && used + 1 + length > columns) {
      result += "\n" + std::string(indent, ' ');
      used = 0;
    }
    result += (used > 0 ? " " : "") + text.substr(begin, length);
    used += (used > 0 ? 1 : 0) + length;
    begin = end < text.size() && text[end] == ' ' ? end + 1 : end;
  }
  return result;
}

std::string list_entry(const std::string& name, size_t width, const std::string& text) {
  const std::string head = name + std::string(name.size() < width ? width - name.size() : 0, ' ');
  if (isatty(STDOUT_FILENO) == 0) return head + text + "\n";
  const size_t columns = std::max(static_cast<size_t>(terminal_columns(STDOUT_FILENO)), width + kNames);
  return head + wrapped(text, columns - width, width) + "\n";
}

std::shared_ptr<CLI::FormatterBase> help_formatter() {
  const auto columns = static_cast<size_t>(std::max(40, terminal_columns(STDOUT_FILENO)));
  return std::make_shared<HelpFormatter>(std::min(columns, kWidest));
}

}  // namespace isoshard::command_line
