#include "schemas/message/params_shape.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/base/bytes.h"
#include "schemas/json/folded_name.h"
#include "schemas/json/json_pointer.h"
#include "schemas/schema/json_schema.h"

namespace bartizan {
namespace {

// The published files, unchanged.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"
constexpr char k2024_11_05[] = {
#embed "../mcp/2024-11-05.json"
};
constexpr char k2025_03_26[] = {
#embed "../mcp/2025-03-26.json"
};
constexpr char k2025_06_18[] = {
#embed "../mcp/2025-06-18.json"
};
constexpr char k2025_11_25[] = {
#embed "../mcp/2025-11-25.json"
};
constexpr char k2026_07_28[] = {
#embed "../mcp/2026-07-28.json"
};
#pragma clang diagnostic pop

template <std::size_t N>
constexpr std::string_view view(const char (&text)[N]) {
  return {text, N};
}

std::string_view published(ProtocolVersion version) {
  switch (version) {
    case ProtocolVersion::v2024_11_05:
      return view(k2024_11_05);
    case ProtocolVersion::v2025_03_26:
      return view(k2025_03_26);
    case ProtocolVersion::v2025_06_18:
      return view(k2025_06_18);
    case ProtocolVersion::v2025_11_25:
      return view(k2025_11_25);
    default:
      return view(k2026_07_28);
  }
}

/// Members of `params` that name the target of a method.
constexpr std::array<std::string_view, 4> kTargets{"name", "ref", "taskId", "uri"};
/// Members of `params` whose own members name it.
constexpr std::array<std::string_view, 3> kClosed{"argument", "notifications", "ref"};

constexpr std::string_view kAnswers = "inputResponses";

/// Whether a message needs the members that a schema requires.
enum class Required : std::uint8_t { as_published, never };

/// A published document, split into a schema for each kind of message.
class PublishedSchema {
 public:
  explicit PublishedSchema(ProtocolVersion version) : bytes_(published(version)) {
    root_ = document_.read(bytes_, kResponseLimits).value_or(JsonValue());
    is_older_ = !root_.find("$defs");
  }

  JsonValue types() const { return root_.find(is_older_ ? "definitions" : "$defs"); }

  /// The schema with all schemas that it refers to.
  JsonSchema compile(JsonValue schema, Required required) const {
    const std::string_view types_name = is_older_ ? "definitions" : "$defs";
    std::string text = R"({"$schema":)";
    text += root_.find("$schema").raw();
    text.append(",\"").append(types_name).append("\":{");
    for (bool is_first = true; const std::string_view name : reached_from(schema)) {
      if (!std::exchange(is_first, false)) text += ',';
      append_json_string(text, name);
      text += ':';
      if (name == kAnswer) {
        text += R"({"type":"object"})";
      } else {
        append(text, types().find(name), required);
      }
    }
    text += '}';
    for (const JsonValue keyword : schema) {
      if (is_left_out(keyword, required)) continue;
      text += ',';
      append_json_string(text, keyword.key());
      text += ':';
      append(text, keyword, required);
    }
    // A test compiles all of them.
    return std::move(*JsonSchema::compile_published(text + "}"));
  }

 private:
  /// A client's response to a server request within a request. It has one of three types. A member
  /// of one type is free data in another, so each response is checked against its own type.
  static constexpr std::string_view kAnswer = "InputResponse";

  /// The names of all types that a schema refers to, also indirectly.
  std::set<std::string_view> reached_from(JsonValue schema) const {
    std::set<std::string_view> reached;
    std::vector<JsonValue> waiting{schema};
    while (!waiting.empty()) {
      const JsonValue next = waiting.back();
      waiting.pop_back();
      for (const JsonValue one : next.within()) {
        if (one.key() != "$ref") continue;
        const std::string_view reference = one.text();
        const std::string_view name = reference.substr(reference.rfind('/') + 1);
        const bool is_new = reached.insert(name).second;
        if (is_new && name != kAnswer) waiting.push_back(types().find(name));
      }
    }
    return reached;
  }

  static bool is_left_out(JsonValue keyword, Required required) {
    const bool is_required =
        required == Required::never && keyword.key() == "required" && keyword.is(JsonType::array);
    return is_required || (keyword.key() == "description" && keyword.is(JsonType::string));
  }

  /// The code that determines a message's revision requires these members itself.
  static bool is_of_meta(std::string_view name) {
    return name == "_meta" || name == meta_key::protocol_version ||
           name == meta_key::client_capabilities;
  }

