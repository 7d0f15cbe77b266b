#include "gateway/http/inflater.h"

#include <gtest/gtest.h>

#include <zlib.h>

#include <algorithm>
#include <string>

namespace bartizan {
namespace {

std::string gzip(std::string_view text) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string coded(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(coded.data());
  stream.avail_out = static_cast<uInt>(coded.size());
  deflate(&stream, Z_FINISH);
  coded.resize(stream.total_out);
  deflateEnd(&stream);
  return coded;
}

/// What the bytes mean when they come in parts, or the error; marked where the end is missing.
std::string read(std::string_view coded, std::size_t part, std::size_t* largest = nullptr) {
  Inflater inflater;
  std::string text;
  for (std::size_t at = 0; at < coded.size(); at += part) {
    inflater.give(coded.substr(at, part));
    while (true) {
      const Result<std::string_view> piece = inflater.step();
      if (!piece.has_value()) return "error: " + piece.error().detail;
      if (piece->empty()) break;
      if (largest != nullptr) *largest = std::max(*largest, piece->size());
      text += *piece;
    }
  }
  return inflater.is_done() ? text : text + " (cut)";
}

TEST(Inflater, ReadsGzip) {
  const std::string coded = gzip("the text");
  const std::string not_gzip = "error: the body is not in the gzip coding that its head names";
  const struct {
    std::string_view name;
    std::string coded;
    std::string want;
  } cases[] = {
      {"a text", coded, "the text"},
      {"an empty text", gzip(""), ""},
      {"one that is cut", coded.substr(0, coded.size() - 1), "the text (cut)"},
      {"more after it", coded + "x", "error: bytes after the end of the gzip coding"},
      {"a second one after it", coded + coded, "error: bytes after the end of the gzip coding"},
      {"no gzip", R"({"jsonrpc":"2.0"})", not_gzip},
      {"another checksum", coded.substr(0, coded.size() - 8) + std::string(8, '\1'), not_gzip},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read(c.coded, c.coded.size()), c.want);
  }
  EXPECT_EQ(read(coded, 1), "the text") << "byte by byte";
}

TEST(Inflater, ExpandsAPieceAtATime) {
  const std::string text(std::size_t{32} << 20, 'a');
  const std::string bomb = gzip(text);
  ASSERT_LT(bomb.size(), text.size() / 500);
  std::size_t largest = 0;
  EXPECT_TRUE(read(bomb, bomb.size(), &largest) == text);
  EXPECT_LE(largest, std::size_t{64} << 10);
}

}  // namespace
}  // namespace bartizan
