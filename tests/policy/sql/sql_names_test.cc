#include "policy/sql/sql_names.h"

#include <gtest/gtest.h>

#include <string>

#include "policy/sql/sql_functions.h"

namespace bartizan {
namespace {

SqlName name(std::string_view text, SqlDialect dialect) {
  return read_sql_name(text, dialect).value();
}

bool allows(std::string_view pattern, std::string_view text, SqlDialect dialect,
            SqlNameKind kind = SqlNameKind::table) {
  return SqlNamePattern::read(pattern)->allows(name(text, dialect), kind, dialect);
}

TEST(SqlName, HasTheTextThatIsMeant) {
  const struct {
    std::string_view text, want;
    SqlDialect dialect;
  } cases[] = {
      {"Users", "users", SqlDialect::postgres},
      {"\"Users\"", "Users", SqlDialect::postgres},
      {"\"a\"\"b\"", "a\"b", SqlDialect::postgres},
      {"Users", "Users", SqlDialect::sqlite},
      {"[a b]", "a b", SqlDialect::sqlite},
      {"[a\"\"b]", "a\"\"b", SqlDialect::sqlite},
      {"`a``b`", "a`b", SqlDialect::mysql},
      {"`a\"\"b`", "a\"\"b", SqlDialect::mysql},
      {"@@version", "@@version", SqlDialect::mysql},
      {"b\u00fccher", "b\u00fccher", SqlDialect::ansi},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(name(c.text, c.dialect).last().text(), c.want);
  }
  const SqlName parts = name("a /* . */ . \"b.c\".d", SqlDialect::postgres);
  ASSERT_EQ(parts.size, 3U);
  EXPECT_EQ(parts.part(1).text(), "b.c");
  EXPECT_FALSE(read_sql_name("a.b.c.d", SqlDialect::postgres));
}

TEST(SqlName, IsNoLongerThanTheDatabaseKeeps) {
  const std::string most(63, 'a');
  EXPECT_TRUE(read_sql_name(most, SqlDialect::postgres));
  EXPECT_FALSE(read_sql_name(most + "a", SqlDialect::postgres));
  EXPECT_FALSE(read_sql_name("\"" + most + "a\"", SqlDialect::postgres));
  EXPECT_TRUE(read_sql_name(most + "a", SqlDialect::sqlite));
  const std::string all(limits::sql_name_bytes_max, 'a');
  EXPECT_TRUE(read_sql_name(all, SqlDialect::sqlite));
  EXPECT_FALSE(read_sql_name(all + "a", SqlDialect::sqlite));
}

TEST(SqlNamePattern, AllowsAsTheDialectFolds) {
  const struct {
    std::string_view pattern, text;
    bool ansi, mysql, postgres, sqlite;
  } cases[] = {
      {"users", "users", true, true, true, true},
      {"users", "USERS", true, false, true, true},
      {"users", "\"users\"", true, false, true, true},
      {"users", "\"USERS\"", false, false, false, true},
      {"Users", "users", true, false, false, true},
      {"Users", "\"Users\"", true, false, true, true},
      {"users", "usersx", false, false, false, false},
      {"users", "public.users", false, false, false, false},
      {"public.users", "users", false, false, false, false},
      {"public.users", "Public.Users", true, false, true, true},
      {"public.*", "public.users", true, true, true, true},
      {"public.*", "secret.users", false, false, false, false},
      {"*", "users", true, true, true, true},
      {"*", "public.users", false, false, false, false},
      {"**", "a.b.c", true, true, true, true},
      {"tmp_*", "tmp_a", true, true, true, true},
      {"tmp_*", "tmp", false, false, false, false},
      {"a*b", "\"a*b\"", true, false, true, true},
      {"a", "\"a/b\"", false, false, false, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.pattern) + " " + std::string(c.text));
    EXPECT_EQ(allows(c.pattern, c.text, SqlDialect::ansi), c.ansi);
    // There double quotes make a string.
    if (!c.text.contains('"')) {
      EXPECT_EQ(allows(c.pattern, c.text, SqlDialect::mysql), c.mysql);
    }
    EXPECT_EQ(allows(c.pattern, c.text, SqlDialect::postgres), c.postgres);
    EXPECT_EQ(allows(c.pattern, c.text, SqlDialect::sqlite), c.sqlite);
  }
  EXPECT_TRUE(allows("Count", "COUNT", SqlDialect::mysql, SqlNameKind::function));
  EXPECT_TRUE(allows("Count", "\"COUNT\"", SqlDialect::ansi, SqlNameKind::function));
  EXPECT_FALSE(allows("Count", "COUNT", SqlDialect::postgres, SqlNameKind::function));
}

TEST(SqlNamePattern, MayMeanEverySpelling) {
  const struct {
    std::string_view pattern, text;
    bool want;
  } cases[] = {
      {"secrets", "secrets", true},
      {"secrets", "SECRETS", true},
      {"secrets", "\"Secrets\"", true},
      {"secrets", "public.secrets", true},
      {"secrets", "db.public.\"SECRETS\"", true},
      {"public.secrets", "secrets", true},
      {"public.secrets", "db.public.secrets", true},
      {"public.secrets", "other.secrets", false},
      {"secrets", "secrets.users", false},
      {"secret*", "Secret_1", true},
      {"secrets", "secret", false},
      {"**", "anything.at.all", true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.pattern) + " " + std::string(c.text));
    EXPECT_EQ(SqlNamePattern::read(c.pattern)->may_mean(name(c.text, SqlDialect::postgres)),
              c.want);
  }
}

