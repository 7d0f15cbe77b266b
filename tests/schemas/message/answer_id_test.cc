#include "schemas/message/answer_id.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bartizan {
namespace {

TEST(AnswerId, IsFoundInWhatNobodyCanRead) {
  const std::string deep = std::string(10'000, '[') + std::string(10'000, ']');
  const struct {
    std::string text;
    std::string_view id;
  } rows[] = {
      {R"({"jsonrpc":"2.0","id":7,"result":{}})", "7"},
      {R"({"result":)" + deep + R"(,"id" : 12})", "12"},
      {R"({"id":3,"result":)" + deep, "3"},
      {R"({"id":3,"result":{"id":4,"a":["id",{"id":5}]}})", "3"},
      {R"({"result":"\"id\":9,","id":3})", "3"},
      {R"({"a":"id","b":1})", ""},
      {R"({"result":{"id":4}})", ""},
      {R"({"id":3,"method":"ping"})", ""},
      {R"({"id":3,"id":4,"result":{}})", ""},
      {R"({"id":"3","result":{}})", ""},
      {R"({"id":null,"error":{}})", ""},
      {R"([{"id":3}])", ""},
      {R"(["a","id":5)", ""},
      {R"({"id":1.5})", ""},
      {R"({"id":1e2})", ""},
      {R"({"id":12abc)", ""},
      {R"({"id":007})", ""},
      {R"({"id":0})", "0"},
      {"{\"id\"\n:\r\n 8\n", "8"},
      {R"({"id":8)", "8"},
      {R"({}{"id":4)", ""},
      {R"({"id":4}{"a":1})", ""},
      {R"({"\u0069d":9,"id":7})", ""},
      {R"({"m\u0065thod":"x","id":7})", ""},
      {R"(}{"id":3})", ""},
      {R"({"id)", ""},
      {R"({"id":)", ""},
      {R"("\)", ""},
      {"", ""},
  };
  for (const auto& row : rows)
    EXPECT_EQ(find_answer_id(row.text), row.id) << row.text.substr(0, 60);
}

}  // namespace
}  // namespace bartizan
