// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace imbrex::detail {

/// Counts the messages that the code of a PE sends to elements, with their packed bytes, and knows whether
/// messages of the PE to itself only go into its queue. One number has all of that, so that a message costs
/// one addition and one test, whether anybody reads the counts or not.
class sent_messages {
 public:
  /// A number of messages and their bytes, packed into one number. Sums and differences of such numbers are
  /// those of the messages and of the bytes, up to `most_messages`.
  using packed = std::uint64_t;
  static constexpr packed pack(std::uint64_t bytes) { return bytes << bits_of_messages | 1U; }
  static constexpr std::uint64_t messages_in(packed number) { return number & most_messages; }
  static constexpr std::uint64_t bytes_in(packed number) { return number >> bits_of_messages; }

  /// Sets whether messages to this PE only go into its queue. Changes `all` by `not_plain` if that is new.
  void set_plain(bool are_plain) {
    are_plain_ = are_plain;
    all_ = (all_ & ~not_plain) | flag();
  }
  /// Somebody reads the counts from now on.
  void set_read() { are_read_ = true; }

  /// True if messages to this PE only go into its queue.
  bool are_plain() const { return are_plain_; }
  /// True if somebody reads the counts.
  bool are_read() const { return are_read_; }
  /// True if messages to this PE only go into its queue, and are not counted.
  bool are_plain_and_unread() const { return are_plain_ && !are_read_; }

  /// Counts a message. Returns false if messages do not only go into the queue, or if `must_restart`.
  [[gnu::always_inline]] bool add(std::uint64_t bytes) {
    all_ += pack(bytes);
    return static_cast<std::int64_t>(all_) >= 0;
  }
  /// All messages since the last `restart`; and `not_plain`, unless messages are plain.
  packed all() const { return all_; }
  static constexpr packed not_plain = std::uint64_t{1} << 63U;
  /// True if the counts have become so large that they must begin anew.
  bool must_restart() const { return (all_ ^ flag()) >> 62U != 0; }
  void restart() { all_ = flag(); }

 private:
  static constexpr unsigned bits_of_messages = 26;
  static constexpr std::uint64_t most_messages = (std::uint64_t{1} << bits_of_messages) - 1;

  packed flag() const { return are_plain_ ? 0 : not_plain; }

  packed all_ = not_plain;
  bool are_plain_ = false;
  bool are_read_ = false;
};

}  // namespace imbrex::detail
