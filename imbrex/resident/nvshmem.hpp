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

/// Used part of NVSHMEM's interface for hosts. NVSHMEM's headers are not needed: its structures are declared
/// here, in version 1, which all releases 3.x accept. PEs call no NVSHMEM. They load and store in the memory
/// that it has mapped.
namespace imbrex::resident::nvshmem {

template <class T>
inline constexpr int version_of = (1 << 16) + static_cast<int>(sizeof(T));

/// Identifier by which processes find each other. It may be copied to other processes.
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

/// NVSHMEM of this process. It is loaded on demand, not linked, and never unloaded.
struct library {
  std::string file;
  int major = 0, minor = 0, patch = 0;

  std::string version() const {
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  }
};
/// Loads NVSHMEM, at the first call that finds one. The file is in the folder `lib` of NVSHMEM_HOME, or
/// libnvshmem_host.so.3 where the loader finds it. Throws imbrex::error, with the remedy, if there is no
/// release 3.x.
const library& load();

/// One use of NVSHMEM by all processes of a run. A process has at most one session at a time. A function that
/// blocks waits until all processes call it.
class session {
 public:
  /// Memory of all processes, of which this process has its own part.
  struct piece {
    std::uint32_t number = 0;  ///< equal in all processes
    std::byte* own = nullptr;  ///< null: there was no room
  };

  /// Makes an identifier; first process only. Throws imbrex::error.
  static unique_id new_id();
  /// Current session of this process; null if there is none.
  static std::shared_ptr<session> here();
  /// Begins a session. `choose` makes the calling thread choose the device. Blocks. Throws imbrex::error.
  static std::shared_ptr<session> begin(const unique_id& id, int rank, int ranks,
                                        std::function<void()> choose);
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  /// Ends the session. Blocks, but no longer than some seconds: other processes may have ended.
  ~session();

  /// Takes memory of `bytes` bytes. Blocks.
  piece allocate(std::size_t bytes);
  /// Address at which this process maps the counterpart of `own` in process `rank`; null if it is not mapped.
  static std::byte* mapped(std::byte* own, int rank);
  /// Records that this process has stopped using a piece. Other processes may still use it.
  void give_back(std::uint32_t number) noexcept;
  /// Numbers of the pieces given back, ascending.
  std::vector<std::uint32_t> unused_pieces();
  /// Frees pieces that no process uses any more. Blocks.
  void release(const std::vector<std::uint32_t>& numbers);

 private:
  explicit session(std::function<void()> choose) : choose_(std::move(choose)) {}

  const std::function<void()> choose_;
  std::mutex lock_;  // guards pieces_, unused_pieces_ and next_
  std::map<std::uint32_t, std::byte*> pieces_;
  std::set<std::uint32_t> unused_pieces_;
  std::uint32_t next_ = 0;
};

}  // namespace imbrex::resident::nvshmem
