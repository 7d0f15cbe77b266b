#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/known_keys.h"
#include "config/table_reader.h"
#include "gateway/setup/conversion_report.h"
#include "gateway/setup/groundhog_sink.h"

namespace bartizan {

/// `tls` of a Groundhog transport that is enabled. All paths are absolute.
struct GroundhogTls {
  std::string cert;
  std::string key;
  std::string client_ca = {};  ///< Empty where there is none.
};

/// Rates as `[limit.NAME]` writes them: `1000/s`, `60000/min`.
struct GroundhogRates {
  std::vector<std::string> everyone = {};
  std::vector<std::string> user = {};
  std::vector<std::string> tool = {};
};

/// What a Groundhog configuration says that has a counterpart here. Of a file with problems, some
/// of it is empty.
struct GroundhogSettings {
  std::string address = {};  ///< `127.0.0.1:8080`
  std::vector<std::string> allowed_hosts = {};
  std::string path = {};
  std::optional<GroundhogTls> tls = {};
  std::optional<std::chrono::seconds> authentication_timeout = {};
  std::optional<std::chrono::seconds> session_timeout = {};
  std::optional<std::int64_t> sessions_max = {};
  GroundhogRates rates = {};
  std::string record = {};  ///< Absolute path.
  std::optional<std::chrono::days> retention = {};
  std::vector<GroundhogExport> exports = {};
};

/// The keys of Groundhog's language.
std::span<const KnownKey> groundhog_keys();

/// Reads a Groundhog document whose reader knows `groundhog_keys()`, and tells `report` what
/// becomes of each key. What has no counterpart is a problem of the reader's.
///
/// Input: `hosts` are names of the gateway that its clients use, beside its address.
/// Source: the document of Groundhog, "Protocol Configuration".
GroundhogSettings read_groundhog(TableReader& root, const std::vector<std::string>& hosts,
                                 ConversionReport& report);

}  // namespace bartizan
