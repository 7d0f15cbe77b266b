#include "gateway/store/revocations.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "audit/digest.h"
#include "gateway/store/database.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;
using Kind = Revocation::Kind;

constexpr std::array<std::pair<Kind, std::string_view>, 7> kKinds{
    {{Kind::principal, "principal"},
     {Kind::session, "session"},
     {Kind::key, "key"},
     {Kind::token, "token"},
     {Kind::block_principal, "block_principal"},
     {Kind::block_server, "block_server"},
     {Kind::block_tool, "block_tool"}}};

std::unexpected<Error> invalid(std::string detail) {
  return fail(ErrorCode::invalid_params, Fault::client, std::move(detail));
}

Result<void> check_text(std::string_view name, std::string_view text) {
  if (text.empty()) return invalid(fmt::format("a revocation needs {}", name));
  if (text.size() > limits::revocation_text_bytes_max) {
    return invalid(fmt::format("{} of a revocation has at most {} bytes", name,
                               limits::revocation_text_bytes_max));
  }
  const bool has_control = std::ranges::any_of(
      text, [](char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f; });
  if (has_control) return invalid(fmt::format("{} of a revocation has a control character", name));
  if (!is_valid_utf8(text)) return invalid(fmt::format("{} of a revocation is not UTF-8", name));
  return {};
}

Result<void> check(const Revocation& revocation) {
  const std::array<std::pair<std::string_view, std::string_view>, 4> texts{
      {{"\"subject\"", revocation.subject},
       {"\"by\"", revocation.by},
       {"\"why\"", revocation.why},
       {"\"decision_id\"", revocation.decision_id}}};
  for (const auto& [name, text] : texts) {
    const Result<void> checked = check_text(name, text);
    if (!checked.has_value()) return checked;
  }
  // Not the secret itself, which a reader of the file could use.
  if (is_by_digest(revocation.kind) && !parse_hex(revocation.subject).has_value()) {
    return invalid(
        fmt::format("the subject of a revoked {} is its SHA-256, 64 lower-case "
                    "hexadecimal digits",
                    text(revocation.kind)));
  }
  if (revocation.until.has_value() && *revocation.until <= revocation.at) {
    return invalid("a revocation ends after it begins");
  }
  return {};
}

std::int64_t count_of(sys_seconds time) {
  return time.time_since_epoch().count();
}

Revocation revocation_of(const Row& row) {
  Revocation revocation{.id = number_of(row[0]),
                        .subject = text_of(row[2]),
                        .by = text_of(row[3]),
                        .why = text_of(row[4]),
                        .decision_id = text_of(row[5]),
                        .at = sys_seconds(seconds(number_of(row[6])))};
  revocation.kind = parse_revocation_kind(text_of(row[1])).value_or(Kind::principal);
  if (std::holds_alternative<std::int64_t>(row[7])) {
    revocation.until = sys_seconds(seconds(number_of(row[7])));
  }
  return revocation;
}

Result<void> forget_ended(Database& database, sys_seconds now) {
  const auto done = database.query("DELETE FROM revocations WHERE ends_at <= ?", {count_of(now)});
  return done.has_value() ? Result<void>() : std::unexpected(done.error());
}

Result<void> forget(Database& database, const std::string& decision_id) {
  const auto done = database.query("DELETE FROM revocations WHERE decision_id = ?", {decision_id});
  return done.has_value() ? Result<void>() : std::unexpected(done.error());
}

/// The store outlives the caller; a `Revocations` may not.
Task<Result<void>> forget_and_wait(Store& store, Loop& loop, std::string decision_id) {
  const auto forgotten = co_await store.ask<bool>(
      loop, [decision_id = std::move(decision_id)](Database& database) -> Result<bool> {
        const Result<void> done = forget(database, decision_id);
        if (!done.has_value()) return std::unexpected(done.error());
        return true;
      });
  co_return forgotten.has_value() ? Result<void>() : std::unexpected(forgotten.error());
}

Cell end_of(const Revocation& revocation) {
  return revocation.until.has_value() ? Cell(count_of(*revocation.until)) : Cell();
}

