// The record: one decision as text, bound into the chain and written, with each durability, and
// reading it again. The file is in TMPDIR, which ought to be a real disk.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "audit/audit_log.h"
#include "audit/verify.h"
#include "gateway/record/recorder.h"
#include "gateway/runtime/log.h"

namespace bartizan {
namespace {

constexpr std::size_t kTogether = 32;  ///< Records of one turn of a loop with 32 connections.
constexpr std::size_t kVerified = 20'000;

using Durability = AuditConfig::Durability;

/// A log of its own that is gone with it, with all files that it was rotated into.
class BenchLog {
 public:
  BenchLog() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  BenchLog(const BenchLog&) = delete;
  BenchLog& operator=(const BenchLog&) = delete;
  ~BenchLog() { std::filesystem::remove_all(folder_); }

  const std::string& path() const { return path_; }
  AuditLog open() const { return std::move(AuditLog::open(path_).value().log); }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / "bartizan-bench-record";
  std::string path_ = (folder_ / "audit.jsonl").string();
};

/// As the gateway records a permitted call of a tool.
Record decision() {
  static constexpr std::string_view kDigest =
      "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  Record record;
  record.time = std::chrono::system_clock::time_point(std::chrono::seconds(1'795'262'400));
  record.decision_id = "019a9d5e-7c00-7abc-8def-0123456789ab";
  record.source = "127.0.0.1:53412";
  record.transport = "http";
  record.principal = "bench";
  record.roles = {"reader"};
  record.trust = "verified";
  record.proof = "api_key:bench";
  record.client_name = "bench";
  record.client_version = "1.0.0";
  record.direction = "client_to_server";
  record.protocol = "2025-11-25";
  record.server = "origin";
  record.method = "tools/call";
  record.target = "read_note";
  record.argument_digest = kDigest;
  record.message_digest = kDigest;
  record.decision = "permit";
  record.reason = "permitted";
  record.category = "policy";
  record.rule = "readers-read";
  record.policy = kDigest;
  record.bytes_in = 350;
  record.decide_ns = 1800;
  return record;
}

void encode(benchmark::State& state) {
  const Record record = decision();
  while (state.KeepRunning())
    benchmark::DoNotOptimize(encode_record(record));
}

/// Encoded, bound and written, as many with one write as the argument says; time of one record.
void append(benchmark::State& state) {
  const BenchLog file;
  AuditLog log = file.open();
  const Record record = decision();
  const auto together = static_cast<std::size_t>(state.range(0));
  std::vector<EncodedRecord> records;
  while (state.KeepRunningBatch(state.range(0))) {
    records.clear();
    for (std::size_t i = 0; i < together; ++i)
      records.push_back(encode_record(record));
    if (!log.append(records).has_value()) return state.SkipWithError("nothing was written");
  }
}

/// Calls that are recorded at once.
struct Together {
  benchmark::State& state;
  Loop& loop;
  Recorder& recorder;
  std::int64_t left = 0;
};

Task<void> commit_one(Together& calls) {
  const Result<void> done = co_await calls.recorder.commit(decision());
  if (!done.has_value()) calls.state.SkipWithError("nothing was recorded");
  if (--calls.left == 0) calls.loop.stop();
}

/// From commit to leave to go on, for as many calls at once as the argument says; time of one call.
void commit(benchmark::State& state, Durability durability) {
  set_log_level(LogConfig::Level::error);  // Standard output is the figures'.
  const BenchLog file;
  // One file, however large, and however long ago its first record says that it was made.
  SharedLog log(file.open(), {.durability = durability,
                              .rotate_size = std::uint64_t{1} << 40,
                              .rotate_age = std::chrono::years(100)});
  Loop loop(0);
  Recorder recorder(loop, log);
  Together calls{state, loop, recorder};
  while (state.KeepRunningBatch(state.range(0))) {
    calls.left = state.range(0);
    for (std::int64_t i = 0; i < state.range(0); ++i)
      spawn(loop, commit_one(calls));
    loop.run();
    loop.io().restart();
  }
}

void commit_kernel(benchmark::State& state) {
  commit(state, Durability::kernel);
}
void commit_disk(benchmark::State& state) {
  commit(state, Durability::disk);
}
void commit_async(benchmark::State& state) {
  commit(state, Durability::async);
}

void verify(benchmark::State& state) {
  const BenchLog file;
  {
    AuditLog log = file.open();
    const std::vector<EncodedRecord> records(100, encode_record(decision()));
    for (std::size_t i = 0; i < kVerified; i += records.size()) {
      if (!log.append(records).has_value()) return state.SkipWithError("nothing was written");
    }
  }
  while (state.KeepRunning()) {
    if (!verify_audit({file.path()}, {}).intact) return state.SkipWithError("it does not verify");
  }
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file.path()));
  state.SetBytesProcessed(bytes * state.iterations());
}

BENCHMARK(encode)->Name("record_encode_ns");
BENCHMARK(append)->Name("record_ns")->Arg(kTogether);
BENCHMARK(append)->Name("record_alone_ns")->Arg(1);
BENCHMARK(commit_kernel)->Name("commit_kernel_ns")->Arg(kTogether);
BENCHMARK(commit_async)->Name("commit_async_ns")->Arg(kTogether);
BENCHMARK(commit_disk)->Name("commit_disk_ns")->Arg(kTogether)->UseRealTime();
BENCHMARK(commit_disk)->Name("commit_disk_1k_ns")->Arg(1024)->UseRealTime();
BENCHMARK(verify)->Name("verify_mib_per_s")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bartizan
