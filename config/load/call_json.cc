#include "config/load/call_json.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <vector>

#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

std::string list(const std::vector<std::string>& texts) {
  std::string json = "[";
  for (const std::string& text : texts)
    json += (json.size() > 1 ? "," : "") + json_string(text);
  return json + "]";
}

/// A JSON object that is written member by member.
class Object {
 public:
  void add(std::string_view name, std::string_view json) {
    text_ += (text_.size() > 1 ? "," : "") + json_string(name) + ":";
    text_ += json;
  }
  bool empty() const { return text_.size() == 1; }
  std::string text() const { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

/// Writes the known answers, keyed by their question; writes nothing if there are none.
template <typename Answers, typename Write>
void add_answers(Object& json, std::string_view name, const Answers& answers, const Write& write) {
  Object object;
  for (const auto& [asked, answer] : answers)
    object.add(asked, write(answer));
  if (!object.empty()) json.add(name, object.text());
}

std::string facts_json(const DescribedFacts& facts) {
  Object json;
  if (facts.transport.has_value())
    json.add("transport", json_string(kind_of(*facts.transport).name));
  if (facts.endpoint.has_value()) json.add("endpoint", json_string(*facts.endpoint));
  if (facts.client_address.has_value())
    json.add("client_address", json_string(*facts.client_address));
  if (facts.revision.has_value()) json.add("revision", json_string(text(*facts.revision)));
  if (!facts.approved_by.empty()) json.add("approved_by", list(facts.approved_by));
  if (facts.time.has_value()) {
    const std::chrono::sys_seconds time{std::chrono::seconds(*facts.time)};
    json.add("time", fmt::format("\"{:%Y-%m-%dT%H:%M:%SZ}\"", time));
  }
  add_answers(json, "places", facts.places,
              [](DescribedFacts::Place place) { return json_string(text(place)); });
  add_answers(json, "contents", facts.contents, json_string);
  add_answers(json, "addresses", facts.addresses, list);
  return json.empty() ? "" : json.text();
}

}  // namespace

std::string call_json(const DescribedCall& call) {
  Object json;
  if (call.principal.empty()) {
    json.add("roles", list(call.roles));
  } else {
    json.add("principal", json_string(call.principal));
  }
  switch (call.target_kind) {
    case TargetKind::tool:
      json.add("tool", json_string(call.server + "/" + call.target));
      break;
    case TargetKind::prompt:
      json.add("prompt", json_string(call.server + "/" + call.target));
      break;
    case TargetKind::resource:
      json.add("resource", json_string(call.server + ":" + call.target));
      break;
    case TargetKind::none:
      json.add("method", json_string(call.method));
      break;
  }
  if (!call.arguments.empty()) json.add("arguments", call.arguments);
  if (const std::string facts = facts_json(call.facts); !facts.empty()) json.add("facts", facts);
  return json.text();
}

}  // namespace bartizan
