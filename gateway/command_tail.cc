#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <deque>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "audit/chain.h"
#include "audit/chain_files.h"
#include "audit/decode_record.h"
#include "audit/verify.h"
#include "gateway/child_process.h"
#include "gateway/command_audit.h"
#include "gateway/line_reader.h"

namespace bartizan {
namespace {

/// A record is some hundred bytes; what is longer is no record of ours and is passed over.
constexpr std::size_t kLineBytesMax = std::size_t{1} << 20;
constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
constexpr std::chrono::milliseconds kLookAgain{200};

using Block = std::array<char, kBlockBytes>;

/// Reads at most a block at `offset`; nothing on an error, an empty text at the end.
std::optional<std::string_view> read_at(const Descriptor& file, off_t offset, std::size_t bytes,
                                        Block& block) {
  ssize_t size = 0;
  do {
    size = pread(file.get(), block.data(), std::min(bytes, block.size()), offset);
  } while (size < 0 && errno == EINTR);
  if (size < 0) return std::nullopt;
  return std::string_view(block.data(), static_cast<std::size_t>(size));
}

/// Where the last lines of a file begin, and how many they are.
struct Beginning {
  off_t offset = 0;
  std::size_t lines = 0;
};

/// The last `wanted` lines: read backwards, so that a long record costs no more.
Beginning last_lines(const Descriptor& file, std::size_t wanted) {
  Block block;
  off_t begin = lseek(file.get(), 0, SEEK_END);
  // The line end of the last line begins no further one.
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

/// Whether the record is one that was asked for. Read from the line, which costs what showing does.
bool passes(const RecordFilter& filter, std::string_view line) {
  const auto parts = split_chain_line(line);
  RecordReader reader;
  const auto read = parts ? reader.read(parts->body) : fail(ErrorCode::not_found, Fault::client);
  if (!read.has_value()) return false;
  const Record& record = **read;
  if (filter.verdict == RecordFilter::Verdict::denied && record.decision != "deny") return false;
  if (!filter.principal.empty() && record.principal != filter.principal) return false;
  return filter.tool.empty() || record.target == filter.tool ||
         fmt::format("{}/{}", record.server, record.target) == filter.tool;
}

bool is_record(std::string_view line) {
  return split_chain_line(line).has_value();
}

/// Files to be shown one after the other, the last one perhaps still growing.
class Tail {
 public:
  Tail(const AuditTailOptions& options, const CommandOutput& output)
      : options_(options), output_(output) {}

  int run() {
    const auto named = record_files(options_.record, output_);
    if (!named) return kExitFailed;
    file_ = named->front();
    return options_.filter.is_open() ? run_last() : run_filtered();
  }

 private:
  struct Part {
    Descriptor file;
    off_t offset = 0;
  };

  /// All of the chain is read, and the last fitting records are kept until its end is known.
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
          "bartizan audit: {} is no record: name the file of [audit], or --config FILE\n", file_);
    } else {
      output_.problems << fmt::format("bartizan audit: {} cannot be read\n", file_);
    }
    return kExitFailed;
  }

  /// Takes the complete lines of `bytes`; a record is shown once its line is whole. False where the
  /// file turns out to be something else, which may hold secrets.
  bool take_lines(std::string_view bytes) {
    while (!bytes.empty()) {
      LineReader::Step step = lines_.step(bytes);
      unfinished_ = bytes[step.consumed - 1] == '\n' ? 0 : unfinished_ + step.consumed;
      bytes.remove_prefix(step.consumed);
      if (!step.line || step.line->empty()) continue;
      const std::string_view line = step.line->view();
      if (!has_records_ && output_.format == OutputFormat::text && !is_record(line)) {
        is_foreign_ = true;
        return false;
      }
      has_records_ = true;
      if (!options_.filter.is_open() && !passes(options_.filter, line)) continue;
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
      output_.results << line << '\n';
      return;
    }
    std::string shown = format_record(line, RecordLayout::line);
    while (shown.ends_with('\n'))
      shown.pop_back();
    output_.results << shown << '\n';
  }

  /// Shows the rest of a file. False when it cannot be read. A last line without an end is read
  /// again the next time: it may be torn, and what takes its place is another.
  bool show(Part& part) {
    while (output_.results) {
      const auto bytes = read_at(part.file, part.offset, kBlockBytes, block_);
      if (!bytes) return false;
      if (bytes->empty()) {
        part.offset -= static_cast<off_t>(std::exchange(unfinished_, 0));
        lines_ = LineReader(kLineBytesMax);
        return true;
      }
      part.offset += static_cast<off_t>(bytes->size());
      if (!take_lines(*bytes)) return false;
    }
    return true;
  }

  /// The files that came since `part` was the newest one, in order.
  std::vector<Part> newer(const Part& part) const {
    std::vector<Part> parts;
    struct stat own{};
    if (fstat(part.file.get(), &own) != 0) return parts;
    const auto files = find_chain(file_);
    if (!files) return parts;
    const auto followed = std::ranges::find_if(*files, [&own](const ChainFile& file) {
      return file.device == own.st_dev && file.inode == own.st_ino;
    });
    // Where it is no part of the chain there was no rotation; what is in its place goes on.
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
      // What was written before the file was closed is shown before the next one.
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
  std::string file_;
  bool has_records_ = false;
  bool is_foreign_ = false;
  bool is_holding_ = false;
  std::deque<std::string> held_;
  LineReader lines_{kLineBytesMax};
  std::size_t unfinished_ = 0;  ///< Bytes read behind the last line end.
  Block block_;
};

}  // namespace

int tail_record(const AuditTailOptions& options, const CommandOutput& output) {
  return Tail(options, output).run();
}

}  // namespace bartizan
