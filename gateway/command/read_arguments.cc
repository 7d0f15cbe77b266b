#include "gateway/command/read_arguments.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "config/check_name.h"
#include "policy/diff/edge_values.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

bool is_json(const std::string& text) {
  const Bytes bytes(text);
  JsonDocument document;
  return document.read(bytes).has_value();
}

}  // namespace

std::expected<std::string, std::string> read_arguments(const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> values;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos || equals == 0) {
      return std::unexpected(
          fmt::format("{} is not NAME=VALUE: write path=a.md, or /options/limit=10 "
                      "for a member further down",
                      quote(argument)));
    }
    const std::string value = argument.substr(equals + 1);
    std::string pointer = argument.substr(0, equals);
    if (!pointer.starts_with('/')) pointer = pointer_below("", pointer);
    const bool is_new = values.emplace(pointer, is_json(value) ? value : json_string(value)).second;
    if (!is_new) return std::unexpected("there are two arguments " + quote(pointer));
  }
  if (values.empty()) return "";
  std::string all = arguments_with(values);
  if (all.empty()) return std::unexpected("two arguments contradict each other");
  return all;
}

}  // namespace bartizan
