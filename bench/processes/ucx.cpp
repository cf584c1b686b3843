// SPDX-License-Identifier: Apache-2.0
// The benches of two processes by UCX active messages alone: one worker, polled, which no other thread uses.
// UCX selects the transport. Eager messages are used in UCX's buffer, unless they are passed on; rendezvous
// messages are received into a buffer.
//   build/release/bin/imbrex run -n 2 build/release/bin/processes_ucx --bench bandwidth
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <span>
#include <string>

#include <ucp/api/ucp.h>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/topology.hpp>
#include <imbrex/net/bootstrap/bootstrap.hpp>

#include "bench/processes/contents.hpp"
#include "bench/processes/course.hpp"
#include "bench/processes/report.hpp"
#include "bench/processes/rounds.hpp"

namespace {

using namespace bench;

const std::string usage = "imbrex run -n 2 processes_ucx [OPTIONS]";

void check(ucs_status_t status, const char* what) {
  if (status != UCS_OK)
    throw imbrex::error("UCX: " + std::string(what) + " failed: " + ucs_status_string(status));
}

/// A worker and its endpoint to the other process.
class connection {
 public:
  explicit connection(imbrex::bootstrap& job) {
    ucp_params_t parameters{};
    parameters.field_mask = UCP_PARAM_FIELD_FEATURES;
    parameters.features = UCP_FEATURE_AM;
    check(ucp_init(&parameters, nullptr, &context_), "ucp_init");
    ucp_worker_params_t mode{};
    mode.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    mode.thread_mode = UCS_THREAD_MODE_SINGLE;
    check(ucp_worker_create(context_, &mode, &worker_), "ucp_worker_create");
    handle(message, &connection::on_message);
    handle(answer, &connection::on_answer);

    ucp_address_t* bytes = nullptr;
    std::size_t length = 0;
    check(ucp_worker_get_address(worker_, &bytes, &length), "ucp_worker_get_address");
    const auto all = job.all_gather({reinterpret_cast<const char*>(bytes), length});
    ucp_worker_release_address(worker_, bytes);
    ucp_ep_params_t to{};
    to.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    to.address = reinterpret_cast<const ucp_address_t*>(all[static_cast<std::size_t>(1 - job.rank())].data());
    check(ucp_ep_create(worker_, &to, &endpoint_), "ucp_ep_create");
  }
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;
  ~connection() {
    const ucp_request_param_t parameters{};
    void* closing = ucp_ep_close_nbx(endpoint_, &parameters);
    if (UCS_PTR_IS_PTR(closing)) {
      while (ucp_request_check_status(closing) == UCS_INPROGRESS) ucp_worker_progress(worker_);
      ucp_request_free(closing);
    }
    ucp_worker_destroy(worker_);
    ucp_cleanup(context_);
  }

  enum kind : unsigned { message, answer };

  /// From now on messages must have these contents, and are compared until `all_right`. UCX gets buffers from
  /// `in`; with `keeps` all messages are copied there.
  void expect(contents which, std::size_t size, const buffers& in, bool keeps) {
    in_ = &in;
    keeps_ = keeps;
    size_ = size;
    rendezvous_count_ = 0;
    expected_ = which;
    compares_ = all_right_ = true;
  }
  /// True if all messages since `expect` had the expected contents.
  bool all_right() {
    compares_ = false;
    return all_right_;
  }

  void send(kind what, std::span<const std::byte> bytes) {
    ucp_request_param_t parameters{};
    parameters.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    parameters.cb.send = [](void* request, ucs_status_t status, void* self) {
      static_cast<connection*>(self)->ended(status);
      ucp_request_free(request);
    };
    parameters.user_data = this;
    ++leaving_;
    const auto request =
        ucp_am_send_nbx(endpoint_, what, nullptr, 0, bytes.data(), bytes.size(), &parameters);
    if (!UCS_PTR_IS_PTR(request)) ended(UCS_PTR_STATUS(request));
  }

  /// Waits until all sent messages have left, and these many messages and replies have arrived since the last
  /// call.
  void wait_for(int messages, int answers) {
    while (leaving_ > 0 || came_ < messages || answered_ < answers) ucp_worker_progress(worker_);
    check(problem_, "a message");
    came_ -= messages;
    answered_ -= answers;
  }

 private:
  using handler = ucs_status_t (*)(void*, const void*, std::size_t, void*, std::size_t,
                                   const ucp_am_recv_param_t*);

  void handle(kind what, handler callback) {
    ucp_am_handler_param_t parameters{};
    parameters.field_mask =
        UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
    parameters.id = what;
    parameters.cb = callback;
    parameters.arg = this;
    check(ucp_worker_set_am_recv_handler(worker_, &parameters), "ucp_worker_set_am_recv_handler");
  }

  void ended(ucs_status_t status) {
    if (status != UCS_OK) problem_ = status;
    --leaving_;
  }
  void take(std::span<const std::byte> bytes) {
    if (compares_ && !holds(bytes, expected_, size_)) all_right_ = false;
    ++came_;
  }

