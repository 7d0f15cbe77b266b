// Sinks that take records by POST: JSON lines, Splunk, Elastic and OTLP.
#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "config/load/load_config.h"
#include "gateway/export/sink.h"
#include "gateway/http/fetch_document.h"
#include "gateway/runtime/log.h"
#include "schemas/base/secret_text.h"
#include "schemas/json/json_text.h"
#include "schemas/message/header_value.h"

namespace bartizan {
namespace {

using enum ExportConfig::Type;

constexpr std::size_t kAnswerMax = std::size_t{8} << 20;
constexpr JsonLimits kAnswerLimits{.bytes_max = kAnswerMax, .values_max = 1'000'000};
constexpr int kOk = 200;
constexpr int kConflict = 409;

/// The default path, if the URL has none.
std::string_view usual_path(ExportConfig::Type type) {
  switch (type) {
    case splunk:
      return "/services/collector/event";
    case elastic:
      return "/_bulk";
    case otlp:
      return "/v1/logs";
    default:
      return "/";
  }
}

/// Statuses that refuse these very records. Other failures can end: a key is renewed, a path
/// corrected, or a server restarted.
bool is_refusal(int status) {
  constexpr std::array kRefusals{400, 413, 422};
  return std::ranges::find(kRefusals, status) != kRefusals.end();
}

Delivery failed(std::string why) {
  return {.kind = Delivery::Kind::failed, .why = std::move(why)};
}

class HttpSink : public Sink {
 public:
  HttpSink(Loop& loop, const ExportConfig& config, ServerUrl url,
           std::shared_ptr<asio::ssl::context> tls, SecretText credential)
      : loop_(loop),
        type_(config.type),
        index_(config.index),
        url_(std::move(url)),
        tls_(std::move(tls)),
        authorization_(std::move(credential)) {}

  Task<Delivery> send(const RecordOrigin& origin,
                      std::span<const ExportedRecord> records) override {
    const Result<FetchedDocument> answer = co_await post(body_of(origin, records));
    if (!answer.has_value()) co_return failed(answer.error().detail);
    if (answer->status < kOk || answer->status >= 300) {
      const std::string why = "answered with status " + std::to_string(answer->status);
      co_return Delivery{
          .kind = is_refusal(answer->status) ? Delivery::Kind::refused : Delivery::Kind::failed,
          .why = why};
    }
    if (type_ == elastic) co_return co_await judge_bulk(answer->body, origin, records);
    if (type_ == otlp) co_return judge_otlp(answer->body);
    co_return Delivery{};
  }

  Task<Delivery> send_head(const RecordOrigin& origin, std::string_view jws) override {
    const std::string event = R"({"instance":)" + json_string(origin.instance) +
                              R"(,"chain_id":")" + origin.chain +
                              R"(","kind":"signed_head","jws":)" + json_string(jws) + '}';
    const Result<FetchedDocument> answer = co_await post(head_body(event, jws));
    if (!answer.has_value()) co_return failed(answer.error().detail);
    if (answer->status >= kOk && answer->status < 300) co_return Delivery{};
    co_return failed("answered with status " + std::to_string(answer->status));
  }

 private:
  Task<Result<FetchedDocument>> post(std::string body, std::string target = {}) {
    DocumentRequest request{
        .url = url_, .bytes_max = kAnswerMax, .deadline = limits::export_deadline};
    if (!target.empty()) request.url.target = std::move(target);
    request.json = std::move(body);
    const bool is_lines = type_ == elastic || type_ == json_lines;
    if (is_lines) request.json_type = "application/x-ndjson";
    request.authorization = authorization_.view();
    request.wants_body = type_ == elastic || type_ == otlp;
    co_return co_await fetch_document(loop_, tls_, std::move(request));
  }

  std::string body_of(const RecordOrigin& origin, std::span<const ExportedRecord> records) const {
    switch (type_) {
      case splunk:
        return splunk_events(origin, index_, records);
      case elastic:
        return elastic_bulk(origin, index_, records);
      case otlp:
        return otlp_logs(origin, records);
      default:
        return json_lines_of(origin, records);
    }
  }

  std::string head_body(const std::string& event, std::string_view jws) const {
    switch (type_) {
      case splunk:
        return R"({"source":"bartizan","sourcetype":"bartizan:head","event":)" + event + "}\n";
      case elastic:
        return R"({"create":{"_index":)" + json_string(index_) + "}}\n" + event + '\n';
      case otlp:
        return R"({"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":)"
               R"({"stringValue":"bartizan"}}]},"scopeLogs":[{"scope":{"name":"bartizan.head"},)"
               R"("logRecords":[{"severityNumber":9,"body":{"stringValue":)" +
               json_string(jws) +
               R"(},"attributes":[{"key":"event.name","value":{"stringValue":)"
               R"("bartizan.signed_head"}}]}]}]}]})";
      default:
        return event + '\n';
    }
  }

  /// A partial success must not be sent again. Source: OTLP/HTTP, "Partial Success".
  Delivery judge_otlp(const std::string& body) {
    std::unique_ptr<JsonDocument> document = loop_.lease_document();
    const Bytes bytes{std::string_view(body)};
    Delivery delivery;
    if (const Result<JsonValue> root = document->read(bytes, kAnswerLimits); root.has_value()) {
      // 64-bit numbers are strings in this encoding.
      const JsonValue rejected = root->find("partialSuccess").find("rejectedLogRecords");
      const std::string count(rejected.is(JsonType::string) ? rejected.text() : rejected.raw());
      delivery.refused = std::strtoull(count.c_str(), nullptr, 10);
      if (delivery.refused > 0) delivery.why = "the collector rejected some of the records";
    }
    loop_.give_back(std::move(document));
    return delivery;
  }

