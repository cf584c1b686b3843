// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/ucx_port.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace imbrex::ucx {
namespace {

/// An item that is a text.
struct text : work {
  explicit text(std::string of) : content(std::move(of)) { type = &kind; }

  static text& read(reader& in) {
    const auto bytes = in.view(in.remaining());
    return *new text(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  static void destroy(work& item) noexcept { delete &static_cast<text&>(item); }
  static void pack(work& item, writer& out) {
    auto& t = static_cast<text&>(item);
    out.bytes(t.content.data(), t.content.size() / 2);
    if (t.while_packed) t.while_packed();
    out.bytes(t.content.data() + t.content.size() / 2, t.content.size() - t.content.size() / 2);
  }
  static constexpr work_type kind{"text", nullptr, &destroy, &pack,
                                  [](reader& in) -> work* { return &read(in); }};

  std::string content;
  std::function<void()> while_packed;
};

/// One of three processes of one PE each, in a job of so many that none greets the others: 0 and 1 are on one host, where
/// 0 watches the link to the host of 2.
struct process : network::receiver {
  process(ucp_context_h context, int number) : port(context, number, where, *this) { port.belong_to(number); }

  work& unpack(reader& in) override { return text::read(in); }
  void arrived(work& item, int, std::size_t) override {
    came.push_back(static_cast<text&>(item).content);
    text::destroy(item);
  }
  void notice(int, std::span<const std::byte>) override {
    ++notices;
    if (on_notice) on_notice();
  }
  void lost(int, const std::string& why) override { FAIL() << why; }

  places where;
  ucx_port port;
  std::vector<std::string> came;
  int notices = 0;
  std::function<void()> on_notice;
};

class job_on_two_hosts : public testing::Test {
 protected:
  job_on_two_hosts() {
    constexpr std::size_t many = 40;
    const std::vector<int> hosts{0, 0, 1};
    for (std::size_t p = 0; p < hosts.size(); ++p) {
      auto& where = all[p]->where;
      for (std::size_t k = 0; k < many; ++k) {
        const bool is_one = k < hosts.size();
        const int host = is_one ? hosts[k] : 0;
        where.ports.push_back(
            {is_one ? all[k]->port.address() : "", static_cast<int>(k), host, host == hosts[p], true});
        where.port_of_pe.push_back(k);
        where.first_port.push_back(k);
      }
      where.are_on_one_host = false;
    }
    one.where.watchman = 0;
  }

  /// Moves what was sent until that holds, or for some seconds.
  template <class Condition>
  bool comes_to(Condition holds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!holds() && std::chrono::steady_clock::now() < until)
      for (process* p : all) p->port.progress(0);
    return holds();
  }

  context ucx = make_context(connecting::may_block);
  process watchman{ucx.get(), 0};
  process one{ucx.get(), 1};
  process other{ucx.get(), 2};
  std::vector<process*> all{&watchman, &one, &other};
};

TEST_F(job_on_two_hosts, answers_what_comes_while_it_connects) {
  other.port.notify(1, {});
  ASSERT_TRUE(comes_to([&] { return one.notices == 1; }));
  other.port.notify(
      1, {});  // lies there until the first message to another host is to leave, which waits for the watchman
  for (int turn = 0; turn < 1000; ++turn) other.port.progress(0);
  one.on_notice = [this] {
    auto* const answer = new text("the answer");
    answer->coalesced = true;
    one.port.send(*answer, 2);
  };
  one.port.send(*new text("the first message"), 2);
  ASSERT_TRUE(comes_to([&] { return one.notices == 2 && other.came.size() == 2; })) << other.came.size();
  EXPECT_EQ(one.port.sent(), 2U);
}

TEST_F(job_on_two_hosts, keeps_apart_what_is_sent_while_something_is_packed) {
  auto* const outer = new text("outer text");
  outer->while_packed = [this] {
    one.port.send(*new text("inner text"), 2);
    one.port.notify(2, {});
  };
  one.port.send(*outer, 2);
  ASSERT_TRUE(comes_to([&] { return other.came.size() == 2 && other.notices == 1; }));
  EXPECT_EQ(other.came, (std::vector<std::string>{"inner text", "outer text"}));
}

}  // namespace
}  // namespace imbrex::ucx
