// SPDX-License-Identifier: Apache-2.0
#include "tests/checkpoint/storm.hpp"

#include <atomic>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include <imbrex/checkpoint.hpp>
#include <imbrex/grid.hpp>

namespace storm {

namespace {

using imbrex::element;
using imbrex::index;
using imbrex::send;

constexpr int crew = 10, rows = 5, visits_of_life = 3;

int steps = 10;
imbrex::nanoseconds pause{0};

std::atomic<std::int64_t> seen = 0, last = 0;

/// Something that happens to an element. The run may end with it.
void note_event() {
  if (++seen == last) imbrex::exit(0);
}

/// A number by chance that the arguments determine.
template <class... A>
std::uint64_t mixed(A... a) {
  std::uint64_t h = 0x9e3779b97f4a7c15;
  ((h = (h ^ static_cast<std::uint64_t>(a)) * 0xff51afd7ed558ccd, h ^= h >> 32U), ...);
  return h;
}

class sailor;

}  // namespace

/// A placement of the program's own.
struct scattered {
  int operator()(const index<1>& where, const index<1>&, int pes) const { return where[0] * 7 % pes; }
};

}  // namespace storm

template <>
struct imbrex::index_of<storm::sailor> {
  using type = imbrex::index<1>;
};

namespace storm {

namespace {

/// A short life of a sparse array: ends with the last visit, and tells the element that inserted it.
class passenger : public imbrex::chare<passenger> {
 public:
  passenger() = default;
  explicit passenger(element<sailor> from) : from_(from) {}
  void visit();
  int visits() const { return visits_; }
  void serialize(auto& ar) { ar(from_, visits_); }

 private:
  element<sailor> from_;
  int visits_ = 0;
};

/// An element of a keyed array.
class town : public imbrex::chare<town, std::string> {
 public:
  town() = default;
  explicit town(int first) : sum_(first) {}
  int trade(int more) {
    note_event();
    return sum_ += more;
  }
  void serialize(auto& ar) { ar(sum_); }

 private:
  int sum_ = 0;
};

/// A single chare.
class purse : public imbrex::chare<purse> {
 public:
  purse() = default;
  explicit purse(int coins) : coins_(coins) {}
  int pay(int coins) {
    note_event();
    return coins_ += coins;
  }
  void lose() { destroy(); }
  void serialize(auto& ar) { ar(coins_); }

 private:
  int coins_ = 0;
};

/// A chare of a group.
class post : public imbrex::chare<post> {
 public:
  void count(int by) {
    note_event();
    notes_ += by;
  }
  int notes() const { return notes_; }
  void merge(std::span<post* const> old) {
    for (const post* const each : old)
      if (pe() == 0) notes_ += each->notes_;
  }
  void serialize(auto& ar) { ar(notes_); }

 private:
  int notes_ = 0;
};

/// A note that names a chare.
struct note {
  int from = 0;
  std::string text;
  element<town> to;
};

/// Counts and sums of what an element has received.
struct ledger {
  std::uint64_t hits = 0, sum_of_hits = 0, ticks = 0, shouts = 0, orders = 0, farewells = 0, watch = 0;
  std::uint64_t letters = 0, sum_of_channels = 0, answers = 0;
  double energy = 0;
  std::uint64_t wrong = 0;  ///< values that were not those that were sent

  void serialize(auto& ar) {
    ar(hits, sum_of_hits, ticks, shouts, orders, farewells, watch, letters, sum_of_channels, answers, energy,
       wrong);
  }
};

std::string text_of(const ledger& b) {
  std::ostringstream out;
  out << b.hits << ' ' << b.sum_of_hits << ' ' << b.ticks << ' ' << b.shouts << ' ' << b.orders << ' '
      << b.farewells << ' ' << b.watch << ' ' << b.letters << ' ' << b.sum_of_channels << ' ' << b.answers
      << ' ' << std::hexfloat << b.energy << std::defaultfloat << ' ' << b.wrong << '\n';
  return out.str();
}

class sailor : public imbrex::chare<sailor> {
 public:
  imbrex::mailbox<note> letters;
  imbrex::mailbox<std::vector<int>> ahead;
  imbrex::channel<std::int64_t> right, left;

