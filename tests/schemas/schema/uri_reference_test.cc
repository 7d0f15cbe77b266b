#include "schemas/schema/uri_reference.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bartizan {
namespace {

/// RFC 3986 §5.4: what references mean where the base is this.
constexpr std::string_view kBase = "http://a/b/c/d;p?q";

std::string resolved(std::string_view base, std::string_view reference) {
  const auto found = resolve_uri(base, reference);
  if (!found.has_value()) return "nothing";
  return found->fragment.empty() ? found->uri : found->uri + " " + found->fragment;
}

TEST(UriReference, IsResolvedAsTheStandardHasIt) {
  const struct {
    std::string_view reference, uri;
  } rows[] = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q s"},
      {"g#s", "http://a/b/c/g s"},
      {"g?y#s", "http://a/b/c/g?y s"},
      {";x", "http://a/b/c/;x"},
      {"g;x?y#s", "http://a/b/c/g;x?y s"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"../../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {".g", "http://a/b/c/.g"},
      {"g..", "http://a/b/c/g.."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"./g/.", "http://a/b/c/g/"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
      {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
      {"g;x=1/../y", "http://a/b/c/y"},
      {"g?y/./x", "http://a/b/c/g?y/./x"},
      {"g?y/../x", "http://a/b/c/g?y/../x"},
      {"g#s/./x", "http://a/b/c/g s/./x"},
      {"g#s/../x", "http://a/b/c/g s/../x"},
      {"http:g", "http:g"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(resolved(kBase, row.reference), row.uri) << row.reference;
}

TEST(UriReference, HasOneSpelling) {
  const struct {
    std::string_view base, reference, uri;
  } rows[] = {
      {"HTTP://User@EXAMPLE.com/%7ea/%2F", "b", "http://User@example.com/~a/b"},
      {"http://a", "b", "http://a/b"},
      {"http://a", "%2e%2E/b?%41%3f", "http://a/b?A%3F"},
      {"http://%41%c3/", "", "http://a%C3/"},
      {"a:/x", "/.//b", "a:/.//b"},
      {"urn:a:b", "c", "urn:c"},
      {"urn:a:b", "#%2Fx%20y", "urn:a:b /x y"},
      {"bartizan:/schema", "x.json#/a", "bartizan:/x.json /a"},
      {"x:", "#", "x:"},
      {"a:b", "x:#", "x:"},
      {"a:b", "x:?#f", "x:? f"},
      {"/a", "b", "nothing"},
      {"a:b", "1a:b", "nothing"},
      {"a:b", "\xc3\xa9", "nothing"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(resolved(row.base, row.reference), row.uri) << row.base << " and " << row.reference;
  EXPECT_EQ(resolved("a:b", std::string(1024, 'c')), "nothing");
  EXPECT_EQ(resolved("a:", std::string(1022, 'c')), "a:" + std::string(1022, 'c'));
}

TEST(UriReference, MayHaveAddressesToCome) {
  for (const std::string_view text : {"//[v1.a]", "//[vF.a:b]:80", "//u@[V0.!]"})
    EXPECT_TRUE(is_uri_reference(text)) << text;
  for (const std::string_view text : {"//[v.a]", "//[v1.]", "//[v1]", "//[vg.a]", "//[v1.a/b]",
                                      "//[v1.%41]", "//[v1.a]b", "//[]", "//["})
    EXPECT_FALSE(is_uri_reference(text)) << text;
}

}  // namespace
}  // namespace bartizan
