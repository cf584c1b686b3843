// SPDX-License-Identifier: Apache-2.0
// Functions that wait for requests and query them.
#include <span>
#include <string>
#include <utility>

#include <boost/container/small_vector.hpp>

#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/object/status.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

namespace {

void check_list(int count, const MPI_Request* handles) {
  if (count < 0)
    throw error(MPI_ERR_ARG,
                "the number of requests is " + std::to_string(count) + "; it must not be negative");
  if (count > 0 && handles == nullptr)
    throw error(MPI_ERR_ARG,
                "the list of " + std::to_string(count) + " requests is a null pointer; give their array");
}

/// The requests behind a call's handles; null for MPI_REQUEST_NULL.
class request_list {
 public:
  request_list(rank_data& data, int count, const MPI_Request* handles) {
    check_list(count, handles);
    all_.reserve(static_cast<std::size_t>(count));
    awaited_.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      user_request* const q = handles[i] == MPI_REQUEST_NULL ? nullptr : &data.requests.at(handles[i]);
      all_.push_back(q);
      awaited_.push_back(q != nullptr && q->is_active() ? &q->awaited() : nullptr);
    }
  }
  std::size_t size() const { return all_.size(); }
  user_request* operator[](std::size_t i) const { return all_[i]; }
  bool is_active(std::size_t i) const { return awaited_[i] != nullptr; }
  bool is_done(std::size_t i) const { return awaited_[i] == nullptr || awaited_[i]->is_done; }
  std::span<request* const> awaited() const { return {awaited_.data(), awaited_.size()}; }
  /// Index of the first request that is active and done; -1 if there is none.
  int first_done() const {
    for (std::size_t i = 0; i < size(); ++i)
      if (is_active(i) && awaited_[i]->is_done) return static_cast<int>(i);
    return -1;
  }
  bool any_active() const {
    for (const request* q : awaited_)
      if (q != nullptr) return true;
    return false;
  }
  bool all_done() const {
    for (std::size_t i = 0; i < size(); ++i)
      if (!is_done(i)) return false;
    return true;
  }

 private:
  static constexpr std::size_t few = 16;  // number of requests kept on the stack
  boost::container::small_vector<user_request*, few> all_;
  boost::container::small_vector<request*, few> awaited_;
};

/// Fills the status of a completed request and frees it if it is not persistent. Returns an error code.
int tell_end(rank_data& data, MPI_Request& handle, MPI_Status& status) {
  user_request& q = data.requests.at(handle);
  if (!q.is_active()) {
    set_empty(status);
    return MPI_SUCCESS;
  }
  const int code = q.finish(status);
  if (q.is_persistent()) return code;
  const ref<user_request> ended(&q);
  data.requests.remove(handle);
  handle = MPI_REQUEST_NULL;
  const int code_of_release = ended->release();
  return code_of_release != MPI_SUCCESS ? code_of_release : code;
}

[[noreturn]] void throw_code(int code, const std::string& reason) {
  if (!reason.empty()) throw error(code, reason);
  if (code == MPI_ERR_TRUNCATE)
    throw error(code,
                "the message received has more bytes than the receive has room for; receive a greater count");
  throw error(code, "the operation of the request has failed; the error code says why");
}

/// Errors of a request go to its communicator or its file.
void set_owner(error_owner& owner, const user_request& of) {
  if (const ref<file_object> file = of.file_of_errors())
    owner.set(file);
  else if (communicator* const in = of.in())
    owner.set(ref(in));
}

/// Completes one request, for calls that report only one.
void tell_single(rank_data& data, MPI_Request& handle, MPI_Status* status, error_owner& owner) {
  MPI_Status ignored;
  const bool is_ignored = status == MPI_STATUS_IGNORE;
  MPI_Status& place = is_ignored ? ignored : *status;
  const int before = is_ignored ? 0 : place.MPI_ERROR;
  const ref<user_request> q(&data.requests.at(handle));
  set_owner(owner, *q);
  const int code = tell_end(data, handle, place);
  place.MPI_ERROR = before;
  if (code != MPI_SUCCESS) throw_code(code, q->reason());
}

/// Completes several requests: error codes go to the statuses, and MPI_ERR_IN_STATUS is thrown if any failed.
class several_ends {
 public:
  several_ends(rank_data& data, MPI_Request* handles, MPI_Status* statuses, error_owner& owner)
      : data_(data), handles_(handles), statuses_(statuses), owner_(owner) {}

  /// `number` is the index of the status.
  void tell(std::size_t request_number, std::size_t number) {
    MPI_Status ignored;
    MPI_Status& place = statuses_ == MPI_STATUSES_IGNORE ? ignored : statuses_[number];
    MPI_Request& handle = handles_[request_number];
    if (handle == MPI_REQUEST_NULL) return set_empty(place);
    const ref<user_request> q(&data_.requests.at(handle));
    const int code = tell_end(data_, handle, place);
    place.MPI_ERROR = code;
    if (code == MPI_SUCCESS) return;
    failed_ = code;
    reason_ = q->reason();
    set_owner(owner_, *q);
  }
  void end() const {
    if (failed_ == MPI_SUCCESS) return;
    if (statuses_ == MPI_STATUSES_IGNORE) throw_code(failed_, reason_);
    throw error(MPI_ERR_IN_STATUS, "a request of several has failed; its status says why");
  }