  /// The schema without texts for people. In its lists of types, the published files have integers
  /// where the protocol allows numbers (`ElicitResult.content`), so these are written as numbers.
  static void append(std::string& out, JsonValue value, Required required) {
    const bool is_object = value.is(JsonType::object);
    if (!is_object && !value.is(JsonType::array)) {
      out += value.raw();
      return;
    }
    const bool lists_types = value.key() == "type" && !is_object;
    const bool lists_required = value.key() == "required" && !is_object;
    out += is_object ? '{' : '[';
    for (bool is_first = true; const JsonValue one : value) {
      if (is_object && is_left_out(one, required)) continue;
      if (lists_required && is_of_meta(one.text())) continue;
      if (!std::exchange(is_first, false)) out += ',';
      if (is_object) {
        append_json_string(out, one.key());
        out += ':';
      }
      if (lists_types && one.text() == "integer") {
        out += R"("number")";
      } else {
        append(out, one, required);
      }
    }
    out += is_object ? '}' : ']';
  }

  Bytes bytes_;
  JsonDocument document_;
  JsonValue root_;
  bool is_older_ = false;
};

/// The shape of a method's `params`.
struct ParamsShape {
  JsonSchema schema;
  std::vector<std::string_view> targets;  ///< Those of `kTargets` that the method has.
  bool has_closed = false;                ///< The method has one of `kClosed`.
  bool has_answers = false;               ///< May have responses to server requests.
};

/// The shapes of all methods of one revision.
class RevisionShapes {
 public:
  explicit RevisionShapes(ProtocolVersion version) : empty_text_(std::string_view("{}")) {
    empty_ = empty_document_.read(empty_text_).value_or(JsonValue());
    const PublishedSchema document(version);
    for (const JsonValue type : document.types()) {
      const JsonValue members = type.find("properties");
      const std::string_view name = members.find("method").find("const").text();
      const JsonValue params = members.find("params");
      const Method& method = find_method(name);
      if (method.id == MethodId::unknown || !params || shapes_.contains(method.id)) continue;
      const Required required =
          method.id == MethodId::initialize ? Required::never : Required::as_published;
      shapes_.emplace(method.id, make_shape(document.compile(params, required)));
    }
  }

  const ParamsShape* find(MethodId method) const {
    const auto found = shapes_.find(method);
    return found == shapes_.end() ? nullptr : &found->second;
  }
  JsonValue empty() const { return empty_; }

 private:
  static ParamsShape make_shape(JsonSchema schema) {
    ParamsShape shape{.schema = std::move(schema), .targets = {}};
    for (const std::string_view name : kTargets) {
      if (shape.schema.declares("/" + std::string(name))) shape.targets.push_back(name);
    }
    shape.has_closed = std::ranges::any_of(kClosed, [&](std::string_view name) {
      return shape.schema.declares("/" + std::string(name));
    });
    shape.has_answers = shape.schema.declares("/" + std::string(kAnswers));
    return shape;
  }

