#include "policy/shell/describe_command.h"

#include <cstddef>
#include <memory_resource>
#include <vector>

#include "policy/shell/blocked_commands.h"
#include "policy/shell/run_programs.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

using Words = std::span<const ShellWord>;

/// Walks through commands as `CommandJudge` does.
class Description {
 public:
  void describe_line(std::string_view text) {
    if (depth_ == limits::shell_depth_max) return add_line("more than is read");
    auto line = read_shell_line(text, memory_);
    if (!line) return add_line("what cannot be read");
    for (const ShellCommand& command : line->commands)
      describe_shell_command(command);
  }
  void describe_words(Words words, std::string before = {}, std::string_view behind = {}) {
    for (const ShellWord& word : words) {
      if (!before.empty()) before += ' ';
      before += spelled(word);
    }
    before += behind;
    add_line(before);
    if (words.empty() || !words.front().is_known) return;
    ++depth_;
    describe_inner(words);
    --depth_;
  }
  std::string take() { return std::move(text_); }

 private:
  static std::string spelled(const ShellWord& word) {
    if (!word.is_known && word.text.empty()) return "…";
    return json_string(word.text) + (word.is_known ? "" : "…");
  }
  void add_line(std::string_view line) {
    if (!text_.empty()) text_ += '\n';
    text_.append(2 * depth_, ' ');
    text_ += line;
  }

  void describe_shell_command(const ShellCommand& command) {
    std::string variables;
    for (const ShellWord& variable : command.assignments) {
      if (!variables.empty()) variables += ' ';
      variables += spelled(variable);
    }
    std::string files;
    for (const ShellRedirection& redirection : command.redirections) {
      if (redirection.is_file) files += " with the file " + spelled(redirection.target);
    }
    describe_words(command.words, std::move(variables), files);
  }

  void describe_inner(Words words) {
    if (depth_ == limits::shell_depth_max) return add_line("more than is read");
    if (program_name(words.front().text) == "find") return describe_executed(words);
    using Kind = InnerCommand::Kind;
    const InnerCommand inner = inner_command(words);
    switch (inner.kind) {
      case Kind::none:
        return;
      case Kind::words:
        return describe_words(words.subspan(inner.begin));
      case Kind::words_and_more:
        return describe_with_more(words.subspan(inner.begin));
      case Kind::text:
        return describe_text(words.subspan(inner.begin, 1));
      case Kind::texts:
        return describe_text(words.subspan(inner.begin));
      case Kind::unknown:
        return add_line("what its words do not say");
    }
  }

  void describe_executed(Words words) {
    Words rest = words;
    for (Words run = next_executed(rest); !run.empty(); run = next_executed(rest)) {
      describe_with_more(run);
      rest = words.subspan(static_cast<std::size_t>(run.data() - words.data()) + run.size());
    }
  }

  void describe_with_more(Words words) { describe_words(with_unknown_words(words, memory_)); }

  void describe_text(Words words) {
    std::pmr::string joined(&memory_);
    for (const ShellWord& word : words) {
      if (!word.is_known) return add_line("what its words do not say");
      if (!joined.empty()) joined += ' ';
      joined += word.text;
    }
    // The words of its commands are in `memory_`, not in the text.
    describe_line(joined);
  }

  std::string text_;
  std::size_t depth_ = 0;
  std::pmr::monotonic_buffer_resource memory_;
};

std::string describe_all(std::span<const std::string_view> texts, const CommandRules& rules) {
  std::vector<ShellWord> words;
  words.reserve(texts.size() + 1);
  if (!rules.arguments_of.empty()) words.push_back({.text = rules.arguments_of});
  for (const std::string_view text : texts)
    words.push_back({.text = text});
  Description description;
  description.describe_words(words);
  return description.take();
}

}  // namespace

std::string describe_command(std::string_view text, const CommandRules& rules) {
  if (!rules.arguments_of.empty()) return describe_all(std::span(&text, 1), rules);
  Description description;
  description.describe_line(text);
  return description.take();
}

std::string describe_command(std::span<const std::string_view> words, const CommandRules& rules) {
  return describe_all(words, rules);
}

}  // namespace bartizan
