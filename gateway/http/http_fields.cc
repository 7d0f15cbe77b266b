#include "gateway/http/http_fields.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>

#include "schemas/base/ascii.h"
#include "schemas/base/byte_block.h"

namespace bartizan {
namespace {

struct HeaderRule {
  std::string_view name;  // Lower case.
  KnownHeader known;
  bool may_repeat = false;
};

// The number of fields of an ordinary head.
constexpr std::size_t kFieldsUsual = 16;

// Ordered by the length of the name, which indexes the rules. Only a field whose value is a list
// may repeat. A second field of any other kind could be the one that another parser uses.
constexpr std::array kRules{
    HeaderRule{"host", KnownHeader::host},
    HeaderRule{"accept", KnownHeader::accept, true},
    HeaderRule{"origin", KnownHeader::origin},
    HeaderRule{"expect", KnownHeader::expect},
    HeaderRule{"upgrade", KnownHeader::upgrade, true},
    HeaderRule{"mcp-name", KnownHeader::mcp_name},
    HeaderRule{"location", KnownHeader::location},
    HeaderRule{"mcp-method", KnownHeader::mcp_method},
    HeaderRule{"connection", KnownHeader::connection, true},
    HeaderRule{"tracestate", KnownHeader::tracestate, true},
    HeaderRule{"traceparent", KnownHeader::traceparent},
    HeaderRule{"content-type", KnownHeader::content_type},
    HeaderRule{"authorization", KnownHeader::authorization},
    HeaderRule{"last-event-id", KnownHeader::last_event_id},
    HeaderRule{"content-length", KnownHeader::content_length},
    HeaderRule{"mcp-session-id", KnownHeader::mcp_session_id},
    HeaderRule{"content-encoding", KnownHeader::content_encoding, true},
    HeaderRule{"www-authenticate", KnownHeader::www_authenticate, true},
    HeaderRule{"transfer-encoding", KnownHeader::transfer_encoding},
    HeaderRule{"sec-websocket-key", KnownHeader::sec_websocket_key},
    HeaderRule{"mcp-protocol-version", KnownHeader::mcp_protocol_version},
    HeaderRule{"sec-websocket-version", KnownHeader::sec_websocket_version},
    HeaderRule{"sec-websocket-protocol", KnownHeader::sec_websocket_protocol, true},
    HeaderRule{"access-control-request-method", KnownHeader::access_control_request_method},
    HeaderRule{"access-control-request-headers", KnownHeader::access_control_request_headers, true},
};
constexpr std::size_t kRuleNameMax = kRules.back().name.size();

constexpr auto kFirstRuleOfLength = [] {
  std::array<std::uint8_t, kRuleNameMax + 2> first{};
  for (std::size_t length = 0; length < first.size(); ++length) {
    while (first[length] < kRules.size() && kRules[first[length]].name.size() < length) {
      ++first[length];
    }
  }
  return first;
}();

constexpr auto kMayRepeat = [] {
  std::array<bool, kKnownHeaders> may{};
  may[static_cast<std::size_t>(KnownHeader::other)] = true;
  for (const HeaderRule& rule : kRules)
    may[static_cast<std::size_t>(rule.known)] = rule.may_repeat;
  return may;
}();

// Source: RFC 9110 §5.6.2.
constexpr auto kIsTokenChar = [] {
  std::array<bool, 256> is{};
  for (unsigned char c = '0'; c <= '9'; ++c)
    is[c] = true;
  for (unsigned char c = 'a'; c <= 'z'; ++c)
    is[c] = is[c - 0x20U] = true;
  for (const char c : std::string_view("!#$%&'*+-.^_`|~"))
    is[static_cast<unsigned char>(c)] = true;
  return is;
}();

bool is_token_char(char c) {
  return kIsTokenChar[static_cast<unsigned char>(c)];
}
bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 0x20) : c;
}

// Eight bytes, the first of them lowest.
std::uint64_t word_at(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = std::byteswap(word);
  return word;
}

