#include "gateway/upstream/agent_wire.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {
namespace {

/// The wire of an agent, as it is to the link: what is sent to it is kept.
class RecordedWire final : public MessageWire {
 public:
  Task<Result<Bytes>> next() override { co_return fail(ErrorCode::closed, Fault::client, "over"); }
  void write(std::string message) override { sent.push_back(std::move(message)); }
  bool has_room() const override { return has_place; }
  Task<void> wait_for_room() override { co_return; }
  bool is_flushed() const override { return true; }
  void on_broken(std::move_only_function<void(std::string_view)> /*broken*/) override {}
  bool is_closing() const override { return false; }
  void stop_reading() override {}
  void close(std::string_view /*why*/) override {}

  std::vector<std::string> sent;
  bool has_place = true;
};

class AgentWireTest : public testing::Test {
 protected:
  static ServerDefinitionPtr definition() {
    ServerDefinition made{.config = {.name = "db"}, .agent_tools = R"({"tools":[]})"};
    made.config.agent = AgentConfig{.id = "a", .token_sha256 = "", .mcp_servers = {}};
    return std::make_shared<const ServerDefinition>(std::move(made));
  }

  AgentLinkPtr link() {
    return std::make_shared<AgentLink>(loop_, agent_, "db", AgentLink::Posture{});
  }

  /// Has the loop do what it has to.
  void settle() {
    spawn(loop_, [](Loop& loop) -> Task<void> {
      Signal pause(loop);
      co_await pause.wait(std::chrono::milliseconds(20));
      loop.stop();
    }(loop_));
    loop_.run();
    loop_.io().restart();
  }

  /// What comes from a wire, to its end or until nothing more is there.
  std::vector<std::string> read(AgentWire& wire) {
    std::vector<std::string> all;
    spawn(loop_, [](AgentWire& from, std::vector<std::string>& to) -> Task<void> {
      while (true) {
        Result<Bytes> next = co_await from.next();
        if (!next.has_value()) {
          to.emplace_back("! closed");
          co_return;
        }
        to.emplace_back(next->view());
      }
    }(wire, all));
    settle();
    return all;
  }

  void answer(const AgentLinkPtr& link, std::string_view text, bool is_taken) {
    const Bytes bytes{text};
    JsonDocument document;
    EXPECT_EQ(link->take_answer(document.read(bytes).value_or(JsonValue())), is_taken) << text;
  }

  Loop loop_{0};
  std::shared_ptr<RecordedWire> agent_ = std::make_shared<RecordedWire>();
};

TEST_F(AgentWireTest, AnswersWhatAnAgentIsNotAsked) {
  const auto wire = std::make_shared<AgentWire>(loop_, definition(), nullptr);
  wire->write(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"v"}})");
  wire->write(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  wire->write(R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})");
  wire->write(R"({"jsonrpc":"2.0","id":3,"method":"server/discover"})");
  wire->write(R"({"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"t"}})");
  wire->close("");
  const auto seen = read(*wire);
  ASSERT_EQ(seen.size(), 5U);
  EXPECT_TRUE(seen[0].contains(R"("protocolVersion":"v","capabilities":{"tools":{}})"));
  EXPECT_EQ(seen[1], R"({"jsonrpc":"2.0","id":2,"result":{"tools":[]}})");
  EXPECT_TRUE(seen[2].contains("-32601"));
  EXPECT_TRUE(seen[3].contains("not connected"));
  EXPECT_EQ(seen[4], "! closed");
}

TEST_F(AgentWireTest, BringsEachCallerItsOwnAnswers) {
  const AgentLinkPtr link = this->link();
  const auto one = std::make_shared<AgentWire>(loop_, definition(), link);
  const auto other = std::make_shared<AgentWire>(loop_, definition(), link);
  constexpr std::string_view kCall =
      R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"t","arguments":{"a":1}}})";
  one->write(std::string(kCall));
  other->write(std::string(kCall));
  settle();
  ASSERT_EQ(agent_->sent.size(), 2U);
  EXPECT_TRUE(agent_->sent[0].contains(R"("id":"req-1")"));
  answer(link, R"({"id":"req-3","result":{}})", false);
  answer(link, R"({"id":"req-2","result":{"output":"two"}})", true);
  answer(link, R"({"id":"req-2","result":{"output":"again"}})", false);
  one->write(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})");
  settle();
  answer(link, R"({"id":"req-1","result":{"output":"late"}})", false);
  one->close("");
  other->close("");
  EXPECT_EQ(read(*one), std::vector<std::string>{"! closed"});
  const auto seen = read(*other);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_TRUE(seen[0].contains(R"("id":5)") && seen[0].contains("two"));
}

TEST_F(AgentWireTest, EndsWithItsAgent) {
  const AgentLinkPtr link = this->link();
  AgentLinks links;
  EXPECT_TRUE(links.add(link));
  EXPECT_FALSE(links.add(this->link())) << "somebody else is that agent";
  EXPECT_EQ(links.find("db"), link);
  const auto wire = std::make_shared<AgentWire>(loop_, definition(), link);
  std::string broken;
  wire->on_broken([&broken](std::string_view why) { broken = why; });
  link->attach(wire);
  settle();
  links.remove(*this->link());
  EXPECT_NE(links.find("db"), nullptr) << "another connection is not forgotten";
  links.remove(*link);
  link->end();
  settle();
  EXPECT_EQ(links.find("db"), nullptr);
  EXPECT_EQ(broken, "the agent is gone");
  EXPECT_EQ(read(*wire), std::vector<std::string>{"! closed"});
  const auto late = std::make_shared<AgentWire>(loop_, definition(), link);
  link->attach(late);
  settle();
  EXPECT_TRUE(late->is_closing());
}

TEST_F(AgentWireTest, TellsOfAnAgentThatDoesNotRead) {
  const AgentLinkPtr link = this->link();
  agent_->has_place = false;
  const auto wire = std::make_shared<AgentWire>(loop_, definition(), link);
  wire->write(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"t"}})");
  settle();
  wire->close("");
  const auto seen = read(*wire);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_TRUE(seen[0].contains("does not read"));
  EXPECT_TRUE(agent_->sent.empty());
}

}  // namespace
}  // namespace bartizan
