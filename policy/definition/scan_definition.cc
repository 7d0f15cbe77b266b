#include "policy/definition/scan_definition.h"

#include <algorithm>
#include <array>
#include <utility>

#include "policy/definition/instruction_phrases.h"
#include "policy/definition/quoted_attack.h"
#include "policy/injection/injection_scanner.h"
#include "policy/text/argument_pointer.h"
#include "policy/text/encoded_text.h"
#include "policy/text/hidden_text.h"
#include "schemas/base/ascii.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {
namespace {

using enum FindingSeverity;

struct RuleText {
  std::string_view name, explanation;
};
constexpr std::array<RuleText, kScanRuleCount> kRules{{
    {"instruction", "a text tells the model what to do, beyond what the tool is"},
    {"marked-block", "a block is set off for the model, as its orders are"},
    {"hidden-text", "a text holds characters that nobody sees"},
    {"secret-place", "a text names a place where credentials lie"},
    {"context-asked", "an argument asks for the conversation, or for the model's orders"},
    {"credential-asked", "an argument asks for a key, a password or a token"},
    {"remote-schema", "a schema lies elsewhere, and may be another one there tomorrow"},
    {"other-tool", "a text speaks of a tool of another server"},
    {"confusable-name", "a name looks like that of another server's tool"},
    {"similar-name", "a name is that of another server's tool, or a letter away from it"},
    {"changed", "the definition is not the one that a person approved"},
    {"secret-held", "a text holds a secret, which whoever lists the tool would learn"},
}};

/// Arguments that no tool needs for its work, but to learn the conversation.
constexpr auto kContext = std::to_array<std::string_view>({
    "sidenote",        "side_note",           "conversation_history", "chat_history",
    "message_history", "full_conversation",   "conversation",         "previous_messages",
    "system_prompt",   "system_message",      "chain_of_thought",     "tools_list",
    "tool_list",       "list_of_tools",       "available_tools",      "tool_call_history",
    "tool_calls",      "hidden_instructions", "model_instructions",
});
/// Some tools may have a benign use for these.
constexpr auto kMaybeContext = std::to_array<std::string_view>(
    {"conversation", "chat_history", "message_history", "previous_messages", "system_message",
     "system_prompt", "tool_calls", "available_tools"});
/// Parts of names of files that never leave a machine.
constexpr auto kKeys = std::to_array<std::string_view>({
    "id_rsa",
    "id_ed25519",
    "ssh_id",
    "dotenv",
    "mcp_json",
    "mcp_config",
});
/// Some tools have a benign use for these: clouds, containers, wallets.
constexpr auto kMaybeKeys = std::to_array<std::string_view>(
    {"ssh_key", "private_key", "env_file", "environment_variables", "aws_secret"});
constexpr auto kCredentials = std::to_array<std::string_view>({
    "password",
    "passwd",
    "passphrase",
    "api_key",
    "apikey",
    "secret",
    "secret_key",
    "client_secret",
    "access_token",
    "auth_token",
    "bearer_token",
    "refresh_token",
    "api_token",
    "access_key",
    "credential",
    "credentials",
});
/// Keywords that refer to another schema.
constexpr auto kReferences =
    std::to_array<std::string_view>({"$ref", "$dynamicRef", "$recursiveRef"});
/// Keywords with names of arguments below.
constexpr auto kArgumentMaps = std::to_array<std::string_view>(
    {"properties", "patternProperties", "dependentSchemas", "dependentRequired"});
/// A longer name may be a text.
constexpr std::size_t kKeywordBytesMax = 24;

template <std::size_t size>
bool is_among(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// `conversationHistory` and `Conversation-History` as `conversation_history`.
std::string snake_case(std::string_view name) {
  std::string snake;
  bool was_lower = false;
  for (const char c : name) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (is_upper && was_lower) snake += '_';
    snake += c == '-' || c == '.' || c == ' ' ? '_' : lower_case(c);
    was_lower = !is_upper && (is_letter(c) || is_digit(c));
  }
  return snake;
}

struct Asked {
  ScanRule rule;
  FindingSeverity severity;
  std::string what;
};

/// The requests of an argument with that name; most have none.
std::vector<Asked> asked_by(std::string_view name) {
  // A pattern may match one name only.
  if (name.starts_with('^')) name.remove_prefix(1);
  if (name.ends_with('$')) name.remove_suffix(1);
  const std::string snake = snake_case(name);
  if (is_among(kContext, snake)) {
    return {{ScanRule::context_asked, is_among(kMaybeContext, snake) ? medium : high,
             "an argument asks for what was said or ordered"}};
  }
  const auto is_within = [&snake](std::string_view key) { return snake.contains(key); };
  if (std::ranges::any_of(kKeys, is_within)) {
    return {{ScanRule::credential_asked, high, "an argument asks for a key's file"}};
  }
  if (is_among(kCredentials, snake) || std::ranges::any_of(kMaybeKeys, is_within)) {
    return {{ScanRule::credential_asked, medium, "an argument asks for a credential"}};
  }
  return {};
}

bool asks_for_all(std::string_view description) {
  constexpr auto kAll = std::to_array<std::string_view>(
      {"full", "entire", "whole", "complete", "exact", "verbatim", "your"});
  const std::vector<std::string> words = spoken_words(description);
  return std::ranges::find_first_of(words, kAll) != words.end();
}

FindingSeverity severity_of(HiddenKind kind) {
  switch (kind) {
    case HiddenKind::control:
    case HiddenKind::escape:
    case HiddenKind::zero_width:
    case HiddenKind::bidi:
    case HiddenKind::tag:
      return high;
    case HiddenKind::line_break:
    case HiddenKind::variation_selector:
    case HiddenKind::soft_hyphen:
    case HiddenKind::private_use:
    case HiddenKind::unassigned:
    case HiddenKind::noncharacter:
    case HiddenKind::annotation:
    case HiddenKind::format:
    case HiddenKind::marks:
      return medium;
  }
  return high;
}

/// A shorter text cannot have an encoded order.
constexpr std::size_t kEncodedBytesMin = 24;

class DefinitionScan {
 public:
  std::vector<ScanFinding> run(JsonValue entry) {
    scan_value(entry, nullptr);
    return std::move(findings_);
  }

