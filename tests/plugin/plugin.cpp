// SPDX-License-Identifier: Apache-2.0
#include <imbrex/imbrex.hpp>

namespace {

class counter : public imbrex::chare<counter> {
 public:
  int add(int number) { return sum_ += number; }

 private:
  int sum_ = 0;
};

}  // namespace

/// Calls chares on all PEs. Returns the number of calls, or -1 if the run failed.
extern "C" int run_program(int pes) {
  int calls = 0;
  imbrex::options settings{.pes = pes};
  settings.log = imbrex::log_level::error;  // suppresses the warning that PEs outnumber processors
  const int status = imbrex::run(settings, [&]() -> imbrex::task<int> {
    const auto counters = imbrex::make_array<counter>(5);
    for (int i = 0; i < 500; ++i) {
      const int sum = co_await counters[i % 5].call<&counter::add>(1);
      calls += sum == i / 5 + 1 ? 1 : 0;
    }
    co_return 0;
  });
  return status == 0 ? calls : -1;
}
