#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <deque>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "audit/chain.h"
#include "audit/chain_files.h"
#include "audit/decode_record.h"
#include "audit/verify.h"
#include "config/problems.h"
#include "gateway/catalogue/naming.h"
#include "gateway/command/command_audit.h"
#include "gateway/process/descriptor.h"
#include "gateway/process/line_reader.h"
#include "policy/text/character_kind.h"

namespace bartizan {
namespace {

/// A record has some hundred bytes. A longer line is not a record and is skipped.
constexpr std::size_t kLineBytesMax = std::size_t{1} << 20;
constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
constexpr std::chrono::milliseconds kLookAgain{200};
/// Candidates for a suggestion, and how many of them are shown.
constexpr std::size_t kNamesKept = 256;
constexpr std::size_t kNamesShown = 8;

using Block = std::array<char, kBlockBytes>;

/// Reads at most one block at `offset`. Nothing on an error; empty at the end.
std::optional<std::string_view> read_at(const Descriptor& file, off_t offset, std::size_t bytes,
                                        Block& block) {
  ssize_t size = 0;
  do {
    size = pread(file.get(), block.data(), std::min(bytes, block.size()), offset);
  } while (size < 0 && errno == EINTR);
  if (size < 0) return std::nullopt;
  return std::string_view(block.data(), static_cast<std::size_t>(size));
}

/// A record as JSON without invisible, bidirectional or cursor-moving characters. They become
/// equivalent escapes. Bytes that are not UTF-8 are replaced.
std::string with_visible_letters(std::string_view json) {
  constexpr char32_t kBeyondOneUnit = 0x10000;
  std::string shown;
  for (std::size_t at = 0; at < json.size();) {
    const ReadCharacter read = read_character(json, at);
    const bool is_control = read.value < 0x20 || read.value == 0x7f;
    const bool is_ascii = read.value < 0x80;
    if (read.value == kNoCharacter) {
      shown += "\\ufffd";
    } else if (!is_control && (is_ascii || classify(read.value) != CharacterKind::doubtful)) {
      shown.append(json, at, read.size);
    } else if (read.value < kBeyondOneUnit) {
      shown += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(read.value));
    } else {
      const auto rest = static_cast<std::uint32_t>(read.value - kBeyondOneUnit);
      shown += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
    }
    at += read.size;
  }
  return shown;
}

/// Where the last lines of a file start, and their number.
struct Beginning {
  off_t offset = 0;
  std::size_t lines = 0;
};

/// The last `wanted` lines. Reads backwards, so that the cost does not depend on the length of the
/// record.
Beginning last_lines(const Descriptor& file, std::size_t wanted) {
  Block block;
  off_t begin = lseek(file.get(), 0, SEEK_END);
  // The line end of the last line starts no new line.
  std::size_t ends = 0;
  while (begin > 0) {
    const auto bytes = std::min(begin, static_cast<off_t>(kBlockBytes));
    const auto part = read_at(file, begin - bytes, static_cast<std::size_t>(bytes), block);
    if (!part || part->empty()) break;
    for (std::size_t at = part->size(); at > 0; --at) {
      if ((*part)[at - 1] != '\n') continue;
      if (++ends > wanted) return {begin - bytes + static_cast<off_t>(at), wanted};
    }
    begin -= bytes;
  }
  return {0, ends};
}

std::string own_name(const Record& record) {
  return fmt::format("{}/{}", record.server, record.target);
}

/// By its own name, as in rules, or by the client's name.
bool is_about(const Record& record, const std::string& tool) {
  return record.target == tool || own_name(record) == tool ||
         exposed_name({.name = std::string(record.server)}, record.target) == tool;
}

/// The requested records, and suggestions if none is about the requested tool.
class Sieve {
 public:
  explicit Sieve(const RecordFilter& filter) : filter_(filter) {}

  /// Parsed from the line, which costs as much as showing it.
  bool passes(std::string_view line) {
    if (filter_.is_open()) return true;
    const auto parts = split_chain_line(line);
    RecordReader reader;
    const auto read = parts ? reader.read(parts->body) : fail(ErrorCode::not_found, Fault::client);
    if (!read.has_value()) return false;
    const Record& record = **read;
    if (!filter_.tool.empty() && !note_tool(record)) return false;
    const bool is_refusal = record.decision == "deny" || is_withheld(record);
    if (filter_.verdict == RecordFilter::Verdict::denied && !is_refusal) return false;
    return filter_.principal.empty() || record.principal == filter_.principal;
  }

