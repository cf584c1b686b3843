// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <imbrex/tools/trace/page/bins.hpp>
#include <imbrex/tools/trace/run_observer.hpp>

namespace imbrex::tools {

/// `share::what` of a PE that runs no entry.
constexpr std::uint32_t share_of(pe_state state) { return always_apart + static_cast<std::uint32_t>(state); }

/// How much of a run a timeline tells.
struct timeline_limits {
  std::size_t bins = 300'000;            ///< of all PEs and devices together
  std::size_t details = 90'000;          ///< of slices, of messages and of operations, each
  std::uint64_t from = 0;                ///< details are kept from here, ns since the start,
  std::uint64_t to = ~std::uint64_t{0};  ///< to here
};

/// What a page draws of a run: for all of it what each PE and device did by bins of time, and for a part of
/// it, the whole run if that is short, everything that happened. Memory: for the limits, however long the run
/// is. All times are ns since the start of the run.
class timeline : public run_observer {
 public:
  explicit timeline(const timeline_limits& limits = {}) : limits_(limits), detail_end_(limits.to) {}

  void begin(const trace::reader& in, std::uint64_t start) override;
  void stretch(std::uint32_t track, interval time, pe_state state, std::uint32_t entry) override;
  void ran(std::uint32_t track, const slice& one) override;
  void message(const message_account::begun& known) override;
  void other(std::uint32_t track, const trace::record& r) override;
  void end(std::uint64_t time) override;

  /// A PE: its shares are entries or `share_of` a state. A device: `operation_class`es, which may overlap.
  struct row {
    bool is_pe = false;
    bool is_device = false;
    std::uint32_t process = 0;
    std::uint32_t number = 0;
    share_bins shares;
  };
  /// Messages from a process to another, or between the PEs of one.
  struct link {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    load_bins in_flight;
  };
  struct slice_detail {
    slice one;
    std::uint32_t row = 0;
    std::uint32_t chare = 0;  ///< among `chares()`
  };
  struct message_detail {
    message_times times;
    std::uint64_t bytes = 0;
    std::uint32_t from = 0;  ///< row
    std::uint32_t to = 0;
  };
  struct operation_detail {
    interval time;
    std::uint64_t bytes = 0;
    std::uint32_t row = 0;
    std::uint32_t stream = 0;  ///< among `streams()`
    std::uint32_t name = 0;    ///< among `marks()`
    std::uint8_t kind = 0;     ///< `trace::operation_class`
  };
  /// A phase, or a mark, which ends when it begins.
  struct mark_detail {
    interval time;
    std::int64_t number = 0;  ///< the user's
    std::uint32_t row = 0;
    std::uint32_t name = 0;  ///< among `marks()`
    bool phase = false;
  };
  struct stream {
    std::uint32_t row = 0;
    std::string owner;
  };

  const bin_scale& scale() const { return scale_; }
  /// One for each track of the reader.
  const std::vector<row>& rows() const { return rows_; }
  const std::vector<link>& links() const { return links_; }
  const std::vector<slice_detail>& slices() const { return slices_; }
  const std::vector<message_detail>& messages() const { return messages_; }
  const std::vector<operation_detail>& operations() const { return operations_; }
  const std::vector<mark_detail>& marked() const { return marked_; }
  /// Elements as "block(1, 2)"; the first is empty: no element.
  const std::vector<std::string>& chares() const { return chares_; }
  const std::vector<std::string>& marks() const { return marks_; }
  const std::vector<stream>& streams() const { return streams_; }
  /// The part of the run of which everything is told; empty if there is none.
  interval details() const { return {limits_.from, detail_end_}; }
  /// Details that there was no room for.
  bool cut() const { return cut_; }

 private:
  using id = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;

  interval since_start(interval time);
  /// Whether it is told as a detail.
  bool detailed(interval time) const { return time.end >= limits_.from && time.begin < detail_end_; }
  /// Of details that there is no room for, that which begins last goes, and the detailed part ends where it
  /// begins.
  template <class Detail>
  void keep(std::vector<Detail>& present, const Detail& added);
  link& link_of(std::uint32_t from, std::uint32_t to);
  std::uint32_t chare_of(std::uint32_t file, const slice& one);
  std::uint32_t mark_of(std::uint32_t file, std::uint32_t number);
  void operation(std::uint32_t track, const trace::record& r);
  void phase(std::uint32_t track, const trace::record& r);

  const timeline_limits limits_;
  const trace::reader* in_ = nullptr;
  std::uint64_t start_ = 0;
  std::uint64_t detail_end_;
  bool cut_ = false;
  bin_scale scale_;
  std::vector<row> rows_;
  std::vector<link> links_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> link_places_;
  // Heaps until the end, on top what begins last.
  std::vector<slice_detail> slices_;
  std::vector<message_detail> messages_;
  std::vector<operation_detail> operations_;
  std::vector<mark_detail> marked_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t>, interval> open_phases_;
  std::vector<std::string> chares_{""};
  std::map<id, std::uint32_t> chare_places_;
  std::vector<std::string> marks_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> mark_places_;
  std::unordered_map<std::string, std::uint32_t> marks_by_name_;
  std::vector<stream> streams_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> stream_places_;
};

}  // namespace imbrex::tools
