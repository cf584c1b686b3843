// SPDX-License-Identifier: Apache-2.0
#include <imbrex/grid/device_halo.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/device/backends/devices.hpp>
#include <imbrex/device/operation_observer.hpp>
#include <imbrex/grid/halo_model.test.hpp>

namespace imbrex::grid::halo_test {

template <class T, int N>
T& at(const device_view<T, N>& u, const index<N>& i) {
  if constexpr (N == 1) return u(i[0]);
  if constexpr (N == 2) return u(i[0], i[1]);
  if constexpr (N == 3) return u(i[0], i[1], i[2]);
}

/// Location of a block, and the values for its cells.
template <int N>
struct filling {
  box<N> all;
  index<N> origin;
  std::int64_t step;
  int field;
};

/// Fills the block's own cells with their values, and other cells of the box with none.
template <class T, int N>
constexpr kernel<device_view<T, N>, filling<N>> fill_cells{
    .name = "fill cells",
    .host =
        [](device_view<T, N> u, filling<N> with) {
          for (const auto& i : with.all) {
            bool is_own = true;
            for (int d = 0; d < N; ++d) is_own = is_own && i[d] >= 0 && i[d] < u.extent(d);
            at(u, i) = static_cast<T>(is_own ? own_value(with.step, with.field, with.origin + i) : untouched);
          }
        },
    .work = [](device_view<T, N> u,
               filling<N>) { return work_size{.time = nanoseconds(300 * (u.size() % 7))}; }};

/// A block of two fields. The first has cells of one byte, so that the second must be aligned in parcels.
template <int N>
class device_block : public chare<device_block<N>, index<N>> {
 public:
  using small_cells = device_field<std::int8_t, N>;
  using large_cells = device_field<double, N>;

  grid::device_halo<small_cells, large_cells> halo;

  device_block() = default;
  explicit device_block(const plan<N>& p) : plan_(p) {
    halo.template connect<&device_block::halo>(*this, p.cut, p.ends, p.corners ? sides::all : sides::faces);
  }

  /// Runs `steps` exchanges. Returns the number of cells that are wrong after one of them.
  task<std::int64_t> run(int steps) {
    while (done_ < steps) {
      const std::int64_t step = 3 * done_ - 4;
      if (!here_) here_.emplace(cells().extents, plan_.width);
      fill(here_->small, here_->small.cells_with_ghosts(), step, 0);
      fill(here_->large, here_->large.cells_with_ghosts(), step, 1);
      halo.begin(here_->small, here_->large, step, here_->work);
      // Parcels already sent must not change. The values written last are used for ends of the grid, at the
      // end of the exchange.
      for (const auto later : {step + 1, step}) {
        fill(here_->small, here_->small.cells(), later, 0);
        fill(here_->large, here_->large.cells(), later, 1);
      }
      for (int times = plan_.does == habit::gives_up_at_times ? 2 : 0; times > 0 && halo.has_begun(); --times)
        co_await when_any(halo.end(here_->small, here_->large, here_->work),
                          sleep_for(std::chrono::nanoseconds(0)));
      if (halo.has_begun()) co_await halo.end(here_->small, here_->large, here_->work);
      co_await check(here_->small, 0, step);
      co_await check(here_->large, 1, step);
      ++done_;
      if (plan_.does == habit::leaves_between_steps || plan_.does == habit::leaves_between_halves) {
        here_.reset();
        random dice(plan_.seed + std::hash<index<N>>()(this->where()) + static_cast<std::uint64_t>(done_));
        this->migrate_to(static_cast<int>(dice.below(static_cast<std::uint64_t>(this->num_pes()))));
        co_await this->template balance_point<&device_block::run>(steps);
      }
    }
    here_.reset();
    co_return wrong_;
  }

  void serialize(auto& ar) { ar(halo, plan_, done_, wrong_); }

 private:
  /// State of a block on its current device.
  struct on_device {
    stream work{gpu(), stream_priority::normal, "a block"};
    small_cells small;
    large_cells large;
    on_device(const index<N>& extents, const std::array<index<N>, 2>& width)
        : small(extents, width[0]), large(extents, width[1]) {}
  };

