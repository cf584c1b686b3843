// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/extension/port.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::port_test {

class ports : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, ports, ::testing::ValuesIn(machines()), name_of_machine);

/// A port that keeps all values until somebody reads them.
class tray {
 public:
  using value_type = std::string;

  void put(extension::port_node<std::string>& arrived) { unread_.add(arrived); }
  std::string read(int reference) {
    std::string all;
    while (auto* const next = unread_.find(reference)) {
      all += next->value;
      unread_.remove(*next);
    }
    return all;
  }
  int size() const { return static_cast<int>(unread_.size()); }
  void serialize(auto& ar) { ar(unread_); }

 private:
  extension::unread_queue<std::string> unread_;
};

class clerk : public chare<clerk> {
 public:
  tray letters;

  void connect() { others_ = extension::port_of_peers<&clerk::letters>(*this); }
  bool is_connected() { return static_cast<bool>(others_); }
  void tell(int to, int reference, std::string text) {
    others_.send(static_cast<std::uint64_t>(to), reference, std::move(text));
  }
  void note(int reference, std::string text) {
    letters.put(extension::make_port_node<std::string>(reference, std::move(text)));
  }
  std::string read(int reference) { return letters.read(reference); }
  int unread() { return letters.size(); }
  void go(int to) { migrate_to(to); }
  int on() { return pe(); }
  void serialize(auto& ar) { ar(letters, others_); }

 private:
  extension::array_port<std::string> others_;
};

TEST_P(ports, of_front_ends_get_values_that_migrate_unread) {
  run([]() -> task<> {
    auto all = make_array<clerk>({2});
    const bool before = co_await all[0].call<&clerk::is_connected>();
    EXPECT_FALSE(before);
    send<&clerk::letters>(all[1], 7, "sent ");
    co_await quiescence();
    send<&clerk::note>(all[1], 7, "noted ");
    send<&clerk::letters>(all[1], 8, "other");
    send<&clerk::connect>(all[0]);
    co_await quiescence();
    for (int p = num_pes() - 1; p >= 0; --p) {
      send<&clerk::go>(all[0], p);
      send<&clerk::go>(all[1], p);
      co_await quiescence();
      const int on = co_await all[1].call<&clerk::on>();
      EXPECT_EQ(on, p);
      send<&clerk::tell>(all[0], 1, 7, "told ");
      co_await quiescence();
    }
    const int unread = co_await all[1].call<&clerk::unread>();
    EXPECT_EQ(unread, 3 + num_pes());
    std::string expected = "sent noted ";
    for (int p = 0; p < num_pes(); ++p) expected += "told ";
    const auto text = co_await all[1].call<&clerk::read>(7);
    EXPECT_EQ(text, expected);
    const int left = co_await all[1].call<&clerk::unread>();
    EXPECT_EQ(left, 1);  // destroyed with its chare
  });
}

}  // namespace imbrex::port_test
