#include "gateway/runtime/log.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace bartizan {
namespace {

TEST(LogLine, HasOneMessageAndTypedFields) {
  const struct {
    const char* name;
    std::vector<LogField> fields;
    const char* line;
  } rows[] = {
      {"no field", {}, R"("msg":"ready")"},
      {"a text", {{"server", "files"}}, R"("msg":"ready","server":"files")"},
      {"a number", {{"calls", 3}}, R"("msg":"ready","calls":3)"},
      {"a number that is a text", {{"id", std::string("3")}}, R"("msg":"ready","id":"3")"},
      {"the largest number",
       {{"bytes", std::numeric_limits<std::uint64_t>::max()}},
       R"("msg":"ready","bytes":18446744073709551615)"},
      {"a number below zero", {{"left", -1}}, R"("msg":"ready","left":-1)"},
      {"what would end the text", {{"detail", "a\"b\n"}}, R"("msg":"ready","detail":"a\"b\n")"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(log_line("ready", row.fields), row.line) << row.name;
}

}  // namespace
}  // namespace bartizan
