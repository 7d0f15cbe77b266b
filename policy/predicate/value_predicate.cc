#include "policy/predicate/value_predicate.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <optional>
#include <utility>
#include <vector>

#include "policy/url/address_class.h"
#include "policy/url/ip_address.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// Bytes that are hashed in one step: a block of SHA-256.
constexpr std::size_t kDigestBytesPerStep = 64;

using Paths = std::map<std::string, PathConfig, std::less<>>;

/// Compiles each kind of predicate.
struct Compiler {
  using Compiled = std::shared_ptr<const ValuePredicate>;
  const Paths& paths;

  /// A missing root contains nothing.
  PathRules rules_of(const std::string& name) const {
    const auto found = paths.find(name);
    return compile_path_rules(found == paths.end() ? PathConfig() : found->second);
  }

  Compiled operator()(const PathPredicate& path) const {
    return std::make_shared<const ValuePredicate>(rules_of(path.path));
  }
  Compiled operator()(const DigestPredicate& digest) const {
    std::optional<PathRules> path;
    if (!digest.path.empty()) path = rules_of(digest.path);
    return std::make_shared<const ValuePredicate>(DigestSet(digest, std::move(path)));
  }
  Compiled operator()(const NumberPredicate& number) const {
    return std::make_shared<const ValuePredicate>(NumberRange(number));
  }
  Compiled operator()(const OneOfPredicate& one_of) const {
    return std::make_shared<const ValuePredicate>(ValueSet(one_of));
  }
  Compiled operator()(const TextPredicate& text) const {
    return std::make_shared<const ValuePredicate>(TextForm(text));
  }
  Compiled operator()(const AbsentPredicate& /*absent*/) const { return nullptr; }
  /// A forced value is judged as any other. If its place had another shape, it was not forced.
  Compiled operator()(const FixedPredicate& fixed) const {
    return std::make_shared<const ValuePredicate>(ValueSet(OneOfPredicate{{fixed.value}}));
  }
  Compiled operator()(const UrlPredicate& url) const {
    return std::make_shared<const ValuePredicate>(compile_url_rules(url.form));
  }
  Compiled operator()(const CommandPredicate& command) const {
    return std::make_shared<const ValuePredicate>(compile_command_rules(command.form));
  }
  Compiled operator()(const SqlPredicate& sql) const {
    return std::make_shared<const ValuePredicate>(compile_sql_rules(sql.form));
  }
};

Reason reason_for(UrlRefusal refusal) {
  switch (refusal) {
    case UrlRefusal::malformed:
    case UrlRefusal::ambiguous:
      return Reason::url_malformed;
    case UrlRefusal::address:
      return Reason::url_private;
    case UrlRefusal::scheme:
    case UrlRefusal::credentials:
    case UrlRefusal::host:
    case UrlRefusal::port:
      break;
  }
  return Reason::url_not_allowed;
}

Reason reason_for(SqlRefusal refusal) {
  switch (refusal) {
    case SqlRefusal::malformed:
    case SqlRefusal::too_large:
    case SqlRefusal::first_byte:
    case SqlRefusal::several:
      return Reason::sql_malformed;
    case SqlRefusal::too_costly:
      return Reason::argument_undecidable;
    case SqlRefusal::statement:
    case SqlRefusal::comment:
    case SqlRefusal::table:
    case SqlRefusal::function:
    case SqlRefusal::recursive:
      break;
  }
  return Reason::sql_not_allowed;
}

Reason reason_for(CommandRefusal refusal) {
  switch (refusal) {
    case CommandRefusal::costly:
      return Reason::argument_undecidable;
    case CommandRefusal::malformed:
      return Reason::command_malformed;
    case CommandRefusal::blocked:
      return Reason::command_blocked;
    case CommandRefusal::argument:
    case CommandRefusal::program:
    case CommandRefusal::environment:
    case CommandRefusal::syntax:
    case CommandRefusal::account:
      break;
  }
  return Reason::command_not_allowed;
}

std::optional<AddressClass> class_of_address(std::string_view text) {
  const auto class_of = [](const auto& address) { return address_class(address); };
  return text.contains(':') ? read_ipv6(text).transform(class_of)
                            : read_ipv4(text).transform(class_of);
}

/// Whether every address of a name may be reached.
Reason judge_addresses(const std::string& name, const UrlRules& rules, ValueFacts& facts) {
  const Finding* finding = facts.look(FactQuery::Kind::addresses, {}, name);
  if (finding == nullptr) return facts.is_open ? Reason::none : Reason::argument_undecidable;
  const auto* found = std::get_if<FoundAddresses>(finding);
  if (found == nullptr || found->addresses.empty()) return Reason::url_unresolved;
  const bool may_reach_all = std::ranges::all_of(found->addresses, [&](const std::string& text) {
    const auto kind = class_of_address(text);
    return kind && may_reach(*kind, rules);
  });
  if (may_reach_all) return Reason::none;
  return facts.refuse(Reason::url_private, OutsideRefusal::address_refused);
}

