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

/// A family that was found in a message, and how many of its signs.
struct FoundInjection {
  InjectionFamily family = InjectionFamily::overriding;
  std::uint32_t count = 0;

  bool operator==(const FoundInjection&) const = default;
};

/// What gives orders in a message.
struct Injections {
  std::vector<FoundInjection> found;  ///< Each family once, in the order of their list.
  /// Strings in which a sign of a family that was found stands, in the order of the message; of a
  /// text that is no JSON none.
  struct Place {
    JsonValue value;
    InjectionFamily family = InjectionFamily::overriding;
  };
  std::vector<Place> places;
};

/// Looks for text that talks to the model which reads it. Texts are searched for rare words by
/// Hyperscan, and what stands around them for phrases, with compatibility forms and letters that
/// look like Latin ones folded, and without what nobody sees. Strings are read one behind the
/// other, as whoever reads a message does. What is found is a sign and no proof; what is not found
/// may be there all the same.
///
/// Threads: not thread-safe; one per worker. All share one database, made at first use.
/// Cost:    clean text costs one search for literals, and a copy where it is shorter than 8 KiB;
///          around a rare word half a kilobyte is read as words. Linear, whatever the text; beside
///          the places, memory is bounded, as long texts are read in parts.
class InjectionScanner {
 public:
  InjectionScanner();
  ~InjectionScanner();
  InjectionScanner(const InjectionScanner&) = delete;
  InjectionScanner& operator=(const InjectionScanner&) = delete;

  Injections scan(JsonValue value);
  Injections scan(std::string_view text);

  /// What was read as words since it was made. For tests.
  struct Work {
    std::uint64_t words = 0;
    std::size_t words_at_once = 0;  ///< The most of one window.
  };
  const Work& work() const { return work_; }

 private:
  struct Freed {
    void operator()(hs_scratch* scratch) const;
  };
  /// A string, by where it begins in the block.
  struct Piece {
    std::size_t begin;
    JsonValue value;
  };
  struct Window {
    std::size_t begin, end;
  };
  /// What is searched at once. Literals before `from` and from `to` on are those of the blocks
  /// beside it, which overlap so that each is seen with what stands around it.
  struct Block {
    std::string_view text;
    std::size_t from, to;
  };
  /// One sign that was found.
  struct Sign {
    std::size_t place;   ///< In all that was searched of the message.
    std::size_t number;  ///< Which: phrases first, then signs in bytes.
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
  Block block_{};              ///< That is searched now.
  std::size_t searched_ = 0;   ///< How much of the message lies before it.
  std::vector<Window> windows_;
  std::vector<Sign> signs_;          ///< Of the block, and near its begin.
  std::vector<std::uint32_t> near_;  ///< How often each sign stands near the one that is summed.
  std::array<std::uint32_t, kInjectionFamilyCount> counts_{};
  std::vector<Injections::Place> places_;
  Work work_;
};

}  // namespace bartizan
