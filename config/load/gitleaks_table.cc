#include "config/load/gitleaks_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

using Type = TomlValue::Type;

/// The length of the unit at the start of a pattern that cannot have a group: a quotation, an
/// escape or a class. Otherwise 1.
std::size_t opaque_size(std::string_view regex) {
  if (regex.starts_with("\\Q")) return std::min(regex.find("\\E"), regex.size());
  if (regex.starts_with('\\')) return std::min<std::size_t>(2, regex.size());
  if (!regex.starts_with('[')) return 1;
  std::size_t at = regex.substr(1).starts_with('^') ? 2 : 1;
  // A bracket in the first place belongs to the class.
  if (regex.substr(at).starts_with(']')) ++at;
  while (at < regex.size() && regex[at] != ']') {
    const std::string_view rest = regex.substr(at);
    const std::size_t named = rest.starts_with("[:") ? rest.find(":]") : rest.npos;
    at += named != rest.npos ? named + 2 : rest[0] == '\\' ? 2 : 1;
  }
  return std::min(at + 1, regex.size());
}

}  // namespace

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), lower_case);
  return small;
}

std::string in_syntax_of_re2(std::string_view regex) {
  constexpr std::string_view kName = "(?<";
  std::string translated;
  while (!regex.empty()) {
    const bool is_name = regex.starts_with(kName) && regex.size() > kName.size() &&
                         (is_letter(regex[kName.size()]) || regex[kName.size()] == '_');
    const std::size_t size = is_name ? kName.size() : opaque_size(regex);
    translated += is_name ? "(?P<" : regex.substr(0, size);
    regex.remove_prefix(size);
  }
  return translated;
}

const TomlEntry* GitleaksTable::find(std::string_view key) {
  known_.push_back(key);
  const std::string small = in_small_letters(key);
  const TomlEntry* found = nullptr;
  for (const TomlEntry& entry : table_.entries) {
    if (in_small_letters(entry.key) != small) continue;
    if (found != nullptr) problems_.error(entry.where, fmt::format("{} stands twice", quote(key)));
    found = &entry;
  }
  return found;
}

const TomlEntry* GitleaksTable::find(std::string_view key, Type type) {
  const TomlEntry* found = find(key);
  if (found == nullptr || found->value.type == type) return found;
  problems_.error(found->value.where, fmt::format("{} must be {}, not {}", quote(key),
                                                  type_name(type), type_name(found->value.type)));
  return nullptr;
}

std::optional<Text> GitleaksTable::text(std::string_view key) {
  const TomlEntry* found = find(key, Type::text);
  if (found == nullptr || found->value.text.empty()) return std::nullopt;
  return Text{.value = found->value.text, .where = found->value.where};
}

bool GitleaksTable::flag(std::string_view key) {
  const TomlEntry* found = find(key, Type::boolean);
  return found != nullptr && found->value.boolean;
}

std::vector<Text> GitleaksTable::texts(std::string_view key) {
  std::vector<Text> texts;
  const TomlEntry* found = find(key, Type::array);
  if (found == nullptr) return texts;
  for (const TomlValue& item : found->value.items) {
    if (item.type == Type::text) {
      texts.push_back({.value = item.text, .where = item.where});
    } else {
      problems_.error(item.where, fmt::format("{} must hold strings", quote(key)));
    }
  }
  return texts;
}

std::vector<const TomlValue*> GitleaksTable::tables(std::string_view key) {
  std::vector<const TomlValue*> tables;
  const TomlEntry* found = find(key, Type::array);
  if (found == nullptr) return tables;
  for (const TomlValue& item : found->value.items) {
    if (item.type == Type::table) {
      tables.push_back(&item);
    } else {
      problems_.error(item.where, fmt::format("{} must hold tables", quote(key)),
                      fmt::format("write [[{}]]", key));
    }
  }
  return tables;
}

void GitleaksTable::finish() {
  for (const TomlEntry& entry : table_.entries) {
    const bool is_known = std::ranges::any_of(known_, [&](std::string_view key) {
      return in_small_letters(key) == in_small_letters(entry.key);
    });
    if (is_known) continue;
    std::string hint = hint_near(entry.key, known_);
    if (hint.empty()) hint = "nothing of a rule is passed over: take it out";
    problems_.error(entry.where,
                    fmt::format("gitleaks 8 has no key {} in {}", quote(entry.key), what_),
                    std::move(hint));
  }
}

}  // namespace bartizan