  std::map<MethodId, ParamsShape> shapes_;
  Bytes empty_text_;
  JsonDocument empty_document_;
  JsonValue empty_;
};

template <ProtocolVersion kVersion>
const RevisionShapes& compiled() {
  static const RevisionShapes shapes(kVersion);
  return shapes;
}

const RevisionShapes& shapes_of(ProtocolVersion version) {
  switch (version) {
    case ProtocolVersion::v2024_11_05:
      return compiled<ProtocolVersion::v2024_11_05>();
    case ProtocolVersion::v2025_03_26:
      return compiled<ProtocolVersion::v2025_03_26>();
    case ProtocolVersion::v2025_06_18:
      return compiled<ProtocolVersion::v2025_06_18>();
    case ProtocolVersion::v2025_11_25:
      return compiled<ProtocolVersion::v2025_11_25>();
    default:
      return compiled<ProtocolVersion::v2026_07_28>();
  }
}

template <class Names>
bool has(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// A member that names a foreign target, or nothing.
JsonValue find_other_target(const ParamsShape& shape, JsonValue params) {
  std::vector<JsonValue> closed;
  for (const JsonValue member : params) {
    const std::string_view name = member.key();
    if (has(kTargets, name) && !has(shape.targets, name)) return member;
    if (!shape.has_closed || !has(kClosed, name) || !member.is(JsonType::object)) continue;
    for (const JsonValue below : member) {
      // A title is for people, and newer clients may send it in older revisions. The extension for
      // tasks adds `taskIds`.
      if (below.key() != "title" && below.key() != "taskIds") closed.push_back(below);
    }
  }
  return closed.empty() ? JsonValue() : shape.schema.find_unnamed(params, closed);
}

/// The members of all responses to server requests.
constexpr std::array<std::string_view, 7> kAnswerMembers{"_meta", "action", "content",   "model",
                                                         "role",  "roots",  "stopReason"};

/// The schemas of responses to server requests, by type.
struct AnswerShapes {
  JsonSchema elicitation, roots, sampling;

  const JsonSchema& of(JsonValue answer) const {
    if (answer.find("action")) return elicitation;
    return answer.find("roots") ? roots : sampling;
  }
};

const AnswerShapes& answer_shapes() {
  static const AnswerShapes shapes = [] {
    const PublishedSchema document(ProtocolVersion::v2026_07_28);
    const auto shape_of = [&](std::string_view name) {
      return document.compile(document.types().find(name), Required::as_published);
    };
    return AnswerShapes{shape_of("ElicitResult"), shape_of("ListRootsResult"),
                        shape_of("CreateMessageResult")};
  }();
  return shapes;
}

/// The flaw of one of the responses within a request, or nothing.
std::optional<ParamsFlaw> find_answer_flaw(JsonValue answers) {
  for (const JsonValue answer : answers) {
    if (const JsonValue folded = find_folded_in_answer(answer)) {
      return ParamsFlaw{ParamsFlaw::Kind::folded, "/inputResponses/*"};
    }
    if (!answer_shapes().of(answer).accepts(answer)) {
      return ParamsFlaw{ParamsFlaw::Kind::misfit, "/inputResponses/*"};
    }
  }
  return std::nullopt;
}

/// The flaw of a request about a task, whose extension has published no schema of `params`: it
/// names another target beside the task, or has flawed responses.
/// Source: MCP extension io.modelcontextprotocol/tasks.
std::optional<ParamsFlaw> find_task_flaw(const Message& message) {
  for (const JsonValue member : message.params) {
    if (has(kTargets, member.key()) && member.key() != "taskId") {
      return ParamsFlaw{ParamsFlaw::Kind::misfit, "/" + std::string(member.key())};
    }
  }
  if (!message.params.find("taskId").is(JsonType::string)) {
    return ParamsFlaw{ParamsFlaw::Kind::misfit, "/taskId"};
  }
  const JsonValue answers = message.params.find(kAnswers);
  const bool is_update = message.known->id == MethodId::tasks_update;
  if (answers && (!is_update || !answers.is(JsonType::object))) {
    return ParamsFlaw{ParamsFlaw::Kind::misfit, "/inputResponses"};
  }
  // Servers ignore responses to requests that they did not make, whatever their contents.
  const bool has_folded = std::any_of(answers.begin(), answers.end(), [](JsonValue answer) {
    return static_cast<bool>(find_folded_in_answer(answer));
  });
  if (has_folded) return ParamsFlaw{ParamsFlaw::Kind::folded, "/inputResponses/*"};
  return std::nullopt;
}

}  // namespace

std::optional<ParamsFlaw> find_params_flaw(const Message& message, ProtocolVersion version) {
  using Kind = ParamsFlaw::Kind;
  if (message.known->id == MethodId::initialize) {
    version = negotiate_legacy(message.params.find("protocolVersion").text());
  }
  if (version == kNewestModernVersion && is_about_task(message.known->id)) {
    return find_task_flaw(message);
  }
  const RevisionShapes& shapes = shapes_of(version);
  const ParamsShape* shape = shapes.find(message.known->id);
  if (shape == nullptr) return std::nullopt;
  const JsonValue params = message.params ? message.params : shapes.empty();
  const auto flaw_at = [&](Kind kind, JsonValue member) {
    return ParamsFlaw{kind, shape->schema.without_unnamed(pointer_to(params, member))};
  };
  if (const JsonValue folded = shape->schema.find_folded(params)) {
    return flaw_at(Kind::folded, folded);
  }
  const SchemaFit fit = shape->schema.fit(params);
  if (fit == SchemaFit::too_costly) return ParamsFlaw{Kind::too_costly, {}};
  if (fit == SchemaFit::misfits) {
    const SchemaVerdict verdict = shape->schema.judge(params);
    const std::string pointer =
        verdict.violations.empty() ? std::string() : verdict.violations.front().pointer;
    return ParamsFlaw{Kind::misfit, shape->schema.without_unnamed(pointer)};
  }
  if (const JsonValue other = find_other_target(*shape, params)) {
    return flaw_at(Kind::other_target, other);
  }
  if (shape->has_answers) return find_answer_flaw(params.find(kAnswers));
  return std::nullopt;
}

JsonValue find_folded_in_answer(JsonValue result) {
  for (const JsonValue member : result) {
    const std::string_view name = member.key();
    const bool is_folded_member = !has(kAnswerMembers, name) &&
                                  std::ranges::any_of(kAnswerMembers, [&](std::string_view known) {
                                    return folds_alike(name, known);
                                  });
    if (is_folded_member) return member;
  }
  return answer_shapes().of(result).find_folded(result);
}

}  // namespace bartizan
