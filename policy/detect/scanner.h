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

/// Finds secrets in texts: literals by Hyperscan, and what stands around each by readers of our
/// own. Looks through one encoding; what it finds there is the range of the encoded bytes.
///
/// Input:   decoded UTF-8, or any other bytes; a NUL parts texts that are joined, and no sighting
///          spans one.
/// Threads: not thread-safe; one per worker. Several may share a database.
/// Cost:    linear in the text, whatever its bytes: `work` counts.
class Scanner {
 public:
  static constexpr std::size_t kSightingsMax = ScanText::kSightingsMax;

  explicit Scanner(const std::shared_ptr<const ScanDatabase>& database);
  ~Scanner();
  Scanner(const Scanner&) = delete;
  Scanner& operator=(const Scanner&) = delete;

  /// Looks for what another database looks for from now on.
  void use(const std::shared_ptr<const ScanDatabase>& database);

  /// How texts may hide what parts a secret, from now on. What is found there is a sighting with
  /// all that is hidden within.
  void see_through(Hiding hiding) { hiding_ = hiding; }

  /// Every sighting of all detectors, by `begin`, then by `end`. Those of one detector do not
  /// overlap; those of several may. Of a text with more than `kSightingsMax` these are so many, as
  /// they came, and the rest of it was not searched. Valid until the next call.
  std::span<const DetectorMatch> scan(std::string_view text);

  /// How many bytes the readers looked at in the last scan, beyond the search for literals.
  std::uint64_t work() const { return work_; }
  /// How many words that orders have were met since it was made, of those that are ASCII; a text
  /// that has too many sightings may have one.
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
  std::vector<std::size_t> own_ends_;   ///< How far each of the configuration's own was looked for.
  std::vector<std::size_t> rule_ends_;  ///< How far each rule of gitleaks was looked for.
  std::uint64_t work_ = 0;
  std::uint64_t order_words_ = 0;
};

}  // namespace bartizan
