#include "audit/record.h"

#include <cstddef>

namespace bartizan {

DecisionId make_decision_id(std::uint64_t unix_ms, const std::array<std::uint8_t, 10>& random) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < 6; ++i)
    bytes[i] = static_cast<std::uint8_t>(unix_ms >> (40 - 8 * i));
  for (std::size_t i = 0; i < random.size(); ++i)
    bytes[6 + i] = random[i];
  bytes[6] = static_cast<std::uint8_t>(0x70 | (bytes[6] & 0x0F));
  bytes[8] = static_cast<std::uint8_t>(0x80 | (bytes[8] & 0x3F));

  DecisionId id;
  std::size_t at = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) id.text[at++] = '-';
    id.text[at++] = kDigits[bytes[i] >> 4];
    id.text[at++] = kDigits[bytes[i] & 15];
  }
  return id;
}

std::string_view text(RecordKind kind) {
  switch (kind) {
    case RecordKind::start:
      return "start";
    case RecordKind::stop:
      return "stop";
    case RecordKind::decision:
      return "decision";
    case RecordKind::outcome:
      return "outcome";
    case RecordKind::refusal:
      return "refusal";
    case RecordKind::summary:
      return "summary";
    case RecordKind::gap:
      return "gap";
    case RecordKind::repair:
      return "repair";
    case RecordKind::reload:
      return "reload";
    case RecordKind::server:
      return "server";
    case RecordKind::file_end:
      return "file_end";
    case RecordKind::file_begin:
      return "file_begin";
    case RecordKind::file_removed:
      return "file_removed";
    case RecordKind::resume:
      return "resume";
    case RecordKind::release:
      return "release";
    case RecordKind::sign_in:
      return "sign_in";
    case RecordKind::sign_out:
      return "sign_out";
    case RecordKind::mismatch:
      return "mismatch";
    case RecordKind::grant:
      return "grant";
    case RecordKind::grant_end:
      return "grant_end";
    case RecordKind::revocation:
      return "revocation";
    case RecordKind::lift:
      return "lift";
    case RecordKind::approval:
      return "approval";
    case RecordKind::signing_key:
      return "signing_key";
    case RecordKind::registration:
      return "registration";
  }
  return "unknown";
}

std::string_view text(Outcome outcome) {
  switch (outcome) {
    case Outcome::none:
      return "none";
    case Outcome::success:
      return "success";
    case Outcome::tool_error:
      return "tool_error";
    case Outcome::error:
      return "error";
    case Outcome::denied:
      return "denied";
    case Outcome::timeout:
      return "timeout";
    case Outcome::failed:
      return "failed";
    case Outcome::cancelled:
      return "cancelled";
  }
  return "unknown";
}

bool is_ordinary(const Record& record) {
  if (record.kind == RecordKind::decision) {
    return record.decision == "permit" && record.would.empty();
  }
  return record.kind == RecordKind::outcome && record.reason.empty() && record.would.empty();
}

bool is_withheld(const Record& record) {
  return record.kind == RecordKind::outcome && record.outcome == Outcome::tool_error &&
         !record.reason.empty();
}

}  // namespace bartizan
