#include "schemas/message/splice.h"

#include <gtest/gtest.h>

namespace bartizan {
namespace {

constexpr std::string_view kBytes = R"({"id": 1, "params":{"name" :"fs_read"}})";
const Splice kId{SpliceKind::request_id, {7, 8}, R"("b-17")"};
const Splice kName{SpliceKind::tool_name, {28, 37}, R"("read")"};

TEST(Splice, ReplacesRangesOnly) {
  const struct {
    std::string_view name;
    std::vector<Splice> splices;
    std::string_view want;
  } cases[] = {
      {"none", {}, kBytes},
      {"one", {kName}, R"({"id": 1, "params":{"name" :"read"}})"},
      {"two", {kId, kName}, R"({"id": "b-17", "params":{"name" :"read"}})"},
      {"two in the wrong order", {kName, kId}, R"({"id": "b-17", "params":{"name" :"read"}})"},
      {"everything", {{SpliceKind::progress_token, {0, kBytes.size()}, "0"}}, "0"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    std::vector<Splice> splices = c.splices;
    sort_splices(splices);
    std::string out = "head:";
    append_spliced(out, kBytes, splices);
    EXPECT_EQ(out, "head:" + std::string(c.want));
    EXPECT_EQ(splice_in_place(std::string(kBytes), splices), c.want);
    EXPECT_EQ(spliced_size(kBytes, splices), c.want.size());
  }
}

}  // namespace
}  // namespace bartizan
