// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__) || defined(__HIPCC__)
#define IMBREX_HOST_AND_DEVICE __host__ __device__
#else
#define IMBREX_HOST_AND_DEVICE
#endif

namespace imbrex::grid {

/// Cells of a `device_field`, for kernels: `u(i, j, k)` is a cell. Indices 0 to extent - 1 are the block's
/// own cells; below 0 and from extent on lie the ghosts. The last dimension is contiguous. The host may not
/// access the cells, except in kernels' functions that the emulated device runs.
///
/// This header is C++17, for the device's compilers.
template <class T, int N>
class device_view {
 public:
  using element_type = T;

  device_view() = default;
  /// `first` is the cell (0, ..., 0), `device` is the `device_info::id` of its device.
  IMBREX_HOST_AND_DEVICE device_view(T* first, const int* extents, const std::ptrdiff_t* strides,
                                     const void* device)
      : first_(first), device_(device) {
    for (int d = 0; d < N; ++d) {
      extents_[d] = extents[d];
      strides_[d] = strides[d];
    }
  }

  static constexpr int rank() { return N; }
  IMBREX_HOST_AND_DEVICE int extent(int dimension) const { return extents_[dimension]; }
  IMBREX_HOST_AND_DEVICE std::ptrdiff_t stride(int dimension) const { return strides_[dimension]; }
  /// Address of the cell (0, ..., 0).
  IMBREX_HOST_AND_DEVICE T* data() const { return first_; }
  const void* device() const { return device_; }  ///< Identifies the device that the cells are on.
  /// Number of the block's own cells.
  std::size_t size() const {
    std::size_t all = 1;
    for (int d = 0; d < N; ++d) all *= static_cast<std::size_t>(extents_[d]);
    return all;
  }

  template <class... I>
  IMBREX_HOST_AND_DEVICE T& operator()(I... i) const {
    static_assert(sizeof...(I) == N, "imbrex: give an index for each dimension of a device_view");
    const std::ptrdiff_t at[] = {static_cast<std::ptrdiff_t>(i)...};
    std::ptrdiff_t offset = at[N - 1];
    for (int d = 0; d + 1 < N; ++d) offset += at[d] * strides_[d];
    return first_[offset];
  }

 private:
  T* first_ = nullptr;
  const void* device_ = nullptr;
  std::ptrdiff_t strides_[N] = {};
  int extents_[N] = {};
};

}  // namespace imbrex::grid

#undef IMBREX_HOST_AND_DEVICE
