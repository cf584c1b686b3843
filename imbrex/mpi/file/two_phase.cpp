// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/file/two_phase.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include <imbrex/core/extension/pe.hpp>
#include <imbrex/mpi/collective/buffers.hpp>
#include <imbrex/mpi/rank/process_ranks.hpp>

namespace imbrex::mpi {

namespace {

/// Pieces from this length on are as fast without aggregators.
constexpr std::int64_t long_piece = std::int64_t{64} << 10;
/// Ranks with so few pieces each call the system less often than they would exchange messages.
constexpr std::int64_t few_pieces = 4;
/// An aggregator reads gaps up to this length with the pieces around them.
constexpr std::int64_t short_gap = std::int64_t{64} << 10;
constexpr std::int64_t usual_window = std::int64_t{16} << 20;
constexpr std::int64_t usual_unit = 4096;

/// A hint that is a positive number; `otherwise` if it is missing or none.
std::int64_t number_hint(const file& of, const char* key, std::int64_t otherwise) {
  const std::string* const text = of.hints.find(key);
  std::int64_t number = 0;
  if (text == nullptr) return otherwise;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), number);
  return read.ec == std::errc() && number > 0 ? number : otherwise;
}

/// The ranks that are aggregators: the first of each node, unless a hint names another number.
std::vector<int> aggregators_of(const file& of) {
  std::vector<std::vector<int>> on_nodes;
  for (int i = 0; i < of.in()->size(); ++i) {
    const auto node = static_cast<std::size_t>(first_node_of(of.self(), of.in()->members().world_rank(i)));
    if (node >= on_nodes.size()) on_nodes.resize(node + 1);
    on_nodes[node].push_back(i);
  }
  std::erase_if(on_nodes, [](const std::vector<int>& ranks) { return ranks.empty(); });
  const auto number = std::min(
      static_cast<std::size_t>(number_hint(of, "cb_nodes", static_cast<std::int64_t>(on_nodes.size()))),
      static_cast<std::size_t>(of.in()->size()));
  std::vector<int> chosen;
  for (std::size_t i = 0; chosen.size() < number; ++i)
    for (const std::vector<int>& ranks : on_nodes)
      if (i < ranks.size() && chosen.size() < number) chosen.push_back(ranks[i]);
  return chosen;
}

file_piece range_of(const std::vector<rank_extent>& all) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = 0;
  for (const rank_extent& each : all) {
    if (each.empty()) continue;
    first = std::min(first, each.first);
    end = std::max(end, each.end);
  }
  return {first, std::max<std::int64_t>(end - first, 0)};
}

/// Data of all ranks in a window of an aggregator.
struct window_data {
  struct part {
    std::vector<placed_piece> pieces;  ///< their positions do not count
    std::vector<std::byte> bytes;
  };
  file_piece range;
  std::vector<part> parts;  ///< by ranks

  void begin(const file_piece& window, const std::vector<piece_list>& of_ranks) {
    range = window;
    parts.resize(of_ranks.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].pieces = of_ranks[i].within(window);
      parts[i].bytes.resize(static_cast<std::size_t>(bytes_of(parts[i].pieces)));
    }
  }
  coverage covered() const {
    coverage result(range);
    for (const part& each : parts)
      for (const placed_piece& piece : each.pieces) result.mark(piece.offset, piece.bytes);
    return result;
  }
  /// Calls move(place in the window, place in the part's bytes, length) for each piece.
  template <typename Move>
  void for_each_piece(Move move) {
    for (part& each : parts) {
      std::byte* at = each.bytes.data();
      for (const placed_piece& piece : each.pieces) {
        move(piece.offset - range.offset, at, static_cast<std::size_t>(piece.bytes));
        at += piece.bytes;
      }
    }
  }
};

