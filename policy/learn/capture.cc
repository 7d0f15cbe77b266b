#include "policy/learn/capture.h"

#include <algorithm>
#include <utility>

#include "config/transport.h"
#include "policy/learn/captured_facts.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// More than the limits of a call, since a line contains the call.
constexpr JsonLimits kLineLimits{.bytes_max = kCaptureLineMax,
                                 .values_max = limits::response_values_max + 64,
                                 .depth_max = limits::json_depth_max + 4,
                                 .numbers = JsonLimits::Numbers::keep_as_text};

/// One JSON object on one line, written member by member. Empty members are left out.
class Line {
 public:
  Line& add(std::string_view name, std::string_view text) {
    if (text.empty()) return *this;
    begin(name);
    append_json_string(text_, text);
    return *this;
  }
  Line& add(std::string_view name, std::int64_t number) {
    begin(name);
    text_ += std::to_string(number);
    return *this;
  }
  Line& add(std::string_view name, std::uint64_t number) {
    begin(name);
    text_ += std::to_string(number);
    return *this;
  }
  /// Adds a JSON text. Its strings have no control characters, so its line ends are only
  /// whitespace.
  Line& add_json(std::string_view name, std::string_view json) {
    if (json.empty()) return *this;
    begin(name);
    const std::size_t from = text_.size();
    text_ += json;
    for (std::size_t at = from; at < text_.size(); ++at) {
      if (text_[at] == '\n' || text_[at] == '\r') text_[at] = ' ';
    }
    return *this;
  }
  std::string finish() && { return std::move(text_) + "}"; }

 private:
  void begin(std::string_view name) {
    text_ += text_.size() > 1 ? ",\"" : "\"";
    text_ += name;
    text_ += "\":";
  }

  std::string text_ = "{";
};

Line begin_line(std::string_view kind) {
  Line line;
  line.add("version", kCaptureVersion).add("kind", kind);
  return line;
}

std::string json_of(const std::vector<std::string>& texts) {
  std::string json = "[";
  for (const std::string& one : texts) {
    if (json.size() > 1) json += ',';
    append_json_string(json, one);
  }
  return json + "]";
}

std::string json_of(const std::map<std::string, std::string>& texts) {
  Line line;
  for (const auto& [name, value] : texts)
    line.add(json_string_inside(name), value);
  return std::move(line).finish();
}

constexpr std::pair<TargetKind, std::string_view> kTargets[] = {
    {TargetKind::tool, "tool"}, {TargetKind::resource, "resource"}, {TargetKind::prompt, "prompt"}};
constexpr std::pair<KnownDefinition, std::string_view> kKnown[] = {
    {KnownDefinition::unknown, ""},
    {KnownDefinition::none, "none"},
    {KnownDefinition::listed, "listed"}};

void add_call(Line& line, const DescribedCall& call) {
  line.add("method", call.method).add("server", call.server);
  for (const auto& [kind, name] : kTargets) {
    if (call.target_kind == kind) line.add(name, call.target);
  }
  line.add_json("arguments", call.arguments).add_json("params", call.params);
  for (const auto& [name, transport] : kTransportNames) {
    if (call.facts.transport == transport) line.add("transport", name);
  }
  line.add("endpoint", call.facts.endpoint.value_or(""));
  line.add("address", call.facts.client_address.value_or(""));
  if (call.facts.revision.has_value()) line.add("revision", text(*call.facts.revision));
}

// --- Reading ------------------------------------------------------------------------------------

std::string text_of(JsonValue line, std::string_view name) {
  return std::string(line.find(name).text());
}

std::int64_t count_of(JsonValue line, std::string_view name) {
  return std::max<std::int64_t>(line.find(name).integer().value_or(0), 0);
}

/// The text of an object, or an empty one.
std::string object_of(JsonValue line, std::string_view name) {
  const JsonValue value = line.find(name);
  return value.is(JsonType::object) ? std::string(value.raw()) : std::string();
}

