// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <imbrex/base/owner.hpp>
#include <imbrex/core/collective/exchange_base.hpp>
#include <imbrex/core/message/message.hpp>

namespace imbrex::detail {

class local_array;

/// Values sent to one PE, for members of one exchange there. The derived message has a column of values for
/// each receiver.
struct exchange_columns : message {
  std::uint64_t number = 0;  ///< number of the reduction that belongs to the exchange

  virtual std::size_t size() const = 0;

 protected:
  ~exchange_columns() = default;
};
using owned_columns = owner<exchange_columns, message_deleter>;

/// A member of an exchange on its PE. The derived class gathers the values that it receives.
struct exchange_member {};

/// One exchange on one PE, without the types of keys and values. The values of members are sent when all
/// members here have joined. Received values wait for that, too, so that they are sorted at once.
class exchange_part : public exchange_base, public reply_target {
 public:
  exchange_part(const exchange_part&) = delete;
  exchange_part& operator=(const exchange_part&) = delete;

  /// Takes values received from a PE, which is notified when they have been taken.
  void take(exchange_columns& received);

  bool flush() final;
  carried_exception error() const final { return error_; }
  void element_left() final;

  // Replies: a sent value was taken, or cannot be.

  void accept(std::uint32_t ordinal, void* result) final;
  void fail(std::uint32_t ordinal, carried_exception why) final;
  carried_exception held_error() const final { return error_; }
  void abandon() noexcept final { is_abandoned_ = true; }

 protected:
  using columns_by_pe = std::map<int, owned_columns>;

  exchange_part(local_array& part, std::uint64_t number);
  ~exchange_part() override;

  /// Makes the columns for other PEs from the values of the members here.
  virtual void fill(columns_by_pe& all) = 0;
  /// The member here, and the element here, that a column is for; null if there is none.
  virtual exchange_member* member_of(const exchange_columns& all, std::size_t column) const = 0;
  virtual const chare_header* element_of(const exchange_columns& all, std::size_t column) const = 0;
  /// Gives each column's values to its member; null leaves the column.
  virtual void give_columns(exchange_columns& all, const std::vector<exchange_member*>& members) = 0;
  /// Appends a column to those in `into`, which is made for the first one.
  virtual void move_column(exchange_columns& from, std::size_t column, owned_columns& into) = 0;
  /// Sends a single column after its element, in the name of the column's sender.
  virtual void forward(owned_columns column) = 0;

  std::uint64_t number() const { return number_; }

 private:
  /// The ordinal of a reply to a forwarded column; a reply to the values for a PE has ordinal 0.
  static constexpr std::uint32_t of_stray = 1;

  /// Values for members that may still join, and the sender to notify when all have been taken.
  struct arrival {
    owned_columns values;
    std::uint32_t sender = 0;
    reply_address reply;
    std::int32_t more = 0;  ///< columns that were forwarded
  };

  bool nobody_will_flush() const;
  void send_outgoing();
  void send(exchange_columns& values, int to);
  bool is_taken() const { return bundles_on_the_way_ == 0 && strays_ == 0; }
  void was_taken(std::uint32_t ordinal);
  void sort_out();
  void sort_out(arrival& a, owned_columns& rest);
  void set_aside(arrival& a, std::size_t column, owned_columns& rest);

  local_array& array_;
  const std::uint64_t number_;
  bool all_have_joined_;  ///< true once all elements here have joined; others may still arrive
  std::vector<arrival> waiting_;
  reply_address address_;
  std::int64_t bundles_on_the_way_ = 0;
  std::int64_t strays_ = 0;  ///< receipts of forwarded columns that are outstanding; may arrive before others
  carried_exception error_;
  bool is_abandoned_ = false;
};

}  // namespace imbrex::detail