/// The reason that the contents of a file are unknown.
OutsideRefusal why_unread(std::string_view path, const PathRules& rules, ValueFacts& facts) {
  const Finding* finding = find_one(FactQuery::Kind::place, path, rules, facts);
  const auto* place = finding == nullptr ? nullptr : std::get_if<FoundPlace>(finding);
  if (place == nullptr) return OutsideRefusal::none;
  if (place->where == FoundPlace::Where::absent) return OutsideRefusal::is_missing;
  if (place->kind == FoundPlace::Kind::directory) return OutsideRefusal::is_directory;
  return place->bytes > limits::digested_file_bytes_max ? OutsideRefusal::is_too_large
                                                        : OutsideRefusal::none;
}

Reason judge_digest(std::string_view text, const DigestSet& digests, ValueFacts& facts) {
  if (!digests.path()) {
    if (!facts.steps.take(1 + text.size() / kDigestBytesPerStep))
      return Reason::argument_undecidable;
    return digests.has_digest_of(text) ? Reason::none : Reason::argument_not_allowed;
  }
  const Reason reason = judge_path(text, *digests.path(), facts);
  if (reason != Reason::none) return reason;
  if (!has_one_reading(text, *digests.path(), facts.cwd)) return Reason::path_malformed;
  const Finding* finding = find_one(FactQuery::Kind::content, text, *digests.path(), facts);
  if (finding == nullptr) return facts.is_open ? Reason::none : Reason::argument_undecidable;
  const auto* found = std::get_if<FoundContent>(finding);
  if (found == nullptr) return refuse_unknown(std::get_if<NotFoundOut>(finding), facts);
  // A file that was not read has an unknown digest.
  if (found->sha256.empty()) {
    return facts.refuse(Reason::path_not_allowed, why_unread(text, *digests.path(), facts));
  }
  if (digests.has(found->sha256)) return Reason::none;
  return facts.refuse(Reason::argument_not_allowed, OutsideRefusal::has_other_digest);
}

/// Judges a command as an array of its words.
Reason judge_words(JsonValue array, const CommandRules& rules, StepBudget& steps) {
  // Up to this many words need no allocation.
  std::array<std::byte, 64 * sizeof(std::string_view)> room{};
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
  std::pmr::vector<std::string_view> words(&memory);
  words.reserve(room.size() / sizeof(std::string_view));
  for (const JsonValue word : array) {
    if (!word.is(JsonType::string)) return Reason::argument_wrong_type;
    if (words.size() > limits::command_words_max) return Reason::command_malformed;
    words.push_back(word.text());
  }
  const auto refusal = judge_command(words, rules, steps);
  return refusal ? reason_for(*refusal) : Reason::none;
}

/// Evaluates each kind of compiled predicate.
struct Judge {
  JsonValue value;
  ValueFacts& facts;

  Reason operator()(const PathRules& rules) const {
    if (!value.is(JsonType::string)) return Reason::argument_wrong_type;
    return judge_path(value.text(), rules, facts);
  }
  Reason operator()(const NumberRange& range) const { return range.judge(value); }
  Reason operator()(const ValueSet& set) const { return set.judge(value); }
  Reason operator()(const TextForm& form) const { return form.judge(value, facts.steps); }
  Reason operator()(const UrlRules& rules) const {
    if (!value.is(JsonType::string)) return Reason::argument_wrong_type;
    const auto refusal = judge_url(value.text(), rules);
    if (refusal) return reason_for(*refusal);
    if (!rules.resolve) return Reason::none;
    const auto name = name_to_look_up(value.text());
    return name ? judge_addresses(*name, rules, facts) : Reason::none;
  }
  Reason operator()(const DigestSet& digests) const {
    if (!value.is(JsonType::string)) return Reason::argument_wrong_type;
    return judge_digest(value.text(), digests, facts);
  }
  Reason operator()(const CommandRules& rules) const {
    if (value.is(JsonType::array)) return judge_words(value, rules, facts.steps);
    if (!value.is(JsonType::string)) return Reason::argument_wrong_type;
    const auto refusal = judge_command(value.text(), rules, facts.steps);
    return refusal ? reason_for(*refusal) : Reason::none;
  }
  Reason operator()(const SqlRules& rules) const {
    if (!value.is(JsonType::string)) return Reason::argument_wrong_type;
    const auto refusal = judge_sql(value.text(), rules, facts.steps);
    return refusal ? reason_for(*refusal) : Reason::none;
  }
};

}  // namespace

std::shared_ptr<const ValuePredicate> compile_predicate(const Predicate& predicate,
                                                        const Paths& paths) {
  return std::visit(Compiler{paths}, predicate);
}

bool asks_outside(const ValuePredicate& predicate) {
  const auto looks = [](const PathRules& rules) {
    return rules.resolve == PathConfig::Resolve::filesystem;
  };
  if (const auto* path = std::get_if<PathRules>(&predicate)) return looks(*path);
  if (const auto* url = std::get_if<UrlRules>(&predicate)) return url->resolve;
  const auto* digest = std::get_if<DigestSet>(&predicate);
  return digest != nullptr && digest->path().has_value();
}

Reason judge_value(const ValuePredicate& predicate, JsonValue value, ValueFacts& facts) {
  facts.refusal = OutsideRefusal::none;
  return std::visit(Judge{value, facts}, predicate);
}

}  // namespace bartizan