Result<Revocation> insert(Database& database, Revocation revocation) {
  const Result<void> forgotten = forget_ended(database, revocation.at);
  if (!forgotten.has_value()) return std::unexpected(forgotten.error());
  const Result<std::int64_t> held = database.number("SELECT count(*) FROM revocations");
  if (!held.has_value()) return std::unexpected(held.error());
  if (static_cast<std::size_t>(*held) >= limits::revocations_max) {
    return fail(ErrorCode::overloaded, Fault::client,
                fmt::format("{} revocations hold already, and no more are kept: lift some, or "
                            "revoke the principal",
                            limits::revocations_max));
  }
  const auto inserted = database.query(
      "INSERT INTO revocations (kind, subject, made_by, why, decision_id, made_at, ends_at)"
      " VALUES (?, ?, ?, ?, ?, ?, ?)",
      {std::string(text(revocation.kind)), revocation.subject, revocation.by, revocation.why,
       revocation.decision_id, count_of(revocation.at), end_of(revocation)});
  if (!inserted.has_value()) return std::unexpected(inserted.error());
  revocation.id = database.inserted();
  return revocation;
}

}  // namespace

std::string_view text(Revocation::Kind kind) {
  return std::ranges::find(kKinds, kind, [](const auto& one) { return one.first; })->second;
}

std::optional<Revocation::Kind> parse_revocation_kind(std::string_view text) {
  const auto* const found =
      std::ranges::find(kKinds, text, [](const auto& one) { return one.second; });
  if (found == kKinds.end()) return std::nullopt;
  return found->first;
}

bool is_block(Revocation::Kind kind) {
  return kind == Kind::block_principal || kind == Kind::block_server || kind == Kind::block_tool;
}

bool is_by_digest(Revocation::Kind kind) {
  return kind == Kind::session || kind == Kind::key || kind == Kind::token;
}

Task<Result<Revocation>> Revocations::revoke(Loop& loop, Revocation revocation) {
  using Answer = Result<Revocation>;
  const Result<void> checked = check(revocation);
  if (!checked.has_value()) return Task<Answer>::ready(std::unexpected(checked.error()));
  return store_.ask<Revocation>(loop, [revocation = std::move(revocation)](Database& database) {
    return database.in_transaction([&] { return insert(database, revocation); });
  });
}

Task<Result<void>> Revocations::take_back(Loop& loop, std::string decision_id) {
  return forget_and_wait(store_, loop, std::move(decision_id));
}

Result<void> Revocations::take_back_later(std::string decision_id) {
  return store_.tell([decision_id = std::move(decision_id)](Database& database) {
    return forget(database, decision_id);
  });
}

Result<void> Revocations::keep_later(Revocation revocation) {
  return store_.tell([revocation = std::move(revocation)](Database& database) -> Result<void> {
    const auto kept = database.query(
        "INSERT OR IGNORE INTO revocations"
        " (id, kind, subject, made_by, why, decision_id, made_at, ends_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        {revocation.id, std::string(text(revocation.kind)), revocation.subject, revocation.by,
         revocation.why, revocation.decision_id, count_of(revocation.at), end_of(revocation)});
    return kept.has_value() ? Result<void>() : std::unexpected(kept.error());
  });
}

Task<Result<std::optional<Revocation>>> Revocations::lift(Loop& loop, std::int64_t id) {
  using Lifted = std::optional<Revocation>;
  return store_.ask<Lifted>(loop, [id](Database& database) -> Result<Lifted> {
    const auto rows = database.query(
        "DELETE FROM revocations WHERE id = ?"
        " RETURNING id, kind, subject, made_by, why, decision_id, made_at, ends_at",
        {id});
    if (!rows.has_value()) return std::unexpected(rows.error());
    if (rows->empty()) return Lifted();
    return revocation_of(rows->front());
  });
}

Result<std::vector<Revocation>> Revocations::all(sys_seconds now) {
  using All = std::vector<Revocation>;
  return store_.ask_now<All>([now](Database& database) -> Result<All> {
    const Result<void> forgotten = forget_ended(database, now);
    if (!forgotten.has_value()) return std::unexpected(forgotten.error());
    const auto rows = database.query(
        "SELECT id, kind, subject, made_by, why, decision_id, made_at, ends_at FROM revocations"
        " ORDER BY id");
    if (!rows.has_value()) return std::unexpected(rows.error());
    All all;
    all.reserve(rows->size());
    for (const Row& row : *rows)
      all.push_back(revocation_of(row));
    return all;
  });
}

}  // namespace bartizan
