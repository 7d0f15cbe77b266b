#include "policy/url/url.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "policy/url/url_encoding.h"
#include "schemas/base/ascii.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

struct SpecialScheme {
  std::string_view name;
  std::optional<std::uint16_t> port;
};

constexpr std::uint16_t kFtpPort = 21;
constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;
constexpr std::string_view kFile = "file";

/// Schemes with an Internet host, and `file`.
constexpr auto kSpecialSchemes = std::to_array<SpecialScheme>({
    {"http", kHttpPort},
    {"https", kHttpsPort},
    {"ws", kHttpPort},
    {"wss", kHttpsPort},
    {"ftp", kFtpPort},
    {kFile, std::nullopt},
});

bool is_special(std::string_view scheme) {
  const auto found = std::ranges::find(kSpecialSchemes, scheme, &SpecialScheme::name);
  return found != kSpecialSchemes.end();
}

bool is_scheme(std::string_view text) {
  return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, [](char c) {
    return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  });
}

/// Removes the controls and blanks at both ends, as parsers do.
std::string_view trimmed(std::string_view text) {
  const auto is_left_out = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
  while (!text.empty() && is_left_out(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_left_out(text.back()))
    text.remove_suffix(1);
  return text;
}

/// `C:` and `C|`; or only `C:`.
bool is_drive(std::string_view text) {
  return text.size() == 2 && is_letter(text[0]) && (text[1] == ':' || text[1] == '|');
}

bool starts_with_drive(std::string_view text) {
  return is_drive(text.substr(0, 2)) &&
         (text.size() == 2 || std::string_view("/\\?#").contains(text[2]));
}

/// The drive at the start of a path, with its slash, or nothing.
std::string_view drive_of(std::string_view path) {
  constexpr std::size_t kSize = 3;
  const std::string_view front = path.substr(0, path.find('/', 1));
  const bool has_drive = front.size() == kSize && is_letter(front[1]) && front[2] == ':';
  return has_drive ? front : std::string_view();
}

/// Whether a segment has that many dots, which may be percent-encoded.
bool is_dots(std::string_view segment, std::size_t dots) {
  constexpr std::size_t kEscapeSize = 3;
  for (; dots > 0; --dots) {
    const bool is_escape = segment.starts_with("%2e") || segment.starts_with("%2E");
    if (!is_escape && !segment.starts_with('.')) return false;
    segment.remove_prefix(is_escape ? kEscapeSize : 1);
  }
  return segment.empty();
}

/// The colon before a port; a colon in brackets is not one.
std::size_t find_port(std::string_view authority) {
  bool is_bracketed = false;
  for (std::size_t i = 0; i < authority.size(); ++i) {
    if (authority[i] == ':' && !is_bracketed) return i;
    if (authority[i] == '[') is_bracketed = true;
    if (authority[i] == ']') is_bracketed = false;
  }
  return std::string_view::npos;
}

/// The state of a URL parser. Each `read` function parses the rest of the text from one state of
/// the standard's machine on, and returns whether it is a URL.
class UrlReader {
 public:
  explicit UrlReader(const Url* base) : base_(base) {}

  std::optional<Url> read(std::string_view rest) {
    const std::size_t colon = rest.find(':');
    const bool has_scheme = colon != std::string_view::npos && is_scheme(rest.substr(0, colon));
    if (has_scheme) set_scheme(rest.substr(0, colon));
    const bool is_url = has_scheme ? read_after_scheme(rest.substr(colon + 1)) : read_beside(rest);
    if (!is_url) return std::nullopt;
    return std::move(url_);
  }

 private:
  void set_scheme(std::string_view scheme) {
    url_.scheme.assign(scheme);
    std::ranges::transform(url_.scheme, url_.scheme.begin(), lower_case);
    is_special_ = is_special(url_.scheme);
  }

  bool is_file() const { return url_.scheme == kFile; }
  bool has_base_of_scheme() const { return base_ != nullptr && base_->scheme == url_.scheme; }
  bool starts_with_slash(std::string_view rest) const {
    return rest.starts_with('/') || (is_special_ && rest.starts_with('\\'));
  }
  /// The delimiters of a path segment. The first of them ends an authority.
  std::string_view ends_of_segment() const { return is_special_ ? "/\\?#" : "/?#"; }

  bool read_after_scheme(std::string_view rest) {
    if (is_file()) return read_file(rest);
    if (is_special_) {
      if (has_base_of_scheme() && !rest.starts_with("//")) return read_relative(rest);
      return read_authority(rest.substr(std::min(rest.find_first_not_of("/\\"), rest.size())));
    }
    if (rest.starts_with("//")) return read_authority(rest.substr(2));
    if (rest.starts_with('/')) return read_path(rest.substr(1));
    return read_opaque_path(rest);
  }

  /// A text without a scheme, which is relative to a base.
  bool read_beside(std::string_view rest) {
    if (base_ == nullptr) return false;
    set_scheme(base_->scheme);
    if (is_file()) return read_file(rest);
    if (!base_->has_opaque_path) return read_relative(rest);
    if (!rest.starts_with('#')) return false;
    url_ = *base_;
    return read_tail(rest);
  }

  void take_authority_of_base() {
    url_.username = base_->username;
    url_.password = base_->password;
    url_.host = base_->host;
    url_.port = base_->port;
  }

  bool read_relative(std::string_view rest) {
    if (!starts_with_slash(rest)) {
      take_authority_of_base();
      return read_relative_path(rest);
    }
    rest.remove_prefix(1);
    if (!starts_with_slash(rest)) {
      take_authority_of_base();
      return read_path(rest);
    }
    rest.remove_prefix(1);
    while (is_special_ && starts_with_slash(rest))
      rest.remove_prefix(1);
    return read_authority(rest);
  }

  bool read_relative_path(std::string_view rest) {
    url_.path = base_->path;
    if (rest.empty() || rest.starts_with('?') || rest.starts_with('#')) {
      url_.query = base_->query;
      return read_tail(rest);
    }
    if (is_file() && starts_with_drive(rest)) {
      url_.path.clear();
    } else {
      shorten_path();
    }
    return read_path(rest);
  }

  bool read_authority(std::string_view rest) {
    const std::string_view authority = rest.substr(0, rest.find_first_of(ends_of_segment()));
    rest.remove_prefix(authority.size());
    const std::size_t at = authority.rfind('@');
    if (at == std::string_view::npos) return read_host_and_port(authority) && read_path_start(rest);
    read_credentials(authority.substr(0, at));
    const std::string_view host = authority.substr(at + 1);
    return !host.empty() && read_host_and_port(host) && read_path_start(rest);
  }

  void read_credentials(std::string_view text) {
    const std::size_t colon = text.find(':');
    append_encoded(url_.username, text.substr(0, colon), UrlPart::userinfo);
    if (colon == std::string_view::npos) return;
    append_encoded(url_.password, text.substr(colon + 1), UrlPart::userinfo);
  }

  bool read_host_and_port(std::string_view text) {
    const std::size_t colon = find_port(text);
    const std::string_view name = text.substr(0, colon);
    if (name.empty() && (is_special_ || colon != std::string_view::npos)) return false;
    auto host = is_special_ ? read_host(name) : read_opaque_host(name);
    if (!host) return false;
    url_.host = std::move(*host);
    return colon == std::string_view::npos || read_port(text.substr(colon + 1));
  }

  bool read_port(std::string_view digits) {
    constexpr unsigned kDecimal = 10;
    unsigned port = 0;
    for (const char c : digits) {
      if (!is_digit(c)) return false;
      port = port * kDecimal + static_cast<unsigned>(c - '0');
      if (port > std::numeric_limits<std::uint16_t>::max()) return false;
    }
    const auto number = static_cast<std::uint16_t>(port);
    if (!digits.empty() && default_port(url_.scheme) != number) url_.port = number;
    return true;
  }

  bool read_file(std::string_view rest) {
    url_.host.kind = UrlHost::Kind::empty;
    if (starts_with_slash(rest)) return read_file_slash(rest.substr(1));
    if (!has_base_of_scheme()) return read_path(rest);
    url_.host = base_->host;
    return read_relative_path(rest);
  }

  bool read_file_slash(std::string_view rest) {
    if (starts_with_slash(rest)) return read_file_host(rest.substr(1));
    if (has_base_of_scheme()) {
      url_.host = base_->host;
      if (!starts_with_drive(rest)) url_.path = drive_of(base_->path);
    }
    return read_path(rest);
  }

  bool read_file_host(std::string_view rest) {
    const std::string_view name = rest.substr(0, rest.find_first_of(ends_of_segment()));
    if (is_drive(name)) return read_path(rest);
    if (!name.empty()) {
      auto host = read_host(name);
      if (!host) return false;
      if (host->text != "localhost") url_.host = std::move(*host);
    }
    return read_path_start(rest.substr(name.size()));
  }

  bool read_path_start(std::string_view rest) {
    if (starts_with_slash(rest)) return read_path(rest.substr(1));
    return is_special_ ? read_path(rest) : read_tail(rest);
  }

  /// The text after the first slash of a path, or instead of a base's last segment.
  bool read_path(std::string_view rest) {
    while (true) {
      const std::string_view segment = rest.substr(0, rest.find_first_of(ends_of_segment()));
      rest.remove_prefix(segment.size());
      const bool is_last = !starts_with_slash(rest);
      if (is_dots(segment, 2)) {
        shorten_path();
      } else if (!is_dots(segment, 1)) {
        append_segment(segment);
        if (is_last) return read_tail(rest);
      }
      if (is_last) break;
      rest.remove_prefix(1);
    }
    url_.path += '/';
    return read_tail(rest);
  }

  void append_segment(std::string_view segment) {
    const bool is_drive_of_file = is_file() && url_.path.empty() && is_drive(segment);
    url_.path += '/';
    append_encoded(url_.path, segment, UrlPart::path);
    if (is_drive_of_file) url_.path.back() = ':';
  }

  void shorten_path() {
    const bool is_drive_alone = is_file() && !url_.path.empty() && drive_of(url_.path) == url_.path;
    const std::size_t last = url_.path.rfind('/');
    if (!is_drive_alone && last != std::string::npos) url_.path.resize(last);
  }

  /// A blank at its end is encoded, or reparsing would lose it.
  bool read_opaque_path(std::string_view rest) {
    url_.has_opaque_path = true;
    std::string_view path = rest.substr(0, rest.find_first_of("?#"));
    rest.remove_prefix(path.size());
    const bool has_last_blank = !rest.empty() && path.ends_with(' ');
    if (has_last_blank) path.remove_suffix(1);
    append_encoded(url_.path, path, UrlPart::opaque);
    if (has_last_blank) url_.path += "%20";
    return read_tail(rest);
  }

  /// Query and fragment, if any.
  bool read_tail(std::string_view rest) {
    if (rest.starts_with('?')) {
      const std::string_view query = rest.substr(1, rest.find('#') - 1);
      rest.remove_prefix(query.size() + 1);
      append_encoded(url_.query.emplace(), query,
                     is_special_ ? UrlPart::special_query : UrlPart::query);
    }
    url_.fragment.reset();
    if (rest.starts_with('#')) {
      append_encoded(url_.fragment.emplace(), rest.substr(1), UrlPart::fragment);
    }
    return true;
  }

  const Url* base_;
  bool is_special_ = false;
  Url url_;
};

std::optional<Url> read_beside(std::string_view input, const Url* base) {
  if (input.size() > limits::url_bytes_max || !is_valid_utf8(input)) return std::nullopt;
  const std::string_view rest = trimmed(input);
  const auto is_left_out = [](char c) { return c == '\t' || c == '\n' || c == '\r'; };
  if (std::ranges::none_of(rest, is_left_out)) return UrlReader(base).read(rest);
  std::string kept(rest);
  std::erase_if(kept, is_left_out);
  return UrlReader(base).read(kept);
}

void append_authority(std::string& out, const Url& url) {
  out += "//";
  out += url.username;
  if (!url.password.empty()) out += ":" + url.password;
  if (!url.username.empty() || !url.password.empty()) out += '@';
  out += url.host.text;
  if (url.port) out += ":" + std::to_string(*url.port);
}

}  // namespace

std::optional<Url> read_url(std::string_view text) {
  return read_beside(text, nullptr);
}

std::optional<Url> read_url(std::string_view text, const Url& base) {
  return read_beside(text, &base);
}

std::optional<std::uint16_t> default_port(std::string_view scheme) {
  const auto found = std::ranges::find(kSpecialSchemes, scheme, &SpecialScheme::name);
  return found == kSpecialSchemes.end() ? std::nullopt : found->port;
}

std::string text(const Url& url) {
  std::string out = url.scheme + ":";
  if (url.host.kind != UrlHost::Kind::none) {
    append_authority(out, url);
  } else if (!url.has_opaque_path && url.path.starts_with("//")) {
    // It would be read as a host.
    out += "/.";
  }
  out += url.path;
  if (url.query) out += "?" + *url.query;
  if (url.fragment) out += "#" + *url.fragment;
  return out;
}

}  // namespace bartizan
