// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/otf2_archive.hpp>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex::tools {

namespace {

constexpr const char* archive_name = "traces";
constexpr OTF2_CommRef all_messages = 0;
constexpr OTF2_GroupRef communicating = 0;  // group of all locations
constexpr OTF2_GroupRef members = 1;        // group of the communicator's members: all locations

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }

// Each location has one chunk, written when full. Without these callbacks OTF2 keeps many chunks in memory.
void* allocate_once(void*, OTF2_FileType, OTF2_LocationRef, void** chunk, uint64_t bytes) {
  return *chunk != nullptr ? nullptr : *chunk = std::malloc(bytes);
}
void free_chunk(void*, OTF2_FileType, OTF2_LocationRef, void** chunk, bool) {
  std::free(*chunk);
  *chunk = nullptr;
}

}  // namespace

otf2_folder::otf2_folder(std::string path) : path_(std::move(path)) {
  std::error_code failed;
  is_new_ = std::filesystem::create_directory(path_, failed);
  if (failed)
    throw error("cannot write " + path_ + ": " + failed.message() +
                "; name a folder, new or empty, in one that exists and may be written to");
  if (!is_new_ && !std::filesystem::is_empty(path_, failed))
    throw usage_error("--output " + path_ + " is not empty; name a folder that is new");
}

otf2_folder::~otf2_folder() {
  if (is_whole_) return;
  std::error_code ignored;
  for (const char* const suffix : {"", ".otf2", ".def", ".marker"})
    std::filesystem::remove_all(path_ + "/" + archive_name + suffix, ignored);
  if (is_new_) std::filesystem::remove(path_, ignored);
}

OTF2_ErrorCode otf2_errors::keep_first(void* first, const char*, uint64_t, const char*, OTF2_ErrorCode code,
                                       const char*, va_list) {
  auto& kept = *static_cast<OTF2_ErrorCode*>(first);
  if (kept == OTF2_SUCCESS) kept = code;
  return code;
}

otf2_archive::otf2_archive(std::string folder) : folder_(std::move(folder)) {
  archive_.reset(check(OTF2_Archive_Open(folder_.path().c_str(), archive_name, OTF2_FILEMODE_WRITE,
                                         OTF2_CHUNK_SIZE_MIN, OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
                                         OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)));
  static constexpr OTF2_FlushCallbacks flushing{flush, nullptr};
  static constexpr OTF2_MemoryCallbacks memory{allocate_once, free_chunk};
  check(OTF2_Archive_SetFlushCallbacks(archive_.get(), &flushing, nullptr));
  check(OTF2_Archive_SetMemoryCallbacks(archive_.get(), &memory, nullptr));
  check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_.get()));
  check(OTF2_Archive_SetCreator(archive_.get(), "imbrex"));
  check(OTF2_Archive_OpenEvtFiles(archive_.get()));
  definitions_ = check(OTF2_Archive_GetGlobalDefWriter(archive_.get()));
  markers_ = check(OTF2_Archive_GetMarkerWriter(archive_.get()));
}

void otf2_archive::fail(const std::string& why) {
  // OTF2 crashes if it is closed after a failed write, so its memory is leaked until the process ends.
  static_cast<void>(archive_.release());
  throw error("cannot write " + folder_.path() + " on: " + why);
}

void otf2_archive::check(OTF2_ErrorCode code) {
  if (code == OTF2_SUCCESS) return;
  fail(OTF2_Error_GetDescription(errors_.first() == OTF2_SUCCESS ? code : errors_.first()));
}

template <class Handle>
Handle* otf2_archive::check(Handle* handle) {
  if (handle != nullptr) return handle;
  fail("OTF2 has no memory");
}

OTF2_StringRef otf2_archive::string(std::string_view text) {
  const auto [known, is_new] = strings_.emplace(printable(text), strings_.size());
  if (is_new) check(OTF2_GlobalDefWriter_WriteString(definitions_, known->second, known->first.c_str()));
  return known->second;
}

OTF2_RegionRef otf2_archive::region(otf2_region what, std::string_view name) {
  struct shown {
    OTF2_RegionRole role;
    OTF2_Paradigm paradigm;
  };
  static constexpr shown as[]{{OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER},
                              {OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MEASUREMENT_SYSTEM},
                              {OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_MEASUREMENT_SYSTEM},
                              {OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER},
                              {OTF2_REGION_ROLE_DATA_TRANSFER, OTF2_PARADIGM_USER}};
  const auto place = static_cast<std::size_t>(what);
  const auto [known, is_new] =
      regions_.emplace(static_cast<char>('0' + place) + std::string(name), regions_.size());
  if (is_new) {
    const auto text = string(name);
    check(OTF2_GlobalDefWriter_WriteRegion(definitions_, known->second, text, text, string(""),
                                           as[place].role, as[place].paradigm, OTF2_REGION_FLAG_NONE,
                                           OTF2_UNDEFINED_STRING, 0, 0));
  }
  return known->second;
}