constexpr std::uint64_t kOnes = 0x0101010101010101;

// The high bit of each byte below 0x20 or equal to 0x7f. Exact up to the first such byte: a borrow
// can only affect later bytes.
std::uint64_t control_bits(std::uint64_t word) {
  const std::uint64_t below = (word - 0x20 * kOnes) & ~word;
  const std::uint64_t rest = word ^ (0x7f * kOnes);
  const std::uint64_t deleted = (rest - kOnes) & ~rest;
  return (below | deleted) & (0x80 * kOnes);
}

// INVARIANT: a CR follows, which is never skipped, so no bound is checked.
template <auto kIsSkipped>
const char* skip(const char* at) {
  while (kIsSkipped(*at))
    ++at;
  return at;
}

using Vector = ByteVector<16>;
constexpr std::ptrdiff_t kVector = 16;

// Letters, digits and hyphens, of which almost every name consists.
Vector::Hits usual_in_names(const Vector& bytes) {
  const auto between = [&bytes](char first, char last) {
    return static_cast<Vector::Hits>(bytes.below(static_cast<char>(last + 1)) &
                                     ~bytes.below(first));
  };
  return between('a', 'z') | between('A', 'Z') | between('0', '9') | bytes.equal('-');
}

// The end of a name: the first byte that is not a token character.
// INVARIANT: as with `skip`.
const char* skip_name(const char* at, const char* end) {
  while (end - at >= kVector) {
    const auto usual = static_cast<std::size_t>(std::countr_one(usual_in_names(Vector(at))));
    at += usual;
    if (usual < static_cast<std::size_t>(kVector)) break;
  }
  return skip<is_token_char>(at);
}

// INVARIANT: there is a CR before `end`, so the bytewise search ends there.
const char* find_control(const char* at, const char* end) {
  while (end - at >= 8) {
    const std::uint64_t bits = control_bits(word_at(at));
    if (bits == 0) {
      at += 8;
      continue;
    }
    at += std::countr_zero(bits) / 8;
    if (*at != '\t') return at;
    ++at;
  }
  while (!is_control(*at))
    ++at;
  return at;
}

// Whether a token equals a name of lower-case letters and `-`. Setting bit 5 lowers letters, and
// turns no other token byte into a letter or `-`.
bool token_equals(const char* token, std::string_view name) {
  constexpr std::uint64_t kBit5 = 0x20 * kOnes;
  const std::size_t size = name.size();
  if (size < 8) {
    for (std::size_t i = 0; i < size; ++i) {
      if ((token[i] | 0x20) != name[i]) return false;
    }
    return true;
  }
  for (std::size_t i = 0; i + 8 < size; i += 8) {
    if ((word_at(token + i) | kBit5) != word_at(name.data() + i)) return false;
  }
  return (word_at(token + size - 8) | kBit5) == word_at(name.data() + size - 8);
}

KnownHeader recognise(std::string_view name) {
  if (name.size() <= kRuleNameMax) {
    const std::size_t end = kFirstRuleOfLength[name.size() + 1];
    for (std::size_t i = kFirstRuleOfLength[name.size()]; i < end; ++i) {
      if (token_equals(name.data(), kRules[i].name)) return kRules[i].known;
    }
  }
  if ((name[0] | 0x20) != 'm' || name.size() < 4) return KnownHeader::other;
  if (name.size() >= 10 && token_equals(name.data(), "mcp-param-")) return KnownHeader::mcp_param;
  return token_equals(name.data(), "mcp-") ? KnownHeader::mcp_other : KnownHeader::other;
}

bool is_mcp(KnownHeader known) {
  switch (known) {
    case KnownHeader::mcp_param:
    case KnownHeader::mcp_other:
    case KnownHeader::mcp_method:
    case KnownHeader::mcp_name:
    case KnownHeader::mcp_protocol_version:
    case KnownHeader::mcp_session_id:
      return true;
    default:
      return false;
  }
}