/// Where data overlap, those of the last rank remain.
void write_window(system_file& to, window_data& data, std::vector<std::byte>& whole) {
  whole.resize(static_cast<std::size_t>(data.range.bytes));
  data.for_each_piece([&](std::int64_t at, const std::byte* from, std::size_t bytes) {
    std::memcpy(whole.data() + at, from, bytes);
  });
  for (const file_piece& run : data.covered().runs(0))
    to.write(run.offset, whole.data() + (run.offset - data.range.offset), run.bytes);
}

void read_window(const system_file& from, window_data& data, std::vector<std::byte>& whole) {
  whole.resize(static_cast<std::size_t>(data.range.bytes));
  for (const file_piece& run : data.covered().runs(short_gap))
    from.read(run.offset, whole.data() + (run.offset - data.range.offset), run.bytes);
  data.for_each_piece(
      [&](std::int64_t at, std::byte* to, std::size_t bytes) { std::memcpy(to, whole.data() + at, bytes); });
}

/// A rank's data in a window, as one run of bytes to send or to receive.
class window_share {
 public:
  window_share(const std::vector<placed_piece>& pieces, const user_buffer& packed)
      : pieces_(pieces), packed_(packed), bytes_(bytes_of(pieces)) {
    std::int64_t next = pieces_.empty() ? 0 : pieces_.front().position;
    for (const placed_piece& each : pieces_) {
      is_run_ = is_run_ && each.position == next;
      next = each.position + each.bytes;
    }
    if (!is_direct()) copy_.resize(static_cast<std::size_t>(bytes_));
  }

  bool empty() const { return bytes_ == 0; }
  user_buffer buffer() {
    return bytes_at(is_direct() ? packed_.begin() + pieces_.front().position : copy_.data(), bytes_);
  }
  void take_from_memory() {
    for_each_copy([this](std::int64_t position, std::byte* at, std::int64_t bytes) {
      pack(packed_.typed(), position, at, bytes);
    });
  }
  void give_to_memory() {
    for_each_copy([this](std::int64_t position, const std::byte* at, std::int64_t bytes) {
      unpack(packed_.typed(), position, at, bytes);
    });
  }

 private:
  bool is_direct() const { return is_run_ && bytes_ > 0 && packed_.is_contiguous(); }
  template <typename Copy>
  void for_each_copy(Copy copy) {
    if (is_direct() || bytes_ == 0) return;
    if (is_run_) return copy(pieces_.front().position, copy_.data(), bytes_);
    std::byte* at = copy_.data();
    for (const placed_piece& each : pieces_) {
      copy(each.position, at, each.bytes);
      at += each.bytes;
    }
  }

  std::vector<placed_piece> pieces_;
  user_buffer packed_;
  std::int64_t bytes_;
  bool is_run_ = true;
  std::vector<std::byte> copy_;
};

/// The outcome of an aggregator, for the ranks whose data it has moved.
struct aggregator_answer {
  std::int32_t code = MPI_SUCCESS;
  std::array<char, 252> why{};
};

/// State of one rank's part in the access.
class two_phase {
 public:
  two_phase(schedule& s, file& of, const std::vector<rank_extent>& all, const piece_list& own,
            const user_buffer& packed)
      : s_(s),
        of_(of),
        all_(all),
        own_(own),
        packed_(packed),
        aggregators_(aggregators_of(of)),
        split_(range_of(all), static_cast<int>(aggregators_.size()),
               number_hint(of, "striping_unit", usual_unit),
               number_hint(of, "cb_buffer_size", usual_window)) {
    const auto found = std::ranges::find(aggregators_, s.rank_of_own());
    if (found != aggregators_.end()) number_ = static_cast<int>(found - aggregators_.begin());
  }

  /// Member functions that are plans belong to this schedule (`plan::promise_type`).
  operator schedule&() const { return s_; }

