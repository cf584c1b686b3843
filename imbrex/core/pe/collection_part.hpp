// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace imbrex::detail {

/// The class of an array's chares.
struct class_names {
  std::string_view spelled;  ///< the C++ name, which identifies the class
  std::string_view shown;    ///< the name in reports and errors; differs if the chares stand for a class
                             ///< named at run time (`stands_for_classes`)
};

enum class array_kind : std::uint8_t { dense, sparse, keyed, group, process_group, singles };

/// The facts by which another run makes an array again.
struct array_origin {
  array_kind kind = array_kind::singles;
  /// The array's name; empty if it has none. Groups are named by their order, since each run makes them anew:
  /// "1 of PE 0" is the first group of its class that PE 0 has made.
  std::string name{};
  std::string_view placement{};  ///< the type of the placement, as the compiler spells it

  bool is_group() const { return kind == array_kind::group || kind == array_kind::process_group; }
};

/// One PE's part of an array, a group or the single chares of a class, with its type erased.
class collection_part {
 public:
  collection_part(std::uint64_t id, const class_names& of) : id_(id), names_(of) {}
  collection_part(const collection_part&) = delete;
  collection_part& operator=(const collection_part&) = delete;
  virtual ~collection_part() = default;

  std::uint64_t id() const { return id_; }
  /// The spelled name of the chare class.
  std::string_view chare_name() const { return names_.spelled; }
  /// The class name in reports.
  std::string_view shown_name() const { return names_.shown; }
  /// True if the part's class has this name. The pointers are compared first, since equal names mostly share
  /// one address.
  bool is_of(std::string_view chare_name) const {
    return chare_name.data() == names_.spelled.data() || chare_name == names_.spelled;
  }
  /// The array's name and placement. Parts of single chares, and of arrays without a name, need not be told.
  const array_origin& origin() const { return origin_; }
  void set_origin(array_origin how) { origin_ = std::move(how); }
  /// The PE that made the collection, and returns its number.
  virtual int creator() const = 0;
  /// The shape, such as "(8, 8, 4)", if the array began with an element at each index; else empty.
  virtual std::string shape_text() const = 0;
  /// Destroys all elements and held messages, after the run.
  virtual void clear() noexcept = 0;

 private:
  const std::uint64_t id_;
  const class_names names_;
  array_origin origin_;
};

}  // namespace imbrex::detail
