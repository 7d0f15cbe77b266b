#include "audit/record_lines.h"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "audit/chain.h"

namespace bartizan {
namespace {

constexpr std::size_t kReadSize = std::size_t{64} << 10;

std::unexpected<Error> read_failed(const std::string& what) {
  return fail(ErrorCode::io_failed, Fault::gateway,
              what + ": " + std::system_category().message(errno));
}

}  // namespace

Result<RecordLines> RecordLines::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return read_failed("cannot be opened");
  return RecordLines(descriptor);
}

RecordLines::RecordLines(RecordLines&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)),
      begin_(other.begin_),
      end_(other.end_),
      number_(other.number_) {}

RecordLines& RecordLines::operator=(RecordLines&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(buffer_, other.buffer_);
  begin_ = other.begin_;
  end_ = other.end_;
  number_ = other.number_;
  return *this;
}

RecordLines::~RecordLines() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

// Moves the rest to the front and reads after it. The buffer grows to one longest line.
Result<std::size_t> RecordLines::fill() {
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() < end_ + kReadSize) buffer_.resize(2 * end_ + kReadSize);
  ssize_t got = -1;
  do
    got = ::read(descriptor_, buffer_.data() + end_, kReadSize);
  while (got < 0 && errno == EINTR);
  if (got < 0) return read_failed("cannot be read");
  end_ += static_cast<std::size_t>(got);
  return static_cast<std::size_t>(got);
}

Result<bool> RecordLines::skip_line() {
  while (true) {
    const void* newline = std::memchr(buffer_.data() + begin_, '\n', end_ - begin_);
    if (newline != nullptr) {
      begin_ = static_cast<std::size_t>(static_cast<const char*>(newline) - buffer_.data()) + 1;
      return true;
    }
    begin_ = end_;
    const auto got = fill();
    if (!got) return std::unexpected(got.error());
    if (*got == 0) return false;
  }
}

Result<RecordLines::Line> RecordLines::next() {
  std::size_t searched = begin_;
  while (true) {
    const char* newline = searched == end_ ? nullptr
                                           : static_cast<const char*>(std::memchr(
                                                 buffer_.data() + searched, '\n', end_ - searched));
    if (newline != nullptr) {
      const char* first = buffer_.data() + begin_;
      const auto size = static_cast<std::size_t>(newline - first);
      begin_ += size + 1;
      return Line{.text = {first, size},
                  .number = ++number_,
                  .ended = true,
                  .too_long = size > kRecordLineMax};
    }
    if (end_ - begin_ > kRecordLineMax) {
      const auto ended = skip_line();
      if (!ended) return std::unexpected(ended.error());
      return Line{.text = {}, .number = ++number_, .ended = *ended, .too_long = true};
    }
    const auto got = fill();
    if (!got) return std::unexpected(got.error());
    if (*got == 0) break;
    searched = end_ - *got;
  }
  if (begin_ == end_) return Line{};
  const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
  begin_ = end_;
  return Line{.text = rest, .number = ++number_, .ended = false};
}

}  // namespace bartizan
