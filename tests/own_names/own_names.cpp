// SPDX-License-Identifier: Apache-2.0
// A program that names all of Imbrex, and defines types and functions with names that Imbrex's code uses.
#include <cstdio>
#include <ctime>
#include <imbrex/cells.hpp>
#include <imbrex/gpu.hpp>
#include <imbrex/grid.hpp>
#include <imbrex/imbrex.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <strings.h>

using namespace imbrex;

struct work {
  int amount = 0;
};
struct pool {
  std::vector<work> free;
};
struct message {
  int from = 0;
  std::string text;
};
struct layout {
  int rows = 0;
};
struct message_type {
  std::string_view text;
};
struct scheduler {
  std::vector<message_type> known;
};
struct network {
  scheduler all;
};
struct inbox {
  network from;
};
struct runtime {
  inbox first;
};
struct nothing {};
struct endpoint {};
struct transport {};
struct router {};
struct queue {};
struct timer {};
struct run_queue {};
struct memory_pool {};
struct work_type {};
struct pe_range {};
struct reply_address {};
struct completion_source {};
struct device_completions {};
struct message_table {};
struct real_clock {};
struct simulated_clock {};
enum class binding { loose, tight };
constexpr int max_pes = 3;

template <class T>
concept bitwise = sizeof(T) == 1;

std::string_view name(binding how) { return how == binding::loose ? "loose" : "tight"; }

namespace program {

// Imbrex's public names give way to names of an enclosing namespace.
struct task {
  work what;
};
struct section {
  task first;
};

struct member : chare<member> {
  int take(const message& own_message, layout shape, work what) {
    const pool kept{.free = {what}};
    return own_message.from + shape.rows + kept.free.front().amount;
  }
};

imbrex::task<int> sum_of_all() {
  const auto members = make_array<member>(max_pes);
  const message own_message{.from = 1, .text = "one"};
  const section more{.first = {.what = {.amount = 100}}};
  const int all =
      co_await members.reduce<&member::take>(sum, own_message, layout{.rows = 10}, more.first.what);
  co_return all == 333 ? 0 : 1;
}

}  // namespace program

/// Types that the program only names.
using all_others = std::tuple<nothing, endpoint, transport, router, queue, timer, run_queue, memory_pool,
                              work_type, pe_range, reply_address, completion_source, device_completions,
                              message_table, real_clock, simulated_clock>;

int main(int argc, char** argv) {
  static_assert(bitwise<char> && !bitwise<int>);
  static_assert(std::tuple_size_v<all_others> == 16);
  const runtime none;
  const char* const letters = "abc";
  const index2 corner{1, 2};
  // `index` and `clock` also exist in the C library.
  const bool right = none.first.from.all.known.empty() && name(binding::tight) == "tight" &&
                     ::index(letters, 'c') - letters == corner[1] && clock() >= clock_t{0};
  if (!right) {
    std::puts("a name of the program's means something else");
    return 1;
  }
  return imbrex::run(argc, argv, &program::sum_of_all);
}
