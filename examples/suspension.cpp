// SPDX-License-Identifier: Apache-2.0
// Rules for variables of suspended entries: the pieces quoted in docs/tutorial.md, with tests.
#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

#include <imbrex/imbrex.hpp>

class account : public imbrex::chare<account> {
 public:
  imbrex::mailbox<int> permission;

  // Parameters live as long as the entry, including references, and spans into the message.
  imbrex::task<int> total(std::span<const int> amounts) {
    co_await permission.receive();
    co_return std::accumulate(amounts.begin(), amounts.end(), 0);
  }

  // During this wait, other entries of the same chare run. So the balance is checked again.
  imbrex::task<bool> withdraw(int amount) {
    if (balance_ < amount) co_return false;
    co_await permission.receive();
    if (balance_ < amount) co_return false;
    balance_ -= amount;
    co_return true;
  }

  // The frame of a coroutine lambda keeps its parameters, but not its captures: these are in the lambda
  // object. So such a lambda gets its data as parameters, and captures nothing.
  imbrex::task<int> sum_of_two() {
    const auto twice = [](account& self) -> imbrex::task<int> {
      co_await self.permission.receive();
      co_return 2 * self.balance_;
    };
    const int result = co_await twice(*this);
    co_return result;
  }

  // A proxy may be kept and sent; a pointer or reference to another chare may not, since that chare can move.
  imbrex::task<int> with_another(imbrex::element<account> other) {
    co_await permission.receive();
    const int other_balance = co_await other.call<&account::balance>();
    co_return balance_ + other_balance;
  }

  int balance() const { return balance_; }

 private:
  int balance_ = 10;
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, []() -> imbrex::task<int> {
    const auto accounts = imbrex::make_array<account>(2);
    const auto saver = accounts[0];

    // A call is sent when it is made, and awaited when its result is needed.
    auto total = saver.call<&account::total>(std::vector<int>{1, 2, 3});
    imbrex::send<&account::permission>(saver, 0);
    const int six = co_await total;

    auto first = saver.call<&account::withdraw>(8);
    auto second = saver.call<&account::withdraw>(8);
    for (int i = 0; i < 2; ++i) imbrex::send<&account::permission>(saver, 0);
    const auto [got_first, got_second] = co_await imbrex::when_all(std::move(first), std::move(second));

    imbrex::send<&account::permission>(saver, 0);
    const int four = co_await saver.call<&account::sum_of_two>();
    imbrex::send<&account::permission>(saver, 0);
    const int twelve = co_await saver.call<&account::with_another>(accounts[1]);

    const bool right = six == 6 && got_first != got_second && four == 4 && twelve == 12;
    std::printf("%d, one of two withdrawals, %d, %d: %s\n", six, four, twelve,
                right ? "as promised" : "wrong");
    co_return right ? 0 : 1;
  });
}
