// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace imbrex::tools {

/// The kind of a region, which determines its colour in viewers.
enum class otf2_region : std::uint8_t { program, runtime, idle, kernel, copy };

/// The folder of an archive. Unless `keep` is called, the destructor removes its files, and the folder if it
/// is new.
class otf2_folder {
 public:
  /// Creates the folder. Throws `error` if that fails, `usage_error` if it exists and is not empty.
  explicit otf2_folder(std::string path);
  ~otf2_folder();
  otf2_folder(const otf2_folder&) = delete;
  otf2_folder& operator=(const otf2_folder&) = delete;

  const std::string& path() const { return path_; }
  void keep() { is_whole_ = true; }

 private:
  std::string path_;
  bool is_new_ = false;
  bool is_whole_ = false;
};

/// Stores OTF2's error codes while it lives; otherwise OTF2 prints them.
class otf2_errors {
 public:
  otf2_errors() : printing_(OTF2_Error_RegisterCallback(keep_first, &first_)) {}
  ~otf2_errors() { OTF2_Error_RegisterCallback(printing_, nullptr); }
  otf2_errors(const otf2_errors&) = delete;
  otf2_errors& operator=(const otf2_errors&) = delete;

  /// The first error, more specific than a function's later return value.
  OTF2_ErrorCode first() const { return first_; }

 private:
  static OTF2_ErrorCode keep_first(void* first, const char*, uint64_t, const char*, OTF2_ErrorCode code,
                                   const char*, va_list);

  OTF2_ErrorCode first_ = OTF2_SUCCESS;
  OTF2_ErrorCallback printing_;
};

/// An OTF2 archive that is being written. Strings, regions and other definitions are created at their first
/// use. All functions throw `error`, which names the folder.
class otf2_archive {
 public:
  explicit otf2_archive(std::string folder);

  OTF2_StringRef string(std::string_view text);
  OTF2_RegionRef region(otf2_region what, std::string_view name);
  OTF2_ParameterRef parameter(std::string_view name);
  OTF2_MarkerRef marker(std::string_view name);
  void attribute(OTF2_AttributeRef self, std::string_view name, OTF2_Type type);
  void system_tree_node(OTF2_SystemTreeNodeRef self, std::string_view name, std::string_view kind);
  /// `creator`: the group of the process that owns the device.
  void location_group(OTF2_LocationGroupRef self, std::string_view name, OTF2_LocationGroupType type,
                      OTF2_LocationGroupRef creator);
  /// Adds a location and returns its event writer. All threads are in communicator 0, in the order of their
  /// addition.
  OTF2_EvtWriter* location(OTF2_LocationRef self, std::string_view name, OTF2_LocationType type,
                           OTF2_LocationGroupRef group);
  void mark(OTF2_MarkerRef what, OTF2_LocationRef where, std::uint64_t time, std::uint64_t duration,
            std::string_view text);

  /// Throws `error` if a function of OTF2 returned a failure.
  void check(OTF2_ErrorCode code);
  /// Writes the remaining data. Times are in ns; `wall_clock` is the time since 1970 at `start`.
  void close(std::uint64_t start, std::uint64_t end, std::uint64_t wall_clock);

 private:
  struct closes {
    void operator()(OTF2_Archive* archive) const { OTF2_Archive_Close(archive); }
  };
  struct location_definition {
    OTF2_LocationRef self;
    OTF2_StringRef name;
    OTF2_LocationType type;
    OTF2_LocationGroupRef group;
    OTF2_EvtWriter* events;
  };
  using references = std::unordered_map<std::string, std::uint32_t>;

  template <class Handle>
  Handle* check(Handle* handle);
  [[noreturn]] void fail(const std::string& why);
  void close_locations();
  void communicator();

  otf2_folder folder_;  // declared first: the archive writes when it is closed
  otf2_errors errors_;  // needed until the archive is closed
  std::unique_ptr<OTF2_Archive, closes> archive_;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  OTF2_MarkerWriter* markers_ = nullptr;
  std::vector<location_definition> locations_;
  references strings_;
  references regions_;
  references parameters_;
  references marker_names_;
};

}  // namespace imbrex::tools
