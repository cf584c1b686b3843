// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/checkpoint/manifest.hpp>

namespace imbrex::checkpoints {

/// A checkpoint of a folder, or a folder that was to become one.
struct listed_checkpoint {
  std::uint64_t number = 0;
  std::string path{};
  bool has_manifest = false;
  std::string problem{};  ///< why it is not whole; empty if it is
  manifest contents{};    ///< if it is whole
  int tries = 0;          ///< starts from it that are not known to have ended well
};

/// Folders in the memory of several hosts have this beginning, then the number of their user and a number by
/// chance. A run that is not started anew removes them.
inline constexpr const char* folders_in_host_memory = "/dev/shm/imbrex-hosts-";

/// Starts from a checkpoint, after which it is passed over.
inline constexpr int most_tries = 3;

/// A folder of checkpoints: DIR/000001, DIR/000002, ... A checkpoint is whole once it has its manifest, and
/// never changes afterwards. Folders are neither renamed nor used again. One process of a run uses it; the
/// others only write their parts. All functions throw `error` with the path, the cause and the remedy.
class checkpoint_folder {
 public:
  /// Reads nothing.
  explicit checkpoint_folder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string path_of(std::uint64_t number) const;

  /// All numbers, in their order. A checkpoint counts as whole by its manifest, and by the sizes and digests
  /// of its parts; `verify_checkpoint` reads all their bytes.
  std::vector<listed_checkpoint> list() const;

  /// Makes the folder of the next checkpoint, above all numbers that are there and above `last`, and this
  /// folder if it is missing. Returns the number.
  std::uint64_t create_next(std::uint64_t last = 0) const;
  /// Removes all checkpoints, and what there is of others, below and above these numbers.
  void remove_outside(std::uint64_t lowest, std::uint64_t highest) const;
  /// Makes the parts a checkpoint. All of them are on the disk.
  void commit(const manifest& m) const;
  /// Removes a checkpoint, or what there is of it: first the manifest. Files of others stay.
  void remove(std::uint64_t number) const;
  /// Keeps the newest whole checkpoints, as many as `kept`, and removes older ones, and what is older and not
  /// whole. The newest one must have been read back, as `write_part` does.
  void prune(int kept) const;

 private:
  std::string path_;
};

/// The number of the newest whole checkpoint in a folder; 0 if there is none, or no folder.
std::uint64_t newest_checkpoint(const std::string& folder);

/// The number of the newest checkpoint with a manifest in a folder of a single host, which lacks parts; 0 if
/// there is none, or no folder.
std::uint64_t newest_manifest(const std::string& folder);

/// True for DIR/000012, false for DIR: by the name alone.
bool is_path_of_checkpoint(const std::string& path);

/// The path of the file with the part of a process.
std::string path_of_part(const std::string& checkpoint, int process);

/// The text of a checkpoint's manifest; empty if it has none.
std::string read_manifest_text(const std::string& checkpoint);
/// Writes a manifest of other hosts into this host's folder of the checkpoint, which it makes if necessary.
void write_manifest_text(const std::string& checkpoint, const std::string& text);

/// Reads a checkpoint's manifest, and compares it with the files of the parts, by their sizes and digests.
manifest read_checkpoint(const std::string& checkpoint);

/// Reads all bytes of a checkpoint.
void verify_checkpoint(const std::string& checkpoint);

/// The number of starts from a checkpoint so far; 0 if it is not known.
int tries_of(const std::string& checkpoint);
/// Notes one more start from a checkpoint. Returns false if its folder cannot be written: then starts are not
/// counted.
bool note_try(const std::string& checkpoint) noexcept;
/// Notes that a start from a checkpoint has come to the next one, or to its end.
void forget_tries(const std::string& checkpoint) noexcept;

/// A checkpoint to begin from.
struct chosen_checkpoint {
  std::string path;
  manifest contents;
  std::vector<std::string> passed_over;  ///< a line for each newer one: why it was not taken
};

/// Chooses the newest whole checkpoint of a folder, without those from which `most_tries` starts have died.
/// If the path is that of a checkpoint itself, chooses this checkpoint.
chosen_checkpoint choose_checkpoint(const std::string& path);

}  // namespace imbrex::checkpoints
