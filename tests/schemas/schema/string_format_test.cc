#include "schemas/schema/string_format.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace bartizan {
namespace {

using namespace std::string_literals;

/// `is_not` begins with what has nothing to do with the format and ends with what almost has it.
struct Row {
  std::string name;
  std::vector<std::string> is, is_not;
};

std::vector<Row> date_rows() {
  return {
      {"date",
       {"2026-11-22", "0000-01-01", "9999-12-31", "2024-02-29", "2000-02-29", "1600-02-29"},
       {"",
        "today",
        "22.11.2026",
        "2026-326",
        "2026-W47-7",
        "20261122",
        "2026-11-22T00:00:00Z",
        "2026-13-01",
        "2026-00-10",
        "2026-01-00",
        "2026-04-31",
        "2026-01-32",
        "2023-02-29",
        "1900-02-29",
        "2100-02-29",
        "2026-1-02",
        "2026-01-2",
        "26-01-02",
        "12026-01-02",
        "-2026-01-02",
        "+2026-01-02",
        " 2026-01-02",
        "2026-01-02 ",
        "2026-01-02\n",
        "2026/01/02",
        "2026-01-0২",
        "২026-01-02",
        "2026-01-02\0"s}},
      {"time",
       {"00:00:00Z", "23:59:59z", "12:34:56.7+01:00", "12:34:56.123456789123456789-23:59",
        "08:30:06-00:00", "23:59:60Z", "23:59:60.999z", "15:59:60-08:00", "00:59:60+01:00",
        "23:29:60+23:30", "01:29:60+01:30", "22:29:60-01:30", "00:29:60+00:30"},
       {"",
        "noon",
        "12:34:56",
        "12:34Z",
        "123456Z",
        "24:00:00Z",
        "23:60:00Z",
        "23:59:61Z",
        "22:59:60Z",
        "23:58:60Z",
        "23:59:60+01:00",
        "23:59:60-00:30",
        "15:59:60+08:00",
        "1:02:03Z",
        "01:2:03Z",
        "01:02:3Z",
        "01:02:03+1:00",
        "01:02:03+01:0",
        "01:02:03+0100",
        "01:02:03+01",
        "01:02:03+24:00",
        "01:02:03+00:60",
        "01:02:03.Z",
        "01:02:03,5Z",
        "01:02:03 Z",
        "01:02:03Z+00:00",
        "01:02:03ZZ",
        "-01:02:03Z",
        "01:02:0১Z",
        "01:02:03\u221201:00",
        "01:02:03+0০:00",
        "01:02:03Z\n"}},
      {"date-time",
       {"1985-04-12T23:20:50.52Z", "1996-12-19T16:39:57-08:00", "1990-12-31T23:59:60Z",
        "1990-12-31T15:59:60-08:00", "1998-12-31T23:59:60.123z", "2026-11-22t01:02:03z",
        "2000-02-29T00:00:00+00:00"},
       {"",
        "2026-11-22",
        "01:02:03Z",
        "2026-11-22 01:02:03Z",
        "2026-11-22T01:02:03",
        "2026-11-22T01:02Z",
        "2026-11-22T",
        "2026-11-22TT01:02:03Z",
        "2026-11-22_01:02:03Z",
        "2026-02-30T01:02:03Z",
        "1900-02-29T00:00:00Z",
        "2026-11-22T24:00:00Z",
        "1990-12-31T23:59:61Z",
        "1990-12-31T22:59:60Z",
        "1990-12-31T23:59:59+24:00",
        "2013-350T01:01:01Z",
        "1963-06-1৪T00:00:00Z",
        "1963-06-11T0৪:00:00Z",
        "+11963-06-19T08:30:06Z",
        "06/19/1963 08:30:06 PST",
        "2026-11-22T01:02:03ZT"}},
  };
}

std::vector<Row> address_rows() {
  const std::string label(63, 'a');
  const std::string name = label + "." + label + "." + label + "." + std::string(61, 'a');
  return {
      {"email",
       {"joe.bloggs@example.com", "te~st@example.com", "~test@example.com", "test~@example.com",
        "te.s.t@example.com", "a@b", "!#$%&'*+-/=?^_`{|}~@example.com",
        "\"joe bloggs\"@example.com", "\"joe..bloggs\"@example.com", "\"joe@bloggs\"@example.com",
        "\"\"@example.com", "\"a\\\"b\\ c\"@example.com", "joe@[127.0.0.1]", "joe@[IPv6:::1]",
        "joe@[ipv6:2001:db8::1]", "joe@xn--bcher-kva.example"},
       {"",
        "2962",
        "@",
        "joe",
        "@example.com",
        "joe@",
        ".test@example.com",
        "test.@example.com",
        "te..st@example.com",
        "joe bloggs@example.com",
        "joe@@example.com",
        "joe@a@example.com",
        "joe@example..com",
        "joe@-example.com",
        "joe@example.com.",
        "joe@under_score.com",
        "joe@example.com\n",
        "jöe@example.com",
        "joe@exämple.com",
        "\"joe@example.com",
        "\"joe\"bloggs@example.com",
        "\"joe\n\"@example.com",
        "\"jo\"e\"@example.com",
        "\"joe\\",
        "joe@[127.0.0.300]",
        "joe@[127.0.0.1",
        "joe@127.0.0.1]",
        "joe@[::1]",
        "joe@[IPv6:::g]",
        "joe@[IPv6:fe80::1%eth0]",
        "joe@[]",
        "joe@[",
        "<joe@example.com>",
        "joe@invalid=domain.com",
        "joe@example.com, ann@example.com"}},
      {"hostname",
       {"www.example.com", "localhost", "a", "1", "1host", "host1", "a-b", "a--b", "3com.com",
        "1.2.3.4", "EXAMPLE.Com", label, name, "xn--4gbwdl.xn--wgbh1c", "XN--4gbwdl.com",
        "xn--bcher-kva.example", "xn--ll-0ea", "xn--zca"},
       {"", ".", "..", ".example", "example.", "a..b", "-a", "a-", "a.-b", "a-.b", "_a", "a_b",
        "a b", " a", "a\n", "a/b", "a:80", "[::1]", "exämple", "例え.テスト", "a\u3002b",
        "a\uff0eb", label + "a", "b." + label + "a", name + "a", "xn--", "xn--X", "xn--a",
        "xn--abc-", "xn--9krT00a-", "xn--a-.com",
        // Middle dots without their letters, a joiner, Arabic and Hangul signs, a repeat, a heart.
        "xn--al-0ea", "xn--ala-mga", "xn--abcd-8ha", "xn--a-hju", "xn--ab-m1t", "xn--a-eoc",
        "xn--a-r6t", "xn--ab-t53a", "xn--07jt112bpxg", "xn--g6h", "a\0b"s}},
      {"ipv4",
       {"192.168.0.1", "0.0.0.0", "255.255.255.255"},
       {"",         "localhost", "1",          "2130706433", "0x7f000001", "127.0.0.0.1",
        "127.0",    "256.0.0.1", "1.2.3.04",   "01.2.3.4",   "1.2.3.0x4",  "1.2.3.",
        ".1.2.3",   "1..2.3",    "1.2.3.4/24", " 1.2.3.4",   "1.2.3.4 ",   "1.2.3.4\n",
        "1.2.3.-4", "+1.2.3.4",  "1২7.0.0.1",  "::1",        "1.2.3.4\0"s, "1.2.3.4\0.5"s}},
      {"ipv6",
       {"::", "::1", "1::", "::abef", "1:2:3:4:5:6:7:8", "2001:DB8::Abcd", "::ffff:192.168.0.1",
        "1:2::192.168.0.1", "1::d6:192.168.0.1", "1000:1000:1000:1000:1000:1000:255.255.255.255",
        "1:d4:2:0:0:0:0:8"},
       {"",
        "localhost",
        ":",
        ":::",
        "12345::",
        "1:1:1:1:1:1:1:1:1:1",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:",
        ":2:3:4:5:6:7:8",
        ":1::2",
        "1::2:",
        "1::d6::42",
        "::1::",
        "::laptop",
        "g::1",
        "-1::",
        "127.0.0.1",
        "1:2:3:4:1.2.3",
        "::1.2.3.256",
        "::ffff:1.2.3.04",
        "1.2.3.4::",
        "1.2.3.4:1.2.3.4::1",
        "::1.2.3.4:5",
        "1:2:3:4:5:6:7:1.2.3.4",
        "100:100:100:100:100:100:255.255.255.255.255",
        "::1/64",
        "fe80::1%eth0",
        "fe80::a%1",
        "[::1]",
        "  ::1",
        "::1  ",
        "1:2:3:4:5:6:7:৪",
        "1:2::192.16৪.0.1",
        "::1\0"s,
        "::\0001"s}},
  };
}

std::vector<Row> other_rows() {
  return {
      {"uri",
       {"http://foo.bar/?baz=qux#quux",
        "http://a:b@c:80/d;e?f=%20#g",
        "urn:uuid:x",
        "a:",
        "a:b",
        "file:///etc/hosts",
        "mailto:a@b",
        "tel:+1-816-555-1212",
        "ldap://[2001:db8::7]/c=GB?o?o",
        "http://223.255.255.254",
        "http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com",
        "http://xn--nw2a.xn--j6w193g/",
        "data:,x",
        "http://1.2.3.4.5/",
        "http://1.2.3.4a:80?b",
        "http://a:/",
        "http://[::1]:80",
        "http:///a",
        "x:#",
        "x:",
        "x:?",
        "http://[v1.a]/"},
       {"",
        "/a",
        "//foo.bar/?baz",
        "a",
        "?a",
        "#a",
        "1a:b",
        ":a",
        "://a",
        "http://a b",
        "http:// shouldfail.com",
        ":// should fail",
        "bar,baz:foo",
        "http://a/b c",
        "http://a/<b>",
        "http://a/{b}",
        "http://a/b|c",
        "http://a/b\\c",
        "http://a/^",
        "http://a/`",
        "http://a/\"",
        "http://a/%",
        "http://a/%2",
        "http://a/%zz",
        "http://[::1",
        "http://[::g]/",
        "http://a:8a/",
        "http://a:x",
        "http://a:80:80/",
        "http://a@b@c/",
        "http://[::1]x/",
        "http://1.2.3.4:80.5/",
        "http://u@1.2.3.4a@b/",
        "http://1.2.3.4a:b/",
        "http://ex\u00e4mple/",
        "http://a/\u00e9",
        "http://a/#a#b",
        "http://a/\n",
        "\\\\WINDOWS\\fileshare",
        "https://[@example.org/test.txt"}},
      {"uri-reference",
       {"", "/abc", "//foo.bar/?baz=qux#quux", "abc", "?a=b", "#fragment", "../a", "./a:b",
        "http://foo.bar/"},
       {"\\\\WINDOWS\\fileshare", "#frag\\ment", "1a:b", ":a", "a b", "/a%", "/\u00e9", "a{b}",
        "//[::g]/", "//a:b/", "#a#b", "a\nb"}},
      {"uuid",
       {"2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380",
        "2eb8aa08-AA98-11ea-B4Aa-73B441D16380", "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff", "98d80576-482e-f27f-8434-7f86890ab222"},
       {"", "uuid", "2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-73b441d16380",
        "2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08-aa98-11ea-b4aa-73b441d163800",
        "2eb8aa08-aa98-11ea-b4ga-73b441d16380", "2eb8-aa08-aa98-11ea-b4aa73b44-1d16380",
        "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}", "urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380",
        "2eb8aa08-aa98-11ea-b4aa-73b441d16380\n", "2eb8aa08-aa98-11ea-b4aa-73b441d1638০",
        "2eb8aa08\u2010aa98-11ea-b4aa-73b441d16380"}},
      {"regex",
       {"", "a|b", "^\\S(|(.|\\n)*\\S)$", "([abc])+\\s+$", "(?=a)", "(?<!a)b", "(a)\\1",
        "(?<n>a)\\k<n>", "\\p{L}", "[\\-\\]]", "\\/", "\\u{1F600}", "\\ud83d", "a{2}?", "[^]",
        "a{1001}", "(?:a{1,1000}){1,1000}", "é"},
       {"^(abc]",
        "(",
        ")",
        "a)",
        "[",
        "[b-a]",
        "*",
        "a**",
        "a{2,1}",
        "^*",
        "\\",
        "\\Z",
        "\\A",
        "\\a",
        "\\-",
        "\\_",
        "a{",
        "}",
        "]",
        "[\\w-x]",
        "\\1",
        "\\k<n>",
        "(?<n>a)\\k<m>",
        "\\u12",
        "\\p{Letters}",
        "\\p{letter}",
        "(?P<n>a)",
        "(?i)a",
        "(?=a)*",
        "(?<n>a)(?<n>b)",
        "\\01",
        "\\c1",
        "\\x1"}},
  };
}

void expect_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const auto format = find_string_format(row.name);
    ASSERT_TRUE(format.has_value()) << row.name;
    EXPECT_FALSE(description(*format).empty());
    for (const std::string& text : row.is)
      EXPECT_TRUE(has_format(text, *format)) << row.name << " \"" << text << "\"";
    for (const std::string& text : row.is_not)
      EXPECT_FALSE(has_format(text, *format)) << row.name << " \"" << text << "\"";
  }
}

