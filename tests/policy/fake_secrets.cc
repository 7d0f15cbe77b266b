#include "tests/policy/fake_secrets.h"

#include <algorithm>
#include <charconv>

namespace bartizan {
namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string members_of(std::string_view alphabet) {
  std::string members;
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    if (i + 2 < alphabet.size() && alphabet[i + 1] == '-') {
      for (char c = alphabet[i]; c <= alphabet[i + 2]; ++c)
        members += c;
      i += 2;
    } else {
      members += alphabet[i];
    }
  }
  return members;
}

}  // namespace

std::size_t FakeSecrets::below(std::size_t bound) {
  return static_cast<std::size_t>(random_() % bound);
}

std::string FakeSecrets::drawn(std::string_view alphabet, std::size_t count) {
  const std::string members = members_of(alphabet);
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += members[below(members.size())];
  return text;
}

FakeSecrets FakeSecrets::of(std::string_view name) {
  // FNV-1a.
  std::uint64_t seed = 0xcbf29ce484222325;
  for (const char c : name)
    seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return FakeSecrets(seed);
}

std::string FakeSecrets::token(std::string_view pattern) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '[') {
      text += pattern[i];
      continue;
    }
    const std::size_t close = pattern.find(']', i);
    const std::size_t end = pattern.find('}', close);
    const std::string_view count = pattern.substr(close + 2, end - close - 2);
    std::size_t least = 0;
    std::from_chars(count.data(), count.data() + count.size(), least);
    std::size_t most = count.contains(',') ? least + 12 : least;
    if (const std::size_t comma = count.find(',');
        comma + 1 < count.size() && comma != count.npos) {
      std::size_t bound = 0;
      std::from_chars(count.data() + comma + 1, count.data() + count.size(), bound);
      most = std::min(most, bound);
    }
    text += drawn(pattern.substr(i + 1, close - i - 1), least + below(most - least + 1));
    i = end;
  }
  return text;
}

std::string FakeSecrets::json_token() {
  const std::string header =
      below(2) == 0 ? R"({"alg":"RS256","typ":"JWT","kid":")" + drawn("a-z0-9", 12) + "\"}"
                    : R"({"typ":"JWT","alg":"HS256"})";
  const std::string payload =
      R"({"sub":")" + drawn("0-9", 10) + R"(","iat":17)" + drawn("0-9", 8) + R"(,"name":"Ann"})";
  return base64_url_of(header) + "." + base64_url_of(payload) + "." + drawn("A-Za-z0-9_-", 43);
}

std::string FakeSecrets::private_key(std::string_view label, std::string_view end_of_line) {
  const std::string dashes(5, '-');
  std::string block = dashes + "BEGIN " + std::string(label) + dashes + std::string(end_of_line);
  for (int line = 0; line < 6; ++line)
    block += drawn("A-Za-z0-9+/", 64) + std::string(end_of_line);
  return block + drawn("A-Za-z0-9+/", 30) + "==" + std::string(end_of_line) + dashes + "END " +
         std::string(label) + dashes;
}

std::string FakeSecrets::password() {
  return drawn("a-z", 3) + drawn("A-Z", 2) + drawn("0-9", 3) + drawn("!#*_.-", 1) +
         drawn("a-zA-Z0-9", 4 + below(8));
}

std::string base64_of(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = (bits << 8U) | (k < group.size() ? static_cast<unsigned char>(group[k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= group.size() ? kBase64[(bits >> (18 - 6 * k)) & 63U] : '=';
  }
  return text;
}

std::string base64_url_of(std::string_view bytes) {
  std::string text = base64_of(bytes);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  while (text.ends_with('='))
    text.pop_back();
  return text;
}

}  // namespace bartizan
