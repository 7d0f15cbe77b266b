// Syslog over a socket of datagrams whose reader is slow.
#include "gateway/export/sink.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gateway/process/descriptor.h"
#include "gateway/runtime/clock.h"
#include "tests/fast_time.h"

namespace bartizan {
namespace {

class DatagramTest : public testing::Test {
 protected:
  DatagramTest() {
    path_ =
        std::filesystem::temp_directory_path() / ("bartizan-syslog-" + std::to_string(::getpid()));
    std::filesystem::remove(path_);
    socket_ = Descriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.string().copy(static_cast<char*>(address.sun_path), sizeof(address.sun_path) - 1);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
              0);
    config_ = {.name = "log", .type = ExportConfig::Type::syslog, .url = "unix:" + path_.string()};
  }
  ~DatagramTest() override { std::filesystem::remove(path_); }

  /// Numbers of the records in the messages that came.
  std::vector<std::string> take() {
    std::vector<std::string> numbers;
    std::array<char, 65'536> room;
    while (true) {
      const ssize_t size = ::recv(socket_.get(), room.data(), room.size(), 0);
      if (size <= 0) return numbers;
      const std::string message(room.data(), static_cast<std::size_t>(size));
      const std::size_t at = message.find("seq=\"");
      EXPECT_NE(at, std::string::npos) << message;
      numbers.push_back(message.substr(at + 5, message.find('"', at + 5) - at - 5));
    }
  }
  /// Records from `first`, so many.
  std::vector<ExportedRecord> records(std::uint64_t first, std::size_t count) {
    std::vector<ExportedRecord> all;
    for (std::size_t i = 0; i < count; ++i) {
      hashes_.push_back("hash-" + std::to_string(first + i));
      all.push_back({.line = "{}",
                     .body = "\"v\":1}",
                     .sequence = first + i,
                     .hash = hashes_.back(),
                     .time = "2026-11-30T12:00:00.000000Z",
                     .record = &record_});
    }
    return all;
  }
  Delivery send(std::span<const ExportedRecord> records) {
    if (sink_ == nullptr) sink_ = *open_syslog_sink(loop_, config_);
    Delivery delivery;
    spawn(loop_, keep(records, delivery));
    loop_.run();
    loop_.io().restart();
    return delivery;
  }

 private:
  Task<void> keep(std::span<const ExportedRecord> records, Delivery& delivery) {
    delivery = co_await sink_->send({.instance = "gw-1", .chain = "c"}, records);
    loop_.stop();
  }

  FastTime time_;
  LentTime lent_{time_};
  std::filesystem::path path_;
  Descriptor socket_;
  ExportConfig config_;
  Record record_{.kind = RecordKind::decision};
  std::deque<std::string> hashes_;
  Loop loop_{0};
  std::unique_ptr<Sink> sink_;
};

TEST_F(DatagramTest, WhatWasSentBeforeAFailureIsNotSentAgain) {
  // More than the receiver's queue holds.
  const auto all = records(1, 400);
  const Delivery first = send(all);
  EXPECT_EQ(first.kind, Delivery::Kind::failed);
  std::vector<std::string> got = take();
  ASSERT_LT(got.size(), all.size());
  ASSERT_GT(got.size(), 0U);
  while (send(all).kind == Delivery::Kind::failed) {
    const auto more = take();
    ASSERT_GT(more.size(), 0U);
    got.insert(got.end(), more.begin(), more.end());
  }
  const auto rest = take();
  got.insert(got.end(), rest.begin(), rest.end());
  ASSERT_EQ(got.size(), all.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(got[i], std::to_string(i + 1));
}

TEST_F(DatagramTest, OtherRecordsAreSentFromTheirFirst) {
  const auto all = records(1, 400);
  EXPECT_EQ(send(all).kind, Delivery::Kind::failed);
  take();
  const auto other = records(900, 3);
  EXPECT_EQ(send(other).kind, Delivery::Kind::taken);
  EXPECT_EQ(take(), (std::vector<std::string>{"900", "901", "902"}));
  // Whoever begins anew sends all.
  const auto again = records(900, 2);
  EXPECT_EQ(send(again).kind, Delivery::Kind::taken);
  EXPECT_EQ(take(), (std::vector<std::string>{"900", "901"}));
}

}  // namespace
}  // namespace bartizan
