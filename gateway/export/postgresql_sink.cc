// PostgreSQL: records in a table with partitions by day, each record once.
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "config/export_place.h"
#include "config/load/load_config.h"
#include "gateway/export/postgresql_rows.h"
#include "gateway/export/sink.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/signal.h"
#include "schemas/base/secret_text.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

struct CloseConnection {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using ConnectionPtr = std::unique_ptr<PGconn, CloseConnection>;
using ResultPtr = std::unique_ptr<PGresult, ClearResult>;

/// One turn of a wait: the thread is the sink's own, and its loop must notice its end.
constexpr std::chrono::milliseconds kTurn{1};

/// libpq of PostgreSQL 15 does not find the system's roots by itself.
constexpr const char* kSystemRoots = "/etc/ssl/certs/ca-certificates.crt";

/// The first statement makes the tables of version 1; later versions append theirs. Each runs once,
/// in the order of this list, by the first gateway that needs it.
constexpr std::array kMigrations{
    // 1
    "CREATE TABLE bartizan.record ("
    "  day date NOT NULL, instance text NOT NULL, chain text NOT NULL, seq bigint NOT NULL,"
    "  hash text NOT NULL, at timestamptz NOT NULL, kind text NOT NULL, class text NOT NULL,"
    "  severity text NOT NULL, principal text, server text, method text, target text,"
    "  decision text, reason text, rule text, outcome text, decision_id text,"
    "  line text NOT NULL,"
    "  PRIMARY KEY (instance, chain, seq, day)) PARTITION BY RANGE (day);"
    "CREATE INDEX record_at ON bartizan.record (at);"
    "CREATE INDEX record_decision ON bartizan.record (decision_id);"
    "CREATE INDEX record_principal ON bartizan.record (principal, at);"
    "CREATE TABLE bartizan.conflict ("
    "  found timestamptz NOT NULL DEFAULT now(), instance text NOT NULL, chain text NOT NULL,"
    "  seq bigint NOT NULL, hash text NOT NULL, line text NOT NULL,"
    "  PRIMARY KEY (instance, chain, seq, hash));"
    "CREATE TABLE bartizan.head ("
    "  received timestamptz NOT NULL DEFAULT now(), instance text NOT NULL, chain text NOT NULL,"
    "  jws text NOT NULL);",
};

/// The most partitions that are remembered as existing.
constexpr std::size_t kDaysMax = 1000;

class PostgresqlSink : public Sink {
 public:
  PostgresqlSink(Loop& loop, const ExportConfig& config, ExportPlace place, SecretText password)
      : loop_(loop),
        place_(std::move(place)),
        user_(config.user),
        ca_file_(config.ca_file),
        is_plaintext_(config.plaintext),
        password_(std::move(password)) {}

  Task<Delivery> send(const RecordOrigin& origin,
                      std::span<const ExportedRecord> records) override {
    deadline_ = steady_now() + limits::export_deadline;
    Delivery delivery;
    state_.clear();
    std::string why = co_await ready();
    if (why.empty()) why = co_await make_partitions(records);
    if (why.empty()) why = co_await copy(origin, records);
    if (why.empty()) why = co_await move_staged(delivery);
    if (why.empty()) co_return delivery;
    // The end of the connection rolls back any open transaction.
    connection_ = nullptr;
    // Data exceptions, integrity violations and program limits concern these very rows.
    const bool is_refused =
        state_.starts_with("22") || state_.starts_with("23") || state_.starts_with("54");
    co_return Delivery{.kind = is_refused ? Delivery::Kind::refused : Delivery::Kind::failed,
                       .why = std::move(why)};
  }

  Task<Delivery> send_head(const RecordOrigin& origin, std::string_view jws) override {
    deadline_ = steady_now() + limits::export_deadline;
    std::string why = co_await ready();
    if (why.empty()) {
      const std::string token(jws);
      const std::array<const char*, 3> values{origin.instance.c_str(), origin.chain.c_str(),
                                              token.c_str()};
      const int sent = PQsendQueryParams(
          connection_.get(), "INSERT INTO bartizan.head (instance, chain, jws) VALUES ($1, $2, $3)",
          3, nullptr, values.data(), nullptr, nullptr, 0);
      why = sent == 1 ? co_await finish() : error();
    }
    if (why.empty()) co_return Delivery{};
    connection_ = nullptr;
    co_return Delivery{.kind = Delivery::Kind::failed, .why = std::move(why)};
  }

