// SPDX-License-Identifier: Apache-2.0
// A front end: a tuple space, as the language Linda has it. Chares put tuples of a name and a number into the
// space, and take them out by name, whoever has put them. Shows: a port, an awaiter and a kind of message of
// one's own, by the headers of imbrex/core/extension (docs/extension.md).
#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include <imbrex/core/extension/chare.hpp>
#include <imbrex/core/extension/message_kind.hpp>
#include <imbrex/core/extension/port.hpp>
#include <imbrex/imbrex.hpp>

#include "arguments.hpp"

namespace linda {

namespace extension = imbrex::extension;

/// Content of the space.
struct tuple {
  std::string name;
  std::int64_t value = 0;
};

/// A port: the tuples on one board that nobody has taken yet.
class bag {
 public:
  using value_type = tuple;
  using node = extension::port_node<tuple>;
  class taking;

  /// Waits for a tuple with this name, and takes it.
  taking take(std::string name);
  /// Destroys the tuples with this name.
  void drop(const std::string& name);

  /// For the runtime: a tuple has arrived.
  void put(node& arrived);
  void serialize(auto& ar) { ar(unread_); }

 private:
  node* find(const std::string& name) const {
    node* found = unread_.first();
    while (found != nullptr && found->value.name != name) found = unread_.after(*found);
    return found;
  }

  extension::unread_queue<tuple> unread_;
  std::deque<taking*> waiting_;
};

/// The awaiter of `take`. Its entry may end while it waits; then it takes nothing.
class [[nodiscard("co_await the tuple")]] bag::taking final : public imbrex::suspension {
 public:
  taking(bag& from, std::string name) : from_(from), name_(std::move(name)) {}
  ~taking() { std::erase(from_.waiting_, this); }

  bool await_ready() {
    node* const found = from_.find(name_);
    if (found != nullptr) accept(*found);
    return found != nullptr;
  }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return suspend(imbrex::waiter(waiting), waiting.promise().entry());
  }
  bool suspend(const imbrex::waiter& who, imbrex::scope& entry) {
    waiter_ = who;
    begin(entry);
    from_.waiting_.push_back(this);
    return true;
  }
  std::int64_t await_resume() {
    end();
    return value_;
  }

  std::string description() const override {
    return extension::describe_port(entry(), &from_) + ", with the name " + name_;
  }
  imbrex::awaited cause() const override { return {imbrex::trace::wait_cause::mailbox}; }

 private:
  friend bag;
  void accept(node& found) {
    value_ = found.value.value;
    from_.unread_.remove(found);
  }

  bag& from_;
  std::string name_;
  std::int64_t value_ = 0;
  imbrex::waiter waiter_;
};

bag::taking bag::take(std::string name) { return {*this, std::move(name)}; }

void bag::drop(const std::string& name) {
  while (node* const found = find(name)) unread_.remove(*found);
}

void bag::put(node& arrived) {
  unread_.add(arrived);
  const auto first =
      std::ranges::find_if(waiting_, [&](const taking* each) { return each->name_ == arrived.value.name; });
  if (first == waiting_.end()) return;
  taking& its = **first;
  waiting_.erase(first);
  its.accept(arrived);
  its.waiter_.resume();
}

/// A part of the space: the tuples with some names.
class board : public imbrex::chare<board> {
 public:
  bag tuples;

  imbrex::task<std::int64_t> in(std::string name) {
    const std::int64_t value = co_await tuples.take(std::move(name));
    co_return value;
  }
};

/// A kind of message: has a board drop tuples.
struct drop_request : extension::message_to<imbrex::index1> {
  std::string name;

  static inline extension::message_kind type_record =
      extension::register_kind<drop_request>({"request to drop tuples"});
  void serialize(auto& ar) { ar(key, name); }
  void deliver() {
    board* const receiver = extension::receiver_of<board>(*this);
    if (receiver == nullptr) return;
    const extension::message_guard guard(*this);
    receiver->tuples.drop(name);
  }
};

/// The tuple space; it can be copied and sent. The hash of a name says which board has the tuples.
class space {
 public:
  space() = default;
  explicit space(int boards) : boards_(imbrex::make_array<board>({boards})) {}

  void out(const std::string& name, std::int64_t value) const {
    imbrex::send<&board::tuples>(board_of(name), tuple{name, value});
  }
  imbrex::pending<std::int64_t> in(const std::string& name) const {
    return board_of(name).call<&board::in>(name);
  }
  void drop(const std::string& name) const {
    auto& m = extension::make_message<drop_request>();
    m.name = name;
    extension::send_to_element(board_of(name), m);
  }

  void serialize(auto& ar) { ar(boards_); }

 private:
  imbrex::element<board> board_of(const std::string& name) const {
    const auto boards = static_cast<std::size_t>(boards_.shape()[0]);
    return boards_[static_cast<int>(std::hash<std::string>()(name) % boards)];
  }

  imbrex::array<board> boards_;
};

}  // namespace linda

/// A program in the front end's terms.
class worker : public imbrex::chare<worker> {
 public:
  imbrex::task<> work(linda::space all) {
    for (;;) {
      const std::int64_t n = co_await all.in("job");
      if (n == 0) co_return;
      all.out("square", n * n);
    }
  }
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "tuple_space [JOBS]");
    const int jobs = command_line.next("JOBS", 20, 10'000);
    command_line.finish();

    const linda::space all(imbrex::num_pes());
    auto working = imbrex::make_array<worker>({4}).call<&worker::work>(all);
    for (int n = 1; n <= jobs; ++n) all.out("job", n);
    std::int64_t sum = 0;
    for (int n = 1; n <= jobs; ++n) sum += co_await all.in("square");
    for (int w = 0; w < 4; ++w) all.out("job", 0);
    co_await working;
    std::printf("the squares of 1 to %d have the sum %" PRId64 "\n", jobs, sum);

    all.out("note", 1);
    co_await imbrex::quiescence();
    all.drop("note");
    co_await imbrex::quiescence();
    all.out("note", 2);
    const std::int64_t note = co_await all.in("note");
    const std::int64_t expected = std::int64_t{jobs} * (jobs + 1) * (2 * jobs + 1) / 6;
    co_return sum == expected&& note == 2 ? 0 : 1;
  });
}
