#include "config/load/load_credentials.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "config/parse_host_port.h"
#include "config/server_header.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

void warn_of_plain_network(TableReader& table, const ServerConfig& server, std::string_view what) {
  const bool is_plain = parse_url_kind(as_http_url(server.url)) == UrlKind::http;
  if (!is_plain || is_loopback(url_host(as_http_url(server.url)))) return;
  table.problems().warning(table.where(), fmt::format("{} cross the network unencrypted", what),
                           "use an https:// URL");
}

/// The Basic scheme separates the two with a colon. Source: RFC 7617 §2.
void check_user(TableReader& table, const std::string& user) {
  if (!user.contains(':') && !has_control_character(user)) return;
  table.problems().error(table.where("user"), "\"user\" holds a colon or a control character");
}

void check_name(TableReader& table, const std::string& name, const ServerConfig& server) {
  const std::string_view fault = find_header_fault(name);
  if (!fault.empty()) {
    table.problems().error(table.where(name), fmt::format("{} {}", quote(name), fault),
                           "leave it out");
  }
  const bool has_credentials = server.bearer.kind != SecretReference::Kind::none ||
                               server.password.kind != SecretReference::Kind::none;
  if (has_credentials && is_same_header(name, "Authorization")) {
    table.problems().error(table.where(name),
                           fmt::format("{} is what \"credentials\" are sent as", quote(name)),
                           "keep one of the two");
  }
  const auto is_twin = [&name](const ServerHeader& other) {
    return is_same_header(other.name, name);
  };
  const auto twin = std::ranges::find_if(server.headers, is_twin);
  if (twin == server.headers.end()) return;
  table.problems().error(table.where(name), fmt::format("{} and {} are one header to servers",
                                                        quote(twin->name), quote(name)));
}

bool is_reference(std::string_view value) {
  return value.starts_with("env:") || value.starts_with("file:");
}

}  // namespace

void load_credentials(TableReader& server_table, ServerConfig& server) {
  auto table = server_table.table("credentials");
  if (!table) return;
  server.bearer = table->secret("bearer");
  server.user = table->text("user").value_or("");
  server.password = table->secret("password");
  check_user(*table, server.user);
  if (table->has("user") != table->has("password")) {
    table->problems().error(table->where(), "\"user\" and \"password\" belong together",
                            "write both, or bearer = \"file:PATH\"");
  }
  if (table->has("bearer") && table->has("password")) {
    table->problems().error(table->where("password"),
                            "\"bearer\" and \"password\" are two proofs, and one is sent",
                            "keep one of the two");
  }
  warn_of_plain_network(*table, server, "the credentials");
  table->finish();
}

void load_headers(TableReader& server_table, ServerConfig& server) {
  auto table = server_table.table("headers");
  if (!table) return;
  for (const Text& key : table->keys()) {
    ServerHeader header{.name = key.value};
    check_name(*table, key.value, server);
    const std::string value = table->text(key.value).value_or("");
    if (is_reference(value)) {
      header.secret = table->secret(key.value);
    } else if (!is_header_value(value)) {
      // It may be a pasted secret, so it is not repeated.
      table->problems().error(table->where(key.value),
                              fmt::format("the value of {} holds a control character, or begins or "
                                          "ends with a blank",
                                          quote(key.value)));
    } else {
      header.value = value;
    }
    server.headers.push_back(std::move(header));
  }
  std::ranges::sort(server.headers, {}, &ServerHeader::name);
  if (std::ranges::any_of(server.headers, [](const ServerHeader& header) {
        return header.secret.kind != SecretReference::Kind::none;
      })) {
    warn_of_plain_network(*table, server, "the secrets in \"headers\"");
  }
  table->finish();
}

}  // namespace bartizan
