#include "gateway/command/command_key.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "audit/digest.h"
#include "config/parse_units.h"
#include "config/problems.h"
#include "gateway/command/read_moment.h"
#include "gateway/process/write_file.h"
#include "schemas/base/sha256.h"

namespace bartizan {
namespace {

/// Secret scanners recognise a leaked key by its prefix.
constexpr std::string_view kKeyPrefix = "btz_";
constexpr std::size_t kKeyBytesMax = 4096;

std::optional<Hash> random_256_bits() {
  Hash bytes = {};
  // The kernel returns up to 256 bytes completely. If interrupted before its pool is ready, it
  // returns none.
  ssize_t size = 0;
  do {
    size = getrandom(bytes.data(), bytes.size(), 0);
  } while (size < 0 && errno == EINTR);
  if (size != static_cast<ssize_t>(bytes.size())) return std::nullopt;
  return bytes;
}

std::string digest_of(std::string_view key) {
  return hex_of(Digester().sha256(key));
}

/// Whether the name is valid in a configuration.
bool is_name(std::string_view name) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return !name.empty() && name.size() <= 64 && name.find_first_not_of(kAllowed) == name.npos;
}

/// `expires` is the day as TOML has it, without quotes; empty for a key without an end.
std::string table_of(const KeyOptions& options, const std::string& digest,
                     const std::string& expires) {
  // A dot would begin a table within the table.
  const std::string header =
      options.name.contains('.') ? fmt::format("\"{}\"", options.name) : options.name;
  std::string table = fmt::format("[auth.api_key.{}]\nprincipal = \"{}\"\nsha256 = \"{}\"\n",
                                  header, options.principal, digest);
  if (!expires.empty()) table += fmt::format("expires = {}\n", expires);
  return table;
}

void write_json(const std::string& key, const std::string& table, const KeyOptions& options,
                const CommandOutput& output) {
  JsonObject json;
  options.out.empty() ? json.add("key", key) : json.add("key_file", options.out);
  json.add("sha256", digest_of(key));
  json.add("toml", table);
  output.results << json.text() << '\n';
}

int refuse(const CommandOutput& output, std::string_view why) {
  output.problems << "bartizan key: " << why << '\n';
  return kExitFailed;
}

/// Nothing if the variable does not exist, or its value is too long for a key.
std::optional<std::string> read_key(const KeySource& source) {
  if (!source.variable.empty()) {
    const char* value = std::getenv(source.variable.c_str());  // NOLINT(concurrency-mt-unsafe)
    if (value == nullptr) return std::nullopt;
    return value;
  }
  std::string key(kKeyBytesMax + 2, '\0');
  source.input.read(key.data(), static_cast<std::streamsize>(key.size()));
  key.resize(static_cast<std::size_t>(source.input.gcount()));
  // The line end of `echo` or of a file does not belong to the key.
  if (key.ends_with('\n')) key.pop_back();
  if (key.ends_with('\r')) key.pop_back();
  return key;
}

/// Whether an Authorization header can have it after `Bearer `. Source: RFC 6750 §2.1, b64token,
/// and the other visible characters, which some issuers use.
bool is_sendable(std::string_view key) {
  return std::ranges::all_of(key, [](char byte) { return byte > ' ' && byte < '\x7f'; });
}

}  // namespace

std::optional<NewKey> draw_key() {
  const std::optional<Hash> bits = random_256_bits();
  if (!bits) return std::nullopt;
  std::string key = fmt::format("{}{}", kKeyPrefix, hex_of(*bits));
  std::string sha256 = digest_of(key);
  return NewKey{.key = std::move(key), .sha256 = std::move(sha256)};
}

std::expected<std::string, std::string> read_key_expiry(std::string_view text, std::int64_t now) {
  using namespace std::chrono;
  constexpr std::size_t kDayLetters = std::string_view("2027-01-31").size();
  const sys_days today = floor<days>(sys_seconds(seconds(now)));
  std::optional<sys_days> day;
  if (const auto duration = parse_duration(text)) {
    if (*duration % days(1) != milliseconds(0)) {
      return std::unexpected("a key ends at midnight UTC: --expires takes whole days, such as 90d");
    }
    day = today + duration_cast<days>(*duration);
  } else if (const auto moment = read_moment(text, now); moment && text.size() == kDayLetters) {
    day = floor<days>(sys_time<microseconds>(microseconds(*moment)));
  }
  if (!day) {
    return std::unexpected(
        fmt::format("{} is no day: --expires takes 2027-01-31, or 90d for so many days from today",
                    quote(text)));
  }
  const std::string written = format_time(sys_seconds(*day).time_since_epoch().count());
  std::string shown = written.substr(0, kDayLetters);
  if (*day <= today) {
    return std::unexpected(
        fmt::format("the key would be refused at once: {} is not after today", shown));
  }
  return shown;
}

int make_key(const KeyOptions& options, const CommandOutput& output) {
  for (const std::string& checked : {options.name, options.principal}) {
    if (!is_name(checked)) {
      return refuse(output, "a name is 1 to 64 letters, digits, dots, dashes and underscores");
    }
  }
  std::string expires;
  if (!options.expires.empty()) {
    auto read = read_key_expiry(options.expires, command_time());
    if (!read.has_value()) return refuse(output, read.error());
    expires = *std::move(read);
  }
  const bool is_json = output.format == OutputFormat::json;
  if (!is_json && options.out.empty() && !options.has_terminal) {
    return refuse(output,
                  "standard error is not a terminal, so that the key would be kept in a file or a "
                  "log: write it to a file of its own with --out FILE, or take it from --json");
  }
  const std::optional<NewKey> made = draw_key();
  if (!made) return refuse(output, "the kernel gives no random bytes");
  if (!options.out.empty()) {
    if (const auto error = write_new_file(options.out, made->key + "\n")) {
      return refuse(output, fmt::format("cannot write {}: {}", options.out, error.message()));
    }
  }
  const std::string table = table_of(options, made->sha256, expires);
  if (is_json) {
    write_json(made->key, table, options, output);
    return finish(output, kExitDone);
  }
  output.results << table << std::flush;
  if (options.out.empty()) {
    output.problems << "\nThe key, shown this once: " << made->key
                    << "\nClients send it as \"Authorization: Bearer KEY\". The table above is for "
                       "the gateway's\nconfiguration and holds no secret.\n";
  } else {
    output.problems << "the key is in " << options.out << ", which only you can read\n";
  }
  return finish(output, kExitDone);
}

int hash_key(const KeySource& source, const CommandOutput& output) {
  const std::optional<std::string> key = read_key(source);
  if (!key) return refuse(output, "the environment has no such variable");
  if (key->empty()) return refuse(output, "the key is empty");
  if (key->size() > kKeyBytesMax) return refuse(output, "the key is longer than 4096 bytes");
  if (!is_sendable(*key)) {
    return refuse(output,
                  "the key contains a space, a line end or a byte that headers cannot carry");
  }
  output.results << digest_of(*key) << '\n';
  return finish(output, kExitDone);
}

}  // namespace bartizan
