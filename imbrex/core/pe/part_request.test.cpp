// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/pe/part_request.hpp>

namespace imbrex::part_request_test {

class part_requests : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, part_requests, ::testing::ValuesIn(machines()), name_of_machine);

class guest : public chare<guest> {};

void answer(const detail::local_array& part, const detail::requester& from, int value) {
  detail::send_reply(static_cast<std::uint32_t>(from.pe), from.reply, 100 * value + part.pe().pe());
}
using question = detail::request_to_part<&answer, "question of a test">;

TEST_P(part_requests, wait_for_the_part_and_know_their_sender) {
  run([]() -> task<> {
    auto& here = detail::processor::here();
    const auto all = make_array<guest>(num_pes());
    std::vector<pending<int>> answers;
    for (int pe = 0; pe < num_pes(); ++pe) {
      auto& m = detail::make_message<question>(std::in_place, pe + 1);
      m.collection = here.number_of(all.collection());
      m.reply = answers.emplace_back("the answer of a part").address();
      here.dispatch(m, pe);
    }
    for (int pe = 0; pe < num_pes(); ++pe) {
      const int answer = co_await answers[static_cast<std::size_t>(pe)];
      EXPECT_EQ(answer, 100 * (pe + 1) + pe);
    }
  });
}

}  // namespace imbrex::part_request_test
