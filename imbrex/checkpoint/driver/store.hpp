// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imbrex/checkpoint/driver/host_memory.hpp>
#include <imbrex/checkpoint/driver/restart_source.hpp>
#include <imbrex/checkpoint/folder.hpp>
#include <imbrex/checkpoint/part_image.hpp>
#include <imbrex/core/extension/durable.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/extension/stop.hpp>
#include <imbrex/core/options/options.hpp>

namespace imbrex::checkpoints::detail {

/// The identity of a checkpoint that is being written.
struct checkpoint_identity {
  std::uint64_t number = 0;
  std::uint64_t run = 0;  ///< by chance
  std::string path{};

  void serialize(auto& ar) { ar(number, run, path); }
};

/// The checkpoints of one process in a run: the part that is being written, and the checkpoint from which the
/// run began. All PEs of the process share it.
class process_store {
 public:
  /// Throws usage_error if the run is to begin from a checkpoint that is not there. `is_first_of_host`: the
  /// process is the first of its host.
  process_store(const checkpoint_settings& settings, const extension::run_handle& run, bool is_first_of_host);
  process_store(const process_store&) = delete;
  process_store& operator=(const process_store&) = delete;
  ~process_store();

  /// The checkpoint from which the run began; null if it began anew.
  const restart_source* source() const { return source_ ? &*source_ : nullptr; }

  /// Classes of elements of arrays with this name have this schema. Any thread.
  void set_schema(const std::string& array, extension::schema_function schema);
  /// Saves a value of the program in all later checkpoints.
  void set_value(const std::string& name, saved_value value);

  /// Begins to copy the device memory of this PE's elements to the host. `save` needs these copies to be
  /// complete.
  static void fetch(extension::members_to_write& members);
  /// Adds what this PE holds to the part of the checkpoint. Throws imbrex::error with what cannot be saved.
  void save(const checkpoint_identity& which, extension::members_to_write& members);
  /// The size of what `save` writes for this PE's elements, with bytes that are absent in simulated time.
  std::uint64_t count_here(extension::members_to_write& members) const;
  /// Ends the part, when all PEs of the process have added theirs. The image is left alone until the next
  /// checkpoint.
  part_image& seal();

 private:
  struct saved_section {
    int number = 0;
    std::uint64_t records = 0;
    record_origins origins{};
  };

  void begin(const checkpoint_identity& which);
  /// A PE's contribution to a part.
  struct writing {
    tables_of_pe own{};
    extension::names_to_write names;
    /// Elements that were written without the lock.
    std::map<const chare_header*, std::vector<std::byte>> ahead{};
  };

  bool is_left_out(const extension::part_here& part, const extension::saved_array& what) const;
  void write_ahead(writing& all);
  saved_section& section_of(const extension::part_here& part, const extension::saved_array& what);
  void save(const extension::part_here& part, writing& all);

  bool leads() const { return run_.process() == 0; }

  host_memory memory_;
  const extension::run_handle run_;  ///< process 0 counts the starts from a checkpoint
  std::mutex lock_;                  ///< guards all below but the schemas
  part_image image_;
  std::uint64_t number_ = 0;                       ///< number of the checkpoint in the image
  std::map<std::string, saved_section> sections_;  ///< by the name of the array
  std::vector<tables_of_pe> tables_;
  std::map<std::string, saved_value> values_;
  std::optional<restart_source> source_;
  mutable std::mutex lock_of_schemas_;  ///< taken after `lock_` where both are
  std::map<std::string, extension::schema_function> schemas_;
};

/// The file name of this program.
std::string program_name();

/// The store of this PE's process; null if the run neither writes checkpoints nor began from one.
process_store* store_here();

}  // namespace imbrex::checkpoints::detail
