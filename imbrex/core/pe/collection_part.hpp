// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace imbrex::detail {

/// One PE's part of an array, a group or the single chares of a class, as the PE keeps it.
class collection_part {
 public:
  collection_part(std::uint64_t id, std::string_view chare_name) : id_(id), chare_name_(chare_name) {}
  collection_part(const collection_part&) = delete;
  collection_part& operator=(const collection_part&) = delete;
  virtual ~collection_part() = default;

  std::uint64_t id() const { return id_; }
  /// The spelled name of the chare class.
  std::string_view chare_name() const { return chare_name_; }
  /// True if it is one of the class of that name. Equal names mostly lie in one place.
  bool is_of(std::string_view chare_name) const {
    return chare_name.data() == chare_name_.data() || chare_name == chare_name_;
  }
  /// The PE that made it, and gives its number back.
  virtual int creator() const = 0;
  /// "(8, 8, 4)" if these numbers count the elements of an array of that shape; else empty.
  virtual std::string shape_text() const = 0;
  /// Destroys all elements and held messages; the run is over.
  virtual void clear() noexcept = 0;

 private:
  const std::uint64_t id_;
  const std::string_view chare_name_;
};

}  // namespace imbrex::detail
