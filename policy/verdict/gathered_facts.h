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
/// How many questions one call may cause: places on the disk, files that are read, names that are
/// looked up.
inline constexpr std::size_t questions_max = 256;
inline constexpr std::size_t content_questions_max = 16;
inline constexpr std::size_t address_questions_max = 16;
/// How long a call waits for answers, and how often these may lead to further questions.
inline constexpr std::chrono::milliseconds gathering_timeout{2'000};
inline constexpr std::uint32_t gatherings_max = 8;
/// The largest file whose digest is computed, in bytes.
inline constexpr std::uint64_t digested_file_bytes_max = std::uint64_t{10} << 20;
/// Bytes at the beginning of a file that are read to see whether it is text.
inline constexpr std::size_t text_window_bytes = std::size_t{8} << 10;
}  // namespace limits

/// A question of policy about the disk or a name. Checks may not look by themselves.
struct FactQuery {
  enum class Kind : std::uint8_t {
    place,      ///< Where a path below a root leads on this machine's disk.
    content,    ///< The content of the file there.
    text,       ///< Whether it begins as text does.
    addresses,  ///< The addresses of a name.
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

/// Where a path led at the time of the look-up.
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

/// The SHA-256 of a file in lower-case hex; empty if it is not a file, or is too large.
struct FoundContent {
  std::string sha256 = {};
  bool operator==(const FoundContent&) const = default;
};

/// Whether a regular file began as text at the time of the look-up.
struct FoundText {
  bool is_text = false;  ///< Valid UTF-8 without NUL, as far as `limits::text_window_bytes`.
  bool operator==(const FoundText&) const = default;
};

/// The addresses of a name, as the kernel writes them; never empty.
struct FoundAddresses {
  std::vector<std::string> addresses = {};
  bool operator==(const FoundAddresses&) const = default;
};

/// A question that could not be answered.
struct NotFoundOut {
  enum class Why : std::uint8_t {
    unanswered,        ///< No answer in time, no such name, no room: a later try may succeed.
    not_reachable,     ///< A folder on the way is missing, is not a folder, or may not be entered.
    leads_nowhere,     ///< A link leads to nothing.
    leads_in_circles,  ///< A loop of links, or one of the kernel's own links for processes.
    not_readable,      ///< It exists, and the gateway may not read it.
    too_long,          ///< The name is too long for that disk.
  } why = Why::unanswered;
  bool operator==(const NotFoundOut&) const = default;
};

using Finding = std::variant<NotFoundOut, FoundPlace, FoundContent, FoundText, FoundAddresses>;

/// A question with its answer at the time of the question.
struct GatheredFact {
  FactQuery question = {};
  Finding finding = {};
  bool operator==(const GatheredFact&) const = default;
};

/// The questions of one call, each once. Their number is bounded: `limits::questions_max` for
/// places and texts, fewer for files and names.
class QuestionList {
 public:
  /// Input: the questions that were answered already, which count too.
  explicit QuestionList(std::span<const GatheredFact> known);
  void add(FactQuery::Kind kind, std::string_view root, std::string_view name);
  /// Nothing if there are too many: the call will then be refused in any case.
  std::vector<FactQuery> take() &&;

 private:
  static constexpr std::size_t kKinds = 4;
  std::array<std::size_t, kKinds> counts_ = {};
  std::vector<FactQuery> questions_;
  bool is_full_ = false;
};

/// The gathered facts while one call is judged.
///
/// Lifetime: views the facts.
struct FactSource {
  std::span<const GatheredFact> facts = {};
  /// The list for questions while they are collected. An unknown answer then counts as the best
  /// one. Null while a call is judged.
  QuestionList* open = nullptr;
};

/// The answer to a question; null if it was not asked. Cost: a pass over the facts.
const Finding* find_fact(std::span<const GatheredFact> facts, FactQuery::Kind kind,
                         std::string_view root, std::string_view name);

}  // namespace bartizan
