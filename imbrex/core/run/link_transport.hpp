// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include <imbrex/base/clock.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/net/delay/link_model.hpp>
#include <imbrex/net/transport.hpp>

namespace imbrex {

/// Delays one PE's messages as a link_model prescribes (`--net-latency` and similar options), over any
/// transport.
///
/// The sender computes when a message is due and sends it at once, in an envelope with that time. The
/// receiver keeps the envelope as one of its timers and queues the message when it is due. So no thread has
/// to wake in between: a computing PE is not disturbed, and a sleeping PE wakes once, in time. For quiescence
/// an envelope is a post, then a timer. Two conditions hold. The transport below delivers the envelope before
/// it is due. All PEs read the same clock, so all of their processes are on one host.
class link_transport final : public detail::transport {
 public:
  /// True if messages of this PE to PE `to` go over the link.
  using distance = std::function<bool(int to)>;

  /// For one sending PE. The carrier and the clock must outlive this object.
  link_transport(transport& carrier, const link_model& model, const detail::clock& time, distance distant)
      : carrier_(carrier), model_(model), time_(time), distant_(std::move(distant)) {}

  void send(detail::work& item, int to) override;

 private:
  transport& carrier_;
  const link_model model_;
  const detail::clock& time_;
  distance distant_;
  link_entrance entrance_;
};

namespace detail {

struct late_message;
template <>
inline constexpr bool is_envelope<late_message> = true;

/// The envelope. It belongs to the sender until it is sent, then to the receiver.
struct late_message final : message {
  explicit late_message(nanoseconds due = nanoseconds(0));
  late_message(const late_message&) = delete;
  late_message& operator=(const late_message&) = delete;
  ~late_message();

  void enclose(message& m) {
    content_ = &m;
    is_object = m.is_object;
    has_attachments = m.has_attachments;
  }

  static message_type type_record;
  void serialize(writer& out);
  void serialize(reader& in);
  void deliver();

 private:
  struct alarm : timer {
    late_message* envelope = nullptr;
  };
  static const work_type alarm_type;

  void open();

  message* content_ = nullptr;
  alarm alarm_;
};

}  // namespace detail
}  // namespace imbrex
