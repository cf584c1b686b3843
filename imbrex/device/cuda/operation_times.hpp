// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/device/cuda/api.hpp>
#include <imbrex/device/operation_observer.hpp>

namespace imbrex {

/// When a GPU began and ended its operations, for whoever observes it.
///
/// While somebody does, each operation stands between two events of its stream; the driver tells how far they
/// are from an event whose time is known by the host's clock too, the anchor. So an operation begins when
/// what was before it in its stream has ended, even if it then waits for room on the device; and it ends half
/// a microsecond or so late. Operations of a captured stream are not told, but each launch of the graph is.
/// They are told when other operations are put, up to a millisecond late, or by `catch_up`. Any thread.
///
/// An error of the driver ends the observation with a warning, and is the operation's own to tell.
class operation_times {
  struct event_deleter {
    void operator()(cudaEvent_t e) const { static_cast<void>(cudaEventDestroy(e)); }
  };
  using event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, event_deleter>;

 public:
  /// Of the device with that index; the clock of the run must outlive this.
  operation_times(int device, const detail::clock& host) : device_(device), host_(host) {}
  ~operation_times();
  operation_times(const operation_times&) = delete;
  operation_times& operator=(const operation_times&) = delete;

  /// Who is told from now on; null: nobody, and what has not ended by then is not told. False if the driver
  /// cannot.
  bool observe(operation_observer* observer) noexcept;
  /// Tells now of all that has ended.
  void catch_up() noexcept;
  std::uint32_t next_stream() noexcept { return streams_.fetch_add(1, std::memory_order_relaxed); }

  /// An operation, while the thread puts it into that stream of the device, which is the one it has chosen.
  class timed {
   public:
    /// The times in `what` are still to come; what it refers to must outlive this.
    timed(operation_times& by, cudaStream_t in, const finished_operation& what) noexcept;
    ~timed();
    timed(const timed&) = delete;
    timed& operator=(const timed&) = delete;

   private:
    operation_times& by_;
    cudaStream_t in_;
    const finished_operation what_;
    const int exceptions_;  ///< that were under way: one more, and it was refused
    event begin_;           ///< null if nobody is told of it
  };

  /// How often the driver is asked what has ended, at most, and the host's clock compared.
  static constexpr nanoseconds between_looks{1'000'000};
  static constexpr nanoseconds between_anchors{1'000'000'000};
  static constexpr nanoseconds before_another_try{50'000'000};
  /// An anchor that takes longer is none: something is before it on the device.
  static constexpr nanoseconds longest_anchor{20'000};
  /// Operations that have ended are held so long, that those of other streams are told in order.
  static constexpr nanoseconds settling{100'000};

 private:
  struct anchor {
    event at;
    nanoseconds time;
  };
  struct running {
    finished_operation::type what;
    std::string name;
    std::string owner;
    std::uint32_t stream;
    std::size_t bytes;
    event begin;
    event end;
    std::shared_ptr<const anchor> since;
  };
  struct ended {
    running one;
    nanoseconds begin;
    nanoseconds end;
  };

  event begin(cudaStream_t in) noexcept;
  void end(cudaStream_t in, const finished_operation& what, event begun) noexcept;
  /// One that was used, or a new one; null if the driver refuses, or nobody observes any more.
  event take_event();
  event new_event();
  void look(nanoseconds now);
  void find_ended();
  std::optional<ended> times_of(running op);
  /// Those that ended before that.
  void tell(nanoseconds before);
  /// Tries once; how long it took, if less than that.
  std::optional<nanoseconds> set_anchor(nanoseconds longest);
  void stop() noexcept;
  void give_up(const char* why) noexcept;

  const int device_;
  const detail::clock& host_;
  std::atomic<std::uint32_t> streams_{0};
  std::atomic<bool> observed_{false};

  std::mutex lock_;  // of all below
  operation_observer* told_ = nullptr;
  cudaStream_t side_ = nullptr;  ///< only anchors go there
  std::shared_ptr<const anchor> anchor_;
  nanoseconds next_anchor_{0};
  nanoseconds last_look_{0};
  nanoseconds last_told_{0};
  std::vector<event> spare_;
  std::map<std::uint32_t, std::deque<running>> running_;  ///< by stream, in its order
  std::map<std::uint32_t, nanoseconds> last_end_;         ///< of each stream
  std::map<std::uint32_t, nanoseconds> told_end_;         ///< of each stream, as it was told
  std::vector<ended> ended_;
};

}  // namespace imbrex
