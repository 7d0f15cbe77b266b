#include "gateway/call/discovery.h"

#include <gtest/gtest.h>

#include <string_view>

#include "schemas/base/bytes.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

TEST(FitOf, PutsWhatTheWordsSayFirst) {
  constexpr FoundTool send{.name = "shop_send_invoice",
                           .title = "Send",
                           .description = "Sends an invoice to a customer."};
  constexpr FoundTool invoices{
      .name = "shop_list_invoices", .title = "", .description = "Lists what was billed."};
  constexpr FoundTool weather{
      .name = "weather", .title = "", .description = "Says the weather; no invoice at all."};
  const struct {
    std::string_view name;
    std::string_view words;
    FoundTool better, worse;
  } rows[] = {
      {"a word of the name before a part of one", "invoice", send, invoices},
      {"a part of the name before the description", "invoice", invoices, weather},
      {"more of the words", "weather invoice", weather, send},
      {"letter case and punctuation", "INVOICE, send!", send, invoices},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_GT(fit_of(row.better, row.words), fit_of(row.worse, row.words));
  }
  EXPECT_EQ(fit_of(send, "unrelated"), 0U);
  EXPECT_EQ(fit_of(send, "\xff\xfe"), 0U) << "no UTF-8";
  EXPECT_GT(fit_of(send, ""), 0U) << "no words are those of any";
  EXPECT_GT(fit_of(send, "--- ,,,"), 0U);
}

TEST(SearchToolDefinitions, AreThreeDefinitions) {
  const Bytes bytes{"[" + std::string(search_tool_definitions()) + "]"};
  JsonDocument document;
  const Result<JsonValue> list = document.read(bytes, kResponseLimits);
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->size(), 3U);
  for (const JsonValue tool : *list) {
    EXPECT_TRUE(tool.find("inputSchema").find("additionalProperties").is(JsonType::boolean));
    EXPECT_TRUE(tool.find("description").is(JsonType::string));
  }
}

}  // namespace
}  // namespace bartizan
