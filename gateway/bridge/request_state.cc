#include "gateway/bridge/request_state.h"

#include <array>
#include <charconv>

#include "audit/digest.h"
#include "gateway/token/sealed_text.h"
#include "schemas/json/canonical_json.h"

namespace bartizan {
namespace {

constexpr std::int64_t kSeconds = 3600;

/// All of the subject, each part after its length.
std::string binding(const StateSubject& subject) {
  std::string bound = std::to_string(subject.generation) + ":";
  for (const std::string_view part :
       {subject.principal, subject.endpoint, subject.server, subject.method, subject.target}) {
    bound += std::to_string(part.size()) + ":";
    bound += part;
  }
  const std::string arguments = canonical_json(subject.arguments, NumberForm::exact);
  const std::array<char, 64> digest = hex_text(Digester().sha256(arguments));
  return bound.append(digest.data(), digest.size());
}

/// Removes the number before the first space of a text, and returns it.
template <class Number>
std::optional<Number> take_number(std::string_view& text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || digits >= text.size() || text[digits] != ' ') return std::nullopt;
  text.remove_prefix(digits + 1);
  return number;
}

}  // namespace

std::string seal_state(const RequestState& state, const StateSubject& subject, std::int64_t now,
                       std::string_view key, Random& random) {
  const std::string text =
      std::to_string(now + kSeconds) + " " + std::to_string(state.rounds) + " " + state.text;
  return seal_text(SealedFor::request_state, text, binding(subject), key, random);
}

std::optional<RequestState> open_state(std::string_view sealed, const StateSubject& subject,
                                       std::int64_t now, std::string_view key) {
  const auto text = open_sealed_text(SealedFor::request_state, sealed, binding(subject), key);
  if (!text.has_value()) return std::nullopt;
  std::string_view rest = *text;
  const auto expires = take_number<std::int64_t>(rest);
  const auto rounds = take_number<std::uint32_t>(rest);
  if (!expires.has_value() || !rounds.has_value() || now > *expires) return std::nullopt;
  return RequestState{.text = std::string(rest), .rounds = *rounds};
}

}  // namespace bartizan
