// Public suites of HTTP/1.x byte streams, read as a listener would read them: heads, bodies, and
// what follows on the same connection.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/http/http_body.h"
#include "gateway/http/http_head.h"
#include "schemas/json/json.h"
#include "schemas/message/header_value.h"
#include "tests/corpus.h"

namespace bartizan {
namespace {

struct Message {
  std::string method = {};
  std::string target = {};
  std::vector<std::pair<std::string, std::string>> fields = {};
  std::string body = {};
  bool has_head = true;
  bool is_complete = false;
  bool operator==(const Message&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Message& message) {
  out << message.method << " " << message.target;
  for (const auto& [name, value] : message.fields)
    out << " [" << name << "=" << value << "]";
  return out << " body [" << message.body << "]" << (message.is_complete ? "" : " incomplete");
}

struct Stream {
  enum class End { clean, incomplete, refused } end = End::clean;
  std::vector<Message> messages = {};
  BodyFraming framing = BodyFraming::none;  // Of the last message.
  HttpMethod method = HttpMethod::other;
  std::string why = {};
};

// Takes the body at the front of `bytes`; what is left of them follows the message.
bool read_body(const RequestHead& head, std::string_view& bytes, Stream& stream) {
  Message& message = stream.messages.back();
  BodyReader body({head.framing(), head.content_length()}, 1 << 20, Fault::client);
  while (!body.is_done() && !bytes.empty()) {
    const auto step = body.step(bytes);
    if (!step) {
      stream.end = Stream::End::refused;
      stream.why = step.error().detail;
      return false;
    }
    message.body.append(step->data);
    bytes.remove_prefix(step->consumed);
  }
  message.is_complete = body.is_done();
  if (!message.is_complete) stream.end = Stream::End::incomplete;
  return message.is_complete;
}

std::string_view name_of(HttpMethod method) {
  switch (method) {
    case HttpMethod::get:
      return "GET";
    case HttpMethod::post:
      return "POST";
    case HttpMethod::delete_:
      return "DELETE";
    case HttpMethod::options:
      return "OPTIONS";
    case HttpMethod::head:
      return "HEAD";
    case HttpMethod::put:
      return "PUT";
    case HttpMethod::patch:
      return "PATCH";
    case HttpMethod::other:
      break;
  }
  return "";
}

Stream read_stream(std::string_view bytes) {
  Stream stream;
  RequestHead head;
  while (!bytes.empty()) {
    const auto size = find_head_end(bytes, 0, Fault::client);
    if (size && *size == 0) {
      stream.end = Stream::End::incomplete;
      return stream;
    }
    const auto read = size ? head.read(bytes.substr(0, *size)) : std::unexpected(size.error());
    if (!read) {
      stream.end = Stream::End::refused;
      stream.why = read.error().detail;
      return stream;
    }
    Message& message = stream.messages.emplace_back();
    // What we read the method as; by its own bytes where it is none that has a name here.
    const std::string_view name = name_of(head.method());
    message.method = name.empty() ? bytes.substr(0, bytes.find(' ')) : name;
    bytes.remove_prefix(*size);
    message.target = head.target();
    for (const HeaderField& field : head.fields().all()) {
      message.fields.emplace_back(field.name, field.value);
    }
    stream.framing = head.framing();
    stream.method = head.method();
    if (!read_body(head, bytes, stream)) return stream;
    if (head.keeps_alive()) continue;
    stream.end = bytes.empty() ? Stream::End::clean : Stream::End::refused;
    stream.why = "bytes behind a message that closes";
    return stream;
  }
  return stream;
}

std::size_t number_after(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  std::size_t value = 0;
  if (at != std::string_view::npos) {
    std::from_chars(line.data() + at + key.size(), line.data() + line.size(), value);
  }
  return value;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// The messages of an llhttp event log, whose spans are offsets into the stream.
std::vector<Message> logged_messages(std::string_view log, std::string_view raw) {
  std::vector<Message> messages;
  std::string name;
  std::string value;
  for (std::string_view rest = log; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::string_view span =
        raw.substr(std::min(number_after(line, "off="), raw.size()), number_after(line, "len="));
    const auto is = [&](std::string_view event) { return line.find(event) != line.npos; };
    if (is("message begin")) messages.push_back({.has_head = false});
    if (messages.empty()) continue;
    Message& message = messages.back();
    if (is("span[method]")) message.method += span;
    if (is("span[url]")) message.target += span;
    if (is("span[header_field]")) name += span;
    if (is("span[header_value]")) value += span;
    if (is("span[body]")) message.body += span;
    if (is("header_value complete")) {
      message.fields.emplace_back(std::exchange(name, {}), trimmed(value));
      value.clear();
    }
    if (is("headers complete")) message.has_head = true;
    if (is("message complete")) message.is_complete = true;
  }
  // We answer a head once it is whole, and know nothing of half a one.
  std::erase_if(messages, [](const Message& message) { return !message.has_head; });
  return messages;
}

constexpr std::string_view kAddedHost = "Host: added.test\r\n";

// Many rows have no Host, which is reason enough for us to refuse them and would hide all others.
std::string with_host(std::string_view raw) {
  std::string out(raw);
  std::string lower(raw);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::string_view kLineEnd = " HTTP/1.1\r\n";
  if (lower.find("host:") != std::string::npos) return out;
  for (std::size_t at = out.find(kLineEnd); at != std::string::npos;
       at = out.find(kLineEnd, at + kAddedHost.size())) {
    out.insert(at + kLineEnd.size(), kAddedHost);
  }
  return out;
}

std::vector<Message> without_added_host(std::vector<Message> messages) {
  for (Message& message : messages) {
    std::erase(message.fields, std::pair<std::string, std::string>("Host", "added.test"));
  }
  return messages;
}

struct Row {
  std::string id;
  std::string type;
  bool must_reject = false;
  std::string raw;
  std::string log;
};

std::vector<Row> llhttp_rows(const std::filesystem::path& path) {
  std::vector<Row> rows;
  JsonDocument document;
  for (const std::string& line : corpus_lines(path)) {
    const Bytes bytes(line);
    const auto root = document.read(bytes);
    if (!root) {
      ADD_FAILURE() << root.error().detail;
      continue;
    }
    rows.push_back({.id = std::string(root->find("id").text()),
                    .type = std::string(root->find("meta").find("type").text()),
                    .must_reject = root->find("must_reject").boolean().value_or(false),
                    .raw = decode_base64(root->find("raw_b64").text()).value_or(""),
                    .log = std::string(root->find("log").text())});
  }
  return rows;
}

struct Deviation {
  std::string_view id;
  std::string_view why;  // As the reader says it.
};

// Streams that the origin accepts and we refuse on purpose.
constexpr std::string_view kNoOriginForm = "the target is not an absolute path";
constexpr std::string_view kFragment = "the target contains a byte that paths cannot have";
constexpr std::string_view kEmptyLine = "the method is not a token";
constexpr std::string_view kNotHttp = "no http version in the request line";
constexpr std::string_view kBehindClose = "bytes behind a message that closes";
constexpr std::string_view kExtension = "a chunk size that is not a hex number";
constexpr std::string_view kHostGrammar = "host is not a name or address";
constexpr Deviation kDeviations[] = {
    // An empty line between requests is a SHOULD to ignore (RFC 9112 §2.2), and a way to differ.
    {"request/connection.md#`keep-alive`/Setting flag/CRLF between requests, implicit `keep-alive`",
     kEmptyLine},
    {"request/pipelining.md#Should parse multiple events", kEmptyLine},
    {"request/sample.md#Simple request/Prefix newline", kEmptyLine},
    {"request/sample.md#Simple request/Request starting with CRLF", kEmptyLine},
    {"request/connection.md#`keep-alive`/`close`/CRLF between requests, explicit `close`",
     kBehindClose},
    {"request/connection.md#`keep-alive`/`close`/CRLF between requests, explicit `close` followed "
     "by tab",
     kBehindClose},
    // We are an origin server, never a proxy that is named as one.
    {"request/method.md#REPORT request/CONNECT request", kNoOriginForm},
    {"request/method.md#REPORT request/CONNECT request/CONNECT request with CAPS", kNoOriginForm},
    {"request/method.md#REPORT request/CONNECT request/CONNECT with body", kNoOriginForm},
    {"request/method.md#REPORT request/CONNECT request/M-SEARCH request", kNoOriginForm},
    {"request/uri.md#Quotes in URI/Host terminated by a query string", kNoOriginForm},
    {"request/uri.md#Quotes in URI/`host:port` terminated by a query string", kNoOriginForm},
    {"request/uri.md#Quotes in URI/`host:port` terminated by a space", kNoOriginForm},
    {"request/uri.md#Quotes in URI/Underscore in hostname", kNoOriginForm},
    {"request/uri.md#Quotes in URI/`host:port` and basic auth", kNoOriginForm},
    // RFC 9112 §3.2.1: origin form has no fragment.
    {"request/uri.md#Quotes in URI/Fragment in URI", kFragment},
    // These would be refused for their codings too.
    {"request/transfer-encoding.md#`chunked`/POST with `chunked` as last transfer-encoding",
     kFragment},
    {"request/transfer-encoding.md#`chunked`/POST with `chunked` as last transfer-encoding "
     "(multiple headers)",
     kFragment},
    // Other protocols, and HTTP/0.9.
    {"request/method.md#REPORT request/CONNECT request/SOURCE request with ICE", kNotHttp},
    {"request/method.md#REPORT request/CONNECT request/OPTIONS request with RTSP", kNotHttp},
    {"request/method.md#REPORT request/CONNECT request/ANNOUNCE request with RTSP", kNotHttp},
    {"request/sample.md#Simple request/No HTTP version", kNotHttp},
    // Nobody needs chunk extensions and trailers, and they have smuggled requests before.
    {"request/pausing.md#on_message_begin/on_message_complete/on_chunk_extension_name", kExtension},
    {"request/pausing.md#on_message_begin/on_message_complete/on_chunk_extension_value",
     kExtension},
    {"request/transfer-encoding.md#`chunked`/Parsing and setting flag/Chunk extensions",
     kExtension},
    {"request/transfer-encoding.md#`chunked`/Parsing and setting flag/Chunk extensions quoting",
     kExtension},
    {"request/transfer-encoding.md#`chunked`/Parsing and setting flag/Trailing headers",
     "trailers after the last chunk"},
    // `0.0.0.0=5000`: no host that we could be.
    {"request/sample.md#Simple request/curl GET", kHostGrammar},
    {"request/sample.md#Simple request/Firefox GET", kHostGrammar},
};

// Streams that the origin refuses for a method it does not know, or one of another protocol. We
// read them, since an unknown method has no framing of its own, and answer 405.
constexpr std::string_view kAnswered405[] = {
    "request/invalid.md#ICE protocol and GET method/ICE protocol, but not really/HTTP protocol and "
    "ANNOUNCE method",
    "request/invalid.md#ICE protocol and GET method/ICE protocol, but not really/Invalid method",
};

// Rows whose log cannot be compared: the suite's own callback says that there is no body, or the
// log counts a byte of the value as two.
constexpr std::string_view kNotComparable[] = {
    "request/content-length.md#`Content-Length` with zeroes/Content-Length reset when no body is "
    "received",
    "request/sample.md#Simple request/Extended Characters",
    "request/sample.md#Simple request/255 ASCII in header value",
};

bool is_lenient(const Row& row) {
  return row.type.find("lenient") != std::string::npos;
}

TEST(HttpCorpus, RefusesWhatMustBeRefused) {
  const auto path = corpus_file("http1-llhttp/cases.jsonl");
  if (path.empty()) GTEST_SKIP() << "no corpus";
  std::size_t refused = 0;
  for (const Row& row : llhttp_rows(path)) {
    if (!row.must_reject) continue;
    SCOPED_TRACE(row.id);
    if (std::ranges::find(kAnswered405, row.id) != std::end(kAnswered405)) {
      EXPECT_EQ(read_stream(with_host(row.raw)).method, HttpMethod::other);
      continue;
    }
    Stream got = read_stream(with_host(row.raw));
    // Some rows end before their head does; whole, they are refused all the same.
    if (got.end == Stream::End::incomplete) got = read_stream(with_host(row.raw + "\r\n\r\n"));
    EXPECT_EQ(got.end, Stream::End::refused);
    EXPECT_EQ(read_stream(row.raw + "\r\n\r\n").end, Stream::End::refused);
    ++refused;
  }
  EXPECT_GT(refused, 0U);
}

TEST(HttpCorpus, ReadsWhatTheOriginReads) {
  const auto path = corpus_file("http1-llhttp/cases.jsonl");
  if (path.empty()) GTEST_SKIP() << "no corpus";
  std::size_t equal = 0;
  std::size_t deviating = 0;
  for (const Row& row : llhttp_rows(path)) {
    // Lenient rows tell what we must not do.
    if (row.must_reject || is_lenient(row)) continue;
    SCOPED_TRACE(row.id);
    const Stream got = read_stream(with_host(row.raw));
    const auto deviation = std::ranges::find(kDeviations, row.id, &Deviation::id);
    if (deviation != std::end(kDeviations)) {
      EXPECT_EQ(got.end, Stream::End::refused);
      EXPECT_EQ(got.why, deviation->why);
      ++deviating;
      continue;
    }
    EXPECT_NE(got.end, Stream::End::refused) << got.why;
    if (std::ranges::find(kNotComparable, row.id) != std::end(kNotComparable)) continue;
    EXPECT_EQ(without_added_host(got.messages), logged_messages(row.log, row.raw));
    ++equal;
  }
  EXPECT_GT(equal, deviating);
  // Ids repeat in the suite (two are called LINK), so a stale row here would pass unseen otherwise.
  EXPECT_EQ(deviating, std::size(kDeviations));
}

TEST(HttpCorpus, IsNotSmuggledThrough) {
  const auto path = corpus_file("http1-smuggling/te_cl_mutations.jsonl");
  if (path.empty()) GTEST_SKIP() << "no corpus";
  JsonDocument document;
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (const std::string& line : corpus_lines(path)) {
    const Bytes bytes(line);
    const auto root = document.read(bytes);
    ASSERT_TRUE(root) << root.error().detail;
    SCOPED_TRACE(root->find("id").text());
    const Stream got = read_stream(decode_base64(root->find("request_b64").text()).value_or(""));
    if (got.end == Stream::End::refused) {
      ++refused;
      continue;
    }
    // What passes has no transfer coding in our eyes, and its one length was believed.
    EXPECT_EQ(got.framing, BodyFraming::content_length);
    ASSERT_EQ(got.messages.size(), 1U);
    EXPECT_EQ(got.messages[0].body, "0\r\n\r\n");
    ++accepted;
  }
  EXPECT_GT(refused, accepted);
}

}  // namespace
}  // namespace bartizan
