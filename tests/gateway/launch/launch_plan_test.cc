#include "gateway/launch/launch_plan.h"

#include <gtest/gtest.h>

#include <string>

namespace bartizan {
namespace {

LaunchPlan sample() {
  return {.program = "/bin/cat",
          .arguments = {"cat", "", std::string("\xff\n", 2)},
          .environment = {"A=b", "TOKEN=\xc3\xa9"},
          .cwd = "/srv",
          .account = Account{.uid = 4242, .gid = 4243, .groups = {4243, 7}, .home = ""},
          .sandbox = {.level = SandboxConfig::Level::container,
                      .user = "files",
                      .home = "/home/files",
                      .network = SandboxConfig::Network::none,
                      .read = {"/usr"},
                      .write = {"/srv", "/tmp"},
                      .memory = std::uint64_t{1} << 40,
                      .open_files = 17,
                      .total_memory = 5,
                      .processes = 6,
                      .cpu_percent = 7},
          .has_image = true,
          .purpose = LaunchPlan::Purpose::probe};
}

TEST(LaunchPlan, IsReadAsItWasWritten) {
  const LaunchPlan plan = sample();
  const std::optional<LaunchPlan> read = decode_plan(encode_plan(plan));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->program, plan.program);
  EXPECT_EQ(read->arguments, plan.arguments);
  EXPECT_EQ(read->environment, plan.environment);
  EXPECT_EQ(read->cwd, plan.cwd);
  ASSERT_TRUE(read->account.has_value());
  EXPECT_EQ(read->account->uid, 4242U);
  EXPECT_EQ(read->account->gid, 4243U);
  EXPECT_EQ(read->account->groups, plan.account->groups);
  EXPECT_EQ(read->sandbox, plan.sandbox);
  EXPECT_TRUE(read->has_image);
  EXPECT_EQ(read->purpose, LaunchPlan::Purpose::probe);
  EXPECT_FALSE(decode_plan(encode_plan(LaunchPlan()))->account.has_value());
}

TEST(LaunchPlan, IsReadAsAWholeOrNotAtAll) {
  const std::string bytes = encode_plan(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_plan(std::string_view(bytes).substr(0, size)).has_value()) << size;
  EXPECT_FALSE(decode_plan(bytes + "x").has_value());
  std::string huge = bytes;
  huge.replace(8, 8, 8, '\xff');
  EXPECT_FALSE(decode_plan(huge).has_value()) << "a length beyond what there is";
}

}  // namespace
}  // namespace bartizan