DescribedCall read_call(JsonValue line) {
  DescribedCall call;
  call.principal = text_of(line, "principal");
  for (const JsonValue role : line.find("roles"))
    call.roles.emplace_back(role.text());
  call.method = text_of(line, "method");
  call.server = text_of(line, "server");
  for (const auto& [kind, name] : kTargets) {
    if (!line.find(name).is(JsonType::string)) continue;
    call.target_kind = kind;
    call.target = text_of(line, name);
  }
  call.arguments = object_of(line, "arguments");
  call.params = object_of(line, "params");
  for (const auto& [name, transport] : kTransportNames) {
    if (line.find("transport").text() == name) call.facts.transport = transport;
  }
  if (const JsonValue endpoint = line.find("endpoint")) call.facts.endpoint = endpoint.text();
  if (const JsonValue address = line.find("address")) call.facts.client_address = address.text();
  call.facts.revision = parse_protocol_version(line.find("revision").text());
  call.facts.time = count_of(line, "time") / 1000;
  return call;
}

/// Whether a call has the target that its method needs.
bool is_whole(const DescribedCall& call) {
  const Method& method = find_method(call.method);
  if (call.principal.empty() || call.method.empty()) return false;
  if (method.id == MethodId::completion_complete) {
    return call.target_kind == TargetKind::prompt || call.target_kind == TargetKind::resource;
  }
  return method.target == call.target_kind;
}

/// Whether all times and counts are within bounds.
bool has_sound_numbers(JsonValue line) {
  constexpr std::string_view kNumbers[] = {"time",    "clock_us", "waited_us",
                                           "took_us", "bytes_in", "bytes_out"};
  return std::ranges::all_of(kNumbers, [line](std::string_view name) {
    return count_of(line, name) <= kCaptureNumberMax;
  });
}

std::optional<CapturedCall> read_captured(JsonValue line) {
  CapturedCall captured{.call = read_call(line)};
  const std::string_view decision = line.find("decision").text();
  const bool is_decided = decision == "permit" || decision == "deny";
  if (!is_whole(captured.call) || !is_decided || !has_sound_numbers(line)) return std::nullopt;
  captured.order = static_cast<std::uint64_t>(count_of(line, "order"));
  captured.time_ms = count_of(line, "time");
  captured.clock_us = count_of(line, "clock_us");
  captured.decision_id = text_of(line, "decision_id");
  for (const JsonValue attribute : line.find("attributes"))
    captured.attributes.emplace(attribute.key(), attribute.text());
  captured.trust = text_of(line, "trust");
  captured.session = text_of(line, "session");
  for (const auto& [known, name] : kKnown) {
    if (line.find("known").text() == name) captured.known = known;
  }
  captured.definition = text_of(line, "definition");
  captured.gathered = read_facts(line.find("facts"));
  captured.is_permitted = decision == "permit";
  captured.check = text_of(line, "check");
  captured.reason = text_of(line, "reason");
  captured.rule = text_of(line, "rule");
  captured.pointer = text_of(line, "pointer");
  if (line.find("waited_us")) captured.waited_us = count_of(line, "waited_us");
  captured.took_us = count_of(line, "took_us");
  captured.bytes_in = static_cast<std::uint64_t>(count_of(line, "bytes_in"));
  captured.bytes_out = static_cast<std::uint64_t>(count_of(line, "bytes_out"));
  return captured;
}

}  // namespace

std::size_t Capture::size() const {
  std::size_t calls = 0;
  for (const Run& run : runs)
    calls += run.calls.size();
  return calls;
}

