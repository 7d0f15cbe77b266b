#include "config/table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/config_file.h"
#include "config/parse_units.h"

namespace bartizan {
namespace {

using Type = TomlValue::Type;

constexpr std::size_t kTextsMax = 1024;

bool is_free(std::span<const KnownKey> keys, std::string_view kind) {
  return std::ranges::any_of(
      keys, [&](const KnownKey& known) { return known.table == kind && known.key == "*"; });
}

std::string below(const std::string& table, std::string_view key) {
  return table.empty() ? std::string(key) : fmt::format("{}.{}", table, key);
}

/// Words of other programs' settings, and their equivalents here.
struct ForeignWord {
  std::string_view kind;
  std::string_view word;
  std::string_view hint;
};
constexpr std::array<ForeignWord, 18> kForeignWords{
    {{"server.*", "args", "the arguments belong in command = [\"PROGRAM\", \"ARGUMENT\"]"},
     {"server.*", "token", "write credentials = { bearer = \"file:PATH\" }"},
     {"server.*", "type", "command or url says which kind it is: leave it out"},
     {"server.*", "transport", "command or url says which kind it is: leave it out"},
     {"server.*", "disabled", "take the table out, or make its lines comments"},
     {"server.*", "secrets", "write env_secret = { NAME = \"file:PATH\" }"},
     {"rule.*", "users", "write principals = [\"ID\"]"},
     {"rule.*", "user", "write principals = [\"ID\"]"},
     {"rule.*", "allow", "write effect = \"permit\""},
     {"rule.*", "deny", "write effect = \"forbid\""},
     {"rule.*", "action", "write effect = \"permit\" or \"forbid\""},
     {"listen", "port", "write address = \"127.0.0.1:8080\""},
     {"listen", "host", "write address = \"127.0.0.1:8080\""},
     {"metrics", "port", "write address = \"127.0.0.1:9901\""},
     {"console", "port", "write address = \"127.0.0.1:9301\""},
     {"console", "listen", "write address = \"127.0.0.1:9301\""},
     {"", "mcpServers", "bartizan init FILE makes a configuration of a client's settings"},
     {"", "servers", "write [server.NAME] for each"}}};

std::string hint_for(std::string_view kind, std::string_view key,
                     const std::vector<std::string_view>& names) {
  const auto* const foreign = std::ranges::find_if(
      kForeignWords, [&](const ForeignWord& one) { return one.kind == kind && one.word == key; });
  return foreign == kForeignWords.end() ? hint_near(key, names) : std::string(foreign->hint);
}

constexpr std::string_view kDurationHint =
    "write a whole number and ms, s, m, min, h or d, such as \"30s\"";
constexpr std::string_view kSizeHint =
    "write a whole number and B, KiB, MiB or GiB, such as \"512 MiB\"";

/// `write tools = ["files/*"]`: the hint for a list that was written as its only entry.
std::string in_brackets(const TomlEntry& entry) {
  return fmt::format("write {} = [{}]", entry.key, quote(entry.value.text));
}

std::string wrong_type(std::string_view key, Type expected, Type actual) {
  return fmt::format("{} must be {}, not {}", quote(key), type_name(expected), type_name(actual));
}

}  // namespace

TableReader::TableReader(const TomlValue& table, const std::string& kind, Position where,
                         Problems& problems, std::span<const KnownKey> keys)
    : TableReader(table, kind, kind, where, problems, keys) {}

TableReader::TableReader(const TomlValue& table, std::string kind, std::string name, Position where,
                         Problems& problems, std::span<const KnownKey> keys)
    : table_(&table),
      kind_(std::move(kind)),
      name_(std::move(name)),
      where_(where),
      problems_(&problems),
      keys_(keys) {}

bool TableReader::has(std::string_view key) const {
  return find_entry(*table_, key) != nullptr;
}

bool TableReader::is_empty_array(std::string_view key) const {
  const TomlEntry* entry = find_entry(*table_, key);
  return entry != nullptr && entry->value.type == Type::array && entry->value.items.empty();
}

void TableReader::refuse_empty(std::string_view key, std::string hint) {
  if (!is_empty_array(key)) return;
  problems_->error(where(key), fmt::format("{} is empty", quote(key)), std::move(hint));
}

Position TableReader::where(std::string_view key) const {
  const TomlEntry* entry = find_entry(*table_, key);
  return entry == nullptr ? where_ : entry->value.where;
}

const std::string& TableReader::holder(const Position& where) const {
  return problems_->files().at(where.file);
}

const TomlEntry* TableReader::find(std::string_view key) {
  const TomlEntry* entry = find_entry(*table_, key);
  if (entry != nullptr) read_.insert(entry->key);
  return entry;
}

const TomlEntry* TableReader::find(std::string_view key, Type type, std::string hint) {
  const TomlEntry* entry = find(key);
  if (entry == nullptr || entry->value.type == type) return entry;
  problems_->error(entry->value.where, wrong_type(key, type, entry->value.type), std::move(hint));
  return nullptr;
}

std::optional<bool> TableReader::boolean(std::string_view key) {
  const TomlEntry* entry = find(key, Type::boolean);
  if (entry == nullptr) return std::nullopt;
  return entry->value.boolean;
}

std::optional<std::int64_t> TableReader::integer(std::string_view key, Range range) {
  const TomlEntry* entry = find(key, Type::integer);
  if (entry == nullptr) return std::nullopt;
  const std::int64_t value = entry->value.integer;
  if (value >= range.min && value <= range.max) return value;
  problems_->error(entry->value.where, fmt::format("{} must be from {} to {}, not {}", quote(key),
                                                   range.min, range.max, value));
  return std::nullopt;
}

std::optional<std::string> TableReader::text(std::string_view key) {
  const TomlEntry* entry = find(key, Type::text);
  if (entry == nullptr) return std::nullopt;
  if (entry->value.text.empty()) {
    problems_->error(entry->value.where, fmt::format("{} must not be empty", quote(key)));
    return std::nullopt;
  }
  // A NUL would truncate paths and names in the kernel.
  if (entry->value.text.contains('\0')) {
    problems_->error(entry->value.where, fmt::format("{} must not hold a NUL byte", quote(key)));
    return std::nullopt;
  }
  return entry->value.text;
}

std::optional<std::chrono::milliseconds> TableReader::duration(std::string_view key,
                                                               Range range_ms) {
  const TomlEntry* entry = find(key, Type::text, std::string(kDurationHint));
  if (entry == nullptr) return std::nullopt;
  const auto value = parse_duration(entry->value.text);
  if (!value) {
    problems_->error(entry->value.where,
                     fmt::format("{} is not a duration: {}", quote(key), quote(entry->value.text)),
                     std::string(kDurationHint));
    return std::nullopt;
  }
  if (value->count() >= range_ms.min && value->count() <= range_ms.max) return value;
  problems_->error(entry->value.where,
                   fmt::format("{} must be from {} to {}", quote(key),
                               duration_text(std::chrono::milliseconds(range_ms.min)),
                               duration_text(std::chrono::milliseconds(range_ms.max))));
  return std::nullopt;
}

std::optional<std::uint64_t> TableReader::size(std::string_view key, Range range) {
  const TomlEntry* entry = find(key, Type::text, std::string(kSizeHint));
  if (entry == nullptr) return std::nullopt;
  const auto value = parse_size(entry->value.text);
  if (!value) {
    problems_->error(entry->value.where,
                     fmt::format("{} is not a size: {}", quote(key), quote(entry->value.text)),
                     std::string(kSizeHint));
    return std::nullopt;
  }
  if (*value >= static_cast<std::uint64_t>(range.min) &&
      *value <= static_cast<std::uint64_t>(range.max)) {
    return value;
  }
  problems_->error(entry->value.where,
                   fmt::format("{} must be from {} to {}", quote(key),
                               size_text(static_cast<std::uint64_t>(range.min)),
                               size_text(static_cast<std::uint64_t>(range.max))));
  return std::nullopt;
}

std::optional<std::int64_t> TableReader::date(std::string_view key) {
  const TomlEntry* entry = find(key);
  if (entry == nullptr) return std::nullopt;
  if (entry->value.type == Type::date) {
    return std::chrono::sys_seconds(entry->value.date).time_since_epoch().count();
  }
  problems_->error(entry->value.where, wrong_type(key, Type::date, entry->value.type),
                   "write a date without quotes, such as 2027-01-31");
  return std::nullopt;
}

std::optional<std::int64_t> TableReader::moment(std::string_view key) {
  const TomlEntry* entry = find(key, Type::moment);
  if (entry == nullptr) return std::nullopt;
  if (entry->value.moment.has_value()) return entry->value.moment->time_since_epoch().count();
  problems_->error(entry->value.where,
                   fmt::format("{} must be a date and a time with an offset", quote(key)),
                   "write it without quotes, such as 2027-01-31T09:00:00Z");
  return std::nullopt;
}

std::optional<std::string> TableReader::path(std::string_view key) {
  const auto value = text(key);
  if (!value) return std::nullopt;
  return absolute_path(*value, holder(where(key)));
}

std::vector<Text> TableReader::paths(std::string_view key) {
  std::vector<Text> paths = texts(key);
  for (Text& path : paths)
    path.value = absolute_path(path.value, holder(path.where));
  return paths;
}

SecretReference TableReader::secret(std::string_view key) {
  const TomlEntry* entry = find(key, Type::text);
  if (entry == nullptr) return {};
  const Position at = entry->value.where;
  const std::string_view value = entry->value.text;
  const std::string_view name =
      value.substr(std::min<std::size_t>(value.find(':') + 1, value.size()));
  const bool is_whole = !name.empty() && !name.contains('\0');
  if (value.starts_with("env:") && is_whole && !name.contains('=')) {
    return {.kind = SecretReference::Kind::environment, .name = std::string(name), .where = at};
  }
  if (value.starts_with("file:") && is_whole) {
    return {
        .kind = SecretReference::Kind::file, .name = absolute_path(name, holder(at)), .where = at};
  }
  problems_->error(at, fmt::format("{} must name a secret, not hold it", quote(key)),
                   "write \"env:NAME\" or \"file:PATH\"");
  return {};
}

std::vector<Text> TableReader::texts(std::string_view key) {
  const TomlEntry* written = find_entry(*table_, key);
  const bool is_alone = written != nullptr && written->value.type == Type::text;
  const TomlEntry* entry = find(key, Type::array, is_alone ? in_brackets(*written) : "");
  if (entry == nullptr) return {};
  if (entry->value.items.size() > kTextsMax) {
    problems_->error(entry->value.where, fmt::format("{} has more than 1024 entries", quote(key)));
    return {};
  }
  std::vector<Text> texts;
  std::set<std::string_view> seen;
  for (const TomlValue& item : entry->value.items) {
    if (item.type != Type::text) {
      problems_->error(item.where, fmt::format("{} must hold strings, not {}", quote(key),
                                               type_name(item.type)));
    } else if (item.text.empty() || item.text.contains('\0')) {
      problems_->error(item.where,
                       fmt::format("an entry of {} is empty or holds a NUL byte", quote(key)));
    } else if (!seen.insert(item.text).second) {
      problems_->error(item.where, fmt::format("{} names {} twice", quote(key), quote(item.text)));
    } else {
      texts.push_back({.value = item.text, .where = item.where});
    }
  }
  return texts;
}

std::map<std::string, std::string> TableReader::text_map(std::string_view key) {
  const TomlEntry* entry = find(key, Type::table);
  if (entry == nullptr) return {};
  std::map<std::string, std::string> map;
  for (const TomlEntry& member : entry->value.entries) {
    if (member.value.type != Type::text) {
      problems_->error(member.value.where, wrong_type(member.key, Type::text, member.value.type));
      continue;
    }
    map.emplace(member.key, member.value.text);
  }
  return map;
}

std::optional<TableReader> TableReader::table(std::string_view key) {
  return table_of_kind(key, below(kind_, key));
}

std::optional<TableReader> TableReader::table_of_kind(std::string_view key, std::string kind) {
  const TomlEntry* entry = find(key, Type::table);
  if (entry == nullptr) return std::nullopt;
  return TableReader(entry->value, std::move(kind), below(name_, key), entry->where, *problems_,
                     keys_);
}

std::vector<Text> TableReader::keys() const {
  std::vector<Text> keys;
  keys.reserve(table_->entries.size());
  for (const TomlEntry& entry : table_->entries)
    keys.push_back({.value = entry.key, .where = entry.where});
  return keys;
}

std::vector<std::pair<Text, TableReader>> TableReader::named_tables(std::string_view key) {
  const TomlEntry* entry =
      find(key, Type::table, fmt::format("write [{}.NAME] for each", below(name_, key)));
  if (entry == nullptr) return {};
  const std::string kind = below(below(kind_, key), "*");
  std::vector<std::pair<Text, TableReader>> tables;
  for (const TomlEntry& member : entry->value.entries) {
    if (member.value.type != Type::table) {
      problems_->error(member.value.where, wrong_type(member.key, Type::table, member.value.type));
      continue;
    }
    tables.emplace_back(Text{.value = member.key, .where = member.where},
                        TableReader(member.value, kind, below(below(name_, key), member.key),
                                    member.where, *problems_, keys_));
  }
  return tables;
}

std::optional<std::size_t> TableReader::choice_index(std::string_view key,
                                                     const std::vector<std::string_view>& names) {
  const TomlEntry* entry = find(key, Type::text);
  if (entry == nullptr) return std::nullopt;
  const auto found = std::ranges::find(names, entry->value.text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  problems_->error(
      entry->value.where,
      fmt::format("{} must be {}, not {}", quote(key), listed(names), quote(entry->value.text)),
      hint_near(entry->value.text, names));
  return std::nullopt;
}

std::vector<std::size_t> TableReader::choice_indexes(std::string_view key,
                                                     const std::vector<std::string_view>& names) {
  std::vector<std::size_t> indexes;
  for (const Text& word : texts(key)) {
    const auto found = std::ranges::find(names, word.value);
    if (found != names.end()) {
      indexes.push_back(static_cast<std::size_t>(found - names.begin()));
      continue;
    }
    problems_->error(
        word.where,
        fmt::format("{} can hold {}, not {}", quote(key), listed(names), quote(word.value)),
        hint_near(word.value, names));
  }
  return indexes;
}

void TableReader::finish() {
  if (is_free(keys_, kind_)) return;
  for (const TomlEntry& entry : table_->entries) {
    if (!read_.contains(entry.key)) report_unread(entry);
  }
}

void TableReader::report_unread(const TomlEntry& entry) {
  std::vector<std::string_view> names;
  for (const KnownKey& known : keys_) {
    if (known.table != kind_) continue;
    if (known.key == entry.key) {
      // A built key that the loader did not read is a bug of the gateway. It is refused all the
      // same.
      problems_->error(entry.where,
                       fmt::format("{} is known but not built in this version", quote(entry.key)));
      return;
    }
    if (known.state == KnownKey::State::built) names.push_back(known.key);
  }
  problems_->error(entry.where,
                   kind_.empty() ? fmt::format("unknown key {}", quote(entry.key))
                                 : fmt::format("unknown key {} in {}", quote(entry.key), name_),
                   hint_for(kind_, entry.key, names));
}

std::vector<std::string> values(const std::vector<Text>& texts) {
  std::vector<std::string> values;
  values.reserve(texts.size());
  for (const Text& text : texts)
    values.push_back(text.value);
  return values;
}

}  // namespace bartizan
