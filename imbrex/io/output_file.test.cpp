// SPDX-License-Identifier: Apache-2.0
#include <imbrex/io/output_file.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/grid/decomposition.hpp>
#include <imbrex/grid/field.hpp>

namespace imbrex::output_file_test {

namespace fs = std::filesystem;

double number_of(const index<3>& cell) { return cell[0] + 0.01 * cell[1] + 0.0001 * cell[2]; }

/// A block of a grid of three dimensions.
class block : public chare<block, index<3>> {
 public:
  grid::field<double, 3> heat;
  grid::field<std::array<float, 3>, 3> wind;

  block() = default;
  explicit block(const grid::decomposition<3>& cut) : heat(cut[where()].extents), wind(heat.extents(), 2) {
    cells_ = cut[where()];
  }

  void fill() {
    for (const index<3>& i : indices(heat.extents())) {
      const double value = number_of(i + cells_.origin);
      heat[i] = value;
      wind[i] = {static_cast<float>(value), 1, 2};
    }
  }
  /// The number of wrong cells.
  std::uint64_t wrong() {
    std::uint64_t all = 0;
    for (const index<3>& i : indices(heat.extents())) {
      const double value = number_of(i + cells_.origin);
      if (heat[i] != value || wind[i] != std::array{static_cast<float>(value), 1.0F, 2.0F}) ++all;
    }
    return all;
  }
  packed_cells<std::int16_t, 3> ranks() const {
    return {heat.extents(), std::vector<std::int16_t>(heat.size(), static_cast<std::int16_t>(where()[2]))};
  }
  void move_on(int to) { migrate_to(to); }
  void serialize(auto& ar) { ar(heat, wind, cells_); }

 private:
  grid::box<3> cells_;
};

/// Some values, whose number differs.
class bag : public chare<bag> {
 public:
  std::vector<std::int64_t> values;

  explicit bag(bool is_filled) {
    if (is_filled) values.assign(static_cast<std::size_t>(where()[0] % 5), where()[0]);
  }
  std::vector<std::int64_t> content() const { return values; }
};

class output_files : public on_machine {
 protected:
  void SetUp() override {
    try {
      static_cast<void>(io::detail::hdf5_file::create(path("probe.h5")));
    } catch (const usage_error& e) {
      GTEST_SKIP() << e.what();
    }
  }
  void TearDown() override { fs::remove_all(folder_); }
  /// A path that all processes of the test's run have.
  std::string path(const std::string& name) {
    fs::create_directories(folder_);
    return folder_ + "/" + name;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& one : fs::directory_iterator(folder_)) all.push_back(one.path().filename().string());
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  std::string folder_ = fs::temp_directory_path().string() + "/imbrex_output_" + std::to_string(::getpid());
};
INSTANTIATE_TEST_SUITE_P(on, output_files, ::testing::ValuesIn(machines()), name_of_machine);

TEST_P(output_files, are_read_by_other_numbers_of_blocks) {
  const std::string file = path("heat.h5");
  run([&]() -> task<> {
    fs::remove(file);
    const index<3> extents(7, 6, 5);
    const grid::decomposition<3> cut(extents, {3, 2, 2});
    const auto blocks = make_array<block>(dense(cut.shape()), cut);
    co_await blocks.call<&block::fill>();
    output_file out(file);
    co_await out.write<&block::heat>("heat", blocks);
    co_await out.write<&block::wind>("weather/wind", blocks);
    co_await out.write<&block::ranks>("ranks", blocks);
    EXPECT_FALSE(fs::exists(file));
    co_await out.commit();

    for (const index<3>& shape :
         {index<3>(1, 1, 1), index<3>(1, 5, 1), index<3>(7, 6, 5), index<3>(2, 3, 1)}) {
      const grid::decomposition<3> other(extents, shape);
      const auto again = make_array<block>(dense(shape), other);
      co_await read<&block::heat>(file, "heat", again);
      co_await read<&block::wind>(file, "weather/wind", again);
      EXPECT_EQ(co_await again.reduce<&block::wrong>(sum), 0U) << to_string(shape);
      co_await again.destroy();
    }
  });
}

TEST_P(output_files, have_the_numbers_of_elements_that_move) {
  const std::string file = path("moved.h5");
  run([&]() -> task<> {
    const grid::decomposition<3> cut({8, 4, 4}, {8, 1, 1});
    const auto blocks = make_array<block>(dense(cut.shape()), cut);
    co_await blocks.call<&block::fill>();
    output_file out(file);
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 8; ++i) send<&block::move_on>(blocks[{i, 0, 0}], (i + round) % num_pes());
      co_await out.write<&block::heat>("heat " + std::to_string(round), blocks);
      co_await out.write<&block::wind>("wind " + std::to_string(round), blocks);
    }
    co_await out.commit();
    const auto again = make_array<block>(dense(cut.shape()), cut);
    co_await read<&block::heat>(file, "heat 2", again);
    co_await read<&block::wind>(file, "wind 1", again);
    EXPECT_EQ(co_await again.reduce<&block::wrong>(sum), 0U);
  });
}

