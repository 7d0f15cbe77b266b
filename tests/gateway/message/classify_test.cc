#include "gateway/message/classify.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "tests/policy/sample.h"

namespace bartizan {
namespace {

constexpr std::string_view kModern = "2026-07-28";
constexpr std::string_view kCapabilities = R"("io.modelcontextprotocol/clientCapabilities":{})";

/// A request of that method whose `_meta` has those members.
std::string request(std::string_view meta, std::string_view method = "tools/list") {
  return R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) +
         R"(","params":{"_meta":{)" + std::string(meta) + "}}}";
}

/// A `_meta` that claims that version, which is any JSON text, and declares no features.
std::string claim(std::string_view version_json) {
  return R"("io.modelcontextprotocol/protocolVersion":)" + std::string(version_json) + "," +
         std::string(kCapabilities);
}

std::string plain(std::string_view method = "tools/list") {
  return R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + "\"}";
}

using Header = std::optional<std::string_view>;

TEST(Classify, ServesEachEra) {
  const struct {
    std::string_view name;
    std::string message;
    Header header;
    Era era;
    ProtocolVersion version;
  } cases[] = {
      {"modern in body and header", request(claim(R"("2026-07-28")")), kModern, Era::modern,
       ProtocolVersion::v2026_07_28},
      {"modern, spelled with an escape", request(claim(R"("2026-07-2\u0038")")), kModern,
       Era::modern, ProtocolVersion::v2026_07_28},
      {"a modern notification needs no capabilities",
       R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"_meta":)"
       R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})",
       kModern, Era::modern, ProtocolVersion::v2026_07_28},
      {"a notification without _meta follows its modern header",
       R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})", kModern,
       Era::modern, ProtocolVersion::v2026_07_28},
      {"initialize without header", plain("initialize"), std::nullopt, Era::legacy,
       kNewestLegacyVersion},
      {"initialize ignores a legacy header", plain("initialize"), "2024-11-05", Era::legacy,
       kNewestLegacyVersion},
      {"initialize without a claim is legacy under a modern header", plain("initialize"), kModern,
       Era::legacy, kNewestLegacyVersion},
      {"no header is the headerless version", plain(), std::nullopt, Era::legacy,
       ProtocolVersion::v2025_03_26},
      {"the oldest legacy header", plain(), "2024-11-05", Era::legacy,
       ProtocolVersion::v2024_11_05},
      {"the newest legacy header", plain(), "2025-11-25", Era::legacy,
       ProtocolVersion::v2025_11_25},
      {"other _meta is not a claim", request(R"("progressToken":1)"), "2025-06-18", Era::legacy,
       ProtocolVersion::v2025_06_18},
      {"an answer belongs to a session", R"({"jsonrpc":"2.0","id":1,"result":{}})", "2025-06-18",
       Era::legacy, ProtocolVersion::v2025_06_18},
      {"an answer cannot claim",
       R"({"jsonrpc":"2.0","id":1,"result":{"_meta":{)" + claim("7") + "}}}", std::nullopt,
       Era::legacy, kNewestLegacyVersion},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const SampleCall sample(c.message);
    const auto classified = classify(sample.call.message, c.header);
    ASSERT_TRUE(classified.has_value()) << classified.error().message;
    EXPECT_EQ(classified->era, c.era);
    EXPECT_EQ(text(classified->version), text(c.version));
  }
}

