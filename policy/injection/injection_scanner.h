#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policy/injection/injection_family.h"
#include "schemas/json/json.h"

struct hs_scratch;

namespace bartizan {

/// A family that was found in a message, and the number of its signs.
struct FoundInjection {
  InjectionFamily family = InjectionFamily::overriding;
  std::uint32_t count = 0;

  bool operator==(const FoundInjection&) const = default;
};

/// The families and places found in a message.
struct Injections {
  std::vector<FoundInjection> found;  ///< Each family once, in the order of the enumeration.
  /// Strings with a sign of a found family, in the order of the message; empty for a text that is
  /// not JSON.
  struct Place {
    JsonValue value;
    InjectionFamily family = InjectionFamily::overriding;
  };
  std::vector<Place> places;
};

/// Finds text that addresses the model that reads it. Hyperscan searches texts for rare words. The
/// text around each is searched for phrases, with compatibility forms and look-alikes of Latin
/// letters folded, and invisible characters removed. Strings are joined in their order, as a reader
/// of the message sees them. A finding is not proof of an attack, and an attack can be missed.
///
/// Threads: not thread-safe; one per worker. All share one database, made at first use.
/// Cost:    clean text costs one search for literals, and a copy if it is shorter than 8 KiB.
///          Around a rare word, half a kilobyte is split into words. Linear for any text. Memory is
///          bounded except for the places, since long texts are read in parts.
class InjectionScanner {
 public:
  InjectionScanner();
  ~InjectionScanner();
  InjectionScanner(const InjectionScanner&) = delete;
  InjectionScanner& operator=(const InjectionScanner&) = delete;

  Injections scan(JsonValue value);
  Injections scan(std::string_view text);

  /// The work since construction. For tests.
  struct Work {
    std::uint64_t words = 0;
    std::size_t words_at_once = 0;  ///< The most of one window.
  };
  const Work& work() const { return work_; }

 private:
  struct Freed {
    void operator()(hs_scratch* scratch) const;
  };
  /// A string, by its begin in the block.
  struct Piece {
    std::size_t begin;
    JsonValue value;
  };
  struct Window {
    std::size_t begin, end;
  };
  /// A part that is searched at once. Literals before `from` and from `to` on belong to the
  /// neighbouring blocks. Blocks overlap, so that each literal is seen with the text around it.
  struct Block {
    std::string_view text;
    std::size_t from, to;
  };
  /// A found sign.
  struct Sign {
    std::size_t place;   ///< In all searched text of the message.
    std::size_t number;  ///< The sign's number: phrases first, then signs in bytes.
    JsonValue value;
    bool is_counted;
  };
  static int note_hit(unsigned literal, unsigned long long from, unsigned long long to,
                      unsigned flags, void* scanner);
  void begin();
  void add(std::string_view text, JsonValue value);
  void search_batch();
  void search_long(std::string_view text);
  void search_folded(std::string_view text);
  void search(const Block& block);
  void read_hit(unsigned literal, std::size_t end);
  void read_window(const Window& window);
  void note(std::size_t number, std::size_t place);
  void sum_points();
  void sum_points(InjectionFamily family);
  void count(const Sign& sign);
  Injections judge();

  std::unique_ptr<hs_scratch, Freed> scratch_;
  std::string batch_;
  std::vector<Piece> pieces_;  ///< Of the block, in its order.
  Block block_{};              ///< The block in search.
  std::size_t searched_ = 0;   ///< The length of the message before it.
  std::vector<Window> windows_;
  std::vector<Sign> signs_;          ///< Of the block, and near its begin.
  std::vector<std::uint32_t> near_;  ///< How often each sign is near the present one.
  std::array<std::uint32_t, kInjectionFamilyCount> counts_{};
  std::vector<Injections::Place> places_;
  Work work_;
};

}  // namespace bartizan
