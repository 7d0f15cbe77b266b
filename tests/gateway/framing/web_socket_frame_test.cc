#include "gateway/framing/web_socket_frame.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace bartizan {
namespace {

using Kind = WebSocketEvent::Kind;
using Sender = WebSocketReader::Sender;
constexpr std::array<std::uint8_t, 4> kMask{0x37, 0xfa, 0x21, 0x3d};

/// Events as `KIND:PAYLOAD`, and at last the fault as `CODE why`.
std::vector<std::string> read(std::string_view bytes, Sender sender, std::size_t piece,
                              std::size_t bytes_max = 1000) {
  static constexpr std::array<std::string_view, 4> kNames{"message", "ping", "pong", "close"};
  WebSocketReader reader(sender, bytes_max);
  std::vector<std::string> events;
  while (!bytes.empty()) {
    std::string_view part = bytes.substr(0, piece);
    while (!part.empty()) {
      const auto step = reader.step(part);
      if (!step.has_value()) {
        events.push_back(std::to_string(static_cast<int>(step.error().code)) + " " +
                         std::string(step.error().why));
        return events;
      }
      if (step->event.has_value()) {
        events.push_back(std::string(kNames[static_cast<std::size_t>(step->event->kind)]) + ":" +
                         step->event->payload);
      }
      part.remove_prefix(step->consumed);
      bytes.remove_prefix(step->consumed);
    }
  }
  return events;
}

std::string bytes(std::initializer_list<int> all) {
  std::string text;
  for (const int byte : all)
    text += static_cast<char>(byte);
  return text;
}

/// A frame with any first byte, masked as a client's.
std::string frame(int first, std::string_view payload) {
  std::string text = write_frame(Kind::message, payload, kMask);
  text[0] = static_cast<char>(first);
  return text;
}

TEST(WebSocketFrame, ExamplesOfTheStandard) {
  // RFC 6455 §5.7.
  EXPECT_EQ(read(bytes({0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f}), Sender::server, 1),
            std::vector<std::string>{"message:Hello"});
  const std::string masked =
      bytes({0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58});
  EXPECT_EQ(read(masked, Sender::client, 1), std::vector<std::string>{"message:Hello"});
  EXPECT_EQ(write_frame(Kind::message, "Hello", kMask), masked);
  EXPECT_EQ(read(bytes({0x01, 0x03, 0x48, 0x65, 0x6c, 0x80, 0x02, 0x6c, 0x6f}), Sender::server, 2),
            std::vector<std::string>{"message:Hello"});
  EXPECT_EQ(read(bytes({0x89, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f}), Sender::server, 3),
            std::vector<std::string>{"ping:Hello"});
  // RFC 6455 §1.3.
  EXPECT_EQ(accept_web_socket_key("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST(WebSocketFrame, Keys) {
  EXPECT_TRUE(is_web_socket_key("dGhlIHNhbXBsZSBub25jZQ=="));
  for (const std::string_view key : {"", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ=a",
                                     "dGhlIHNhbXBsZSBub25j!Q==", "dGhlIHNhbXBsZSBub25jZTEyMw=="})
    EXPECT_FALSE(is_web_socket_key(key)) << key;
}

TEST(WebSocketFrame, LengthsOfAllForms) {
  for (const std::size_t size : {0U, 1U, 125U, 126U, 127U, 65535U, 65536U, 70000U}) {
    const std::string text(size, 'x');
    // Of a mask, each read begins somewhere else.
    for (const std::size_t piece :
         {std::size_t{1}, std::size_t{13}, std::size_t{4096}, size + 20}) {
      EXPECT_EQ(read(write_frame(Kind::message, text, kMask), Sender::client, piece, 70000),
                std::vector<std::string>{"message:" + text})
          << size;
      EXPECT_EQ(read(write_frame(Kind::message, text), Sender::server, piece, 70000),
                std::vector<std::string>{"message:" + text})
          << size;
    }
  }
}

TEST(WebSocketFrame, AControlFrameMayComeWithinAMessage) {
  const std::string text = frame(0x01, "one ") + frame(0x89, "p") + frame(0x00, "two ") +
                           frame(0x80, "three") + frame(0x8A, "");
  const std::vector<std::string> want{"ping:p", "message:one two three", "pong:"};
  EXPECT_EQ(read(text, Sender::client, 1), want);
  EXPECT_EQ(read(text, Sender::client, 1000), want);
}

TEST(WebSocketFrame, WhatFailsAConnection) {
  const struct {
    std::string_view name;
    std::string sent;
    std::string want;
  } rows[] = {
      {"not masked", write_frame(Kind::message, "a"), "1002 a client has to mask"},
      {"a reserved bit", frame(0xC1, "a"), "1002 a reserved bit is set"},
      {"binary", frame(0x82, "a"), "1003 messages of MCP are text"},
      {"an unknown opcode", frame(0x83, "a"), "1002 an opcode is not known"},
      {"an unknown control opcode", frame(0x8B, "a"), "1002 an opcode is not known"},
      {"a fragment of nothing", frame(0x80, "a"), "1002 a fragment belongs to no message"},
      {"two messages at once", frame(0x01, "a") + frame(0x81, "b"),
       "1002 a message begins within another one"},
      {"a fragmented ping", frame(0x09, "a"), "1002 a control frame is fragmented"},
      {"a long ping", frame(0x89, std::string(126, 'a')), "1002 a control frame is too long"},
      {"half a close code", frame(0x88, "a"), "1002 a close code is cut off"},
      {"a longer length than needed", bytes({0x81, 0xFE, 0x00, 0x05}) + "MASKabcde",
       "1002 a length is not in its shortest form"},
      {"more than may be", frame(0x81, std::string(1001, 'a')),
       "1009 the message is longer than it may be"},
      {"more in fragments", frame(0x01, std::string(600, 'a')) + frame(0x80, std::string(401, 'a')),
       "1009 the message is longer than it may be"},
      {"no UTF-8", frame(0x81, "\xff"), "1007 a text is not UTF-8"},
  };
  for (const auto& row : rows) {
    for (const std::size_t piece : {std::size_t{1}, row.sent.size()}) {
      const auto events = read(row.sent, Sender::client, piece);
      ASSERT_EQ(events.size(), 1U) << row.name;
      EXPECT_EQ(events.front(), row.want) << row.name;
    }
  }
  EXPECT_EQ(read(frame(0x81, std::string(1000, 'a')), Sender::client, 7).size(), 1U) << "just fits";
  EXPECT_EQ(read(write_frame(Kind::message, "a", kMask), Sender::server, 9),
            std::vector<std::string>{"1002 a server masks nothing"});
}

TEST(WebSocketFrame, ACloseHasACodeAndAReason) {
  EXPECT_EQ(read(write_close(CloseCode::too_large, "too large", kMask), Sender::client, 1),
            std::vector<std::string>{"close:too large"});
  EXPECT_EQ(read(frame(0x88, ""), Sender::client, 1), std::vector<std::string>{"close:"});
  EXPECT_EQ(write_close(CloseCode::normal, ""), bytes({0x88, 0x02, 0x03, 0xE8}));
}

}  // namespace
}  // namespace bartizan