 private:
  /// The error message of the library, in one line.
  std::string error() const {
    std::string said = PQerrorMessage(connection_.get());
    std::ranges::replace(said, '\n', ' ');
    while (said.ends_with(' '))
      said.pop_back();
    return said.empty() ? "PostgreSQL does not answer" : said;
  }

  /// The SQLSTATE and the message; PostgreSQL's details contain values of the rows.
  std::string problem_of(const PGresult* result) {
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char* sentence = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    if (sentence == nullptr) return error();
    state_ = state == nullptr ? "" : state;
    // The message of a data exception contains the value.
    if (state_.starts_with("22")) return "PostgreSQL refuses a value, SQLSTATE " + state_;
    return std::string(sentence) + ", SQLSTATE " + state_;
  }

  /// Waits until the socket is readable or writable. The loop runs meanwhile.
  Task<bool> wait_for(short events) {
    Signal pause(loop_);
    while (steady_now() < deadline_) {
      pollfd one{.fd = PQsocket(connection_.get()), .events = events, .revents = 0};
      if (one.fd < 0) co_return false;
      if (::poll(&one, 1, static_cast<int>(kTurn.count())) != 0) co_return true;
      co_await yield_turn(loop_);
    }
    co_return false;
  }

  Task<std::string> ready() {
    if (connection_ != nullptr && PQstatus(connection_.get()) == CONNECTION_OK) co_return "";
    std::string why = co_await connect();
    if (why.empty()) why = co_await migrate();
    co_return why;
  }

  /// Resolves the host. The library would do so without a time limit.
  Task<std::string> resolve(std::string& address) {
    Resolver resolver(loop_.executor());
    Deadline deadline(
        loop_.wheel(), [](void* self) { static_cast<Resolver*>(self)->cancel(); }, &resolver);
    deadline.arm(limits::export_deadline);
    const auto [error, addresses] = co_await resolver.async_resolve(place_.host, "", kAwait);
    deadline.cancel();
    if (error || addresses.empty()) co_return "the database's host name does not resolve";
    address = addresses.begin()->endpoint().address().to_string();
    co_return "";
  }

  /// Sets every relevant option, so that no variable `PG…` and no file of the account decides.
  Task<std::string> connect() {
    std::string address;
    std::string why = co_await resolve(address);
    if (!why.empty()) co_return why;
    const std::string port = std::to_string(unsigned{place_.port});
    const bool is_plain = (place_.is_local() && ca_file_.empty()) || is_plaintext_;
    const std::string password(password_.view());
    const std::string roots = ca_file_.empty() ? kSystemRoots : ca_file_;
    // A missing file counts as none; an empty value would fall back to the variable.
    constexpr const char* kNoFile = "/nonexistent/bartizan";
    const std::array parameters{std::pair{"host", place_.host.c_str()},
                                std::pair{"hostaddr", address.c_str()},
                                std::pair{"port", port.c_str()},
                                std::pair{"dbname", place_.path.c_str()},
                                std::pair{"user", user_.c_str()},
                                std::pair{"password", password.c_str()},
                                std::pair{"passfile", kNoFile},
                                std::pair{"sslmode", is_plain ? "disable" : "verify-full"},
                                std::pair{"sslrootcert", roots.c_str()},
                                std::pair{"sslcert", kNoFile},
                                std::pair{"sslkey", kNoFile},
                                std::pair{"sslcrl", kNoFile},
                                std::pair{"sslcrldir", kNoFile},
                                std::pair{"sslsni", "1"},
                                std::pair{"ssl_min_protocol_version", "TLSv1.2"},
                                std::pair{"gssencmode", "disable"},
                                std::pair{"channel_binding", "prefer"},
                                std::pair{"application_name", "bartizan"},
                                std::pair{"client_encoding", "UTF8"},
                                std::pair{"connect_timeout", "15"},
                                std::pair{"target_session_attrs", "read-write"},
                                std::pair{"options", "-c timezone=UTC -c statement_timeout=15000"}};
    std::vector<const char*> keys;
    std::vector<const char*> values;
    for (const auto& [key, value] : parameters) {
      keys.push_back(key);
      values.push_back(value);
    }
    keys.push_back(nullptr);
    values.push_back(nullptr);
    connection_.reset(PQconnectStartParams(keys.data(), values.data(), 0));
    partitions_.clear();
    if (connection_ == nullptr) co_return "no memory for a connection";
    PQsetnonblocking(connection_.get(), 1);
    while (true) {
      const PostgresPollingStatusType status = PQconnectPoll(connection_.get());
      if (status == PGRES_POLLING_OK) break;
      if (status == PGRES_POLLING_FAILED) co_return error();
      const bool is_ready = co_await wait_for(status == PGRES_POLLING_READING ? POLLIN : POLLOUT);
      if (!is_ready) co_return "PostgreSQL does not answer in time";
    }
    PQsetnonblocking(connection_.get(), 1);
    co_return "";
  }

