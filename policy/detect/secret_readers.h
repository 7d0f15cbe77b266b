#pragma once

#include <cstddef>

#include "policy/detect/scan_database.h"
#include "policy/detect/scan_text.h"

namespace bartizan {

// Alphabets that several readers use; their runs are remembered. They are the first alphabets of
// the database, in this order.
inline constexpr Alphabet kBase64UrlRuns{ByteSet("A-Za-z0-9_-"), 0};
inline constexpr Alphabet kUrlRuns{ByteSet("A-Za-z0-9._~:/?#[]@!$&()*+,;=%-"), 1};
inline constexpr Alphabet kQueryValueRuns{ByteSet("A-Za-z0-9%+/=_~.-"), 2};
inline constexpr Alphabet kCredentialRuns{ByteSet("A-Za-z0-9._~+/=:%|-"), 3};
inline constexpr Alphabet kCookieRuns{ByteSet(" \t\r\n;\"'`\\,").others(), 4};
/// Assigned values: unquoted, in each kind of quotes, in escaped quotes, in markup.
inline constexpr Alphabet kBareRuns{ByteSet(" \t\r\n\"'`;&<>,|(){}[]\\").others(), 5};
inline constexpr Alphabet kDoubleQuotedRuns{ByteSet("\"\r\n").others(), 6};
inline constexpr Alphabet kSingleQuotedRuns{ByteSet("'\r\n").others(), 7};
inline constexpr Alphabet kBackQuotedRuns{ByteSet("`\r\n").others(), 8};
inline constexpr Alphabet kEscapedQuotedRuns{ByteSet("\\\"'\r\n").others(), 9};
inline constexpr Alphabet kMarkupRuns{ByteSet("<>\r\n").others(), 10};
inline constexpr const Alphabet* kReaderAlphabets[] = {
    &kBase64UrlRuns,  &kUrlRuns,           &kQueryValueRuns,   &kCredentialRuns,
    &kCookieRuns,     &kBareRuns,          &kDoubleQuotedRuns, &kSingleQuotedRuns,
    &kBackQuotedRuns, &kEscapedQuotedRuns, &kMarkupRuns};

/// The judged part of a value. A reported secret ends at the end of the value.
inline constexpr std::size_t kJudgedMax = 512;

// Each reader reads from a literal at [begin, end), and reports its matches to the text.

/// A JWT or JWE. Input: the start of its header, base64url of JSON that names an algorithm.
void read_json_token(ScanText& text, std::size_t begin);

/// The first line of a PEM block. Reports the whole block of a private key, also with `\n` escapes
/// between its lines. A truncated block is reported up to its last line.
void read_private_key(ScanText& text, std::size_t begin);

/// The `://` of a URL. Reports a password before its host, or a token in place of a user.
void read_url_password(ScanText& text, std::size_t begin);

/// The name of a signing parameter and its `=`. Reports the value if the URL is presigned.
void read_signature(ScanText& text, std::size_t begin, std::size_t end);

/// The name of the header `Authorization`, in any notation.
void read_authorization(ScanText& text, std::size_t end);

/// `Bearer ` or `Basic ` alone.
void read_scheme(ScanText& text, std::size_t begin, std::size_t end);

/// The name of a cookie header. Reports the values that look like session ids.
void read_cookies(ScanText& text, std::size_t end);

/// The name of a program that takes a password as an option: `curl -u user:…`, `mysql -p…`.
void read_command_password(ScanText& text, std::size_t begin, std::size_t end);

/// The port in a line `host:port:database:user:password`. Source: PostgreSQL, "The Password File".
void read_password_line(ScanText& text, std::size_t begin, std::size_t end);

/// The name of a program that reads `user:password`: `echo 'user:password' | chpasswd`.
void read_piped_password(ScanText& text, std::size_t begin, std::size_t end);

/// A word of the names of secrets. Reports the value that is assigned to such a name.
void read_assignment(ScanText& text, const ScanDatabase& database, std::size_t begin,
                     std::size_t end);

}  // namespace bartizan
