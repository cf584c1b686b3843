// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/heap_source.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::resident::detail {
namespace {

std::vector<heap_part> three(const std::function<void(std::vector<heap_part>&)>& change) {
  std::vector<heap_part> all(3);
  for (std::size_t g = 0; g < 3; ++g) {
    all[g].bytes = 1'000;
    all[g].host = "a";
    all[g].hardware = "0000:0" + std::to_string(g) + ":00.0";
  }
  change(all);
  return all;
}

std::string refusal(const std::function<void(std::vector<heap_part>&)>& change) {
  return testing::error_of<usage_error>([&] {
    const auto all = three(change);
    check_hardware(all);
    choose_heap_way(all);
  });
}

TEST(resident_heap_way, is_by_handles_on_one_host_and_else_by_nvshmem) {
  const heap_choice near = choose_heap_way(three([](auto&) {}));
  EXPECT_EQ(near.way, heap_way::handles);
  EXPECT_EQ(near.why, "all processes are on one host");
  const heap_choice far = choose_heap_way(three([](auto& all) { all[2].host = "b"; }));
  EXPECT_EQ(far.way, heap_way::nvshmem);
  EXPECT_EQ(far.why, "processes 0 and 2 are on two hosts");
  const auto ask = [](heap_way way) {
    return [way](auto& all) {
      for (heap_part& one : all) one.way = way;
      all[1].host = way == heap_way::handles ? "b" : "a";
    };
  };
  EXPECT_EQ(choose_heap_way(three(ask(heap_way::nvshmem))).way, heap_way::nvshmem);
  EXPECT_EQ(choose_heap_way(three(ask(heap_way::handles))).way, heap_way::handles);
}

TEST(resident_heap_way, is_refused_by_all_alike) {
  EXPECT_EQ(
      refusal([](auto& all) {
        all[2].host = "b";
        all[1].why_no_nvshmem = "it is not here";
      }),
      "a symmetric heap needs NVSHMEM, since processes 0 and 2 are on two hosts, and process 1 has none: "
      "it is not here");
  EXPECT_EQ(refusal([](auto& all) { all[1].way = heap_way::nvshmem; }),
            "a symmetric heap is requested by any in process 0 and by nvshmem in process 1: request the same "
            "in all processes");
  EXPECT_EQ(refusal([](auto& all) { all[2].bytes = 2'000; }),
            "a symmetric heap has 1000 bytes in process 0 and 2000 in process 2: give the same number in all "
            "processes");
}

TEST(resident_heap_way, needs_a_gpu_for_each_process) {
  EXPECT_EQ(refusal([](auto& all) { all[2].hardware = all[1].hardware; }),
            "processes 1 and 2 both have the GPU at 0000:01:00.0 for a symmetric heap, but kernels that wait "
            "for each other cannot share a GPU: start no more processes on a host than it has GPUs; `imbrex "
            "info` prints the GPU of each PE");
  EXPECT_EQ(refusal([](auto& all) {
              all[2].hardware = all[1].hardware;
              all[2].host = "b";
            }),
            "");
  EXPECT_EQ(refusal([](auto& all) {
              for (heap_part& one : all) one.hardware.clear();
            }),
            "");
}

TEST(resident_heap_way, has_no_nvshmem_for_emulated_gpus) {
  device_info emulated;
  emulated.backend = "emulated";
  emulated.name = "GPU";
  EXPECT_EQ(why_no_nvshmem(emulated),
            "NVSHMEM has memory of CUDA's devices, and not of emulated device 0 (GPU)");
}

}  // namespace
}  // namespace imbrex::resident::detail
