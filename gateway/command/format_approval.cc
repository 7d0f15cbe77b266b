#include "gateway/command/format_approval.h"

#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "gateway/command/format_finding.h"

namespace bartizan {
namespace {

std::string text_of(JsonValue of, std::string_view member) {
  return printable(of.find(member).text());
}

std::string labelled(std::string_view label, std::string_view text) {
  return text.empty() ? "" : fmt::format("{:<11}{}\n", fmt::format("{}:", label), text);
}

/// A value with all that is below it, each on a line. Input: `name` is printable.
void append_value(std::string& lines, std::size_t depth, std::string_view name, JsonValue value) {
  lines.append(2 * depth, ' ');
  lines += name;
  const bool is_list = value.is(JsonType::object) || value.is(JsonType::array);
  if (!is_list || value.begin() == value.end()) {
    const bool is_text = value.is(JsonType::string);
    lines +=
        fmt::format(": {}\n", is_text ? "text " + printable(value.text()) : printable(value.raw()));
    return;
  }
  lines += ":\n";
  std::size_t index = 0;
  for (const JsonValue member : value) {
    const std::string below =
        value.is(JsonType::object) ? printable(member.key()) : fmt::format("{}", index);
    append_value(lines, depth + 1, below, member);
    ++index;
  }
}

std::string readings_text(JsonValue readings) {
  std::string lines;
  for (const JsonValue one : readings) {
    lines += fmt::format("  {} {}\n", text_of(one, "pointer"), text_of(one, "kind"));
    std::string_view reading = one.find("reading").text();
    while (!reading.empty()) {
      const std::string_view line = reading.substr(0, reading.find('\n'));
      lines += fmt::format("    {}\n", printable(line));
      reading.remove_prefix(std::min(line.size() + 1, reading.size()));
    }
  }
  return lines.empty() ? lines : "as the gateway reads it:\n" + lines;
}

std::string call_text(JsonValue call) {
  if (!call.is(JsonType::object)) {
    return "arguments are not kept once a call is decided\n";
  }
  std::string lines;
  if (const JsonValue tool = call.find("tool"))
    append_value(lines, 0, "tool, says its server", tool);
  lines += readings_text(call.find("readings"));
  append_value(lines, 0, "sent", call.find("params"));
  if (const JsonValue sent_as = call.find("sent_as")) {
    append_value(lines, 0, "leaves as", sent_as);
  }
  if (call.find("has_secrets")) lines += "it leaves with secrets that nobody is shown\n";
  lines += "calls of this session before it:\n";
  const JsonValue history = call.find("history");
  for (const JsonValue line : history)
    lines += fmt::format("  {}\n", printable(line.text()));
  if (history.begin() == history.end()) lines += "  none, as far as is known\n";
  return lines;
}

std::string answers_text(JsonValue answers) {
  std::string lines;
  for (const JsonValue answer : answers) {
    lines += fmt::format("{} said {} at {}", text_of(answer, "approver"),
                         text_of(answer, "decision"), text_of(answer, "at"));
    if (answer.find("why")) lines += ": " + text_of(answer, "why");
    lines += '\n';
  }
  return lines;
}

std::string place_of(JsonValue approval) {
  return fmt::format("{}/{}", text_of(approval, "server"), text_of(approval, "target"));
}

}  // namespace

std::string approval_line(JsonValue approval) {
  return fmt::format("{}  {}  {}  {}  (rule {})  ends {}\n", text_of(approval, "id"),
                     text_of(approval, "state"), text_of(approval, "principal"), place_of(approval),
                     text_of(approval, "rule"), text_of(approval, "ends_at"));
}

std::string approval_text(JsonValue approval) {
  std::string lines = labelled("approval", text_of(approval, "id"));
  lines += labelled("state",
                    fmt::format("{}, approved by {} of {}", text_of(approval, "state"),
                                approval.find("approved_by").raw(), approval.find("needed").raw()));
  lines +=
      labelled("what", fmt::format("{} ({})", place_of(approval), text_of(approval, "method")));
  lines += labelled("who", text_of(approval, "principal"));
  lines += labelled("endpoint", text_of(approval, "endpoint"));
  lines += labelled("rule", text_of(approval, "rule"));
  lines += labelled("asked", text_of(approval, "asked_at"));
  lines += labelled("ends", text_of(approval, "ends_at"));
  lines += labelled("policy", text_of(approval, "policy"));
  lines += labelled("digest", text_of(approval, "digest"));
  lines += call_text(approval.find("call"));
  lines += answers_text(approval.find("answers"));
  if (approval.find("why_not"))
    lines += "you cannot answer: " + text_of(approval, "why_not") + "\n";
  return lines;
}

}  // namespace bartizan
