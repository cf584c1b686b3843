// SPDX-License-Identifier: Apache-2.0
// Prefix sums of a sequence, one number a chare, in log2(n) rounds (Hillis and Steele, "Data parallel
// algorithms", 1986): in round r each chare adds the sum of the chare 2^r before it. Shows: reference
// numbers.
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include <imbrex/imbrex.hpp>

#include "arguments.hpp"

namespace {

/// The first number of chare i: arbitrary, and easy to compute again.
std::int64_t number_of(int i) { return (i * std::int64_t{7919}) % 1000 - 500; }

}  // namespace

class summand : public imbrex::chare<summand> {
 public:
  imbrex::mailbox<std::int64_t> partial_sum;  // the reference number is the round

  imbrex::task<std::int64_t> run() {
    const auto all = peers();
    const int here = where()[0];
    const int count = all.shape()[0];
    std::int64_t sum = number_of(here);

    int round = 0;
    for (int distance = 1; distance < count; distance *= 2) {
      if (here + distance < count) imbrex::send<&summand::partial_sum>(all[here + distance], round, sum);
      // A chare may be rounds ahead of another: its messages wait in the mailbox until their round.
      if (here >= distance) sum += co_await partial_sum.receive(round);
      ++round;
    }
    co_return sum;
  }
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "prefix [NUMBERS]");
    const int count = command_line.next("NUMBERS", 1'000, 1'000'000);
    command_line.finish();

    const auto summands = imbrex::make_array<summand>(count);
    // gather combines nothing: a vector of all results, in the order of the chares.
    const auto sums = co_await summands.reduce<&summand::run>(imbrex::gather);

    std::vector<std::int64_t> expected;
    for (int i = 0; i < count; ++i) expected.push_back(number_of(i));
    std::inclusive_scan(expected.begin(), expected.end(), expected.begin());
    const bool right = sums == expected;
    std::printf("%d prefix sums are %s\n", count, right ? "right" : "wrong");
    co_return right ? 0 : 1;
  });
}