  sailor() = default;
  sailor(std::uint64_t seed, imbrex::array<passenger> passengers, imbrex::array<town> towns,
         imbrex::group<post> posts)
      : seed_(seed), passengers_(passengers), towns_(towns), posts_(posts) {
    right.connect<&sailor::left>(beside(1));
    left.connect<&sailor::right>(beside(-1));
  }

  void take(imbrex::section<sailor> half) { half_ = half; }
  void hit(std::uint64_t value) {
    note_event();
    ++book_.hits;
    book_.sum_of_hits += value;
  }
  void tick() { ++book_.ticks; }
  void shout(int step) { book_.shouts += static_cast<std::uint64_t>(step); }
  void order(int step) { book_.orders += static_cast<std::uint64_t>(step); }
  void part() { ++book_.farewells; }
  void see(int round) { book_.watch += static_cast<std::uint64_t>(round); }
  int ask(int x) {
    note_event();
    return x + 1;
  }
  ledger book() const { return book_; }

  imbrex::task<int> run() {
    while (step_ < steps) {
      ++step_;
      send_all();
      co_await live_on();
      co_await receive_all();
      co_await meet();
      note_event();
      if (pause > imbrex::nanoseconds(0)) co_await imbrex::sleep_for(pause);
      if (dice(1) % 2 == 0)
        migrate_to(static_cast<int>(dice(2) % static_cast<std::uint64_t>(imbrex::num_pes())));
      co_await balance_point<&sailor::run>();
    }
    co_return step_;
  }
  void serialize(auto& ar) {
    ar(letters, ahead, right, left, seed_, passengers_, towns_, posts_, half_, purse_, coins_, goods_, sent_,
       received_, step_, book_);
  }

 private:
  int number_beside(int distance) const { return (where()[0] + distance + crew) % crew; }
  element<sailor> beside(int distance) const { return peers()[number_beside(distance)]; }
  std::uint64_t dice(int use) const { return mixed(seed_, where()[0], step_, use); }
  void expect(bool is_right) { book_.wrong += is_right ? 0 : 1; }
  /// The number of values that a sailor sends to the right in a step.
  int values_of(int of, int step) const {
    return step > 0 ? static_cast<int>(mixed(seed_, of, step, 3) % 4) : 0;
  }

  void send_all() {
    const int me = where()[0];
    for (int k = 1; k <= 3; ++k) send<&sailor::hit>(beside(k), dice(10 + k) % 1000);
    send<&sailor::hit>(beside(static_cast<int>(dice(4) % crew)), dice(5) % 1000);
    send<&sailor::tick>(beside(5).coalesced());
    send<&sailor::letters>(beside(1), step_, note{me, "step " + std::to_string(step_), towns_[name()]});
    if (step_ + 2 <= steps)
      send<&sailor::ahead>(beside(4), step_ + 2, std::vector<int>(dice(6) % 300, me + step_));
    for (int i = 0; i < values_of(me, step_); ++i) right.send(++sent_ * crew + me);
    left.send(step_);
    if (me == step_ % crew) send<&sailor::shout>(peers(), step_);
    if (me == 1) send<&sailor::order>(half_, step_);
    send<&post::count>(posts_[imbrex::pe()], 1);
    passengers_.insert(step_ * crew + me, peers()[me]);
    for (int age = 0; age < visits_of_life && age < step_; ++age)
      send<&passenger::visit>(passengers_[(step_ - age) * crew + me]);
  }

  std::string name() const { return "town " + std::to_string(where()[0]); }

  /// Calls chares that only this element knows.
  imbrex::task<> live_on() {
    if (dice(7) % 3 == 0 || step_ == 1) {
      if (step_ > 1) send<&purse::lose>(purse_);
      coins_ = static_cast<int>(dice(8) % 100);
      purse_ = imbrex::make_chare<purse>(coins_);
    }
    coins_ += step_;
    const int coins = co_await purse_.call<&purse::pay>(step_);
    expect(coins == coins_);
    if (step_ == 1) towns_.insert(name(), 5 * where()[0]);
    goods_ += step_;
    const int sum = co_await towns_[name()].call<&town::trade>(step_);
    expect(sum == goods_ + 5 * where()[0]);
    const int answer = co_await beside(7).call<&sailor::ask>(step_);
    expect(answer == step_ + 1);
    ++book_.answers;
  }

