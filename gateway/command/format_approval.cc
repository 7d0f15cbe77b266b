#include "gateway/command/format_approval.h"

#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "gateway/approval/shown_call_text.h"
#include "policy/text/printable.h"

namespace bartizan {
namespace {

std::string text_of(JsonValue of, std::string_view member) {
  return printable(of.find(member).text());
}

std::string labelled(std::string_view label, std::string_view text) {
  return text.empty() ? "" : fmt::format("{:<11}{}\n", fmt::format("{}:", label), text);
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
  lines += shown_call_text(approval.find("call"));
  lines += answers_text(approval.find("answers"));
  if (approval.find("why_not"))
    lines += "you cannot answer: " + text_of(approval, "why_not") + "\n";
  return lines;
}

}  // namespace bartizan
