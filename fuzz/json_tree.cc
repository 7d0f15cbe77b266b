#include "fuzz/json_tree.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace bartizan {
namespace {

void append(std::string& out, const JsonTree& tree) {
  if (tree.type == JsonType::string) return append_json_string(out, tree.text);
  const bool is_object = tree.type == JsonType::object;
  if (!is_object && tree.type != JsonType::array) {
    out += tree.type == JsonType::null ? "null" : tree.text;
    return;
  }
  out += is_object ? '{' : '[';
  for (std::size_t i = 0; i < tree.values.size(); ++i) {
    if (i > 0) out += ',';
    if (is_object) {
      append_json_string(out, tree.names[i]);
      out += ':';
    }
    append(out, tree.values[i]);
  }
  out += is_object ? '}' : ']';
}

}  // namespace

const JsonTree* JsonTree::find(std::string_view name) const {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? nullptr : &values[static_cast<std::size_t>(found - names.begin())];
}

void JsonTree::add(std::string name, JsonTree value) {
  if (find(name) != nullptr) return;
  names.push_back(std::move(name));
  values.push_back(std::move(value));
}

void JsonTree::remove(std::size_t index) {
  const auto offset = static_cast<std::ptrdiff_t>(index);
  values.erase(values.begin() + offset);
  if (type == JsonType::object) names.erase(names.begin() + offset);
}

double to_double(const JsonTree& number) {
  double value = 0;
  std::from_chars(number.text.data(), number.text.data() + number.text.size(), value);
  return value;
}

std::string to_json(const JsonTree& tree) {
  std::string out;
  append(out, tree);
  return out;
}

}  // namespace bartizan