  std::vector<ScanFinding> run(JsonValue entry, DefinitionPart part,
                               std::span<const std::string> volatile_members) {
    for (const std::string& pointer : volatile_members) {
      if (const JsonValue selected = entry.at_pointer(pointer)) volatile_.push_back(selected);
    }
    const bool is_beside = part == DefinitionPart::beside;
    if (is_beside && volatile_.empty()) return {};
    wants_volatile_ = is_beside;
    is_read_ = !is_beside;
    for (const JsonValue member : entry) {
      const Place at{.above = nullptr, .name = member.key()};
      const bool is_pinned_by_v1 = is_fingerprinted_v1(member.key());
      if (part == DefinitionPart::beyond_v1 && is_pinned_by_v1) continue;
      scan_hidden(member.key(), &at);
      scan_value(member, &at);
    }
    return std::move(findings_);
  }

  void scan_text(std::string_view text, const Place* at) {
    if (!is_read_) return;
    scan_hidden(text, at);
    const std::vector<std::string> words = scan_words(text, at);
    if (std::ranges::any_of(words, is_secret_place)) {
      add(ScanRule::secret_place, is_value_ ? high : medium, at,
          "names a place where credentials lie");
    }
  }

  /// Scans the words of a text, which it returns.
  std::vector<std::string> scan_words(std::string_view text, const Place* at) {
    std::vector<std::string> words = spoken_words(text);
    const std::vector<Said> said = read_orders(text, words);
    if (!said.empty()) {
      const std::string rest = without_quoted_attacks(text);
      const bool quotes = rest.size() < text.size();
      const std::vector<Said> own = quotes ? read_orders(rest, spoken_words(rest)) : said;
      for (const Said& one : said) {
        const bool is_own = one.severity != high || std::ranges::find(own, one) != own.end();
        add(one.rule, is_own ? one.severity : medium, at,
            is_own ? one.what : "quotes a text that " + one.what);
      }
    }
    scan_encoded(text, at);
    return words;
  }

