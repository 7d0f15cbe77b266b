#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "config/export_config.h"
#include "gateway/export/exported_record.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/task.h"
#include "schemas/base/result.h"

namespace bartizan {

/// What became of records that were sent.
struct Delivery {
  enum class Kind : std::uint8_t {
    taken,
    failed,   ///< Another try may be luckier: the connection, or what the sink can do now.
    refused,  ///< The sink will not take these records, however often they are sent.
  } kind = Kind::taken;
  std::string why = {};  ///< Of what was not taken. Never holds a credential.
  /// Records that the sink has under the identity of one of these, with another hash: a sentence.
  /// Empty where there is none, and where the sink cannot tell.
  std::string conflict = {};
  /// Of what was taken, so many the sink will not keep: `why` says it. They are not sent again.
  std::uint64_t refused = 0;
};

/// Where one export sends records.
///
/// Threads: one at a time: that of its exporter.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  /// Sends these records, in their order, and answers once the sink has acknowledged them, as far
  /// as its protocol can. Sent again, they are not doubled where the sink knows identities.
  /// Input:    at least one record.
  /// Deadline: `limits::export_deadline`.
  virtual Task<Delivery> send(const RecordOrigin& origin,
                              std::span<const ExportedRecord> records) = 0;
  /// Sends a signed head, a compact JWS. Source: docs/signed-heads.md.
  virtual Task<Delivery> send_head(const RecordOrigin& origin, std::string_view jws) = 0;
  /// Whether something was taken that nobody has got yet: the position stays where it was.
  virtual bool holds_back() const { return false; }
  /// Sends what was kept back, once nothing more is there to be sent. `is_ending` sends all of it.
  virtual Task<Delivery> flush(bool is_ending);
  /// How many records before the acknowledged one a new process sends again, since the sink's word
  /// is no proof that it kept them.
  virtual std::size_t tail() const { return 0; }
};

namespace limits {
/// Of one delivery.
inline constexpr std::chrono::milliseconds export_deadline{15'000};
}  // namespace limits

/// The sink of that configuration. Nothing is connected yet.
/// Errors: config_invalid, for a secret or authorities that cannot be read.
Result<std::unique_ptr<Sink>> open_sink(Loop& loop, const ExportConfig& config);

// One for each group of types.
Result<std::unique_ptr<Sink>> open_http_sink(Loop& loop, const ExportConfig& config);
Result<std::unique_ptr<Sink>> open_syslog_sink(Loop& loop, const ExportConfig& config);
Result<std::unique_ptr<Sink>> open_postgresql_sink(Loop& loop, const ExportConfig& config);

}  // namespace bartizan
