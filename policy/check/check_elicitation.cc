#include "policy/check/check_elicitation.h"

#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "policy/predicate/value_predicate.h"
#include "policy/redact/redaction_mark.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

/// Words in a row, as `words_of` writes them, without the `s` of a plural.
/// Source: MCP 2025-11-25, client/elicitation: "passwords, API keys, access tokens, or payment
/// credentials"; the rest is what these are called in forms.
constexpr std::array<std::string_view, 38> kSecretWords{"2 fa",          "access code",
                                                        "access key",    "api key",
                                                        "auth code",     "bank account",
                                                        "card number",   "client secret",
                                                        "credential",    "credit card",
                                                        "cvc",           "cvv",
                                                        "debit card",    "iban",
                                                        "mnemonic",      "one time code",
                                                        "otp",           "pass code",
                                                        "pass phrase",   "pass word",
                                                        "passcode",      "passphrase",
                                                        "passwd",        "password",
                                                        "pin",           "private key",
                                                        "pwd",           "recovery code",
                                                        "recovery key",  "secret",
                                                        "security code", "seed phrase",
                                                        "signing key",   "social security",
                                                        "ssh key",       "ssn",
                                                        "token",         "verification code"};

/// What is one also in the middle of a longer word.
constexpr std::array<std::string_view, 13> kSecretStems{
    "password",   "passwd",     "passphrase",  "passcode",    "apikey",
    "secretkey",  "privatekey", "accesskey",   "accesstoken", "clientsecret",
    "creditcard", "cardnumber", "securitycode"};

/// Blanks where capitals and digits tell words apart: `DBPassword1` has three.
std::string split_names(std::string_view text) {
  std::string spaced;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char before = i > 0 ? text[i - 1] : ' ';
    const bool ends_run = is_upper(before) && i + 1 < text.size() && is_lower(text[i + 1]);
    const bool begins =
        (is_upper(c) && (!is_upper(before) || ends_run)) || is_digit(c) != is_digit(before);
    if (i > 0 && begins) spaced += ' ';
    spaced += c;
  }
  return spaced;
}

/// Case and width folded, without what nobody sees; nothing where that is not possible.
std::optional<std::string> fold(const std::string& text) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* folding = icu::Normalizer2::getNFKCCasefoldInstance(error);
  if (U_FAILURE(error)) return std::nullopt;
  const icu::UnicodeString folded =
      folding->normalize(icu::UnicodeString::fromUTF8(
                             icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size()))),
                         error);
  if (U_FAILURE(error)) return std::nullopt;
  std::string utf8;
  folded.toUTF8String(utf8);
  return utf8;
}

