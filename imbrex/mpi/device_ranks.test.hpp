// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/mpi/mpi_ranks.test.hpp>

namespace imbrex::mpi {

/// A test whose ranks have emulated devices.
class on_devices : public on_mpi_ranks {
 protected:
  /// Runs a function as the code of each rank, in each run of the machine, with one device and with several.
  /// The function change(options) sets further options.
  template <class Code, class Change>
  void run_on_devices(int ranks, const Code& code, const Change& change) {
    for (options settings : GetParam().runs)
      for (const int devices : {1, 2}) {
        if (devices > 1 && settings.pes == 1) continue;
        settings.device = "emulated";
        settings.devices = devices;
        change(settings);
        SCOPED_TRACE(text_of(settings) + " --devices " + std::to_string(devices));
        EXPECT_EQ(run_ranks_once(settings, ranks, code), 0);
        if (HasFailure()) return;
      }
  }
  template <class Code>
  void run_on_devices(int ranks, const Code& code) {
    run_on_devices(ranks, code, [](options&) {});
  }
};

/// Machines of each kind on which tests of devices run.
inline std::vector<testing::machine> machines_with_devices() {
  return machines({"threads_1", "threads_2", "serialized", "delayed", "shuffled", "deterministic_5",
                   "simulated", "processes_2", "processes_3x2", "processes_2x3_delayed"});
}

/// Values in memory of a device or of the host.
template <class T>
class values_in {
 public:
  values_in(bool on_device, std::size_t count)
      : is_on_device_(on_device), host_(on_device ? 0 : count), count_(count) {
    if (is_on_device_)
      EXPECT_EQ(MPIX_Device_malloc(static_cast<MPI_Aint>(count * sizeof(T)), &address_), MPI_SUCCESS);
  }
  values_in(bool on_device, const std::vector<T>& values) : values_in(on_device, values.size()) {
    put(values);
  }
  values_in(const values_in&) = delete;
  values_in& operator=(const values_in&) = delete;
  ~values_in() {
    if (is_on_device_) EXPECT_EQ(MPIX_Device_free(address_), MPI_SUCCESS);
  }

  T* at(std::size_t i = 0) { return (is_on_device_ ? static_cast<T*>(address_) : host_.data()) + i; }
  void put(const std::vector<T>& values) {
    EXPECT_EQ(values.size(), count_);
    EXPECT_EQ(MPIX_Device_memcpy(at(), values.data(), static_cast<MPI_Aint>(values.size() * sizeof(T))),
              MPI_SUCCESS);
  }
  std::vector<T> get() {
    std::vector<T> found(count_);
    EXPECT_EQ(MPIX_Device_memcpy(found.data(), at(), static_cast<MPI_Aint>(count_ * sizeof(T))), MPI_SUCCESS);
    return found;
  }

 private:
  bool is_on_device_;
  void* address_ = nullptr;
  std::vector<T> host_;
  std::size_t count_;
};

/// Bytes that depend on the seed alone; different seeds give different bytes.
inline std::vector<std::uint8_t> bytes_for(std::size_t count, std::uint32_t seed) {
  std::vector<std::uint8_t> bytes(count);
  std::uint32_t state = 2 * seed + 1;
  for (auto& each : bytes)
    each = static_cast<std::uint8_t>((state = state * 1'664'525U + 1'013'904'223U) >> 24U);
  return bytes;
}

inline std::pair<int, int> rank_and_size() {
  int rank = -1;
  int size = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return {rank, size};
}

}  // namespace imbrex::mpi
