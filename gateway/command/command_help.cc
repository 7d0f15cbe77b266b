#include "gateway/command/command_help.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gateway/command/man_text.h"

namespace bartizan {
namespace {

/// CLI11 writes the values of an option as `{a,b}` after its type.
std::vector<std::string> choices_of(std::string type) {
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

OptionHelp help_of(const CLI::Option& option) {
  OptionHelp help{.text = option.get_description(),
                  .choices = choices_of(option.get_type_name()),
                  .is_required = option.get_required(),
                  .is_repeated = option.get_items_expected_max() > 1};
  for (const std::string& name : option.get_snames())
    help.names.push_back('-' + name);
  for (const std::string& name : option.get_lnames())
    help.names.push_back("--" + name);
  if (!option.nonpositional()) {
    help.value = option.get_name(true);
  } else if (option.get_items_expected_max() > 0) {
    help.value = help.choices.empty() ? option.get_type_name() : "WORD";
  }
  return help;
}

CommandHelp help_of(const CLI::App& app) {
  CommandHelp help{.name = app.get_name(), .text = app.get_description()};
  for (const CLI::Option* option : app.get_options()) {
    const bool is_hidden = option->get_group().empty();
    if (!is_hidden && option != app.get_help_ptr()) help.options.push_back(help_of(*option));
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    help.commands.push_back(help_of(*command));
  return help;
}

// --- The manual page ----------------------------------------------------------------------------

std::string usage_of(const CommandHelp& command, const std::string& path) {
  std::string usage = fmt::format(".B {}\n", man_text(path));
  for (const OptionHelp& option : command.options) {
    if (!option.names.empty()) continue;
    usage += fmt::format(".I {}{}\n", man_text(option.value), option.is_repeated ? " ..." : "");
  }
  return usage;
}

void append_options(std::string& page, const CommandHelp& command) {
  for (const OptionHelp& option : command.options) {
    std::vector<std::string> names;
    for (const std::string& name : option.names)
      names.push_back(fmt::format("\\fB{}\\fR", man_text(name)));
    std::string head = fmt::format("{}", fmt::join(names, ", "));
    if (!option.value.empty()) {
      head += fmt::format("{}\\fI{}\\fR", head.empty() ? "" : " ", man_text(option.value));
    }
    page += fmt::format(".TP\n{}\n{}\n", head, man_text(option.text));
    if (!option.choices.empty()) {
      page +=
          fmt::format("One of {}.\n", man_text(fmt::format("{}", fmt::join(option.choices, ", "))));
    }
  }
}

void append_command(std::string& page, const CommandHelp& command, const std::string& path) {
  if (command.commands.empty()) {
    page += fmt::format(".SS {}\n{}.PP\n{}.\n", man_text(path), usage_of(command, path),
                        man_text(command.text));
    append_options(page, command);
  }
  for (const CommandHelp& below : command.commands)
    append_command(page, below, path + ' ' + below.name);
}

// --- Completion ---------------------------------------------------------------------------------

/// Every command with its path of words.
struct CommandPlace {
  std::string path;
  const CommandHelp& command;
};

void append_places(std::vector<CommandPlace>& places, const CommandHelp& command,
                   const std::string& path) {
  places.push_back({path, command});
  for (const CommandHelp& below : command.commands)
    append_places(places, below, path + ' ' + below.name);
}

std::vector<CommandPlace> places_of(const CommandHelp& program) {
  std::vector<CommandPlace> places;
  append_places(places, program, program.name);
  return places;
}

std::string options_of(const CommandHelp& command) {
  std::vector<std::string> names;
  for (const OptionHelp& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  names.emplace_back("--help");
  return fmt::format("{}", fmt::join(names, " "));
}

std::string commands_of(const CommandHelp& command) {
  std::vector<std::string> names;
  for (const CommandHelp& below : command.commands)
    names.push_back(below.name);
  return fmt::format("{}", fmt::join(names, " "));
}

/// Prepares a text for a shell's single quotes. Characters that its completion interprets are
/// removed.
std::string quoted_text(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '\'') {
      out += "’";
    } else if (letter == ':' || letter == '[' || letter == ']' || letter == '\\') {
      out += ' ';
    } else {
      out += letter;
    }
  }
  return out;
}

/// The lines by which bash and zsh find the command on the current line.
std::string walk_of(const std::vector<CommandPlace>& places, std::string_view words) {
  std::vector<std::string> paths;
  for (const CommandPlace& place : places) {
    if (place.path.contains(' ')) paths.push_back('"' + place.path + '"');
  }
  return fmt::format(
      "  for word in {}; do\n"
      "    case \"$place $word\" in\n"
      "      {}) place=\"$place $word\" ;;\n"
      "    esac\n"
      "  done\n",
      words, fmt::join(paths, " | "));
}

std::string bash_completion(const std::vector<CommandPlace>& places) {
  std::string script =
      "# Completion of bartizan for bash.\n"
      "_bartizan() {\n"
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  local place=bartizan word words=\"\"\n";
  script += walk_of(places, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\"");
  script += "  case \"$place $previous\" in\n";
  for (const CommandPlace& place : places) {
    for (const OptionHelp& option : place.command.options) {
      if (option.choices.empty()) continue;
      for (const std::string& name : option.names) {
        script += fmt::format("    \"{} {}\") words=\"{}\" ;;\n", place.path, name,
                              fmt::join(option.choices, " "));
      }
    }
  }
  script += "  esac\n  if [[ -z $words ]]; then\n    case \"$place\" in\n";
  for (const CommandPlace& place : places) {
    const std::string commands = commands_of(place.command);
    script += fmt::format("      \"{}\") if [[ $current == -* ]]; then words=\"{}\"; ", place.path,
                          options_of(place.command));
    script += commands.empty() ? "fi ;;\n" : fmt::format("else words=\"{}\"; fi ;;\n", commands);
  }
  script +=
      "    esac\n  fi\n"
      "  if [[ -n $words ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
      "  else\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _bartizan bartizan\n";
  return script;
}

std::string zsh_completion(const std::vector<CommandPlace>& places) {
  std::string script =
      "#compdef bartizan\n"
      "# Completion of bartizan for zsh.\n"
      "_bartizan() {\n"
      "  local place=bartizan word\n"
      "  local -a entries\n";
  script += walk_of(places, "\"${(@)words[2,CURRENT-1]}\"");
  script += "  case \"$place\" in\n";
  for (const CommandPlace& place : places) {
    script += fmt::format("    \"{}\")\n      if [[ $PREFIX == -* ]]; then\n        entries=(\n",
                          place.path);
    for (const OptionHelp& option : place.command.options) {
      for (const std::string& name : option.names)
        script += fmt::format("          '{}:{}'\n", name, quoted_text(option.text));
    }
    script += "          '--help:show help'\n        )\n        _describe -o option entries\n";
    if (place.command.commands.empty()) {
      script += "      else\n        _files\n";
    } else {
      script += "      else\n        entries=(\n";
      for (const CommandHelp& below : place.command.commands)
        script += fmt::format("          '{}:{}'\n", below.name, quoted_text(below.text));
      script += "        )\n        _describe command entries\n";
    }
    script += "      fi\n      ;;\n";
  }
  script += "  esac\n}\n_bartizan \"$@\"\n";
  return script;
}

std::string fish_completion(const std::vector<CommandPlace>& places) {
  std::string script =
      "# Completion of bartizan for fish.\n"
      "function __bartizan_at\n"
      "    set -l place bartizan\n"
      "    for word in (commandline -opc)[2..-1]\n"
      "        switch \"$place $word\"\n"
      "            case";
  for (const CommandPlace& place : places) {
    if (place.path.contains(' ')) script += fmt::format(" '{}'", place.path);
  }
  script +=
      "\n                set place \"$place $word\"\n"
      "        end\n    end\n"
      "    test \"$place\" = \"$argv\"\n"
      "end\n";
  for (const CommandPlace& place : places) {
    const std::string at = fmt::format("complete -c bartizan -n '__bartizan_at {}'", place.path);
    for (const CommandHelp& below : place.command.commands) {
      script += fmt::format("{} -f -a {} -d '{}'\n", at, below.name, quoted_text(below.text));
    }
    for (const OptionHelp& option : place.command.options) {
      for (const std::string& name : option.names) {
        const bool is_long = name.starts_with("--");
        script += fmt::format("{} {} {}{}{} -d '{}'\n", at, is_long ? "-l" : "-s",
                              name.substr(is_long ? 2 : 1), option.value.empty() ? "" : " -r",
                              option.choices.empty()
                                  ? ""
                                  : fmt::format(" -f -a '{}'", fmt::join(option.choices, " ")),
                              quoted_text(option.text));
      }
    }
  }
  return script;
}

}  // namespace

CommandHelp command_help(const CLI::App& app) {
  return help_of(app);
}

std::string command_manual(const CommandHelp& program) {
  std::string page = man_head("BARTIZAN", 1, "User Commands");
  page +=
      ".SH NAME\nbartizan \\- gateway that judges and records every MCP call\n"
      ".SH SYNOPSIS\n.B bartizan\n.I COMMAND\n.RI [ ARGUMENT ...]\n.RI [ OPTION ...]\n"
      ".SH DESCRIPTION\n"
      "Bartizan stands between MCP clients and MCP servers. It authenticates every request, "
      "judges\n"
      "it against a policy, forwards exactly the bytes that it judged, and writes an audit record\n"
      "that cannot be changed without being noticed.\n"
      ".PP\nStart with\n.BR \"bartizan wrap\" ,\nwhich needs no configuration, or with\n"
      ".BR \"bartizan init\" ,\nwhich writes one from the settings of a desktop client.\n"
      ".SH COMMANDS\n";
  append_command(page, program, program.name);
  page +=
      ".SH EXIT STATUS\n.TP\n.B 0\nDone.\n"
      ".TP\n.B 1\nIt failed, or what was checked is not in order.\n"
      ".TP\n.B 2\nThe command line is wrong.\n"
      ".SH FILES\n.TP\n.I /etc/bartizan/bartizan.toml\nThe configuration of the service.\n"
      ".TP\n.I /var/lib/bartizan/audit.jsonl\nIts audit record.\n"
      ".SH SEE ALSO\n.BR bartizan.toml (5)\n";
  return page;
}

std::string completion_of(const CommandHelp& program, Shell shell) {
  const std::vector<CommandPlace> places = places_of(program);
  switch (shell) {
    case Shell::bash:
      return bash_completion(places);
    case Shell::zsh:
      return zsh_completion(places);
    case Shell::fish:
      return fish_completion(places);
  }
  return {};
}

}  // namespace bartizan