  /// Finds encoded orders. A model can decode them, while a person who reads the text cannot.
  void scan_encoded(std::string_view text, const Place* at) {
    if (text.size() < kEncodedBytesMin) return;
    encoded_.start(text);
    while (encoded_.next()) {
      const std::string_view decoded = encoded_.decoded();
      for (const Said& one : read_orders(decoded, spoken_words(decoded))) {
        if (one.severity == high) add(one.rule, high, at, "in an encoding, " + one.what);
      }
    }
    encoded_.finish();
  }

  std::vector<ScanFinding> take() { return std::move(findings_); }

 private:
  void add(ScanRule rule, FindingSeverity severity, const Place* at, std::string what) {
    if (!is_read_) return;
    if (findings_.size() < scan_findings_max) {
      return findings_.push_back({rule, severity, pointer_text(at), std::move(what)});
    }
    // The most severe findings must not be omitted.
    const auto mildest = std::ranges::min_element(findings_, {}, &ScanFinding::severity);
    if (mildest->severity < severity)
      *mildest = {rule, severity, pointer_text(at), std::move(what)};
  }

  /// The message of a text to the model.
  struct Said {
    ScanRule rule;
    FindingSeverity severity;
    std::string what;
    bool operator==(const Said&) const = default;
  };

  std::vector<Said> read_orders(std::string_view text, const std::vector<std::string>& words) {
    std::vector<Said> said;
    if (const std::string_view block = find_marked_block(text); !block.empty()) {
      said.push_back({ScanRule::marked_block, high,
                      "holds a block that is set off by \"" + std::string(block) + "\""});
    }
    if (const InstructionPhrase* phrase = find_instruction(words)) {
      said.push_back({ScanRule::instruction, phrase->severity,
                      "tells the model " + std::string(phrase->meaning)});
    } else if (overrides(text)) {
      said.push_back({ScanRule::instruction, high, "tells the model to forget what it was told"});
    }
    return said;
  }

  bool overrides(std::string_view text) {
    return std::ranges::any_of(screen_.scan(text).found, [](const FoundInjection& one) {
      return one.family == InjectionFamily::overriding;
    });
  }

  void scan_hidden(std::string_view text, const Place* at) {
    const std::vector<HiddenPart> parts = find_hidden(text);
    const auto found = std::ranges::max_element(
        parts, {}, [](const HiddenPart& part) { return severity_of(part.kind); });
    if (found == parts.end()) return;
    add(ScanRule::hidden_text, severity_of(found->kind), at,
        "hides " + std::string(bartizan::text(found->kind)) + " characters");
  }

  /// Whether a list has names of arguments, which can address a model without a schema of their
  /// own.
  bool names_arguments(JsonValue list) const {
    return list.key() == "required" || (list.key() == "enum" && is_naming_);
  }

  void ask(std::string_view argument, const Place* at) {
    for (Asked& asked : asked_by(argument))
      add(asked.rule, asked.severity, at, std::move(asked.what));
  }

  /// Scans the spoken form of an argument's name. A name with a benign use in some tools is a
  /// finding only if its description asks for everything.
  void scan_argument(JsonValue property, const Place* at) {
    for (Asked& asked : asked_by(property.key())) {
      const bool wants_all = asked.rule == ScanRule::context_asked &&
                             asks_for_all(property.find("description").text());
      add(asked.rule, wants_all ? high : asked.severity, at, std::move(asked.what));
    }
    std::string spoken(property.key());
    std::ranges::replace(spoken, '_', ' ');
    scan_text(spoken, at);
  }

