// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checkpoints of a run, and runs that begin from one.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <imbrex/checkpoint/driver/checkpoint_result.hpp>
#include <imbrex/checkpoint/driver/restoration.hpp>
#include <imbrex/core/extension/chare.hpp>
#include <imbrex/core/pe/pending.hpp>
#include <imbrex/serial/class_schema.hpp>

namespace imbrex {

/// Writes a checkpoint in the folder of `--checkpoint DIR`: the state of all named arrays (`named`) and
/// single chares, with their unread messages, and values of `imbrex::save`. Elements stop at their next
/// balance points, and go on once all is copied; the disk is written meanwhile. Use `co_await` for the
/// result: then the checkpoint is whole. Call it in the main task or an entry. Throws imbrex::error without
/// that option, and, on awaiting, if an element waits elsewhere for what a stopped one would send, if
/// something cannot be saved, or if the disk cannot be written. The run and the former checkpoints stay as
/// they are then.
pending<checkpoint_result> checkpoint();

namespace checkpoints {

/// Like `imbrex::checkpoint`, for front ends: in a folder that the program names, if the run's settings have
/// `in_any_folder`. Empty: the folder of `--checkpoint DIR`.
pending<checkpoint_result> make_checkpoint(const std::string& folder);

}  // namespace checkpoints

/// The beginning of a run from a checkpoint.
struct restart_report {
  std::string path;          ///< the checkpoint
  std::uint64_t number = 0;  ///< number of the folder: 12 for `saved/000012`
  std::string written;       ///< date and time: "2026-11-30T01:02:03Z"
  int pes_before = 0;        ///< PEs of the run that wrote it
  int pes = 0;               ///< PEs of this run
};

/// Calls a function at once if the run began from a checkpoint. Call it in the main task.
void on_restart(const std::function<void(const restart_report&)>& call);

/// Saves a value of the program in all later checkpoints, under a name, also in those of runs that begin from
/// one. Call it in the main task.
template <class T>
void save(std::string_view name, const T& value) {
  writer out;
  out(value);
  checkpoints::detail::save_value(name, schema_of(value), out.take());
}

/// The array with this name in the checkpoint from which the run began (`--restart DIR`); empty in a run that
/// began anew. Its elements have the state of the checkpoint. On as many PEs they lie where they lay,
/// otherwise where the placement puts them. Entries whose result was awaited do not go on: the program calls
/// them again. Other entries go on from their balance points. `Placement`: placements of the program's own
/// that the array may have. Call it in the main
/// task, before the array would be made. Throws usage_error if the array has elements of another class, or
/// the class has changed.
///
/// If T is no chare class: the value that `save` has saved.
template <class T, class... Placement>
auto restored(std::string_view name) {
  if constexpr (extension::chare_class<T>) {
    return checkpoints::detail::restored_array<T, Placement...>(std::string(name));
  } else {
    return checkpoints::detail::restored_value<T>(name);
  }
}

/// Gives the chares of a group the state that they have in the checkpoint from which the run began. Use
/// `co_await` for the result: then all chares have it. False if the checkpoint has none, or the run began
/// anew. On another number of PEs each chare gets the state by its `merge(std::span<T* const> old)`, of the
/// chares of all PEs. Without such a function each gets the state of PE 0's, and a warning says so. Await it
/// in the main task, at once after `make_group` and before arrays are restored, whose elements go on: groups
/// of a class are known by the order in which a PE makes them. The class needs a default constructor and
/// `serialize`, as for migration. Throws usage_error if the class has changed.
template <class T>
pending<bool> restore(const group<T>& chares) {
  return checkpoints::detail::restore_group<T>(extension::current_pe().number_of(chares[0].collection()));
}

}  // namespace imbrex
