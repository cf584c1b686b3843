// SPDX-License-Identifier: Apache-2.0
// Arrays of chares: creation, broadcast with reduction, sections, migration.
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <malloc.h>

#include "bench/measure.hpp"

namespace {

class cell : public imbrex::chare<cell> {
 public:
  double value() const { return value_; }

  /// Runs `times` reductions over the whole array; returns their duration in seconds.
  imbrex::task<double> reduce_again(std::int64_t times) {
    const bench::stopwatch watch;
    for (std::int64_t i = 0; i < times; ++i) {
      double sum = co_await all_reduce(value_, imbrex::sum);
      benchmark::DoNotOptimize(sum);
    }
    co_return watch.seconds();
  }

 private:
  double value_ = 1;
};

double bytes_allocated() {
  const auto now = ::mallinfo2();
  return static_cast<double>(now.uordblks + now.hblkhd);
}

void create_array(benchmark::State& state) {
  const std::int64_t elements = state.range(0);
  double bytes = 0;
  bench::per_operation(state, elements, [&](std::int64_t n) {
    double seconds = 0;
    for (std::int64_t round = 0; round < n / elements; ++round)
      seconds += bench::seconds_in_run(1, [&]() -> imbrex::task<double> {
        const double before = bytes_allocated();
        const bench::stopwatch watch;
        auto cells = imbrex::make_array<cell>(static_cast<int>(elements));
        const double took = watch.seconds();
        benchmark::DoNotOptimize(cells);
        bytes = bytes_allocated() - before;
        co_return took;
      });
    return seconds;
  });
  state.counters["bytes_beyond_members"] =
      bytes / static_cast<double>(elements) - static_cast<double>(sizeof(cell));
}
BENCHMARK(create_array)->Arg(100'000)->Apply(bench::medians);

void broadcast_reduce(benchmark::State& state) {
  const auto elements = static_cast<int>(state.range(0));
  const auto pes = static_cast<int>(state.range(1));
  bench::per_operation(state, 1, [elements, pes](std::int64_t n) {
    return bench::seconds_in_run(pes, [n, elements]() -> imbrex::task<double> {
      const auto cells = imbrex::make_array<cell>(elements);
      co_await imbrex::quiescence();
      const bench::stopwatch watch;
      for (std::int64_t i = 0; i < n; ++i) {
        double sum = co_await cells.reduce<&cell::value>(imbrex::sum);
        benchmark::DoNotOptimize(sum);
      }
      co_return watch.seconds();
    });
  });
}
BENCHMARK(broadcast_reduce)
    ->ArgNames({"", "pes"})
    ->ArgsProduct({{10'000}, {1, 2}})
    ->Unit(benchmark::kMicrosecond)
    ->Apply(bench::medians);

void all_reduce(benchmark::State& state) {
  const auto elements = static_cast<int>(state.range(0));
  const auto pes = static_cast<int>(state.range(1));
  bench::per_operation(state, 1, [elements, pes](std::int64_t n) {
    return bench::seconds_in_run(pes, [n, elements]() -> imbrex::task<double> {
      const auto cells = imbrex::make_array<cell>(elements);
      const double seconds = co_await cells.reduce<&cell::reduce_again>(imbrex::min, n);
      co_return seconds;
    });
  });
}
BENCHMARK(all_reduce)
    ->ArgNames({"", "pes"})
    ->ArgsProduct({{10'000}, {1, 2}})
    ->Unit(benchmark::kMicrosecond)
    ->Apply(bench::medians);

class listener : public imbrex::chare<listener> {
 public:
  void receive(const std::vector<double>& numbers) { received_count_ += numbers.size(); }

 private:
  std::size_t received_count_ = 0;
};

/// Sends 400 kB to each element of an array, or to each member of a section that has all of them.
template <bool ToSection>
void numbers_to_each(benchmark::State& state) {
  const auto elements = static_cast<int>(state.range(0));
  const auto pes = static_cast<int>(state.range(1));
  bench::per_operation(state, 1, [elements, pes](std::int64_t n) {
    return bench::seconds_in_run(pes, [n, elements]() -> imbrex::task<double> {
      const auto listeners = imbrex::make_array<listener>(elements);
      std::vector<imbrex::index<1>> all;
      for (int i = 0; i < elements; ++i) all.push_back(i);
      const auto section = listeners.section(std::move(all));
      const std::vector<double> numbers(50'000);
      co_await listeners.created();
      const bench::stopwatch watch;
      for (std::int64_t i = 0; i < n; ++i) {
        if constexpr (ToSection)
          co_await section.call<&listener::receive>(numbers);
        else
          co_await listeners.call<&listener::receive>(numbers);
      }
      co_return watch.seconds();
    });
  });
}
BENCHMARK(numbers_to_each<false>)
    ->Name("numbers_to_array")
    ->ArgNames({"", "pes"})
    ->ArgsProduct({{1'000}, {1, 2}})
    ->Unit(benchmark::kMicrosecond)
    ->Apply(bench::medians);
BENCHMARK(numbers_to_each<true>)
    ->Name("numbers_to_section")
    ->ArgNames({"", "pes"})
    ->ArgsProduct({{1'000}, {1, 2}})
    ->Unit(benchmark::kMicrosecond)
    ->Apply(bench::medians);

class wanderer : public imbrex::chare<wanderer> {
 public:
  imbrex::mailbox<std::int64_t> arrivals;

  /// Moves back and forth at its balance point.
  imbrex::task<std::int64_t> wander(std::int64_t moves) {
    while (moved_ < moves) {
      ++moved_;
      migrate_to(1 - pe());
      co_await balance_point<&wanderer::wander>(moves);
    }
    co_return moved_;
  }

  /// Moves back and forth between its entries; the next message follows it.
  void hop(imbrex::element<wanderer> watcher, std::int64_t left) {
    if (left == 0) return imbrex::send<&wanderer::arrivals>(watcher, left);
    migrate_to(1 - pe());
    imbrex::send<&wanderer::hop>(self(), watcher, left - 1);
  }
  imbrex::task<> arrived() { co_await arrivals.receive(); }

  void serialize(auto& ar) { ar(moved_, members_, arrivals); }

 private:
  std::int64_t moved_ = 0;
  std::array<std::byte, 1024> members_{};
};

void migrate(benchmark::State& state) {
  bench::per_operation(state, 1, [](std::int64_t n) {
    return bench::seconds_in_run(2, [n]() -> imbrex::task<double> {
      const auto wanderers = imbrex::make_array<wanderer>(1);
      const bench::stopwatch watch;
      co_await wanderers[0].call<&wanderer::wander>(n);
      co_return watch.seconds();
    });
  });
}
BENCHMARK(migrate)->Arg(1024)->Apply(bench::medians);

void migrate_between_entries(benchmark::State& state) {
  bench::per_operation(state, 1, [](std::int64_t n) {
    return bench::seconds_in_run(2, [n]() -> imbrex::task<double> {
      const auto wanderers = imbrex::make_array<wanderer>(2);
      const bench::stopwatch watch;
      imbrex::send<&wanderer::hop>(wanderers[0], wanderers[1], n);
      co_await wanderers[1].call<&wanderer::arrived>();
      co_return watch.seconds();
    });
  });
}
BENCHMARK(migrate_between_entries)->Arg(1024)->Apply(bench::medians);

}  // namespace