  /// Sends all queued bytes.
  Task<std::string> send_pending() {
    while (true) {
      const int left = PQflush(connection_.get());
      if (left == 0) co_return "";
      if (left < 0) co_return error();
      if (!co_await wait_for(POLLIN | POLLOUT)) co_return "PostgreSQL takes nothing";
      if (PQconsumeInput(connection_.get()) != 1) co_return error();
    }
  }

  /// The next result; null after the last one. `why` is the failure, if any.
  Task<ResultPtr> next_result(std::string& why) {
    why = co_await send_pending();
    if (!why.empty()) co_return nullptr;
    while (PQisBusy(connection_.get()) == 1) {
      if (!co_await wait_for(POLLIN)) {
        why = "PostgreSQL does not answer in time";
        co_return nullptr;
      }
      if (PQconsumeInput(connection_.get()) != 1) {
        why = error();
        co_return nullptr;
      }
    }
    co_return ResultPtr(PQgetResult(connection_.get()));
  }

  /// Reads all results; empty if each statement succeeded. `last` gets the last result with rows.
  Task<std::string> finish(ResultPtr* last = nullptr) {
    std::string first_problem;
    while (true) {
      std::string why;
      ResultPtr result = co_await next_result(why);
      if (!why.empty()) co_return why;
      if (result == nullptr) co_return first_problem;
      const ExecStatusType status = PQresultStatus(result.get());
      const bool is_done =
          status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
      if (!is_done && first_problem.empty()) {
        first_problem = problem_of(result.get());
      }
      if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT) co_return first_problem;
      if (last != nullptr && status == PGRES_TUPLES_OK) *last = std::move(result);
    }
  }

  Task<std::string> run(std::string statements, ResultPtr* last = nullptr) {
    if (PQsendQuery(connection_.get(), statements.c_str()) != 1) co_return error();
    co_return co_await finish(last);
  }

  /// Migrates the schema. If several gateways start at the same time, only one of them does.
  Task<std::string> migrate() {
    ResultPtr found;
    std::string why = co_await run(
        "BEGIN; SELECT pg_advisory_xact_lock(4242424242424242);"
        "CREATE SCHEMA IF NOT EXISTS bartizan;"
        "CREATE TABLE IF NOT EXISTS bartizan.version (version int PRIMARY KEY);"
        "SELECT coalesce(max(version), 0) FROM bartizan.version",
        &found);
    if (!why.empty() || found == nullptr) co_return why;
    const std::size_t version = std::strtoul(PQgetvalue(found.get(), 0, 0), nullptr, 10);
    std::string statements;
    for (std::size_t at = version; at < kMigrations.size(); ++at) {
      statements += kMigrations.at(at);
      statements += "INSERT INTO bartizan.version VALUES (" + std::to_string(at + 1) + ");";
    }
    why = co_await run(statements +
                       "COMMIT;"
                       "CREATE TEMPORARY TABLE staged (LIKE bartizan.record) ON COMMIT DELETE "
                       "ROWS; BEGIN");
    // COPY needs a transaction, so that the rows exist when they are moved.
    if (why.empty()) why = co_await run("COMMIT");
    co_return why;
  }

  Task<std::string> make_partitions(std::span<const ExportedRecord> records) {
    std::string statements;
    if (partitions_.size() > kDaysMax) partitions_.clear();
    for (const ExportedRecord& record : records) {
      const std::string day(day_of(record));
      if (!partitions_.insert(day).second) continue;
      statements += "CREATE TABLE IF NOT EXISTS bartizan.";
      statements += partition_name(day);
      statements += " PARTITION OF bartizan.record FOR VALUES FROM ('";
      statements += day;
      statements += "') TO (date '";
      statements += day;
      statements += "' + 1);";
    }
    if (statements.empty()) co_return "";
    // If two gateways make the same partition at the same time, one waits.
    std::string why = co_await run("BEGIN; SELECT pg_advisory_xact_lock(4242424242424242);" +
                                   statements + "COMMIT");
    if (!why.empty()) partitions_.clear();
    co_return why;
  }