OTF2_ParameterRef otf2_archive::parameter(std::string_view name) {
  const auto [known, is_new] = parameters_.emplace(name, parameters_.size());
  if (is_new)
    check(OTF2_GlobalDefWriter_WriteParameter(definitions_, known->second, string(name),
                                              OTF2_PARAMETER_TYPE_UINT64));
  return known->second;
}

OTF2_MarkerRef otf2_archive::marker(std::string_view name) {
  const auto [known, is_new] = marker_names_.emplace(printable(name), marker_names_.size());
  if (is_new)
    check(OTF2_MarkerWriter_WriteDefMarker(markers_, known->second, "phase", known->first.c_str(),
                                           OTF2_SEVERITY_NONE));
  return known->second;
}

void otf2_archive::attribute(OTF2_AttributeRef self, std::string_view name, OTF2_Type type) {
  check(OTF2_GlobalDefWriter_WriteAttribute(definitions_, self, string(name), string(""), type));
}

void otf2_archive::system_tree_node(OTF2_SystemTreeNodeRef self, std::string_view name,
                                    std::string_view kind) {
  check(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_, self, string(name), string(kind),
                                                 OTF2_UNDEFINED_SYSTEM_TREE_NODE));
}

void otf2_archive::location_group(OTF2_LocationGroupRef self, std::string_view name,
                                  OTF2_LocationGroupType type, OTF2_LocationGroupRef creator) {
  check(OTF2_GlobalDefWriter_WriteLocationGroup(definitions_, self, string(name), type, 0, creator));
}

OTF2_EvtWriter* otf2_archive::location(OTF2_LocationRef self, std::string_view name, OTF2_LocationType type,
                                       OTF2_LocationGroupRef group) {
  auto* const events = check(OTF2_Archive_GetEvtWriter(archive_.get(), self));
  locations_.push_back({self, string(name), type, group, events});
  return events;
}

void otf2_archive::communicator() {
  std::vector<OTF2_LocationRef> locations;
  for (const location_definition& one : locations_)
    if (one.type == OTF2_LOCATION_TYPE_CPU_THREAD) locations.push_back(one.self);
  const auto size = static_cast<std::uint32_t>(locations.size());
  check(OTF2_GlobalDefWriter_WriteGroup(definitions_, communicating, string(""),
                                        OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, size, locations.data()));
  std::vector<std::uint64_t> places(size);
  for (std::uint32_t k = 0; k < size; ++k) places[k] = k;
  check(OTF2_GlobalDefWriter_WriteGroup(definitions_, members, string(""), OTF2_GROUP_TYPE_COMM_GROUP,
                                        OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_GLOBAL_MEMBERS, size,
                                        places.data()));
  check(OTF2_GlobalDefWriter_WriteComm(definitions_, all_messages, string("messages"), members,
                                       OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

void otf2_archive::mark(OTF2_MarkerRef what, OTF2_LocationRef where, std::uint64_t time,
                        std::uint64_t duration, std::string_view text) {
  check(OTF2_MarkerWriter_WriteMarker(markers_, time, duration, what, OTF2_MARKER_SCOPE_LOCATION, where,
                                      std::string(text).c_str()));
}

// OTF2 also needs a definition file for each location; these stay empty.
void otf2_archive::close_locations() {
  OTF2_Archive* const archive = archive_.get();
  for (const location_definition& one : locations_) {
    std::uint64_t events = 0;
    check(OTF2_EvtWriter_GetNumberOfEvents(one.events, &events));
    check(OTF2_GlobalDefWriter_WriteLocation(definitions_, one.self, one.name, one.type, events, one.group));
    check(OTF2_Archive_CloseEvtWriter(archive, one.events));
  }
  check(OTF2_Archive_CloseEvtFiles(archive));
  check(OTF2_Archive_OpenDefFiles(archive));
  for (const location_definition& one : locations_)
    check(OTF2_Archive_CloseDefWriter(archive, check(OTF2_Archive_GetDefWriter(archive, one.self))));
  check(OTF2_Archive_CloseDefFiles(archive));
}

void otf2_archive::close(std::uint64_t start, std::uint64_t end, std::uint64_t wall_clock) {
  constexpr std::uint64_t ticks_a_second = 1'000'000'000;
  check(OTF2_GlobalDefWriter_WriteClockProperties(definitions_, ticks_a_second, start, end - start,
                                                  wall_clock));
  close_locations();
  communicator();
  check(OTF2_Archive_CloseMarkerWriter(archive_.get(), markers_));
  check(OTF2_Archive_CloseGlobalDefWriter(archive_.get(), definitions_));
  check(OTF2_Archive_Close(archive_.release()));
  folder_.keep();
}

}  // namespace imbrex::tools