TEST(StringFormatTest, KnowsDatesAndTimes) {
  expect_rows(date_rows());
}

TEST(StringFormatTest, KnowsAddresses) {
  expect_rows(address_rows());
}

TEST(StringFormatTest, KnowsIdentifiersAndPatterns) {
  expect_rows(other_rows());
}

TEST(StringFormatTest, FindsFormatsByTheirExactName) {
  EXPECT_EQ(find_string_format("date-time"), StringFormat::date_time);
  EXPECT_EQ(find_string_format("uri-reference"), StringFormat::uri_reference);
  for (const char* name : {"", "Date", "date_time", "idn-email", "duration", "iri", "uri "})
    EXPECT_EQ(find_string_format(name), std::nullopt) << name;
  EXPECT_EQ(description(StringFormat::date_time), "a date and time (RFC 3339)");
  EXPECT_EQ(description(StringFormat::regex), "a regular expression (ECMA-262)");
}

/// Every text of the rows, held against every format: whatever it is, none reads beyond its end.
TEST(StringFormatTest, SurvivesEveryTextCutAnywhere) {
  for (const auto& rows : {date_rows(), address_rows(), other_rows()}) {
    for (const Row& row : rows) {
      const StringFormat format = *find_string_format(row.name);
      for (const std::string& text : row.is) {
        for (std::size_t size = 0; size < text.size(); ++size)
          has_format(std::string(text, 0, size), format);
      }
    }
  }
}

}  // namespace
}  // namespace bartizan