  /// Each record has its own status: 201 created, 409 exists. Source: Elasticsearch, "Bulk API".
  Task<Delivery> judge_bulk(std::string body, const RecordOrigin& origin,
                            std::span<const ExportedRecord> records) {
    Delivery delivery;
    std::vector<const ExportedRecord*> there;
    {
      std::unique_ptr<JsonDocument> document = loop_.lease_document();
      const Bytes bytes{std::string_view(body)};
      const Result<JsonValue> root = document->read(bytes, kAnswerLimits);
      delivery = root.has_value() ? judge_items(*root, records, there)
                                  : failed("the answer of the bulk API is not JSON");
      loop_.give_back(std::move(document));
    }
    if (!there.empty()) delivery.conflict = co_await find_conflict(origin, std::move(there));
    co_return delivery;
  }

  static Delivery judge_items(JsonValue root, std::span<const ExportedRecord> records,
                              std::vector<const ExportedRecord*>& there) {
    const JsonValue items = root.find("items");
    if (!items.is(JsonType::array)) return failed("the answer of the bulk API has no items");
    std::size_t at = 0;
    Delivery delivery;
    for (const JsonValue item : items) {
      if (at >= records.size()) break;
      const ExportedRecord& record = records[at++];
      const auto status = item.find("create").find("status").integer();
      if (!status.has_value()) return failed("an item of the bulk API has no status");
      if (*status == kConflict) {
        there.push_back(&record);
      } else if (*status >= 300) {
        const bool is_hopeless = is_refusal(static_cast<int>(*status));
        delivery = {.kind = is_hopeless && delivery.kind != Delivery::Kind::failed
                                ? Delivery::Kind::refused
                                : Delivery::Kind::failed,
                    .why = "an item was answered with status " + std::to_string(*status)};
      }
    }
    if (at < records.size()) return failed("the answer of the bulk API has too few items");
    return delivery;
  }

  /// Compares the hashes of records that exist already.
  Task<std::string> find_conflict(const RecordOrigin& origin,
                                  std::vector<const ExportedRecord*> there) {
    std::string body = R"({"ids":[)";
    for (const ExportedRecord* record : there) {
      if (!body.ends_with('[')) body += ',';
      body += json_string(record_id(origin, record->sequence));
    }
    body += "]}";
    const std::string base = url_.target.substr(0, url_.target.rfind("/_bulk"));
    const Result<FetchedDocument> answer =
        co_await post(std::move(body), base + '/' + index_ + "/_mget?_source=hash");
    if (!answer.has_value() || answer->status != kOk) {
      if (!std::exchange(is_told_, true)) {
        log(LogLevel::warning, "export cannot compare",
            {{"detail",
              "records are in the index already, and this key may not read them: another "
              "record under one identity would not be noticed"}});
      }
      co_return "";
    }
    std::unique_ptr<JsonDocument> document = loop_.lease_document();
    const Bytes bytes{std::string_view(answer->body)};
    const Result<JsonValue> root = document->read(bytes, kAnswerLimits);
    std::string conflict;
    if (root.has_value() && root->find("docs").is(JsonType::array)) {
      std::size_t at = 0;
      for (const JsonValue found : root->find("docs")) {
        if (at >= there.size()) break;
        const ExportedRecord& record = *there[at++];
        const JsonValue hash = found.find("_source").find("hash");
        if (!hash || hash.text() == record.hash) continue;
        conflict = "the index has another record " + record_id(origin, record.sequence);
        break;
      }
    }
    loop_.give_back(std::move(document));
    co_return conflict;
  }

  Loop& loop_;
  ExportConfig::Type type_;
  std::string index_;
  ServerUrl url_;
  std::shared_ptr<asio::ssl::context> tls_;
  SecretText authorization_;
  bool is_told_ = false;  ///< It was logged that records cannot be compared.
};

Result<SecretText> read_authorization(const ExportConfig& config) {
  const bool has_token = config.token.kind != SecretReference::Kind::none;
  if (has_token) {
    Result<SecretText> token = read_secret(config.token);
    if (!token.has_value()) return token;
    const std::string_view scheme = config.type == splunk ? "Splunk " : "Bearer ";
    return SecretText(std::string(scheme) + std::string(token->view()));
  }
  if (config.user.empty()) return SecretText("");
  Result<SecretText> password = read_secret(config.password);
  if (!password.has_value()) return password;
  return SecretText("Basic " + encode_base64(config.user + ':' + std::string(password->view())));
}

}  // namespace

Result<std::unique_ptr<Sink>> open_http_sink(Loop& loop, const ExportConfig& config) {
  Result<SecretText> authorization = read_authorization(config);
  if (!authorization.has_value()) return std::unexpected(authorization.error());
  Result<ServerUrl> url = parse_server_url(config.url);
  if (!url.has_value()) return std::unexpected(url.error());
  if (url->target == "/") url->target = usual_path(config.type);
  auto tls = make_client_tls(config.ca_file);
  if (!tls.has_value()) return std::unexpected(tls.error());
  return std::make_unique<HttpSink>(loop, config, *std::move(url), *std::move(tls),
                                    *std::move(authorization));
}

}  // namespace bartizan