  plan exchange_lists(schedule& s) {
    const std::size_t n = aggregators_.size();
    std::vector<std::vector<file_piece>> lists(n);
    counts_.resize(n);
    for (std::size_t a = 0; a < n; ++a) {
      for (const placed_piece& each : own_.within(split_.part(static_cast<int>(a))))
        lists[a].push_back({each.offset, each.bytes});
      counts_[a] = static_cast<std::int64_t>(lists[a].size());
      if (!all_[static_cast<std::size_t>(s.rank_of_own())].empty())
        s.own().send(aggregators_[a], bytes_at(&counts_[a], sizeof counts_[a]));
    }
    std::vector<std::int64_t> counts_of_ranks(is_aggregator() ? all_.size() : 0, 0);
    for (std::size_t i = 0; i < counts_of_ranks.size(); ++i)
      if (!all_[i].empty())
        s.own().receive(static_cast<int>(i), bytes_at(&counts_of_ranks[i], sizeof counts_of_ranks[i]));
    co_await s.next();
    std::vector<std::vector<file_piece>> lists_of_ranks(counts_of_ranks.size());
    const auto bytes_of_list = [](std::vector<file_piece>& list) {
      return bytes_at(list.data(), static_cast<std::int64_t>(list.size() * sizeof(file_piece)));
    };
    for (std::size_t i = 0; i < lists_of_ranks.size(); ++i) {
      lists_of_ranks[i].resize(static_cast<std::size_t>(counts_of_ranks[i]));
      if (counts_of_ranks[i] > 0) s.own().receive(static_cast<int>(i), bytes_of_list(lists_of_ranks[i]));
    }
    for (std::size_t a = 0; a < n; ++a)
      if (counts_[a] > 0) s.own().send(aggregators_[a], bytes_of_list(lists[a]));
    co_await s.next();
    for (const std::vector<file_piece>& each : lists_of_ranks) of_ranks_.emplace_back(each);
  }

  plan write_windows(schedule& s) {
    for (std::int64_t round = 0; round <= split_.rounds(); ++round) {
      std::vector<window_share> shares;
      if (round < split_.rounds()) {
        shares = shares_of(round);
        for (std::size_t a = 0; a < shares.size(); ++a) {
          shares[a].take_from_memory();
          if (!shares[a].empty()) s.own().send(aggregators_[a], shares[a].buffer());
        }
      }
      if (is_aggregator()) {
        if (round > 0) add_job([this, &data = data_of(round - 1)] { write_window(of_.data, data, whole_); });
        if (round < split_.rounds()) {
          window_data& data = data_of(round);
          data.begin(split_.window(number_, round), of_ranks_);
          for (std::size_t i = 0; i < data.parts.size(); ++i)
            if (!data.parts[i].bytes.empty()) s.own().receive(static_cast<int>(i), part_of(data, i));
        }
      }
      co_await s.next();
    }
  }

  plan read_windows(schedule& s) {
    for (std::int64_t round = 0; round <= split_.rounds(); ++round) {
      std::vector<window_share> shares;
      if (round > 0) {
        shares = shares_of(round - 1);
        for (std::size_t a = 0; a < shares.size(); ++a)
          if (!shares[a].empty()) s.own().receive(aggregators_[a], shares[a].buffer());
      }
      if (is_aggregator()) {
        if (round > 0) {
          window_data& data = data_of(round - 1);
          for (std::size_t i = 0; i < data.parts.size(); ++i)
            if (!data.parts[i].bytes.empty()) s.own().send(static_cast<int>(i), part_of(data, i));
        }
        if (round < split_.rounds()) {
          window_data& data = data_of(round);
          data.begin(split_.window(number_, round), of_ranks_);
          add_job([this, &data] { read_window(of_.data, data, whole_); });
        }
      }
      co_await s.next();
      for (window_share& each : shares) each.give_to_memory();
    }
  }

  plan exchange_answers(schedule& s, access_outcome& result) {
    aggregator_answer own_answer;
    if (failure_) {
      own_answer.code = failure_->code();
      std::strncpy(own_answer.why.data(), failure_->what(), own_answer.why.size() - 1);
    }
    for (std::size_t i = 0; i < of_ranks_.size(); ++i)
      if (!of_ranks_[i].empty()) s.own().send(static_cast<int>(i), bytes_at(&own_answer, sizeof own_answer));
    std::vector<aggregator_answer> answers(aggregators_.size());
    for (std::size_t a = 0; a < answers.size(); ++a)
      if (counts_[a] > 0) s.own().receive(aggregators_[a], bytes_at(&answers[a], sizeof answers[a]));
    co_await s.next();
    for (const aggregator_answer& each : answers)
      if (each.code != MPI_SUCCESS) result.failure = error(each.code, each.why.data());
    result.bytes = result.failure ? 0 : own_.bytes();
  }

