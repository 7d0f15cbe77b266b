#include "gateway/command/command_names.h"

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace bartizan {
namespace {

std::vector<OptionName> options_of(const CLI::App& command) {
  using enum OptionName::Value;
  std::vector<OptionName> options;
  for (const CLI::Option* option : command.get_options()) {
    const auto value = option->get_items_expected_max() == 0 ? none : one;
    for (const std::string& name : option->get_lnames())
      options.push_back({"--" + name, value});
    for (const std::string& name : option->get_snames())
      options.push_back({"-" + name, value});
  }
  return options;
}

std::vector<CommandNames> names_of(const CLI::App& app) {
  std::vector<CommandNames> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back({command->get_name(), options_of(*command), names_of(*command)});
  return names;
}

}  // namespace

CommandNames command_names(const CLI::App& app) {
  return {app.get_name(), options_of(app), names_of(app)};
}

}  // namespace bartizan