TEST_P(output_files, keep_vectors_by_element) {
  const std::string file = path("bags.h5");
  run([&]() -> task<> {
    const auto bags = make_array<bag>(dense(12), true);
    co_await write<&bag::content>(file, "numbers", bags);
    const auto equal = make_array<bag>(dense(12), false);
    co_await read<&bag::values>(file, "numbers", equal);
    EXPECT_EQ(co_await equal.reduce<&bag::content>(gather), co_await bags.reduce<&bag::content>(gather));
    // 12 elements have 0 + 1 + 2 + 3 + 4 + 0 + 1 + 2 + 3 + 4 + 0 + 1 values.
    const auto five = make_array<bag>(dense(5), false);
    co_await read<&bag::values>(file, "numbers", five);
    const auto parts = co_await five.reduce<&bag::content>(gather);
    EXPECT_EQ(parts, (std::vector<std::vector<std::int64_t>>{
                         {1, 2, 2, 3, 3}, {3, 4, 4, 4}, {4, 6, 7, 7}, {8, 8, 8, 9}, {9, 9, 9, 11}}));
  });
}

TEST_P(output_files, are_refused_in_words) {
  const std::string file = path("refused.h5");
  run([&]() -> task<> {
    const grid::decomposition<3> cut({4, 4, 4}, {2, 1, 1});
    const auto blocks = make_array<block>(dense(cut.shape()), cut);
    co_await write<&block::heat>(file, "heat", blocks);
    const auto bags = make_array<bag>(dense(3), true);
    const auto larger = make_array<block>(dense(cut.shape()), grid::decomposition<3>({4, 4, 5}, {2, 1, 1}));
    EXPECT_EQ(co_await awaited_error_of<error>(read<&block::heat>(file, "cold", blocks)),
              file + " has no data set cold");
    EXPECT_EQ(co_await awaited_error_of<error>(read<&block::heat>(file, "heat", larger)),
              "the data set heat of " + file +
                  " has the shape (4, 4, 4), but the elements that read it have (4, 4, "
                  "5) together");
    EXPECT_EQ(co_await awaited_error_of<error>(read<&bag::values>(file, "heat", bags)),
              "the data set heat of " + file +
                  " has numbers of the type double, and the elements that read it "
                  "64-bit integer");
    EXPECT_EQ(co_await awaited_error_of<error>(read<&block::wind>(file, "heat", blocks)),
              "the data set heat of " + file +
                  " has numbers of the type double, and the elements that read it "
                  "float");
    const std::string text = path("text.h5");
    std::ofstream(text) << "no numbers";
    EXPECT_NE((co_await awaited_error_of<error>(read<&block::heat>(text, "heat", blocks)))
                  .find("cannot open " + text),
              std::string::npos);
    EXPECT_NE((co_await awaited_error_of<error>(read<&block::heat>(file + ".none", "heat", blocks)))
                  .find("cannot open " + file),
              std::string::npos);
    EXPECT_EQ(error_of<error>([&] { const output_file out("/missing/folder/x.h5"); }),
              "cannot write /missing/folder/x.h5: the folder /missing/folder is missing");
    output_file twice(file);
    co_await twice.write<&block::heat>("heat", blocks);
    EXPECT_NE((co_await awaited_error_of<error>(twice.write<&block::heat>("heat", blocks)))
                  .find("has a data set heat already"),
              std::string::npos);
  });
}

TEST_P(output_files, leave_the_former_file_where_they_are_not_committed) {
  const std::string file = path("kept.h5");
  run([&]() -> task<> {
    const grid::decomposition<3> cut({4, 4, 4}, {2, 1, 1});
    const auto blocks = make_array<block>(dense(cut.shape()), cut);
    co_await blocks.call<&block::fill>();
    co_await write<&block::heat>(file, "heat", blocks);
    {
      output_file out(file);
      co_await out.write<&block::ranks>("heat", blocks);
    }
    const auto again = make_array<block>(dense(cut.shape()), cut);
    co_await again.call<&block::fill>();
    co_await read<&block::heat>(file, "heat", again);
    EXPECT_EQ(co_await again.reduce<&block::wrong>(sum), 0U);
  });
  EXPECT_EQ(names(), (std::vector<std::string>{"kept.h5", "kept.xmf", "probe.h5"}));
}

}  // namespace imbrex::output_file_test
