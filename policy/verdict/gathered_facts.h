#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bartizan {

namespace limits {
/// What one call may make policy ask of the disk and of name servers: places, files that are read,
/// names that are looked up.
inline constexpr std::size_t questions_max = 256;
inline constexpr std::size_t content_questions_max = 16;
inline constexpr std::size_t address_questions_max = 16;
/// How long a call waits for the answers to what it was asked at once, and how often more may be
/// asked for because of these.
inline constexpr std::chrono::milliseconds gathering_timeout{2'000};
inline constexpr std::uint32_t gatherings_max = 8;
/// Bytes of a file whose digest is asked for.
inline constexpr std::uint64_t digested_file_bytes_max = std::uint64_t{10} << 20;
/// Bytes at the beginning of a file that are looked at where it has to be text.
inline constexpr std::size_t text_window_bytes = std::size_t{8} << 10;
}  // namespace limits

/// What a call makes a policy ask of the world outside, which no check may look at by itself.
struct FactQuery {
  enum class Kind : std::uint8_t {
    place,      ///< Where a path below a root leads on this machine's disk.
    content,    ///< What the file there holds.
    text,       ///< Whether it begins as text does.
    addresses,  ///< What a name leads to.
  } kind = Kind::place;
  /// Of a place and its content: the folder that it must be in, absolute, without a slash at its
  /// end; `/` for the top. Empty for what is looked up, and in facts that a person describes.
  std::string root = {};
  /// Below the root, without a slash in front, as it is spelled but for `.`; empty for the root
  /// itself. What is looked up; in facts that a person describes, the absolute path.
  std::string name = {};

  bool operator==(const FactQuery&) const = default;
};

/// The whole path, or the name that is looked up.
std::string absolute_name(const FactQuery& question);
/// As the description of a call names it: `places "/srv/data/a.md"`.
std::string text(const FactQuery& question);

/// Where a path led when somebody looked.
struct FoundPlace {
  enum class Where : std::uint8_t {
    inside,   ///< There is something, and it is below the root.
    absent,   ///< There is nothing, and the nearest folder above is below the root.
    outside,  ///< A link, or `..`, leads out of the root.
  } where = Where::outside;
  enum class Kind : std::uint8_t { file, directory, other } kind = Kind::other;
  std::uint64_t bytes = 0;  ///< Of a file.
  /// Below the root, without any link: what is named, as it is on the disk. Nothing where there was
  /// no link.
  std::optional<std::string> leads_to = {};

  bool operator==(const FoundPlace&) const = default;
};

/// What a file held: SHA-256 in lower-case hex; empty where it is no file, or too large a one.
struct FoundContent {
  std::string sha256 = {};
  bool operator==(const FoundContent&) const = default;
};

/// How a regular file began when somebody looked.
struct FoundText {
  bool is_text = false;  ///< Valid UTF-8 without NUL, as far as `limits::text_window_bytes`.
  bool operator==(const FoundText&) const = default;
};

/// Where a name led, each as the kernel writes it; never empty.
struct FoundAddresses {
  std::vector<std::string> addresses = {};
  bool operator==(const FoundAddresses&) const = default;
};

/// Nobody could tell.
struct NotFoundOut {
  enum class Why : std::uint8_t {
    unanswered,        ///< No answer in time, no such name, no room: it may be told another time.
    not_reachable,     ///< A folder on the way is none, is missing, or may not be entered.
    leads_nowhere,     ///< A link leads to nothing.
    leads_in_circles,  ///< Links lead to each other, or one of the kernel's for processes is there.
    not_readable,      ///< It is there, and the gateway may not read it.
    too_long,          ///< No name on that disk is so long.
  } why = Why::unanswered;
  bool operator==(const NotFoundOut&) const = default;
};

using Finding = std::variant<NotFoundOut, FoundPlace, FoundContent, FoundText, FoundAddresses>;

/// A question with its answer, as it was when it was asked.
struct GatheredFact {
  FactQuery question = {};
  Finding finding = {};
  bool operator==(const GatheredFact&) const = default;
};

/// The questions of one call, each once, and no more than one call may pose
/// (`limits::questions_max` of places and texts, and fewer of what costs more).
class QuestionList {
 public:
  /// Input: so many of each kind were answered already.
  explicit QuestionList(std::span<const GatheredFact> known);
  void add(FactQuery::Kind kind, std::string_view root, std::string_view name);
  /// None, where there are more than one call may pose: it will be refused whatever the answers.
  std::vector<FactQuery> take() &&;

 private:
  static constexpr std::size_t kKinds = 4;
  std::array<std::size_t, kKinds> counts_ = {};
  std::vector<FactQuery> questions_;
  bool is_full_ = false;
};

/// What is known of the world outside while one call is judged.
///
/// Lifetime: views the facts.
struct FactSource {
  std::span<const GatheredFact> facts = {};
  /// While it is found out what is to be asked: where that is noted. What is not known yet then
  /// counts as what would let the call pass. Null while a call is judged.
  QuestionList* open = nullptr;
};

/// The answer to a question; null where nobody has asked. Cost: a pass over the facts.
const Finding* find_fact(std::span<const GatheredFact> facts, FactQuery::Kind kind,
                         std::string_view root, std::string_view name);

}  // namespace bartizan
