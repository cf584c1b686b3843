// SPDX-License-Identifier: Apache-2.0
// The benches of two processes in typical Imbrex code: chares of an array, one on each process, with entries
// that take bytes. Also a broadcast to many chares with a reduction of their results.
//   build/release/bin/imbrex run -n 2 build/release/bin/processes_imbrex --bench bandwidth
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/imbrex.hpp>

#include "bench/processes/contents.hpp"
#include "bench/processes/course.hpp"
#include "bench/processes/report.hpp"
#include "bench/processes/rounds.hpp"

namespace {

using namespace bench;

const std::string usage = "imbrex run -n 2 processes_imbrex [OPTIONS]";

using bytes = std::vector<std::byte>;

bytes filled(std::size_t size, contents which) {
  bytes b(size);
  fill(b, which);
  return b;
}

std::shared_ptr<const bytes> shared_bytes(std::size_t size, contents which) {
  return std::make_shared<const bytes>(filled(size, which));
}

/// One of two players: 0 leads, 1 follows.
class player : public imbrex::chare<player> {
 public:
  imbrex::mailbox<bytes> answers;

  explicit player(const course& plan) : plan_(plan) {}

  /// Sends a message there and one back. Either a ball that each player passes on as received, moved and
  /// never copied; or each player's own bytes.
  imbrex::task<point> play(std::size_t size) {
    rounds_.emplace(plan_, size);
    rounds_->next();
    own_ = shared_bytes(size, contents::there);
    imbrex::send<&player::check_ball>(other(), *own_, size);
    auto ball = co_await answers.receive();
    if (!holds(ball, contents::back, size)) throw_wrong_contents(size);
    if (rounds_->next()) plan_.hands_on() ? imbrex::send<&player::hit>(other(), std::move(ball)) : bounce();
    co_await answers.receive();
    co_return rounds_->result(size);
  }
  void check_ball(bytes ball, std::size_t size) {
    own_ = shared_bytes(size, holds(ball, contents::there, size) ? contents::back : contents::wrong);
    imbrex::send<&player::answers>(other(), *own_);
  }
  void hit(bytes ball) {
    if (goes_on()) imbrex::send<&player::hit>(other(), std::move(ball));
  }
  void answer_own(std::span<const std::byte>) {
    if (goes_on()) bounce();
  }

  /// Windows of messages, each acknowledged as a whole.
  imbrex::task<point> stream(std::size_t size) {
    rounds_.emplace(plan_, size);
    const auto shared = shared_bytes(size, contents::there);
    const std::span shown(*shared);
    const auto window = static_cast<std::size_t>(plan_.window);
    std::vector<bytes> payloads;
    const auto to = receiver();
    const bool gives = plan_.payload == "given";
    const bool shares = plan_.payload == "shared";
    while (rounds_->next()) {
      if (rounds_->first()) {
        for (std::size_t m = 0; m < window; ++m) imbrex::send<&player::check>(to, shown, size);
      } else if (shares) {
        for (std::size_t m = 0; m < window; ++m) imbrex::send<&player::take>(to, shared);
      } else if (gives) {
        rounds_->aside([&] { payloads.assign(window, *shared); });
        for (auto& block : payloads) imbrex::send<&player::take>(to, std::move(block));
      } else {
        for (std::size_t m = 0; m < window; ++m) imbrex::send<&player::take>(to, shown);
      }
      const auto answer = co_await answers.receive();
      if (!holds(answer, contents::back, answer_bytes)) throw_wrong_contents(size);
    }
    co_return rounds_->result(size);
  }
  void check(std::span<const std::byte> came, std::size_t size) {
    if (!holds(came, contents::there, size)) verdict_ = contents::wrong;
    take(came);
  }
  void take(std::span<const std::byte>) {
    if (++taken_ < plan_.window) return;
    taken_ = 0;
    imbrex::send<&player::answers>(other(), filled(answer_bytes, verdict_));
  }

 private:
  void bounce() {
    if (plan_.payload == "shown") return imbrex::send<&player::answer_own>(other(), std::span(*own_));
    imbrex::send<&player::answer_own>(other(), own_);
  }
  /// False after the last message; then it also notifies the waiting player.
  bool goes_on() {
    if (where()[0] == 1 || rounds_->next()) return true;
    imbrex::send<&player::answers>(peers()[0], bytes{});
    return false;
  }
  imbrex::element<player> other() const { return peers()[1 - where()[0]]; }
  /// The receiver of a window.
  imbrex::element<player> receiver() const { return plan_.coalesces ? other().coalesced() : other(); }

  course plan_;
  std::shared_ptr<const bytes> own_;  ///< bytes sent by this player
  int taken_ = 0;                     ///< messages received of the current window
  contents verdict_ = contents::back;
  std::optional<rounds> rounds_;
};

struct leaf : imbrex::chare<leaf> {
  int one() { return 1; }
};

imbrex::task<point> broadcast(const course& plan) {
  const auto leaves = imbrex::make_array<leaf>(plan.elements);
  rounds r(plan, 1);
  while (r.next()) {
    const int counted = co_await leaves.reduce<&leaf::one>(imbrex::sum);
    if (counted != plan.elements)
      throw imbrex::error(std::to_string(counted) + " of " + std::to_string(plan.elements) +
                          " elements were counted: what was measured is worthless");
  }
  co_return r.result(static_cast<std::size_t>(plan.elements));
}

imbrex::task<> measure(const course& plan) {
  check_two_processes(imbrex::num_processes(), usage);
  report results("imbrex", plan);
  if (plan.bench == "broadcast") {
    const point found = co_await broadcast(plan);
    results.add(found);
  } else {
    const auto players = imbrex::make_array<player>(2, plan);
    for (const auto size : plan.sizes()) {
      auto played =
          plan.is_pingpong() ? players[0].call<&player::play>(size) : players[0].call<&player::stream>(size);
      const point found = co_await played;
      results.add(found);
    }
  }
  results.print();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    imbrex::options settings = imbrex::parse_options(argc, argv);
    if (settings.pes == 0) settings.pes = 1;
    settings.bind = imbrex::options::binding::core;
    const course plan = parse_course(argc, argv, usage, true);
    const real_time undisturbed(plan.priority);
    return imbrex::run(settings, [&] { return measure(plan); });
  } catch (const imbrex::usage_error& e) {
    std::fprintf(stderr, "processes_imbrex: error: %s\n", e.what());
    return imbrex::usage_error::exit_status;
  } catch (const imbrex::error& e) {
    std::fprintf(stderr, "processes_imbrex: error: %s\n", e.what());
    return 1;
  }
}