TEST(SqlNamePattern, KnowsWhetherItNamesOneThing) {
  EXPECT_TRUE(SqlNamePattern::read("a.b")->is_literal());
  for (const std::string_view text : {"*", "a.*", "a*.b", "**"})
    EXPECT_FALSE(SqlNamePattern::read(text)->is_literal()) << text;
  for (const std::string_view text : {"", ".", "a.", ".a", "a.b.c.d", "a.**", "***", "a/b"})
    EXPECT_FALSE(SqlNamePattern::read(text)) << text;
}

TEST(SqlFunctions, ArePlainOrRiskyByName) {
  const auto plain = [](std::string_view text) {
    return is_plain_function(name(text, SqlDialect::postgres));
  };
  const auto risky = [](std::string_view text) {
    return is_risky_function(name(text, SqlDialect::mysql), SqlDialect::mysql);
  };
  for (const std::string_view text : {"count", "COUNT", "\"count\"", "date_trunc", "row_number",
                                      "version", "unnest", "jsonb_array_elements_text", "json_tree",
                                      "regexp_replace", "to_jsonb", "current_database", "random"})
    EXPECT_TRUE(plain(text)) << text;
  for (const std::string_view text : {"\"COUNT\"", "public.count", "pg_sleep", "repeat", "my_own"})
    EXPECT_FALSE(plain(text)) << text;
  for (const std::string_view text : {"pg_read_file",
                                      "PG_SLEEP",
                                      "pg_catalog.pg_sleep",
                                      "lo_export",
                                      "dblink_exec",
                                      "load_file",
                                      "load_extension",
                                      "readfile",
                                      "sleep",
                                      "benchmark",
                                      "xp_cmdshell",
                                      "query_to_xml",
                                      "set_config",
                                      "nextval",
                                      "@@version",
                                      "@@global.version",
                                      "`sleep`",
                                      "dbms_xmlgen.getxml",
                                      "utl_http.request",
                                      "sys.utl_inaddr.get_host_name",
                                      "aws_s3.query_export_to_s3",
                                      "aws_lambda.invoke",
                                      "table_to_xml_and_xmlschema",
                                      "schema_to_xml_and_xmlschema",
                                      "database_to_xmlschema",
                                      "cursor_to_xml",
                                      "get_raw_page",
                                      "xpath_table",
                                      "lowrite",
                                      "loread",
                                      "dblink",
                                      "getenv",
                                      "read_text",
                                      "read_csv_auto",
                                      "read_parquet",
                                      "read_json",
                                      "query",
                                      "query_table",
                                      "glob"}) {
    EXPECT_TRUE(risky(text)) << text;
  }
  for (const std::string_view text : {"count", "my_own", "asleep", "pg_catalog.count", "a.count"})
    EXPECT_FALSE(risky(text)) << text;
  EXPECT_FALSE(is_risky_function(name("glob", SqlDialect::sqlite), SqlDialect::sqlite));
}

TEST(SqlFunctions, HaveTablesThatAreRisky) {
  const auto risky = [](std::string_view text) {
    return is_risky_table(name(text, SqlDialect::sqlite), SqlDialect::sqlite);
  };
  for (const std::string_view text :
       {"fsdir", "main.fsdir", "\"FsDir\"", "lsdir", "zipfile", "csv", "dbstat", "bytecode",
        "completion", "generate_series", "pragma_table_info", "sqlite_dbpage", "curl"}) {
    EXPECT_TRUE(risky(text)) << text;
  }
  for (const std::string_view text : {"users", "file_uploads", "pg_class", "sqlite_master", "glob"})
    EXPECT_FALSE(risky(text)) << text;
}

}  // namespace
}  // namespace bartizan
