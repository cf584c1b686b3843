// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/measured.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/overlap/input.hpp>
#include <imbrex/tools/trace/interval_set.hpp>

namespace imbrex::overlap {
namespace {

using tools::dataflow;

microseconds time(double nanoseconds) { return microseconds(nanoseconds / 1000); }
/// T_P and T_C may not be 0, nor T_comp.
microseconds positive(double nanoseconds) { return time(std::max(nanoseconds, 1e-3)); }

/// One that a file of parameters can hold; of a long one its end, which says more.
std::string fitting_name(std::string_view name) {
  std::string made(name.substr(name.size() - std::min(name.size(), longest_name)));
  if (made.size() < name.size()) made.replace(0, 3, "...");
  for (char& c : made)
    if (c < ' ' || c > '~') c = '?';
  return made.empty() ? "?" : made;
}

/// Of equal names, since long ones may have lost what differs, all but the first get a number.
void number_equal_names(std::vector<datum>& data) {
  std::set<std::string> taken;
  for (datum& one : data) {
    const std::string name = one.name;
    for (int number = 2; !taken.insert(one.name).second; ++number)
      one.name = fitting_name(name + " (" + std::to_string(number) + ")");
  }
}

double median(std::vector<double> of) {
  const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
  std::ranges::nth_element(of, middle);
  return *middle;
}

using tools::interval;
using tools::interval_set;

std::span<const interval>::iterator first_ending_after(const interval_set& all, std::uint64_t what) {
  return std::ranges::upper_bound(all.pieces(), what, {}, &interval::end);
}

class measuring {
 public:
  measuring(const dataflow& run, const measured_part& part) : run_(run), part_(part) { find_stretches(); }

  measured_program result(const std::string& name) {
    sort_messages();
    count_iterations();
    measured_program made;
    made.iterations = iterations_;
    made.counted = by_reference_;
    made.program.name = fitting_name(name);
    made.program.computation = positive(most_worked() / static_cast<double>(iterations_));
    made.program.processors = static_cast<int>(run_.pes.size());
    for (const auto& [entry, messages] : exchanged_) made.program.data.push_back(datum_of(entry, messages));
    number_equal_names(made.program.data);
    return made;
  }

 private:
  using message_list = std::vector<std::uint32_t>;

  void find_stretches();
  bool inside(std::uint64_t record) const;
  void sort_messages();
  void count_iterations();
  double most_worked() const;
  datum datum_of(std::uint32_t entry, const message_list& messages) const;
  bool is_pipelined(const message_list& messages) const;
  double hidden_by(const message_list& to_pe) const;
  double written_before(const message_list& to_pe, std::uint32_t writer) const;

  std::uint32_t receiver(const dataflow::message& m) const { return run_.pieces[m.item].pe; }
  bool is_between_pes(const dataflow::message& m) const {
    return m.sender != dataflow::none && run_.pieces[m.sender].pe != receiver(m);
  }

