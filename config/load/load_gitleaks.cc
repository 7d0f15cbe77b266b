#include "config/load/load_gitleaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/check_name.h"
#include "config/load/gitleaks_table.h"
#include "config/table_reader.h"
#include "config/toml_reader.h"
#include "schemas/schema/schema_pattern.h"

namespace bartizan {
namespace {

using Type = TomlValue::Type;

constexpr std::size_t kRulesMax = 512;
constexpr std::size_t kAllowedMax = 8192;
constexpr std::size_t kKeywordsMax = 256;
constexpr std::size_t kWordBytesMax = 256;
/// RE2 expands repetitions before it checks its memory limit.
constexpr std::size_t kRegexBytesMax = 2048;
/// The other half is for RE2's state during matching.
constexpr std::size_t kAllMemoryMax = kGitleaksBytesMax / 2;
constexpr double kEntropyMax = 32;

/// Reads one file into one detector.
class GitleaksFile {
 public:
  GitleaksFile(DetectorConfig& detector, GitleaksUse& use, Problems& problems)
      : detector_(detector), use_(use), problems_(problems) {}

  void read(const TomlValue& root) {
    GitleaksTable table(root, "the file", problems_);
    for (const std::string_view key : {"title", "description", "minVersion"})
      table.text(key);
    read_extend(table);
    for (const TomlValue* rule : table.tables("rules"))
      read_rule(*rule);
    const std::size_t own = detector_.allowlists.size();
    for (const auto& [allowlist, where] : find_allowlists(table))
      read_global(*allowlist, where);
    for (std::size_t i = own; i < detector_.allowlists.size(); ++i)
      add_to_rules(i);
    table.finish();
    if (!detector_.rules.empty() || has_bad_rule_) return;
    problems_.error(detector_.pattern_where, "\"gitleaks\" names a file without a rule to look for",
                    "write [[rules]] with id and regex into it");
  }

 private:
  void read_extend(GitleaksTable& root) {
    const TomlEntry* entry = root.find("extend", Type::table);
    if (entry == nullptr) return;
    constexpr std::string_view kHint =
        "write those rules into this file, or name their file in a [detector.NAME] of its own, and "
        "take this out";
    GitleaksTable extend(*entry, "[extend]", problems_);
    if (const TomlEntry* uses_default = extend.find("useDefault", Type::boolean);
        uses_default != nullptr && uses_default->value.boolean) {
      problems_.error(uses_default->where,
                      "\"useDefault\" wants the rules of gitleaks itself, which are not here",
                      std::string(kHint));
    }
    for (const std::string_view key : {"path", "url"}) {
      const auto from = extend.text(key);
      if (!from) continue;
      problems_.error(from->where, fmt::format("rules are not taken from the {} of [extend]", key),
                      std::string(kHint));
    }
    extend.texts("disabledRules");
    extend.finish();
  }

  using Found = std::vector<std::pair<const TomlValue*, Position>>;
  /// `[allowlist]` is the former name of `[[allowlists]]`.
  Found find_allowlists(GitleaksTable& table) {
    Found found;
    if (const TomlEntry* one = table.find("allowlist", Type::table))
      found.emplace_back(&one->value, one->where);
    const std::size_t older = found.size();
    for (const TomlValue* more : table.tables("allowlists"))
      found.emplace_back(more, more->where);
    if (older > 0 && found.size() > older) {
      problems_.error(found.front().second, "\"allowlist\" and \"allowlists\" stand side by side",
                      "write it as one of [[allowlists]], too");
    }
    return found;
  }

  void read_rule(const TomlValue& value) {
    GitleaksTable table(value, "[[rules]]", problems_);
    const auto id = table.text("id");
    table.text("description");
    table.texts("tags");
    GitleaksRule rule{.id = id ? id->value : "", .where = id ? id->where : value.where};
    const std::string name = quote(rule.id);
    bool is_sound = check_id(id, value.where);
    const auto path = table.text("path");
    const auto regex = table.text("regex");
    is_sound &= read_regex(table, regex, rule);
    read_entropy(table, rule);
    read_keywords(table, rule);
    const std::vector<const TomlValue*> required = table.tables("required");
    if (!required.empty()) {
      problems_.error(required.front()->where,
                      fmt::format("the rule {} requires others beside what it finds", name),
                      "take \"required\" out and it finds more, or take the rule out");
      is_sound = false;
    }
    const bool is_for_others = table.flag("skipReport");
    const std::size_t before = detector_.allowlists.size();
    for (const auto& [allowlist, where] : find_allowlists(table))
      read_allowlist(*allowlist, where, "[[rules.allowlists]]");
    table.finish();
    for (std::size_t i = before; i < detector_.allowlists.size(); ++i)
      rule.allowlists.push_back(i);
    if (regex && path) {
      problems_.warning(path->where,
                        fmt::format("\"path\" of the rule {} is passed over: texts have no names "
                                    "of files, so it is looked for in all of them",
                                    name),
                        "leave it out of \"detectors\" where that finds too much");
    } else if (path) {
      problems_.warning(path->where,
                        fmt::format("the rule {} is left out: it finds names of files, and texts "
                                    "have none",
                                    name));
      left_out_.insert(rule.id);
      return;
    }
    if (is_for_others) {
      problems_.warning(rule.where,
                        fmt::format("the rule {} is left out: \"skipReport\" keeps it for rules "
                                    "that require it",
                                    name));
      left_out_.insert(rule.id);
      return;
    }
    has_bad_rule_ |= !is_sound;
    if (!is_sound || !has_room(use_.rules, kRulesMax, "rules", rule.where)) return;
    detector_.rules.push_back(std::move(rule));
  }