  Task<std::string> copy(const RecordOrigin& origin, std::span<const ExportedRecord> records) {
    std::string why = co_await run("BEGIN");
    if (!why.empty()) co_return why;
    const std::string statement = "COPY staged (" + std::string(kRecordColumns) + ") FROM STDIN";
    if (PQsendQuery(connection_.get(), statement.c_str()) != 1) co_return error();
    const ResultPtr begun = co_await next_result(why);
    if (!why.empty()) co_return why;
    if (PQresultStatus(begun.get()) != PGRES_COPY_IN) {
      co_return problem_of(begun.get());
    }
    std::string rows;
    for (const ExportedRecord& record : records)
      append_record_row(rows, origin, record);
    why = co_await put(rows);
    if (why.empty() && PQputCopyEnd(connection_.get(), nullptr) < 0) why = error();
    if (why.empty()) why = co_await finish();
    co_return why;
  }

  Task<std::string> put(const std::string& rows) {
    constexpr std::size_t kPiece = std::size_t{64} << 10;
    std::size_t at = 0;
    while (at < rows.size()) {
      const std::size_t size = std::min(kPiece, rows.size() - at);
      const int put = PQputCopyData(connection_.get(), rows.data() + at, static_cast<int>(size));
      if (put < 0) co_return error();
      if (put == 1) {
        at += size;
        continue;
      }
      if (!co_await wait_for(POLLOUT)) co_return "PostgreSQL takes nothing";
    }
    co_return "";
  }

  /// Keeps existing rows. If an existing row has another hash, the new one is kept beside it.
  Task<std::string> move_staged(Delivery& delivery) {
    const std::string columns(kRecordColumns);
    ResultPtr found;
    std::string why = co_await run(
        "INSERT INTO bartizan.record (" + columns + ") SELECT " + columns +
            " FROM staged ON CONFLICT DO NOTHING;"
            "INSERT INTO bartizan.conflict (instance, chain, seq, hash, line)"
            " SELECT s.instance, s.chain, s.seq, s.hash, s.line FROM staged s"
            " WHERE EXISTS (SELECT 1 FROM bartizan.record r WHERE r.instance = s.instance"
            "  AND r.chain = s.chain AND r.seq = s.seq AND r.hash <> s.hash)"
            " ON CONFLICT DO NOTHING;"
            "SELECT min(s.seq) FROM staged s JOIN bartizan.conflict c"
            " USING (instance, chain, seq, hash);"
            "COMMIT",
        &found);
    if (!why.empty()) co_return why;
    const bool has_conflict =
        found != nullptr && PQntuples(found.get()) == 1 && PQgetisnull(found.get(), 0, 0) == 0;
    if (has_conflict) {
      delivery.conflict = "the table has another record " +
                          std::string(PQgetvalue(found.get(), 0, 0)) +
                          " of this chain; bartizan.conflict has this one";
    }
    co_return "";
  }

  Loop& loop_;
  ExportPlace place_;
  std::string user_;
  std::string ca_file_;
  bool is_plaintext_;
  SecretText password_;
  ConnectionPtr connection_;
  std::set<std::string, std::less<>> partitions_;  ///< Days with an existing partition.
  Clock::time_point deadline_{};
  std::string state_;  ///< SQLSTATE of the last failure. Source: PostgreSQL 15, appendix A.
};

}  // namespace

Result<std::unique_ptr<Sink>> open_postgresql_sink(Loop& loop, const ExportConfig& config) {
  auto place = parse_export_place(config.url);
  if (!place) {
    return fail(ErrorCode::config_invalid, Fault::gateway, "\"url\" is not a place of PostgreSQL");
  }
  // Connection parameters do not override the file that this variable names.
  if (std::getenv("PGSERVICE") != nullptr) {
    return fail(ErrorCode::config_invalid, Fault::gateway,
                "the variable PGSERVICE would decide where records go: unset it");
  }
  SecretText password;
  if (config.password.kind != SecretReference::Kind::none) {
    Result<SecretText> read = read_secret(config.password);
    if (!read.has_value()) return std::unexpected(read.error());
    password = *std::move(read);
  }
  return std::make_unique<PostgresqlSink>(loop, config, *std::move(place), std::move(password));
}

}  // namespace bartizan
