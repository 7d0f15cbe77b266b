#include "gateway/approval/shown_call_text.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "policy/text/printable.h"

namespace bartizan {
namespace {

std::string text_of(JsonValue of, std::string_view member) {
  return printable(of.find(member).text());
}

/// Appends a value with all its descendants, each on a line. Input: `name` is printable.
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

}  // namespace

std::string shown_call_text(JsonValue call) {
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

}  // namespace bartizan
