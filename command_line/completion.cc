// Writes completion scripts from the definitions of the options, so that no second list of them is kept. All three say
// the same: the first word is a command, then options of that command with what they say of themselves where the shell
// shows it, words behind an option that takes one of a few, and files elsewhere.
#include "command_line/completion.h"

#include <vector>

#include "command_line/usage.h"

namespace isoshard::command_line {
namespace {

struct CompletedOption {
  std::vector<std::string> names;  ///< `--mesh`, `-q`
  std::string description;
  std::vector<std::string> values;  ///< empty: any, or none
  bool takes_value = false;
};

std::vector<CompletedOption> options_of(CLI::App& command) {
  std::vector<CompletedOption> result;
  for (CLI::Option* option : command.get_options()) {
    if (option->get_positional()) continue;
    CompletedOption one{{}, option->get_description(), choices_of(*option), option->get_expected_max() > 0};
    for (const std::string& name : option->get_snames()) one.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) one.names.push_back("--" + name);
    result.push_back(std::move(one));
  }
  return result;
}

std::string joined(const std::vector<std::string>& words, const std::string& between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

/// As one word of a shell: quotes are closed, written and opened again.
std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

std::vector<std::string> names_of_commands(CLI::App& app) {
  std::vector<std::string> names;
  for (CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string bash_script(CLI::App& app) {
  std::string cases;
  for (CLI::App* command : app.get_subcommands({})) {
    std::vector<std::string> words;
    std::string values;
    for (const CompletedOption& option : options_of(*command)) {
      words.insert(words.end(), option.names.begin(), option.names.end());
      if (option.values.empty()) continue;
      values += "        " + joined(option.names, "|") + ") words=" + shell_quoted(joined(option.values)) + " ;;\n";
    }
    cases += "    " + command->get_name() + ")\n      words=" + shell_quoted(joined(words)) + "\n";
    if (!values.empty()) cases += "      case $before in\n" + values + "      esac\n";
    cases += "      ;;\n";
  }
  return "# bash completion of isoshard, written by `isoshard completion bash`\n"
         "_isoshard() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    mapfile -t COMPREPLY < <(compgen -W " +
         shell_quoted(joined(names_of_commands(app)) + " --help --version") +
         " -- \"$word\")\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  if [[ $word == -* || $words != *--* ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "  fi\n"
         "}\n"
         "complete -o default -F _isoshard isoshard\n";
}

/// In a specification of zsh's _arguments: `[`, `]` and `:` end a part.
std::string zsh_escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_script(CLI::App& app) {
  std::string commands, cases;
  for (CLI::App* command : app.get_subcommands({})) {
    commands += "    " + shell_quoted(zsh_escaped(command->get_name()) + ":" + command->get_description()) + "\n";
    std::string specifications;
    for (const CompletedOption& option : options_of(*command)) {
      for (const std::string& name : option.names) {
        std::string one = name + "[" + zsh_escaped(option.description) + "]";
        if (option.takes_value)
          one += option.values.empty() ? ":value:_files" : ":value:(" + joined(option.values) + ")";
        specifications += " \\\n        " + shell_quoted(one);
      }
    }
    cases += "    " + command->get_name() + ")\n      _arguments" + specifications +
             " \\\n        '*:file:_files'\n      ;;\n";
  }
  return "#compdef isoshard\n"
         "# zsh completion of isoshard, written by `isoshard completion zsh`\n"
         "_isoshard() {\n"
         "  local -a commands=(\n" +
         commands +
         "  )\n"
         "  if ((CURRENT == 2)); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  ((CURRENT -= 1))\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "_isoshard \"$@\"\n";
}

/// fish's single quotes end at a quote and know the backslash.
std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string fish_script(CLI::App& app) {
  std::string text = "# fish completion of isoshard, written by `isoshard completion fish`\n";
  for (CLI::App* command : app.get_subcommands({})) {
    text += "complete -c isoshard -n __fish_use_subcommand -f -a " + command->get_name() + " -d " +
            fish_quoted(command->get_description()) + "\n";
    for (const CompletedOption& option : options_of(*command)) {
      text += "complete -c isoshard -n " + fish_quoted("__fish_seen_subcommand_from " + command->get_name());
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!option.values.empty()) {
        text += " -x -a " + fish_quoted(joined(option.values));
      } else if (option.takes_value) {
        text += " -r";
      }
      text += " -d " + fish_quoted(option.description) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string completion_script(CLI::App& app, const std::string& shell) {
  return shell == "bash" ? bash_script(app) : shell == "zsh" ? zsh_script(app) : fish_script(app);
}

}  // namespace isoshard::command_line
