// SPDX-License-Identifier: Apache-2.0
// A test that runs a program on machines of every kind, and expects an error.
#include <cstdio>
#include <stdexcept>
#include <string>

#include <imbrex/imbrex.hpp>
#include <imbrex/testing/awaited_error_of.hpp>
#include <imbrex/testing/machines.hpp>

class account : public imbrex::chare<account> {
 public:
  void deposit(int amount) { balance_ += amount; }
  void withdraw(int amount) {
    if (amount > balance_) throw std::invalid_argument("the balance is " + std::to_string(balance_));
    balance_ -= amount;
  }

 private:
  int balance_ = 0;
};

imbrex::task<int> test_withdrawals() {
  auto accounts = imbrex::make_array<account>(4);
  for (int amount = 1; amount <= 9; ++amount) imbrex::send<&account::deposit>(accounts[3], amount);
  co_await imbrex::quiescence();
  auto call = accounts[3].call<&account::withdraw>(46);
  const std::string error_text = co_await imbrex::testing::awaited_error_of(call);
  co_return error_text == "the balance is 45" ? 0 : 1;
}

int main() {
  const auto all = imbrex::testing::machines();
  for (const imbrex::testing::machine& machine : all)
    if (imbrex::testing::run_on(machine, test_withdrawals) != 0) return 1;
  std::printf("passed on %s and others\n", all.front().name.c_str());
}