  /// The message if no record was about the tool; otherwise empty. It has names from the records,
  /// which clients chose.
  std::string unknown_tool() const {
    if (filter_.tool.empty() || has_tool_) return {};
    std::vector<std::string_view> names;
    std::vector<std::string_view> spellings;
    for (const std::string& name : known_) {
      if (names.size() < kNamesShown) names.push_back(name);
      spellings.push_back(name);
      spellings.push_back(std::string_view(name).substr(name.find('/') + 1));
    }
    std::string hint = hint_near(filter_.tool, spellings);
    if (hint.empty() && !names.empty()) hint = "the record has " + listed(names);
    return fmt::format("no record is about {}{}{}", quote(filter_.tool), hint.empty() ? "" : "; ",
                       hint);
  }

 private:
  bool note_tool(const Record& record) {
    const bool is_wanted = is_about(record, filter_.tool);
    has_tool_ |= is_wanted;
    if (!is_wanted && !record.server.empty() && !record.target.empty() &&
        known_.size() < kNamesKept) {
      known_.insert(own_name(record));
    }
    return is_wanted;
  }

  const RecordFilter& filter_;
  std::set<std::string> known_;
  bool has_tool_ = false;
};

bool is_record(std::string_view line) {
  return split_chain_line(line).has_value();
}

/// Files to show one after the other. The last one may still grow.
class Tail {
 public:
  Tail(const AuditTailOptions& options, const CommandOutput& output)
      : options_(options), output_(output), sieve_(options.filter) {}

  int run() {
    const auto named = record_files(options_.record, output_);
    if (!named) return kExitFailed;
    if (named->size() != 1) return refuse_audit(output_, kOneRecord);
    file_ = named->front();
    return options_.filter.is_open() ? run_last() : run_filtered();
  }

 private:
  struct Part {
    Descriptor file;
    off_t offset = 0;
    LineReader lines{kLineBytesMax};
    std::size_t unfinished = 0;  ///< Bytes after the last line end.
  };

