// SPDX-License-Identifier: Apache-2.0
#include "chares.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <imbrex/imbrex.hpp>
#include <imbrex/mpi.hpp>

namespace {

using imbrex::mpi::wait;

class adder : public imbrex::chare<adder> {
 public:
  imbrex::mailbox<int> values;

  explicit adder(int start) : sum_(start) {}

  std::int64_t number() const { return sum_ + where()[0]; }
  imbrex::task<std::int64_t> add(int count) {
    for (int i = 0; i < count; ++i) sum_ += co_await values.receive(i);
    co_return sum_;
  }
  imbrex::task<> fail() {
    co_await imbrex::sleep_for(std::chrono::milliseconds(1));
    throw std::invalid_argument("no such thing");
  }
  bool waits_in_vain() {
    try {
      wait(imbrex::sleep_for(std::chrono::milliseconds(1)));
    } catch (const imbrex::error& e) {
      return std::string(e.what()).find("outside of the code of a rank") != std::string::npos;
    }
    return false;
  }

 private:
  std::int64_t sum_;
};

int wrong(bool is_right) { return is_right ? 0 : 1; }

}  // namespace

int calls_of_own_arrays(int rank) {
  const auto all = imbrex::make_array<adder>(5, rank);
  const std::int64_t sum = wait(all.reduce<&adder::number>(imbrex::sum));
  auto added = all[3].call<&adder::add>(4);
  for (int i = 4; i-- > 0;) imbrex::send<&adder::values>(all[3], i, 10 * i);
  const std::int64_t total = wait(std::move(added));
  wait(all.destroy());
  return wrong(sum == 5 * rank + 10) + wrong(total == rank + 60);
}

int waits_for_several() {
  const auto all = imbrex::make_array<adder>(4, 0);
  const auto both = wait(imbrex::when_all(all[1].call<&adder::number>(), all[2].call<&adder::number>()));
  wait(imbrex::sleep_for(std::chrono::microseconds(50)));
  return wrong(both == std::tuple<std::int64_t, std::int64_t>(1, 2));
}

int exceptions_of_entries() {
  const auto all = imbrex::make_array<adder>(2, 0);
  try {
    wait(all[1].call<&adder::fail>());
  } catch (const std::invalid_argument& e) {
    return wrong(std::string(e.what()).find("no such thing") != std::string::npos);
  }
  return 1;
}

void wait_for_ever() { wait(imbrex::make_array<adder>(3, 0)[2].call<&adder::add>(1)); }

void fail_while_waiting() {
  const auto all = imbrex::make_array<adder>(3, 0);
  imbrex::send<&adder::fail>(all[0]);
  wait(all[2].call<&adder::add>(1));
}

int wait_in_an_entry() {
  return wrong(wait(imbrex::make_array<adder>(2, 0)[1].call<&adder::waits_in_vain>()));
}
