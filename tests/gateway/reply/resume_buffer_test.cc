#include "gateway/reply/resume_buffer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gateway/reply/resumable_exchange.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

using std::chrono::seconds;

class KeptEventsTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kBudget = std::uint64_t{64} << 20;
  const ResumeBuffer::Clock::time_point start_{};
  MemoryBudget memory_{kBudget};
  ResumeBudget share_{memory_};
  ResumeBuffer kept_{share_, "ann"};

  std::uint64_t begin() { return kept_.begin({}, {}); }
  EventId add(std::uint64_t stream, std::string message) {
    return kept_.add(stream, std::move(message), {}, start_)->id;
  }
  /// The messages that follow an event; `refused` where that cannot be told.
  std::vector<std::string> after(EventId id) const {
    const auto following = kept_.after(id);
    EXPECT_EQ(following.has_value(), kept_.origin(id) != nullptr);
    if (!following.has_value()) return {"refused"};
    std::vector<std::string> messages;
    for (const ResumeEventPtr& event : following->events)
      messages.push_back(event->message);
    return messages;
  }
};
using Messages = std::vector<std::string>;

TEST(EventIdTest, IsReadOnlyAsItIsWritten) {
  const struct {
    std::string_view text;
    std::optional<EventId> want;
  } cases[] = {
      {"1-0", EventId{1, 0}},
      {"7-12", EventId{7, 12}},
      {"18446744073709551615-18446744073709551615",
       EventId{18446744073709551615U, 18446744073709551615U}},
      {"18446744073709551616-1", {}},
      {"0-1", {}},
      {"01-1", {}},
      {"1-01", {}},
      {"+1-1", {}},
      {"1--1", {}},
      {"1-1 ", {}},
      {"1-", {}},
      {"-1", {}},
      {"-", {}},
      {"1", {}},
      {"", {}},
      {"1-1-1", {}},
      {"a-1", {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const auto read = parse_event_id(c.text);
    EXPECT_EQ(read, c.want);
    if (read.has_value()) EXPECT_EQ(text(*read), c.text);
  }
}

TEST_F(KeptEventsTest, TellsWhatFollowsAnEventOfItsStreamAlone) {
  const std::uint64_t one = begin();
  const std::uint64_t other = begin();
  ASSERT_NE(one, other);
  EXPECT_EQ(add(one, "a"), (EventId{one, 1}));
  EXPECT_EQ(add(other, "x"), (EventId{other, 1}));
  EXPECT_EQ(add(one, "b"), (EventId{one, 2}));
  EXPECT_EQ(after({one, 0}), (Messages{"a", "b"}));
  EXPECT_EQ(after({one, 1}), (Messages{"b"}));
  EXPECT_EQ(after({one, 2}), (Messages{}));
  EXPECT_EQ(after({other, 0}), (Messages{"x"}));
  EXPECT_EQ(after({one, 3}), (Messages{"refused"})) << "an event that was never given out";
  EXPECT_EQ(after({other + 1, 0}), (Messages{"refused"})) << "a stream that never was";
}

TEST_F(KeptEventsTest, KeepsWhatCameBeforeTheEndAndSaysThatItIsOne) {
  const std::uint64_t stream = begin();
  add(stream, "a");
  EXPECT_FALSE(kept_.after({stream, 0})->is_over);
  add(stream, "end");
  kept_.finish(stream, start_);
  EXPECT_TRUE(kept_.after({stream, 0})->is_over);
  EXPECT_EQ(after({stream, 1}), (Messages{"end"}));
  const std::uint64_t silent = begin();
  kept_.finish(silent, start_);
  EXPECT_EQ(after({silent, 0}), (Messages{"refused"})) << "nothing is kept of what said nothing";
}

TEST_F(KeptEventsTest, RefusesRatherThanLeaveAGap) {
  const std::uint64_t stream = begin();
  const std::uint64_t other = begin();
  add(other, "first");
  for (std::size_t i = 0; i < limits::kept_events_max + 1; ++i)
    add(stream, "x");
  EXPECT_EQ(after({stream, 0}), (Messages{"refused"}));
  EXPECT_EQ(after({stream, 1}).size(), limits::kept_events_max);
  EXPECT_EQ(after({other, 0}), (Messages{"first"})) << "each stream has a bound of its own";
}

TEST_F(KeptEventsTest, BoundsTheBytesOfAStream) {
  const std::uint64_t stream = begin();
  const std::string third(limits::kept_bytes_max / 3, 'x');
  for (int i = 0; i < 10; ++i)
    add(stream, third);
  EXPECT_LE(kept_.bytes(), limits::kept_bytes_max + limits::kept_stream_bytes);
  EXPECT_EQ(kept_.bytes(), memory_.used());
  EXPECT_EQ(after({stream, 7}), (Messages{"refused"}));
  EXPECT_EQ(after({stream, 8}), (Messages{third, third}));
  // What fits nowhere leaves a hole that nothing can be resumed over, and is sent all the same.
  const auto large = kept_.add(stream, std::string(limits::kept_bytes_max, 'x'), {}, start_);
  EXPECT_EQ(large->message.size(), limits::kept_bytes_max);
  EXPECT_EQ(large->memory.bytes(), 0U);
  EXPECT_EQ(after({stream, 10}), (Messages{"refused"}));
  EXPECT_EQ(after({stream, 11}), (Messages{}));
}

TEST_F(KeptEventsTest, MakesRoomOfWhatEndedFirst) {
  const std::uint64_t lasting = begin();
  add(lasting, "a");
  std::vector<std::uint64_t> over;
  for (int i = 0; i < 3; ++i) {
    over.push_back(begin());
    add(over.back(), "b");
  }
  for (const int i : {1, 0, 2})
    kept_.finish(over.at(static_cast<std::size_t>(i)), start_);
  EXPECT_TRUE(kept_.drop_oldest());
  EXPECT_EQ(after({over[1], 0}), (Messages{"refused"}));
  EXPECT_EQ(after({over[0], 0}), (Messages{"b"}));
  EXPECT_TRUE(kept_.drop_oldest());
  EXPECT_TRUE(kept_.drop_oldest());
  EXPECT_EQ(after({over[2], 0}), (Messages{"refused"}));
  EXPECT_EQ(after({lasting, 0}), (Messages{"a"}));
  EXPECT_TRUE(kept_.drop_oldest());
  EXPECT_EQ(after({lasting, 0}), (Messages{"refused"}));
  EXPECT_EQ(after({lasting, 1}), (Messages{})) << "who has the lost event misses nothing";
  EXPECT_FALSE(kept_.drop_oldest());
  add(lasting, "c");
  EXPECT_EQ(after({lasting, 1}), (Messages{"c"}));
}

TEST_F(KeptEventsTest, KeepsNothingWithoutMemory) {
  const std::uint64_t stream = begin();
  add(stream, "a");
  const auto calls = memory_.reserve(kBudget - memory_.used());
  ASSERT_TRUE(calls.has_value());
  EXPECT_EQ(begin(), 0U);
  const EventId lost = add(stream, "b");
  EXPECT_EQ(lost, (EventId{stream, 2}));
  EXPECT_EQ(after({stream, 1}), (Messages{"refused"}));
}

TEST_F(KeptEventsTest, ForgetsWhatIsTooOld) {
  const std::uint64_t stream = begin();
  add(stream, "old");
  kept_.add(stream, "young", {}, start_ + seconds(10));
  kept_.expire(start_ + limits::kept_age_max);
  EXPECT_EQ(after({stream, 0}), (Messages{"old", "young"}));
  kept_.expire(start_ + limits::kept_age_max + seconds(1));
  EXPECT_EQ(after({stream, 0}), (Messages{"refused"}));
  EXPECT_EQ(after({stream, 1}), (Messages{"young"}));
  kept_.finish(stream, start_ + seconds(20));
  kept_.expire(start_ + limits::kept_age_max + seconds(20));
  EXPECT_EQ(after({stream, 1}), (Messages{"young"})) << "its age counts from its end";
  kept_.expire(start_ + limits::kept_age_max + seconds(21));
  EXPECT_EQ(after({stream, 2}), (Messages{"refused"}));
  EXPECT_EQ(kept_.bytes(), 0U);
}

TEST_F(KeptEventsTest, GivesBackWhatItDrops) {
  const std::uint64_t one = kept_.begin({.request = std::string(1000, 'r')}, {});
  EXPECT_GE(kept_.bytes(), 1000U);
  const std::uint64_t other = begin();
  const std::uint64_t over = begin();
  add(one, "a");
  add(other, "b");
  add(over, "c");
  kept_.finish(over, start_);
  kept_.drop(one);
  kept_.drop(over);
  EXPECT_EQ(after({one, 0}), (Messages{"refused"}));
  EXPECT_EQ(after({other, 0}), (Messages{"b"}));
  kept_.drop(other);
  EXPECT_FALSE(kept_.drop_oldest());
  EXPECT_EQ(kept_.bytes(), 0U);
  EXPECT_EQ(memory_.used(), 0U);
}

TEST_F(KeptEventsTest, KeepsNothingOnceClosed) {
  const std::uint64_t stream = begin();
  add(stream, "a");
  kept_.close();
  EXPECT_EQ(memory_.used(), 0U);
  EXPECT_EQ(kept_.add(stream, "b", {}, start_)->id_text(), "");
  EXPECT_EQ(after({stream, 0}), (Messages{"refused"}));
  EXPECT_EQ(begin(), 0U);
}

TEST_F(KeptEventsTest, KnowsTheLastReturn) {
  const std::uint64_t stream = begin();
  const std::uint64_t first = kept_.count_return(stream);
  EXPECT_TRUE(kept_.is_last_return(stream, first));
  EXPECT_TRUE(kept_.is_last_return(stream, kept_.count_return(stream)));
  EXPECT_FALSE(kept_.is_last_return(stream, first));
  kept_.drop(stream);
  EXPECT_FALSE(kept_.is_last_return(stream, 2));
}

// Seen from a flood: 1 000 streams that nobody comes back to take no more than one principal may.
TEST_F(KeptEventsTest, StaysBoundedUnderAbandonedStreams) {
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t stream = kept_.begin({.request = std::string(1000, 'r')}, {});
    add(stream, std::string(20'000, 'x'));
    kept_.finish(stream, start_);
  }
  EXPECT_LE(memory_.used(), limits::kept_principal_bytes_max);
  EXPECT_GT(memory_.used(), limits::kept_principal_bytes_max / 2);
  kept_.expire(start_ + limits::kept_age_max + seconds(1));
  EXPECT_EQ(memory_.used(), 0U);
}

}  // namespace
}  // namespace bartizan
