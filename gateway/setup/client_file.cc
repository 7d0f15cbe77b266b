#include "gateway/setup/client_file.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "gateway/review/secret_heuristics.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// One entry during parsing, with notes about unknown parts.
struct Reading {
  ClientEntry entry;
  std::vector<ClientNote>& notes;
  bool is_usable = true;

  void note(std::string_view member, std::string message) {
    const bool is_whole = member.empty();
    notes.push_back(
        {is_whole ? entry.pointer : pointer_below(entry.pointer, member), std::move(message)});
  }
  void give_up(std::string_view member, std::string message) {
    note(member, std::move(message) + ": the server is left out");
    is_usable = false;
  }
};

/// Notes the placeholders of a text. Only clients and shells fill them, not the gateway.
void note_unfilled(Reading& reading, std::string_view member, std::string_view text) {
  if (holds_placeholder(text)) {
    reading.note(member, "holds a placeholder that only the client fills in: replace it");
  } else if (text == "~" || text.starts_with("~/")) {
    reading.note(member, "begins with ~, which nobody fills in here: write the whole path");
  }
}

void read_arguments(Reading& reading, JsonValue array) {
  std::size_t index = 0;
  for (const JsonValue argument : array) {
    const std::string member = "args/" + std::to_string(index++);
    if (!argument.is(JsonType::string)) {
      reading.notes.push_back(
          {reading.entry.pointer + "/" + member, "is not a string: the server is left out"});
      reading.is_usable = false;
      return;
    }
    if (holds_placeholder(argument.text())) {
      reading.notes.push_back({reading.entry.pointer + "/" + member,
                               "holds a placeholder that only the client fills in: replace it"});
    }
    reading.entry.command.emplace_back(argument.text());
  }
}

/// Texts under names, such as an environment. Those with a placeholder, which is the client's to
/// fill in, go to `filled`, or are left out where that is null.
std::map<std::string, std::string> read_texts(Reading& reading, std::string_view member,
                                              JsonValue object,
                                              std::map<std::string, std::string>* filled) {
  std::map<std::string, std::string> texts;
  for (const JsonValue value : object) {
    const std::string pointer =
        pointer_below(pointer_below(reading.entry.pointer, member), value.key());
    if (value.is(JsonType::number) || value.is(JsonType::boolean)) {
      texts.emplace(value.key(), value.raw());  // As clients write it into an environment.
    } else if (!value.is(JsonType::string)) {
      reading.notes.push_back({pointer, "is not a string: left out"});
    } else if (holds_placeholder(value.text()) && filled != nullptr) {
      filled->emplace(value.key(), value.text());
    } else if (holds_placeholder(value.text())) {
      reading.notes.push_back({pointer,
                               "holds a placeholder that only the client fills in, so it is left "
                               "out: write the value into headers of the server"});
    } else {
      texts.emplace(value.key(), value.text());
    }
  }
  return texts;
}

void read_type(Reading& reading, std::string_view type) {
  constexpr std::array<std::string_view, 6> known{"stdio",          "http", "streamable-http",
                                                  "streamableHttp", "ws",   "websocket"};
  reading.entry.is_sse = type == "sse";
  if (reading.entry.is_sse) return;
  if (std::ranges::find(known, type) != known.end()) return;
  reading.give_up("type", "names a transport that the gateway does not speak towards servers");
}

void read_member(Reading& reading, JsonValue member) {
  const std::string_view key = member.key();
  ClientEntry& entry = reading.entry;
  const bool is_text = member.is(JsonType::string);
  if (key == "command" && is_text) {
    entry.command.emplace(entry.command.begin(), member.text());
    note_unfilled(reading, key, member.text());
  } else if (key == "args" && member.is(JsonType::array)) {
    read_arguments(reading, member);
  } else if (key == "url" && is_text) {
    entry.url = member.text();
    note_unfilled(reading, key, member.text());
  } else if (key == "cwd" && is_text) {
    entry.cwd = member.text();
    note_unfilled(reading, key, member.text());
  } else if (key == "env" && member.is(JsonType::object)) {
    entry.env = read_texts(reading, key, member, &entry.filled_env);
  } else if (key == "headers" && member.is(JsonType::object)) {
    entry.headers = read_texts(reading, key, member, nullptr);
  } else if (key == "type" && is_text) {
    read_type(reading, member.text());
  } else if (key == "disabled" && member.boolean().has_value()) {
    if (*member.boolean()) reading.give_up(key, "the client does not start it");
  } else {
    reading.note(key, "the gateway has no such key: the server is kept without it");
  }
}

/// Takes the program out of `bartizan wrap OPTIONS… COMMAND…`. In a configuration, rules replace
/// the options.
void unwrap(Reading& reading) {
  constexpr std::array<std::string_view, 2> kFlags{"--read-only", "--answers-only"};
  constexpr std::array<std::string_view, 8> kRules{
      "--read-only", "--tools", "--deny", "--root", "--approve", "--rate", "--timeout", "--allow"};
  std::vector<std::string>& command = reading.entry.command;
  std::string rules;
  std::size_t at = 2;  // After the program and `wrap`.
  while (at < command.size() && command[at].starts_with("--")) {
    const std::string option = command[at].substr(0, command[at].find('='));
    if (option == "--") {
      ++at;
      break;
    }
    if (std::ranges::find(kRules, option) != kRules.end())
      rules += (rules.empty() ? "" : ", ") + option;
    const bool is_flag = std::ranges::find(kFlags, option) != kFlags.end();
    at += is_flag || option.size() < command[at].size() ? 1 : 2;
  }
  if (at >= command.size()) return reading.give_up("args", "wraps no program");
  command.erase(command.begin(), command.begin() + static_cast<std::ptrdiff_t>(at));
  reading.note("args", "the program is taken out of bartizan wrap" +
                           (rules.empty() ? "" : "; write rules in place of " + rules));
}

