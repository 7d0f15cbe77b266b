#include "gateway/command/command_registrations.h"

#include <string_view>

#include <fmt/format.h>

#include "gateway/command/ask_admin.h"
#include "policy/text/printable.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

using Act = RegistrationsOptions::Act;

constexpr std::string_view kCommand = "registrations";

int refuse(const CommandOutput& output, std::string_view why, int exit_code) {
  output.problems << fmt::format("bartizan {}: {}\n", kCommand, why);
  return finish(output, exit_code);
}

/// The facts for a person's decision. Invisible characters in a client's texts are escaped.
std::string line_of(JsonValue one) {
  const JsonValue said = one.find("registration");
  const JsonValue description = said.find("tool_metadata").find("description");
  std::string line =
      fmt::format("{}  {}/{}  version {}  {}, registered by {} at {}\n", one.find("number").raw(),
                  one.find("server").text(), printable(one.find("tool").text()),
                  printable(one.find("version").text()), one.find("state").text(),
                  printable(one.find("by").text()), one.find("at").text());
  if (description) line += fmt::format("    {}\n", printable(description.text()));
  line += fmt::format("    security_profile {}\n", printable(said.find("security_profile").raw()));
  return line + fmt::format("    schema {}\n", printable(said.find("schema").raw()));
}

int list(const std::string& socket, const CommandOutput& output) {
  const Result<AskedPage> page = ask_admin(socket, "GET /api/registrations");
  if (!page.has_value()) return refuse(output, page.error().detail, kExitFailed);
  if (page->status != 200) return refuse(output, reason_of_page(*page), kExitFailed);
  if (output.format == OutputFormat::json) {
    output.results << page->text;
    return finish(output, kExitDone);
  }
  const Bytes bytes{std::string_view(page->text)};
  JsonDocument document;
  const Result<JsonValue> answer = document.read(bytes, kResponseLimits);
  if (!answer.has_value()) return refuse(output, page->text, kExitFailed);
  std::string lines;
  for (const JsonValue one : answer->find("registrations"))
    lines += line_of(one);
  output.results << (lines.empty() ? "no tool is registered\n" : lines);
  return finish(output, kExitDone);
}

}  // namespace

int decide_registrations(const RegistrationsOptions& options, const CommandOutput& output) {
  const std::string socket =
      find_admin_socket(options.config, kCommand, "decide in the console", output);
  if (socket.empty()) return finish(output, kExitUsage);
  if (options.act == Act::list) return list(socket, output);
  const bool approves = options.act == Act::approve;
  const Result<AskedPage> page = ask_admin(
      socket,
      fmt::format("POST /api/registration/{}/{}", approves ? "approve" : "remove", options.number));
  if (!page.has_value()) return refuse(output, page.error().detail, kExitFailed);
  const bool is_done = page->status == 200;
  if (output.format == OutputFormat::json) {
    (is_done ? output.results : output.problems) << page->text;
  } else if (!is_done) {
    return refuse(output, reason_of_page(*page), kExitFailed);
  } else {
    output.results << fmt::format("{} registration {}\n", approves ? "approved" : "removed",
                                  options.number);
  }
  return finish(output, is_done ? kExitDone : kExitFailed);
}

}  // namespace bartizan