  box<N> cells() const { return plan_.cut[this->where()]; }
  template <class T>
  void fill(device_field<T, N>& u, const box<N>& of, std::int64_t step, int field) {
    here_->work.launch(fill_cells<T, N>, u.view(), filling<N>{of, cells().origin, step, field});
  }
  template <class T>
  task<> check(const device_field<T, N>& u, int number, std::int64_t step) {
    pinned_buffer<T> copy(gpu(), u.span().size());
    here_->work.copy(copy.span(), u.span());
    co_await here_->work.done();
    const box<N> all = u.cells_with_ghosts();
    const auto seen = u.on_host(copy.span(), all);
    for (const auto& i : all) {
      const int expected = expected_value(plan_, cells(), step, number, cells().origin + i);
      const auto got = static_cast<int>(seen[i - all.origin]);
      if (got == expected) continue;
      if (wrong_ == 0)
        ADD_FAILURE() << "field " << number << " of block " << to_string(this->where()) << " has " << got
                      << " at " << to_string(i) << ", not " << expected << ", at step " << step;
      ++wrong_;
    }
  }

  plan<N> plan_;
  std::optional<on_device> here_;  // does not migrate
  std::int64_t done_ = 0, wrong_ = 0;
};

template <int N>
task<> program(std::uint64_t seed) {
  const auto p = random_plan<N>(seed, 2);
  const auto all = make_array<device_block<N>>(dense(p.cut.shape()).placed(round_robin), p);
  const std::int64_t wrong = co_await all.template reduce<&device_block<N>::run>(sum, 3);
  EXPECT_EQ(wrong, 0) << "by seed " << seed;
  co_await all.destroy();
}

task<> device_program_of(std::uint64_t seed) {
  switch (seed % 3) {
    case 0: return program<1>(seed);
    case 1: return program<2>(seed);
    default: return program<3>(seed);
  }
}

class grid_device_halo : public on_machine {
 protected:
  template <class Main>
  void run_with(int devices, const Main& main) {
    for (options settings : GetParam().runs) {
      settings.device = "emulated";
      settings.devices = devices;
      EXPECT_EQ(run_once(settings, main), 0);
      if (!HasFailure()) continue;
      ADD_FAILURE() << "with " << text_of(settings) << ", " << devices << " devices";
      return;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(on, grid_device_halo, ::testing::ValuesIn(machines()), name_of_machine);

TEST_P(grid_device_halo, gives_each_ghost_the_value_of_a_sequential_model) {
  std::uint64_t seed = 0;
  for (const int devices : {1, 2})
    run_with(devices, [&]() -> task<> {
      for (int n = 0; n < 3; ++n) co_await device_program_of(++seed);
    });
}

/// Adds a number to the block's own cells.
constexpr kernel<device_view<double, 2>, double> add_to_cells{
    .name = "add to cells",
    .host =
        [](device_view<double, 2> u, double number) {
          for (int i = 0; i < u.extent(0); ++i)
            for (int k = 0; k < u.extent(1); ++k) u(i, k) += number;
        },
    .work = [](device_view<double, 2>, double) { return work_size{.time = nanoseconds(20'000)}; }};

/// A chare whose fields move with it, with the work on them in progress.
class migrating_block : public chare<migrating_block, index<2>> {
 public:
  using cells = device_field<double, 2>;

  task<std::int64_t> run(int steps) {
    while (step_ < steps) {
      if (step_ == 0) {
        u_ = cells({5, 7 + where()[0]}, {1, 2});
        work().fill(u_.span(), std::byte(0));
      }
      work().launch(add_to_cells, u_.view(), 1.0 + where()[1]);
      ++step_;
      migrate_to((pe() + 1) % num_pes());
      co_await balance_point<&migrating_block::run>(steps);
    }
    pinned_buffer<double> copy(gpu(), u_.span().size());
    work().copy(copy.span(), std::as_const(u_).span());
    co_await work().done();
    std::int64_t wrong = u_.device() == gpu().info().id && none_.size() == 0 ? 0 : 1;
    wrong += u_.width() == index<2>{1, 2} ? 0 : 1;
    const auto seen = u_.on_host(copy.span());
    for (const auto& i : u_.cells()) wrong += seen[i] == steps * (1.0 + where()[1]) ? 0 : 1;
    co_return wrong;
  }
  void serialize(auto& ar) { ar(u_, none_, step_); }

 private:
  stream& work() {
    if (!work_) work_.emplace(gpu());
    return *work_;
  }

  cells u_, none_;
  int step_ = 0;
  std::optional<stream> work_;  // does not migrate
};

TEST_P(grid_device_halo, fields_move_with_their_chare) {
  for (const int devices : {1, 2})
    run_with(devices, []() -> task<> {
      const auto all = make_array<migrating_block>({2, 2});
      EXPECT_EQ((co_await all.reduce<&migrating_block::run>(sum, 5)), 0);
    });
}

TEST(grid_device_halo_model, agrees_in_any_deterministic_order) {
  for (std::uint64_t seed = 1000; seed < 1090 && !::testing::Test::HasFailure(); ++seed) {
    options settings = seeded(static_cast<int>(seed % 5 + 1), seed);
    settings.device = "emulated";
    settings.devices = static_cast<int>(seed % 2 + 1);
    EXPECT_EQ(imbrex::run(settings, [seed] { return device_program_of(seed); }), 0) << seed;
  }
}

// ---- two streams ----

/// Kernel that takes so long that work behind it has not begun when the other stream could go on.
constexpr kernel<> take_long{
    .name = "take long", .host = [] {}, .work = [] { return work_size{.time = nanoseconds(2'000'000)}; }};

/// A block that is its own neighbour. It ends exchanges by another stream than it begins them.
class own_neighbour : public chare<own_neighbour, index<1>> {
 public:
  using cells = device_field<double, 1>;
  grid::device_halo<cells> halo;

  own_neighbour() {
    halo.connect<&own_neighbour::halo>(*this, decomposition<1>({9}, {1}), boundary::periodic);
  }
  task<> run(int steps) {
    stream first(gpu(), stream_priority::normal, "begins");
    stream second(gpu(), stream_priority::normal, "ends");
    cells u({9}, {1});
    pinned_buffer<double> copy(gpu(), u.span().size());
    for (int step = 0; step < steps; ++step) {
      first.launch(take_long);
      first.launch(fill_cells<double, 1>, u.view(), filling<1>{u.cells(), {}, step, 0});
      halo.begin(u, step, first);
      co_await halo.end(u, second);
      second.copy(copy.span(), u.span());
      co_await second.done();
      const box<1> all = u.cells_with_ghosts();
      const auto seen = u.on_host(copy.span(), all);
      for (const auto& i : all)
        EXPECT_EQ(seen[i - all.origin], own_value(step, 0, index<1>((i[0] + 9) % 9)))
            << "at " << to_string(i) << ", at step " << step;
    }
  }
};

TEST_P(grid_device_halo, ends_by_another_stream) {
  run_with(1, []() -> task<> {
    auto all = make_array<own_neighbour>(index<1>(1));
    co_await all.call<&own_neighbour::run>(3);
    co_await all.destroy();
  });
}

// ---- a second try ----

/// A block that first awaits the end with a field that does not fit some parcels.
class second_try : public chare<second_try, index<2>> {
 public:
  using cells = device_field<double, 2>;
  grid::device_halo<cells> halo;

  second_try() {
    plan_.cut = decomposition<2>({8, 8}, {2, 2});
    halo.connect<&second_try::halo>(*this, plan_.cut);
  }
  task<> run(int steps) {
    stream work(gpu(), stream_priority::normal, "a block");
    const box<2> here = plan_.cut[where()];
    cells u(here.extents, {1, 1}), other(here.extents, {1, 2});
    pinned_buffer<double> copy(gpu(), u.span().size());
    const box<2> all = u.cells_with_ghosts();
    for (int step = 0; step < steps; ++step) {
      work.launch(fill_cells<double, 2>, u.view(), filling<2>{all, here.origin, step, 0});
      halo.begin(u, step, work);
      const std::string error_text = co_await awaited_error_of<error>(halo.end(other, work));
      EXPECT_NE(error_text.find("bytes of cells for step"), std::string::npos) << error_text;
      co_await halo.end(u, work);
      work.copy(copy.span(), u.span());
      co_await work.done();
      const auto seen = u.on_host(copy.span(), all);
      for (const auto& i : all)
        EXPECT_EQ(seen[i - all.origin], expected_value(plan_, here, step, 0, here.origin + i))
            << "at " << to_string(i) << ", at step " << step;
    }
  }

 private:
  plan<2> plan_;
};

TEST_P(grid_device_halo, loses_nothing_where_its_end_has_failed) {
  run_with(1, []() -> task<> {
    auto all = make_array<second_try>(index<2>(2, 2));
    co_await all.call<&second_try::run>(4);
    co_await all.destroy();
  });
}

// ---- the kernel ----

class kernel_counter final : public operation_observer {
 public:
  void finished(const finished_operation& operation) noexcept override {
    if (operation.what == finished_operation::type::kernel) ++kernels;
  }
  std::atomic<int> kernels = 0;
};

class counted : public chare<counted, index<3>> {
 public:
  using cells = device_field<float, 3>;
  grid::device_halo<cells, cells> halo;

  explicit counted(const decomposition<3>& cut) : u_(cut[where()].extents), v_(cut[where()].extents) {
    halo.connect<&counted::halo>(*this, cut, boundary::reflecting);
  }
  task<> run(int steps) {
    for (int step = 0; step < steps; ++step) co_await halo.exchange(u_, v_, step, work_);
    co_await work_.done();
  }

 private:
  stream work_{gpu(), stream_priority::normal, "a block"};
  cells u_, v_;
};

TEST(grid_device_halo_kernels, are_two_an_exchange) {
  options settings{.pes = 2};
  settings.device = "emulated";
  EXPECT_EQ(imbrex::run(settings,
                        []() -> task<> {
                          kernel_counter seen;
                          gpu().backend().observe(&seen);
                          const decomposition<3> cut({7, 8, 9}, {2, 2, 2});
                          auto all = make_array<counted>(cut.shape(), cut);
                          co_await all.call<&counted::run>(5);
                          gpu().backend().observe(nullptr);
                          EXPECT_EQ(seen.kernels, 5 * 8 * 2);
                          co_await all.destroy();
                        }),
            0);
}

/// Copies boxes by a device, and compares with loops over all their bytes.
template <class T>
void check_moves(imbrex::device& on, std::uint64_t seed) {
  random dice(seed);
  stream work(on, stream_priority::normal, "a test");
  constexpr std::size_t cells = 6000;
  pinned_buffer<T> before(on, cells), after(on, cells);
  std::vector<T> expected(cells);
  auto bytes_of = [](auto& all) { return reinterpret_cast<unsigned char*>(&all[0]); };
  for (std::size_t b = 0; b < cells * sizeof(T); ++b)
    bytes_of(before)[b] = static_cast<unsigned char>(dice.below(256));
  std::memset(bytes_of(expected), 7, cells * sizeof(T));
  device_buffer<T> from(on, cells), to(on, cells);
  work.copy(from.span(), std::as_const(before).span());
  work.fill(to.span(), std::byte(7));
  detail::box_mover moving(work);
  const std::size_t room = cells / 60;  // cells per copy, so that no two copies write the same cells
  for (std::size_t m = 0; m < 60; ++m) {
    const index<3> extents(dice.below(4), 1 + dice.below(3), 1 + dice.below(8));
    const detail::strides_of<3> here{static_cast<std::ptrdiff_t>(1 + dice.below(3)),
                                     -static_cast<std::ptrdiff_t>(4), dice.below(2) == 0 ? 1 : -2};
    const detail::strides_of<3> there = detail::dense_strides(extents);
    const std::size_t first = m * room + 40;
    moving.add(std::as_const(from).span().data() + first, here, to.span().data() + m * room, there, extents);
    for (const auto& i : indices(extents)) {
      const auto source =
          static_cast<std::ptrdiff_t>(first) + i[0] * here[0] + i[1] * here[1] + i[2] * here[2];
      const auto target = static_cast<std::ptrdiff_t>(m * room) + i[0] * there[0] + i[1] * there[1] + i[2];
      expected[static_cast<std::size_t>(target)] = before[static_cast<std::size_t>(source)];
    }
  }
  moving.launch();
  work.copy(after.span(), std::as_const(to).span());
  work.synchronize();
  EXPECT_EQ(std::memcmp(bytes_of(after), bytes_of(expected), cells * sizeof(T)), 0);
}

struct three_floats {
  float of[3];
};
struct alignas(16) wide {
  double of[4];
};

TEST(grid_device_halo_kernels, copy_cells_of_any_size) {
  for (const char* const kind : {"emulated", "cuda"}) {
    std::vector<std::unique_ptr<imbrex::device>> all;
    try {
      all = devices(kind);
    } catch (const error&) {
      continue;  // there is no such device
    }
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      check_moves<std::int8_t>(*all[0], seed);
      check_moves<std::int16_t>(*all[0], seed);
      check_moves<float>(*all[0], seed);
      check_moves<double>(*all[0], seed);
      check_moves<three_floats>(*all[0], seed);
      check_moves<wide>(*all[0], seed);
    }
  }
}

// ---- errors ----

class mistaken : public chare<mistaken, index<2>> {
 public:
  using cells = device_field<double, 2>;
  grid::device_halo<cells> halo;

  explicit mistaken(const decomposition<2>& cut) : cut_(cut) {}
  std::string connect(const boundaries<2>& ends) {
    return error_of<error>([&] { halo.connect<&mistaken::halo>(*this, cut_, ends); });
  }
  std::string begin(const index2& extents, int width) {
    stream work(gpu(), stream_priority::normal, "a block");
    cells u(extents, width);
    return error_of<error>([&] { halo.begin(u, 0, work); });
  }
  std::string begin_with_nothing() {
    stream work(gpu(), stream_priority::normal, "a block");
    cells u;
    return error_of<error>([&] { halo.begin(u, 0, work); });
  }
  std::string fill_up_and_begin() {
    stream work(gpu(), stream_priority::normal, "a block");
    cells u(cut_[where()].extents);
    std::vector<device_buffer<std::byte>> all;
    return error_of<error>([&] {
      for (std::size_t size = gpu().free_memory(); size >= 256;) {
        try {
          all.emplace_back(gpu(), size);
        } catch (const device_out_of_memory&) {
          size /= 2;
        }
      }
      halo.begin(u, 0, work);
    });
  }
  task<> run(int steps) {
    stream work(gpu(), stream_priority::normal, "a block");
    cells u(cut_[where()].extents);
    for (int step = 0; step < steps; ++step) co_await halo.exchange(u, step, work);
  }

 private:
  decomposition<2> cut_;
};

TEST(grid_device_halo_errors, name_the_value) {
  options settings{.pes = 2};
  settings.device = "emulated";
  settings.device_model = "v100";
  settings.device_data = false;  // the memory need not exist
  EXPECT_EQ(imbrex::run(settings,
                        []() -> task<> {
                          const decomposition<2> cut({7, 6}, {2, 2});
                          auto all = make_array<mistaken>(cut.shape(), cut);
                          auto one = all[{0, 1}];
                          const auto unconnected = co_await one.call<&mistaken::begin>(index2(4, 3), 1);
                          EXPECT_NE(unconnected.find("not connected"), std::string::npos) << unconnected;
                          const auto by_function =
                              co_await one.call<&mistaken::connect>(boundaries<2>(boundary::function));
                          EXPECT_NE(by_function.find("boundary::function"), std::string::npos) << by_function;
                          for (const auto& i : indices(cut.shape()))
                            EXPECT_EQ((co_await all[i].call<&mistaken::connect>(boundaries<2>())), "");
                          const auto extents = co_await one.call<&mistaken::begin>(index2(5, 3), 1);
                          EXPECT_NE(extents.find("the extents (5, 3)"), std::string::npos) << extents;
                          const auto deep = co_await one.call<&mistaken::begin>(index2(4, 3), 4);
                          EXPECT_NE(deep.find("4 ghost layers"), std::string::npos) << deep;
                          const auto none = co_await one.call<&mistaken::begin_with_nothing>();
                          EXPECT_NE(none.find("the extents (0, 0)"), std::string::npos) << none;
                          const auto full = co_await one.call<&mistaken::fill_up_and_begin>();
                          EXPECT_NE(full.find("free"), std::string::npos) << full;
                          co_await all.call<&mistaken::run>(3);  // no call before has begun an exchange
                          co_await all.destroy();
                        }),
            0);
}

}  // namespace imbrex::grid::halo_test
