// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/net/endpoint/fabric_endpoint.hpp>
#include <imbrex/net/endpoint/text_item.test.hpp>
#include <imbrex/net/fabric.hpp>

namespace imbrex::test {

/// A method to make a fabric.
struct fabric_kind {
  std::string name;
  std::function<std::unique_ptr<fabric>()> make;
  endpoints::endpoint_maker make_endpoint;
  bool is_only_here = false;  ///< messages move only when workers of this process poll

  friend void PrintTo(const fabric_kind& k, std::ostream* out) { *out << k.name; }
};

/// Processes on a fabric, all within this process and on one thread; and the errors that a check finds.
class subject {
 public:
  /// A process, which records what it receives.
  class process final : public detail::network::receiver {
   public:
    detail::endpoint& wire() { return *wire_; }
    endpoints::fabric_endpoint& own() { return *wire_; }
    std::vector<std::string> came;              ///< texts in the order of arrival
    std::vector<int> came_for;                  ///< PEs that the texts are for
    std::vector<std::string> control_messages;  ///< "2: ...", a control message from process 2
    std::function<void(const std::string&)> on_arrival;
    std::vector<std::string> losses;

    detail::work& unpack(reader& in) override { return text::read(in); }
    void arrived(detail::work& item, int pe, std::size_t bytes) override;
    void control_message(int from, std::span<const std::byte> bytes) override;
    void lost(int which, const std::string& why) override {
      losses.push_back(std::to_string(which) + ": " + why);
    }

   private:
    friend class subject;
    endpoints::places where_;
    std::unique_ptr<endpoints::fabric_endpoint> wire_;
  };

  /// `pes`: number of PEs in each process. Several PEs of a process share an endpoint.
  explicit subject(const fabric_kind& kind, const std::vector<int>& pes = {1, 1, 1});

  process& at(std::size_t number) { return *all_[number]; }
  const fabric_capabilities& can() const { return can_; }
  /// Gives a process another token than the run's.
  void estrange(std::size_t number) { all_[number]->where_.token += 1; }

  /// Sends a text to a PE; all but its first `beginning` bytes form a block.
  void send(std::size_t from, int to, std::string content, bool may_wait = false, std::size_t beginning = 8);
  /// Sends a text by `room_for`. False if the endpoint has no room.
  bool write(std::size_t from, int to, const std::string& content, bool may_wait = false);
  /// Polls the network in all processes. True if one of them received something.
  bool look();
  /// Polls until `holds()`. False if a time limit ends first.
  template <class Condition>
  bool reach(Condition holds) {
    const auto until = std::chrono::steady_clock::now() + longest_wait;
    for (int idle = 0; !holds() && (kind_.is_only_here ? idle < most_idle_looks
                                                       : std::chrono::steady_clock::now() < until);)
      idle = look() ? 0 : idle + 1;
    return holds();
  }
  /// Polls often enough for messages in transfer to arrive.
  void look_often() {
    for (int turn = 0; turn < 1000; ++turn) look();
  }
  /// Polls until process `at` has received `count` texts and no process has anything left to send.
  bool receive(std::size_t at, std::size_t count);

  void expect(bool holds, const std::string& otherwise) {
    if (!holds) wrong_.push_back(otherwise);
  }
  template <class T>
  void expect_equal(const T& found, const T& should, const std::string& what) {
    expect(found == should, what + " is " + std::to_string(found) + " and not " + std::to_string(should));
  }
  /// Check that process `at` has received these texts: in any order, or in this one.
  void expect_texts(std::size_t at, std::vector<std::string> should);
  void expect_in_order(std::size_t at, const std::vector<std::string>& should);
  /// Checks that all items sent have been received.
  void expect_equal_counts();
  /// Ends all processes and returns the errors.
  std::vector<std::string> end();

 private:
  static constexpr std::chrono::seconds longest_wait{10};
  static constexpr int most_idle_looks = 300;

  const fabric_kind kind_;
  const int texts_before_ = text::there_are;
  const std::unique_ptr<fabric> fabric_;
  fabric_capabilities can_;
  std::vector<std::unique_ptr<process>> all_;
  std::vector<std::string> wrong_;
};

}  // namespace imbrex::test
