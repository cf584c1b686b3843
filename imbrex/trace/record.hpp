// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

namespace imbrex::trace {

/// What a record tells. The numbers are those of the file: they stay, new ones are added at the end.
enum class record_kind : std::uint8_t {
  item_begin = 1,  ///< A PE begins an item of its queue: `entry`, `detail` an `item_class`, `a` the message
                   ///< or 0, and for an entry method `group` the collection and `b` the element.
  item_end = 2,
  entry_begin = 3,  ///< Inside an item: one element's turn in a broadcast. As item_begin.
  entry_end = 4,
  resumed = 5,  ///< Inside an item: a coroutine goes on that had been suspended. `entry`, `group` and `b` as
  ///< of item_begin; `detail` a `wait_cause`, `a` the reference number waited for, or of a timer
  ///< the time in ns.
  suspended = 6,  ///< Inside an item: a coroutine begins to wait. As resumed.
  sent = 7,    ///< A message leaves: `entry` that it calls, `group` the PE, `a` the message, `b` its bytes.
               ///< Also by each PE that passes it on.
  packed = 8,  ///< A message becomes bytes: `a` the message, `group` a number that no other message that this
               ///< track has packed has.
  arrived = 9,  ///< A message is here and may be run: `a` the message. If it came as bytes: `b` the number of
                ///< the track that packed it, plus one, and `group` its number there. If `b` is 0 it has come
                ///< to the end of a link, `group` ns before.
  parked = 10,  ///< A PE has nothing to do and sleeps.
  woken = 11,
  operation =
      12,  ///< Of a device, which ended at `time`: `detail` an `operation_class`, `entry` its name among
  ///< `name_table::marks`, `group` the stream, `a` how long it took in ns, `b` bytes moved. Of a block
  ///< an entry that it has run: `b` the element.
  phase_begin = 13,  ///< `group` its name among `name_table::marks`, `a` a number of the user's, `b` which:
                     ///< as in its phase_end, which may come in another item. Phases may overlap.
  phase_end = 14,
  mark = 15,      ///< A moment that the user names; as phase_begin.
  produced = 16,  ///< The user writes data of which others get a part: `group` its name among the marks, `b`
                  ///< the number of the stretch on this track, `detail` a `data_step`; `a` how many words it
                  ///< writes, of an element which of those sent it is.
  consumed = 17,  ///< The same of reading data of which a part came from others.
  dropped = 18,   ///< `a` records are missing here, since the ring was full.
  off = 19,       ///< Recording was switched off, or the ring was full; what follows comes after a gap.
  on = 20,
  abandoned = 21,  ///< A coroutine waits no more, since it was destroyed. As suspended, but for `a`.
  received = 22,   ///< The coroutine that runs takes a value out of a mailbox or channel: `entry` the port,
                   ///< `a` the message that brought it, `b` its reference number.
  gathered =
      23,  ///< What runs adds its part to what several make together on this track, such as a reduction:
           ///< `a` and `b` name it; `detail` is 1 where all parts are there and the whole begins to count.
  quiet = 24,  ///< Nothing is left to do in the whole run, which those who wait for quiescence are told next.
};
inline constexpr int record_kinds = 25;

/// What kind of item a PE runs.
enum class item_class : std::uint8_t {
  entry = 0,    ///< an entry method or a port of a chare: the program's work
  runtime = 1,  ///< a message of the runtime itself, such as a reply or a part of a reduction
  other = 2,    ///< what is no message: a timer, a completion, the main task
};

/// What a suspended coroutine waits for.
enum class wait_cause : std::uint8_t { other = 0, mailbox = 1, call = 2, device = 3, timer = 4 };

/// What an operation of a device is.
enum class operation_class : std::uint8_t {
  kernel = 0,
  host_to_device = 1,
  device_to_host = 2,
  device_to_device = 3,
  host_function = 4,
  other = 5,
};

/// Where a record of produced or consumed data stands in the stretch that does it.
enum class data_step : std::uint8_t { begin = 0, element = 1, end = 2 };

/// One thing that has happened, as it lies in the ring and in the file; little-endian.
struct record {
  std::uint64_t time;  ///< ns, by the clock of the process (`file_header::started`)
  record_kind kind;
  std::uint8_t detail;
  std::uint16_t entry;  ///< number among `name_table::entries`
  std::uint32_t group;
  std::uint64_t a;
  std::uint64_t b;
};
/// `record::entry` where the program has more entries than that can count.
inline constexpr std::uint16_t no_entry = 0xffff;
static_assert(sizeof(record) == 32 && std::is_trivially_copyable_v<record>);

/// A bit in the numbers of collections that are no arrays: of chares that were made one by one.
inline constexpr std::uint32_t collection_of_singles = std::uint32_t{1} << 31U;

/// What the numbers in records are the names of.
enum class name_table : std::uint8_t {
  entries = 0,  ///< id: `record::entry`. "block::run", or what an item is that calls no entry method
  collections =
      1,  ///< id: a collection. "block", and if its elements have dense indices a tab and its shape:
          ///< "block\t(8, 8, 4)", "worker\t16"; `record::b` then counts the elements, the last index fastest
  elements = 2,  ///< id: a collection, key: an element of one without dense indices. "lookup("north")",
                 ///< "worker #3 of PE 0"
  marks = 3,     ///< id: phases, marks, data, operations of devices
  streams = 4,   ///< id: a stream, key: the track of its device. Whose it is: "block(1, 2)"
};
inline constexpr int name_tables = 5;

/// What a ring of records belongs to: the upper 8 bits of a track's number; the lower 24 say which.
enum class track_class : std::uint8_t {
  pe = 0,           ///< which: the PE's number in the job
  comm_thread = 1,  ///< which: its process
  device = 2,       ///< which: the device's number in its process, of which the file tells
  network = 3,      ///< which: 0; what happens between PEs and is told by none of them
  block = 4,        ///< of a kernel that schedules by itself. Which: the block; from bit 8 on which of the
                    ///< kernels of the device at that time; from bit 16 on the device, as above
};
constexpr std::uint32_t track_number(track_class kind, std::uint32_t which) {
  return static_cast<std::uint32_t>(kind) << 24U | which;
}
constexpr track_class class_of_track(std::uint32_t track) { return static_cast<track_class>(track >> 24U); }
constexpr std::uint32_t place_of_track(std::uint32_t track) { return track & 0xff'ffffU; }

}  // namespace imbrex::trace
