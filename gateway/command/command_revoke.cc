#include "gateway/command/command_revoke.h"

#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "audit/digest.h"
#include "gateway/command/ask_admin.h"
#include "gateway/identity/bearer_token.h"
#include "schemas/base/secret_text.h"
#include "schemas/base/sha256.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

/// Longer than any accepted token.
constexpr std::size_t kTokenBytesMax = std::size_t{64} << 10;

std::string_view name_of(RevokeOptions::Act act) {
  return act == RevokeOptions::Act::block ? "block" : "revoke";
}

int refuse(const CommandOutput& output, std::string_view command, std::string_view why,
           int exit_code) {
  output.problems << fmt::format("bartizan {}: {}\n", command, why);
  return finish(output, exit_code);
}

/// A query value in form encoding. Source: WHATWG URL, "application/x-www-form-urlencoded
/// serializing".
std::string form_text(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._";
  std::string encoded;
  for (const char byte : text) {
    if (kPlain.contains(byte)) {
      encoded += byte;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    }
  }
  return encoded;
}

/// The first line of the input without its end; empty if it is too long.
std::string read_line(std::istream& input) {
  std::string line(kTokenBytesMax + 1, '\0');
  input.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(input.gcount()));
  if (line.size() > kTokenBytesMax) line.clear();
  if (const std::size_t end = line.find_first_of("\r\n"); end != line.npos) line.resize(end);
  return line;
}

std::string digest_of(std::string_view text) {
  return hex_of(Digester().sha256(text));
}

/// The identifier sent to the gateway; empty if there is none.
std::string subject_of(const RevokeOptions& options, std::istream& input) {
  if (options.kind == "session") return digest_of(options.name);
  if (options.kind != "token") return options.name;
  std::string token = read_line(input);
  if (token.empty()) return token;
  std::string digest = digest_of(revocable_part(token));
  wipe(token.data(), token.size());
  return digest;
}

/// `3  block tool files/write_file  by uid:0 at …: WHY`, one line each.
std::string line_of(JsonValue one) {
  const bool is_digest = static_cast<bool>(one.find("sha256"));
  std::string line = fmt::format(
      "{}  {} {} {}{}  by {} at {}", one.find("number").raw(), one.find("act").text(),
      one.find("kind").text(), is_digest ? "sha256 " : "",
      one.find(is_digest ? "sha256" : "name").text(), one.find("by").text(), one.find("at").text());
  if (one.find("until")) line += fmt::format(" until {}", one.find("until").text());
  return line + fmt::format(": {}\n", one.find("why").text());
}

/// Reports the result of an order.
int tell(std::string_view command, std::string_view done, const AskedPage& page,
         const CommandOutput& output) {
  const bool is_done = page.status == 200;
  if (output.format == OutputFormat::json) {
    (is_done ? output.results : output.problems) << page.text;
    return finish(output, is_done ? kExitDone : kExitFailed);
  }
  if (!is_done) return refuse(output, command, reason_of_page(page), kExitFailed);
  const Bytes bytes{std::string_view(page.text)};
  JsonDocument document;
  const Result<JsonValue> answer = document.read(bytes);
  if (!answer.has_value()) return refuse(output, command, page.text, kExitFailed);
  output.results << done << ' ' << line_of(answer->find("revocation"));
  return finish(output, kExitDone);
}

/// Sends an order to a configuration's gateway, and reports the result.
int order(const std::string& config, std::string_view command, std::string_view done,
          std::string_view question, const CommandOutput& output) {
  const std::string socket = find_admin_socket(config, command, "", output);
  if (socket.empty()) return finish(output, kExitUsage);
  const Result<AskedPage> page = ask_admin(socket, question);
  if (!page.has_value()) return refuse(output, command, page.error().detail, kExitFailed);
  return tell(command, done, *page, output);
}

}  // namespace

int revoke(const RevokeOptions& options, std::istream& input, const CommandOutput& output) {
  const std::string_view command = name_of(options.act);
  const std::string subject = subject_of(options, input);
  if (subject.empty()) {
    return refuse(output, command,
                  "write the token, or its jti, to standard input: one line of at most 64 KiB",
                  kExitUsage);
  }
  std::string question = fmt::format("POST /api/{}/{}?name={}&why={}", command, options.kind,
                                     form_text(subject), form_text(options.why));
  if (!options.lasts.empty()) question += fmt::format("&for={}", form_text(options.lasts));
  return order(options.config, command,
               options.act == RevokeOptions::Act::block ? "blocked:" : "revoked:", question,
               output);
}

int lift(const LiftOptions& options, const CommandOutput& output) {
  return order(options.config, "lift",
               "lifted:", fmt::format("POST /api/lift/{}", form_text(options.number)), output);
}

int list_revocations(const std::string& config, const CommandOutput& output) {
  constexpr std::string_view kCommand = "revocations";
  const std::string socket = find_admin_socket(config, kCommand, "", output);
  if (socket.empty()) return finish(output, kExitUsage);
  std::string lines;
  std::string objects;
  std::string after;
  for (bool has_more = true; has_more;) {
    const std::string before = after;
    const Result<AskedPage> page = ask_admin(socket, "GET /api/revocations" + after);
    if (!page.has_value()) return refuse(output, kCommand, page.error().detail, kExitFailed);
    const Bytes bytes{std::string_view(page->text)};
    JsonDocument document;
    const Result<JsonValue> answer = document.read(bytes);
    if (page->status != 200 || !answer.has_value()) {
      return refuse(output, kCommand, page->text, kExitFailed);
    }
    for (const JsonValue one : answer->find("revocations")) {
      lines += line_of(one);
      objects += fmt::format("{}{}", objects.empty() ? "" : ",", one.raw());
      after = fmt::format("/{}", one.find("number").raw());
    }
    has_more = answer->find("more").boolean().value_or(false) && after != before;
  }
  if (output.format == OutputFormat::json) {
    output.results << fmt::format("{{\"revocations\":[{}]}}\n", objects);
  } else {
    output.results << (lines.empty() ? "nothing is revoked or blocked\n" : lines);
  }
  return finish(output, kExitDone);
}

}  // namespace bartizan
