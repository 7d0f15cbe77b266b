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

/// `tls` of an enabled Groundhog transport. All paths are absolute.
struct GroundhogTls {
  std::string cert;
  std::string key;
  std::string client_ca = {};  ///< Empty: none.
};

/// Rates in the syntax of `[limit.NAME]`: `1000/s`, `60000/min`.
struct GroundhogRates {
  std::vector<std::string> everyone = {};
  std::vector<std::string> user = {};
  std::vector<std::string> tool = {};
};

/// The parts of a Groundhog configuration with an equivalent here. If the file has problems, some
/// are empty.
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

/// The keys of Groundhog's configuration language.
std::span<const KnownKey> groundhog_keys();

/// Reads a Groundhog document, and adds the conversion of each key to `report`. A key without an
/// equivalent is a problem of the reader.
///
/// Input: a `root` that knows `groundhog_keys()`; `hosts`, further host names by which clients
///        reach the gateway.
/// Source: the document of Groundhog, "Protocol Configuration".
GroundhogSettings read_groundhog(TableReader& root, const std::vector<std::string>& hosts,
                                 ConversionReport& report);

}  // namespace bartizan
