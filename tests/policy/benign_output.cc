#include "tests/policy/benign_output.h"

#include <array>
#include <random>
#include <span>

namespace bartizan {
namespace {

using Texts = std::span<const std::string_view>;

constexpr std::string_view kCode[] = {
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
    "std::string secret_name = \"projects/1/secrets/db\";\n",
    "- name: API_KEY\n  valueFrom:\n    secretKeyRef: { name: app, key: api-key }\n",
    "# set password=xxxxxxxx and run again\n",
    "res.cookie('theme', 'dark', { maxAge: 900000 });\n",
    "git clone https://github.com/example/repository.git\n",
    "def reset_password(user, token): return tokens.verify(user, token)\n",
    "xoxb-your-token, ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, sk-...\n",
    "\"js-tokens\": \"^4.0.0\", \"keytar\": \"~7.9.0\",\n",
    "vpc-0a1b2c3d4e5f67890 subnet-0a1b2c3d4e5f67890 ami-0abcdef1234567890\n",
    "for (std::size_t i = 0; i < rows.size(); ++i) total += rows[i].amount * 100;\n",
    "func (s *Server) Handle(ctx context.Context, req *Request) (*Response, error) {\n",
    "\treturn nil, fmt.Errorf(\"read %s: %w\", path, err)\n}\n",
    "impl<'a> Iterator for Lines<'a> {\n    type Item = &'a str;\n",
    "    fn next(&mut self) -> Option<&'a str> { self.rest.split_once('\\n').map(|(l, _)| l) "
    "}\n}\n",
    "public static void main(String[] args) throws IOException { run(args); }\n",
    "SELECT u.id, u.name, count(*) AS orders FROM users u JOIN orders o ON o.user_id = u.id "
    "WHERE o.at > now() - interval '30 days' GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 50;\n",
    "$stmt = $pdo->prepare('INSERT INTO sessions (id, user_id) VALUES (?, ?)');\n",
    "#define SECRET_KEY_BYTES_MAX 64\n",
    "@app.route('/login', methods=['POST'])\ndef login(): return check(request.form['password'])\n",
    "private String passwordHash; // bcrypt, cost 12\n",
    "assert_eq!(hex::encode(digest), expected, \"digest of {}\", path.display());\n",
    "RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm ci --omit=dev\n",
    "      secret_key_base: <%= ENV[\"SECRET_KEY_BASE\"] %>\n",
    "if [ -z \"$API_TOKEN\" ]; then echo 'API_TOKEN is not set' >&2; exit 1; fi\n",
    "type Credentials = { username: string; password: string };\n",
    "let tokens: Vec<Token> = Lexer::new(source).collect();\n",
    "const SESSION_COOKIE_NAME = 'session_id';\n",
    "var re = regexp.MustCompile(`^[A-Za-z0-9+/]{40}$`)\n",
    "x = 0x1F4A9; y = 1_000_000; z = 3.14159265358979; mask = 0xffffffff00000000\n",
    "at_exit { puts \"#{count} examples, #{failures} failures\" }\n",
};

constexpr std::string_view kTraces[] = {
    "Traceback (most recent call last):\n  File \"/srv/app/main.py\", line 42, in <module>\n"
    "    main()\n  File \"/srv/app/main.py\", line 17, in main\n    client.login(user, password)\n"
    "AuthenticationError: invalid credentials\n",
    "java.lang.IllegalStateException: token expired\n"
    "\tat com.example.auth.TokenStore.get(TokenStore.java:118)\n"
    "\tat com.example.web.Filter.doFilter(Filter.java:61)\n\t... 23 more\n",
    "Error: ENOENT: no such file or directory, open '/etc/app/secrets.yaml'\n"
    "    at Object.openSync (node:fs:601:3)\n    at readSecrets (/srv/app/dist/config.js:12:20)\n",
    "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\n"
    "main.parse(0xc000012345, 0x3)\n\t/src/main.go:31 +0x1d5\nexit status 2\n",
    "thread 'main' panicked at src/lib.rs:88:14:\ncalled `Option::unwrap()` on a `None` value\n"
    "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
    "==12345==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010\n"
    "    #0 0x55d0c3a1b2c4 in read_token src/token.cc:61:12\n"
    "    #1 0x7f1e2d3c4b5a in __libc_start_main ../csu/libc-start.c:308\n",
};

/// Ten languages, and a few more that have scripts of their own.
constexpr std::string_view kProse[] = {
    "The server returned a list of the files that were changed since the last release, and asked "
    "whether the password policy should be applied to them as well. ",
    "A token is a string of characters; the key to understanding it is the header. Basic "
    "authorization is required when the client has no session. ",
    "Der Schlüssel zum Verständnis liegt im Kopf der Anfrage: ohne gültiges Kennwort wird die "
    "Sitzung nach fünfzehn Minuten beendet. Größe und Gewicht ändern sich nicht. ",
    "La clé de voûte du système est le fichier de configuration ; le mot de passe n’y figure "
    "jamais. « Voilà », dit-elle, « c’est réglé ». ",
    "La contraseña debe tener al menos doce caracteres. ¿Qué ocurre si el usuario la olvida? "
    "¡Nada grave! Mañana podrá pedir otra. ",
    "A chave de acesso é pedida apenas uma vez; as informações não são guardadas. Atenção às "
    "configurações de segurança. ",
    "Ключ находится в заголовке запроса. Пароль не сохраняется и не передаётся третьим лицам, "
    "а сеанс завершается через пятнадцать минут. ",
    "密码必须至少包含十二个字符。如果用户忘记密码,可以在设置页面重新申请。服务器返回了三个文件。",
    "パスワードは十二文字以上でなければなりません。サーバーは三つのファイルを返しました。「はい」と"
    "答えた。",
    "비밀번호는 열두 글자 이상이어야 합니다. 서버가 파일 세 개를 돌려주었습니다. 감사합니다. ",
    "Parola en az on iki karakter olmalıdır; İstanbul’daki sunucu üç dosya gönderdi. Işık söndü. ",
    "Hasło musi mieć co najmniej dwanaście znaków. Żółw ślimaczył się ścieżką ku źródłu. ",
    "Mật khẩu phải có ít nhất mười hai ký tự. Máy chủ đã trả về ba tệp. ",
    "Ο κωδικός πρέπει να έχει τουλάχιστον δώδεκα χαρακτήρες. Ο διακομιστής επέστρεψε τρία αρχεία. ",
};

constexpr std::string_view kEmoji[] = {
    "Done ✅ 3 of 3 passed 🎉 ",
    "👨‍👩‍👧‍👦 family, 👩🏽‍💻 at work, 🧑🏿‍🚀 above ",
    "🏳️‍🌈 🏴‍☠️ 🇩🇪 🇯🇵 🇧🇷 🇺🇳 ",
    "🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F "
    "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F ",
    "❤️ ☀️ ✈️ ☎︎ ™️ ©️ 1️⃣ #️⃣ *️⃣ ",
    "👍🏻 👍🏼 👍🏽 👍🏾 👍🏿 🤝 🫱🏻‍🫲🏿 ",
    "❤️‍🔥 😶‍🌫️ 👁️‍🗨️ 🐻‍❄️ 🧑‍🤝‍🧑 ",
    "⚠️ Warning: disk is 91 % full 💾 ",
};

// The formatter breaks these at every run elsewhere.
// clang-format off
constexpr std::string_view kRightToLeft[] = {
    "كلمة المرور يجب أن تتكوّن من اثني عشر حرفًا على الأقل. أعاد الخادم ثلاثة ملفات. ",
    "المفتاح موجود في رأس الطلب (header) ولا يُحفظ أبدًا. رقم الإصدار 2.14.0 ",
    "הסיסמה חייבת להכיל לפחות שנים עשר תווים. השרת החזיר שלושה קבצים. ",
    "שָׁלוֹם עוֹלָם – הגרסה 3.2 יצאה אתמול (release). ",
    "پاسخ سرور سه فایل بود؛ گذرواژه باید دست‌کم دوازده نویسه داشته باشد. می‌خواهم "
    "بروم. ",
    "سرور نے تین فائلیں واپس کیں۔ پاس ورڈ کم از کم بارہ حروف کا ہونا چاہیے۔ ",
};

constexpr std::string_view kJoiners[] = {
    "क्‍ष र्‍य श्रीमान् विद्यालय में पासवर्ड बारह अक्षरों का होना "
    "चाहिए। ",
    "কর্তৃপক্ষ পাসওয়ার্ড পরিবর্তন করেছে। র‍্যাম ও "
    "র‌্যাব। ",
    "ന്‍ ര്‍ ല്‍ അവന്‍ പാസ്‌വേഡ് "
    "മാറ്റി. ",
    "ශ්‍රී ලංකාව මුරපදය වෙනස් කළේය. "
    "ක්‍ෂ ",
    "కంప్యూటర్‌లో పాస్‌వర్డ్ "
    "మార్చండి. ",
    "ಕಂಪ್ಯೂಟರ್‌ನಲ್ಲಿ ಪಾಸ್‌ವರ್ಡ್ "
    "ಬದಲಿಸಿ. ",
    "நிரல் மூன்று கோப்புகளைத் திருப்பியது. ",
    "می‌روم، کتاب‌ها، خانه‌ی ما ",
    "รหัสผ่านต้องมีอย่างน้อยสิบสองตัวอักษร ",
    "ລະຫັດຜ່ານຕ້ອງມີຢ່າງໜ້ອຍສິບສອງຕົວ ",
    "လျှို့ဝှက်နံပါတ်သည် အနည်းဆုံး ဆယ့်နှစ်လုံး ရှိရမည်။ ",
    "ពាក្យសម្ងាត់ត្រូវមានយ៉ាងហោចណាស់ដប់ពីរតួ។ ",
    "གསང་ཨང་ནི་ཉུང་མཐར་ཡི་གེ་བཅུ་གཉིས་དགོས། ",
};
// clang-format on

/// Letters that are written as a base and its marks.
constexpr std::string_view kMarks[] = {
    "Schlu\u0308ssel, cafe\u0301, nin\u0303o, A\u030Angstro\u0308m. ",
    "Tie\u0302\u0301ng Vie\u0323\u0302t, na\u0302\u0301ng sơ\u0301m. ",
    "Yoru\u0300ba\u0301: \u1EB9\u0301 ku\u0301 a\u0301\u00E0r\u1ECD\u0300. ",
    "\u0435\u0301то уда\u0301рение, и\u0306од. ",
    "x\u0304 = 3.2, f\u2032(x), a\u20D7 \u00B7 b\u20D7, \u2211 x\u2081\u00B2 \u2264 \u221E. ",
    "か\u3099, は\u309A, 葛\U000E0100城市。 ",
    "1\u00A0234,56\u202F€ \u2013 \u201Equoted\u201C \u2026 \u2212273.15\u00A0°C ",
};

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  BenignOutput make() {
    using Make = std::string (Maker::*)();
    constexpr std::pair<std::string_view, Make> kMakers[] = {
        {"code", &Maker::code},
        {"log", &Maker::log},
        {"table", &Maker::table},
        {"json", &Maker::json},
        {"image", &Maker::image},
        {"digest", &Maker::digests},
        {"git", &Maker::git},
        {"trace", &Maker::trace},
        {"prose", &Maker::prose},
        {"emoji", &Maker::emoji},
        {"right_to_left", &Maker::right_to_left},
        {"joiners", &Maker::joiners},
        {"marks", &Maker::marks},
    };
    const auto& [kind, maker] = kMakers[below(std::size(kMakers))];
    return {kind, (this->*maker)()};
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  std::string_view one_of(Texts texts) { return texts[below(texts.size())]; }

  std::string drawn(std::string_view members, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
      text += members[below(members.size())];
    return text;
  }
  std::string hex(std::size_t count) { return drawn("0123456789abcdef", count); }
  std::string digits(std::size_t count) { return drawn("0123456789", count); }
  std::string number(std::size_t bound) { return std::to_string(below(bound)); }
  std::string two(std::size_t first, std::size_t count) {
    const std::string text = std::to_string(first + below(count));
    return text.size() == 1 ? "0" + text : text;
  }
  std::string date() { return "2026-" + two(1, 12) + "-" + two(1, 28); }
  std::string time() { return two(0, 24) + ":" + two(0, 60) + ":" + two(0, 60); }
  std::string uuid() {
    return hex(8) + "-" + hex(4) + "-4" + hex(3) + "-a" + hex(3) + "-" + hex(12);
  }
  std::string base64(std::size_t count) {
    return drawn("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", count);
  }
  std::string word() { return drawn("abcdefghijklmnopqrstuvwxyz", 3 + below(8)); }

  std::string some(Texts texts, std::size_t most) {
    std::string text;
    for (std::size_t i = 1 + below(most); i > 0; --i)
      text += one_of(texts);
    return text;
  }

  std::string code() { return some(kCode, 24); }
  std::string trace() { return log_line() + some(kTraces, 3); }
  std::string emoji() { return some(kEmoji, 6) + std::string(one_of(kProse)) + some(kEmoji, 3); }
  std::string right_to_left() { return some(kRightToLeft, 8) + "\n" + std::string(one_of(kProse)); }
  std::string joiners() { return some(kJoiners, 8) + "\n"; }
  std::string marks() { return some(kMarks, 8) + "\n"; }

  std::string prose() {
    const std::string_view language = one_of(kProse);
    std::string text = "# " + word() + "\n\n";
    for (std::size_t i = 2 + below(10); i > 0; --i)
      text += below(4) == 0 ? one_of(kProse) : language;
    return text + "\n\n- " + word() + " (" + date() + ")\n- **" + word() + "**: " + number(100) +
           "%\n";
  }

  std::string log_line() {
    return date() + "T" + time() + ".1" + digits(2) + "Z INFO request_id=" + uuid() +
           " status=200 bytes=" + number(90'000) + " path=/api/v1/items/" + number(90'000) +
           " token_count=" + number(900) + " duration=" + number(99) + "ms version=2." +
           number(20) + "." + number(20) + " pid=" + number(30'000) + "\n";
  }

  std::string log() {
    std::string text;
    for (std::size_t i = 4 + below(20); i > 0; --i)
      text += log_line();
    return text;
  }

  std::string table() {
    std::string text;
    const std::size_t form = below(3);
    if (form == 0) text = "id,uuid,name,etag,amount,at\n";
    if (form == 1) text = "| id | name | amount | at |\n|---:|---|---:|---|\n";
    for (std::size_t i = 4 + below(20); i > 0; --i) {
      if (form == 0) {
        text += number(9'999) + "," + uuid() + "," + word() + "," + hex(40) + "," + number(999) +
                "." + digits(2) + "," + date() + " " + time() + "\n";
      } else if (form == 1) {
        text += "| " + number(9'999) + " | " + word() + " | " + number(99'999) + "." + digits(2) +
                " | " + date() + " |\n";
      } else {
        text += "-rw-r--r-- 1 root root " + number(9'999'999) + " Mar " + two(1, 28) + " " +
                two(0, 24) + ":" + two(0, 60) + " " + word() + "-" + number(9) + "." + number(30) +
                ".tar.gz\n";
      }
    }
    return text;
  }

  std::string json() {
    std::string text = "{\"items\":[";
    for (std::size_t i = 2 + below(10); i > 0; --i) {
      text += R"({"id":)" + number(99'999'999) + R"(,"key":")" + uuid() + R"(","name":")" + word() +
              R"(","created":17)" + digits(8) + R"(,"updated":17)" + digits(11) + R"(,"price":)" +
              number(900) + "." + digits(2) + R"(,"tags":[")" + word() +
              R"(","token"],"password_set":true,"integrity":"sha512-)" + base64(86) + R"(=="},)";
    }
    return text + R"({}],"next_page_token":null,"total":)" + number(9'999) + "}\n";
  }

  std::string image() {
    return "![" + word() + "](data:image/png;base64,iVBORw0KGgo" + base64(200 + 4 * below(300)) +
           ")\n";
  }

  std::string digests() {
    std::string text;
    for (std::size_t i = 1 + below(8); i > 0; --i) {
      text += "image@sha256:" + hex(64) + "\netag \"" + hex(32) + "\" id " + uuid() +
              "\nsha256sum = \"sha256:" + hex(64) + "\"\n" + hex(64) + "  " + word() + ".deb\n";
    }
    return text;
  }

  std::string git() {
    const std::string file = "src/" + word() + ".cc";
    std::string text = "commit " + hex(40) + "\nDate:   " + date() + " " + time() +
                       " +0200\n\n    Mend " + word() + " of " + word() + "\n\ndiff --git a/" +
                       file + " b/" + file + "\nindex " + hex(10) + ".." + hex(10) +
                       " 100644\n--- a/" + file + "\n+++ b/" + file + "\n@@ -" + number(400) +
                       ",7 +" + number(400) + ",7 @@\n";
    for (std::size_t i = 1 + below(6); i > 0; --i) {
      std::string line(one_of(kCode));
      line.resize(line.find('\n') + 1);
      text += (below(2) == 0 ? "-" : "+") + line;
    }
    return text;
  }

  std::mt19937_64 random_;
};

}  // namespace

std::vector<BenignOutput> benign_output(std::size_t bytes, std::uint64_t seed) {
  Maker maker(seed);
  std::vector<BenignOutput> made;
  for (std::size_t size = 0; size < bytes; size += made.back().text.size())
    made.push_back(maker.make());
  return made;
}

}  // namespace bartizan
