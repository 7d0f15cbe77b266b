#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/check_name.h"
#include "config/check_regex.h"
#include "config/load/load_parts.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr std::array<std::pair<std::string_view, bool>, 2> kSudo{
    {{"refuse", false}, {"allow", true}}};

/// The words of `syntax`, and their fields.
constexpr std::array<std::pair<std::string_view, bool CommandForm::*>, 6> kSyntax{
    {{"globs", &CommandForm::allow_globs},
     {"pipes", &CommandForm::allow_pipes},
     {"redirections", &CommandForm::allow_redirections},
     {"sequences", &CommandForm::allow_sequences},
     {"substitution", &CommandForm::allow_substitution},
     {"variables", &CommandForm::allow_variables}}};

/// A name without a slash, or a normalised absolute path. It has no characters that a shell
/// interprets.
bool is_program(std::string_view text) {
  constexpr std::string_view kPlain = "+-._/[@:";
  const bool is_plain = std::ranges::all_of(
      text, [&](char c) { return is_letter(c) || is_digit(c) || kPlain.contains(c); });
  if (!is_plain || text.empty() || text.starts_with('-') || text.ends_with('/')) return false;
  if (!text.contains('/')) return text != "." && text != "..";
  const std::string whole = std::string(text) + "/";
  return text.starts_with('/') && !whole.contains("//") && !whole.contains("/./") &&
         !whole.contains("/../");
}

/// Source: POSIX.1-2024 XBD §3.216.
bool is_variable(std::string_view text) {
  return !text.empty() && !is_digit(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

std::vector<std::string> load_programs(TableReader& table) {
  const std::vector<Text> programs = table.texts("programs");
  if (!table.has("programs")) {
    table.problems().error(table.where(), "a command needs \"programs\"");
  }
  table.refuse_empty("programs");
  for (const Text& program : programs) {
    if (program.value == "sudo" || program.value == "doas") {
      table.problems().error(program.where,
                             fmt::format("{} is not a program of the list", quote(program.value)),
                             "write sudo = \"allow\"; what it runs is judged by the list");
      continue;
    }
    if (is_program(program.value)) continue;
    table.problems().error(program.where, fmt::format("{} is not a program", quote(program.value)),
                           "write a name, or an absolute path without . and ..");
  }
  return values(programs);
}

void load_syntax(TableReader& table, CommandForm& form) {
  std::vector<std::string_view> names;
  names.reserve(kSyntax.size());
  for (const auto& [name, field] : kSyntax)
    names.push_back(name);
  for (const Text& text : table.texts("syntax")) {
    const auto* const found =
        std::ranges::find(kSyntax, text.value, [](const auto& named) { return named.first; });
    if (found != kSyntax.end()) {
      form.*(found->second) = true;
      continue;
    }
    std::string hint = hint_near(text.value, names);
    if (hint.empty()) hint = "there are " + listed(names);
    table.problems().error(text.where, fmt::format("there is no syntax {}", quote(text.value)),
                           std::move(hint));
  }
}

void check_listed(const Text& program, const CommandForm& form, Problems& problems) {
  if (std::ranges::find(form.programs, program.value) != form.programs.end()) return;
  problems.error(program.where, fmt::format("{} is not among \"programs\"", quote(program.value)),
                 hint_near(program.value, {form.programs.begin(), form.programs.end()}));
}

void load_arguments(TableReader& table, CommandForm& form) {
  auto patterns = table.table("arguments");
  if (!patterns) return;
  for (const Text& program : patterns->keys()) {
    check_listed(program, form, table.problems());
    std::vector<std::string>& of_program = form.arguments[program.value];
    for (const Text& pattern : patterns->texts(program.value)) {
      check_regex(pattern, program.value, table.problems());
      of_program.push_back(pattern.value);
    }
  }
  patterns->finish();
}

CommandForm load_form(TableReader& table) {
  CommandForm form{.programs = load_programs(table)};
  load_arguments(table, form);
  const std::vector<Text> environment = table.texts("environment");
  for (const Text& variable : environment) {
    if (is_variable(variable.value)) continue;
    table.problems().error(variable.where,
                           fmt::format("{} is not a name of a variable", quote(variable.value)));
  }
  form.environment = values(environment);
  load_syntax(table, form);
  form.allow_sudo = table.choice<bool>("sudo", kSudo).value_or(false);
  if (const auto program = table.text("arguments_of")) {
    check_listed({.value = *program, .where = table.where("arguments_of")}, form, table.problems());
    form.arguments_of = *program;
  }
  table.finish();
  return form;
}

}  // namespace

std::map<std::string, CommandConfig, std::less<>> load_commands(TableReader& root) {
  std::map<std::string, CommandConfig, std::less<>> commands;
  for (auto& [name, table] : root.named_tables("command")) {
    check_name(name, "command", root.problems());
    commands.emplace(
        name.value,
        CommandConfig{.name = name.value, .form = load_form(table), .where = name.where});
  }
  return commands;
}

}  // namespace bartizan
