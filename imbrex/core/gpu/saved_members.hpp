// SPDX-License-Identifier: Apache-2.0
#pragma once
// Device memory in members of elements, as bytes that outlive the run.

#include <cstddef>
#include <map>
#include <vector>

#include <imbrex/core/array/saved_names.hpp>
#include <imbrex/device/attachment.hpp>

namespace imbrex {

class stream;

namespace detail {

/// The device memory that the `serialize` of an element names, in this order.
std::vector<attachment*> attachments_named_by(chare_header& e);

/// Copies of the device memory of elements on the host. The elements keep theirs.
class members_to_write final : public attachment_writer {
 public:
  /// Starts the copies for an element. Before it is written, the work of `last()` must be done. O(1) on a PE
  /// without a device.
  void fetch(chare_header& e);
  /// The stream behind all copies; null if none has begun.
  stream* last() const { return last_; }

  void write(const chare_header& e, writer& out) override;
  void take(attachment& part) override;

 private:
  std::map<const chare_header*, std::vector<attachment>> copies_;
  std::size_t expected_ = 0;  ///< attachments of the element that is being written and has not named them
  stream* last_ = nullptr;
};

/// Device memory of elements, on its way to this PE's device.
class members_to_read final : public attachment_reader {
 public:
  /// The stream behind all copies; null if none has begun. Elements that were read must not run before its
  /// work is done.
  stream* last() const { return last_; }

  void read(reader& in) override;
  void give(attachment& part, std::size_t size) override;
  void complete(chare_header& e) override;

 private:
  struct part_on_host {
    attachment content;
    std::size_t size;
  };

  std::vector<part_on_host> parts_;
  std::size_t next_ = 0;
  stream* last_ = nullptr;
};

}  // namespace detail
}  // namespace imbrex