  bool is_volatile(JsonValue value) const {
    return std::ranges::any_of(
        volatile_, [value](JsonValue one) { return one.range().begin == value.range().begin; });
  }

  void scan_value(JsonValue value, const Place* at) {
    if (!is_volatile(value)) return scan_within(value, at);
    const bool was_read = std::exchange(is_read_, wants_volatile_);
    scan_within(value, at);
    is_read_ = was_read;
  }

  void scan_within(JsonValue value, const Place* at) {
    if (value.is(JsonType::string)) {
      if (is_among(kReferences, value.key())) scan_reference(value.text(), at);
      // A pattern names what it forbids, such as invisible characters and places.
      if (value.key() == "pattern") {
        scan_words(value.text(), at);
        return;
      }
      return scan_text(value.text(), at);
    }
    Place step{.above = at, .is_element = value.is(JsonType::array)};
    const bool are_arguments = is_among(kArgumentMaps, value.key());
    for (const JsonValue member : value) {
      step.name = member.key();
      if (step.is_element && names_arguments(value)) ask(member.text(), &step);
      if (are_arguments || member.key().size() > kKeywordBytesMax) {
        scan_argument(member, &step);
      } else {
        scan_hidden(member.key(), &step);
      }
      const bool fills_in = is_among(kFilledIn, member.key());
      const bool was_value = std::exchange(is_value_, is_value_ || fills_in);
      const bool was_naming =
          std::exchange(is_naming_, is_naming_ || member.key() == "propertyNames");
      scan_value(member, &step);
      is_value_ = was_value;
      is_naming_ = was_naming;
      ++step.index;
    }
  }

  void scan_reference(std::string_view reference, const Place* at) {
    const bool is_known = reference.starts_with("http://json-schema.org/") ||
                          reference.starts_with("https://json-schema.org/");
    const bool leads_away =
        reference.find("://") != std::string_view::npos || reference.starts_with("//");
    if (is_known || !leads_away) return;
    add(ScanRule::remote_schema, high, at, "refers to a schema that lies elsewhere");
  }

  /// Keywords whose values a model uses unchanged.
  static constexpr auto kFilledIn =
      std::to_array<std::string_view>({"default", "const", "enum", "examples"});

  std::vector<JsonValue> volatile_;
  bool wants_volatile_ = false;  ///< Only volatile members are read; otherwise all others.
  bool is_read_ = true;
  bool is_value_ = false;   ///< Within a value that a model uses unchanged.
  bool is_naming_ = false;  ///< Within a schema of names.
  InjectionScanner screen_;
  EncodedText encoded_;
  std::vector<ScanFinding> findings_;
};

}  // namespace

std::string_view text(ScanRule rule) {
  return kRules[static_cast<std::size_t>(rule)].name;
}

std::string_view explanation(ScanRule rule) {
  return kRules[static_cast<std::size_t>(rule)].explanation;
}

std::vector<ScanFinding> scan_definition(JsonValue entry) {
  return DefinitionScan().run(entry);
}

std::vector<ScanFinding> scan_definition(JsonValue entry, DefinitionPart part,
                                         std::span<const std::string> volatile_members) {
  return DefinitionScan().run(entry, part, volatile_members);
}

const ScanFinding* first_danger(const std::vector<ScanFinding>& findings) {
  const auto found = std::ranges::find(findings, high, &ScanFinding::severity);
  return found == findings.end() ? nullptr : &*found;
}

std::string sentence(const ScanFinding& finding) {
  return std::string(text(finding.rule)) + ": " + finding.what;
}

bool has_high_finding(std::string_view text) {
  if (text.empty()) return false;
  DefinitionScan scan;
  scan.scan_text(text, nullptr);
  return first_danger(scan.take()) != nullptr;
}

bool asks_for_secrets(std::string_view name) {
  return !asked_by(name).empty();
}

}  // namespace bartizan
