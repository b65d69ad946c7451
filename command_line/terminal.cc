#include "command_line/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <system_error>

#include "command_line/signals.h"
#include "core/support/quoted.h"
#include "core/support/write_file.h"

namespace isoshard::command_line {
namespace {

bool set_in_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

}  // namespace

bool use_colour(std::string_view when, int descriptor) {
  if (when != "auto") return when == "always";
  if (set_in_environment("NO_COLOR")) return false;
  if (set_in_environment("CLICOLOR_FORCE") && std::string_view(std::getenv("CLICOLOR_FORCE")) != "0") return true;
  const char* terminal = std::getenv("TERM");
  return isatty(descriptor) != 0 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

int terminal_columns(int descriptor) {
  constexpr int kUsual = 80;
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

void print_diagnostics(const std::vector<Diagnostic>& diagnostics, std::string_view colour) {
  const bool coloured = use_colour(colour, STDERR_FILENO);
  for (const Diagnostic& diagnostic : diagnostics) std::fputs(render(diagnostic, coloured).c_str(), stderr);
}

void print_error(const std::string& message) { std::fprintf(stderr, "error: %s\n", message.c_str()); }

void print_note(const std::string& message) { std::fprintf(stderr, "%s\n", message.c_str()); }

std::string first_line(const Diagnostic& diagnostic) {
  return (diagnostic.location.known() ? diagnostic.location.to_string() + ": " : "") + diagnostic.message +
         (diagnostic.rule.empty() ? "" : " [" + diagnostic.rule + "]");
}

bool write_out(std::string_view text) {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) == 0 && written) return true;
  if (errno == EPIPE) end_by_closed_pipe();
  print_error("the output cannot be written (" + std::generic_category().message(errno) + ")");
  return false;
}

bool write_to(const std::string& path, std::string_view text) {
  if (path.empty()) return write_out(text);
  const auto written = write_file(path, std::as_bytes(std::span(text)));
  if (!written) print_error("cannot write " + isoshard::quoted(path) + ": " + written.error());
  return written.has_value();
}

int64_t terminal_width() {
  const char* const said = std::getenv("COLUMNS");
  int64_t columns = 0;
  if (said != nullptr && std::from_chars(said, said + std::strlen(said), columns).ec == std::errc() && columns > 0) {
    return columns;
  }
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace isoshard::command_line