  imbrex::task<> receive_all() {
    const note one = co_await letters.receive(step_);
    expect(one.from == number_beside(-1) && one.text == "step " + std::to_string(step_));
    expect(one.to == towns_["town " + std::to_string(one.from)]);
    ++book_.letters;
    if (step_ > 2) {
      const int from = number_beside(-4);
      const std::vector<int> sent = co_await ahead.receive(step_);
      expect(sent == std::vector<int>(mixed(seed_, from, step_ - 2, 6) % 300, from + step_ - 2));
    }
    // Values of the step before: the channel is never empty for long.
    for (int i = 0; i < values_of(number_beside(-1), step_ - 1); ++i) {
      const std::int64_t value = co_await left.receive();
      expect(value == ++received_ * crew + number_beside(-1));
      book_.sum_of_channels += static_cast<std::uint64_t>(value);
    }
    const std::int64_t back = co_await right.receive();
    expect(back == step_);
  }

  /// Collectives.
  imbrex::task<> meet() {
    const int me = where()[0];
    const double part =
        co_await all_reduce(1.0 / static_cast<double>(1 + dice(9) % 1000), imbrex::by_key(imbrex::sum));
    book_.energy += part;
    if (me >= 1 && me < crew / 2) {
      const int members = co_await all_reduce(half_, me, imbrex::sum);
      expect(members == 1 + 2 + 3 + 4);
    }
    std::map<index<1>, int> values{{index<1>(number_beside(2)), me}, {index<1>(number_beside(-3)), step_}};
    const auto received = co_await imbrex::exchange(*this, std::move(values));
    expect(received == std::map<index<1>, int>{{index<1>(number_beside(-2)), number_beside(-2)},
                                               {index<1>(number_beside(3)), step_}});
  }

  std::uint64_t seed_ = 0;
  imbrex::array<passenger> passengers_;
  imbrex::array<town> towns_;
  imbrex::group<post> posts_;
  imbrex::section<sailor> half_;
  element<purse> purse_;
  int coins_ = 0, goods_ = 0;
  std::int64_t sent_ = 0, received_ = 0;
  int step_ = 0;
  ledger book_;
};

void passenger::visit() {
  note_event();
  if (++visits_ < visits_of_life) return;
  send<&sailor::part>(from_);
  self().destroy();
}

/// Goes on by itself: nobody awaits its entry.
class walker : public imbrex::chare<walker, index<2>> {
 public:
  imbrex::mailbox<int> words;

  walker() = default;
  walker(std::uint64_t seed, imbrex::array<sailor> sailors) : seed_(seed), sailors_(sailors) {}

  imbrex::task<> patrol() {
    const int width = peers().shape()[0];
    while (round_ < steps + 4) {
      ++round_;
      send<&sailor::see>(sailors_[static_cast<int>(mixed(seed_, where()[0], where()[1], round_) % crew)],
                         round_);
      send<&walker::words>(peers()[{(where()[0] + 1) % width, where()[1]}], round_, round_);
      const int word = co_await words.receive(round_);
      note_event();
      wrong_ += word == round_ ? 0 : 1;
      if (mixed(seed_, round_, where()[0]) % 3 == 0) migrate_to((imbrex::pe() + 1) % imbrex::num_pes());
      co_await balance_point<&walker::patrol>();
    }
  }
  int round() const { return wrong_ == 0 ? round_ : -1; }
  void serialize(auto& ar) { ar(words, seed_, sailors_, round_, wrong_); }

 private:
  std::uint64_t seed_ = 0;
  imbrex::array<sailor> sailors_;
  int round_ = 0, wrong_ = 0;
};

/// Smooths values, and reads those of its neighbours in halos.
class row : public imbrex::chare<row> {
 public:
  imbrex::grid::halo<imbrex::grid::field<double, 1>> halo;

  row() = default;
  explicit row(const imbrex::grid::decomposition<1>& cut) : cells_(cut[where()].extents) {
    halo.connect<&row::halo>(*this, cut);
    for (int i = 0; i < cells_.extent(0); ++i) cells_(i) = 1.0 / (1 + where()[0] * 7 + i);
  }