 private:
  rank_data& data_;
  MPI_Request* handles_;
  MPI_Status* statuses_;
  error_owner& owner_;
  int failed_ = MPI_SUCCESS;
  std::string reason_;
};

void set_empty_status(MPI_Status* status) {
  if (status != MPI_STATUS_IGNORE) set_empty(*status);
}

}  // namespace

IMBREX_MPI_DEFINE(int, Wait, (MPI_Request * handle, MPI_Status* status)) {
  return call_for_owner("MPI_Wait", [&](rank_data& data, error_owner& owner) {
    if (*handle == MPI_REQUEST_NULL) return set_empty_status(status);
    user_request& q = data.requests.at(*handle);
    q.is_done() ? data.self().give_way_at_times() : data.self().await(q.awaited());
    tell_single(data, *handle, status, owner);
  });
}

IMBREX_MPI_DEFINE(int, Test, (MPI_Request * handle, int* flag, MPI_Status* status)) {
  return call_for_owner("MPI_Test", [&](rank_data& data, error_owner& owner) {
    *flag = 1;
    if (*handle == MPI_REQUEST_NULL) return set_empty_status(status);
    user_request& q = data.requests.at(*handle);
    q.is_done() ? data.self().give_way_at_times() : data.self().give_way();
    if (!q.is_done()) {
      *flag = 0;
      return;
    }
    tell_single(data, *handle, status, owner);
  });
}

IMBREX_MPI_DEFINE(int, Waitall, (int count, MPI_Request handles[], MPI_Status statuses[])) {
  return call_for_owner("MPI_Waitall", [&](rank_data& data, error_owner& owner) {
    const request_list list(data, count, handles);
    list.all_done() ? data.self().give_way_at_times() : data.self().await_all(list.awaited());
    several_ends ends(data, handles, statuses, owner);
    for (std::size_t i = 0; i < list.size(); ++i) ends.tell(i, i);
    ends.end();
  });
}

IMBREX_MPI_DEFINE(int, Testall, (int count, MPI_Request handles[], int* flag, MPI_Status statuses[])) {
  return call_for_owner("MPI_Testall", [&](rank_data& data, error_owner& owner) {
    const request_list list(data, count, handles);
    list.all_done() ? data.self().give_way_at_times() : data.self().give_way();
    *flag = list.all_done() ? 1 : 0;
    if (*flag == 0) return;
    several_ends ends(data, handles, statuses, owner);
    for (std::size_t i = 0; i < list.size(); ++i) ends.tell(i, i);
    ends.end();
  });
}

IMBREX_MPI_DEFINE(int, Waitany, (int count, MPI_Request handles[], int* index, MPI_Status* status)) {
  return call_for_owner("MPI_Waitany", [&](rank_data& data, error_owner& owner) {
    const request_list list(data, count, handles);
    *index = MPI_UNDEFINED;
    if (!list.any_active()) return set_empty_status(status);
    list.first_done() >= 0 ? data.self().give_way_at_times() : data.self().await_any(list.awaited());
    *index = list.first_done();
    tell_single(data, handles[*index], status, owner);
  });
}

IMBREX_MPI_DEFINE(int, Testany,
                  (int count, MPI_Request handles[], int* index, int* flag, MPI_Status* status)) {
  return call_for_owner("MPI_Testany", [&](rank_data& data, error_owner& owner) {
    const request_list list(data, count, handles);
    *index = MPI_UNDEFINED;
    *flag = 1;
    if (!list.any_active()) return set_empty_status(status);
    list.first_done() >= 0 ? data.self().give_way_at_times() : data.self().give_way();
    const int done = list.first_done();
    if (done < 0) {
      *flag = 0;
      return;
    }
    *index = done;
    tell_single(data, handles[done], status, owner);
  });
}

namespace {

int tell_some(const char* function, int count, MPI_Request* handles, int* completed_count, int* indices,
              MPI_Status* statuses, bool waits) {
  return call_for_owner(function, [&](rank_data& data, error_owner& owner) {
    const request_list list(data, count, handles);
    *completed_count = MPI_UNDEFINED;
    if (!list.any_active()) return;
    if (list.first_done() >= 0)
      data.self().give_way_at_times();
    else
      waits ? data.self().await_any(list.awaited()) : data.self().give_way();
    several_ends ends(data, handles, statuses, owner);
    int number = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!list.is_active(i) || !list.is_done(i)) continue;
      ends.tell(i, static_cast<std::size_t>(number));
      indices[number++] = static_cast<int>(i);
    }
    *completed_count = number;
    ends.end();
  });
}

}  // namespace

IMBREX_MPI_DEFINE(int, Waitsome,
                  (int incount, MPI_Request handles[], int* outcount, int indices[], MPI_Status statuses[])) {
  return tell_some("MPI_Waitsome", incount, handles, outcount, indices, statuses, true);
}
IMBREX_MPI_DEFINE(int, Testsome,
                  (int incount, MPI_Request handles[], int* outcount, int indices[], MPI_Status statuses[])) {
  return tell_some("MPI_Testsome", incount, handles, outcount, indices, statuses, false);
}

