// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/codec.hpp>

#include <algorithm>

#include <imbrex/serial/error.hpp>

namespace imbrex::python {

void encoder::grow(std::size_t count) {
  const std::size_t used = static_cast<std::size_t>(at_ - first_);
  std::vector<std::byte> larger(std::max(2 * used, used + count));
  std::memcpy(larger.data(), first_, used);
  many_ = std::move(larger);
  first_ = many_.data();
  at_ = first_ + used;
  end_ = first_ + many_.size();
}

void decoder::throw_truncated() { throw serial_error("a value of Python that came is shorter than it says"); }

}  // namespace imbrex::python