/// The words of a folded text without the `s` of plurals, one blank between and around them.
std::string words_of(std::string_view folded) {
  std::string words = " ";
  const auto end_word = [&words] {
    if (words.back() == ' ') return;
    if (words.size() > 3 && words.back() == 's') words.pop_back();
    words += ' ';
  };
  for (const char c : folded) {
    if (is_lower(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80) {
      words += c;
    } else {
      end_word();
    }
  }
  end_word();
  return words;
}

bool has_secret_words(std::string_view folded) {
  const std::string words = words_of(folded);
  return std::ranges::any_of(kSecretWords, [&](std::string_view word) {
    return words.contains(" " + std::string(word) + " ");
  });
}

bool has_secret_stem(std::string folded) {
  std::erase_if(folded, [](char c) {
    return !is_lower(c) && !is_digit(c) && static_cast<unsigned char>(c) < 0x80;
  });
  return std::ranges::any_of(kSecretStems,
                             [&](std::string_view stem) { return folded.contains(stem); });
}

/// Whether a list offers what may be answered: the server's own words.
bool offers_choices(JsonValue choices, std::string_view member) {
  if (!choices.is(JsonType::array) || choices.begin() == choices.end()) return false;
  return std::all_of(choices.begin(), choices.end(), [member](JsonValue choice) {
    return member.empty() ? choice.is(JsonType::string) : choice.find(member).is(JsonType::string);
  });
}

bool has_choices(JsonValue field) {
  return offers_choices(field.find("enum"), "") || offers_choices(field.find("oneOf"), "const") ||
         offers_choices(field.find("anyOf"), "const");
}

/// What a field of a form is. Source: MCP 2025-11-25, schema, "PrimitiveSchemaDefinition".
enum class Field : std::uint8_t {
  choice,  ///< Ticked, taken from a list of the server's, or a small number: no secret.
  typed,   ///< Something of the user's own goes in.
  other,   ///< Nothing that the protocol knows, so nobody knows what is asked.
};

/// A number up to this is too short for a PIN or the code of a card.
constexpr std::int64_t kSmall = 100;

Field kind_of(JsonValue field) {
  const std::string_view type = field.find("type").text();
  if (type == "boolean") return Field::choice;
  if (type == "array") return has_choices(field.find("items")) ? Field::choice : Field::other;
  const bool is_number = type == "number" || type == "integer";
  if (!is_number && type != "string") return Field::other;
  const bool is_small = is_number && field.find("maximum").integer().value_or(INT64_MAX) <= kSmall;
  return is_small || has_choices(field) ? Field::choice : Field::typed;
}

/// Every text of a field, by whatever name: a client may show one that is spelled in another case.
bool asks_for_a_secret(JsonValue field) {
  if (names_a_secret(field.key()) || field.find("format").text() == "password") return true;
  return std::any_of(field.begin(), field.end(), [](JsonValue member) {
    return member.key() != "type" && names_a_secret(member.text());
  });
}

bool is_schema_member(std::string_view name) {
  constexpr std::array<std::string_view, 6> kMembers{"$schema",  "type",  "properties",
                                                     "required", "title", "description"};
  return std::ranges::find(kMembers, name) != kMembers.end();
}

/// A form of any other shape than the protocol's could ask for anything.
Decision check_form(JsonValue params) {
  const Decision refusal = Decision::deny(Reason::secret_requested);
  const JsonValue schema = params.find("requestedSchema");
  const JsonValue fields = schema.find("properties");
  const bool is_known_shape =
      std::all_of(schema.begin(), schema.end(),
                  [](JsonValue member) { return is_schema_member(member.key()); }) &&
      (!schema || schema.is(JsonType::object)) && (!fields || fields.is(JsonType::object));
  if (!is_known_shape || params.find("url")) return refusal;
  bool has_typed = !fields || fields.begin() == fields.end();
  for (const JsonValue field : fields) {
    const Field kind = kind_of(field);
    if (kind == Field::other) return refusal;
    if (kind == Field::choice) continue;
    has_typed = true;
    if (asks_for_a_secret(field)) return refusal;
  }
  // A form can say in its text what no field of it says.
  const bool is_told = names_a_secret(params.find("message").text()) ||
                       names_a_secret(schema.find("title").text()) ||
                       names_a_secret(schema.find("description").text());
  return has_typed && is_told ? refusal : Decision::pass();
}

}  // namespace

bool names_a_secret(std::string_view said) {
  // What the gateway put in the place of a secret names a kind of them, and asks for none.
  const std::string text = without_redaction_marks(said);
  if (text.empty()) return false;
  const std::optional<std::string> split = fold(split_names(text));
  const std::optional<std::string> whole = fold(text);
  // What cannot be read may say anything.
  if (!split.has_value() || !whole.has_value()) return true;
  return has_secret_words(*split) || has_secret_words(*whole) || has_secret_stem(*whole);
}

ElicitationUrls compile_elicitation_urls(const Config& config) {
  ElicitationUrls urls;
  for (const auto& [name, server] : config.servers) {
    const auto form = config.urls.find(server.elicitation_urls);
    if (form != config.urls.end()) urls.emplace(name, compile_url_rules(form->second.form));
  }
  return urls;
}

Decision check_elicitation(const ElicitationUrls& urls, const Call& call) {
  const bool is_asked = call.direction == Direction::server_to_client &&
                        call.message.is_request() &&
                        call.message.known->id == MethodId::elicitation_create;
  if (!is_asked) return Decision::pass();
  const JsonValue params = call.message.params;
  // One that is judged again, after what it says was judged, has none.
  if (!params) return Decision::pass();
  if (params.raw().size() > kElicitationBytesMax) {
    return Decision::deny(Reason::secret_requested);
  }
  const JsonValue mode = params.find("mode");
  if (!mode || mode.text() == "form") return check_form(params);
  const auto rules = urls.find(call.server);
  if (mode.text() != "url" || rules == urls.end()) return Decision::deny(Reason::url_not_allowed);
  ValueFacts facts;
  const Reason reason = judge_value(rules->second, params.find("url"), facts);
  return reason == Reason::none ? Decision::pass() : Decision::deny(reason);
}

}  // namespace bartizan
