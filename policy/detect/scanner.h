#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "policy/detect/detector_match.h"
#include "policy/detect/scan_database.h"
#include "policy/detect/scan_text.h"
#include "policy/text/encoded_text.h"
#include "policy/text/revealed_text.h"

struct hs_scratch;

namespace bartizan {

/// Finds secrets in texts. Hyperscan finds literals, and readers examine the text around each. One
/// layer of encoding is decoded. Its matches are ranges of the encoded bytes.
///
/// Input:   decoded UTF-8, or any other bytes. NUL separates joined texts, and no match spans one.
/// Threads: not thread-safe; one per worker. Several may share a database.
/// Cost:    linear in the text, for any bytes; see `work`.
class Scanner {
 public:
  static constexpr std::size_t kSightingsMax = ScanText::kSightingsMax;

  explicit Scanner(const std::shared_ptr<const ScanDatabase>& database);
  ~Scanner();
  Scanner(const Scanner&) = delete;
  Scanner& operator=(const Scanner&) = delete;

  /// Uses another database from now on.
  void use(const std::shared_ptr<const ScanDatabase>& database);

  /// How texts may hide the separators of a secret, from now on. A match in such a text includes
  /// the hidden characters.
  void see_through(Hiding hiding) { hiding_ = hiding; }

  /// Returns all matches, sorted by `begin`, then by `end`. Matches of one detector do not overlap;
  /// those of several may. After `kSightingsMax` matches the scan stops; the matches may then
  /// overlap. Valid until the next call.
  std::span<const DetectorMatch> scan(std::string_view text);

  /// The bytes that the readers read in the last scan, without the search for literals.
  std::uint64_t work() const { return work_; }
  /// The number of ASCII order words that this scanner met in its life. It increases by one for a
  /// text with too many matches.
  std::uint64_t order_words() const { return order_words_; }

 private:
  struct Hit {
    std::size_t end;
    std::uint32_t literal;
  };
  struct Freed {
    void operator()(hs_scratch* scratch) const;
  };
  static int note_hit(unsigned literal, unsigned long long from, unsigned long long to,
                      unsigned flags, void* scanner);
  void start(std::string_view text);
  void search(std::string_view text);
  void keep_found();
  void read_run(TextRange run);
  bool is_full() const { return sightings_.size() >= kSightingsMax; }
  void search_encoded(std::string_view text);
  void search_seen(std::string_view text);
  template <class Source>
  void keep_sightings(const Source& source);
  void read_hits();
  void read_rule(std::size_t rule, std::size_t place);
  void read_untriggered();
  void read_hit(const Hit& hit);

  std::shared_ptr<const ScanDatabase> database_;
  std::unique_ptr<hs_scratch, Freed> scratch_;
  std::vector<Hit> hits_;
  ScanText text_;
  EncodedText encoded_;
  RevealedText seen_;
  Hiding hiding_ = Hiding::none;
  std::vector<DetectorMatch> sightings_;
  std::vector<std::size_t> own_ends_;   ///< The searched end of each detector of the configuration.
  std::vector<std::size_t> rule_ends_;  ///< The searched end of each rule of gitleaks.
  std::uint64_t work_ = 0;
  std::uint64_t order_words_ = 0;
};

}  // namespace bartizan
