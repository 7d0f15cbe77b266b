#include "policy/shell/shell_line.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "schemas/base/limits.h"

namespace bartizan {
namespace {

std::string_view name(ShellFault fault) {
  switch (fault) {
    case ShellFault::too_long:
      return "too_long";
    case ShellFault::too_deep:
      return "too_deep";
    case ShellFault::bytes:
      return "bytes";
    case ShellFault::unclosed:
      return "unclosed";
    case ShellFault::function:
      return "function";
    case ShellFault::unknown:
      return "unknown";
  }
  return "";
}

std::string describe(const ShellWord& word) {
  return "[" + std::string(word.text) + (word.is_known ? "]" : "…]");
}

/// Commands with their words in brackets, `…` where something expands; variables in front as
/// `NAME=`, redirections behind as `>[target]`; a slash between commands; what else there is.
std::string read(std::string_view text) {
  std::pmr::monotonic_buffer_resource memory;
  const auto line = read_shell_line(text, memory);
  if (!line) return "fault " + std::string(name(line.error()));
  std::string told;
  for (const ShellCommand& command : line->commands) {
    if (!told.empty()) told += " / ";
    for (const ShellWord& variable : command.assignments)
      told += std::string(variable.text.substr(0, variable.name_size)) + "=";
    for (const ShellWord& word : command.words)
      told += describe(word);
    for (const ShellRedirection& redirection : command.redirections)
      told += (redirection.is_file ? ">" : "&") + describe(redirection.target);
  }
  const ShellSyntax& syntax = line->syntax;
  if (syntax.pipes) told += " pipes";
  if (syntax.sequences) told += " sequences";
  if (syntax.redirections) told += " redirections";
  if (syntax.substitution) told += " substitution";
  if (syntax.variables) told += " variables";
  if (syntax.globs) told += " globs";
  if (syntax.comments) told += " comments";
  if (syntax.dialect) told += " dialect";
  return told;
}

struct Row {
  std::string_view text, want;
};

template <std::size_t N>
void expect_rows(const Row (&rows)[N]) {
  for (const Row& row : rows)
    EXPECT_EQ(read(row.text), row.want) << row.text;
}

TEST(ReadShellLine, TakesQuotesOffWords) {
  const Row rows[] = {
      {"ls", "[ls]"},
      {"  ls \t -la  ", "[ls][-la]"},
      {"ls\n", "[ls]"},
      {"\n\nls\n\n", "[ls]"},
      {"r\"m\" 'a b' \"c d\"", "[rm][a b][c d]"},
      {"\\rm a\\ b", "[rm][a b]"},
      {"r''m", "[rm]"},
      {"'' \"\"", "[][]"},
      {"a'b'\"c\"\\d", "[abcd]"},
      {"\"a\\\"b\\$c\\`d\\\\e\\f\"", "[a\"b$c`d\\e\\f]"},
      {"'a\\b'", "[a\\b]"},
      {"'a\\\nb'", "[a\\\nb]"},
      {"'a\nb'", "[a\nb]"},
      {"echo $'a\\tb\\x41\\101\\u0041\\\\'", "[echo][a\tbAAA\\] dialect"},
      {"echo $\"a b\"", "[echo][a b] dialect"},
      {"echo 'price is $5; really'", "[echo][price is $5; really]"},
      {"grep -rn 'foo && bar' docs", "[grep][-rn][foo && bar][docs]"},
      {"echo a#b", "[echo][a#b]"},
      {"echo a$ $", "[echo][a$][$]"},
      {"echo %0A {} }{ a{b}c @{1}", "[echo][%0A][{}][}{][a{b}c][@{1}]"},
      {"echo ä😀", "[echo][ä😀]"},
      {"", ""},
      {" \n ", ""},
  };
  expect_rows(rows);
}

TEST(ReadShellLine, TellsWhatExpands) {
  const Row rows[] = {
      {"echo $A", "[echo][…] variables"},
      {"echo a$A", "[echo][a…] variables"},
      {"echo \"a ${A}b\"", "[echo][a …] variables"},
      {"echo ${A:-b} $? $1 $$ $@ $-", "[echo][…][…][…][…][…][…] variables"},
      {"echo '$A' \\$A", "[echo][$A][$A]"},
      {"r${IFS}m", "[r…] variables"},
      {"echo $((1 + (2 * 3)))", "[echo][…] variables"},
      {"ls *.md", "[ls][…] globs"},
      {"ls a? [ab]", "[ls][a…][…] globs"},
      {"ls '*' \\* \"?\"", "[ls][*][*][?]"},
      {"ls ~ ~/a a=~ a:~ a~", "[ls][…][…][a=…][a:…][a~] globs"},
      {"ls {a,b} {1..3}", "[ls][{a…][{1.…] globs"},
      {"echo $(id)", "[id] / [echo][…] substitution"},
      {"echo \"a$(id -u)b\"", "[id][-u] / [echo][a…] substitution"},
      {"echo `id`", "[id] / [echo][…] substitution"},
      {"echo \"`id`\"", "[id] / [echo][…] substitution"},
      {"echo `echo \\`id\\``", "[id] / [echo][…] / [echo][…] substitution"},
      {"$(echo rm) x", "[echo][rm] / […][x] substitution"},
      {"echo $(echo $(id))", "[id] / [echo][…] / [echo][…] substitution"},
      {"cat <(id) >(wc)", "[id] / [wc] / [cat][…][…] substitution"},
      {"echo $(ls; id)", "[ls] / [id] / [echo][…] sequences substitution"},
      {"echo $( (ls) )", "[ls] / [echo][…] sequences substitution"},
      {"echo '$(id)' \\`id\\`", "[echo][$(id)][`id`]"},
      {"echo $(echo ')')", "[echo][)] / [echo][…] substitution"},
  };
  expect_rows(rows);
}

TEST(ReadShellLine, TellsCommandsApart) {
  const Row rows[] = {
      {"ls | wc -l", "[ls] / [wc][-l] pipes"},
      {"ls|wc", "[ls] / [wc] pipes"},
      {"ls |& wc", "[ls] / [wc] pipes"},
      {"ls |\n wc", "[ls] / [wc] pipes"},
      {"ls; id", "[ls] / [id] sequences"},
      {"ls;", "[ls] sequences"},
      {"ls &", "[ls] sequences"},
      {"ls & id", "[ls] / [id] sequences"},
      {"ls && id || pwd", "[ls] / [id] / [pwd] sequences"},
      {"ls\nid", "[ls] / [id] sequences"},
      {"(ls; id)", "[ls] / [id] sequences"},
      {"{ ls; }", "[ls] sequences"},
      {"{ ls; } > f", "[ls] / >[f] sequences redirections"},
      {"ls # all", "[ls] comments"},
      {"# all", " comments"},
      {"A=1 B='x y' ls A=2", "A=B=[ls][A=2]"},
      {"A=1", "A="},
      {"A+=1 ls", "A=[ls]"},
      {"\"A\"=1 ls", "[A=1][ls]"},
      {"1A=1 ls", "[1A=1][ls]"},
      {"ls > f", "[ls]>[f] redirections"},
      {"ls >f 2>&1", "[ls]>[f]&[1] redirections"},
      {"ls 2>f", "[ls]>[f] redirections"},
      {"ls 2 >f", "[ls][2]>[f] redirections"},
      {"ls \\2>f", "[ls][2]>[f] redirections"},
      {">f ls", "[ls]>[f] redirections"},
      {"ls >> f < g <> h >| i", "[ls]>[f]>[g]>[h]>[i] redirections"},
      {"ls 2>&-", "[ls]&[-] redirections"},
      {"ls > $A", "[ls]>[…] redirections variables"},
      {"cat < <(id)", "[id] / [cat]>[…] redirections substitution"},
      {"wc <<< 'a b'", "[wc]&[a b] redirections"},
      {"cat <<E\na b\nE\n", "[cat]&[E] redirections"},
      {"cat <<'E'\n$(id) `id`\nE", "[cat]&[E] redirections"},
      {"cat <<-E\n\ta\n\tE\nls", "[cat]&[E] / [ls] sequences redirections"},
      {"cat <<E | wc\na\nE", "[cat]&[E] / [wc] pipes redirections"},
  };
  expect_rows(rows);
}

TEST(ReadShellLine, RefusesWhatItDoesNotUnderstand) {
  const Row rows[] = {
      {"'", "fault unclosed"},
      {"\"a", "fault unclosed"},
      {"a\\", "fault unclosed"},
      {"\"a\\", "fault unclosed"},
      {"echo `id", "fault unclosed"},
      {"echo `id\\`", "fault unclosed"},
      {"echo $(id", "fault unclosed"},
      {"echo ${A", "fault unclosed"},
      {"echo $((1", "fault unclosed"},
      {"(ls", "fault unclosed"},
      {"{ ls", "fault unclosed"},
      {"ls |", "fault unclosed"},
      {"ls &&", "fault unclosed"},
      {"ls >", "fault unclosed"},
      {"cat <<E", "fault unclosed"},
      {"cat <<E\na", "fault unclosed"},
      {"$'a", "fault unclosed"},
      {"; ls", "fault unknown"},
      {"| ls", "fault unknown"},
      {"& ls", "fault unknown"},
      {"ls ;; id", "fault unknown"},
      {"ls )", "fault unknown"},
      {"ls | | wc", "fault unknown"},
      {"()", "fault unknown"},
      {"echo $()", "fault unknown"},
      {"((1))", "fault unknown"},
      {"[[ a ]]", "[…][a][]]] globs"},
      {"! ls", "fault unknown"},
      {"if ls; then id; fi", "fault unknown"},
      {"for a in b; do ls; done", "fault unknown"},
      {"while ls; do id; done", "fault unknown"},
      {"case a in a) ls;; esac", "fault unknown"},
      {"A=(a b)", "fault unknown"},
      {"ls a (b)", "fault unknown"},
      {"ls !(a)", "fault unknown"},
      {"f() { ls; }", "fault function"},
      {"function f { ls; }", "fault function"},
      {":(){ :|:& };:", "fault function"},
      {": ( ) { : | : & } ; :", "fault function"},
      {"echo ${A@P}", "fault unknown"},
      {"echo ${!A}", "fault unknown"},
      {"echo ${A[$(id)]}", "fault unknown"},
      {"echo ${A:-$(id)}", "fault unknown"},
      {"echo ${A:-`id`}", "fault unknown"},
      {"echo ${}", "fault unknown"},
      {"echo $[1]", "fault unknown"},
      {"echo ${A=b}", "fault unknown"},
      {"echo ${A:=b}", "fault unknown"},
      {"echo ${A:B}", "fault unknown"},
      {"echo $((A))", "fault unknown"},
      {"echo $((_))", "fault unknown"},
      {"echo $((1==1))", "fault unknown"},
      {"l\\\ns", "fault unknown"},
      {"ls \\\n -l", "fault unknown"},
      {"ls -l\\\n", "fault unknown"},
      {"\"a\\\nb\"", "fault unknown"},
      {"(\\\n(ls))", "fault unknown"},
      {"cat <<\\\n-E\na\nE", "fault unknown"},
      {"ls \\\n~", "fault unknown"},
      {"echo a\\\n#b", "fault unknown"},
      {"echo `ls \\\n`", "fault unknown"},
      {"echo `ls '\\\n'`", "fault unknown"},
      {"echo `ls \\\\\\\n`", "fault unknown"},
      {"echo $((a[$(id)]))", "fault unknown"},
      {"echo $((ls) | wc)", "fault unknown"},
      {"echo $\\\n(id)", "fault unknown"},
      {"echo \"$\\\n(id)\"", "fault unknown"},
      {"$'a\\'; rm -rf / \\''", "fault unknown"},
      {"$'\\0'", "fault bytes"},
      {"$'\\x00'", "fault bytes"},
      {"$'\\xff'", "fault bytes"},
      {"$'\\e'", "fault unknown"},
      {"ls {fd}>f", "fault unknown"},
      {"ls 22>f", "fault unknown"},
      {"ls &> f id", "fault unknown"},
      {"ls &>> f", "fault unknown"},
      {"ls >& f", "fault unknown"},
      {"ls >&-x", "fault unknown"},
      {"ls 2>&1x", "fault unknown"},
      {"ls <&$A", "fault unknown"},
      {"cat <<E\n$(id)\nE", "fault unknown"},
      {"cat <<E <<F\na\nE\nb\nF", "fault unknown"},
      {"cat <<E $(ls\nid)\nE", "fault unknown"},
      {"cat <<E `ls`\nE", "fault unknown"},
      {"cat <<$A\n", "fault unknown"},
      {"ls\r", "fault bytes"},
      {"ls \x1b", "fault bytes"},
      {"ls \x7f", "fault bytes"},
      {"ls \xff", "fault bytes"},
      {std::string_view("ls\0", 3), "fault bytes"},
  };
  expect_rows(rows);
}

TEST(ReadShellLine, IsBounded) {
  EXPECT_EQ(read(std::string(limits::command_bytes_max, 'a')).size(),
            limits::command_bytes_max + 2);
  EXPECT_EQ(read(std::string(limits::command_bytes_max + 1, 'a')), "fault too_long");
  const auto nested = [](std::size_t depth) {
    std::string text = "id";
    for (std::size_t i = 1; i < depth; ++i)
      text = "echo $(" + text + ")";
    return text;
  };
  EXPECT_FALSE(read(nested(limits::shell_depth_max)).starts_with("fault"));
  EXPECT_EQ(read(nested(limits::shell_depth_max + 1)), "fault too_deep");
  std::string groups;
  for (int i = 0; i < 4000; ++i)
    groups += "( ";
  EXPECT_EQ(read(groups), "fault too_deep");
  std::string backquotes = "echo ";
  for (int i = 0; i < 5000; ++i)
    backquotes += "`a`";
  EXPECT_FALSE(read(backquotes).starts_with("fault"));
}

}  // namespace
}  // namespace bartizan
