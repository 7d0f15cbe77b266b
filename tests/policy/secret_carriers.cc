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

std::string replaced(std::string_view form, std::string_view secret) {
  std::string text(form);
  const std::size_t at = text.find("@@");
  return text.replace(at, 2, secret);
}

std::string uuid(FakeSecrets& fake) {
  constexpr std::string_view kHex = "0-9a-f";
  return fake.drawn(kHex, 8) + "-" + fake.drawn(kHex, 4) + "-4" + fake.drawn(kHex, 3) + "-a" +
         fake.drawn(kHex, 3) + "-" + fake.drawn(kHex, 12);
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

std::string log_line(FakeSecrets& fake) {
  return "2026-0" + fake.drawn("1-9", 1) + "-1" + fake.drawn("0-9", 1) + "T1" +
         fake.drawn("0-9", 1) + ":2" + fake.drawn("0-9", 1) + ":00.1" + fake.drawn("0-9", 2) +
         "Z INFO request_id=" + uuid(fake) + " status=200 bytes=" + fake.drawn("1-9", 4) +
         " path=/api/v1/items/" + fake.drawn("0-9", 5) + " token_count=" + fake.drawn("1-9", 3) +
         " duration=" + fake.drawn("1-9", 2) + "ms\n";
}

std::string code_line(FakeSecrets& fake) {
  static const std::vector<std::string_view> kLines = {
      "const token = await getToken(request.headers, options);\n",
      "password = os.environ[\"DB_PASSWORD\"]\n",
      "if (!user.password) { throw new Error('password: missing'); }\n",
      "api_key: str = Field(default=\"\", description=\"the API key\")\n",
      "headers = {\"Authorization\": f\"Bearer {token}\", \"Accept\": \"*/*\"}\n",
      "let secret = config.secrets.primary.as_deref().unwrap_or(\"changeme\");\n",
      "token_type = \"Bearer\"\n",
      "export DATABASE_URL=postgres://user:${PASSWORD}@localhost:5432/app\n",
      "curl -H \"Authorization: Bearer $TOKEN\" https://api.example.com/v1/items\n",
      "max_tokens: 4096,\n",
      "  \"next_page_token\": \"CAUQAA\",\n",
      "  \"password\": \"<your-password>\",\n",
      "sha256sum = \"sha256:",
      "std::string secret_name = \"projects/1/secrets/db\";\n",
      "- name: API_KEY\n  valueFrom:\n    secretKeyRef: { name: app, key: api-key }\n",
      "# set password=xxxxxxxx and run again\n",
      "res.cookie('theme', 'dark', { maxAge: 900000 });\n",
      "git clone https://github.com/example/repository.git\n",
      "def reset_password(user, token): return tokens.verify(user, token)\n",
      "xoxb-your-token, ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, sk-...\n",
      "\"js-tokens\": \"^4.0.0\", \"keytar\": \"~7.9.0\",\n",
      "vpc-0a1b2c3d4e5f67890 subnet-0a1b2c3d4e5f67890 ami-0abcdef1234567890\n",
  };
  const std::string_view line = kLines[fake.below(kLines.size())];
  if (line.ends_with("sha256:")) return std::string(line) + fake.drawn("0-9a-f", 64) + "\"\n";
  return std::string(line);
}

std::string table_row(FakeSecrets& fake) {
  return fake.drawn("0-9", 4) + "," + uuid(fake) + "," + fake.drawn("a-z", 7) +
         "@example.com,+1555" + fake.drawn("0-9", 7) + "," + fake.drawn("0-9a-f", 40) + "," +
         fake.drawn("0-9", 3) + "." + fake.drawn("0-9", 2) + "\n";
}

}  // namespace

std::vector<std::string> texts_with(std::string_view secret, FakeSecrets& fake) {
  static const std::vector<std::string_view> kForms = {
      "A=@@\n",
      "export SERVICE_VALUE=\"@@\"\n",
      "{\"value\": \"@@\", \"n\": 1}",
      "{\"text\":\"{\\\"value\\\":\\\"@@\\\"}\"}",
      "service:\n  value: @@\n  port: 80\n",
      "value = '@@'  # do not share\n",
      "const value = \"@@\";\n",
      "val := `@@`\n",
      "let v: &str = \"@@\";\n",
      "$v = '@@';\n",
      "2026-01-02T03:04:05Z ERROR refused @@ from 10.0.0.1\n",
      "GET /items?value=@@&page=2 HTTP/1.1\r\n",
      "X-Value: @@\r\n",
      "Use `@@` for this.\n",
      "| name | value |\n|---|---|\n| main | @@ |\n",
      "id,value,at\n7,@@,2026-01-02\n",
      "<item value=\"@@\"/>",
      "<value>@@</value>",
      "curl -u @@: https://api.example.com/v1\n",
      "first line\\nvalue: @@\\nlast line",
      "(@@)",
      "\x1b[32m@@\x1b[0m\n",
      "value%3D@@%26page%3D2",
      "[\"@@\",\"b\"]",
  };
  std::vector<std::string> texts;
  for (const std::string_view form : kForms)
    texts.push_back(sentence(fake) + replaced(form, secret) + sentence(fake));
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

std::vector<std::string> benign_texts(std::size_t bytes, FakeSecrets& fake) {
  std::vector<std::string> texts;
  for (std::size_t made = 0; made < bytes;) {
    std::string text;
    const std::size_t kind = fake.below(6);
    for (int i = 0; i < 12; ++i) {
      switch (kind) {
        case 0:
          text += sentence(fake);
          break;
        case 1:
          text += log_line(fake);
          break;
        case 2:
          text += code_line(fake);
          break;
        case 3:
          text += table_row(fake);
          break;
        case 4:
          text += "![a](data:image/png;base64,iVBORw0KGgo" + fake.drawn("A-Za-z0-9+/", 400) + ")\n";
          break;
        default:
          text += "commit " + fake.drawn("0-9a-f", 40) +
                  "\nimage@sha256:" + fake.drawn("0-9a-f", 64) + "\netag \"" +
                  fake.drawn("0-9a-f", 32) + "\" id " + uuid(fake) + "\n";
      }
    }
    made += text.size();
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace bartizan