std::string capture_line(const CapturedCall& captured) {
  Line line = begin_line("call");
  line.add("order", captured.order)
      .add("time", captured.time_ms)
      .add("clock_us", captured.clock_us)
      .add("decision_id", captured.decision_id)
      .add("principal", captured.call.principal)
      .add_json("roles", json_of(captured.call.roles))
      .add_json("attributes", json_of(captured.attributes))
      .add("trust", captured.trust)
      .add("session", captured.session);
  add_call(line, captured.call);
  for (const auto& [known, name] : kKnown) {
    if (captured.known == known) line.add("known", name);
  }
  line.add("definition", captured.definition)
      .add_json("facts", write_facts(captured.gathered))
      .add("decision", captured.is_permitted ? "permit" : "deny")
      .add("check", captured.check)
      .add("reason", captured.reason)
      .add("rule", captured.rule)
      .add("pointer", captured.pointer);
  if (captured.waited_us.has_value()) line.add("waited_us", *captured.waited_us);
  line.add("took_us", captured.took_us)
      .add("bytes_in", captured.bytes_in)
      .add("bytes_out", captured.bytes_out);
  return std::move(line).finish();
}

std::string definition_line(std::string_view fingerprint, std::string_view entry) {
  Line line = begin_line("definition");
  line.add("fingerprint", fingerprint).add_json("entry", entry);
  return std::move(line).finish();
}

std::string run_line(std::string_view run, std::int64_t time_ms) {
  Line line = begin_line("run");
  line.add("run", run).add("time", time_ms);
  return std::move(line).finish();
}

std::string missing_line(std::uint64_t count, std::int64_t time_ms) {
  Line line = begin_line("missing");
  line.add("count", count).add("time", time_ms);
  return std::move(line).finish();
}

std::optional<std::int64_t> read_run_time(std::string_view text) {
  const Bytes bytes(text);
  JsonDocument document;
  const Result<JsonValue> line = document.read(bytes, kLineLimits);
  if (!line.has_value() || line->find("kind").text() != "run") return std::nullopt;
  const auto time = line->find("time").integer();
  const bool is_sound = time.has_value() && *time >= 0 && *time <= kCaptureNumberMax;
  return is_sound ? time : std::nullopt;
}

void CaptureReader::read(std::string_view text) {
  if (text.empty()) return;
  const Bytes bytes(text);
  JsonDocument document;
  const Result<JsonValue> line = document.read(bytes, kLineLimits);
  const std::int64_t version = line.has_value() ? count_of(*line, "version") : 0;
  is_of_later_form_ = is_of_later_form_ || version > static_cast<std::int64_t>(kCaptureVersion);
  if (version != static_cast<std::int64_t>(kCaptureVersion)) {
    ++capture_.garbage;
    return;
  }
  const std::string_view kind = line->find("kind").text();
  if (kind == "run") {
    const auto [run, is_new] = runs_.try_emplace(text_of(*line, "run"), capture_.runs.size());
    if (is_new) capture_.runs.push_back({.id = run->first});
    run_ = run->second;
  } else if (kind == "missing") {
    capture_.missing += static_cast<std::uint64_t>(
        std::min<std::int64_t>(count_of(*line, "count"), kCaptureNumberMax));
  } else if (kind == "definition") {
    capture_.definitions.emplace(text_of(*line, "fingerprint"), object_of(*line, "entry"));
  } else if (auto call = kind == "call" ? read_captured(*line) : std::nullopt;
             call.has_value() && !capture_.runs.empty()) {
    capture_.runs[run_].calls.push_back(*std::move(call));
  } else {
    ++capture_.garbage;
  }
}

Result<Capture> CaptureReader::finish() {
  if (is_of_later_form_) {
    return fail(ErrorCode::config_invalid, Fault::client, "it was written by a later version");
  }
  if (capture_.runs.empty())
    return fail(ErrorCode::config_invalid, Fault::client, "is not a capture");
  std::erase_if(capture_.runs, [](const Capture::Run& run) { return run.calls.empty(); });
  for (Capture::Run& run : capture_.runs) {
    std::ranges::sort(run.calls, {}, [](const CapturedCall& call) {
      return std::pair(call.order, std::string_view(call.decision_id));
    });
    const auto first = std::ranges::min_element(run.calls, {}, &CapturedCall::clock_us);
    run.time_ms = first->time_ms;
    run.clock_us = first->clock_us;
  }
  return std::move(capture_);
}

}  // namespace bartizan