// A modern claim that is wrong must not end in the legacy era, which checks less.
TEST(Classify, NeverFallsBack) {
  const struct {
    std::string_view name;
    std::string message;
    Header header;
    ErrorCode code;
  } cases[] = {
      {"an answer in the modern era", R"({"jsonrpc":"2.0","id":1,"result":{}})", kModern,
       ErrorCode::invalid_request},
      {"an answer of no version", R"({"jsonrpc":"2.0","id":1,"result":{}})", "1999-01-01",
       ErrorCode::unsupported_version},
      {"a claim that is null", request(claim("null")), kModern, ErrorCode::invalid_params},
      {"null and no header", request(claim("null")), std::nullopt, ErrorCode::invalid_params},
      {"a claim that is a number", request(claim("20260728")), "2025-11-25",
       ErrorCode::invalid_params},
      {"a claim that is a list", request(claim(R"(["2026-07-28"])")), kModern,
       ErrorCode::invalid_params},
      {"a claim that is an object", request(claim("{}")), kModern, ErrorCode::invalid_params},
      {"a claim in initialize", request(claim("null"), "initialize"), std::nullopt,
       ErrorCode::invalid_params},
      {"an empty claim", request(claim(R"("")")), std::nullopt, ErrorCode::unsupported_version},
      {"an empty claim and header", request(claim(R"("")")), "", ErrorCode::unsupported_version},
      {"a claim of a legacy version", request(claim(R"("2025-11-25")")), std::nullopt,
       ErrorCode::unsupported_version},
      {"a claim of a legacy version, with its header", request(claim(R"("2025-11-25")")),
       "2025-11-25", ErrorCode::unsupported_version},
      {"a version of the future", request(claim(R"("2099-01-01")")), "2099-01-01",
       ErrorCode::unsupported_version},
      {"a version with a space", request(claim(R"(" 2026-07-28")")), " 2026-07-28",
       ErrorCode::unsupported_version},
      {"a version with a NUL", request(claim(R"("2026-07-28\u0000")")),
       std::string_view("2026-07-28\0", 11), ErrorCode::unsupported_version},
      {"modern body, no header", request(claim(R"("2026-07-28")")), std::nullopt,
       ErrorCode::header_mismatch},
      {"modern body, legacy header", request(claim(R"("2026-07-28")")), "2025-11-25",
       ErrorCode::header_mismatch},
      {"modern body, empty header", request(claim(R"("2026-07-28")")), "",
       ErrorCode::header_mismatch},
      {"legacy claim, modern header", request(claim(R"("2025-11-25")")), kModern,
       ErrorCode::header_mismatch},
      {"modern initialize, no header", request(claim(R"("2026-07-28")"), "initialize"),
       std::nullopt, ErrorCode::header_mismatch},
      {"no capabilities", request(R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")"),
       kModern, ErrorCode::invalid_params},
      {"capabilities that are a list",
       request(R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
               R"("io.modelcontextprotocol/clientCapabilities":[])"),
       kModern, ErrorCode::invalid_params},
      {"a modern header without _meta", plain(), kModern, ErrorCode::invalid_params},
      {"a modern header with an empty _meta", request(""), kModern, ErrorCode::invalid_params},
      {"an unknown header", plain(), "1999-01-01", ErrorCode::unsupported_version},
      {"an empty header", plain(), "", ErrorCode::unsupported_version},
      {"a header with a list", plain(), "2025-11-25, 2026-07-28", ErrorCode::unsupported_version},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const SampleCall sample(c.message);
    const auto classified = classify(sample.call.message, c.header);
    ASSERT_FALSE(classified.has_value());
    EXPECT_EQ(error_text(classified.error().code), error_text(c.code));
    EXPECT_FALSE(classified.error().message.empty());
  }
}

// What a client asked for is repeated to it, so it must stay JSON and short whatever it was.
TEST(Classify, TellsWhatIsSupportedInValidJson) {
  const struct {
    std::string_view name;
    std::string header;
    std::string requested;
  } cases[] = {
      {"a date", "1999-01-01", "1999-01-01"},
      {"a quote", R"(a"b\c)", R"(a"b\c)"},
      {"bytes that are no UTF-8", "v\xff\xc3", "v??"},
      {"a letter beyond ASCII", "v\xc3\xa9", "v??"},
      {"a letter that would be cut", std::string(63, 'x') + "\xc3\xa9", std::string(63, 'x') + "?"},
      {"more than anyone reads", std::string(5000, 'y'), std::string(64, 'y')},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const SampleCall sample(plain());
    const auto classified = classify(sample.call.message, std::string_view(c.header));
    ASSERT_FALSE(classified.has_value());
    JsonDocument document;
    const Bytes bytes{std::string_view(classified.error().data_json)};
    const auto data = document.read(bytes);
    ASSERT_TRUE(data.has_value()) << classified.error().data_json;
    EXPECT_EQ(data->find("requested").text(), c.requested);
    ASSERT_EQ(data->find("supported").size(), 1U);
    EXPECT_EQ((*data->find("supported").begin()).text(), kModern);
  }
}

// Without headers nothing can contradict the body, and nothing else can claim an era for it.
TEST(Classify, DecidesByTheBodyAloneWhereThereAreNoHeaders) {
  const struct {
    std::string_view name;
    std::string message;
    Era era;
  } cases[] = {
      {"a modern request", request(claim(R"("2026-07-28")")), Era::modern},
      {"initialize", plain("initialize"), Era::legacy},
      {"a plain request", plain(), Era::legacy},
      {"a plain notification", R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
       Era::legacy},
      {"an answer", R"({"jsonrpc":"2.0","id":1,"result":{}})", Era::legacy},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const SampleCall sample(c.message);
    const auto classified = classify_without_headers(sample.call.message);
    ASSERT_TRUE(classified.has_value()) << classified.error().message;
    EXPECT_EQ(classified->era, c.era);
  }
  const struct {
    std::string message;
    ErrorCode code;
  } refused[] = {
      {request(claim("null")), ErrorCode::invalid_params},
      {request(claim(R"("2025-11-25")")), ErrorCode::unsupported_version},
      {request(claim(R"("2099-01-01")")), ErrorCode::unsupported_version},
      {request(R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")"),
       ErrorCode::invalid_params},
  };
  for (const auto& c : refused) {
    const SampleCall sample(c.message);
    const auto classified = classify_without_headers(sample.call.message);
    ASSERT_FALSE(classified.has_value()) << c.message;
    EXPECT_EQ(classified.error().code, c.code) << c.message;
  }
}

}  // namespace
}  // namespace bartizan
