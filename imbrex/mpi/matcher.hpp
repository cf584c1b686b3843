// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <imbrex/mpi/packet.hpp>
#include <imbrex/mpi/request.hpp>

namespace imbrex::mpi {

/// The receives of one rank that wait for a message, and the messages that wait for a receive. A message goes
/// to the first receive, in the order in which they were posted, whose context is the same, and whose source
/// and tag are the same or any. A receive takes the first such message, in the order of their arrival.
///
/// Both are listed by context and source, so that what others send costs nothing; receives from any source
/// stand in a list of their own. Within a list the search is linear in tags.
class matcher {
 public:
  matcher() = default;
  ~matcher();
  matcher(const matcher&) = delete;
  matcher& operator=(const matcher&) = delete;

  /// Takes the receive that a message is for out of the list. Null if none is.
  request* take_receive(const envelope& of_message);
  /// A receive waits.
  void post(request& receive);
  /// It waits no more. False if it has been taken.
  bool withdraw(request& receive);

  /// The first message for such a receive; null if there is none.
  packet* find(const envelope& of_receive);
  /// A message waits.
  void keep(packet& message);
  void remove(packet& message);
  /// The message with that number for its offer; null if it waits no more.
  packet* find_offer(std::uint32_t from, std::uint64_t offer);

  /// Bytes of data that these hold.
  std::size_t bytes_held() const { return bytes_held_; }

  /// Visits messages in the order of their arrival.
  template <class Visitor>
  void for_each_message(Visitor visit) const {
    for (const packet* p = oldest_; p != nullptr; p = p->newer) visit(*p);
  }

 private:
  struct receive_list {
    request* first = nullptr;
    request* last = nullptr;
    void push(request& r);
    void remove(request& r);
  };
  /// What waits of one source in one context.
  struct bin {
    std::uint64_t context = 0;
    std::int32_t source = 0;
    bool is_used = false;
    receive_list receives;
    packet* first = nullptr;
    packet* last = nullptr;

    bool holds(std::uint64_t c, std::int32_t s) const { return is_used && context == c && source == s; }
  };

  static std::size_t hash(std::uint64_t context, std::int32_t source);
  bin* find_bin(std::uint64_t context, std::int32_t source);
  bin* search_bin(std::uint64_t context, std::int32_t source);
  bin& make_bin(std::uint64_t context, std::int32_t source);
  bin& add_bin(std::uint64_t context, std::int32_t source);
  void grow();

  std::vector<bin> bins_;  ///< open addressing; a power of two
  std::size_t used_bins_ = 0;
  bin* recent_ = nullptr;  ///< that was found last
  receive_list of_any_source_;
  packet* oldest_ = nullptr;
  packet* newest_ = nullptr;
  std::uint64_t posted_ = 0;
  std::size_t receives_ = 0;
  std::size_t messages_ = 0;
  std::size_t bytes_held_ = 0;
};

}  // namespace imbrex::mpi