std::optional<ClientEntry> read_entry(JsonValue object, std::string pointer,
                                      std::vector<ClientNote>& notes) {
  Reading reading{.entry = {.name = std::string(object.key()), .pointer = std::move(pointer)},
                  .notes = notes};
  if (!object.is(JsonType::object)) {
    reading.give_up("", "is not an object");
    return std::nullopt;
  }
  for (const JsonValue member : object)
    read_member(reading, member);
  if (is_wrapped_entry(object)) unwrap(reading);
  const bool has_program = object.find("command").is(JsonType::string);
  if (reading.is_usable && has_program != reading.entry.url.empty()) {
    reading.give_up("", "needs exactly one of \"command\" and \"url\"");
  }
  if (reading.is_usable && has_program && reading.entry.command.front().empty()) {
    reading.give_up("command", "is empty");
  }
  if (!reading.is_usable) return std::nullopt;
  return std::move(reading.entry);
}

/// The offset after a JSON string that starts at `at`.
std::size_t behind_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

/// The offset after a comment that starts at `at`, or `at` if there is none. The line end after a
/// line comment is not part of it.
std::size_t behind_comment(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (!rest.starts_with("/*")) return at;
  const std::size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? text.size() : end + 2;
}

/// An offset as `line 4, column 7`.
std::string place_text(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t begin = before.rfind('\n') + 1;  // 0 where there is none.
  return "line " + std::to_string(line) + ", column " + std::to_string(before.size() - begin + 1);
}

/// A client's settings as strict JSON of the same length. Comments, trailing commas and a byte
/// order mark become spaces, so that offsets stay the same.
std::string as_strict_json(std::string_view text) {
  std::string strict(text);
  std::size_t comma = std::string::npos;
  std::size_t at = 0;
  for (; at < kByteOrderMark.size() && text.starts_with(kByteOrderMark); ++at)
    strict[at] = ' ';
  while (at < text.size()) {
    const char c = text[at];
    const std::size_t end = behind_comment(text, at);
    if (end > at) {
      for (; at < end; ++at) {
        if (text[at] != '\n') strict[at] = ' ';
      }
      continue;
    }
    if ((c == '}' || c == ']') && comma != std::string::npos) strict[comma] = ' ';
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') comma = c == ',' ? at : std::string::npos;
    at = c == '"' ? behind_string(text, at) : at + 1;
  }
  return strict;
}

/// All tables of a file, in its order.
std::vector<ClientTable> find_client_tables(JsonValue root) {
  std::vector<ClientTable> tables;
  const auto add = [&tables](JsonValue parent, const std::string& above, std::string_view member) {
    const JsonValue servers = parent.find(member);
    if (!servers.is(JsonType::object)) return;
    tables.push_back({above + "/" + std::string(member), std::string(member), servers});
  };
  add(root, "", "mcpServers");
  add(root, "", "servers");
  add(root.find("mcp"), "/mcp", "servers");
  for (const JsonValue project : root.find("projects"))
    add(project, pointer_below("/projects", project.key()), "mcpServers");
  return tables;
}

/// Why a text is not JSON, with `line 4, column 7`. Input: the parse error.
Error explain_client_file(std::string_view text, const Error& error) {
  const auto offset = static_cast<std::size_t>(std::max<std::int64_t>(error.offset, 0));
  return Error{.code = ErrorCode::config_invalid,
               .fault = Fault::client,
               .detail = place_text(text, offset) + ": it is not JSON" +
                         (error.detail == "not JSON" ? "" : ": " + error.detail),
               .offset = error.offset};
}

}  // namespace

bool is_wrapped_entry(JsonValue entry) {
  const std::string_view program = entry.find("command").text();
  const std::string_view base = program.substr(program.rfind('/') + 1);
  return base == "bartizan" && entry.at_pointer("/args/0").text() == "wrap";
}

Result<void> ReadClientTables::read(std::string_view text) {
  strict = as_strict_json(text);
  bytes.emplace(std::string_view(strict));
  const Result<JsonValue> root = document.read(*bytes, kClientFileLimits);
  if (!root.has_value()) return std::unexpected(explain_client_file(strict, root.error()));
  tables = find_client_tables(*root);
  if (!tables.empty()) return {};
  return fail(ErrorCode::config_invalid, Fault::client,
              "it has neither \"mcpServers\" nor \"servers\": name the file in which the client "
              "keeps its servers");
}

Result<ClientFile> read_client_file(std::string_view text) {
  ReadClientTables in;
  const Result<void> read = in.read(text);
  if (!read.has_value()) return std::unexpected(read.error());
  const std::vector<ClientTable>& tables = in.tables;
  ClientFile file{.member = tables.front().member};
  for (const ClientTable& table : tables) {
    for (const JsonValue server : table.servers) {
      auto entry = read_entry(server, pointer_below(table.pointer, server.key()), file.notes);
      if (entry.has_value()) file.entries.push_back(std::move(*entry));
    }
  }
  if (file.entries.empty()) {
    file.notes.push_back({tables.front().pointer,
                          "has no server that could be taken: the configuration is without one "
                          "until you write it"});
  }
  return file;
}

}  // namespace bartizan
