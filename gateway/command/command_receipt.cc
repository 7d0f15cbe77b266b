#include "gateway/command/command_receipt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "audit/chain.h"
#include "audit/chain_files.h"
#include "audit/find_hash.h"
#include "audit/follow_chain.h"
#include "audit/verify.h"
#include "schemas/base/sha256.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// Records between a call and the head that covers it. Each is 64 bytes of the receipt.
constexpr std::uint64_t kLinksMax = 1'000'000;
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;

/// The numbers of the decision's records, ascending. Reports a failure and returns nothing.
std::vector<std::uint64_t> find_call(const ReceiptOptions& options,
                                     const std::vector<std::string>& files,
                                     const CommandOutput& output) {
  std::vector<std::uint64_t> sequences;
  const FoundRecords found = find_records(files, options.id, [&](std::string_view line) {
    if (const auto parts = split_chain_line(line)) sequences.push_back(parts->sequence);
  });
  switch (found.kind) {
    case FoundRecords::Kind::one:
      return sequences;
    case FoundRecords::Kind::several:
      refuse_ambiguous(options.id, found, output);
      break;
    case FoundRecords::Kind::none:
      refuse_audit(output, fmt::format("no decision has the id {:.36}; audit query lists decisions",
                                       options.id));
      break;
  }
  return {};
}

/// The first signed head that covers record `sequence`.
std::optional<SignedHead> find_head(const HeadOptions& options, const std::string& record,
                                    std::uint64_t sequence, const CommandOutput& output) {
  auto heads = read_heads(options);
  if (!heads.has_value()) {
    refuse_audit(output, heads.error());
    return std::nullopt;
  }
  const Result<std::string> chain = find_chain_name(record);
  std::optional<SignedHead> best;
  for (SignedHead& one : *heads) {
    if (one.head.sequence < sequence || one.origin.chain != chain.value_or("")) continue;
    if (!best.has_value() || one.head.sequence < best->head.sequence) best = std::move(one);
  }
  if (!best.has_value()) {
    refuse_audit(output, fmt::format("no signed head covers record {} yet", sequence));
  }
  return best;
}

}  // namespace

int write_receipt(const ReceiptOptions& options, const CommandOutput& output) {
  const auto named = record_files(options.record, output);
  if (!named) return kExitFailed;
  if (named->size() != 1) return refuse_audit(output, kOneRecord, kExitUsage);
  if (!options.heads.is_asked()) {
    return refuse_audit(output, "a receipt needs a signed head: --heads FILE, or --newest-head",
                        kExitUsage);
  }
  if (options.heads.key.empty()) return refuse_audit(output, kNoHeadKey, kExitUsage);
  const std::string& record = named->front();
  const auto call = find_call(options, chain_paths(record), output);
  if (call.empty()) return kExitFailed;
  const auto head = find_head(options.heads, record, call.back(), output);
  if (!head.has_value()) return kExitFailed;
  if (head->head.sequence - call.front() > kLinksMax) {
    return refuse_audit(output, fmt::format("{} records lie between the call and the head",
                                            head->head.sequence - call.front()));
  }
  const Result<Hash> before =
      call.front() == 1 ? Result<Hash>(Hash{}) : find_hash(record, call.front() - 1);
  if (!before.has_value()) return refuse_audit(output, before.error().detail);
  ChainFollower follower(record, {.sequence = call.front() - 1, .hash = *before});
  std::string links;
  Digester digester;
  while (follower.last().sequence < head->head.sequence) {
    const auto batch = follower.next(kBatchBytes);
    if (!batch.has_value()) return refuse_audit(output, batch.error().detail);
    if (!batch->problem.empty() || batch->records.empty()) {
      return refuse_audit(
          output, batch->problem.empty() ? "the record ends before the head" : batch->problem);
    }
    for (const FollowedRecord& one : batch->records) {
      if (one.sequence > head->head.sequence) break;
      if (!links.empty()) links += ',';
      const bool is_shown = std::ranges::binary_search(call, one.sequence);
      links += is_shown ? R"({"body":)" + json_string(one.body) + '}'
                        : R"({"digest":")" + hex_of(digester.sha256(one.body)) + R"("})";
      if (one.sequence == head->head.sequence && one.hash != head->head.hash) {
        return refuse_audit(output, "the record is not the one whose head was signed");
      }
    }
  }
  output.results << R"({"receipt":1,"seq":)" << call.front() << R"(,"prev":")" << hex_of(*before)
                 << R"(","links":[)" << links << R"(],"head":)" << json_string(head->jws) << "}\n";
  return finish(output, kExitDone);
}

}  // namespace bartizan
