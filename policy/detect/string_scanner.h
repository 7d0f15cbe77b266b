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

/// Something that a detector found in one string.
struct FoundPart {
  std::size_t string = 0;  ///< Where it begins in the message, which tells strings apart.
  JsonValue value;         ///< Absent of a text that is no JSON.
  bool is_name = false;    ///< The string is the name that the value stands under.
  std::string_view text;   ///< The whole string, decoded.
  ByteRange part;          ///< Of it, what was found …
  ByteRange whole;         ///< … and what that is a part of, such as a URL.
  DetectorId detector = 0;
};

/// Scans all strings of a JSON value, names included, each short one behind the name that it stands
/// under, or that stands beside it: `"password":"…"` says more than its value alone, and so do
/// `"name":"PASSWORD","value":"…"` and `"--password","…"`. Numbers are scanned where they have such
/// a name. What the elements of a list say
/// (`visit_neighbours`) is scanned once more as one text, and so is what a message says behind what
/// the one before it said: whoever reads them reads on. What a text ends with goes on in the next
/// one. Elements of a list of strings are values each, but for those of structured content, which a
/// client may join as it joins texts; there, too, an element that begins like `NAME=` or `--name`
/// goes on with nothing.
///
/// Lifetime: leased from one worker; its memory is used again.
/// Cost:     a copy of all short strings, and one scan of all strings; of the ends of neighbours,
///           one more for each way in which they are joined.
class StringScanner {
 public:
  /// More is not looked for: a message that holds so many is a list of secrets.
  static constexpr std::size_t kFoundMax = 10'000;
  static_assert(kFoundMax < Scanner::kSightingsMax);
  /// How much of a text is joined with its neighbours, at each end.
  static constexpr std::size_t kJoinedBytes = std::size_t{8} << 10;

  explicit StringScanner(const std::shared_ptr<const ScanDatabase>& database)
      : scanner_(database) {}

  /// Looks for what another database looks for from now on.
  void use(const std::shared_ptr<const ScanDatabase>& database) { scanner_.use(database); }

  /// How texts may hide what parts a secret, from now on.
  void see_through(Hiding hiding) { scanner_.see_through(hiding); }

  /// What was found, string by string; in a string by where it begins, and the longer part first.
  /// Lifetime: until the next scan, and as long as the value's document.
  ///
  /// Input: `before`, what was said just before what `said`, a part of the value, says: each of
  ///        these may be what it goes on with.
  std::span<const FoundPart> scan(JsonValue value, JsonValue said = {},
                                  std::span<const std::string_view> before = {});
  std::span<const FoundPart> scan(std::string_view text);

  /// Whether a word that orders have stood in any string of the last scan, as it is written there:
  /// of a text that is all ASCII, and in which nothing was found, it says all.
  bool met_order_words() const { return scanner_.order_words() != order_words_before_; }

 private:
  /// A string within what is scanned at once, or a part of one.
  struct Piece {
    std::size_t begin = 0;  ///< In the batch.
    JsonValue value;
    enum class Kind : std::uint8_t {
      value,
      name,
      before  ///< Of another message: nothing in it can be taken out any more.
    } kind = Kind::value;
    std::string_view text;  ///< The whole string.
    ByteRange part;         ///< Of it, what stands in the batch.
  };
  /// Whether the strings of a batch stand each for itself, or go on in the next one.
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
  std::uint64_t order_words_before_ = 0;  ///< What the scanner had met before the last scan.
  std::string batch_;
  Pieces pieces_;  ///< Of `batch_`, in its order.
  NamesBeside names_beside_;
  JsonDocument inner_;  ///< A text of the value that is JSON itself.
  NamesBeside names_within_;
  std::vector<FoundPart> found_;
  ByteRange structured_;         ///< Where the structured content of a result lies.
  std::size_t found_apart_ = 0;  ///< Of these, how many were found in strings by themselves.
  /// In what was said before: where each begins, and by which detector.
  std::vector<std::pair<std::size_t, DetectorId>> found_before_;
};

/// The last words of who says `said` behind `before`: at most `StringScanner::kJoinedBytes`, which
/// the next words of the same kind may go on with.
///
/// Input: `said`, parameters of a notification, of which the message or the data is what it says.
/// Source: MCP 2025-11-25, schema, "ProgressNotificationParams",
/// "LoggingMessageNotificationParams".
std::string last_words(JsonValue said, std::string_view before);

}  // namespace bartizan
