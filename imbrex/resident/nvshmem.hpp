// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// What is used of NVSHMEM's interface for hosts. Its headers are not needed: what goes through it is
/// declared here, as version 1 of its structures, which all of 3.x take. PEs use nothing of it: they load and
/// store where it has mapped memory.
namespace imbrex::resident::nvshmem {

template <class T>
inline constexpr int version_of = (1 << 16) + static_cast<int>(sizeof(T));

/// By what processes find each other. It may be copied to others.
struct unique_id {
  int version = (1 << 16) + 128;
  std::array<char, 124> bytes{};
};
struct unique_id_arguments {
  int version = (1 << 16) + 24;
  unique_id* id = nullptr;
  int rank = -1, ranks = -1;
};
struct init_arguments {
  int version = (1 << 16) + 128;
  unique_id_arguments by_id;
  std::array<char, 96> padding{};
};
struct init_attributes {
  int version = (1 << 16) + 144;
  void* communicator = nullptr;
  init_arguments arguments;
};
static_assert(version_of<unique_id> == unique_id().version &&
              version_of<unique_id_arguments> == unique_id_arguments().version &&
              version_of<init_arguments> == init_arguments().version &&
              version_of<init_attributes> == init_attributes().version);
inline constexpr unsigned init_by_unique_id = 1U << 3U;

/// The NVSHMEM of this process. It is loaded by who wants it, not linked, and stays.
struct library {
  std::string file;
  int major = 0, minor = 0, patch = 0;

  std::string version() const {
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  }
};
/// Loads it, at the first call that finds one: of the folder `lib` in what NVSHMEM_HOME names, or where the
/// loader finds libnvshmem_host.so.3. Throws imbrex::error, with the remedy, if there is none of 3.x.
const library& load();

/// One use of it, by all processes of a run; NVSHMEM has one in a process at a time. What says that it blocks
/// waits until all processes do the same.
class session {
 public:
  /// Memory of all processes, of which this one has its own part.
  struct piece {
    std::uint32_t number = 0;  ///< the same in all
    std::byte* own = nullptr;  ///< null: there was no room
  };

  /// Of the first process. Throws imbrex::error.
  static unique_id new_id();
  /// That under way in this process; null if there is none.
  static std::shared_ptr<session> here();
  /// Begins one; `choose` has the calling thread choose the device. Blocks. Throws imbrex::error.
  static std::shared_ptr<session> begin(const unique_id& id, int rank, int ranks,
                                        std::function<void()> choose);
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  /// Ends it. Blocks, but no longer than some seconds: others may be gone.
  ~session();

  /// Blocks.
  piece allocate(std::size_t bytes);
  /// Where this process has another's of what it has there; null if it is not mapped.
  static std::byte* mapped(std::byte* own, int rank);
  /// This process does not use it any more, though others may.
  void give_back(std::uint32_t number) noexcept;
  /// Those, ascending.
  std::vector<std::uint32_t> given_back();
  /// Of those that no process uses any more. Blocks.
  void release(const std::vector<std::uint32_t>& numbers);

 private:
  explicit session(std::function<void()> choose) : choose_(std::move(choose)) {}

  const std::function<void()> choose_;
  std::mutex lock_;  // of the next
  std::map<std::uint32_t, std::byte*> pieces_;
  std::set<std::uint32_t> given_back_;
  std::uint32_t next_ = 0;
};

}  // namespace imbrex::resident::nvshmem
