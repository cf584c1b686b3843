// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/codec.hpp>

#include <algorithm>

#include <imbrex/python/interpreter.hpp>
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

loaded_parcel encoder::take_loaded(bool is_shared) {
  moved_arrays_.clear();
  loaded_parcel all;
  for (auto& array : arrays_)
    all.arrays.push_back(
        is_shared ? device_content(shared_device_buffer(device_buffer<std::byte>(std::move(array))))
                  : device_content(std::move(array)));
  all.values = take_values(is_shared);
  return all;
}

void encoder::refuse_arrays() {
  throw nb::type_error(
      "arrays of devices are sent to entries, mailboxes and channels, and returned by calls, but not used in "
      "constructors, reductions and migrations: give their contents, by await array.copy_to_host()");
}

detail::attachment decoder::next_array() {
  if (arrays_.empty()) throw_truncated();
  device_content& next = arrays_.front();
  arrays_ = arrays_.subspan(1);
  return next.take();
}

void decoder::throw_truncated() { throw serial_error("a value of Python that came is shorter than it says"); }

}  // namespace imbrex::python
