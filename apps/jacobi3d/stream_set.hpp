// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <imbrex/gpu.hpp>

#include "apps/jacobi3d/stream_policy.hpp"

namespace jacobi3d {

/// The streams for each kind of work, some of which may be the same.
class stream_set {
 public:
  /// `owner` is for errors, such as "block (0, 1, 2)".
  stream_set(imbrex::device& of, stream_policy policy, const std::string& owner) {
    constexpr std::array<std::array<std::size_t, 5>, 4> places{
        {{0, 0, 0, 0, 0}, {0, 1, 1, 1, 1}, {0, 1, 2, 3, 1}, {0, 1, 2, 3, 4}}};
    place_ = places[std::size_t(policy)];
    constexpr std::array<std::size_t, 4> counts{1, 2, 4, 5};
    for (std::size_t s = 0; s < counts[std::size_t(policy)]; ++s)
      streams_.emplace_back(of, s == 0 ? imbrex::stream_priority::low : imbrex::stream_priority::high, owner);
  }

  imbrex::stream& compute() { return streams_[place_[0]]; }
  imbrex::stream& pack() { return streams_[place_[1]]; }
  imbrex::stream& from_device() { return streams_[place_[2]]; }
  imbrex::stream& to_device() { return streams_[place_[3]]; }
  imbrex::stream& unpack() { return streams_[place_[4]]; }

 private:
  std::vector<imbrex::stream> streams_;
  std::array<std::size_t, 5> place_;
};

/// The streams that the blocks of a PE share.
class pe_streams : public imbrex::chare<pe_streams> {
 public:
  pe_streams(stream_policy policy, bool by_requests) : policy_(policy), by_requests_(by_requests) {
    if (policy == stream_policy::five)
      shared_.emplace_back(imbrex::gpu(), policy, "the blocks of PE " + std::to_string(imbrex::pe()));
  }

  /// Answered once they are there.
  void be_there() {}
  stream_policy policy() const { return policy_; }
  /// True if blocks give their work to the device as requests of the runtime.
  bool by_requests() const { return by_requests_; }
  /// Null if each block has its own.
  stream_set* shared() { return shared_.empty() ? nullptr : &shared_.front(); }

 private:
  stream_policy policy_;
  bool by_requests_;
  std::vector<stream_set> shared_;
};

}  // namespace jacobi3d
