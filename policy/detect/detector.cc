#include "policy/detect/detector.h"

#include <algorithm>
#include <cstdlib>

#include "policy/detect/detector_id.h"
#include "policy/detect/named_secrets.h"
#include "policy/detect/token_formats.h"
#include "schemas/base/keep_each_once.h"

namespace bartizan {
namespace {

constexpr std::string_view kSecrets = "secrets";
constexpr std::string_view kPersonal = "pii";

/// Detectors that have a reader.
constexpr std::string_view kReaders[] = {
    "assignment",  "azure.sas", "command.password", "connection.password", "http.authorization",
    "http.cookie", "jwt",       "private_key",      "url.password",        "url.presigned",
};

/// Data of persons, and of their machines and accounts.
constexpr std::string_view kPersonalReaders[] = {
    "pii.card",
    "pii.iban",
    "pii.us_ssn",
    "pii.email",
    "pii.phone",
    "pii.ip",
    "pii.mac",
    "pii.crypto",
    "pii.uk_nhs",
    "pii.uk_nino",
    "pii.es_nif",
    "pii.es_nie",
    "pii.it_fiscal_code",
    "pii.pl_pesel",
    "pii.in_aadhaar",
    "pii.in_pan",
    "pii.au_tfn",
    "pii.ca_sin",
    "pii.sg_nric",
    "pii.fi_hetu",
    "pii.se_personnummer",
    "pii.kr_rrn",
};

std::vector<Detector> make_detectors() {
  std::vector<std::string_view> names(std::begin(kReaders), std::end(kReaders));
  for (const TokenFormat& format : token_formats())
    names.push_back(format.detector);
  for (const TokenFormat& format : run_formats())
    names.push_back(format.detector);
  for (const NamedSecret& secret : named_secrets())
    names.push_back(secret.detector);
  keep_each_once(names);
  std::vector<Detector> made;
  made.reserve(names.size() + std::size(kPersonalReaders));
  for (const std::string_view name : names)
    made.push_back({.name = name, .family = kSecrets});
  for (const std::string_view name : kPersonalReaders)
    made.push_back({.name = name, .family = kPersonal});
  std::ranges::sort(made, {}, &Detector::name);
  return made;
}

}  // namespace

std::span<const Detector> detectors() {
  static const std::vector<Detector> all = make_detectors();
  return all;
}

DetectorId detector_id(std::string_view name) {
  const auto found = std::ranges::lower_bound(detectors(), name, {}, &Detector::name);
  if (found == detectors().end() || found->name != name) std::abort();
  return static_cast<DetectorId>(found - detectors().begin());
}

bool is_known_by_name(DetectorId id) {
  static const DetectorId known = detector_id("assignment");
  return id == known;
}

bool is_open_ended(DetectorId id) {
  static const DetectorId open_ended = detector_id("private_key");
  return id == open_ended;
}

std::vector<DetectorId> select_detectors(std::string_view name) {
  const bool is_group = name.ends_with(".*");
  const std::string_view prefix = name.substr(0, is_group ? name.size() - 1 : 0);
  std::vector<DetectorId> selected;
  for (std::size_t i = 0; i < detectors().size(); ++i) {
    const Detector& detector = detectors()[i];
    const bool is_meant = is_group ? detector.name.starts_with(prefix)
                                   : detector.name == name || detector.family == name;
    if (is_meant) selected.push_back(static_cast<DetectorId>(i));
  }
  return selected;
}

}  // namespace bartizan