  bool check_id(const std::optional<Text>& id, Position where) {
    if (!id) {
      problems_.error(where, "a rule needs \"id\"");
      return false;
    }
    check_name(*id, "rule", problems_);
    const auto is_it = [&](const GitleaksRule& rule) { return rule.id == id->value; };
    if (!std::ranges::any_of(detector_.rules, is_it) && !left_out_.contains(id->value)) return true;
    problems_.error(id->where, fmt::format("there are two rules {}", quote(id->value)),
                    "give each an id of its own");
    return false;
  }

  /// Whether the rule can be searched for, or is left out for another reason.
  bool read_regex(GitleaksTable& table, const std::optional<Text>& regex, GitleaksRule& rule) {
    const TomlEntry* group = table.find("secretGroup", Type::integer);
    if (!regex) {
      if (table.text("path")) return true;
      problems_.error(rule.where, fmt::format("the rule {} has no \"regex\"", quote(rule.id)));
      return false;
    }
    rule.regex = in_syntax_of_re2(regex->value);
    const auto groups = check(Text{.value = rule.regex, .where = regex->where}, "regex");
    if (!groups) return false;
    if (group == nullptr) return true;
    const std::int64_t number = group->value.integer;
    if (number < 0 || number > static_cast<std::int64_t>(*groups)) {
      problems_.error(group->value.where,
                      fmt::format("\"secretGroup\" is {}, and the regex of {} has {} groups",
                                  number, quote(rule.id), *groups));
      return false;
    }
    rule.secret_group = static_cast<std::uint32_t>(number);
    return true;
  }

  /// The number of groups of a usable pattern.
  std::optional<std::size_t> check(const Text& regex, std::string_view key) {
    if (regex.value.size() > kRegexBytesMax) {
      problems_.error(regex.where,
                      fmt::format("{} is longer than {} bytes", quote(key), kRegexBytesMax));
      return std::nullopt;
    }
    const auto compiled = compile_re2_pattern(regex.value, kGitleaksPatternBytesMax);
    if (!compiled.has_value()) {
      const bool looks_around = regex.value.contains("(?=") || regex.value.contains("(?!") ||
                                regex.value.contains("(?<=") || regex.value.contains("(?<!");
      problems_.error(regex.where,
                      fmt::format("{} is not a pattern that RE2 can use: {}", quote(key),
                                  quote(compiled.error().detail)),
                      looks_around ? "gitleaks itself has no look-around either: write what is "
                                     "excepted as an allowlist"
                                   : "");
      return std::nullopt;
    }
    use_.bytes += compiled->memory;
    if (use_.bytes > kAllMemoryMax) {
      problems_.error(regex.where, "the patterns of rules need more than 64 MiB together",
                      "write fewer rules, or smaller repetitions");
      return std::nullopt;
    }
    return group_count(*compiled);
  }

  void read_entropy(GitleaksTable& table, GitleaksRule& rule) {
    const TomlEntry* entropy = table.find("entropy");
    if (entropy == nullptr) return;
    const TomlValue& value = entropy->value;
    if (value.type == Type::integer) rule.entropy = static_cast<double>(value.integer);
    if (value.type == Type::number) rule.entropy = value.number;
    const bool is_number = value.type == Type::integer || value.type == Type::number;
    if (is_number && rule.entropy >= 0 && rule.entropy <= kEntropyMax) return;
    problems_.error(
        value.where,
        fmt::format("\"entropy\" of {} must be a number from 0 to {}", quote(rule.id), kEntropyMax),
        "it is in bits for each character");
  }

  void read_keywords(GitleaksTable& table, GitleaksRule& rule) {
    for (const Text& keyword : table.texts("keywords")) {
      if (!check_word(keyword, "keywords")) continue;
      if (rule.keywords.size() == kKeywordsMax) {
        problems_.error(keyword.where,
                        fmt::format("a rule has more than {} keywords", kKeywordsMax));
        return;
      }
      rule.keywords.push_back(in_small_letters(keyword.value));
    }
  }

  bool check_word(const Text& word, std::string_view key) {
    if (!word.value.empty() && word.value.size() <= kWordBytesMax) return true;
    problems_.error(word.where,
                    fmt::format("{} must hold 1 to {} bytes each", quote(key), kWordBytesMax));
    return false;
  }

  bool has_room(std::size_t& used, std::size_t most, std::string_view what, Position where) {
    if (used++ < most) return true;
    // Reported only once.
    if (used == most + 1) {
      problems_.error(
          where, fmt::format("the files of gitleaks hold more than {} {} together", most, what));
    }
    return false;
  }

