#include "gateway/setup/convert_groundhog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "config/load/load_config.h"
#include "gateway/review/config_review.h"
#include "tests/checkout.h"

namespace bartizan {
namespace {

std::string fixture(const std::string& name) {
  std::ifstream file(project_file("tests/end_to_end/fixtures/seeds/groundhog/" + name));
  std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(text, "") << name;
  return text;
}

/// The document with another value of a key, or without the key where the value is empty.
std::string edit(std::string text, std::string_view table, std::string_view key,
                 std::string_view value) {
  const std::size_t header = text.find("[mcp.protocol" + std::string(table) + "]\n");
  const std::size_t begin = text.find("\n" + std::string(key) + " = ", header);
  EXPECT_TRUE(header != text.npos && begin != text.npos) << table << " " << key;
  const std::size_t end = text.find('\n', begin + 1);
  const std::string line =
      value.empty() ? "" : "\n" + std::string(key) + " = " + std::string(value);
  return text.replace(begin, end - begin, line);
}

Conversion convert(const std::string& text, const std::vector<std::string>& hosts = {}) {
  return convert_groundhog(text, "/etc/groundhog/groundhog.toml", hosts);
}

std::string told(const Conversion& conversion, std::string_view key) {
  std::string lines;
  for (const ConvertedKey& one : conversion.keys) {
    if (one.key == key) lines += one.became + one.refused + "; " + one.instead + "\n";
  }
  return lines;
}

std::string all_told(const Conversion& conversion) {
  std::string lines;
  for (const ConvertedKey& one : conversion.keys)
    lines +=
        one.where + ": " + one.key + ": " + one.became + one.refused + "; " + one.instead + "\n";
  for (const std::string& note : conversion.notes)
    lines += note + "\n";
  return lines + conversion.config;
}

std::vector<std::string> refused_keys(const Conversion& conversion) {
  std::vector<std::string> keys;
  for (const ConvertedKey& key : conversion.keys) {
    if (!key.refused.empty()) keys.push_back(key.key);
  }
  return keys;
}

/// As the loader takes it.
LoadedConfig load(const std::string& config) {
  LoadedConfig loaded = load_config_text(config, "/etc/bartizan/gateway.toml");
  for (const ConfigProblem& problem : loaded.problems)
    ADD_FAILURE() << text(problem) << "\n" << config;
  return loaded;
}

std::vector<std::string> rates_of(const LimitConfig& limit) {
  std::vector<std::string> rates;
  for (const Rate& rate : limit.rates)
    rates.push_back(std::to_string(rate.count) + "/" + std::to_string(rate.window.count()));
  return rates;
}

TEST(ConvertGroundhog, RefusesTheDatabaseOfTheDocument) {
  const Conversion conversion = convert(fixture("documented.toml"));
  EXPECT_FALSE(conversion.is_whole());
  EXPECT_EQ(refused_keys(conversion),
            (std::vector<std::string>{"mcp.protocol.audit.sinks.database_url"}));
  const std::string url = told(conversion, "mcp.protocol.audit.sinks.database_url");
  EXPECT_TRUE(url.contains("holds a password")) << url;
  EXPECT_TRUE(url.contains("\"file:/etc/bartizan/secrets/export\"")) << url;
  EXPECT_FALSE(all_told(conversion).contains("user:pass"));
  EXPECT_FALSE(all_told(conversion).contains("postgresql://"));
}

TEST(ConvertGroundhog, SinksBecomeExports) {
  std::string text = fixture("documented.toml");
  const std::string sinks = ".audit.sinks";
  text = edit(text, sinks, "remote_endpoint", "\"https://audit.example.com/api/events\"");
  text = edit(text, sinks, "remote_sink", "true");
  text = edit(text, sinks, "database_url", "\"postgresql://user@localhost/groundhog\"");
  text = edit(text, ".audit", "log_performance_events", "false");
  const Conversion conversion = convert(text);
  ASSERT_TRUE(conversion.is_whole()) << all_told(conversion);
  const LoadedConfig loaded = load(conversion.config);
  const ExportConfigs& exports = loaded.config.exports;
  ASSERT_EQ(exports.size(), 2U);
  const ExportConfig& database = exports.at("database");
  EXPECT_EQ(database.type, ExportConfig::Type::postgresql);
  EXPECT_EQ(database.url, "postgresql://localhost/groundhog");
  EXPECT_EQ(database.user, "user");
  const ExportConfig& remote = exports.at("remote");
  EXPECT_EQ(remote.type, ExportConfig::Type::json_lines);
  EXPECT_EQ(remote.url, "https://audit.example.com/api/events");
  for (const auto& [name, sink] : exports) {
    EXPECT_FALSE(sink.log_performance_events) << name;
    EXPECT_TRUE(sink.log_tool_invocations) << name;
  }
}

TEST(ConvertGroundhog, ConvertsAllOfAMendedDocument) {
  const Conversion conversion = convert(fixture("mended.toml"));
  ASSERT_TRUE(conversion.is_whole()) << all_told(conversion);
  EXPECT_EQ(conversion.keys.size(), 30U);
  EXPECT_TRUE(
      conversion.config.contains("\n[endpoint.groundhog]\npath = \"/mcp\"\nprotocol = "
                                 "\"groundhog\"\n"));
  const Config config = load(conversion.config).config;
  EXPECT_EQ(config.listen.address.host, "127.0.0.1");
  EXPECT_EQ(config.listen.address.port, 8080);
  EXPECT_TRUE(config.listen.web_socket);
  EXPECT_EQ(config.listen.tls->cert, "/etc/groundhog/certs/server.crt");
  EXPECT_EQ(config.listen.tls->key.name, "/etc/groundhog/certs/server.key");
  EXPECT_EQ(config.listen.tls->client_ca, "/etc/groundhog/certs/ca.crt");
  EXPECT_EQ(config.endpoints.at("groundhog").path, "/mcp");
  EXPECT_EQ(config.auth.mode, AuthConfig::Mode::required);
  EXPECT_EQ(config.session.authentication_timeout, std::chrono::seconds(30));
  EXPECT_EQ(config.session.session_timeout, std::chrono::hours(1));
  EXPECT_EQ(config.session.idle, std::chrono::hours(1));
  EXPECT_EQ(config.session.max_concurrent_sessions, 100U);
  ASSERT_EQ(config.limits.size(), 3U);
  EXPECT_EQ(config.limits.at("everyone").per, std::vector<LimitKey>{});
  EXPECT_EQ(config.limits.at("user").per, std::vector{LimitKey::principal});
  EXPECT_EQ(config.limits.at("tool").per, std::vector{LimitKey::tool});
  EXPECT_EQ(rates_of(config.limits.at("everyone")),
            (std::vector<std::string>{"1000/1000", "60000/60000"}));
  EXPECT_EQ(rates_of(config.limits.at("user")), (std::vector<std::string>{"10/1000", "600/60000"}));
  EXPECT_EQ(rates_of(config.limits.at("tool")), (std::vector<std::string>{"5/1000", "300/60000"}));
  EXPECT_EQ(config.audit.file, "/var/log/groundhog/mcp-audit.log");
  EXPECT_EQ(config.audit.retention, std::chrono::hours(90 * 24));
}

/// Nobody was invented who could come in.
TEST(ConvertGroundhog, LetsNobodyIn) {
  const Config config = load(convert(fixture("mended.toml")).config).config;
  const std::vector<ConfigProblem> doubts = find_doubts(config, 0);
  ASSERT_EQ(doubts.size(), 1U);
  EXPECT_EQ(doubts[0].message, "nobody can authenticate: there is no [auth.api_key.NAME]");
}

TEST(ConvertGroundhog, ShowsWhatIsStillToBeWritten) {
  const std::string config = convert(fixture("mended.toml")).config;
  const std::size_t begin = config.find("# --- still to be written");
  ASSERT_NE(begin, config.npos);
  std::istringstream lines(config.substr(begin));
  std::string whole = config.substr(0, begin);
  for (std::string line; std::getline(lines, line);) {
    const bool is_key = line.starts_with("# ") && line.contains(" = ");
    if (is_key || line.starts_with("# [")) whole += line.substr(2) + "\n";
  }
  const Config loaded = load(whole).config;
  EXPECT_EQ(loaded.auth.api_keys.size(), 1U);
  EXPECT_EQ(loaded.servers.size(), 1U);
  EXPECT_EQ(loaded.rules.size(), 1U);
  EXPECT_EQ(find_doubts(loaded, 0).size(), 0U);
}

struct Row {
  std::string_view table;
  std::string_view key;
  std::string_view value;  ///< Empty: without the key.
  std::string_view told;   ///< What is said of the key, or of its table.
  bool is_refused = true;
};

void expect_told(const Row& row, const Conversion& conversion) {
  const std::string table = "mcp.protocol" + std::string(row.table);
  const std::string name = row.value.empty() ? table : table + "." + std::string(row.key);
  SCOPED_TRACE(name + " = " + std::string(row.value));
  const std::string lines =
      row.value.empty() && !row.is_refused ? all_told(conversion) : told(conversion, name);
  EXPECT_TRUE(lines.contains(row.told)) << lines << all_told(conversion);
  if (row.is_refused) {
    EXPECT_FALSE(conversion.is_whole());
    EXPECT_EQ(refused_keys(conversion), std::vector{name});
  } else {
    EXPECT_TRUE(conversion.is_whole()) << all_told(conversion);
    load(conversion.config);
  }
}

TEST(ConvertGroundhog, SaysWhatBecomesOfEachKey) {
  const std::string mended = fixture("mended.toml");
  constexpr bool kConverted = false;
  const Row rows[] = {
      {"", "version", "\"1.0.0\"", "protocol = \"groundhog\"", kConverted},
      {"", "version", "\"1.0.1\"", "must be \"1.0.0\", not \"1.0.1\"; did you mean \"1.0.0\"?"},
      {"", "version", "1", "must be a string, not an integer"},
      {"", "version", "", "needs \"version\"; write version = \"1.0.0\""},

      {".transport", "type", "\"websocket\"", "[listen] web_socket = true", kConverted},
      {".transport", "type", "\"http\"",
       "messages over WebSocket only; write type = \"websocket\""},
      {".transport", "type", "\"tcp\"", "messages over WebSocket only"},
      {".transport", "type", "\"web_socket\"", "did you mean \"websocket\"?"},
      {".transport", "type", "", "needs \"type\""},
      {".transport", "host", "\"localhost\"", "[listen] address = \"127.0.0.1:8080\"", kConverted},
      {".transport", "host", "\"::1\"", "[listen] address = \"[::1]:8080\"", kConverted},
      {".transport", "host", "\"gateway.example.com\"", "must be an address of this machine"},
      {".transport", "host", "\"127.0.0.1:8080\"", "must be an address of this machine"},
      {".transport", "host", "\"127.0.0\"", "must be an address of this machine"},
      {".transport", "host", "\"\"", "must not be empty"},
      {".transport", "host", "", "needs \"host\""},
      {".transport", "port", "65535", "the port of [listen] address", kConverted},
      {".transport", "port", "65536", "must be from 1 to 65535, not 65536"},
      {".transport", "port", "0", "must be from 1 to 65535, not 0"},
      {".transport", "port", "\"8080\"", "must be an integer, not a string"},
      {".transport", "port", "", "needs \"port\""},
      {".transport", "path", "\"/\"", "[endpoint.groundhog] path = \"/\"", kConverted},
      {".transport", "path", "\"mcp\"", "must be a plain absolute path"},
      {".transport", "path", "\"/mcp?x=1\"", "must be a plain absolute path"},
      {".transport", "path", "\"/.well-known/mcp\"", "must be a plain absolute path"},
      {".transport", "path", "", "needs \"path\""},

      {".transport.tls", "enabled", "false", "nothing: TLS is off", kConverted},
      {".transport.tls", "enabled", "\"true\"", "must be true or false"},
      {".transport.tls", "enabled", "", "needs \"enabled\""},
      {".transport.tls", "cert_file", "\"a.crt\"",
       "[listen.tls] cert = \"/etc/groundhog/a.crt\"; bartizan check reads the file", kConverted},
      {".transport.tls", "cert_file", "", "needs \"cert_file\""},
      {".transport.tls", "key_file", "\"/k\\\"\"", "[listen.tls] key = \"file:/k\\\"\"",
       kConverted},
      {".transport.tls", "key_file", "", "needs \"key_file\""},
      {".transport.tls", "ca_file", "\"/ca\"", "[listen.tls] client_ca = \"/ca\"", kConverted},
      {".transport.tls", "ca_file", "", "[listen.tls]", kConverted},

      {".security", "require_authentication", "true", "[auth] mode = \"required\"", kConverted},
      {".security", "require_authentication", "false", "write require_authentication = true"},
      {".security", "require_authentication", "", "mode = \"required\"", kConverted},
      {".security", "authentication_timeout", "86400", "authentication_timeout = \"1d\"",
       kConverted},
      {".security", "authentication_timeout", "86401", "must be from 1 to 86400, not 86401"},
      {".security", "authentication_timeout", "0", "must be from 1 to 86400, not 0"},
      {".security", "authentication_timeout", "30.0", "must be an integer"},
      {".security", "authentication_timeout", "", "[session]\nsession_timeout", kConverted},
      {".security", "session_timeout", "90", "[session] session_timeout = \"90s\", idle = \"90s\"",
       kConverted},
      {".security", "session_timeout", "31536001", "must be from 1 to 31536000"},
      {".security", "max_concurrent_sessions", "1000000",
       "[session] max_concurrent_sessions = 1000000", kConverted},
      {".security", "max_concurrent_sessions", "1000001", "must be from 1 to 1000000"},
      {".security", "max_concurrent_sessions", "-1", "must be from 1 to 1000000"},

      {".rate_limits", "global_requests_per_second", "1000000000",
       "[limit.everyone] rate has \"1000000000/s\"", kConverted},
      {".rate_limits", "global_requests_per_second", "1000000001", "must be from 1 to 1000000000"},
      {".rate_limits", "global_requests_per_minute", "0", "must be from 1 to 1000000000, not 0"},
      {".rate_limits", "user_requests_per_second", "7", "[limit.user] rate has \"7/s\"",
       kConverted},
      {".rate_limits", "user_requests_per_second", "", "rate = [\"600/min\"]", kConverted},
      {".rate_limits", "tool_requests_per_minute", "9", "[limit.tool] rate has \"9/min\"",
       kConverted},
      {".rate_limits", "tool_requests_per_minute", "9223372036854775807",
       "must be from 1 to 1000000000"},

      {".audit", "enabled", "true", "[audit]: without a record no call passes", kConverted},
      {".audit", "enabled", "false", "the record cannot be switched off"},
      {".audit", "log_tool_invocations", "true", "nothing: the record has the decision",
       kConverted},
      {".audit", "log_tool_invocations", "false", "there is no other sink", kConverted},
      {".audit", "log_security_events", "false", "write log_security_events = true"},
      {".audit", "log_performance_events", "false", "the record leaves nothing out", kConverted},
      {".audit", "log_protocol_errors", "0", "must be true or false"},
      {".audit", "retention_days", "3650", "[audit] retention = \"3650d\"", kConverted},
      {".audit", "retention_days", "3651", "must be from 1 to 3650, not 3651"},
      {".audit", "retention_days", "0", "must be from 1 to 3650, not 0"},
      {".audit", "retention_days", "", "[audit]\nfile", kConverted},

      {".audit.sinks", "file_sink", "false", "write file_sink = true"},
      {".audit.sinks", "file_sink", "", "needs \"file_sink\""},
      {".audit.sinks", "file_path", "\"logs/../a.log\"", "file = \"/etc/groundhog/a.log\"",
       kConverted},
      {".audit.sinks", "file_path", "", "needs \"file_path\""},
      {".audit.sinks", "database_sink", "false", "nothing: it is off", kConverted},
      {".audit.sinks", "database_sink", "true", "\"database_sink\" needs \"database_url\""},
      {".audit.sinks", "remote_sink", "false", "nothing: it is off", kConverted},
      {".audit.sinks", "remote_endpoint", "\"\"", "nothing: remote_sink is false", kConverted},
      {".audit.sinks", "remote_endpoint", "7", "must be a string"},
  };
  for (const Row& row : rows)
    expect_told(row, convert(edit(mended, row.table, row.key, row.value)));
}

TEST(ConvertGroundhog, ListensWhereTheLoaderLetsIt) {
  const std::string with_tls = fixture("mended.toml");
  const std::string without = edit(with_tls, ".transport.tls", "enabled", "false");
  const struct {
    std::string host;
    bool has_tls;
    std::vector<std::string> names;
    std::string told;
    std::string hosts;  ///< Empty where it is refused, or needs none.
  } rows[] = {
      {"127.0.0.1", false, {}, "address = \"127.0.0.1:8080\"", ""},
      {"127.9.9.9", false, {}, "address = \"127.9.9.9:8080\"", ""},
      {"localhost", false, {"gw"}, "address = \"127.0.0.1:8080\"", "[\"gw\"]"},
      {"192.0.2.7", true, {}, "address = \"192.0.2.7:8080\"", "[\"192.0.2.7\"]"},
      {"192.0.2.7", true, {"gw", "192.0.2.7"}, "192.0.2.7:8080", "[\"192.0.2.7\", \"gw\"]"},
      {"2001:db8::7", true, {}, "address = \"[2001:db8::7]:8080\"", "[\"[2001:db8::7]\"]"},
      {"0.0.0.0", true, {"gw"}, "address = \"0.0.0.0:8080\"", "[\"gw\"]"},
      {"::", true, {"gw"}, "address = \"[::]:8080\"", "[\"gw\"]"},
      {"192.0.2.7", false, {"gw"}, "there is no TLS; write enabled = true", ""},
      {"0.0.0.0", false, {"gw"}, "there is no TLS; write enabled = true", ""},
      {"0.0.0.0", true, {}, "--allowed-host NAME", ""},
      {"::", true, {}, "--allowed-host NAME", ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.host + (row.has_tls ? " with TLS" : " without TLS"));
    const std::string text =
        edit(row.has_tls ? with_tls : without, ".transport", "host", "\"" + row.host + "\"");
    const Conversion conversion = convert(text, row.names);
    const std::string lines = told(conversion, "mcp.protocol.transport.host");
    EXPECT_TRUE(lines.contains(row.told)) << lines;
    EXPECT_EQ(conversion.is_whole(),
              row.told.contains(row.host) || row.told.contains("address = "));
    if (!conversion.is_whole()) continue;
    EXPECT_EQ(conversion.config.contains("allowed_hosts"), !row.hosts.empty());
    EXPECT_TRUE(conversion.config.contains(row.hosts)) << conversion.config;
    load(conversion.config);
  }
}

TEST(ConvertGroundhog, NeverShowsWhereRecordsWereSent) {
  const struct {
    std::string value;
    bool is_secret;
  } rows[] = {
      {"postgresql://user:sesame@localhost/groundhog", true},
      {"postgresql://user@localhost/groundhog", false},
      {"postgresql://localhost/groundhog?password=sesame", true},
      {"host=localhost password=sesame", true},
      {"https://audit.example.com/?token=sesame", true},
      {"https://sesame.example.com/events", false},
  };
  for (const auto& row : rows) {
    for (const bool is_on : {false, true}) {
      SCOPED_TRACE(row.value + (is_on ? " on" : " off"));
      std::string text = fixture("mended.toml");
      text = edit(text, ".audit.sinks", "remote_endpoint", "\"" + row.value + "\"");
      text = edit(text, ".audit.sinks", "remote_sink", is_on ? "true" : "false");
      const Conversion conversion = convert(text);
      const std::string lines = told(conversion, "mcp.protocol.audit.sinks.remote_endpoint");
      EXPECT_EQ(lines.contains("holds a password"), row.is_secret) << lines;
      const bool is_place = row.value.starts_with("https://") && !row.is_secret;
      EXPECT_EQ(conversion.is_whole(), !is_on || is_place);
      EXPECT_EQ(all_told(conversion).contains("sesame"), is_on && is_place);
      EXPECT_FALSE(all_told(conversion).contains("localhost/"));
    }
  }
  const std::string undecided =
      edit(fixture("documented.toml"), ".audit.sinks", "database_sink", "");
  EXPECT_TRUE(told(convert(undecided), "mcp.protocol.audit.sinks.database_url")
                  .contains("write database_sink = false"));
}

TEST(ConvertGroundhog, HintsAtWhatWasMeant) {
  const std::string mended = fixture("mended.toml");
  const struct {
    std::string line;
    std::string told;
  } rows[] = {
      {"[mcp.protocol.transprot]\nport = 1\n",
       "transprot: unknown key \"transprot\" in mcp.protocol; did you mean \"transport\"?"},
      {"[mcp.protocol.security.mfa]\nenabled = true\n",
       "mfa: unknown key \"mfa\" in mcp.protocol.security"},
      {"[mcp.clients]\n", "mcp.clients: unknown key \"clients\" in mcp"},
      {"[llm]\nkey = \"sesame\"\n", "llm: unknown key \"llm\""},
  };
  for (const auto& row : rows) {
    const Conversion conversion = convert(mended + row.line);
    EXPECT_FALSE(conversion.is_whole());
    EXPECT_EQ(refused_keys(conversion).size(), 1U) << all_told(conversion);
    EXPECT_TRUE(all_told(conversion).contains(row.told)) << all_told(conversion);
    EXPECT_FALSE(all_told(conversion).contains("sesame"));
  }
}

TEST(ConvertGroundhog, RefusesWhatIsNoSuchConfiguration) {
  const struct {
    std::string text;
    std::string told;
  } rows[] = {
      {"", "/etc/groundhog/groundhog.toml: : there is no [mcp.protocol]"},
      {"[mcp]\n", "there is no [mcp.protocol]"},
      {"mcp = 1\n", "\"mcp\" must be a table, not an integer"},
      {"version = 1\n[audit]\nfile = \"a\"\n", "there is no [mcp.protocol]"},
      {"[mcp.protocol\n", "groundhog.toml:1:"},
      {"[mcp.protocol]\nversion = \"1.0.0\"\n", "mcp.protocol: needs \"transport\""},
      {"[mcp.protocol]\nversion = \"1.0.0\"\n", "mcp.protocol: needs \"audit\""},
      {std::string(std::size_t{5} << 20, ' '), "groundhog.toml"},
  };
  for (const auto& row : rows) {
    const Conversion conversion = convert(row.text);
    EXPECT_FALSE(conversion.is_whole());
    EXPECT_TRUE(all_told(conversion).contains(row.told)) << all_told(conversion);
  }
}

/// More problems than are shown: no key passes for a converted one.
TEST(ConvertGroundhog, TellsOfAllThatIsWrongInBoundedSpace) {
  std::string text = fixture("mended.toml");
  for (int i = 0; i < 1000; ++i)
    text += "unknown_" + std::to_string(i) + " = 1\n";
  const Conversion conversion = convert(text);
  EXPECT_FALSE(conversion.is_whole());
  EXPECT_TRUE(all_told(conversion).contains("800 more problems are not shown"));
  EXPECT_EQ(refused_keys(conversion).size(), 1001U);
}

}  // namespace
}  // namespace bartizan
