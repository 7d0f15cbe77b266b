#include "gateway/identity/approval_keys.h"

#include <cstddef>
#include <fstream>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "config/load/load_config.h"

namespace bartizan {
namespace {

/// A key in PEM takes 113 bytes.
constexpr std::size_t kFileBytesMax = std::size_t{16} << 10;

class Reading {
 public:
  explicit Reading(const ApprovalsConfig& approvals) : approvals_(approvals) {}

  ReadApprovalKeys run() && {
    ApprovalKeys& keys = read_.keys;
    keys.own = read_own("signing_key", approvals_.signing_key);
    keys.previous = read_own("previous_key", approvals_.previous_key);
    if (keys.own != nullptr && keys.previous != nullptr && keys.own->id() == keys.previous->id()) {
      report(approvals_.previous_key.where, "\"previous_key\" is the same key as \"signing_key\"");
    }
    for (const auto& [name, key] : approvals_.keys)
      read_signer(key);
    keys.files = Digester().sha256(all_);
    return std::move(read_);
  }

 private:
  void report(const Position& where, std::string detail) {
    read_.problems.push_back({.where = where, .detail = std::move(detail)});
  }
  void report_unread(const Position& where, std::string detail) {
    read_.problems.push_back({.where = where, .detail = std::move(detail), .is_error = false});
  }

  /// Unambiguous: no two series of keys give the same bytes.
  void add(std::string_view text) {
    all_ += std::to_string(text.size()) + ':';
    all_ += text;
  }

  std::shared_ptr<const RecordKey> read_own(std::string_view name, const SecretReference& place) {
    if (place.kind == SecretReference::Kind::none) {
      add("none");
      return nullptr;
    }
    const Result<SecretText> pem = read_secret(place);
    if (!pem.has_value()) {
      report_unread(place.where, pem.error().detail);
      if (is_open_to_everyone(place)) {
        // Every user of the machine may have read it by now.
        read_.problems.back().hint = "and put another key in its place";
        read_.problems.back().is_error = true;
      }
      return nullptr;
    }
    Result<RecordKey> key = RecordKey::read(pem->view());
    if (!key.has_value()) {
      report(place.where, fmt::format("\"{}\" {}", name, key.error().detail));
      return nullptr;
    }
    add(key->id());
    return std::make_shared<const RecordKey>(*std::move(key));
  }

  static std::optional<std::string> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text(kFileBytesMax, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad() || file.gcount() == 0) return std::nullopt;
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
  }

  void read_signer(const ApprovalKeyConfig& config) {
    add(config.name);
    add(config.principal);
    const auto pem = read_file(config.file);
    if (!pem.has_value()) {
      return report_unread(config.where, fmt::format("\"{}\" cannot be read", config.file));
    }
    add(*pem);
    Result<IssuerKey> key = read_signer_key(*pem);
    if (!key.has_value()) {
      return report(config.where, fmt::format("\"{}\" {}", config.file, key.error().detail));
    }
    const ApprovalKeys& keys = read_.keys;
    for (const auto& own : {keys.own, keys.previous}) {
      if (own == nullptr || own->id() != key->id) continue;
      // The gateway's signatures for its record would then be valid decisions.
      return report(config.where, fmt::format("\"{}\" is the gateway's own key", config.file));
    }
    for (const SignerKey& other : keys.signers) {
      if (other.key.id != key->id) continue;
      return report(config.where, fmt::format("\"{}\" is the same key as that of \"{}\"",
                                              config.file, other.name));
    }
    read_.keys.signers.push_back(
        {.name = config.name, .principal = config.principal, .key = *std::move(key)});
  }

  const ApprovalsConfig& approvals_;
  ReadApprovalKeys read_;
  std::string all_;  ///< Everything read, by public names.
};

}  // namespace

ReadApprovalKeys read_approval_keys(const ApprovalsConfig& approvals) {
  return Reading(approvals).run();
}

}  // namespace bartizan
