#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/detect/adjacent_names.h"
#include "policy/detect/scanner.h"
#include "schemas/base/bytes.h"
#include "schemas/json/json.h"

namespace bartizan {

/// A match of a detector in one string.
struct FoundPart {
  std::size_t string = 0;  ///< The offset of the string in the message, which identifies it.
  JsonValue value;         ///< Absent for a text that is not JSON.
  bool is_name = false;    ///< The string is the name of the value.
  std::string_view text;   ///< The whole string, decoded.
  ByteRange part;          ///< The matched part of the text.
  ByteRange whole;         ///< The larger whole of the match, such as a URL.
  DetectorId detector = 0;
};

/// Scans all strings of a JSON value, names included. A short string is scanned after its name:
/// `"password":"…"` says more than the value alone. The same holds for adjacent names:
/// `"name":"PASSWORD","value":"…"` and `"--password","…"`. Numbers with such a name are scanned
/// too.
///
/// The texts of a list (`visit_neighbours`) are also scanned as one joined text. The same holds for
/// a message and the texts before it, because a client may read them as one. The end of a text
/// continues in the next one. Elements of a list of strings are separate values, except in
/// structured content, which a client may join. There, an element that begins with `NAME=` or
/// `--name` does not continue the element before it.
///
/// Lifetime: leased from a worker; its memory is reused.
/// Cost:     a copy of all short strings, and one scan of all strings. The ends of adjacent texts
///           are scanned once more for each way to join them.
class StringScanner {
 public:
  /// The most matches that are kept. A message with more is a list of secrets.
  static constexpr std::size_t kFoundMax = 10'000;
  static_assert(kFoundMax < Scanner::kSightingsMax);
  /// The bytes at each end of a text that are joined with adjacent texts.
  static constexpr std::size_t kJoinedBytes = std::size_t{8} << 10;

  explicit StringScanner(const std::shared_ptr<const ScanDatabase>& database)
      : scanner_(database) {}

  /// Uses another database from now on.
  void use(const std::shared_ptr<const ScanDatabase>& database) { scanner_.use(database); }

  /// How texts may hide the separators of a secret, from now on.
  void see_through(Hiding hiding) { scanner_.see_through(hiding); }

  /// Returns the matches, grouped by string. Inside a string they are sorted by their beginning,
  /// the longer first.
  /// Input:    `said` is a part of the value. `before` has earlier texts that `said` may continue.
  /// Lifetime: until the next scan, and at most that of the value's document.
  std::span<const FoundPart> scan(JsonValue value, JsonValue said = {},
                                  std::span<const std::string_view> before = {});
  std::span<const FoundPart> scan(std::string_view text);

  /// Whether the last scan met an order word, as it is spelled. Without one, a text of only ASCII
  /// in which nothing was found has none.
  bool met_order_words() const { return scanner_.order_words() != order_words_before_; }

 private:
  /// A string, or a part of one, in the batch.
  struct Piece {
    std::size_t begin = 0;  ///< In the batch.
    JsonValue value;
    enum class Kind : std::uint8_t {
      value,
      name,
      before  ///< Of an earlier message, which cannot be redacted any more.
    } kind = Kind::value;
    std::string_view text;  ///< The whole string.
    ByteRange part;         ///< Its part in the batch.
  };
  /// Whether the strings of a batch continue each other.
  enum class Joined : std::uint8_t { no, yes };

  void add(JsonValue value);
  void add_piece(Piece piece);
  void add_ends(JsonValue value);
  void join(std::span<const JsonValue> texts);
  void join_spoken(JsonValue said, std::string_view before);
  void add_named(const NamedValue& named, Piece piece);
  void add_named_within(JsonValue value);
  void scan_batch(Joined joined);
  void go_on_behind(std::size_t bytes);
  using Pieces = std::vector<Piece>;
  bool continues_past(const DetectorMatch& sighting, Pieces::const_iterator piece) const;
  bool continues(const Piece& piece) const;
  bool is_whole(const DetectorMatch& sighting, const Piece& piece) const;
  bool was_found_apart(const DetectorMatch& sighting, const Piece& piece) const;
  bool is_structured(const Piece& piece) const;
  void scan_alone(const Piece& piece);
  void add_found(const DetectorMatch& sighting, const Piece& piece);
  void sort_found();

  Scanner scanner_;
  std::uint64_t order_words_before_ = 0;  ///< The scanner's count before the last scan.
  std::string batch_;
  Pieces pieces_;  ///< Of `batch_`, in its order.
  NamesBeside names_beside_;
  JsonDocument inner_;  ///< A text of the value that is JSON itself.
  NamesBeside names_within_;
  std::vector<FoundPart> found_;
  ByteRange structured_;         ///< The structured content of a result.
  std::size_t found_apart_ = 0;  ///< The number of matches in separate strings.
  /// The matches in the earlier texts: their beginnings and detectors.
  std::vector<std::pair<std::size_t, DetectorId>> found_before_;
};

/// Returns the last part of `said` after `before`: at most `StringScanner::kJoinedBytes`. The next
/// notification of the same kind may continue it.
///
/// Input:  `said`, the parameters of a notification. Its text is the message or the data.
/// Source: MCP 2025-11-25, schema, "ProgressNotificationParams",
///         "LoggingMessageNotificationParams".
std::string last_words(JsonValue said, std::string_view before);

}  // namespace bartizan
