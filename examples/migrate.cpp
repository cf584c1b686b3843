// SPDX-License-Identifier: Apache-2.0
// Chares that move to the next PE after each step, with unread messages in their mailboxes. Shows:
// migrate_to, balance_point, serialize; and that each message finds its chare, wherever it is, exactly once.
#include <cinttypes>
#include <cstdint>
#include <cstdio>

#include <imbrex/imbrex.hpp>

#include "arguments.hpp"

/// The results of walkers; `sum` adds them up.
struct report {
  std::int64_t letters = 0;    // sum of the values in `walker::letters`
  std::int64_t greetings = 0;  // number of greetings
  std::int64_t moves = 0;
  std::int64_t unread = 0;  // messages left in the mailboxes at the end

  report operator+(const report& o) const {
    return {letters + o.letters, greetings + o.greetings, moves + o.moves, unread + o.unread};
  }
};

class walker : public imbrex::chare<walker> {
 public:
  imbrex::mailbox<int> letters;    // sent before the walk begins: they lie here unread, and migrate, too
  imbrex::mailbox<int> greetings;  // sent while all chares move: they must find their receiver

  // The frame of an entry cannot move. So it ends at a balance_point where the chare moves, and `walk` is
  // called again on the new PE with the arguments given there. Its state must be in members.
  imbrex::task<report> walk(int steps) {
    if (pe() != last_pe_) ++found_.moves;
    last_pe_ = pe();

    while (step_ < steps) {
      const auto neighbour = peers()[(where()[0] + 1) % peers().shape()[0]];
      imbrex::send<&walker::greetings>(neighbour, step_, 1);
      found_.letters += co_await letters.receive(step_);
      found_.greetings += co_await greetings.receive(step_);
      ++step_;

      migrate_to((pe() + 1) % num_pes());
      co_await balance_point<&walker::walk>(steps);
    }
    found_.unread = static_cast<std::int64_t>(letters.size() + greetings.size());
    co_return found_;
  }

  // All members: these migrate.
  void serialize(auto& ar) { ar(letters, greetings, step_, last_pe_, found_); }

 private:
  int step_ = 0;
  int last_pe_ = pe();
  report found_;
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "migrate [WALKERS [STEPS]]");
    const int count = command_line.next("WALKERS", 20, 100'000);
    const int steps = command_line.next("STEPS", 12, 1'000);
    command_line.finish();

    const auto walkers = imbrex::make_array<walker>(count);
    for (int step = 0; step < steps; ++step) imbrex::send<&walker::letters>(walkers, step, step + 1);
    const report all = co_await walkers.reduce<&walker::walk>(imbrex::sum, steps);

    const std::int64_t greetings = std::int64_t{count} * steps;
    const bool right =
        all.letters == greetings * (steps + 1) / 2 && all.greetings == greetings && all.unread == 0;
    std::printf("%d walkers made %" PRId64 " moves over %d PEs: %s\n", count, all.moves, imbrex::num_pes(),
                right ? "no message was lost" : "messages were lost or doubled");
    co_return right ? 0 : 1;
  });
}
