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

/// `share::what` of a PE in a state without an entry.
constexpr std::uint32_t share_of(pe_state state) { return always_apart + static_cast<std::uint32_t>(state); }

/// The limits of a timeline's size.
struct timeline_limits {
  std::size_t bins = 300'000;            ///< total of all PEs and devices
  std::size_t details = 90'000;          ///< slices, messages and operations, each
  std::uint64_t from = 0;                ///< begin of the details, ns since the start
  std::uint64_t to = ~std::uint64_t{0};  ///< end of the details
};

/// The data that a page shows of a run. Bins hold the activity of each PE and device over the whole run.
/// Details hold every event of a part, which is the whole run if it is short. Memory: bounded by the limits,
/// for any length of the run. All times are ns since the start of the run.
class timeline : public run_observer {
 public:
  explicit timeline(const timeline_limits& limits = {}) : limits_(limits), detail_end_(limits.to) {}

  void begin(const trace::reader& in, std::uint64_t start) override;
  void stretch(std::uint32_t track, interval time, pe_state state, std::uint32_t entry) override;
  void ran(std::uint32_t track, const slice& one) override;
  void message(const message_account::begun& known) override;
  void other(std::uint32_t track, const trace::record& r) override;
  void end(std::uint64_t time) override;

  /// A PE or a device. Shares of a PE are entries or `share_of` a state. Shares of a device are
  /// `operation_class`es, which may overlap.
  struct row {
    bool is_pe = false;
    bool is_device = false;
    std::uint32_t process = 0;
    std::uint32_t number = 0;
    share_bins shares;
  };
  /// Messages from one process to another, or between PEs of one process.
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
    std::uint32_t chare = 0;  ///< index in `chares()`
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
    std::uint32_t stream = 0;  ///< index in `streams()`
    std::uint32_t name = 0;    ///< index in `marks()`
    std::uint8_t kind = 0;     ///< `trace::operation_class`
  };
  /// A phase, or a mark, whose begin and end are equal.
  struct mark_detail {
    interval time;
    std::int64_t number = 0;  ///< set by the user
    std::uint32_t row = 0;
    std::uint32_t name = 0;  ///< index in `marks()`
    bool phase = false;
  };
  struct stream {
    std::uint32_t row = 0;
    std::string owner;
  };

  const bin_scale& scale() const { return scale_; }
  /// The rows, one for each track of the reader.
  const std::vector<row>& rows() const { return rows_; }
  const std::vector<link>& links() const { return links_; }
  const std::vector<slice_detail>& slices() const { return slices_; }
  const std::vector<message_detail>& messages() const { return messages_; }
  const std::vector<operation_detail>& operations() const { return operations_; }
  const std::vector<mark_detail>& marked() const { return marked_; }
  /// Names of elements such as "block(1, 2)"; the first is empty and means no element.
  const std::vector<std::string>& chares() const { return chares_; }
  const std::vector<std::string>& marks() const { return marks_; }
  const std::vector<stream>& streams() const { return streams_; }
  /// The detailed part of the run; may be empty.
  interval details() const { return {limits_.from, detail_end_}; }
  /// True if some details were dropped for lack of space.
  bool cut() const { return cut_; }

 private:
  using id = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;

  interval since_start(interval time);
  /// Whether the interval touches the detailed part.
  bool detailed(interval time) const { return time.end >= limits_.from && time.begin < detail_end_; }
  /// Adds a detail. If there are too many, the detail that begins last is removed, and the detailed part ends
  /// at its begin.
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
  // Heaps, with the detail that begins last on top; sorted by `end`.
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
