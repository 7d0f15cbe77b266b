#include "gateway/message/received_message.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bartizan {
namespace {

using NullMembers = ClientConfig::NullMembers;

class ReceivedMessageTest : public testing::Test {
 protected:
  Receipt read(std::string_view text, const JsonLimits& limits, NullMembers nulls) {
    return receive_message(loop_, memory_, Bytes(text), limits, nulls);
  }

  Loop loop_{0};
  MemoryBudget memory_{1 << 20};
};

TEST_F(ReceivedMessageTest, OfAServerIsMendedWhereACharacterWasCut) {
  const struct {
    std::string_view name;
    std::string_view text;
    std::uint32_t surrogates;
    std::string_view want;
  } cases[] = {
      {"whole", R"({"jsonrpc":"2.0","id":1,"result":{"t":"\ud83d\ude00"}})", 0, "\xF0\x9F\x98\x80"},
      {"half", R"({"jsonrpc":"2.0","id":1,"result":{"t":"a\ud83d"}})", 1, "a\xEF\xBF\xBD"},
      {"two halves", R"({"jsonrpc":"2.0","id":1,"result":{"t":"\ude00\ud83d"}})", 2,
       "\xEF\xBF\xBD\xEF\xBF\xBD"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Receipt receipt = read(c.text, kResponseLimits, NullMembers::refuse);
    ASSERT_TRUE(receipt.has_value()) << receipt.error().error.detail;
    EXPECT_EQ(receipt->mended.surrogates, c.surrogates);
    EXPECT_EQ(receipt->message.result.find("t").text(), c.want);
  }
}

TEST_F(ReceivedMessageTest, OfAClientIsNotMendedSo) {
  const Receipt receipt =
      read(R"({"jsonrpc":"2.0","id":1,"method":"a\ud83d"})", {}, NullMembers::remove);
  ASSERT_FALSE(receipt.has_value());
  EXPECT_EQ(receipt.error().error.code, ErrorCode::json_encoding);
  EXPECT_EQ(receipt.error().error.detail, "a lone surrogate, which is half a character");
}

TEST_F(ReceivedMessageTest, OfAClientIsReadWithoutWhatSaysNothing) {
  constexpr std::string_view kText = R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
                                     R"("params":{"name":"t","arguments":[],"_meta":null}})";
  const Receipt mended = read(kText, {}, NullMembers::remove);
  ASSERT_TRUE(mended.has_value()) << mended.error().error.detail;
  EXPECT_EQ(mended->mended.nulls, 1U);
  EXPECT_EQ(mended->mended.empty_lists, 1U);
  EXPECT_EQ(mended->bytes.view(),
            R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}})");
  EXPECT_FALSE(mended->message.arguments);

  const Receipt refused = read(kText, {}, NullMembers::refuse);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().error.detail, "params.arguments is not an object");
}

TEST_F(ReceivedMessageTest, OfABatchIsMendedElementByElement) {
  const Receipt batch =
      read(R"([{"jsonrpc":"2.0","id":1,"method":"ping","params":null}])", {}, NullMembers::remove);
  ASSERT_TRUE(batch.has_value() && batch->is_batch());
  const Receipt element =
      receive_element(loop_, *batch->document->root().begin(), NullMembers::remove);
  ASSERT_TRUE(element.has_value());
  EXPECT_EQ(element->mended.nulls, 1U);
  EXPECT_EQ(element->bytes.view(), R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
}

}  // namespace
}  // namespace bartizan
