#include "policy/check/argument_readings.h"

#include <variant>

#include <fmt/format.h>

#include "policy/path/path_places.h"
#include "policy/shell/describe_command.h"
#include "policy/sql/sql_statement.h"
#include "policy/text/argument_pointer.h"
#include "policy/url/url.h"
#include "policy/url/url_host.h"
#include "schemas/base/contains.h"

namespace bartizan {
namespace {

constexpr std::string_view kUnread = "it cannot be read";

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string all;
  for (const std::string& text : texts) {
    if (!all.empty()) all += between;
    all += text;
  }
  return all;
}

std::string describe_path(std::string_view path, const PathRules& rules, std::string_view cwd) {
  const std::vector<std::string> places = path_places(path, rules, cwd);
  return places.empty() ? "relative to a directory that is not known" : joined(places, "\nor ");
}

std::string describe_url(std::string_view text) {
  const std::optional<Url> url = read_url(text);
  if (!url.has_value()) return std::string(kUnread);
  std::string reading = "scheme " + url->scheme;
  const bool has_host = !url->host.text.empty();
  if (has_host) reading += "\nhost " + url->host.text;
  if (const std::string shown = unicode_text(url->host); has_host && shown != url->host.text) {
    reading += " (" + shown + ")";
  }
  const auto port = url->port ? url->port : default_port(url->scheme);
  if (port.has_value()) reading += fmt::format("\nport {}", *port);
  if (!url->username.empty()) reading += "\nuser " + url->username;
  if (!url->password.empty()) reading += "\npassword " + url->password;
  reading += "\npath " + url->path;
  if (url->query.has_value()) reading += "\nquery " + *url->query;
  if (url->fragment.has_value()) reading += "\nfragment " + *url->fragment;
  return reading;
}

std::string_view name_of(SqlClass kind) {
  switch (kind) {
    case SqlClass::select:
      return "a query";
    case SqlClass::show:
      return "SHOW";
    case SqlClass::explain:
      return "EXPLAIN of a query";
  }
  return "";
}

std::string describe_sql(std::string_view text, const SqlRules& rules) {
  const auto statement = read_sql(text, rules.dialect);
  if (!statement.has_value()) return std::string(kUnread);
  std::vector<std::string> tables;
  std::vector<std::string> functions;
  for (const SqlUsed& used : statement->used) {
    std::vector<std::string>& names = used.use == SqlUse::function ? functions : tables;
    std::string name(used.text());
    if (!contains(names, name)) names.push_back(std::move(name));
  }
  std::string reading(name_of(statement->kind));
  if (!tables.empty()) reading += "\nreads " + joined(tables, ", ");
  if (!functions.empty()) reading += "\ncalls " + joined(functions, ", ");
  if (statement->has_comment) reading += "\nhas a comment";
  return reading;
}

std::optional<std::string> describe_words(JsonValue array, const CommandRules& rules) {
  std::vector<std::string_view> words;
  for (const JsonValue word : array) {
    if (!word.is(JsonType::string)) return std::nullopt;
    words.push_back(word.text());
  }
  return describe_command(words, rules);
}

/// What each kind of predicate reads. Other ones take a value as it stands.
struct Reader {
  JsonValue value;
  std::string_view cwd;

  using Read = std::pair<std::string_view, std::optional<std::string>>;

  template <class Rules>
  Read operator()(const Rules& /*rules*/) const {
    return {};
  }
  Read operator()(const PathRules& rules) const {
    return {"path", value.is(JsonType::string)
                        ? std::optional(describe_path(value.text(), rules, cwd))
                        : std::nullopt};
  }
  Read operator()(const DigestSet& digests) const {
    return digests.path() ? (*this)(*digests.path()) : Read{};
  }
  Read operator()(const UrlRules& /*rules*/) const {
    return {"url",
            value.is(JsonType::string) ? std::optional(describe_url(value.text())) : std::nullopt};
  }
  Read operator()(const SqlRules& rules) const {
    return {"sql", value.is(JsonType::string) ? std::optional(describe_sql(value.text(), rules))
                                              : std::nullopt};
  }
  Read operator()(const CommandRules& rules) const {
    if (value.is(JsonType::array)) return {"command", describe_words(value, rules)};
    return {"command", value.is(JsonType::string)
                           ? std::optional(describe_command(value.text(), rules))
                           : std::nullopt};
  }
};

/// All readings of one call.
class Readings {
 public:
  Readings(JsonValue arguments, std::string_view cwd) : arguments_(arguments), cwd_(cwd) {}

  void add(const std::vector<PointerSegment>& segments, const ValuePredicate& predicate) {
    visit_selected(segments, arguments_,
                   [&](Selection selection, JsonValue value, const Place* place) {
                     if (selection == Selection::value) add_value(predicate, value, place);
                     return !is_full();
                   });
  }
  bool is_full() const { return all_.size() > limits::argument_readings_max; }
  std::vector<ArgumentReading> take() { return std::move(all_); }

 private:
  void add_value(const ValuePredicate& predicate, JsonValue value, const Place* place) {
    auto [kind, reading] = std::visit(Reader{value, cwd_}, predicate);
    if (!reading.has_value()) return;
    ArgumentReading one{
        .pointer = pointer_text(place), .kind = kind, .reading = *std::move(reading)};
    if (!contains(all_, one)) all_.push_back(std::move(one));
  }

  JsonValue arguments_;
  std::string_view cwd_;
  std::vector<ArgumentReading> all_;
};

}  // namespace

std::optional<std::vector<ArgumentReading>> read_arguments(const ReadArguments& asked) {
  if (!asked.arguments) return std::vector<ArgumentReading>();
  const auto server = asked.config.servers.find(asked.server);
  Readings readings(asked.arguments, server == asked.config.servers.end()
                                         ? std::string_view()
                                         : std::string_view(server->second.cwd));
  const ToolProfiles::Found profile = asked.profiles.find(asked.server, asked.tool);
  for (const ArgumentGuard& guard : profile->guards) {
    for (const auto& predicate : guard.predicates)
      readings.add(guard.segments, *predicate);
  }
  if (const auto rule = asked.config.rules.find(asked.rule); rule != asked.config.rules.end()) {
    for (const RuleConditions* conditions : {&rule->second.when, &rule->second.unless}) {
      for (const ArgumentPredicate& argument : conditions->arguments) {
        const auto predicate = compile_predicate(argument.predicate, asked.config.paths);
        if (predicate != nullptr) readings.add(parse_pointer(argument.pointer), *predicate);
      }
    }
  }
  if (readings.is_full()) return std::nullopt;
  return readings.take();
}

}  // namespace bartizan
