#include "policy/learn/write_predicate.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "config/transport.h"
#include "config/trust.h"
#include "policy/learn/toml_text.h"

namespace bartizan {
namespace {

std::string_view name_of(CharacterClass one) {
  switch (one) {
    case CharacterClass::letters:
      return "letters";
    case CharacterClass::digits:
      return "digits";
    case CharacterClass::punctuation:
      return "punctuation";
    case CharacterClass::symbols:
      return "symbols";
    case CharacterClass::spaces:
      return "spaces";
    case CharacterClass::tabs:
      return "tabs";
    case CharacterClass::line_ends:
      return "line_ends";
  }
  return "letters";
}

std::string_view name_of(SqlDialect dialect) {
  switch (dialect) {
    case SqlDialect::ansi:
      return "ansi";
    case SqlDialect::mysql:
      return "mysql";
    case SqlDialect::postgres:
      return "postgresql";
    case SqlDialect::sqlite:
      return "sqlite";
  }
  return "ansi";
}

std::string_view name_of(SqlClass statement) {
  switch (statement) {
    case SqlClass::select:
      return "select";
    case SqlClass::show:
      return "show";
    case SqlClass::explain:
      return "explain";
  }
  return "select";
}

/// Each kind's key and value.
struct PredicateWriter {
  InlineTable& out;

  void operator()(const PathPredicate& path) const { out.add("path", toml_string(path.path)); }
  void operator()(const NumberPredicate& number) const {
    InlineTable range;
    if (!number.min.empty()) range.add("min", toml_number(number.min));
    if (!number.max.empty()) range.add("max", toml_number(number.max));
    out.add("number", range.text());
  }
  void operator()(const OneOfPredicate& one_of) const {
    std::string values;
    for (const std::string& value : one_of.values)
      values += (values.empty() ? "" : ", ") + toml_of_json(value);
    out.add("one_of", "[" + values + "]");
  }
  void operator()(const TextPredicate& text) const {
    InlineTable form;
    if (text.min_length > 0) form.add("min_length", std::to_string(text.min_length));
    if (text.max_length.has_value()) form.add("max_length", std::to_string(*text.max_length));
    if (!text.matches.empty()) form.add("matches", toml_string(text.matches));
    std::vector<std::string> classes;
    for (const CharacterClass one : text.classes)
      classes.emplace_back(name_of(one));
    form.add("classes", classes);
    if (text.compact) form.add("compact", "true");
    out.add("text", form.text());
  }
  void operator()(const AbsentPredicate& /*absent*/) const { out.add("absent", "true"); }
  void operator()(const FixedPredicate& fixed) const {
    out.add("fixed", toml_of_json(fixed.value));
  }
  void operator()(const UrlPredicate& url) const {
    if (!url.name.empty()) {
      out.add("url", toml_string(url.name));
      return;
    }
    InlineTable form;
    form.add("schemes", url.form.schemes).add("hosts", url.form.hosts);
    std::string ports;
    for (const std::uint16_t port : url.form.ports)
      ports += (ports.empty() ? "" : ", ") + std::to_string(port);
    if (!ports.empty()) form.add("ports", "[" + ports + "]");
    if (url.form.allow_private) form.add("private_networks", "\"allow\"");
    if (url.form.resolve) form.add("resolve", "true");
    out.add("url", form.text());
  }
  void operator()(const SqlPredicate& sql) const {
    if (!sql.name.empty()) {
      out.add("sql", toml_string(sql.name));
      return;
    }
    const SqlForm& is = sql.form;
    std::vector<std::string> statements;
    for (const SqlClass statement : is.statements)
      statements.emplace_back(name_of(statement));
    InlineTable form;
    form.add("dialect", toml_string(name_of(is.dialect)))
        .add("statements", statements)
        .add("tables", is.tables)
        .add("deny_tables", is.deny_tables);
    if (is.functions.has_value()) form.add("functions", toml_array(*is.functions));
    form.add("deny_functions", is.deny_functions);
    if (is.allow_comments) form.add("comments", "\"allow\"");
    if (is.begins_with_letter) form.add("first_byte", "\"keyword\"");
    out.add("sql", form.text());
  }
  void operator()(const CommandPredicate& command) const {
    out.add("command", toml_string(command.name));
  }
  void operator()(const DigestPredicate& digest) const {
    InlineTable form;
    form.add("sha256", digest.sha256);
    if (!digest.path.empty()) form.add("path", toml_string(digest.path));
    out.add("digest", form.text());
  }
};

// --- Conditions ---------------------------------------------------------------------------------

std::string_view key_of(ToolHint hint) {
  switch (hint) {
    case ToolHint::read_only:
      return "read_only";
    case ToolHint::destructive:
      return "destructive";
    case ToolHint::idempotent:
      return "idempotent";
    case ToolHint::open_world:
      return "open_world";
  }
  return "read_only";
}

template <class E, std::size_t N>
std::vector<std::string> names_of(const std::vector<E>& values,
                                  const std::array<std::pair<std::string_view, E>, N>& names) {
  std::vector<std::string> all;
  for (const E value : values) {
    for (const auto& [name, known] : names) {
      if (known == value) all.emplace_back(name);
    }
  }
  return all;
}

std::string time_of_day(std::uint16_t minutes) {
  return toml_string(fmt::format("{:02}:{:02}", minutes / 60, minutes % 60));
}

/// Each kind's key and value.
struct FactWriter {
  InlineTable& out;