  /// Adds the usable part of the allowlist, unless it is empty.
  void read_allowlist(const TomlValue& value, Position where, std::string what,
                      std::vector<Text>* targets = nullptr) {
    GitleaksTable table(value, std::move(what), problems_);
    if (targets != nullptr) *targets = table.texts("targetRules");
    table.text("description");
    GitleaksAllowlist allowlist;
    read_condition(table, allowlist);
    read_target(table, allowlist);
    const std::vector<Text> regexes = table.texts("regexes");
    for (const Text& regex : regexes) {
      const Text translated{.value = in_syntax_of_re2(regex.value), .where = regex.where};
      const bool is_usable = check(translated, "regexes").has_value() &&
                             has_room(use_.allowed, kAllowedMax, "exceptions", regex.where);
      if (is_usable) allowlist.regexes.push_back(translated.value);
    }
    const std::vector<Text> words = table.texts("stopwords");
    for (const Text& word : words) {
      const bool is_usable = check_word(word, "stopwords") &&
                             has_room(use_.allowed, kAllowedMax, "exceptions", word.where);
      if (is_usable) allowlist.stopwords.push_back(in_small_letters(word.value));
    }
    const bool has_texts = !allowlist.regexes.empty() || !allowlist.stopwords.empty();
    bool has_others = false;
    for (const auto& [key, of] : {std::pair{"paths", "names of files"}, {"commits", "commits"}}) {
      const std::vector<Text> others = table.texts(key);
      if (others.empty()) continue;
      has_others = true;
      problems_.warning(
          others.front().where,
          fmt::format("{} of an allowlist are passed over: texts have no {}, so {}", quote(key), of,
                      allowlist.needs_all || !has_texts ? "it lets nothing pass"
                                                        : "it lets pass only what else it names"));
    }
    table.finish();
    if (regexes.empty() && words.empty() && !has_others) {
      problems_.error(where, "an allowlist needs \"regexes\" or \"stopwords\"");
    }
    if (!has_texts || (allowlist.needs_all && has_others)) return;
    detector_.allowlists.push_back(std::move(allowlist));
  }

  void read_condition(GitleaksTable& table, GitleaksAllowlist& allowlist) {
    const auto condition = table.text("condition");
    if (!condition) return;
    const std::string word = in_small_letters(condition->value);
    allowlist.needs_all = word == "and" || word == "&&";
    if (allowlist.needs_all || word == "or" || word == "||") return;
    problems_.error(condition->where, "\"condition\" must be \"AND\" or \"OR\"");
  }

  void read_target(GitleaksTable& table, GitleaksAllowlist& allowlist) {
    using Target = GitleaksAllowlist::Target;
    constexpr std::array<std::pair<std::string_view, Target>, 3> kTargets{
        {{"secret", Target::secret}, {"match", Target::match}, {"line", Target::line}}};
    const auto target = table.text("regexTarget");
    if (!target) return;
    const auto* const found =
        std::ranges::find(kTargets, target->value, &std::pair<std::string_view, Target>::first);
    if (found == kTargets.end()) {
      problems_.error(target->where, "\"regexTarget\" must be \"secret\", \"match\" or \"line\"");
      return;
    }
    allowlist.target = found->second;
  }

  void read_global(const TomlValue& value, Position where) {
    const std::size_t before = detector_.allowlists.size();
    std::vector<Text> targets;
    read_allowlist(value, where, "[[allowlists]]", &targets);
    for (const Text& target : targets) {
      const auto is_it = [&](const GitleaksRule& rule) { return rule.id == target.value; };
      const bool is_there = std::ranges::any_of(detector_.rules, is_it) ||
                            left_out_.contains(target.value) || has_bad_rule_;
      if (is_there) continue;
      problems_.error(target.where, fmt::format("there is no rule {}", quote(target.value)));
    }
    if (before == detector_.allowlists.size()) return;
    targets_.emplace_back(before, values(targets));
  }

  void add_to_rules(std::size_t allowlist) {
    const auto targets = std::ranges::find(
        targets_, allowlist, &std::pair<std::size_t, std::vector<std::string>>::first);
    for (GitleaksRule& rule : detector_.rules) {
      const bool is_meant = targets == targets_.end() || targets->second.empty() ||
                            std::ranges::find(targets->second, rule.id) != targets->second.end();
      if (is_meant) rule.allowlists.push_back(allowlist);
    }
  }

  DetectorConfig& detector_;
  GitleaksUse& use_;
  Problems& problems_;
  std::set<std::string, std::less<>> left_out_;
  std::vector<std::pair<std::size_t, std::vector<std::string>>> targets_;
  bool has_bad_rule_ = false;
};

}  // namespace

void load_gitleaks(DetectorConfig& detector, std::string_view text, std::uint32_t file,
                   GitleaksUse& use, Problems& problems) {
  const auto root = parse_toml(text, file);
  if (!root) {
    problems.error(root.error().where, root.error().message);
    return;
  }
  GitleaksFile(detector, use, problems).read(*root);
}

}  // namespace bartizan