  static ucs_status_t on_message(void* argument, const void*, std::size_t, void* data, std::size_t length,
                                 const ucp_am_recv_param_t* parameters) {
    auto& self = *static_cast<connection*>(argument);
    if ((parameters->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
      const std::span came(static_cast<const std::byte*>(data), length);
      if (self.keeps_) std::ranges::copy(came, self.in_->of(0).begin());
      self.take(came);
      return UCS_OK;
    }
    const auto into = self.in_->of(self.keeps_ ? 0 : self.rendezvous_count_++);
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.cb.recv_am = [](void* request, ucs_status_t status, std::size_t, void* arg) {
      static_cast<connection*>(arg)->received(status);
      ucp_request_free(request);
    };
    param.user_data = &self;
    const auto request =
        ucp_am_recv_data_nbx(self.worker_, data, into.data(), std::min(length, into.size()), &param);
    if (!UCS_PTR_IS_PTR(request)) self.received(UCS_PTR_STATUS(request));
    return UCS_OK;
  }
  /// The choice of the buffer has no effect: all messages of a checked round are equal.
  void received(ucs_status_t status) {
    if (status != UCS_OK) problem_ = status;
    take(in_->of(0));
  }
  static ucs_status_t on_answer(void* argument, const void*, std::size_t, void* data, std::size_t length,
                                const ucp_am_recv_param_t*) {
    auto& self = *static_cast<connection*>(argument);
    const std::span<const std::byte> bytes(static_cast<const std::byte*>(data), length);
    if (self.compares_ && !holds(bytes, contents::back, answer_bytes)) self.all_right_ = false;
    ++self.answered_;
    return UCS_OK;
  }

  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h endpoint_ = nullptr;
  const buffers* in_ = nullptr;
  std::size_t size_ = 0;
  contents expected_ = contents::there;
  int leaving_ = 0;
  int came_ = 0;
  int answered_ = 0;
  int rendezvous_count_ = 0;
  bool compares_ = false;
  bool keeps_ = false;
  bool all_right_ = false;
  ucs_status_t problem_ = UCS_OK;
};

/// One size of one bench; `lead` is executed by the leading process, `follow` by the other.
class exchange {
 public:
  exchange(connection& other, const course& plan, std::size_t size, bool leads)
      : other_(other),
        plan_(plan),
        size_(size),
        out_(plan.buffers, size),
        in_(plan.buffers, size),
        answer_(1, answer_bytes) {
    out_.fill_all(contents::there);
    answer_.fill_all(contents::back);
    other_.expect(leads ? contents::back : contents::there, size, in_, plan.hands_on());
    meet();
  }

  void lead(report& results) {
    rounds r(plan_, size_);
    while (r.next()) {
      if (plan_.is_pingpong()) {
        other_.send(connection::message, ball(r).of(0));
        other_.wait_for(1, 0);
      } else {
        for (int m = 0; m < plan_.window; ++m) other_.send(connection::message, out_.of(m));
        other_.wait_for(0, 1);
      }
      if (r.first() && !other_.all_right()) throw_wrong_contents(size_);
    }
    results.add(r.result(size_));
  }

  void follow() {
    rounds r(plan_, size_);
    while (r.next()) {
      other_.wait_for(plan_.is_pingpong() ? 1 : plan_.window, 0);
      if (plan_.is_pingpong()) {
        if (r.first()) out_.fill_all(verdict());
        other_.send(connection::message, ball(r).of(0));
      } else {
        if (r.first()) answer_.fill_all(verdict());
        other_.send(connection::answer, answer_.of(0));
      }
    }
    other_.wait_for(0, 0);
  }

 private:
  /// Returns when the other process is ready, too.
  void meet() {
    other_.send(connection::answer, answer_.of(0));
    other_.wait_for(0, 1);
  }
  const buffers& ball(const rounds& r) const { return plan_.hands_on() && !r.first() ? in_ : out_; }
  /// The contents of the reply in the checked round.
  contents verdict() { return other_.all_right() ? contents::back : contents::wrong; }

  connection& other_;
  const course& plan_;
  std::size_t size_;
  buffers out_;
  buffers in_;
  buffers answer_;
};

void run(const course& plan, imbrex::bootstrap& job) {
  imbrex::bind_this_thread(job.rank());
  connection other(job);
  const real_time undisturbed(plan.priority);
  report results("ucx", plan);
  for (const auto size : plan.sizes()) {
    exchange e(other, plan, size, job.rank() == 0);
    job.rank() == 0 ? e.lead(results) : e.follow();
  }
  if (job.rank() == 0) results.print();
}

}  // namespace

int main(int argc, char** argv) {
  std::unique_ptr<imbrex::bootstrap> job;
  int status = 0;
  try {
    const course plan = parse_course(argc, argv, usage, false);
    job = imbrex::find_bootstrap();
    check_two_processes(job ? job->size() : 1, usage);
    run(plan, *job);
  } catch (const imbrex::usage_error& e) {
    std::fprintf(stderr, "processes_ucx: error: %s\n", e.what());
    status = imbrex::usage_error::exit_status;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "processes_ucx: error: %s\n", e.what());
    return 1;  // the launcher then ends the other, waiting process
  }
  if (job) job->finish(status);
  return status;
}
