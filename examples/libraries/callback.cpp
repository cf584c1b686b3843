// SPDX-License-Identifier: Apache-2.0
// A library that calls back on a thread of its own: an entry starts its work, and waits for the result while
// its PE runs other chares.
//   build/release/bin/callback --pes 2
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include <imbrex/executor.hpp>
#include <imbrex/imbrex.hpp>
#include <imbrex/promise.hpp>

namespace {

/// A library as others write it: it knows nothing of chares.
class reader_of_sensors {
 public:
  ~reader_of_sensors() {
    for (std::thread& each : threads_) each.join();
  }
  void read(int sensor, std::function<void(int)> call) {
    threads_.emplace_back([=] { call(100 + sensor); });
  }

 private:
  std::vector<std::thread> threads_;
};

class station : public imbrex::chare<station> {
 public:
  imbrex::task<int> measure() {
    auto [promise, value] = imbrex::make_promise<int>();
    const imbrex::executor here = imbrex::make_executor();
    // The library's thread is no PE: it may only post a function, which this PE then runs.
    sensors_.read(where()[0], [here, promise](int seen) { here.post([=] { promise.set_value(seen); }); });
    const int seen = co_await std::move(value);
    co_return seen;
  }

 private:
  reader_of_sensors sensors_;
};

}  // namespace

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, []() -> imbrex::task<int> {
    const auto stations = imbrex::make_array<station>(10);
    const int sum = co_await stations.reduce<&station::measure>(imbrex::sum);
    std::printf("the sensors have shown %d\n", sum);
    co_return sum == 1045 ? 0 : 1;
  });
}
