// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/device_block.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include <imbrex/imbrex.hpp>

namespace jacobi3d {
namespace {

/// Counts the operations of a device by the owners of their streams.
class operation_counts final : public imbrex::operation_observer {
 public:
  void finished(const imbrex::finished_operation& operation) noexcept override {
    using type = imbrex::finished_operation::type;
    if (operation.what == type::kernel)
      ++kernels_[operation.owner];
    else if (operation.what == type::to_device || operation.what == type::from_device)
      ++copies_[operation.owner];
  }
  int kernels(const std::string& owner) const { return count(kernels_, owner); }
  int copies(const std::string& owner) const { return count(copies_, owner); }

 private:
  using counts = std::map<std::string, int>;
  static int count(const counts& of, const std::string& owner) {
    const auto found = of.find(owner);
    return found == of.end() ? 0 : found->second;
  }

  counts kernels_, copies_;
};

std::string owner_of(const extents& place) {
  return "block (" + std::to_string(place[0]) + ", " + std::to_string(place[1]) + ", " +
         std::to_string(place[2]) + ")";
}

/// Calls visit(owner of its streams, number of neighbours) for each block.
template <class Visit>
void for_each_block(const extents& blocks, Visit visit) {
  const decomposition cut{blocks, blocks};
  for (std::int64_t x = 0; x < blocks[0]; ++x)
    for (std::int64_t y = 0; y < blocks[1]; ++y)
      for (std::int64_t z = 0; z < blocks[2]; ++z)
        visit(owner_of({x, y, z}), int(std::ranges::count(cut.shared_sides({x, y, z}), true)));
}

int launches(kernel_fusion fusion, int neighbours) {
  switch (fusion) {
    case kernel_fusion::none: return 2 * neighbours + 1;
    case kernel_fusion::a: return neighbours + 1 + std::min(neighbours, 1);
    case kernel_fusion::b: return 1 + 2 * std::min(neighbours, 1);
    case kernel_fusion::c: return 1;
  }
  return 0;
}

class device_block_work
    : public ::testing::TestWithParam<std::tuple<communication, kernel_fusion, bool, imbrex::stream_policy>> {
};

// Before the first iteration each face is packed and copied: the difference of two runs excludes that.
TEST_P(device_block_work, of_an_iteration_is_as_many_kernels_as_the_fusion_leaves) {
  const auto [comm, fusion, by_graphs, streams] = GetParam();
  EXPECT_EQ(launches(fusion, 6), (std::map<kernel_fusion, int>{{kernel_fusion::none, 13},
                                                               {kernel_fusion::a, 8},
                                                               {kernel_fusion::b, 3},
                                                               {kernel_fusion::c, 1}}[fusion]));
  for (const extents& blocks : {extents{3, 3, 3}, extents{2, 1, 1}, extents{1, 1, 1}}) {
    const extents grid{4 * blocks[0], 3 * blocks[1], 5 * blocks[2]};
    imbrex::options settings;
    settings.machine = imbrex::machine_kind::deterministic;
    settings.device = "emulated";
    settings.streams = streams;
    settings.pes = 1;
    std::map<int, operation_counts> after;  // key: number of iterations
    for (const int iterations : {4, 9}) {
      const int status = imbrex::run(settings, [&]() -> imbrex::task<> {
        auto& device = imbrex::gpu().backend();
        device.observe(&after[iterations]);
        const auto all = imbrex::make_array<device_block>(
            imbrex::index<3>(int(blocks[0]), int(blocks[1]), int(blocks[2])), grid, "hot-face",
            device_use{.fusion = fusion, .by_graphs = by_graphs, .comm = comm});
        co_await all.call<&device_block::start>();
        co_await all.reduce<&device_block::run>(greatest_residual{}, iterations, 0.0);
        device.observe(nullptr);
      });
      ASSERT_EQ(status, 0);
    }
    for_each_block(blocks, [&](const std::string& owner, int neighbours) {
      EXPECT_EQ(after[9].kernels(owner) - after[4].kernels(owner), 5 * launches(fusion, neighbours)) << owner;
      EXPECT_EQ(after[9].copies(owner) - after[4].copies(owner),
                comm == communication::host ? 5 * 2 * neighbours : 0)
          << owner;
    });
  }
}

std::string name_of(const ::testing::TestParamInfo<device_block_work::ParamType>& tested) {
  const auto [comm, fusion, by_graphs, streams] = tested.param;
  return name(comm) + std::string("_") + name(fusion) + (by_graphs ? "_graphs_" : "_streams_") +
         std::string(imbrex::option_word(streams));
}

INSTANTIATE_TEST_SUITE_P(all, device_block_work,
                         ::testing::Combine(::testing::Values(communication::host, communication::message),
                                            ::testing::Values(kernel_fusion::none, kernel_fusion::a,
                                                              kernel_fusion::b, kernel_fusion::c),
                                            ::testing::Bool(),
                                            ::testing::Values(imbrex::stream_policy::single,
                                                              imbrex::stream_policy::four)),
                         name_of);

}  // namespace
}  // namespace jacobi3d
