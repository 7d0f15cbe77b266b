#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>

#include "policy/shell/shell_line.h"

namespace bartizan {

/// The shared state of all readers of one line, including those of its backquotes.
struct ShellReading {
  std::pmr::memory_resource& memory;
  ShellLine line;
  std::size_t depth = 0;
  std::optional<ShellFault> fault = {};
};

/// Parses one text: words in `shell_words.cc`, commands and lists in `shell_line.cc`. A function
/// that returns false or nothing has stored the fault in `reading`.
class ShellReader {
 public:
  ShellReader(std::string_view text, ShellReading& reading);

  /// Parses the whole text as a list of commands.
  bool read();

 private:
  /// The end of a list.
  enum class End : std::uint8_t { text, parenthesis, brace };
  enum class Quoted : std::uint8_t { no, yes };
  /// A here-document whose lines follow.
  struct HereDocument {
    std::string_view end;
    bool is_literal = false;
    bool without_tabs = false;
  };

  // The text.
  bool at_end() const { return at_ == text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool starts_with(std::string_view mark) const { return text_.substr(at_).starts_with(mark); }
  bool fail(ShellFault fault);
  void skip_blanks();

  // shell_line.cc
  bool read_list(End end);
  bool read_to_end_of_list(End end);
  bool read_separator();
  bool read_pipe_or_list();
  bool ends_list(End end);
  bool read_line_feed();
  bool read_command();
  bool read_group(End end);
  bool read_simple_command();
  bool read_part(ShellCommand& command);
  bool read_redirection(ShellCommand& command);
  bool expect_here_document(const ShellWord& end, std::string_view mark);
  bool read_here_document();
  void skip_comment();

  // shell_words.cc
  std::optional<ShellWord> read_word();
  bool read_word_part(ShellWord& word);
  bool read_unquoted(ShellWord& word);
  bool read_escaped(ShellWord& word);
  bool read_single_quoted();
  bool read_double_quoted(ShellWord& word);
  bool read_escape_in_quotes();
  bool read_dollar(ShellWord& word, Quoted quoted);
  bool read_ansi_quoted();
  bool read_ansi_escape();
  bool append_code(std::uint32_t code);
  bool read_arithmetic();
  bool read_braced_variable();
  bool read_substitution(std::size_t mark_size);
  bool read_backquoted(Quoted quoted);
  std::uint32_t assigned_name_size() const;
  void append(char c);
  void expand(ShellWord& word);

  std::string_view text_;
  std::size_t at_ = 0;
  ShellReading& reading_;
  char* decoded_ = nullptr;  ///< Room for all words, which are never longer than the text.
  std::size_t decoded_size_ = 0;
  std::size_t word_begin_ = 0;   ///< The start of the current word in `decoded_`.
  std::size_t word_source_ = 0;  ///< The start of the current word in `text_`.
  bool in_brace_ = false;
  std::optional<HereDocument> here_document_ = {};
};

}  // namespace bartizan