  const dataflow& run_;
  const measured_part& part_;
  // What is looked at: moments; and the records in between, since all of an item in virtual time may be one moment.
  interval_set times_;
  interval_set records_;
  std::map<std::uint32_t, message_list> by_entry_;   // all of the program's, by the port
  std::map<std::uint32_t, message_list> exchanged_;  // those of them between PEs
  std::uint64_t iterations_ = 1;
  bool by_reference_ = false;
};

void measuring::find_stretches() {
  if (part_.phase.empty()) {
    times_.add({0, run_.length});
    records_.add({0, std::numeric_limits<std::uint64_t>::max()});
    return;
  }
  std::string known;
  for (const auto& one : run_.phase_names) known += (known.empty() ? "" : ", ") + one;
  if (std::ranges::find(run_.phase_names, part_.phase) == run_.phase_names.end())
    throw usage_error(
        "--phase " + part_.phase + ": the trace has no such phase; " +
        (known.empty() ? "it has none, leave --phase out" : "it has " + printable(known)));
  for (const auto& one : run_.phases) {
    if (run_.phase_names[one.name] != part_.phase) continue;
    times_.add({one.begun, one.ended});
    records_.add({one.begun_at, one.ended_at});
  }
}

bool measuring::inside(std::uint64_t record) const {
  const auto at = first_ending_after(records_, record);
  return at != records_.pieces().end() && at->begin <= record;
}

void measuring::sort_messages() {
  std::set<std::uint32_t> mailboxes;
  for (const auto& m : run_.messages)
    if (m.received) mailboxes.insert(m.entry);
  for (std::uint32_t i = 0; i < run_.messages.size(); ++i) {
    const auto& m = run_.messages[i];
    if (m.item == dataflow::none || !m.is_program || !inside(m.needed_at)) continue;
    if (!m.received && mailboxes.contains(m.entry)) continue;  // nobody has needed it yet
    by_entry_[m.entry].push_back(i);
    if (is_between_pes(m)) exchanged_[m.entry].push_back(i);
  }
}

// A reference number of the port that brings the most is an iteration; where there are none, the messages that the PE
// which receives most has from another.
void measuring::count_iterations() {
  if (part_.iterations) {
    iterations_ = *part_.iterations;
    return;
  }
  if (exchanged_.empty()) return;
  const auto bytes = [&](const message_list& of) {
    return std::accumulate(of.begin(), of.end(), 0.0, [&](double sum, std::uint32_t i) {
      return sum + static_cast<double>(run_.messages[i].bytes);
    });
  };
  const auto& most =
      std::ranges::max_element(exchanged_, {}, [&](const auto& one) { return bytes(one.second); })->second;
  std::set<std::int64_t> references;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> pairs;
  for (const std::uint32_t i : most) {
    const auto& m = run_.messages[i];
    references.insert(m.reference);
    ++pairs[{run_.pieces[m.sender].pe, receiver(m)}];
  }
  by_reference_ = references.size() > 1;
  iterations_ = by_reference_
                    ? references.size()
                    : std::ranges::max_element(pairs, {}, [](const auto& p) { return p.second; })->second;
}

double measuring::most_worked() const {
  std::vector<double> worked(run_.pes.size());
  for (const auto& piece : run_.pieces) {
    const auto ended = piece.begun + piece.length;
    for (auto s = first_ending_after(times_, piece.begun); s != times_.pieces().end() && s->begin < ended;
         ++s)
      worked[piece.pe] += static_cast<double>(std::min(s->end, ended) - std::max(s->begin, piece.begun));
  }
  return worked.empty() ? 0 : std::ranges::max(worked);
}

bool measuring::is_pipelined(const message_list& messages) const {
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>> ways;
  for (const std::uint32_t i : messages) {
    const auto& m = run_.messages[i];
    if (!m.received) return false;
    ways.insert({run_.pieces[m.sender].pe, receiver(m), m.reference});
  }
  return std::ranges::none_of(ways, [&](const auto& way) {
    const auto& [from, to, reference] = way;
    return ways.contains({to, from, reference});
  });
}

double measuring::hidden_by(const message_list& to_pe) const {
  std::vector<double> hidden;
  for (const std::uint32_t i : to_pe) hidden.push_back(static_cast<double>(run_.messages[i].hidden));
  return median(std::move(hidden));
}

// T_AP: how long before a message of that PE was sent the stretch ended that wrote it, the last one of the same piece.
double measuring::written_before(const message_list& to_pe, std::uint32_t writer) const {
  std::set<std::pair<std::uint32_t, std::uint64_t>> ends;  // of stretches, by their pieces
  for (const auto& use : run_.data)
    if (use.writes) ends.emplace(use.piece, use.ended);
  std::vector<double> apart;
  for (const std::uint32_t i : to_pe) {
    const auto& m = run_.messages[i];
    if (run_.pieces[m.sender].pe != writer) continue;
    const auto after = ends.upper_bound({m.sender, m.sent});
    if (after != ends.begin() && std::prev(after)->first == m.sender)
      apart.push_back(static_cast<double>(m.sent - std::prev(after)->second));
  }
  return apart.empty() ? 0 : median(std::move(apart));
}

/// What is known of the side that writes, or of the one that reads.
struct side {
  double words = 0;  // in all
  double time = 0;   // ns
  std::vector<std::uint64_t> order{};
};

/// What the user tells of the pieces that use data.
side told(const dataflow& run, const std::set<std::uint32_t>& pieces, bool writes) {
  side known;
  for (const auto& use : run.data) {
    if (use.writes != writes || !pieces.contains(use.piece)) continue;
    known.words += static_cast<double>(use.words);
    known.time += static_cast<double>(use.ended - use.begun);
    if (known.order.empty()) known.order = use.order;
  }
  return known;
}

/// When pieces use data on one side: what the user tells of them, else their whole time. By piece.
std::multimap<std::uint32_t, interval> stretches(const dataflow& run, const std::set<std::uint32_t>& pieces,
                                                 bool writes, bool is_told) {
  std::multimap<std::uint32_t, interval> all;
  if (is_told) {
    for (const auto& use : run.data)
      if (use.writes == writes && pieces.contains(use.piece)) all.insert({use.piece, {use.begun, use.ended}});
  } else {
    for (const std::uint32_t p : pieces)
      all.insert({p, {run.pieces[p].begun, run.pieces[p].begun + run.pieces[p].length}});
  }
  return all;
}

/// How long, in ns, pieces do both at once.
double time_shared(const std::multimap<std::uint32_t, interval>& some,
                   const std::multimap<std::uint32_t, interval>& others) {
  double both = 0;
  for (const auto& [piece, one] : some)
    for (auto [at, end] = others.equal_range(piece); at != end; ++at) {
      const auto from = std::max(one.begin, at->second.begin), to = std::min(one.end, at->second.end);
      if (from < to) both += static_cast<double>(to - from);
    }
  return both;
}

/// P(i) or C(i) of those elements that were told of, if these are all; else nothing.
std::vector<std::uint64_t> positions(const std::vector<std::uint64_t>& order, std::uint64_t sent) {
  if (order.size() != sent) return {};
  std::vector<std::uint64_t> at(sent, sent);
  for (std::uint64_t k = 0; k < sent; ++k)
    if (order[k] < sent) at[order[k]] = k;
  return std::ranges::find(at, sent) == at.end() ? at : std::vector<std::uint64_t>();
}

/// Whether elements told of by both come in opposite orders.
bool reversed(const std::vector<std::uint64_t>& production, const std::vector<std::uint64_t>& consumption) {
  const auto rises = [](const std::vector<std::uint64_t>& order) {
    return order.size() < 2 || order.front() < order.back();
  };
  return rises(production) != rises(consumption);
}

/// Lists of positions need a word written, and one read, for each that is sent.
std::variant<named_order, listed_order> order_of(const side& production, const side& consumption,
                                                 const datum& of) {
  auto p = positions(production.order, of.sent);
  auto c = positions(consumption.order, of.sent);
  if (!p.empty() && !c.empty() && std::min(of.produced, of.consumed) >= of.sent)
    return listed_order{std::move(p), std::move(c)};
  return reversed(production.order, consumption.order) ? named_order::reverse : named_order::same;
}

datum measuring::datum_of(std::uint32_t entry, const message_list& messages) const {
  std::map<std::uint32_t, message_list> by_pe;
  std::map<std::uint32_t, double> words;
  for (const std::uint32_t i : messages) {
    by_pe[receiver(run_.messages[i])].push_back(i);
    words[receiver(run_.messages[i])] += static_cast<double>(run_.messages[i].bytes) / word_bytes;
  }
  const auto worst = std::ranges::max_element(words, {}, [](const auto& one) { return one.second; })->first;
  const auto each = static_cast<double>(iterations_);
  const auto words_each = [&](double all) {
    return static_cast<std::uint64_t>(std::max<long long>(1, std::llround(all / each)));
  };

  datum made;
  made.name = fitting_name(run_.entries[entry]);
  made.kind = is_pipelined(messages) ? execution::pipelined : execution::concurrent;
  made.sent = words_each(words[worst]);
  made.dependent_work = made.kind == execution::pipelined;
  if (made.kind == execution::concurrent) {  // pipelined data have no independent work (section 3.3)
    double hidden = hidden_by(by_pe.begin()->second);
    for (const auto& [pe, to_pe] : by_pe) hidden = std::min(hidden, hidden_by(to_pe));
    made.additional_consume = time(hidden);
  }

  // What uses them: the PE that sends most to the worst, and that PE itself.
  std::map<std::uint32_t, std::uint64_t> sent_by;
  for (const std::uint32_t i : by_pe[worst])
    sent_by[run_.pieces[run_.messages[i].sender].pe] += run_.messages[i].bytes;
  const auto writer =
      std::ranges::max_element(sent_by, {}, [](const auto& one) { return one.second; })->first;
  if (made.kind == execution::concurrent)
    made.additional_produce = time(written_before(by_pe[worst], writer));
  std::set<std::uint32_t> writers, readers;
  std::set<std::uint32_t> also_writers;  // of the PE that reads
  double written = 0, read = 0, writing = 0, reading = 0;
  for (const std::uint32_t i : by_entry_.at(entry)) {
    const auto& m = run_.messages[i];
    const double of = static_cast<double>(m.bytes) / word_bytes;
    if (m.sender != dataflow::none && run_.pieces[m.sender].pe == writer) {
      written += of;
      if (writers.insert(m.sender).second) writing += static_cast<double>(run_.pieces[m.sender].length);
    }
    if (m.sender != dataflow::none && run_.pieces[m.sender].pe == worst) also_writers.insert(m.sender);
    if (receiver(m) == worst) {
      read += of;
      if (readers.insert(m.user).second) reading += static_cast<double>(run_.pieces[m.user].length);
    }
  }
  side production = told(run_, writers, true);
  side consumption = told(run_, readers, false);
  const double shared =
      time_shared(stretches(run_, also_writers, true, told(run_, also_writers, true).words != 0),
                  stretches(run_, readers, false, consumption.words != 0));
  if (production.words == 0) production = {std::max(written, words[worst]), writing};
  if (consumption.words == 0) consumption = {read, reading};
  production.words = std::max(production.words, 1.0);  // messages may be empty
  consumption.words = std::max(consumption.words, 1.0);
  made.produced = words_each(production.words);
  made.consumed = words_each(consumption.words);
  made.produce_period = positive(production.time / production.words);
  made.consume_period = positive(consumption.time / consumption.words);
  made.order = order_of(production, consumption, made);
  if (made.kind == execution::concurrent && shared > 0) {  // it hides one transfer or the other
    const double own = std::max(0.0, 1 - shared / consumption.time);
    made.consume_loop_indexing = own * independent(made).consume_loop_indexing;
  }
  return made;
}

}  // namespace

measured_program measure(const dataflow& run, const measured_part& part, const std::string& name) {
  return measuring(run, part).result(name);
}

application as_it_is(application program) {
  for (datum& one : program.data) one.produce_loop_indexing = one.consume_loop_indexing = microseconds(0);
  return program;
}

}  // namespace imbrex::overlap
