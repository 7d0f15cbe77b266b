#pragma once

#include <cstddef>

#include "policy/detect/scan_database.h"
#include "policy/detect/scan_text.h"

namespace bartizan {

// Runs that several readers ask for are remembered. The database knows these alphabets first, in
// this order.
inline constexpr Alphabet kBase64UrlRuns{ByteSet("A-Za-z0-9_-"), 0};
inline constexpr Alphabet kUrlRuns{ByteSet("A-Za-z0-9._~:/?#[]@!$&()*+,;=%-"), 1};
inline constexpr Alphabet kQueryValueRuns{ByteSet("A-Za-z0-9%+/=_~.-"), 2};
inline constexpr Alphabet kCredentialRuns{ByteSet("A-Za-z0-9._~+/=:%|-"), 3};
inline constexpr Alphabet kCookieRuns{ByteSet(" \t\r\n;\"'`\\,").others(), 4};
/// What is assigned: without quotes, in quotes of a kind, in those that are escaped, in markup.
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

/// How much of a value is judged; what is a secret ends where the value does.
inline constexpr std::size_t kJudgedMax = 512;

// Each reads on from a literal at [begin, end), and reports what it finds to the text.

/// A JWT or JWE, where its header begins: base64url of JSON that names an algorithm.
void read_json_token(ScanText& text, std::size_t begin);

/// The first line of a PEM block. The whole block of a private key is found, also with its lines
/// parted by `\n` of a programming language; one that is cut short, as far as it goes.
void read_private_key(ScanText& text, std::size_t begin);

/// The `://` of a URL: a password before its host, or a token in place of a user.
void read_url_password(ScanText& text, std::size_t begin);

/// The name of a signing parameter and its `=`: the value, where the URL is one of a presigned
/// kind.
void read_signature(ScanText& text, std::size_t begin, std::size_t end);

/// The name of the header `Authorization`, however it is written down.
void read_authorization(ScanText& text, std::size_t end);

/// `Bearer ` or `Basic ` alone.
void read_scheme(ScanText& text, std::size_t begin, std::size_t end);

/// The name of a header of cookies: the values that look like those of sessions.
void read_cookies(ScanText& text, std::size_t end);

/// The name of a program that is given a password with an option: `curl -u user:…`, `mysql -p…`.
void read_command_password(ScanText& text, std::size_t begin, std::size_t end);

/// The port in a line `host:port:database:user:password`. Source: PostgreSQL, "The Password File".
void read_password_line(ScanText& text, std::size_t begin, std::size_t end);

/// The name of a program that reads `user:password`: `echo 'user:password' | chpasswd`.
void read_piped_password(ScanText& text, std::size_t begin, std::size_t end);

/// A word that names of secrets are made of: the value, if one is assigned to such a name.
void read_assignment(ScanText& text, const ScanDatabase& database, std::size_t begin,
                     std::size_t end);

}  // namespace bartizan