 private:
  bool is_aggregator() const { return number_ >= 0; }
  window_data& data_of(std::int64_t round) { return data_[static_cast<std::size_t>(round % 2)]; }
  static user_buffer part_of(window_data& data, std::size_t rank) {
    std::vector<std::byte>& bytes = data.parts[rank].bytes;
    return bytes_at(bytes.data(), static_cast<std::int64_t>(bytes.size()));
  }
  std::vector<window_share> shares_of(std::int64_t round) const {
    std::vector<window_share> shares;
    for (std::size_t a = 0; a < aggregators_.size(); ++a)
      shares.emplace_back(own_.within(split_.window(static_cast<int>(a), round)), packed_);
    return shares;
  }
  /// Adds a job of this PE's worker to the next round. Nothing more is moved after a failure.
  void add_job(std::function<void()> job) {
    s_.add([this, job = std::move(job)](rank& by, request& q) {
      job_ = extension::current_pe().local<file_worker>().begin(
          [this, job] {
            if (!failure_) failure_ = failure_of(job);
          },
          [&by, &q] { by.complete(q); });
    });
  }

  schedule& s_;
  file& of_;
  const std::vector<rank_extent>& all_;
  const piece_list& own_;
  user_buffer packed_;
  std::vector<int> aggregators_;
  domain_split split_;
  int number_ = -1;                   ///< number of this rank among the aggregators
  std::vector<std::int64_t> counts_;  ///< own pieces in each aggregator's part
  std::vector<piece_list> of_ranks_;  ///< on an aggregator: the pieces in its part
  std::array<window_data, 2> data_;
  std::vector<std::byte> whole_;  ///< only jobs use it
  std::optional<error> failure_;
  file_worker::job job_;  ///< declared last: it ends before the data of its window
};

}  // namespace

bool needs_aggregators(const file& of, const std::vector<rank_extent>& all, access_direction direction) {
  std::vector<rank_extent> sorted;
  std::ranges::copy_if(all, std::back_inserter(sorted), [](const rank_extent& e) { return !e.empty(); });
  if (sorted.empty()) return false;
  const std::string* const hint =
      of.hints.find(direction == access_direction::read ? "romio_cb_read" : "romio_cb_write");
  const std::string* const other = of.hints.find("collective_buffering");
  if (hint != nullptr ? *hint == "enable" : other != nullptr && *other == "true") return true;
  if (hint != nullptr ? *hint == "disable" : other != nullptr && *other == "false") return false;
  if (sorted.size() < 2 || of.is_atomic) return false;
  std::ranges::sort(sorted, {}, &rank_extent::first);
  std::int64_t bytes = 0;
  std::int64_t pieces = 0;
  bool are_interleaved = false;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    bytes += sorted[i].bytes;
    pieces += sorted[i].pieces;
    are_interleaved = are_interleaved || (i > 0 && sorted[i].first < sorted[i - 1].end);
  }
  return are_interleaved && bytes / pieces < long_piece &&
         pieces > few_pieces * static_cast<std::int64_t>(sorted.size());
}

plan move_by_aggregators(schedule& s, file& of, const std::vector<rank_extent>& all, const piece_list& own,
                         const user_buffer& packed, access_direction direction, access_outcome& result) {
  two_phase state(s, of, all, own, packed);
  co_await state.exchange_lists(s);
  if (direction == access_direction::write) {
    co_await state.write_windows(s);
  } else {
    co_await state.read_windows(s);
  }
  co_await state.exchange_answers(s, result);
}

}  // namespace imbrex::mpi