// Whether the name equals a framing header's except for `_`, which some parsers read as `-`.
bool resembles_framing(std::string_view name) {
  constexpr std::array<std::string_view, 2> kNames{"content-length", "transfer-encoding"};
  return std::ranges::any_of(kNames, [&](std::string_view framing) {
    return std::ranges::equal(name, framing, [](char c, char wanted) {
      return lower(c) == wanted || (c == '_' && wanted == '-');
    });
  });
}

// Quotes a name only if it is a token, so nothing unprintable reaches a log.
std::string about(std::string_view problem, std::string_view name) {
  constexpr std::size_t kQuotedMax = 40;
  return std::string(problem) + ": " + std::string(name.substr(0, kQuotedMax));
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return text;
}

std::optional<std::uint64_t> parse_length(std::string_view digits) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  if (digits.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (kMax - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

}  // namespace

Result<void> HeaderFields::read(std::string_view section) {
  fields_.clear();
  fields_.reserve(kFieldsUsual);
  first_.fill(kAbsent);
  if (!section.ends_with("\r\n")) {
    return fail(ErrorCode::http_syntax, fault_, "the header section has no end");
  }
  const char* at = section.data();
  const char* const end = at + section.size();
  while (*at != '\r') {
    const char* const name_end = skip_name(at, end);
    if (name_end == at || *name_end != ':') return refuse_line(at, name_end);
    const char* const value = skip<is_blank>(name_end + 1);
    const char* const line_end = find_control(value, end);
    if (line_end[0] != '\r' || line_end[1] != '\n') return refuse_line(at, line_end);
    const char* value_end = line_end;
    while (value_end > value && is_blank(value_end[-1]))
      --value_end;
    const std::string_view name(at, name_end);
    const HeaderField field{name, {value, value_end}, recognise(name)};
    if (is_suspect(field)) {
      if (const auto checked = check(field); !checked) return checked;
    }
    add(field);
    at = line_end + 2;
    if (at == end) return fail(ErrorCode::http_syntax, fault_, "the header section has no end");
  }
  if (at + 2 != end) return refuse_line(at, at);
  return {};
}

// The error of the line that begins at `line`, with its first bad byte at `at`.
std::unexpected<Error> HeaderFields::refuse_line(const char* line, const char* at) const {
  const std::string_view name(line, std::find_if_not(line, at, is_token_char));
  if (*at == '\r' || *at == '\n') {
    return fail(ErrorCode::http_syntax, fault_, "a cr or lf that ends no header line");
  }
  if (at == line && is_blank(*at)) {
    return fail(ErrorCode::http_syntax, fault_,
                about("a folded line after", fields_.empty() ? "" : fields_.back().name));
  }
  if (at == line && *at == ':') return fail(ErrorCode::http_syntax, fault_, "an empty header name");
  if (at != line + name.size()) {
    return fail(ErrorCode::http_syntax, fault_, about("a control character in header", name));
  }
  if (is_blank(*at)) {
    return fail(ErrorCode::http_syntax, fault_, about("a blank in or after header name", name));
  }
  return fail(ErrorCode::http_syntax, fault_, about("a header name is not a token", name));
}

void HeaderFields::add(const HeaderField& field) {
  std::uint8_t& first = first_[index(field.known)];
  if (first == kAbsent) first = static_cast<std::uint8_t>(fields_.size());
  fields_.push_back(field);
}

// Whether `check` might refuse the field, which is rare.
bool HeaderFields::is_suspect(const HeaderField& field) const {
  const bool is_second = has(field.known) && !kMayRepeat[index(field.known)];
  const std::size_t size = field.name.size();
  const bool may_resemble = field.known == KnownHeader::other && (size == 14 || size == 17);
  return is_second || is_mcp(field.known) || may_resemble ||
         fields_.size() == limits::header_fields_max;
}

Result<void> HeaderFields::check(const HeaderField& field) const {
  if (fields_.size() == limits::header_fields_max) {
    return fail(ErrorCode::http_limit, fault_, "too many header fields");
  }
  if (field.known == KnownHeader::other && resembles_framing(field.name)) {
    return fail(ErrorCode::http_framing, fault_, about("a header like a framing one", field.name));
  }
  if (is_mcp(field.known) && !is_ascii(field.value)) {
    return fail(ErrorCode::http_syntax, fault_, about("a non-ascii byte in header", field.name));
  }
  if (repeats(field)) return refuse_repeated(field);
  return {};
}

// Whether the field must not repeat and does.
bool HeaderFields::repeats(const HeaderField& field) const {
  if (!has(field.known) || kMayRepeat[index(field.known)]) return false;
  const bool is_named_kind =
      field.known == KnownHeader::mcp_param || field.known == KnownHeader::mcp_other;
  // `Mcp-Param-A` and `Mcp-Param-B` are of one kind, but two headers.
  return !is_named_kind || std::ranges::any_of(all(), [&](const HeaderField& other) {
    return other.known == field.known && equal_ignoring_case(other.name, field.name);
  });
}

std::unexpected<Error> HeaderFields::refuse_repeated(const HeaderField& field) const {
  const bool frames = field.known == KnownHeader::content_length ||
                      field.known == KnownHeader::transfer_encoding ||
                      field.known == KnownHeader::host;
  return fail(frames ? ErrorCode::http_framing : ErrorCode::http_syntax, fault_,
              about("a repeated header", field.name));
}

std::optional<std::string_view> HeaderFields::find(KnownHeader known) const {
  if (!has(known)) return std::nullopt;
  return fields_[first_[index(known)]].value;
}

std::optional<std::string_view> HeaderFields::find(std::string_view name) const {
  for (const HeaderField& field : all()) {
    if (equal_ignoring_case(field.name, name)) return field.value;
  }
  return std::nullopt;
}

bool HeaderFields::lists(KnownHeader known, std::string_view token) const {
  if (!has(known)) return false;
  for (const HeaderField& field : all()) {
    if (field.known != known) continue;
    for (std::string_view rest = field.value; !rest.empty();) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      if (equal_ignoring_case(trim(rest.substr(0, comma)), token)) return true;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return false;
}

Result<BodyLength> HeaderFields::body_length(int minor_version) const {
  const std::optional<std::string_view> length = find(KnownHeader::content_length);
  const std::optional<std::string_view> coding = find(KnownHeader::transfer_encoding);
  if (length && coding) {
    return fail(ErrorCode::http_framing, fault_, "both content-length and transfer-encoding");
  }
  if (coding) {
    if (minor_version == 0) {
      return fail(ErrorCode::http_framing, fault_, "transfer-encoding in http/1.0");
    }
    // Exactly this spelling: a case-sensitive proxy in front would see no body.
    if (*coding != "chunked") {
      return fail(ErrorCode::http_framing, fault_, "a transfer-encoding other than chunked");
    }
    return BodyLength{.framing = BodyFraming::chunked};
  }
  if (!length) return BodyLength{};
  const std::optional<std::uint64_t> value = parse_length(*length);
  if (!value) {
    return fail(ErrorCode::http_framing, fault_, "content-length is not a number of bytes");
  }
  return BodyLength{.framing = BodyFraming::content_length, .content_length = *value};
}

bool HeaderFields::keeps_alive(int minor_version) const {
  if (!has(KnownHeader::connection)) return minor_version > 0;
  if (lists(KnownHeader::connection, "close")) return false;
  return minor_version > 0 || lists(KnownHeader::connection, "keep-alive");
}

bool HeaderFields::has_content_coding() const {
  if (!has(KnownHeader::content_encoding)) return false;
  return std::ranges::any_of(all(), [](const HeaderField& field) {
    return field.known == KnownHeader::content_encoding &&
           !equal_ignoring_case(field.value, "identity");
  });
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_char);
}

bool is_field_value(std::string_view text) {
  while (text.size() >= 8 && control_bits(word_at(text.data())) == 0)
    text.remove_prefix(8);
  return std::ranges::none_of(text, is_control);
}

}  // namespace bartizan
