// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace imbrex::detail {

/// The class of an array's chares.
struct class_names {
  std::string_view spelled;  ///< of C++, by which it is told from others
  std::string_view shown;    ///< in reports and errors: another one if its chares stand for those of a class
                             ///< that is named at run time (`stands_for_classes`)
};

/// One PE's part of an array, a group or the single chares of a class, as the PE keeps it.
class collection_part {
 public:
  collection_part(std::uint64_t id, const class_names& of) : id_(id), names_(of) {}
  collection_part(const collection_part&) = delete;
  collection_part& operator=(const collection_part&) = delete;
  virtual ~collection_part() = default;

  std::uint64_t id() const { return id_; }
  /// The spelled name of the chare class.
  std::string_view chare_name() const { return names_.spelled; }
  /// What people call the chare class.
  std::string_view shown_name() const { return names_.shown; }
  /// True if it is one of the class of that name. Equal names mostly lie in one place.
  bool is_of(std::string_view chare_name) const {
    return chare_name.data() == names_.spelled.data() || chare_name == names_.spelled;
  }
  /// The PE that made it, and gives its number back.
  virtual int creator() const = 0;
  /// "(8, 8, 4)" if these numbers count the elements of an array of that shape; else empty.
  virtual std::string shape_text() const = 0;
  /// Destroys all elements and held messages; the run is over.
  virtual void clear() noexcept = 0;

 private:
  const std::uint64_t id_;
  const class_names names_;
};

}  // namespace imbrex::detail
