#include "config/load/load_described_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "config/check_name.h"
#include "config/transport.h"
#include "config/write_json.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

using Type = TomlValue::Type;
using Place = DescribedFacts::Place;

struct TargetKey {
  std::string_view key;
  TargetKind kind;
  std::string_view method;  ///< The default.
  char divider;             ///< Between server and name, as in rules.
  std::string_view example;
};
constexpr std::array<TargetKey, 3> kTargetKeys{
    {{"tool", TargetKind::tool, "tools/call", '/', "files/read_file"},
     {"resource", TargetKind::resource, "resources/read", ':', "files:file:///srv/data/a.md"},
     {"prompt", TargetKind::prompt, "prompts/get", '/', "mail/greet"}}};

/// Whether a method can have a target of that kind. Completion is about prompts and resources.
bool fits(const Method& method, TargetKind kind) {
  if (method.id == MethodId::completion_complete) return kind != TargetKind::tool;
  return method.target == kind;
}

void load_target(TableReader& table, const TargetKey& key, DescribedCall& call) {
  const std::string name = table.text(key.key).value_or("");
  const std::size_t divider = name.find_first_of("/:");
  const bool has_both = divider != std::string::npos && name[divider] == key.divider &&
                        divider > 0 && divider + 1 < name.size();
  if (!has_both && !name.empty()) {
    table.problems().error(table.where(key.key),
                           fmt::format("{} names no server and {}", quote(name), key.key),
                           fmt::format("write {} = \"{}\"", key.key, key.example));
  }
  call.target_kind = key.kind;
  call.method = key.method;
  if (!has_both) return;
  call.server = name.substr(0, divider);
  call.target = name.substr(divider + 1);
}

/// Loads the written method. It can differ from the target's default, or have no target.
void load_method(TableReader& table, DescribedCall& call) {
  const std::string name = table.text("method").value_or("");
  if (name.empty()) return;
  const Method& method = find_method(name);
  if (method.id == MethodId::unknown || method.is_notification || !method.from_client) {
    table.problems().error(table.where("method"),
                           fmt::format("{} is not a request that clients make", quote(name)));
  } else if (!fits(method, call.target_kind)) {
    table.problems().error(table.where("method"),
                           call.target_kind == TargetKind::none
                               ? fmt::format("{} needs its target beside it", quote(name))
                               : fmt::format("{} is about something else", quote(name)));
  }
  call.method = name;
}

void load_called(TableReader& table, DescribedCall& call) {
  std::size_t targets = 0;
  for (const TargetKey& key : kTargetKeys) {
    if (!table.has(key.key)) continue;
    ++targets;
    load_target(table, key, call);
  }
  load_method(table, call);
  if (targets > 1 || (targets == 0 && !table.has("method"))) {
    table.problems().error(table.where(),
                           "a call has one of \"tool\", \"resource\", \"prompt\" and \"method\"");
  }
}

std::string load_object(TableReader& table, std::string_view key) {
  const TomlEntry* entry = table.find(key);
  return entry == nullptr ? std::string() : load_json_object(*entry, table.problems());
}

/// Path → its resolution on disk.
std::map<std::string, Place, std::less<>> load_places(TableReader& table) {
  std::map<std::string, Place, std::less<>> places;
  auto written = table.table_of_kind("places", "facts.places");
  if (!written.has_value()) return places;
  for (const Text& path : written->keys()) {
    if (const auto place = written->choice<Place>(path.value, kPlaceNames))
      places.emplace(path.value, *place);
  }
  written->finish();
  return places;
}

/// Path → the digest of its file's content.
std::map<std::string, std::string, std::less<>> load_contents(TableReader& table) {
  std::map<std::string, std::string, std::less<>> contents;
  auto written = table.table_of_kind("contents", "facts.contents");
  if (!written.has_value()) return contents;
  for (const Text& path : written->keys()) {
    const auto digest = written->text(path.value);
    if (!digest.has_value()) continue;
    check_sha256({.value = *digest, .where = written->where(path.value)}, written->problems());
    contents.emplace(path.value, *digest);
  }
  written->finish();
  return contents;
}

/// Name → its addresses.
std::map<std::string, std::vector<std::string>, std::less<>> load_addresses(TableReader& table) {
  std::map<std::string, std::vector<std::string>, std::less<>> addresses;
  auto written = table.table_of_kind("addresses", "facts.addresses");
  if (!written.has_value()) return addresses;
  for (const Text& name : written->keys())
    addresses.emplace(name.value, values(written->texts(name.value)));
  written->finish();
  return addresses;
}

void load_caller(TableReader& table, DescribedCall& call) {
  call.principal = table.text("principal").value_or("");
  call.roles = values(table.texts("roles"));
  std::ranges::sort(call.roles);
  if (table.has("principal") == table.has("roles")) {
    table.problems().error(table.where(), "a call has either a \"principal\" or \"roles\"");
  }
}

}  // namespace

std::string load_json_object(const TomlEntry& entry, Problems& problems) {
  if (entry.value.type == Type::table) return write_json(entry.value, problems);
  if (entry.value.type == Type::text) {
    const Bytes bytes(entry.value.text);
    JsonDocument document;
    const Result<JsonValue> value = document.read(bytes);
    if (value.has_value() && value->is(JsonType::object)) return entry.value.text;
  }
  problems.error(entry.value.where, fmt::format("{} must be a table", quote(entry.key)),
                 "or a JSON object as a string");
  return {};
}

std::string_view text(DescribedFacts::Place place) {
  return std::ranges::find(kPlaceNames, place, [](const auto& named) { return named.second; })
      ->first;
}

DescribedFacts load_described_facts(TableReader& table, const DescribedFacts& common) {
  DescribedFacts facts = common;
  if (const auto time = table.moment("time")) facts.time = time;
  if (const auto endpoint = table.text("endpoint")) facts.endpoint = endpoint;
  if (const auto address = table.text("client_address")) facts.client_address = address;
  if (table.has("approved_by")) facts.approved_by = values(table.texts("approved_by"));
  if (const auto transport = table.choice<Transport>("transport", kTransportNames)) {
    facts.transport = transport;
  }
  std::vector<std::pair<std::string_view, ProtocolVersion>> revisions;
  revisions.reserve(kProtocolVersions.size());
  for (const ProtocolVersion version : kProtocolVersions)
    revisions.emplace_back(text(version), version);
  if (const auto revision = table.choice<ProtocolVersion>("revision", revisions)) {
    facts.revision = revision;
  }
  if (table.has("places")) facts.places = load_places(table);
  if (table.has("contents")) facts.contents = load_contents(table);
  if (table.has("addresses")) facts.addresses = load_addresses(table);
  table.finish();
  return facts;
}

DescribedCall load_described_call(TableReader& table, const DescribedFacts& common) {
  DescribedCall call;
  call.where = table.where();
  load_caller(table, call);
  load_called(table, call);
  call.arguments = load_object(table, "arguments");
  const bool has_arguments =
      call.target_kind == TargetKind::tool || call.target_kind == TargetKind::prompt;
  if (table.has("arguments") && !has_arguments) {
    table.problems().error(table.where("arguments"), "only tools and prompts have arguments");
  }
  call.params = load_object(table, "params");
  if (table.has("params") && call.target_kind != TargetKind::none) {
    table.problems().error(table.where("params"), "\"params\" are those of a \"method\" alone");
  }
  auto facts = table.table_of_kind("facts", "facts");
  call.facts = facts.has_value() ? load_described_facts(*facts, common) : common;
  return call;
}

}  // namespace bartizan
