#include "gateway/worker/followed.h"

#include <gtest/gtest.h>

namespace bartizan {
namespace {

TEST(Followed, TellsInWhichFormAClientExpectsAnUpdate) {
  const Followed followed{
      {{"a", "memo://one"}, UriForm::named},     {{"a", "memo://two"}, UriForm::bare},
      {{"a", "memo://folder/"}, UriForm::named}, {{"a", "memo://folder/own"}, UriForm::bare},
      {{"b", "memo://three"}, UriForm::named},
  };
  const struct {
    std::string_view name;
    std::string_view server;
    std::string_view uri;
    std::optional<UriForm> form;
  } cases[] = {
      {"itself", "a", "memo://one", UriForm::named},
      {"itself, bare", "a", "memo://two", UriForm::bare},
      {"a part", "a", "memo://one/part", UriForm::named},
      {"below a folder", "a", "memo://folder/x", UriForm::named},
      {"below a folder, with a form of its own", "a", "memo://folder/own", UriForm::bare},
      {"a longer name is not a part", "a", "memo://one-more", std::nullopt},
      {"the whole of which it follows a part", "a", "memo://", std::nullopt},
      {"another server's", "b", "memo://one", std::nullopt},
      {"the same server's in another case", "A", "memo://one", std::nullopt},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(followed_as(followed, c.server, c.uri), c.form);
  }
}

TEST(Followed, WritesTheForm) {
  EXPECT_EQ(in_form(UriForm::bare, "a", "memo://one"), "memo://one");
  EXPECT_EQ(in_form(UriForm::named, "a", "memo://one"), "bartizan://a/memo://one");
}

}  // namespace
}  // namespace bartizan