  void operator()(const HintCondition& hint) const {
    out.add(key_of(hint.hint), hint.value ? "true" : "false");
  }
  void operator()(const MethodCondition& method) const { out.add("method", method.methods); }
  void operator()(const TransportCondition& transport) const {
    out.add("transport", names_of(transport.transports, kTransportNames));
  }
  void operator()(const EndpointCondition& endpoint) const {
    out.add("endpoint", endpoint.endpoints);
  }
  void operator()(const RevisionCondition& revision) const {
    std::vector<std::string> versions;
    for (const ProtocolVersion version : revision.versions)
      versions.emplace_back(text(version));
    out.add("revision", versions);
  }
  void operator()(const AddressCondition& address) const {
    out.add("client_address", address.networks);
  }
  void operator()(const ServerTrustCondition& trust) const {
    out.add("server_trust", names_of(trust.trusts, kTrustNames));
  }
  void operator()(const RiskCondition& risk) const {
    out.add(risk.of == ClassOf::chain ? "chain_risk" : "risk", names_of(risk.risks, kRiskNames));
  }
  void operator()(const ReversibilityCondition& asked) const {
    out.add(asked.of == ClassOf::chain ? "chain_reversibility" : "reversibility",
            names_of(asked.reversibilities, kReversibilityNames));
  }
  void operator()(const TimeCondition& time) const {
    static constexpr std::string_view kDays[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
    std::vector<std::string> days;
    for (unsigned day = 0; day < std::size(kDays); ++day) {
      if ((time.days >> day & 1U) != 0) days.emplace_back(kDays[day]);
    }
    InlineTable when;
    when.add("days", days)
        .add("from", time_of_day(time.from))
        .add("to", time_of_day(time.to))
        .add("zone", toml_string(time.zone));
    out.add("time", when.text());
  }
};

}  // namespace

std::string write_predicate(const ArgumentPredicate& argument) {
  InlineTable predicate;
  std::visit(PredicateWriter{predicate}, argument.predicate);
  if (argument.optional) predicate.add("optional", "true");
  return predicate.text();
}

std::string write_conditions(const RuleConditions& conditions) {
  InlineTable entries;
  for (const ArgumentPredicate& argument : conditions.arguments)
    entries.add(toml_string(argument.pointer), write_predicate(argument));
  for (const FactCondition& condition : conditions.facts)
    std::visit(FactWriter{entries}, condition.fact);
  return entries.text();
}

}  // namespace bartizan