  /// Reads the whole chain, and keeps the last matching records until its end.
  int run_filtered() {
    std::vector<Part> parts;
    for (const std::string& path : chain_paths(file_)) {
      parts.push_back({Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC))});
      if (parts.back().file.get() < 0) return unreadable();
    }
    is_holding_ = true;
    for (Part& part : parts) {
      if (!show(part)) return unreadable();
    }
    is_holding_ = false;
    for (const std::string& line : held_)
      write_line(line);
    held_.clear();
    const std::string unknown = sieve_.unknown_tool();
    if (!unknown.empty()) output_.problems << "bartizan audit: " << visible(unknown) << '\n';
    return follow(std::move(parts.back()));
  }

  int run_last() {
    std::vector<Part> parts;
    const std::vector<std::string> files = chain_paths(file_);
    std::size_t wanted = options_.lines;
    for (auto path = files.rbegin(); path != files.rend(); ++path) {
      Part part{Descriptor(open(path->c_str(), O_RDONLY | O_CLOEXEC))};
      if (part.file.get() < 0) return unreadable();
      const Beginning beginning = last_lines(part.file, wanted);
      part.offset = beginning.offset;
      wanted -= std::min(wanted, beginning.lines);
      parts.push_back(std::move(part));
      if (wanted == 0) break;
    }
    while (parts.size() > 1) {
      if (!show(parts.back())) return unreadable();
      parts.pop_back();
    }
    return follow(std::move(parts.front()));
  }

  int unreadable() const {
    if (is_foreign_) {
      output_.problems << fmt::format(
          "bartizan audit: {} is not a record: name the file of [audit], or --config FILE\n",
          file_);
    } else {
      output_.problems << fmt::format("bartizan audit: {} cannot be read\n", file_);
    }
    return kExitFailed;
  }

  /// Takes the complete lines of `bytes`, which follow in `part`. A record is shown once its line
  /// is complete. False if the file is not a record; then it may have secrets.
  bool take_lines(Part& part, std::string_view bytes) {
    while (!bytes.empty()) {
      LineReader::Step step = part.lines.step(bytes);
      part.unfinished = bytes[step.consumed - 1] == '\n' ? 0 : part.unfinished + step.consumed;
      bytes.remove_prefix(step.consumed);
      if (!step.line || step.line->empty()) continue;
      const std::string_view line = step.line->view();
      if (!has_records_ && output_.format == OutputFormat::text && !is_record(line)) {
        is_foreign_ = true;
        return false;
      }
      has_records_ = true;
      if (!sieve_.passes(line)) continue;
      if (!is_holding_) {
        write_line(line);
        continue;
      }
      held_.emplace_back(line);
      if (held_.size() > options_.lines) held_.pop_front();
    }
    return true;
  }

  void write_line(std::string_view line) {
    if (output_.format == OutputFormat::json) {
      output_.results << with_visible_letters(line) << '\n';
      return;
    }
    std::string shown = format_record(line, RecordLayout::line);
    while (shown.ends_with('\n'))
      shown.pop_back();
    output_.results << shown << '\n';
  }

  /// Returns to the last line end.
  static void rewind(Part& part) {
    part.offset -= static_cast<off_t>(std::exchange(part.unfinished, 0));
    part.lines = LineReader(kLineBytesMax);
  }

  static bool is_cut(const Part& part) {
    struct stat own{};
    return fstat(part.file.get(), &own) == 0 && own.st_size < part.offset;
  }

  /// Shows the rest of a file. False if it cannot be read. An incomplete last line is read again
  /// the next time, because it may be replaced. A line too long for a record continues where
  /// reading stopped, so that its cost does not grow.
  bool show(Part& part) {
    if (is_cut(part)) rewind(part);
    while (output_.results) {
      const auto bytes = read_at(part.file, part.offset, kBlockBytes, block_);
      if (!bytes) return false;
      if (bytes->empty()) {
        if (part.unfinished <= kLineBytesMax) rewind(part);
        return true;
      }
      part.offset += static_cast<off_t>(bytes->size());
      if (!take_lines(part, *bytes)) return false;
    }
    return true;
  }

  /// The files after `part`, in order.
  std::vector<Part> newer(const Part& part) const {
    std::vector<Part> parts;
    struct stat own{};
    if (fstat(part.file.get(), &own) != 0) return parts;
    const auto files = find_chain(file_);
    if (!files) return parts;
    const auto followed = std::ranges::find_if(*files, [&own](const ChainFile& file) {
      return file.device == own.st_dev && file.inode == own.st_ino;
    });
    // If it is not part of the chain, there was no rotation. Its replacement is followed.
    auto file = followed == files->end() ? files->end() - 1 : followed + 1;
    for (; file != files->end(); ++file) {
      parts.push_back({Descriptor(open(file->path.c_str(), O_RDONLY | O_CLOEXEC))});
      if (parts.back().file.get() < 0) return {};
    }
    return parts;
  }

  bool is_in_place(const Part& part) const {
    struct stat own{};
    struct stat named{};
    return fstat(part.file.get(), &own) == 0 && stat(file_.c_str(), &named) == 0 &&
           own.st_dev == named.st_dev && own.st_ino == named.st_ino;
  }

  int follow(Part part) {
    while (output_.results) {
      const bool is_newest = is_in_place(part);
      // The rest of a closed file is shown before the next file.
      if (!show(part)) return unreadable();
      if (options_.then == AuditTailOptions::Then::stop) break;
      output_.results.flush();
      std::vector<Part> next = is_newest ? std::vector<Part>() : newer(part);
      for (Part& one : next) {
        if (!show(one)) return unreadable();
      }
      if (!next.empty()) part = std::move(next.back());
      if (next.empty()) std::this_thread::sleep_for(kLookAgain);
    }
    return finish(output_, kExitDone);
  }

  const AuditTailOptions& options_;
  const CommandOutput& output_;
  Sieve sieve_;
  std::string file_;
  bool has_records_ = false;
  bool is_foreign_ = false;
  bool is_holding_ = false;
  std::deque<std::string> held_;
  Block block_;
};

}  // namespace

int tail_record(const AuditTailOptions& options, const CommandOutput& output) {
  return Tail(options, output).run();
}

}  // namespace bartizan
