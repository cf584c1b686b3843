// SPDX-License-Identifier: Apache-2.0
// Chare classes for test_native.py: the module `native_chares`.
#include <imbrex/python/native.hpp>

#include <chrono>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <imbrex/core/array/balance_point.hpp>
#include <imbrex/core/array/mailbox.hpp>
#include <imbrex/core/pe/sleep.hpp>
#include <imbrex/core/run/run.hpp>

namespace {

/// A cell of a torus of two dimensions.
class cell : public imbrex::chare<cell, imbrex::index2> {
 public:
  imbrex::mailbox<double> halo;
  imbrex::mailbox<std::vector<double>> rows;

  cell() = default;
  explicit cell(int factor) : factor_(factor) {}

  std::int64_t number() const { return factor_ * (10 * where()[0] + where()[1]); }
  double half() const { return static_cast<double>(number()) / 2; }
  bool is_first() const { return where()[0] == 0 && where()[1] == 0; }
  std::string text(const std::string& before) const { return before + imbrex::to_string(where()); }
  std::vector<double> row(int n) const { return std::vector<double>(static_cast<std::size_t>(n), half()); }
  void set(int factor) { factor_ = factor; }

  /// Receives a value by each number below `count`, and adds them.
  imbrex::task<double> add(int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += co_await halo.receive(i);
    co_return sum;
  }
  imbrex::task<std::vector<double>> next_row() {
    std::vector<double> row = co_await rows.receive();
    co_return row;
  }
  /// Passes a number around its row of cells.
  imbrex::task<double> around(double value) {
    const int width = peers().shape()[1];
    imbrex::send<&cell::halo>(peers()[{where()[0], (where()[1] + 1) % width}], 7, value + 1);
    const double got = co_await halo.receive(7);
    co_return got;
  }
  imbrex::task<int> move(int pe) {
    migrate_to(pe);
    co_await balance_point<&cell::moved>();
    co_return imbrex::chare<cell, imbrex::index2>::pe();
  }
  imbrex::task<int> moved() { co_return pe(); }

  double sum(std::span<const double> values) const {
    return std::accumulate(values.begin(), values.end(), 0.0);
  }
  /// The address of the elements, to see whether they were copied.
  std::uint64_t address(std::span<const std::int32_t> values) const {
    return reinterpret_cast<std::uint64_t>(values.data());
  }
  std::int64_t total(const std::vector<std::int64_t>& values) const {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
  }
  std::int64_t number_of(imbrex::element<cell> other) const { return 1000 + std::int64_t(other.key_value()); }
  imbrex::task<std::int64_t> sum_of(imbrex::array<cell> all) {
    const std::int64_t sum = co_await all.reduce<&cell::number>(imbrex::sum);
    co_return sum;
  }
  imbrex::array<cell> all() const { return peers(); }

  using listener = imbrex::python::foreign_element<"test_native.Listener">;
  using listeners = imbrex::python::foreign_array<"test_native.Listener">;

  /// Calls a chare of Python, which returns a number and an array.
  imbrex::task<double> ask(listener other, std::vector<double> values) {
    const double sum = co_await other.call<double>("sum_of", values, std::string("cell"));
    const auto twice = co_await other.call<std::vector<double>>("twice", values);
    co_return sum + twice.at(0);
  }
  imbrex::task<> ask_in_vain(listener other, std::string entry) {
    static_cast<void>(co_await other.call<double>(entry, std::string("text")));
  }
  /// Keeps the proxy, with which it migrates.
  void keep(listener other) { kept_ = other; }
  imbrex::task<std::int64_t> ask_kept() {
    const auto answer = co_await kept_.call<std::int64_t>("count");
    co_return answer;
  }
  void tell_all(listeners all, std::int64_t n) const {
    all.send("add", n);
    all.put("values", 3, std::string("from C++"));
  }
  /// Computes for a while, in which other threads of Python run.
  std::int64_t compute(double seconds) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    std::int64_t rounds = 0;
    while (std::chrono::steady_clock::now() < end) ++rounds;
    return rounds;
  }
  int pe_here() const { return pe(); }

  void fail(int at) const {
    if (where()[1] == at) throw std::out_of_range("no cell " + std::to_string(at));
  }
  imbrex::task<int> fail_late() {
    co_await imbrex::sleep_for(std::chrono::milliseconds(1));
    throw std::runtime_error("late");
  }
  std::uint8_t small(std::uint8_t n) const { return n; }

  void serialize(auto& ar) { ar(factor_, halo, rows, kept_); }

 private:
  std::int64_t factor_ = 1;
  listener kept_;
};

/// A chare of groups and single chares, without a declared constructor of its own.
class counter : public imbrex::chare<counter> {
 public:
  explicit counter(std::int64_t from) : at_(from) {}
  std::int64_t next() { return ++at_; }
  int on() const { return pe(); }

 private:
  std::int64_t at_;
};

class hidden_class : public imbrex::chare<hidden_class> {
 public:
  explicit hidden_class(int) {}
  void run() {}
};

}  // namespace

NB_MODULE(native_chares, m) {
  namespace python = imbrex::python;
  python::chare<cell>(m, "Cell", "A cell of a torus.")
      .constructor<int>("factor")
      .entry<&cell::number>("number")
      .entry<&cell::half>("half")
      .entry<&cell::is_first>("is_first")
      .entry<&cell::text>("text", "before")
      .entry<&cell::row>("row", "n")
      .entry<&cell::set>("set", "factor")
      .entry<&cell::add>("add", "count")
      .entry<&cell::next_row>("next_row")
      .entry<&cell::around>("around")
      .entry<&cell::move>("move", "pe")
      .entry<&cell::sum>("sum", "values")
      .entry<&cell::address>("address")
      .entry<&cell::total>("total")
      .entry<&cell::number_of>("number_of")
      .entry<&cell::sum_of>("sum_of")
      .entry<&cell::all>("all")
      .entry<&cell::ask>("ask")
      .entry<&cell::ask_in_vain>("ask_in_vain")
      .entry<&cell::keep>("keep")
      .entry<&cell::ask_kept>("ask_kept")
      .entry<&cell::tell_all>("tell_all")
      .entry<&cell::compute>("compute", "seconds")
      .entry<&cell::pe_here>("pe_here")
      .entry<&cell::fail>("fail", "at")
      .entry<&cell::fail_late>("fail_late")
      .entry<&cell::small>("small")
      .mailbox<&cell::halo>("halo")
      .mailbox<&cell::rows>("rows");
  python::chare<counter>(m, "Counter")
      .constructor<std::int64_t>("first")
      .entry<&counter::next>("next")
      .entry<&counter::on>("on");
  python::chare<hidden_class>(m, "NotMade").entry<&hidden_class::run>("run");
}
