#include "gateway/record/capture_log.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gateway/record/read_capture.h"
#include "policy/learn/capture.h"
#include "tests/config/folder.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

CaptureConfig config_of(const std::string& file) {
  return {.file = file, .max_size = 64 << 10};
}

std::string line_of(const std::string& id, std::size_t bytes = 10) {
  CapturedCall call;
  call.decision_id = id;
  call.call = {.principal = "ann", .method = "ping"};
  call.call.params = "{\"x\":\"" + std::string(bytes, 'x') + "\"}";
  call.is_permitted = true;
  return capture_line(call);
}

std::shared_ptr<const ToolDefinition> tool() {
  auto definition = std::make_shared<ToolDefinition>();
  definition->fingerprint = "f";
  definition->raw = R"({"name":"t"})";
  return definition;
}

void start(CaptureLog& log, const std::string& file) {
  auto opened = CaptureFile::open(file);
  ASSERT_TRUE(opened.has_value()) << opened.error().detail;
  log.configure(config_of(file), *std::move(opened));
}

void wait_for_kept(const CaptureLog& log, std::uint64_t count) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (log.kept() < count && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(log.kept(), count);
}

std::vector<std::string> ids_in(const std::string& file) {
  const auto capture = read_capture(file);
  EXPECT_TRUE(capture.has_value()) << capture.error().detail;
  std::vector<std::string> ids;
  if (!capture.has_value()) return ids;
  EXPECT_EQ(capture->garbage, 0U);
  for (const Capture::Run& run : capture->runs) {
    for (const CapturedCall& call : run.calls)
      ids.push_back(call.decision_id);
  }
  return ids;
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

TEST(CaptureLog, LetsNothingThatFitsNoFileTakeAnyPlace) {
  const Folder folder;
  const std::string file = folder.name("c.jsonl");
  CaptureLog log;
  start(log, file);
  log.add(line_of("first"), tool());
  for (int i = 0; i < 3; ++i)
    log.add(line_of("large", 40'000), nullptr);
  auto large_tool = std::make_shared<ToolDefinition>();
  large_tool->fingerprint = "g";
  large_tool->raw = "{\"name\":\"" + std::string(40'000, 'x') + "\"}";
  log.add(line_of("of a large tool"), large_tool);
  log.add(line_of("last"), tool());
  log.stop();
  EXPECT_EQ(ids_in(file), (std::vector<std::string>{"first", "last"}));
  EXPECT_EQ(log.kept(), 2U);
  EXPECT_EQ(log.missing(), 4U);
  EXPECT_EQ(read_capture(file)->missing, 4U);
  EXPECT_FALSE(fs::exists(older_capture(file)));
}

TEST(CaptureLog, StaysWithinItsSizeWhereItCannotRotate) {
  const Folder folder;
  const std::string file = folder.name("c.jsonl");
  CaptureLog log;
  start(log, file);
  // Nothing takes the place of a folder.
  fs::create_directory(older_capture(file));
  for (std::uint64_t i = 1; i <= 60; ++i) {
    log.add(line_of(std::to_string(i), 3000), tool());
    wait_for_kept(log, i);
    ASSERT_LE(fs::file_size(file), 32U << 10);
  }
  log.stop();
  fs::remove(older_capture(file));
  EXPECT_TRUE(read_run_time(first_line(file)).has_value());
  EXPECT_EQ(ids_in(file).back(), "60");
}

TEST(CaptureLog, KeepsTellingOfMissingCallsWithinItsSize) {
  const Folder folder;
  const std::string file = folder.name("c.jsonl");
  CaptureLog log;
  start(log, file);
  for (std::uint64_t i = 1; i <= 10; ++i)
    log.add(line_of("kept", 3000), nullptr);
  wait_for_kept(log, 10);
  const auto read_missing = [&file] { return read_capture(file)->missing; };
  for (std::uint64_t i = 1; i <= 40; ++i) {
    log.count_missing();
    log.add(line_of("large", 40'000), nullptr);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (read_missing() < 2 * i && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_EQ(read_missing(), 2 * i);
    ASSERT_LE(fs::file_size(file), 32U << 10);
  }
}

TEST(CaptureLog, BeginsAnewWhereItsFileWasMoved) {
  const Folder folder;
  const std::string file = folder.name("c.jsonl");
  CaptureLog log;
  start(log, file);
  log.add(line_of("first"), tool());
  wait_for_kept(log, 1);
  fs::rename(file, file + ".moved");
  log.add(line_of("second"), tool());
  log.stop();
  EXPECT_TRUE(read_run_time(first_line(file)).has_value());
  EXPECT_EQ(ids_in(file), std::vector<std::string>{"second"});
  EXPECT_EQ(ids_in(file + ".moved"), std::vector<std::string>{"first"});
  EXPECT_EQ(read_capture(file)->definitions.size(), 1U);
}

TEST(CaptureLog, GoesOnWithAFileThatItStillHolds) {
  const Folder folder;
  const std::string file = folder.name("c.jsonl");
  const std::string other = folder.name("d.jsonl");
  CaptureLog log;
  EXPECT_FALSE(log.holds(file));
  start(log, file);
  log.add(line_of("first"), nullptr);
  wait_for_kept(log, 1);
  EXPECT_TRUE(log.holds(file));
  // Elsewhere and back, and off and on, whether its thread has followed or not.
  start(log, other);
  log.configure(config_of(file), nullptr);
  log.add(line_of("second"), nullptr);
  wait_for_kept(log, 2);
  log.configure(std::nullopt, nullptr);
  EXPECT_FALSE(log.is_on());
  log.configure(config_of(file), nullptr);
  log.add(line_of("third"), nullptr);
  wait_for_kept(log, 3);
  log.stop();
  EXPECT_EQ(ids_in(file), (std::vector<std::string>{"first", "second", "third"}));
  EXPECT_TRUE(CaptureFile::open(other).has_value());
}

TEST(CaptureLog, CountsWhatCannotBeKeptWhereItsFileCannotBeOpened) {
  const Folder folder;
  CaptureLog log;
  log.configure(config_of(folder.name("none/c.jsonl")), nullptr);
  log.add(line_of("first"), nullptr);
  log.stop();
  EXPECT_EQ(log.kept(), 0U);
  EXPECT_EQ(log.missing(), 1U);
}

TEST(ReadCapture, ReadsNoFileTwiceAndNoneThatIsReplaced) {
  const Folder folder;
  const std::string file = folder.name("c.jsonl");
  std::ofstream(file) << run_line("r", 1) << "\n" << line_of("new") << "\n";
  std::ofstream(older_capture(file)) << run_line("r", 1) << "\n" << line_of("old") << "\n";
  EXPECT_EQ(ids_in(file), (std::vector<std::string>{"new", "old"}));  // By their order, and ids.
  // Between its two halves the newer one became the older.
  fs::remove(older_capture(file));
  fs::create_hard_link(file, older_capture(file));
  const auto twice = read_capture(file);
  ASSERT_FALSE(twice.has_value());
  EXPECT_NE(twice.error().detail.find("replaced faster"), std::string::npos);
  // In a moment there is none of that name.
  fs::remove(file);
  EXPECT_EQ(ids_in(file), std::vector<std::string>{"new"});
  fs::remove(older_capture(file));
  EXPECT_FALSE(read_capture(file).has_value());
}

}  // namespace
}  // namespace bartizan
