// SPDX-License-Identifier: Apache-2.0
// Device memory for programs; an extension of MPI.
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include <imbrex/device/kernel.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/rank/device_requests.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

namespace {

void check_size(MPI_Aint size) {
  if (size < 0)
    throw error(MPI_ERR_ARG, "the size is " + std::to_string(size) + " bytes; it must not be negative");
}

/// A kernel of a program, which has no notion of streams: each rank uses one stream of its own.
struct rank_kernel {
  static constexpr std::size_t most_arguments = 1024;

  void (*function)(void* arguments) = nullptr;
  double bytes = 0;
  double flops = 0;
  alignas(std::max_align_t) std::array<std::byte, most_arguments> arguments{};
};
constexpr kernel<rank_kernel> launched_by_rank{
    .name = "kernel of a rank",
    .host = [](rank_kernel its) { its.function(its.arguments.data()); },
    .work = [](rank_kernel its) { return work_size{.bytes = its.bytes, .flops = its.flops}; }};

void launch(rank_data& data, void (*function)(void*), const void* arguments, int size, double bytes,
            double flops) {
  if (size < 0 || static_cast<std::size_t>(size) > rank_kernel::most_arguments)
    throw error(MPI_ERR_ARG, "the arguments have " + std::to_string(size) + " bytes; a kernel takes 0 to " +
                                 std::to_string(rank_kernel::most_arguments) + ", such as pointers to more");
  if (!(bytes >= 0 && flops >= 0))
    throw error(MPI_ERR_ARG, "a kernel of " + std::to_string(bytes) + " bytes and " + std::to_string(flops) +
                                 " operations; neither can be negative");
  device& on = own_device();
  if (on.info().backend != "emulated")
    throw error(MPI_ERR_UNSUPPORTED_OPERATION, "kernels for " + on.info().label() +
                                                   " are launched by the functions of its maker; this is "
                                                   "for --device emulated");
  auto& kernels = data.kernels;
  if (kernels == nullptr || &kernels->on() != &on)
    kernels =
        std::make_unique<stream>(on, stream_priority::normal, "rank " + std::to_string(data.self().number()));
  rank_kernel its{function, bytes, flops};
  if (size > 0) std::memcpy(its.arguments.data(), arguments, static_cast<std::size_t>(size));
  kernels->launch(launched_by_rank, its);
}

}  // namespace

IMBREX_MPIX_DEFINE(int, Device_malloc, (MPI_Aint size, void* baseptr)) {
  return call_running("MPIX_Device_malloc", [&](rank_data& data) {
    check_size(size);
    void* const address = data.blocks_on_devices.take(own_device(), static_cast<std::size_t>(size));
    data.self().devices.add_block(address, static_cast<std::size_t>(size));
    *static_cast<void**>(baseptr) = address;
  });
}
IMBREX_MPIX_DEFINE(int, Device_free, (void* base)) {
  return call_running("MPIX_Device_free", [&](rank_data& data) {
    if (base == nullptr) return;
    data.blocks_on_devices.give_back(base);
    data.self().devices.remove_block(base);
  });
}
IMBREX_MPIX_DEFINE(int, Device_memcpy, (void* to, const void* from, MPI_Aint size)) {
  return call_running("MPIX_Device_memcpy", [&](rank_data& data) {
    check_size(size);
    if (size == 0) return;
    rank& self = data.self();
    const user_buffer into = checked_buffer(data, {to, size, MPI_BYTE}, memory_use::host_or_device);
    const user_buffer out = checked_buffer(data, {from, size, MPI_BYTE}, memory_use::host_or_device);
    if (into.on == nullptr) return pack_to_host(self, out, static_cast<std::byte*>(to));
    request q;
    begin_copy(self, q, to, into.on, from, out.on, static_cast<std::size_t>(size));
    self.await(q);
  });
}

IMBREX_MPIX_DEFINE(int, Device_launch,
                   (void (*kernel)(void* arguments), const void* arguments, int size, double bytes,
                    double flops)) {
  return call_running("MPIX_Device_launch",
                      [&](rank_data& data) { launch(data, kernel, arguments, size, bytes, flops); });
}
IMBREX_MPIX_DEFINE(int, Device_synchronize, (void)) {
  return call_running("MPIX_Device_synchronize", [&](rank_data& data) {
    if (data.kernels == nullptr) return;
    request q;
    complete_after(data.self(), *data.kernels, q);
    data.self().await(q);
  });
}

IMBREX_MPIX_DEFINE(int, GPU_query_support, (int gpu_type, int* is_supported)) {
  const bool is_there = (gpu_type == MPIX_GPU_SUPPORT_CUDA && has_devices("cuda")) ||
                        (gpu_type == MPIX_GPU_SUPPORT_HIP && has_devices("hip"));
  *is_supported = is_there ? 1 : 0;
  return MPI_SUCCESS;
}
IMBREX_MPIX_DEFINE(int, Query_cuda_support, (void)) { return has_devices("cuda") ? 1 : 0; }

}  // namespace imbrex::mpi