  imbrex::task<double> run() {
    while (step_ < 2 * steps) {
      halo.begin(cells_, step_);
      ++step_;
      co_await halo.end(cells_);
      note_event();
      for (int i = 0; i < cells_.extent(0); ++i)
        cells_(i) = 0.25 * cells_(i - 1) + 0.5 * cells_(i) + 0.25 * cells_(i + 1);
      if (step_ % 3 == where()[0] % 3) migrate_to((imbrex::pe() + step_) % imbrex::num_pes());
      co_await balance_point<&row::run>();
    }
    double sum = 0;
    for (int i = 0; i < cells_.extent(0); ++i) sum += cells_(i);
    co_return sum;
  }
  void serialize(auto& ar) { ar(halo, cells_, step_); }

 private:
  imbrex::grid::field<double, 1> cells_;
  int step_ = 0;
};

/// The arrays of the program.
struct arrays {
  std::optional<imbrex::array<passenger>> passengers;
  std::optional<imbrex::array<town>> towns;
  std::optional<imbrex::array<sailor>> sailors;
  std::optional<imbrex::array<walker>> walkers;
  std::optional<imbrex::array<row>> rows;
};

/// Restores the arrays in an order by chance.
arrays restore_arrays(std::uint64_t seed) {
  arrays all;
  for (std::uint64_t i = 0, first = mixed(seed, 77) % 5; i < 5; ++i) switch ((i + first) % 5) {
      case 0: all.passengers = imbrex::restored<passenger>("passengers"); break;
      case 1: all.towns = imbrex::restored<town>("towns"); break;
      case 2: all.sailors = imbrex::restored<sailor, scattered>("sailors"); break;
      case 3: all.walkers = imbrex::restored<walker>("walkers"); break;
      default: all.rows = imbrex::restored<row>("rows");
    }
  return all;
}

void make_arrays(arrays& all, std::uint64_t seed, const imbrex::group<post>& posts) {
  all.passengers =
      imbrex::make_array<passenger>(imbrex::sparse(index<1>((steps + 1) * crew)).named("passengers"));
  all.towns = imbrex::make_array<town>(imbrex::keyed<std::string>().named("towns"));
  const auto sailors = imbrex::dense(crew).placed(scattered{}).named("sailors");
  all.sailors = imbrex::make_array<sailor>(sailors, seed, *all.passengers, *all.towns, posts);
  all.walkers = imbrex::make_array<walker>(
      imbrex::dense(index<2>{3, 2}).placed(imbrex::round_robin).named("walkers"), seed, *all.sailors);
  const imbrex::grid::decomposition<1> cut({rows * 7}, {rows});
  all.rows = imbrex::make_array<row>(imbrex::dense(cut.shape()).named("rows"), cut);
}

}  // namespace

void set_length(int its_steps, imbrex::nanoseconds its_pause) {
  steps = its_steps;
  pause = its_pause;
}

void end_after(std::int64_t events) {
  seen = 0;
  last = events;
}

std::int64_t events() { return seen; }

imbrex::task<> run(std::uint64_t seed, std::string& result) {
  const auto posts = imbrex::make_group<post>();
  co_await imbrex::restore(posts);
  arrays all = restore_arrays(seed);
  if (!all.sailors) {
    make_arrays(all, seed, posts);
    send<&walker::patrol>(*all.walkers);
    co_await all.sailors->call<&sailor::take>(all.sailors->section(std::pair{1, crew / 2}));
  }
  auto sailed = all.sailors->reduce<&sailor::run>(imbrex::min);
  auto smoothed = all.rows->reduce<&row::run>(imbrex::by_key(imbrex::sum));
  const int least = co_await sailed;
  const double cells = co_await smoothed;
  co_await imbrex::quiescence();
  std::ostringstream out;
  out << "steps " << least << " cells " << std::hexfloat << cells << std::defaultfloat;
  const int round = co_await all.walkers->reduce<&walker::round>(imbrex::min);
  const int visits = co_await all.passengers->reduce<&passenger::visits>(imbrex::sum);
  const int notes = co_await posts.reduce<&post::notes>(imbrex::sum);
  out << " rounds " << round << " visits " << visits << " notes " << notes << '\n';
  const auto books = co_await all.sailors->reduce<&sailor::book>(imbrex::gather);
  for (const ledger& each : books) out << text_of(each);
  result = out.str();
}

}  // namespace storm
