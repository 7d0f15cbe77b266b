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

/// The result of sending records.
struct Delivery {
  enum class Kind : std::uint8_t {
    taken,
    failed,   ///< Another attempt may succeed.
    refused,  ///< The sink will never take these records.
  } kind = Kind::taken;
  std::string why = {};  ///< Why something was not taken. Never contains a credential.
  /// The records that the sink has with the same identity and another hash, as a sentence. Empty if
  /// there is none, and if the sink cannot detect it.
  std::string conflict = {};
  /// How many of the taken records the sink will not keep, for the reason in `why`. They are not
  /// sent again.
  std::uint64_t refused = 0;
};

/// The receiver of one export.
///
/// Threads: one at a time: that of its exporter.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  /// Sends these records in their order. Returns after the sink has acknowledged them, as far as
  /// its protocol can. Records that are sent again are not duplicated if the sink knows identities.
  /// Input:    at least one record.
  /// Deadline: `limits::export_deadline`.
  virtual Task<Delivery> send(const RecordOrigin& origin,
                              std::span<const ExportedRecord> records) = 0;
  /// Sends a signed head, a compact JWS. Source: docs/signed-heads.md.
  virtual Task<Delivery> send_head(const RecordOrigin& origin, std::string_view jws) = 0;
  /// Whether the sink holds taken records that are not delivered yet. The position is then not
  /// advanced.
  virtual bool holds_back() const { return false; }
  /// Sends held records when no others are left to send. `is_ending` sends all of them.
  virtual Task<Delivery> flush(bool is_ending);
  /// How many records before the acknowledged one a new process sends again, since the sink's
  /// acknowledgement does not prove that it kept them.
  virtual std::size_t tail() const { return 0; }
};

namespace limits {
/// Limit of one delivery.
inline constexpr std::chrono::milliseconds export_deadline{15'000};
}  // namespace limits

/// Opens the sink of that configuration, without connecting.
/// Errors: config_invalid, for a secret or authorities that cannot be read.
Result<std::unique_ptr<Sink>> open_sink(Loop& loop, const ExportConfig& config);

// One for each group of sink types.
Result<std::unique_ptr<Sink>> open_http_sink(Loop& loop, const ExportConfig& config);
Result<std::unique_ptr<Sink>> open_syslog_sink(Loop& loop, const ExportConfig& config);
Result<std::unique_ptr<Sink>> open_postgresql_sink(Loop& loop, const ExportConfig& config);

}  // namespace bartizan
