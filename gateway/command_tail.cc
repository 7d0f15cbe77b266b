#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string_view>
#include <thread>

#include <fmt/format.h>

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

/// Where the last `lines` lines begin: read backwards, so that a long record costs no more.
off_t last_lines(const Descriptor& file, std::size_t lines) {
  Block block;
  off_t begin = lseek(file.get(), 0, SEEK_END);
  // The line end of the last line begins no further one.
  std::size_t wanted = lines + 1;
  while (begin > 0) {
    const auto bytes = std::min(begin, static_cast<off_t>(kBlockBytes));
    const auto part = read_at(file, begin - bytes, static_cast<std::size_t>(bytes), block);
    if (!part || part->empty()) return 0;
    for (std::size_t at = part->size(); at > 0; --at) {
      if ((*part)[at - 1] == '\n' && --wanted == 0) return begin - bytes + static_cast<off_t>(at);
    }
    begin -= bytes;
  }
  return 0;
}

/// Writes the complete lines of `bytes`; a record is shown once its line is whole.
void write_lines(std::string_view bytes, LineReader& lines, const CommandOutput& output) {
  while (!bytes.empty()) {
    LineReader::Step step = lines.step(bytes);
    bytes.remove_prefix(step.consumed);
    if (!step.line || step.line->empty()) continue;
    if (output.format == OutputFormat::json) {
      output.results << step.line->view() << '\n';
      continue;
    }
    std::string shown = format_record(step.line->view(), RecordLayout::line);
    while (shown.ends_with('\n'))
      shown.pop_back();
    output.results << shown << '\n';
  }
}

}  // namespace

int tail_record(const AuditTailOptions& options, const CommandOutput& output) {
  const Descriptor file(open(options.file.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    output.problems << fmt::format("bartizan audit: {} cannot be read\n", options.file);
    return kExitFailed;
  }
  off_t offset = last_lines(file, options.lines);
  LineReader lines(kLineBytesMax);
  Block block;
  while (output.results) {
    const auto part = read_at(file, offset, kBlockBytes, block);
    if (!part) {
      output.problems << fmt::format("bartizan audit: {} cannot be read\n", options.file);
      return kExitFailed;
    }
    offset += static_cast<off_t>(part->size());
    write_lines(*part, lines, output);
    if (!part->empty()) continue;
    if (options.then == AuditTailOptions::Then::stop) break;
    output.results.flush();
    std::this_thread::sleep_for(kLookAgain);
  }
  return finish(output, kExitDone);
}

}  // namespace bartizan
