// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <imbrex/mpi/rank/envelope.hpp>
#include <imbrex/mpi/rank/request.hpp>

namespace imbrex::mpi {

struct packet;

/// Receives of one rank that wait for a message, and messages that wait for a receive. A message matches the
/// first posted receive with the same context and with an equal or any source and tag. A receive matches the
/// first such message in order of arrival.
///
/// Both are listed by context and source, so that messages of other sources cost nothing. Receives from any
/// source have a list of their own. Search within a list is linear in tags.
class matcher {
 public:
  matcher() = default;
  ~matcher();
  matcher(const matcher&) = delete;
  matcher& operator=(const matcher&) = delete;

  /// Removes and returns the receive that matches a message; null if there is none.
  request* take_receive(const envelope& of_message);
  /// Adds a waiting receive.
  void post(request& receive);
  /// Removes a waiting receive. False if it has been matched.
  bool withdraw(request& receive);

  /// The first message that matches a receive; null if there is none.
  packet* find(const envelope& of_receive);
  /// Adds a waiting message.
  void keep(packet& message);
  void remove(packet& message);
  /// The waiting message with this offer number; null if there is none.
  packet* find_offer(std::uint32_t from, std::uint64_t offer);

  /// Calls visit(message) for each waiting message, in the order of arrival.
  void for_each_message(auto&& visit) const {
    for (packet* p = oldest_; p != nullptr; p = newer_of(*p)) visit(*p);
  }

  /// Bytes of data behind the waiting messages.
  std::size_t bytes_held() const { return bytes_held_; }

  /// Number of waiting messages.
  std::size_t messages() const { return messages_; }

 private:
  static packet* newer_of(const packet& p);
  struct receive_list {
    request* first = nullptr;
    request* last = nullptr;
    void push(request& r);
    void remove(request& r);
  };
  /// Waiting receives and messages of one source in one context.
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
  bin* recent_ = nullptr;  ///< the bin found last
  receive_list of_any_source_;
  packet* oldest_ = nullptr;
  packet* newest_ = nullptr;
  std::uint64_t posted_ = 0;
  std::size_t receives_ = 0;
  std::size_t messages_ = 0;
  std::size_t bytes_held_ = 0;
};

}  // namespace imbrex::mpi
