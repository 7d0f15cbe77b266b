#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/scanner.h"
#include "schemas/bytes.h"
#include "schemas/json.h"

namespace bartizan {

/// Something that a detector found in one string.
struct FoundPart {
  std::size_t string = 0;  ///< Of those that were scanned, in their order: a name, then its value.
  JsonValue value;         ///< Absent of a text that is no JSON.
  bool is_name = false;    ///< The string is the name that the value stands under.
  std::string_view text;   ///< The whole string, decoded.
  ByteRange part;          ///< Of it, what was found …
  ByteRange whole;         ///< … and what that is a part of, such as a URL.
  DetectorId detector = 0;
};

/// Scans all strings of a JSON value, names included, each short one behind the name that it stands
/// under: `"password":"…"` says more than its value alone.
///
/// Lifetime: leased from one worker; its memory is used again.
/// Cost:     a copy of all short strings, and one scan of all strings.
class StringScanner {
 public:
  /// More is not looked for: a message that holds so many is a list of secrets.
  static constexpr std::size_t kFoundMax = 10'000;
  static_assert(kFoundMax < Scanner::kSightingsMax);

  explicit StringScanner(std::shared_ptr<const ScanDatabase> database)
      : scanner_(std::move(database)) {}

  /// What was found, string by string; in a string by where it begins, and the longer part first.
  /// Lifetime: until the next scan, and as long as the value's document.
  std::span<const FoundPart> scan(JsonValue value);
  std::span<const FoundPart> scan(std::string_view text);

 private:
  /// A string within what is scanned at once.
  struct Piece {
    std::size_t begin = 0;
    std::size_t string = 0;
    JsonValue value;
    bool is_name = false;
    std::string_view text;
  };

  void add(JsonValue value);
  void add_piece(Piece piece);
  void scan_batch();
  void scan_alone(const Piece& piece);
  void add_found(const Sighting& sighting, const Piece& piece);
  void sort_found();

  Scanner scanner_;
  std::string batch_;
  std::vector<Piece> pieces_;  ///< Of `batch_`, in its order.
  std::vector<FoundPart> found_;
  std::size_t strings_ = 0;
};

}  // namespace bartizan