IMBREX_MPI_DEFINE(int, Request_get_status, (MPI_Request handle, int* flag, MPI_Status* status)) {
  return call_for_owner("MPI_Request_get_status", [&](rank_data& data, error_owner&) {
    *flag = 1;
    if (handle == MPI_REQUEST_NULL) return set_empty_status(status);
    user_request& q = data.requests.at(handle);
    q.is_done() ? data.self().give_way_at_times() : data.self().give_way();
    if (!q.is_done()) {
      *flag = 0;
      return;
    }
    if (!q.is_active()) return set_empty_status(status);
    MPI_Status ignored{};
    MPI_Status& place = status == MPI_STATUS_IGNORE ? ignored : *status;
    const int before = place.MPI_ERROR;  // only calls for several requests set it
    q.outcome(place);
    place.MPI_ERROR = before;
  });
}

IMBREX_MPI_DEFINE(int, Request_free, (MPI_Request * handle)) {
  return call_for_owner("MPI_Request_free", [&](rank_data& data, error_owner&) {
    data.requests.remove(*handle);  // the operation still runs to its end
    *handle = MPI_REQUEST_NULL;
  });
}

IMBREX_MPI_DEFINE(int, Cancel, (MPI_Request * handle)) {
  return call_for_owner("MPI_Cancel", [&](rank_data& data, error_owner&) {
    user_request& q = data.requests.at(*handle);
    if (!q.is_active())
      throw error(MPI_ERR_REQUEST,
                  "the request is not active, so that there is nothing to cancel; start it first");
    q.cancel(data.self());
  });
}

namespace {

void start(rank_data& data, MPI_Request handle) {
  user_request& q = data.requests.at(handle);
  if (!q.is_persistent())
    throw error(MPI_ERR_REQUEST,
                "the request is not persistent; make one by a function such as MPI_Send_init");
  if (q.is_active()) throw error(MPI_ERR_REQUEST, "the request is active already; wait for it first");
  q.start(data.self());
}

}  // namespace

IMBREX_MPI_DEFINE(int, Start, (MPI_Request * handle)) {
  return call_for_owner("MPI_Start", [&](rank_data& data, error_owner&) { start(data, *handle); });
}
IMBREX_MPI_DEFINE(int, Startall, (int count, MPI_Request handles[])) {
  return call_for_owner("MPI_Startall", [&](rank_data& data, error_owner&) {
    check_list(count, handles);
    for (int i = 0; i < count; ++i) start(data, handles[i]);
  });
}

// ---- generalised requests

namespace {

class generalised_request final : public user_request {
 public:
  generalised_request(MPI_Grequest_query_function* query, MPI_Grequest_free_function* release,
                      MPI_Grequest_cancel_function* cancelled, void* state)
      : user_request(false, {}), query_(query), release_(release), cancel_(cancelled), state_(state) {}
  ~generalised_request() override { release(); }
  void cancel(rank&) override {
    if (cancel_ == nullptr) return;
    const int code = cancel_(state_, awaited().is_done ? 1 : 0);
    if (code != MPI_SUCCESS)
      throw error(code,
                  "the cancel function of MPI_Grequest_start has returned the error " + std::to_string(code));
  }
  int outcome(MPI_Status& status) override {
    set_empty(status);
    status.MPI_ERROR = MPI_SUCCESS;
    const int code = query_ != nullptr ? query_(state_, &status) : MPI_SUCCESS;
    return code != MPI_SUCCESS ? code : status.MPI_ERROR;
  }
  int release() override {
    const auto function = std::exchange(release_, nullptr);
    return function != nullptr ? function(state_) : MPI_SUCCESS;
  }
  bool is_generalised() const override { return true; }

 private:
  void begin(rank&) override {}

  MPI_Grequest_query_function* query_;
  MPI_Grequest_free_function* release_;
  MPI_Grequest_cancel_function* cancel_;
  void* state_;
};

}  // namespace

IMBREX_MPI_DEFINE(int, Grequest_start,
                  (MPI_Grequest_query_function * query_fn, MPI_Grequest_free_function* free_fn,
                   MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* handle)) {
  return call_running("MPI_Grequest_start", [&](rank_data& data) {
    const ref<user_request> q(new generalised_request(query_fn, free_fn, cancel_fn, extra_state));
    q->start(data.self());
    *handle = data.requests.add(q);
  });
}
IMBREX_MPI_DEFINE(int, Grequest_complete, (MPI_Request handle)) {
  return call_running("MPI_Grequest_complete", [&](rank_data& data) {
    user_request& q = data.requests.at(handle);
    if (!q.is_generalised())
      throw error(MPI_ERR_REQUEST,
                  "the request was not made by MPI_Grequest_start; only those are completed by the program");
    if (!q.awaited().is_done) data.self().complete(q.awaited());
  });
}

}  // namespace imbrex::mpi
