#include "gateway/store/pending_sign_ins.h"

#include <iterator>
#include <utility>
#include <vector>

#include "gateway/store/database.h"

namespace bartizan {
namespace {

using Rows = Result<std::vector<Row>>;
constexpr std::int64_t kDay = 86'400;

Result<void> done(const Rows& rows) {
  return rows.has_value() ? Result<void>() : std::unexpected(rows.error());
}

std::unexpected<Error> full(std::string detail) {
  return fail(ErrorCode::overloaded, Fault::client, std::move(detail));
}

using Pending = std::optional<PendingSignIn>;

Result<Pending> first_of(const Rows& rows) {
  if (!rows.has_value()) return std::unexpected(rows.error());
  if (rows->empty()) return Pending();
  const Row& row = rows->front();
  return PendingSignIn{.id = text_of(row[0]),
                       .browser = text_of(row[1]),
                       .source = text_of(row[2]),
                       .request = text_of(row[3]),
                       .ends = number_of(row[4])};
}

Result<void> insert(Database& database, const PendingSignIn& sign_in, std::int64_t now) {
  Result<void> step = done(database.query("DELETE FROM sign_ins WHERE ends_at <= ?", {now}));
  if (!step.has_value()) return step;
  const Rows counts = database.query(
      "SELECT (SELECT count(*) FROM sign_ins), (SELECT count(*) FROM sign_ins WHERE source = ?)",
      {sign_in.source});
  if (!counts.has_value()) return std::unexpected(counts.error());
  if (number_of(counts->front()[0]) >= limits::sign_ins_max) {
    return full("as many sign-ins are under way as may be");
  }
  if (number_of(counts->front()[1]) >= limits::sign_ins_of_source_max) {
    return full("as many sign-ins are under way from that network as may be");
  }
  return done(database.query(
      "INSERT INTO sign_ins (id, browser, source, request, ends_at) VALUES (?, ?, ?, ?, ?)",
      {sign_in.id, sign_in.browser, sign_in.source, sign_in.request, sign_in.ends}));
}

Result<void> insert(Database& database, const RegisteredClient& client, const std::string& source,
                    std::int64_t now) {
  const Rows counts = database.query(
      "SELECT (SELECT count(*) FROM registered_clients),"
      " (SELECT count(*) FROM registered_clients WHERE source = ? AND made_at > ?)",
      {source, now - kDay});
  if (!counts.has_value()) return std::unexpected(counts.error());
  if (number_of(counts->front()[1]) >= limits::registered_of_source_max) {
    return full("as many clients were registered from that network today as may be");
  }
  std::int64_t held = number_of(counts->front()[0]);
  if (held >= limits::registered_clients_max) {
    // A client with a grant is in use, however long ago its user signed in.
    const Rows dropped = database.query(
        "DELETE FROM registered_clients WHERE id IN (SELECT id FROM registered_clients c"
        " WHERE NOT EXISTS (SELECT 1 FROM grants g WHERE g.client = c.id)"
        " ORDER BY coalesce(used_at, made_at) LIMIT 100) RETURNING id");
    if (!dropped.has_value()) return std::unexpected(dropped.error());
    held -= std::ssize(*dropped);
  }
  if (held >= limits::registered_clients_max) {
    return full("as many clients are registered as may be");
  }
  return done(database.query(
      "INSERT INTO registered_clients (id, door, name, redirect_uris, source, made_at)"
      " VALUES (?, ?, ?, ?, ?, ?)",
      {client.id, client.door, client.name, client.redirect_uris, source, now}));
}

}  // namespace

Task<Result<void>> PendingSignIns::add(Loop& loop, PendingSignIn sign_in, std::int64_t now) {
  return store_.ask<void>(loop, [sign_in = std::move(sign_in), now](Database& database) {
    return database.in_transaction([&] { return insert(database, sign_in, now); });
  });
}

Task<Result<std::optional<PendingSignIn>>> PendingSignIns::find(Loop& loop, std::string id,
                                                                std::int64_t now) {
  return store_.ask<Pending>(loop, [id = std::move(id), now](Database& database) {
    return first_of(
        database.query("SELECT id, browser, source, request, ends_at FROM sign_ins"
                       " WHERE id = ? AND state IS NULL AND ends_at > ?",
                       {id, now}));
  });
}

Task<Result<bool>> PendingSignIns::forward(Loop& loop, std::string id, std::string state,
                                           std::string request, std::int64_t now) {
  return store_.ask<bool>(loop,
                          [id = std::move(id), state = std::move(state),
                           request = std::move(request), now](Database& database) -> Result<bool> {
                            const Rows rows = database.query(
                                "UPDATE sign_ins SET state = ?, request = ?"
                                " WHERE id = ? AND state IS NULL AND ends_at > ? RETURNING id",
                                {state, request, id, now});
                            if (!rows.has_value()) return std::unexpected(rows.error());
                            return !rows->empty();
                          });
}

Task<Result<std::optional<PendingSignIn>>> PendingSignIns::take(Loop& loop, std::string state,
                                                                std::int64_t now) {
  return store_.ask<Pending>(loop, [state = std::move(state), now](Database& database) {
    return first_of(
        database.query("DELETE FROM sign_ins WHERE state = ? AND ends_at > ?"
                       " RETURNING id, browser, source, request, ends_at",
                       {state, now}));
  });
}

Task<Result<bool>> PendingSignIns::drop(Loop& loop, std::string id) {
  return store_.ask<bool>(loop, [id = std::move(id)](Database& database) -> Result<bool> {
    const Rows rows =
        database.query("DELETE FROM sign_ins WHERE id = ? AND state IS NULL RETURNING id", {id});
    if (!rows.has_value()) return std::unexpected(rows.error());
    return !rows->empty();
  });
}

Task<Result<void>> Consents::remember(Loop& loop, std::string digest, std::string principal,
                                      std::int64_t ends, std::int64_t now) {
  return store_.ask<void>(loop, [digest = std::move(digest), principal = std::move(principal), ends,
                                 now](Database& database) {
    return database.in_transaction([&] {
      Result<void> step = done(database.query("DELETE FROM consents WHERE ends_at <= ?", {now}));
      if (!step.has_value()) return step;
      step = done(database.query(
          "INSERT OR REPLACE INTO consents (digest, principal, ends_at) VALUES (?, ?, ?)",
          {digest, principal, ends}));
      if (!step.has_value()) return step;
      return done(
          database.query("DELETE FROM consents WHERE digest IN (SELECT digest FROM consents"
                         " ORDER BY ends_at DESC LIMIT -1 OFFSET ?)",
                         {limits::consents_max}));
    });
  });
}

Task<Result<std::optional<std::string>>> Consents::find(Loop& loop, std::string digest,
                                                        std::int64_t now) {
  using Who = std::optional<std::string>;
  return store_.ask<Who>(
      loop, [digest = std::move(digest), now](Database& database) -> Result<Who> {
        const Rows rows = database.query(
            "SELECT principal FROM consents WHERE digest = ? AND ends_at > ?", {digest, now});
        if (!rows.has_value()) return std::unexpected(rows.error());
        return rows->empty() ? Who() : Who(text_of(rows->front()[0]));
      });
}

Task<Result<void>> RegisteredClients::add(Loop& loop, RegisteredClient client, std::string source,
                                          std::int64_t now) {
  return store_.ask<void>(
      loop, [client = std::move(client), source = std::move(source), now](Database& database) {
        return database.in_transaction([&] { return insert(database, client, source, now); });
      });
}

Task<Result<std::optional<RegisteredClient>>> RegisteredClients::find(Loop& loop, std::string id,
                                                                      std::string door,
                                                                      std::int64_t now) {
  using Found = std::optional<RegisteredClient>;
  return store_.ask<Found>(
      loop, [id = std::move(id), door = std::move(door), now](Database& database) -> Result<Found> {
        const Rows rows = database.query(
            "UPDATE registered_clients SET used_at = ? WHERE id = ? AND door = ?"
            " RETURNING id, door, name, redirect_uris",
            {now, id, door});
        if (!rows.has_value()) return std::unexpected(rows.error());
        if (rows->empty()) return Found();
        const Row& row = rows->front();
        return RegisteredClient{.id = text_of(row[0]),
                                .door = text_of(row[1]),
                                .name = text_of(row[2]),
                                .redirect_uris = text_of(row[3])};
      });
}

}  // namespace bartizan
