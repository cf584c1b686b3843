// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/pe/local_array.hpp>

namespace imbrex::array_listener_test {

class array_listeners : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, array_listeners, ::testing::ValuesIn(machines()), name_of_machine);

class guest : public chare<guest> {
 public:
  void move() { migrate_to((pe() + 1) % num_pes()); }
  void serialize(auto&) {}
};

/// Counts the events of an array's part.
class listener final : public chare<listener>, detail::array_listener {
 public:
  void listen(std::uint64_t collection) {
    auto& here = detail::processor::here();
    detail::array_at(here, here.number_of(collection))->listeners().add(*this);
  }
  int inserted() const { return inserted_; }
  int destroyed() const { return destroyed_; }
  int left() const { return left_; }
  int arrived() const { return arrived_; }
  int ended() const { return ended_; }

 private:
  void element_inserted(chare_header&) override { ++inserted_; }
  void element_destroyed(const chare_header&) override { ++destroyed_; }
  void element_left(const chare_header&) override { ++left_; }
  void element_arrived(chare_header&) override { ++arrived_; }
  void array_ends() override { ++ended_; }

  int inserted_ = 0, destroyed_ = 0, left_ = 0, arrived_ = 0, ended_ = 0;
};

TEST_P(array_listeners, hear_of_each_event_once) {
  run([]() -> task<> {
    constexpr int elements = 7;
    const auto all = make_array<guest>(sparse(index<1>(elements)));
    co_await all.created();
    const auto listeners = make_group<listener>();
    co_await listeners.call<&listener::listen>(all.collection());
    for (int i = 0; i < elements; ++i) all.insert(i);
    co_await quiescence();
    send<&guest::move>(all);
    co_await quiescence();
    all[3].destroy();
    co_await quiescence();
    co_await all.destroy();
    const int inserted = co_await listeners.reduce<&listener::inserted>(sum);
    EXPECT_EQ(inserted, elements);
    const int left = co_await listeners.reduce<&listener::left>(sum);
    EXPECT_EQ(left, num_pes() > 1 ? elements : 0);
    const int arrived = co_await listeners.reduce<&listener::arrived>(sum);
    EXPECT_EQ(arrived, left);
    const int destroyed = co_await listeners.reduce<&listener::destroyed>(sum);
    EXPECT_EQ(destroyed, 1);
    const int ended = co_await listeners.reduce<&listener::ended>(sum);
    EXPECT_EQ(ended, num_pes());
  });
}

}  // namespace imbrex::array_listener_test
