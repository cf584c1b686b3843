// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <imbrex/trace/record.hpp>

/// A program's additions to its trace (`--trace FILE`). Without a trace these calls do nothing, and cost a
/// branch.
namespace imbrex::trace {

/// Starts recording on all PEs, on each from its next item. To record a window of iterations, start the
/// program with `--trace-paused`, call this before them and `stop` after them. Throws imbrex::error outside a
/// run.
void start();
/// Stops recording until the next `start`.
void stop();

/// Records a moment with a name. Use few different names: each is kept for the rest of the run.
void mark(std::string_view name, std::int64_t value = 0);

/// A named part of the run, from the constructor to the destructor, with a number such as the iteration's.
/// The block may contain a co_await. Phases of different chares may overlap.
class phase {
 public:
  /// Begins a phase of this name in the trace; it ends with the object. `value`: a number for the report,
  /// such as that of an iteration.
  explicit phase(std::string_view name, std::int64_t value = 0);
  ~phase();
  phase(const phase&) = delete;
  phase& operator=(const phase&) = delete;

 private:
  std::uint32_t name_ = 0;
  bool is_recorded_ = false;
  std::uint64_t which_ = 0;
  std::int64_t value_ = 0;
};

/// Common part of `produce` and `consume`.
class data_stretch {
 public:
  data_stretch(const data_stretch&) = delete;
  data_stretch& operator=(const data_stretch&) = delete;
  /// Declares that element `i` of the sent or received elements, counted from 0, is written or read next.
  /// This gives the orders of production and consumption, P(i) and C(i). Call it for all elements of a datum,
  /// for some that are evenly spaced, or for none.
  void element(std::uint64_t i);

 protected:
  data_stretch(record_kind kind, std::string_view datum, std::uint64_t words);
  ~data_stretch();

 private:
  record_kind kind_;
  bool is_recorded_ = false;
  std::uint32_t name_ = 0;
  std::uint64_t words_ = 0;
  std::uint64_t which_ = 0;
};

/// Declares that the program writes `words` words of 8 bytes (N_P) from here to the end of the block. The
/// entry's next send sends some of them. Used by `imbrex overlap --from`. Without it, that command counts all
/// work before a send as production, and the sent words as the written ones. The names are those of the
/// paper's section 3.1. The block must not contain a co_await.
class produce : public data_stretch {
 public:
  /// Until the object ends, the entry computes `words` words of 8 bytes of this datum, which it sends later.
  explicit produce(std::string_view datum, std::uint64_t words)
      : data_stretch(record_kind::produced, datum, words) {}
};

/// Declares that the program reads `words` words (N_C), some of which arrived in the entry's last received
/// message.
class consume : public data_stretch {
 public:
  /// Until the object ends, the entry reads `words` words of 8 bytes of this datum, which it has received.
  explicit consume(std::string_view datum, std::uint64_t words)
      : data_stretch(record_kind::consumed, datum, words) {}
};

}  // namespace imbrex::trace
