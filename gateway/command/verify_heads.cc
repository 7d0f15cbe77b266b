#include "gateway/command/verify_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "audit/find_hash.h"
#include "audit/follow_chain.h"
#include "config/parse_units.h"
#include "gateway/process/read_file.h"
#include "gateway/token/record_key.h"
#include "schemas/base/sha256.h"

namespace bartizan {
namespace {

/// Accepted lead of another clock, in seconds.
constexpr std::int64_t kSkew = 60;

/// The fault of one head; empty if there is none.
std::string find_flaw(const SignedHead& one, const std::string& chain, const std::string& record,
                      std::int64_t now) {
  const std::string name = fmt::format("the head of record {}, signed at {},", one.head.sequence,
                                       format_time(one.signed_at));
  if (one.origin.chain != chain) return name + " is of another chain";
  if (one.signed_at > now + kSkew) return name + " was signed in the future";
  if (one.head.sequence == 0) return {};
  const Result<Hash> hash = find_hash(record, one.head.sequence);
  const bool is_hidden = !hash.has_value() && hash.error().code == ErrorCode::io_failed;
  if (is_hidden) return fmt::format("{} is not checked: {}", name, hash.error().detail);
  // Missing records are reported by the record's verification.
  if (!hash.has_value()) return {};
  if (*hash != one.head.hash) return name + " has another hash than the record";
  return {};
}

std::string doubt_of(const HeadOptions& options, const SignedHead& newest, std::int64_t now) {
  if (!options.max_age.empty()) {
    const auto age = parse_duration(options.max_age);
    if (!age) return options.max_age + " is not a duration";
    const std::int64_t seconds = now - newest.signed_at;
    if (std::chrono::seconds(seconds) <= *age) return {};
    return fmt::format("the newest head is {} old, and --max-age allows {}",
                       format_duration(std::chrono::seconds(seconds)), options.max_age);
  }
  if (!options.newest.empty()) return {};
  return "whether a newer head was signed is not known: give --max-age, or --newest-head from a "
         "place where it cannot be removed";
}

}  // namespace

std::expected<std::vector<SignedHead>, std::string> read_heads(const HeadOptions& options) {
  if (options.key.empty()) return std::unexpected(std::string(kNoHeadKey));
  const auto pem = read_file(options.key);
  if (!pem.has_value()) return std::unexpected(pem.error().detail);
  const Result<IssuerKey> key = read_signer_key(*pem);
  if (!key.has_value()) return std::unexpected(options.key + ": " + key.error().detail);
  std::vector<SignedHead> heads;
  if (!options.file.empty()) {
    const auto text = read_file(options.file);
    if (!text.has_value()) return std::unexpected(text.error().detail);
    auto read = read_signed_heads(*text, *key);
    if (!read.has_value()) return std::unexpected(options.file + ", " + read.error());
    heads = *std::move(read);
  }
  if (!options.newest.empty()) {
    auto newest = read_signed_head(options.newest, *key);
    if (!newest.has_value()) return std::unexpected("--newest-head: " + newest.error());
    heads.push_back(*std::move(newest));
  }
  if (heads.empty()) return std::unexpected(options.file + " contains no head");
  return heads;
}

std::expected<HeadVerdict, std::string> check_heads(const HeadOptions& options,
                                                    const std::string& record, std::int64_t now) {
  const auto heads = read_heads(options);
  if (!heads.has_value()) return std::unexpected(heads.error());
  const Result<std::string> chain = find_chain_name(record);
  if (!chain.has_value()) return std::unexpected(chain.error().detail);
  for (const SignedHead& one : *heads) {
    std::string flaw = find_flaw(one, *chain, record, now);
    if (!flaw.empty()) return std::unexpected(std::move(flaw));
  }
  HeadVerdict verdict{
      .newest = *std::ranges::max_element(
          *heads, {},
          [](const SignedHead& one) { return std::pair(one.head.sequence, one.signed_at); }),
      .heads = heads->size()};
  verdict.doubt = doubt_of(options, verdict.newest, now);
  return verdict;
}

}  // namespace bartizan
