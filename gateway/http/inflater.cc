#include "gateway/http/inflater.h"

#include <zlib.h>

namespace bartizan {
namespace {

constexpr std::size_t kRoomBytes = std::size_t{64} << 10;
/// The largest window, and a gzip head.
constexpr int kGzipWindow = 15 + 16;

}  // namespace

Inflater::Inflater() : stream_(std::make_unique<z_stream_s>()), room_(kRoomBytes) {
  // It fails only without memory; then each step fails.
  static_cast<void>(inflateInit2(stream_.get(), kGzipWindow));
}

Inflater::Inflater(Inflater&&) noexcept = default;

Inflater& Inflater::operator=(Inflater&& other) noexcept {
  if (stream_ != nullptr) inflateEnd(stream_.get());
  stream_ = std::move(other.stream_);
  room_ = std::move(other.room_);
  is_done_ = other.is_done_;
  return *this;
}

Inflater::~Inflater() {
  if (stream_ != nullptr) inflateEnd(stream_.get());
}

void Inflater::give(std::string_view coded) {
  // zlib does not write to its input.
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(coded.data()));
  stream_->avail_in = static_cast<uInt>(coded.size());
}

Result<std::string_view> Inflater::step() {
  const auto refuse = [](const char* why) {
    return fail(ErrorCode::http_framing, Fault::server, why);
  };
  if (is_done_) {
    if (stream_->avail_in > 0) return refuse("bytes after the end of the gzip coding");
    return std::string_view();
  }
  stream_->next_out = reinterpret_cast<Bytef*>(room_.data());
  stream_->avail_out = static_cast<uInt>(room_.size());
  const int code = inflate(stream_.get(), Z_NO_FLUSH);
  if (code == Z_STREAM_END) is_done_ = true;
  // Z_BUF_ERROR: more bytes of the body are needed.
  if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
    return refuse("the body is not in the gzip coding that its head names");
  const std::size_t size = room_.size() - stream_->avail_out;
  if (size == 0 && is_done_ && stream_->avail_in > 0)
    return refuse("bytes after the end of the gzip coding");
  return std::string_view(room_.data(), size);
}

}  // namespace bartizan
