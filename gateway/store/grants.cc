#include "gateway/store/grants.h"

#include <utility>

#include <fmt/format.h>

#include "gateway/store/database.h"

namespace bartizan {
namespace {

using Kind = UsedCode::Kind;
using Rows = Result<std::vector<Row>>;

Result<void> done(const Rows& rows) {
  return rows.has_value() ? Result<void>() : std::unexpected(rows.error());
}

/// The columns of a grant, in the order of `grant_of`.
constexpr std::size_t kGrantColumns = 11;

Grant grant_of(const Row& row) {
  return {.id = text_of(row[0]),
          .door = text_of(row[1]),
          .principal = text_of(row[2]),
          .client = text_of(row[3]),
          .resource = text_of(row[4]),
          .scopes = text_of(row[5]),
          .claims = text_of(row[6]),
          .provider_token = text_of(row[7]),
          .refresh = text_of(row[8]),
          .refresh_key = text_of(row[9]),
          .ends = number_of(row[10])};
}

/// Rows that refer to a grant go with it: the tables say `ON DELETE CASCADE`.
Result<void> forget_ended(Database& database, std::int64_t now) {
  for (const Sql& text : {Sql("DELETE FROM grants WHERE ends_at <= ?"),
                          Sql("DELETE FROM grant_codes WHERE ends_at <= ?"),
                          Sql("DELETE FROM access_tokens WHERE ends_at <= ?")}) {
    const Result<void> step = done(database.query(text, {now}));
    if (!step.has_value()) return step;
  }
  return {};
}

Result<void> end_grant(Database& database, const std::string& id) {
  return done(database.query("DELETE FROM grants WHERE id = ?", {id}));
}

Result<void> insert_tokens(Database& database, const std::string& grant,
                           const GrantTokens& tokens) {
  Result<void> step =
      done(database.query("INSERT INTO access_tokens (digest, grant_id, ends_at) VALUES (?, ?, ?)",
                          {tokens.access, grant, tokens.access_ends}));
  if (!step.has_value()) return step;
  step = done(database.query(
      "DELETE FROM access_tokens WHERE grant_id = ?1 AND digest NOT IN"
      " (SELECT digest FROM access_tokens WHERE grant_id = ?1 ORDER BY ends_at DESC, rowid DESC"
      " LIMIT ?2)",
      {grant, limits::access_tokens_of_grant_max}));
  if (!step.has_value()) return step;
  return done(database.query("UPDATE grants SET provider_token = ?, refresh = ? WHERE id = ?",
                             {tokens.provider_token, tokens.refresh, grant}));
}

/// The oldest grants of a user beyond those that he may have, which end.
Result<std::vector<std::string>> make_room(Database& database, const Grant& grant) {
  const Rows ended = database.query(
      "DELETE FROM grants WHERE id IN (SELECT id FROM grants WHERE principal = ?1"
      " ORDER BY made_at DESC, rowid DESC LIMIT -1 OFFSET ?2) RETURNING id",
      {grant.principal, limits::grants_of_principal_max - 1});
  if (!ended.has_value()) return std::unexpected(ended.error());
  const Result<std::int64_t> held = database.number("SELECT count(*) FROM grants");
  if (!held.has_value()) return std::unexpected(held.error());
  if (*held >= limits::grants_max) {
    return fail(ErrorCode::overloaded, Fault::gateway, "as many grants hold as may be");
  }
  std::vector<std::string> ids;
  for (const Row& row : *ended)
    ids.push_back(text_of(row[0]));
  return ids;
}

Result<std::vector<std::string>> insert(Database& database, const Grant& grant,
                                        const GrantCode& code, std::int64_t now) {
  Result<void> step = forget_ended(database, now);
  if (!step.has_value()) return std::unexpected(step.error());
  Result<std::vector<std::string>> ended = make_room(database, grant);
  if (!ended.has_value()) return ended;
  step = done(database.query(
      "INSERT INTO grants (id, door, principal, client, resource, scopes, claims, provider_token,"
      " refresh, refresh_key, ends_at, made_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?, ?)",
      {grant.id, grant.door, grant.principal, grant.client, grant.resource, grant.scopes,
       grant.claims, grant.provider_token, grant.refresh_key, grant.ends, now}));
  if (!step.has_value()) return std::unexpected(step.error());
  step =
      done(database.query("INSERT INTO grant_codes (digest, grant_id, redirect, challenge, ends_at)"
                          " VALUES (?, ?, ?, ?, ?)",
                          {code.digest, grant.id, code.redirect, code.challenge, code.ends}));
  if (!step.has_value()) return std::unexpected(step.error());
  return ended;
}

Result<UsedCode> use(Database& database, const std::string& digest, std::int64_t now) {
  const Rows rows = database.query(
      "SELECT g.id, g.door, g.principal, g.client, g.resource, g.scopes, g.claims,"
      " g.provider_token, g.refresh, g.refresh_key, g.ends_at, c.redirect, c.challenge, c.is_used, "
      "c.ends_at"
      " FROM grant_codes c JOIN grants g ON g.id = c.grant_id WHERE c.digest = ?"
      " AND g.ends_at > ?",
      {digest, now});
  if (!rows.has_value()) return std::unexpected(rows.error());
  if (rows->empty()) return UsedCode();
  const Row& row = rows->front();
  UsedCode used{.grant = grant_of(row),
                .code = {.digest = digest,
                         .redirect = text_of(row[kGrantColumns]),
                         .challenge = text_of(row[kGrantColumns + 1]),
                         .ends = number_of(row[kGrantColumns + 3])}};
  const bool was_used = number_of(row[kGrantColumns + 2]) != 0;
  if (!was_used && used.code.ends <= now) return UsedCode();
  used.kind = was_used ? Kind::again : Kind::first;
  const Result<void> step =
      was_used
          ? end_grant(database, used.grant.id)
          // Known for as long as the tokens are that it was changed for.
          : done(database.query("UPDATE grant_codes SET is_used = 1, ends_at = ? WHERE digest = ?",
                                {used.grant.ends, digest}));
  if (!step.has_value()) return std::unexpected(step.error());
  return used;
}

/// Whether the grant is there still, and has that refresh token.
Result<bool> has_refresh(Database& database, const Grant& grant, std::int64_t now) {
  const Rows rows =
      database.query("SELECT 1 FROM grants WHERE id = ? AND refresh = ? AND ends_at > ?",
                     {grant.id, grant.refresh, now});
  if (!rows.has_value()) return std::unexpected(rows.error());
  return !rows->empty();
}

Result<bool> change(Database& database, const Grant& grant, const GrantTokens& tokens,
                    std::int64_t now) {
  const Result<bool> is_valid = has_refresh(database, grant, now);
  if (!is_valid.has_value() || !*is_valid) return is_valid;
  Result<void> step;
  if (!grant.claims.empty()) {
    step =
        done(database.query("UPDATE grants SET claims = ? WHERE id = ?", {grant.claims, grant.id}));
  }
  if (!step.has_value()) return std::unexpected(step.error());
  step = insert_tokens(database, grant.id, tokens);
  if (!step.has_value()) return std::unexpected(step.error());
  return true;
}

using Ended = std::optional<Grant>;

Result<Ended> first_grant(const Rows& rows) {
  if (!rows.has_value()) return std::unexpected(rows.error());
  return rows->empty() ? Ended() : Ended(grant_of(rows->front()));
}

}  // namespace

Task<Result<std::vector<std::string>>> Grants::add(Loop& loop, Grant grant, GrantCode code,
                                                   std::int64_t now) {
  return store_.ask<std::vector<std::string>>(
      loop, [grant = std::move(grant), code = std::move(code), now](Database& database) {
        return database.in_transaction([&] { return insert(database, grant, code, now); });
      });
}

Task<Result<UsedCode>> Grants::use_code(Loop& loop, std::string digest, std::int64_t now) {
  return store_.ask<UsedCode>(loop, [digest = std::move(digest), now](Database& database) {
    return database.in_transaction([&] { return use(database, digest, now); });
  });
}

Task<Result<bool>> Grants::add_tokens(Loop& loop, std::string grant, GrantTokens tokens,
                                      std::int64_t now) {
  // Before its first tokens a grant has no refresh token.
  return rotate(loop, {.id = std::move(grant)}, std::move(tokens), now);
}

Task<Result<std::optional<Grant>>> Grants::find(Loop& loop, std::string id, std::int64_t now) {
  return store_.ask<Ended>(loop, [id = std::move(id), now](Database& database) {
    return first_grant(database.query(
        "SELECT id, door, principal, client, resource, scopes, claims, provider_token, refresh,"
        " refresh_key, ends_at FROM grants WHERE id = ? AND ends_at > ?",
        {id, now}));
  });
}

Task<Result<bool>> Grants::rotate(Loop& loop, Grant grant, GrantTokens tokens, std::int64_t now) {
  return store_.ask<bool>(
      loop, [grant = std::move(grant), tokens = std::move(tokens), now](Database& database) {
        return database.in_transaction([&] { return change(database, grant, tokens, now); });
      });
}

Task<Result<std::optional<Grants::Found>>> Grants::find_access(Loop& loop, std::string digest,
                                                               std::int64_t now) {
  using Answer = std::optional<Found>;
  return store_.ask<Answer>(
      loop, [digest = std::move(digest), now](Database& database) -> Result<Answer> {
        const Rows rows = database.query(
            "SELECT g.id, g.door, g.principal, g.client, g.resource, g.scopes, g.claims,"
            " g.provider_token, g.refresh, g.refresh_key, g.ends_at, a.ends_at"
            " FROM access_tokens a JOIN grants g ON g.id = a.grant_id WHERE a.digest = ?1"
            " AND a.ends_at > ?2 AND g.ends_at > ?2",
            {digest, now});
        if (!rows.has_value()) return std::unexpected(rows.error());
        if (rows->empty()) return Answer();
        return Found{.grant = grant_of(rows->front()),
                     .access_ends = number_of(rows->front()[kGrantColumns])};
      });
}

Task<Result<std::optional<Grant>>> Grants::find_token(Loop& loop, std::string digest,
                                                      std::int64_t now) {
  return store_.ask<Ended>(loop, [digest = std::move(digest), now](Database& database) {
    return first_grant(database.query(
        "SELECT id, door, principal, client, resource, scopes, claims, provider_token, refresh,"
        " refresh_key, ends_at FROM grants WHERE ends_at > ?2 AND (refresh = ?1 OR id IN"
        " (SELECT grant_id FROM access_tokens WHERE digest = ?1 AND ends_at > ?2))",
        {digest, now}));
  });
}

Task<Result<std::optional<Grant>>> Grants::end(Loop& loop, std::string id) {
  return store_.ask<Ended>(loop, [id = std::move(id)](Database& database) {
    return first_grant(database.query(
        "DELETE FROM grants WHERE id = ? RETURNING id, door, principal, client, resource, scopes,"
        " claims, provider_token, refresh, refresh_key, ends_at",
        {id}));
  });
}

Task<Result<std::vector<std::string>>> Grants::end_all_of(Loop& loop, std::string principal) {
  using Ids = std::vector<std::string>;
  return store_.ask<Ids>(
      loop, [principal = std::move(principal)](Database& database) -> Result<Ids> {
        const Rows rows =
            database.query("DELETE FROM grants WHERE principal = ? RETURNING id", {principal});
        if (!rows.has_value()) return std::unexpected(rows.error());
        Ids ids;
        for (const Row& row : *rows)
          ids.push_back(text_of(row[0]));
        return ids;
      });
}

}  // namespace bartizan
