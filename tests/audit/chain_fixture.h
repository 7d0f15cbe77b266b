#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "audit/audit_log.h"
#include "audit/chain.h"
#include "audit/encode_record.h"

namespace bartizan {

/// A folder of its own for each test, removed behind it.
class ChainTest : public testing::Test {
 protected:
  ChainTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("bartizan-audit-" + std::to_string(::getpid()) + "-" + test->name());
    std::filesystem::create_directories(folder_);
  }
  ~ChainTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name = "audit.jsonl") const { return folder_ / name; }

  static void write(const std::string& file, const std::string& bytes) {
    // A new file each time: some file systems flush one that was emptied and written again.
    std::filesystem::remove(file);
    std::ofstream(file, std::ios::binary) << bytes;
  }

  static std::string read(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static EncodedRecord record(std::uint64_t number) {
    const std::string target = "tool_" + std::to_string(number);
    Record record;
    record.time = std::chrono::system_clock::time_point(std::chrono::seconds(1'795'262'400));
    record.principal = "ann";
    record.target = target;
    record.decision = "permit";
    record.bytes_in = number;
    return encode_record(record);
  }

  /// The lines of a correct chain, newlines included; the line of record n is at n - 1.
  std::vector<std::string> chain(std::uint64_t count) const {
    auto opened = AuditLog::open(path("chain"));
    EXPECT_TRUE(opened) << opened.error().detail;
    std::vector<EncodedRecord> records;
    for (std::uint64_t i = 1; i <= count; ++i)
      records.push_back(record(i));
    EXPECT_TRUE(opened->log.append(records));
    std::vector<std::string> lines;
    std::ifstream in(path("chain"));
    for (std::string line; std::getline(in, line);)
      lines.push_back(line + "\n");
    std::filesystem::remove(path("chain"));
    return lines;
  }

  static std::string joined(const std::vector<std::string>& lines) {
    std::string all;
    for (const std::string& line : lines)
      all += line;
    return all;
  }

  static AuditHead head_of(const std::string& line) {
    const auto parts = split_chain_line(std::string_view(line).substr(0, line.size() - 1));
    EXPECT_TRUE(parts);
    return parts ? AuditHead{.sequence = parts->sequence, .hash = parts->hash} : AuditHead{};
  }

  /// A line that agrees with itself and continues `head`.
  static std::string forged(const AuditHead& head, std::uint64_t content) {
    Digester digester;
    const EncodedRecord encoded = record(content);
    const std::uint64_t sequence = head.sequence + 1;
    std::string line;
    append_chain_line(line, {.body = encoded.body,
                             .sequence = sequence,
                             .prev = head.hash,
                             .hash = chain_hash(digester, head.hash, sequence, encoded.digest)});
    return line;
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace bartizan
