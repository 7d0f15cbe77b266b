#include "gateway/process/line_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "gateway/process/descriptor.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

class LineWriterTest : public testing::Test {
 protected:
  LineWriterTest() {
    ::signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    reader_ = Descriptor(ends[0]);
    writer_ = std::make_shared<LineWriter>(loop_, memory_, Pipe(loop_.executor(), ends[1]));
    writer_->on_broken([this](std::string_view why) { broken_ = why; });
  }

  /// What can be read now.
  std::string read_some() {
    std::string text(std::size_t{1} << 16, '\0');
    const ssize_t size = ::read(reader_.get(), text.data(), text.size());
    text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return text;
  }

  /// Ends the loop once there is room.
  Task<void> wait_for_room() {
    co_await writer_->wait_for_room();
    had_room_ = writer_->has_room();
    loop_.stop();
  }

  bool had_room_ = false;
  Loop loop_{0};
  MemoryBudget memory_{std::uint64_t{256} << 20};
  Descriptor reader_;
  std::shared_ptr<LineWriter> writer_;
  std::string broken_;
};

TEST_F(LineWriterTest, WritesEachMessageAsOneLineAtOnce) {
  writer_->write("one");
  writer_->write("{\n\"a\":\r\n1}");
  writer_->write("");
  EXPECT_EQ(read_some(), "one\n{ \"a\":  1}\n\n");
  EXPECT_TRUE(writer_->is_flushed());
}

TEST_F(LineWriterTest, KeepsTheOrderOfWhatASlowReaderHasNotRead) {
  constexpr std::size_t kMessages = 200;
  std::string written;
  for (std::size_t i = 0; i < kMessages; ++i) {
    const std::string message(i * 100, static_cast<char>('a' + i % 26));
    writer_->write(message);
    written += message + "\n";
  }
  EXPECT_FALSE(writer_->is_flushed());
  std::string got;
  std::jthread reader([&] {
    while (got.size() < written.size())
      got += read_some();
    asio::post(loop_.io(), [this] { loop_.stop(); });
  });
  loop_.run();
  reader.join();
  EXPECT_EQ(got, written);
  EXPECT_EQ(broken_, "");
}

TEST_F(LineWriterTest, LetsWhoeverAsksWaitForRoom) {
  writer_->write(std::string(std::size_t{3} << 20, 'x'));
  EXPECT_FALSE(writer_->has_room());
  spawn(loop_, wait_for_room());
  std::jthread reader([&](const std::stop_token& stop) {
    ::fcntl(reader_.get(), F_SETFL, O_NONBLOCK);
    while (!stop.stop_requested())
      read_some();
  });
  loop_.run();
  EXPECT_TRUE(had_room_);
}

TEST_F(LineWriterTest, SaysOnceThatTheReaderIsGone) {
  reader_ = Descriptor();
  writer_->write("one");
  EXPECT_EQ(broken_, "the reader of standard output is gone");
  broken_.clear();
  writer_->write("two");
  EXPECT_EQ(broken_, "");
  EXPECT_TRUE(writer_->is_broken());
  EXPECT_TRUE(writer_->is_flushed());
}

TEST_F(LineWriterTest, GivesUpWhenMoreWaitsThanItMayHold) {
  const std::string large(std::size_t{8} << 20, 'x');
  std::size_t written = 0;
  while (broken_.empty() && written <= 2 * limits::stdio_output_bytes_max) {
    writer_->write(large);
    written += large.size();
  }
  EXPECT_EQ(broken_, "the reader of standard output is too slow for what servers send");
  EXPECT_LE(written, limits::stdio_output_bytes_max + 2 * large.size());
  EXPECT_LT(memory_.used(), large.size());
}

TEST_F(LineWriterTest, GivesUpOnAReaderThatTakesNothingForTheDeadline) {
  writer_->write(std::string(std::size_t{1} << 20, 'x'));
  loop_.io().poll();
  const auto ticks = static_cast<std::uint64_t>(limits::write_deadline / limits::timer_tick);
  loop_.wheel().advance(ticks - 1);
  EXPECT_EQ(broken_, "");
  loop_.wheel().advance(ticks + 1);
  EXPECT_EQ(broken_, "the reader of standard output has stalled");
  loop_.io().poll();
  EXPECT_TRUE(writer_->is_flushed());
}

TEST_F(LineWriterTest, WritesFiles) {
  std::array<char, 32> name{"/tmp/bartizan-XXXXXX"};
  const int file = ::mkstemp(name.data());
  ASSERT_GE(file, 0);
  auto writer = std::make_shared<LineWriter>(loop_, memory_, Pipe(loop_.executor(), ::dup(file)));
  writer->write("one");
  EXPECT_TRUE(writer->is_flushed());
  std::array<char, 8> text{};
  EXPECT_EQ(::pread(file, text.data(), text.size(), 0), 4);
  ::close(file);
  ::unlink(name.data());
}

}  // namespace
}  // namespace bartizan
