// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include <imbrex/trace/file_format.hpp>

namespace imbrex::detail {

/// Finds out, while a process works, how its clock stands to that of process 0: asks it some times in a row what it
/// shows, believes the answer that came quickest, if it was about as quick as any before, and asks again after a while,
/// since clocks drift (Cristian, Distributed Computing 3, 1989). One thread's.
class clock_comparison {
 public:
  /// `ask` sends a question, which is to be answered by `answered`; `tell` takes what was found.
  clock_comparison(std::function<void()> ask, std::function<void(const trace::clock_reading&)> tell)
      : ask_(std::move(ask)), tell_(std::move(tell)) {}

  /// Asks if it is time to. By this process's clock, ns.
  void go_on(std::uint64_t now) {
    if (now >= next_) [[unlikely]]
      begin(now);
  }
  /// Process 0's clock showed `there` between `asked` and `now` of this one.
  void answered(std::uint64_t asked, std::uint64_t there, std::uint64_t now);

  static constexpr int questions = 16;                        ///< in a row
  static constexpr std::uint64_t between_rows = 250'000'000;  ///< ns
  /// After so long, ns, the best since the last is told, however slow it was.
  static constexpr std::uint64_t longest_silence = 2'000'000'000;

 private:
  void begin(std::uint64_t now);
  void judge(const trace::clock_reading& found, std::uint64_t now);

  const std::function<void()> ask_;
  const std::function<void(const trace::clock_reading&)> tell_;
  std::uint64_t next_ = 0;
  int left_ = 0;
  std::optional<trace::clock_reading> best_;  ///< of the row
  std::optional<trace::clock_reading> kept_;  ///< of the rows since the last that was told
  std::uint64_t least_ = ~std::uint64_t{0};   ///< round trip, of all
  std::uint64_t told_ = 0;
};

}  // namespace imbrex::detail
