#include "tests/policy/secret_carriers.h"

#include <algorithm>
#include <cctype>

namespace bartizan {
namespace {

std::string upper(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string camel(std::string_view name) {
  std::string text;
  bool is_next_upper = false;
  for (const char c : name) {
    if (c == '_') {
      is_next_upper = true;
      continue;
    }
    text += is_next_upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    is_next_upper = false;
  }
  return text;
}

std::string dashed(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', '-');
  return text;
}

std::string word(FakeSecrets& fake) {
  static const std::vector<std::string_view> kWords = {
      "the",     "server",  "token",         "password", "result",   "of",        "and",
      "secret",  "key",     "request",       "returned", "with",     "a",         "cookie",
      "header",  "session", "user",          "is",       "required", "when",      "client",
      "basic",   "bearer",  "authorization", "reset",    "their",    "api",       "access",
      "changed", "private", "public",        "file",     "日本語",   "Schlüssel", "данные",
      "مفتاح",   "clé",     "contraseña",    "密码",     "şifre",
  };
  return std::string(kWords[fake.below(kWords.size())]);
}

std::string sentence(FakeSecrets& fake) {
  std::string text;
  const std::size_t count = 6 + fake.below(14);
  for (std::size_t i = 0; i < count; ++i)
    text += (i == 0 ? "" : " ") + word(fake) + (fake.below(12) == 0 ? ":" : "");
  return text + ".\n";
}

/// How many bytes of the secret's own a carrier writes before and behind it.
struct SecretCarrier {
  std::string_view name;
  std::string_view form;  ///< `@@` is the secret.
};

constexpr SecretCarrier kCarriers[] = {
    {"env file", "A=@@\n"},
    {"shell script", "export SERVICE_VALUE=\"@@\"\n"},
    {"JSON", "{\"value\": \"@@\", \"n\": 1}"},
    {"JSON in JSON", "{\"text\":\"{\\\"value\\\":\\\"@@\\\"}\"}"},
    {"JSON array", "[\"@@\",\"b\"]"},
    {"YAML", "service:\n  value: @@\n  port: 80\n"},
    {"Python", "value = '@@'  # do not share\n"},
    {"JavaScript", "const value = \"@@\";\n"},
    {"Go", "val := `@@`\n"},
    {"Rust", "let v: &str = \"@@\";\n"},
    {"PHP", "$v = '@@';\n"},
    {"Java", "private static final String VALUE = \"@@\";\n"},
    {"log line", "2026-01-02T03:04:05Z ERROR refused @@ from 10.0.0.1\n"},
    {"URL", "GET /items?value=@@&page=2 HTTP/1.1\r\n"},
    {"header", "X-Value: @@\r\n"},
    {"Markdown", "Use `@@` for this.\n"},
    {"table", "| name | value |\n|---|---|\n| main | @@ |\n"},
    {"CSV", "id,value,at\n7,@@,2026-01-02\n"},
    {"XML attribute", "<item value=\"@@\"/>"},
    {"XML", "<value>@@</value>"},
    {"SQL", "INSERT INTO settings (id, value) VALUES (7, '@@');\n"},
    {"stack trace", "  File \"/srv/app/main.py\", line 17, in run\nValueError: unknown value @@\n"},
    {"shell history", "  103  run --value @@\n  104  ls -l\n"},
    {"command", "curl -u @@: https://api.example.com/v1\n"},
    {"diff", "@@ -3,2 +3,2 @@\n-value: none\n+value: @@\n"},
    {"escaped lines", "first line\\nvalue: @@\\nlast line"},
    {"brackets", "(@@)"},
    {"terminal", "\x1b[32m@@\x1b[0m\n"},
    {"encoded query", "value%3D@@%26page%3D2"},
};

CarriedSecret carried(const SecretCarrier& carrier, std::string_view secret, FakeSecrets& fake) {
  const std::string before = sentence(fake);
  const std::size_t at = carrier.form.rfind("@@");
  const std::size_t begin = before.size() + at;
  return {carrier.name,
          before + std::string(carrier.form.substr(0, at)) + std::string(secret) +
              std::string(carrier.form.substr(at + 2)) + sentence(fake),
          begin, begin + secret.size()};
}

/// What is masked is whole groups of four digits.
CarriedSecret in_base64(std::string_view secret, FakeSecrets& fake) {
  const std::string before = sentence(fake) + "data: ";
  const std::string head = "value is ";
  const std::string plain = head + std::string(secret) + " and so on\n";
  const std::size_t end = head.size() + secret.size();
  return {"base64", before + base64_of(plain) + "\n" + sentence(fake),
          before.size() + head.size() / 3 * 4, before.size() + (end + 2) / 3 * 4};
}

constexpr std::string_view kDigits = "0123456789ABCDEF";

/// Base64 in lines of 64 digits, as mail and keys have it.
CarriedSecret in_base64_lines(std::string_view secret, FakeSecrets& fake) {
  constexpr std::size_t kLine = 64;
  const std::string before = sentence(fake);
  const std::string head = fake.drawn("a-z", 150) + " value is ";
  const std::string encoded =
      base64_of(head + std::string(secret) + " and so on, " + fake.drawn("a-z", 90));
  std::string lines;
  for (std::size_t at = 0; at < encoded.size(); at += kLine)
    lines += encoded.substr(at, kLine) + "\n";
  const auto place = [](std::size_t digits) { return digits + digits / kLine; };
  const std::size_t end = (head.size() + secret.size() + 2) / 3 * 4;
  return {"base64 lines", before + lines + sentence(fake),
          before.size() + place(head.size() / 3 * 4), before.size() + place(end - 1) + 1};
}

CarriedSecret in_hex(std::string_view secret, FakeSecrets& fake) {
  const std::string before = sentence(fake) + "dump: ";
  const std::string head = "value is ";
  std::string digits;
  for (const char c : head + std::string(secret) + " and so on\n") {
    const auto byte = static_cast<unsigned char>(c);
    digits += {kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return {"hexadecimal", before + digits + "\n" + sentence(fake), before.size() + 2 * head.size(),
          before.size() + 2 * (head.size() + secret.size())};
}

/// Every byte as an escape of JSON.
CarriedSecret in_escapes(std::string_view secret, FakeSecrets& fake) {
  const std::string before = sentence(fake) + "{\"value\":\"";
  std::string escapes;
  for (const char c : secret) {
    const auto byte = static_cast<unsigned char>(c);
    escapes += {'\\', 'u', '0', '0', kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return {"escapes", before + escapes + "\"}\n" + sentence(fake), before.size(),
          before.size() + escapes.size()};
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return encoded;
}

CarriedSecret in_percents(std::string_view secret, FakeSecrets& fake) {
  const std::string before = sentence(fake) + "q=a%20b%3D";
  const std::string encoded = percent_encoded(secret);
  return {"URL-encoded", before + encoded + "%26page%3D2\n" + sentence(fake), before.size(),
          before.size() + encoded.size()};
}

}  // namespace

std::vector<CarriedSecret> texts_with(std::string_view secret, FakeSecrets& fake) {
  std::vector<CarriedSecret> texts;
  for (const SecretCarrier& carrier : kCarriers)
    texts.push_back(carried(carrier, secret, fake));
  texts.push_back(in_base64(secret, fake));
  texts.push_back(in_base64_lines(secret, fake));
  texts.push_back(in_hex(secret, fake));
  texts.push_back(in_escapes(secret, fake));
  texts.push_back(in_percents(secret, fake));
  return texts;
}

std::vector<std::string> texts_with_named(std::string_view name, std::string_view secret,
                                          FakeSecrets& fake) {
  const std::string quoted = "\"" + std::string(secret) + "\"";
  const std::string value(secret);
  const std::string plain(name);
  const std::string forms[] = {
      upper(name) + "=" + value + "\n",
      "export " + upper(name) + "='" + value + "'\n",
      "{\"" + plain + "\": " + quoted + ", \"n\": 1}",
      "{\"text\":\"{\\\"" + plain + "\\\":\\\"" + value + "\\\"}\"}",
      plain + ": " + value + "\n",
      plain + ": " + quoted + "\n",
      plain + " = '" + value + "'\n",
      "const " + camel(name) + " = " + quoted + ";\n",
      "const " + camel(name) + ": string = " + quoted + ";\n",
      camel(name) + " := " + quoted + "\n",
      "let " + plain + ": &str = " + quoted + ";\n",
      "private static final String " + upper(name) + " = " + quoted + ";\n",
      "'" + plain + "' => '" + value + "',\n",
      "config[\"" + plain + "\"] = " + quoted + "\n",
      "GET /x?" + plain + "=" + value + "&page=2 HTTP/1.1\r\n",
      "X-" + dashed(name) + ": " + value + "\r\n",
      "<" + plain + ">" + value + "</" + plain + ">\n",
      "run --" + dashed(name) + " " + value + " --verbose\n",
      "run --" + dashed(name) + "=" + value + "\n",
      "- name: " + upper(name) + "\n  value: " + quoted + "\n",
      "ENV " + upper(name) + "=" + value + "\n",
      "2026-01-02 INFO started with " + plain + "=" + value + ", debug\n",
      "<add key=\"" + camel(name) + "\" value=" + quoted + "/>\n",
  };
  std::vector<std::string> texts;
  for (const std::string& form : forms)
    texts.push_back(sentence(fake) + form + sentence(fake));
  return texts;
}

}  // namespace bartizan
