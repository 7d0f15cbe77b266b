#include "policy/check_elicitation.h"

#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>
#include <optional>

#include "policy/value_predicate.h"

namespace bartizan {
namespace {

/// Words with a blank are two in a row. Written as they come out of `words_of`.
/// Source: MCP 2025-11-25, client/elicitation: "passwords, API keys, access tokens, or payment
/// credentials"; the rest is what these are called in forms.
constexpr std::array<std::string_view, 41> kSecretWords{
    "access key",    "access token",  "api key",       "api token",    "apikey",
    "auth token",    "bank account",  "bearer token",  "card number",  "cardnumber",
    "client secret", "credential",    "credentials",   "credit card",  "creditcard",
    "cvc",           "cvv",           "debit card",    "iban",         "mnemonic",
    "one time code", "otp",           "passcode",      "passphrase",   "passwd",
    "password",      "passwords",     "pin",           "pin code",     "private key",
    "privatekey",    "pwd",           "recovery code", "recovery key", "secret",
    "secrets",       "security code", "seed phrase",   "signing key",  "ssn",
    "token"};

/// Lower case, one blank between words and around all of them.
std::string words_of(std::string_view text) {
  // Where capitals tell words apart, folding would join them.
  std::string spaced;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto is_upper = [&](std::size_t at) { return text[at] >= 'A' && text[at] <= 'Z'; };
    if (i > 0 && is_upper(i) && !is_upper(i - 1)) spaced += ' ';
    spaced += text[i];
  }
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* folding = icu::Normalizer2::getNFKCCasefoldInstance(error);
  if (U_FAILURE(error)) return {};
  const icu::UnicodeString folded =
      folding->normalize(icu::UnicodeString::fromUTF8(icu::StringPiece(
                             spaced.data(), static_cast<std::int32_t>(spaced.size()))),
                         error);
  std::string utf8;
  folded.toUTF8String(utf8);
  std::string words = " ";
  for (const char c : utf8) {
    const bool is_word =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (is_word) words += c;
    if (!is_word && words.back() != ' ') words += ' ';
  }
  if (words.back() != ' ') words += ' ';
  return words;
}

/// Whether something of the user's own is typed into a field: what is chosen from the server's own
/// list, or ticked, is no secret.
bool is_typed(JsonValue field) {
  const std::string_view type = field.find("type").text();
  const bool is_choice = field.find("enum") || field.find("oneOf") || field.find("anyOf") ||
                         type == "array" || type == "boolean";
  return !is_choice;
}

bool asks_for_a_secret(JsonValue field) {
  return names_a_secret(field.key()) || names_a_secret(field.find("title").text()) ||
         names_a_secret(field.find("description").text()) ||
         field.find("format").text() == "password";
}

Decision check_form(JsonValue params) {
  const JsonValue schema = params.find("requestedSchema");
  bool has_typed = false;
  for (const JsonValue field : schema.find("properties")) {
    if (!is_typed(field)) continue;
    has_typed = true;
    if (asks_for_a_secret(field)) return Decision::deny(Reason::secret_requested);
  }
  // A form can say in its text what no field of it says.
  const bool is_told = names_a_secret(params.find("message").text()) ||
                       names_a_secret(schema.find("title").text()) ||
                       names_a_secret(schema.find("description").text());
  return has_typed && is_told ? Decision::deny(Reason::secret_requested) : Decision::pass();
}

}  // namespace

bool names_a_secret(std::string_view text) {
  if (text.empty()) return false;
  const std::string words = words_of(text);
  // What cannot be read may say anything.
  if (words.empty()) return true;
  return std::ranges::any_of(kSecretWords, [&](std::string_view word) {
    return words.contains(" " + std::string(word) + " ");
  });
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
  const JsonValue mode = params.find("mode");
  if (!mode || mode.text() == "form") return check_form(params);
  const auto rules = urls.find(call.server);
  if (mode.text() != "url" || rules == urls.end()) return Decision::deny(Reason::url_not_allowed);
  ValueFacts facts;
  const Reason reason = judge_value(rules->second, params.find("url"), facts);
  return reason == Reason::none ? Decision::pass() : Decision::deny(reason);
}

}  // namespace bartizan
