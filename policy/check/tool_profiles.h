#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/config.h"
#include "policy/access/access_table.h"
#include "policy/check/argument_rewrites.h"
#include "policy/check/check_result.h"
#include "policy/check/pinned_names.h"
#include "policy/check/registered_tools.h"
#include "policy/check/renamed_arguments.h"
#include "policy/predicate/value_predicate.h"
#include "policy/text/argument_pointer.h"
#include "policy/verdict/call.h"
#include "schemas/base/text_hash.h"
#include "schemas/schema/json_schema.h"

namespace bartizan {

/// The predicates of all profiles of a tool for one pointer.
struct ArgumentGuard {
  std::vector<PointerSegment> segments;
  /// Each must hold for every selected value.
  std::vector<std::shared_ptr<const ValuePredicate>> predicates;
  bool absent = false;   ///< A profile requires that nothing is selected.
  bool optional = true;  ///< Every profile with this pointer sets it, or `absent`.
};

/// An argument whose value is in the record of each decision.
struct RecordedArgument {
  std::string pointer;
  std::vector<PointerSegment> segments;
};

/// All profiles that match one tool, conjoined.
struct MergedProfile {
  std::vector<std::string> permissions;        ///< Sorted, each once.
  std::vector<std::string> categories;         ///< Sorted, each once.
  std::optional<Risk> risk;                    ///< The highest.
  std::optional<Reversibility> reversibility;  ///< The highest.
  bool is_listed = true;                       ///< While every profile says so.
  ResultLimits result;                         ///< The smallest.
  /// What happens to a larger result: it is withheld if one profile says so, or if none says
  /// anything.
  std::optional<ToolProfile::Oversize> oversize;
  std::optional<PinnedTool> pinned;                  ///< The tool's entry in the lock file.
  std::optional<std::chrono::milliseconds> timeout;  ///< The shortest.
  std::optional<std::chrono::milliseconds> slow;     ///< The shortest.
  std::optional<std::uint32_t> cost;                 ///< The highest.
  std::vector<ToolLabel> labels;                     ///< Sorted, each once.
  std::vector<ArgumentGuard> guards;                 ///< One for each pointer.
  /// The arguments that any profile records, each pointer once, in the order of their bytes.
  std::vector<RecordedArgument> recorded;
  bool asks_outside = false;  ///< A guard needs a look-up on the disk or of a name.
  RenamedArguments renames;   ///< Applied first: everything below uses the names as sent.
  ArgumentRewrites rewrites;  ///< Applied before anything is judged.
  /// The operator's schemas, which arguments must fit in addition to the server's own.
  std::vector<std::shared_ptr<const JsonSchema>> overlays;
  /// The approved registration of the tool; null if there is none.
  const ToolRegistration* registration = nullptr;
  /// The output schema of a registration, which structured content must fit too; null for none.
  std::shared_ptr<const JsonSchema> result_overlay;
  /// How arguments are validated by the server's schema: as strictly as any profile requires.
  ValidationOptions validation;
  SchemaOptions::Untranslatable untranslatable = SchemaOptions::Untranslatable::refuse;
};

/// The profiles of all tools. For a tool that is known when it is built the answer is one hash
/// probe; for another one, the patterns are matched.
///
/// Threads: immutable once built.
class ToolProfiles {
 public:
  ToolProfiles() = default;
  ToolProfiles(const Config& config, const KnownNames& names);

  /// A profile that lives in the table, or that was made for this question. Never outlives the
  /// table.
  class Found {
   public:
    const MergedProfile& operator*() const { return made_ ? *made_ : *known_; }
    const MergedProfile* operator->() const { return &**this; }

   private:
    friend class ToolProfiles;
    const MergedProfile* known_ = nullptr;
    std::unique_ptr<const MergedProfile> made_;
  };
  Found find(std::string_view server, std::string_view tool) const;
  /// For the target of a call, which may have it already.
  Found find(const Call& call) const;
  /// That of `server/tool` where it lives in the table; null where it would have to be made.
  const MergedProfile* known(std::string_view name) const;
  /// The tool's entry in the lock file, or null.
  const PinnedTool* find_pin(std::string_view server, std::string_view tool) const;
  /// Why the tool's registration prevents all calls, as a sentence; empty if it does not.
  std::string_view registration_flaw(std::string_view server, std::string_view tool) const;
  /// Which tools may be called, by their approved definitions.
  PinsConfig::Mode pins_mode() const { return pins_mode_; }
  const PinnedNames& pinned_names() const { return pinned_names_; }
  /// Whether any profile has a predicate that needs a look-up on the disk or of a name.
  bool asks_outside() const { return asks_outside_; }
  /// Whether any profile renames arguments.
  bool renames() const { return renames_; }

 private:
  MergedProfile merge(std::string_view name) const;

  bool asks_outside_ = false;
  bool renames_ = false;
  MergedProfile nothing_;  ///< For tools without a profile.
  std::vector<ToolProfile> profiles_;
  PinnedTools pins_;
  PinsConfig::Mode pins_mode_ = PinsConfig::Mode::trust_on_first_use;
  PinnedNames pinned_names_;
  RegisteredTools registered_;
  std::vector<std::shared_ptr<const JsonSchema>> overlays_;  ///< Of each profile; null for none.
  /// Of each profile, in the order of its arguments; null for `absent`.
  std::vector<std::vector<std::shared_ptr<const ValuePredicate>>> predicates_;
  std::unordered_map<std::string, MergedProfile, TextHash, std::equal_to<>> known_;
};

}  // namespace bartizan
