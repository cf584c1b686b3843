// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <imbrex/core/array/bound_port.hpp>
#include <imbrex/core/gpu/bound_memory.hpp>

namespace imbrex::detail {

/// The bound memory of one end of a persistent channel, as far as it is memory of its chare: `serialize` of
/// the chare names it. The end then travels with the chare. An end that has arrived receives arrays as
/// contents of messages until the other end knows its new memory. Its chare's PE only.
class bound_members final : public bound_port {
 public:
  /// `size`: bytes of an element of the channel.
  bound_members(bound_ends& ends, std::size_t size) : ends_(ends), size_(size) {}
  bound_members(const bound_members&) = delete;
  bound_members& operator=(const bound_members&) = delete;

  /// The end is about to be bound to these arrays, by an entry of a chare; null: by other code.
  void expect(chare_header* chare, const std::vector<bound_array>& from, const std::vector<bound_array>& to);
  /// False if other processes must not write to the memory, since it may move.
  bool may_be_exported() const { return !are_found_ || is_pinned_; }
  /// True if the other end does not know where this end has arrived.
  bool must_tell() const { return must_tell_; }
  /// The memory of this end, for the other end. `wants_answer`: the other end is to send its own.
  std::unique_ptr<bound_offer> offer_again(bool wants_answer);
  /// Sends to this memory from now on. False if the offer is not for the current binding.
  bool accept(const bound_offer& offer);

  bool is_bound_elsewhere() const override;
  bool find_memory(chare_header& chare) override;
  void leave(chare_header& chare) override;
  void arrive(chare_header& chare) override;

  void serialize(auto& ar) { ar(from_, to_, bindings_, are_found_); }

 private:
  /// An array in memory that the chare's `serialize` names.
  struct place {
    std::uint64_t part = 0;    ///< number of the memory, in the order in which it is named
    std::uint64_t offset = 0;  ///< bytes before the array
    std::uint64_t count = 0;   ///< elements

    void serialize(auto& ar) { ar(part, offset, count); }
  };

  bool find(const std::vector<attachment*>& parts, const std::vector<bound_array>& arrays,
            std::vector<place>& found) const;
  std::vector<bound_array> arrays_at(const std::vector<attachment*>& parts,
                                     const std::vector<place>& places) const;
  void complete_before_parts(const std::vector<attachment*>& parts);
  void forget();

  bound_ends& ends_;
  const std::size_t size_;
  std::vector<place> from_, to_;
  std::uint64_t bindings_ = 0;  ///< number of bindings so far: offers of earlier ones are ignored
  bool are_found_ = false;      ///< the end is bound, and all its memory is the chare's
  bool is_pinned_ = false;      ///< the chare belongs to a group
  bool must_tell_ = false;
};

}  // namespace imbrex::detail
