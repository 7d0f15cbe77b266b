#include "config/load/load_url.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "config/check_name.h"
#include "config/load/load_parts.h"
#include "schemas/base/ascii.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

using Type = TomlValue::Type;

constexpr std::array<std::pair<std::string_view, bool>, 2> kPrivateNetworks{
    {{"refuse", false}, {"allow", true}}};

/// Source: RFC 3986 §3.1.
bool is_scheme(std::string_view text) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  return !text.empty() && is_lower(text.front()) && std::ranges::all_of(text, [&](char c) {
    return is_lower(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  });
}

/// A misspelt scheme permits nothing, which is hard to notice. An unknown one may be right.
void check_scheme(const Text& scheme, Problems& problems) {
  static const std::vector<std::string_view> kHostless{"about", "blob",       "cid",    "data",
                                                       "file",  "javascript", "mailto", "urn"};
  static const std::vector<std::string_view> kUsual{
      "https",  "http", "wss",   "ws",       "ftp",        "ftps",  "sftp",    "ssh",
      "git",    "svn",  "rsync", "postgres", "postgresql", "mysql", "mongodb", "redis",
      "rediss", "amqp", "amqps", "nats",     "ldap",       "ldaps", "imap",    "imaps",
      "smtp",   "smb",  "nfs",   "s3",       "tcp",        "tls",   "telnet"};
  if (!is_scheme(scheme.value)) {
    problems.error(scheme.where, fmt::format("{} is not a scheme of URLs", quote(scheme.value)),
                   "write it in lower case and without its colon, such as \"https\"");
    return;
  }
  if (std::ranges::find(kHostless, scheme.value) != kHostless.end()) {
    problems.error(scheme.where, fmt::format("URLs with {} name no host, so none would pass",
                                             quote(scheme.value)));
    return;
  }
  if (std::ranges::find(kUsual, scheme.value) != kUsual.end()) return;
  std::string hint = hint_near(scheme.value, kUsual);
  if (hint.empty()) return;
  problems.warning(scheme.where, fmt::format("{} is an unusual scheme", quote(scheme.value)),
                   std::move(hint));
}

std::vector<std::string> load_schemes(TableReader& table) {
  static constexpr std::string_view kKey = "schemes";
  if (!table.has(kKey)) return UrlForm().schemes;
  const std::vector<Text> schemes = table.texts(kKey);
  table.refuse_empty(kKey);
  for (const Text& scheme : schemes)
    check_scheme(scheme, table.problems());
  return values(schemes);
}

std::vector<std::string> load_hosts(TableReader& table) {
  static constexpr std::string_view kKey = "hosts";
  static constexpr std::string_view kHint = "write [\"**\"] for every host";
  table.refuse_empty(kKey, std::string(kHint));
  if (!table.has(kKey)) {
    table.problems().error(table.where(), "a url needs \"hosts\"", std::string(kHint));
  }
  return values(table.texts(kKey));
}

std::vector<std::uint16_t> load_ports(TableReader& table) {
  static constexpr std::string_view kKey = "ports";
  std::vector<std::uint16_t> ports;
  const TomlEntry* entry = table.find(kKey, Type::array);
  if (entry == nullptr) return ports;
  table.refuse_empty(kKey, "leave it out for the port of the scheme alone");
  const std::vector<TomlValue>& items = entry->value.items;
  if (items.size() > limits::predicate_values_max) {
    table.problems().error(
        entry->value.where,
        fmt::format("{} has more than {} entries", quote(kKey), limits::predicate_values_max));
    return ports;
  }
  for (const TomlValue& item : items) {
    const bool is_port = item.type == Type::integer && item.integer >= 1 &&
                         item.integer <= std::numeric_limits<std::uint16_t>::max();
    const auto port = is_port ? static_cast<std::uint16_t>(item.integer) : std::uint16_t{0};
    if (!is_port) {
      table.problems().error(item.where, "\"ports\" has whole numbers from 1 to 65535");
    } else if (std::ranges::find(ports, port) != ports.end()) {
      table.problems().error(item.where, "\"ports\" has this port twice");
    } else {
      ports.push_back(port);
    }
  }
  return ports;
}

}  // namespace

UrlForm load_url_form(TableReader& table) {
  UrlForm form{.schemes = load_schemes(table),
               .hosts = load_hosts(table),
               .ports = load_ports(table),
               .hosts_where = table.where("hosts")};
  form.allow_private =
      table.choice<bool>("private_networks", kPrivateNetworks).value_or(form.allow_private);
  form.resolve = table.boolean("resolve").value_or(form.resolve);
  table.finish();
  return form;
}

std::map<std::string, UrlConfig, std::less<>> load_urls(TableReader& root) {
  std::map<std::string, UrlConfig, std::less<>> urls;
  for (auto& [name, table] : root.named_tables("url")) {
    check_name(name, "url", root.problems());
    urls.emplace(name.value,
                 UrlConfig{.name = name.value, .form = load_url_form(table), .where = name.where});
  }
  return urls;
}

}  // namespace bartizan
