#include "config/load_config.h"

#include <gtest/gtest.h>

namespace bartizan {
namespace {

TEST(LoadConfig, ReadsTheSmallestExample) {
  const LoadedConfig loaded = load_config(BARTIZAN_SOURCE_DIR "/config/minimal.toml");
  for (const ConfigProblem& problem : loaded.problems)
    ADD_FAILURE() << text(problem);
  EXPECT_TRUE(loaded.usable());
  EXPECT_EQ(loaded.config.servers.size(), 1U);
}

}  // namespace
}  // namespace bartizan
