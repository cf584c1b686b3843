// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/object/status.hpp>
#include <imbrex/mpi/rank/packet.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

namespace {

/// The status of a call for one message. Its MPI_ERROR is preserved: only calls for several requests set it.
class single_status {
 public:
  explicit single_status(MPI_Status* of_call)
      : place_(of_call == MPI_STATUS_IGNORE ? ignored_ : *of_call), before_(place_.MPI_ERROR) {}
  ~single_status() { place_.MPI_ERROR = before_; }
  single_status(const single_status&) = delete;
  single_status& operator=(const single_status&) = delete;

  MPI_Status& operator*() const { return place_; }
  MPI_Status* operator->() const { return &place_; }

 private:
  MPI_Status ignored_{};
  MPI_Status& place_;
  int before_;
};

[[noreturn]] void throw_truncated(const request& done, std::int64_t room) {
  throw error(MPI_ERR_TRUNCATE, "the message from rank " + std::to_string(done.source) + " with tag " +
                                    std::to_string(done.tag) + " has more than the " + std::to_string(room) +
                                    " bytes that the receive has room for; receive a greater count");
}

/// The other end of a message, and its communicator.
struct end_argument {
  message_end end;
  MPI_Comm comm;
};

envelope envelope_of_receive(const communicator& in, message_end from) {
  return {in.context(purpose::point_to_point), from.rank, from.tag};
}

void check_source(const communicator& in, message_end from) {
  if (from.rank != MPI_ANY_SOURCE) check_rank(in, from.rank, "the source");
  if (from.tag != MPI_ANY_TAG) check_tag(from.tag);
}
void check_destination(const communicator& in, message_end to) {
  check_rank(in, to.rank, "the destination");
  check_tag(to.tag);
}

/// Contiguous data.
struct contiguous_data {
  std::byte* address;
  std::uint64_t count;
  device* on = nullptr;
};
contiguous_data contiguous_at(const void* address, std::uint64_t count) {
  return {static_cast<std::byte*>(const_cast<void*>(address)), count};
}
contiguous_data contiguous_in(const user_buffer& contiguous) {
  return {contiguous.begin(), static_cast<std::uint64_t>(contiguous.bytes()), contiguous.on};
}

/// Sends contiguous data, and waits until the buffer may be reused.
void send_bytes(rank& me, const communicator& in, const contiguous_data& data, message_end to,
                user_send mode) {
  request q;
  q.on = data.on;
  q.head = {in.context(purpose::point_to_point), in.rank(), to.tag};
  q.buffer = data.address;
  q.size = data.count;
  me.messages.send(q, in.remote().world_rank(to.rank),
                   mode == user_send::synchronous ? send_mode::synchronous : send_mode::standard);
  me.await(q);
}

/// The common case: a send of plain data that completes at once and needs no request.
bool send_at_once(const send_argument& which, message_end to, MPI_Comm comm) {
  rank* const me = rank::current();
  if (me == nullptr) return false;
  const auto& data = static_cast<const rank_data&>(me->state());
  const communicator* const in = data.find(comm);
  std::uint64_t bytes = 0;
  return data.now == rank_data::phase::running && in != nullptr && is_plain(*me, which, bytes) &&
         to.rank >= 0 && to.rank < in->remote().size() && to.tag >= 0 && to.tag <= most_tag &&
         me->messages.send_at_once({in->context(purpose::point_to_point), in->rank(), to.tag},
                                   static_cast<const std::byte*>(which.address), bytes,
                                   in->remote().world_rank(to.rank));
}

int send(const char* function, const send_argument& which, message_end to, MPI_Comm comm, user_send mode) {
  return call_on(function, comm, [&](rank_data& data, communicator& in) {
    rank& me = data.self();
    std::uint64_t bytes = 0;
    if (mode != user_send::buffered && is_plain(me, which, bytes)) [[likely]] {
      check_destination(in, to);
      if (to.rank != MPI_PROC_NULL) send_bytes(me, in, contiguous_at(which.address, bytes), to, mode);
      return;
    }
    const user_buffer buffer = checked_buffer(data, which, memory_use::host_or_device);
    check_destination(in, to);
    if (to.rank == MPI_PROC_NULL) return;
    if (mode == user_send::buffered || !buffer.is_contiguous()) {
      const auto q = make_send(ref<communicator>(&in), buffer, to, {mode});
      q->start(me);
      return me.await(q->awaited());
    }
    send_bytes(me, in, contiguous_in(buffer), to, mode);
  });
}

/// Receives contiguous data, and waits for them to arrive.
void receive_bytes(rank& me, const communicator& in, const contiguous_data& data, message_end from,
                   MPI_Status* status) {
  request q;
  q.on = data.on;
  q.head = envelope_of_receive(in, from);
  q.buffer = data.address;
  q.size = data.count;
  me.messages.receive(q);
  me.await(q);
  if (status != MPI_STATUS_IGNORE) {
    const single_status reported_status(status);
    tell_receive(q, *reported_status);
  }
  if (q.is_too_long) [[unlikely]]
    throw_truncated(q, static_cast<std::int64_t>(data.count));
}

int receive(const char* function, const receive_argument& which, message_end from, MPI_Comm comm,
            MPI_Status* status) {
  return call_on(function, comm, [&](rank_data& data, communicator& in) {
    rank& me = data.self();
    const user_buffer buffer = checked_buffer(data, which, memory_use::host_or_device);
    check_source(in, from);
    const single_status reported_status(status);
    if (from.rank == MPI_PROC_NULL) return tell_no_process(*reported_status);
    if (buffer.is_contiguous()) return receive_bytes(me, in, contiguous_in(buffer), from, status);
    const auto q = make_receive(ref<communicator>(&in), buffer, from, false);
    q->start(me);
    me.await(q->awaited());
    if (q->finish(*reported_status) != MPI_SUCCESS) throw_truncated(q->awaited(), buffer.bytes());
  });
}

/// The common case: a receive of plain data with valid arguments. Returns the call's code; empty if it is not
/// that case.
std::optional<int> receive_plain(const char* function, const receive_argument& which, message_end from,
                                 MPI_Comm comm, MPI_Status* status) {
  rank* const me = rank::current();
  if (me == nullptr) return std::nullopt;
  auto& data = static_cast<rank_data&>(me->state());
  communicator* const in = data.find(comm);
  std::uint64_t bytes = 0;
  if (data.now != rank_data::phase::running || in == nullptr || !is_plain(*me, which, bytes) ||
      from.rank < 0 || from.rank >= in->remote().size() || from.tag < any_tag || from.tag > most_tag)
    return std::nullopt;
  const call_frame frame(*me, {function, &describe_communicator, in});
  error_target* const owner = in;
  return run_call(data.objects(), function, owner,
                  [&] { receive_bytes(*me, *in, contiguous_at(which.address, bytes), from, status); });
}

int begin_send(const char* function, const send_argument& which, const end_argument& to, MPI_Request* handle,
               send_kind kind) {
  return call_on(function, to.comm, [&](rank_data& data, communicator& in) {
    const user_buffer buffer = checked_buffer(data, which, memory_use::host_or_device);
    check_destination(in, to.end);
    const auto q = make_send(ref<communicator>(&in), buffer, to.end, kind);
    if (!kind.is_persistent) q->start(data.self());
    *handle = data.requests.add(q);
  });
}

int begin_receive(const char* function, const receive_argument& which, const end_argument& from,
                  MPI_Request* handle, bool is_persistent) {
  return call_on(function, from.comm, [&](rank_data& data, communicator& in) {
    const user_buffer buffer = checked_buffer(data, which, memory_use::host_or_device);
    check_source(in, from.end);
    const auto q = make_receive(ref<communicator>(&in), buffer, from.end, is_persistent);
    if (!is_persistent) q->start(data.self());
    *handle = data.requests.add(q);
  });
}

int probe(const char* function, const end_argument& from, int* flag, MPI_Message* message,
          MPI_Status* status) {
  return call_on(function, from.comm, [&](rank_data& data, communicator& in) {
    check_source(in, from.end);
    const single_status reported_status(status);
    if (from.end.rank == MPI_PROC_NULL) {
      tell_no_process(*reported_status);
      if (flag != nullptr) *flag = 1;
      if (message != nullptr) *message = MPI_MESSAGE_NO_PROC;
      return;
    }
    rank& me = data.self();
    const envelope receive_envelope = envelope_of_receive(in, from.end);
    packet* found = me.messages.find(receive_envelope);
    if (flag == nullptr) {
      found = &me.await_message(receive_envelope);
    } else {
      found != nullptr ? me.give_way_at_times() : me.give_way();
      found = me.messages.find(receive_envelope);
      *flag = found != nullptr ? 1 : 0;
      if (message != nullptr) *message = MPI_MESSAGE_NULL;
      if (found == nullptr) return;
    }
    reported_status->MPI_SOURCE = found->head.source;
    reported_status->MPI_TAG = found->head.tag;
    set_bytes(*reported_status, static_cast<std::int64_t>(found->size));
    set_cancelled(*reported_status, false);
    if (message == nullptr) return;
    me.messages.take(*found);
    *message = data.messages.add(ref<user_message>(new user_message(*found, ref<communicator>(&in))));
  });
}

/// A receive of a message found by a matched probe, whose communicator handles errors.
ref<user_request> receive_of(rank_data& data, error_owner& owner, const receive_argument& which,
                             MPI_Message* message) {
  if (*message != MPI_MESSAGE_NULL && *message != MPI_MESSAGE_NO_PROC)
    owner.set(data.messages.at(*message).in);
  const user_buffer buffer = checked_buffer(data, which, memory_use::host_or_device);
  if (*message == MPI_MESSAGE_NULL)
    throw error(MPI_ERR_REQUEST, "the message is MPI_MESSAGE_NULL; find one by MPI_Mprobe first");
  if (*message == MPI_MESSAGE_NO_PROC) {
    *message = MPI_MESSAGE_NULL;
    return make_receive_of({}, buffer, nullptr);
  }
  const ref<user_message> found = data.messages.remove(*message);
  *message = MPI_MESSAGE_NULL;
  return make_receive_of(found->in, buffer, std::exchange(found->found, nullptr));
}

}  // namespace

IMBREX_MPI_DEFINE(int, Send,
                  (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)) {
  if (send_at_once({buf, count, datatype}, {dest, tag}, comm)) [[likely]]
    return MPI_SUCCESS;
  return send("MPI_Send", {buf, count, datatype}, {dest, tag}, comm, user_send::standard);
}
IMBREX_MPI_DEFINE(int, Recv,
                  (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                   MPI_Status* status)) {
  constexpr const char* function = "MPI_Recv";
  const receive_argument which{buf, count, datatype};
  if (const auto code = receive_plain(function, which, {source, tag}, comm, status)) [[likely]]
    return *code;
  return receive(function, which, {source, tag}, comm, status);
}
IMBREX_MPI_DEFINE(int, Send_c,
                  (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm)) {
  return send("MPI_Send_c", {buf, count, datatype}, {dest, tag}, comm, user_send::standard);
}
IMBREX_MPI_DEFINE(int, Recv_c,
                  (void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                   MPI_Status* status)) {
  return receive("MPI_Recv_c", {buf, count, datatype}, {source, tag}, comm, status);
}

#define IMBREX_MPI_SEND(name, suffix, count_type, mode)                                               \
  IMBREX_MPI_DEFINE(                                                                                  \
      int, name##suffix,                                                                              \
      (const void* buf, count_type count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)) { \
    return send("MPI_" #name #suffix, {buf, count, datatype}, {dest, tag}, comm, mode);               \
  }
#define IMBREX_MPI_SEND_REQUEST(name, suffix, count_type, mode, persistent)                       \
  IMBREX_MPI_DEFINE(int, name##suffix,                                                            \
                    (const void* buf, count_type count, MPI_Datatype datatype, int dest, int tag, \
                     MPI_Comm comm, MPI_Request* request)) {                                      \
    return begin_send("MPI_" #name #suffix, {buf, count, datatype}, {{dest, tag}, comm}, request, \
                      {mode, persistent});                                                        \
  }
#define IMBREX_MPI_RECEIVE_REQUEST(name, suffix, count_type, persistent)                                     \
  IMBREX_MPI_DEFINE(int, name##suffix,                                                                       \
                    (void* buf, count_type count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, \
                     MPI_Request* request)) {                                                                \
    return begin_receive("MPI_" #name #suffix, {buf, count, datatype}, {{source, tag}, comm}, request,       \
                         persistent);                                                                        \
  }
#define IMBREX_MPI_BOTH(suffix, count_type)                                             \
  IMBREX_MPI_SEND(Ssend, suffix, count_type, user_send::synchronous)                    \
  IMBREX_MPI_SEND(Rsend, suffix, count_type, user_send::ready)                          \
  IMBREX_MPI_SEND(Bsend, suffix, count_type, user_send::buffered)                       \
  IMBREX_MPI_SEND_REQUEST(Isend, suffix, count_type, user_send::standard, false)        \
  IMBREX_MPI_SEND_REQUEST(Ibsend, suffix, count_type, user_send::buffered, false)       \
  IMBREX_MPI_SEND_REQUEST(Issend, suffix, count_type, user_send::synchronous, false)    \
  IMBREX_MPI_SEND_REQUEST(Irsend, suffix, count_type, user_send::ready, false)          \
  IMBREX_MPI_SEND_REQUEST(Send_init, suffix, count_type, user_send::standard, true)     \
  IMBREX_MPI_SEND_REQUEST(Bsend_init, suffix, count_type, user_send::buffered, true)    \
  IMBREX_MPI_SEND_REQUEST(Ssend_init, suffix, count_type, user_send::synchronous, true) \
  IMBREX_MPI_SEND_REQUEST(Rsend_init, suffix, count_type, user_send::ready, true)       \
  IMBREX_MPI_RECEIVE_REQUEST(Irecv, suffix, count_type, false)                          \
  IMBREX_MPI_RECEIVE_REQUEST(Recv_init, suffix, count_type, true)
IMBREX_MPI_BOTH(, int)
IMBREX_MPI_BOTH(_c, MPI_Count)
#undef IMBREX_MPI_BOTH

IMBREX_MPI_DEFINE(int, Probe, (int source, int tag, MPI_Comm comm, MPI_Status* status)) {
  return probe("MPI_Probe", {{source, tag}, comm}, nullptr, nullptr, status);
}
IMBREX_MPI_DEFINE(int, Iprobe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status)) {
  return probe("MPI_Iprobe", {{source, tag}, comm}, flag, nullptr, status);
}
IMBREX_MPI_DEFINE(int, Mprobe,
                  (int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status)) {
  return probe("MPI_Mprobe", {{source, tag}, comm}, nullptr, message, status);
}
IMBREX_MPI_DEFINE(int, Improbe,
                  (int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status)) {
  return probe("MPI_Improbe", {{source, tag}, comm}, flag, message, status);
}

namespace {

int receive_found(const char* function, const receive_argument& which, MPI_Message* message,
                  MPI_Status* status) {
  return call_for_owner(function, [&](rank_data& data, error_owner& owner) {
    const auto q = receive_of(data, owner, which, message);
    q->start(data.self());
    data.self().await(q->awaited());
    const single_status reported_status(status);
    const std::uint64_t room = q->awaited().size;
    if (q->finish(*reported_status) != MPI_SUCCESS)
      throw_truncated(q->awaited(), static_cast<std::int64_t>(room));
  });
}

int begin_receive_found(const char* function, const receive_argument& which, MPI_Message* message,
                        MPI_Request* request) {
  return call_for_owner(function, [&](rank_data& data, error_owner& owner) {
    const auto q = receive_of(data, owner, which, message);
    q->start(data.self());
    *request = data.requests.add(q);
  });
}

}  // namespace

#define IMBREX_MPI_BOTH(suffix, count_type)                                                               \
  IMBREX_MPI_DEFINE(                                                                                      \
      int, Mrecv##suffix,                                                                                 \
      (void* buf, count_type count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status)) {   \
    return receive_found("MPI_Mrecv" #suffix, {buf, count, datatype}, message, status);                   \
  }                                                                                                       \
  IMBREX_MPI_DEFINE(                                                                                      \
      int, Imrecv##suffix,                                                                                \
      (void* buf, count_type count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request)) { \
    return begin_receive_found("MPI_Imrecv" #suffix, {buf, count, datatype}, message, request);           \
  }
IMBREX_MPI_BOTH(, int)
IMBREX_MPI_BOTH(_c, MPI_Count)
#undef IMBREX_MPI_BOTH

// ---- combined send and receive

namespace {

/// A send and a receive in progress together.
class exchange_request final : public user_request {
 public:
  exchange_request(const ref<communicator>& in, ref<user_request> sent, ref<user_request> received)
      : user_request(false, in), sent_(std::move(sent)), received_(std::move(received)) {}
  int outcome(MPI_Status& status) override { return received_->outcome(status); }

  std::unique_ptr<std::byte[]> copied;  ///< copy of the sent data, if the receive overwrites them

 private:
  void begin(rank& by) override {
    by_ = &by;
    received_->on_end = [](void* of) { static_cast<exchange_request*>(of)->one_ended(); };
    received_->of_end = this;
    sent_->on_end = received_->on_end;
    sent_->of_end = this;
    received_->start(by);
    sent_->start(by);
  }
  void one_ended() {
    if (--left_ == 0) by_->complete(awaited());
  }

  ref<user_request> sent_;
  ref<user_request> received_;
  rank* by_ = nullptr;
  int left_ = 2;
};

struct exchange_argument {
  message_end to;
  message_end from;
  MPI_Comm comm;
};

/// Checks the arguments and makes an exchange. Without `out`, the receive buffer's data are copied and sent.
ref<exchange_request> make_exchange(rank_data& data, communicator& in, const user_buffer* out,
                                    const user_buffer& into, const exchange_argument& with) {
  check_destination(in, with.to);
  check_source(in, with.from);
  std::unique_ptr<std::byte[]> copied;
  user_buffer sent;
  if (out != nullptr) {
    sent = *out;
  } else {
    const std::int64_t bytes = into.bytes();
    copied = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
    pack_to_host(data.self(), into, copied.get());
    sent = {copied.get(), bytes, data.objects().type(MPI_BYTE)};
  }
  const ref<communicator> share(&in);
  const ref<exchange_request> exchange(
      new exchange_request(share, make_send(share, sent, with.to, {user_send::standard}),
                           make_receive(share, into, with.from, false)));
  exchange->copied = std::move(copied);
  return exchange;
}

/// Where a call reports its end: a blocking one in the status, another by a request.
struct exchange_result {
  MPI_Status* status = nullptr;
  MPI_Request* handle = nullptr;
};

/// Without `send`, the data of the receive buffer are sent and then replaced.
int exchange_now(const char* function, const std::optional<send_argument>& send,
                 const receive_argument& receive, const exchange_argument& with,
                 const exchange_result& result) {
  return call_on(function, with.comm, [&](rank_data& data, communicator& in) {
    const user_buffer into = checked_buffer(data, receive, memory_use::host_or_device);
    user_buffer out;
    if (send) out = checked_buffer(data, *send, memory_use::host_or_device);
    const auto both = make_exchange(data, in, send ? &out : nullptr, into, with);
    both->start(data.self());
    if (result.handle != nullptr) {
      *result.handle = data.requests.add(ref<user_request>(both.get()));
      return;
    }
    data.self().await(both->awaited());
    const single_status reported_status(result.status);
    if (both->finish(*reported_status) != MPI_SUCCESS)
      throw error(MPI_ERR_TRUNCATE, "the message received has more than the " + std::to_string(into.bytes()) +
                                        " bytes that there is room for; receive a greater count");
  });
}

}  // namespace

#define IMBREX_MPI_BOTH(suffix, count_type)                                                                 \
  IMBREX_MPI_DEFINE(int, Sendrecv##suffix,                                                                  \
                    (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, int dest,            \
                     int sendtag, void* recvbuf, count_type recvcount, MPI_Datatype recvtype, int source,   \
                     int recvtag, MPI_Comm comm, MPI_Status* status)) {                                     \
    return exchange_now("MPI_Sendrecv" #suffix, send_argument{sendbuf, sendcount, sendtype},                \
                        {recvbuf, recvcount, recvtype}, {{dest, sendtag}, {source, recvtag}, comm},         \
                        {.status = status});                                                                \
  }                                                                                                         \
  IMBREX_MPI_DEFINE(int, Isendrecv##suffix,                                                                 \
                    (const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, int dest,            \
                     int sendtag, void* recvbuf, count_type recvcount, MPI_Datatype recvtype, int source,   \
                     int recvtag, MPI_Comm comm, MPI_Request* request)) {                                   \
    return exchange_now("MPI_Isendrecv" #suffix, send_argument{sendbuf, sendcount, sendtype},               \
                        {recvbuf, recvcount, recvtype}, {{dest, sendtag}, {source, recvtag}, comm},         \
                        {.handle = request});                                                               \
  }                                                                                                         \
  IMBREX_MPI_DEFINE(int, Sendrecv_replace##suffix,                                                          \
                    (void* buf, count_type count, MPI_Datatype datatype, int dest, int sendtag, int source, \
                     int recvtag, MPI_Comm comm, MPI_Status* status)) {                                     \
    return exchange_now("MPI_Sendrecv_replace" #suffix, {}, {buf, count, datatype},                         \
                        {{dest, sendtag}, {source, recvtag}, comm}, {.status = status});                    \
  }                                                                                                         \
  IMBREX_MPI_DEFINE(int, Isendrecv_replace##suffix,                                                         \
                    (void* buf, count_type count, MPI_Datatype datatype, int dest, int sendtag, int source, \
                     int recvtag, MPI_Comm comm, MPI_Request* request)) {                                   \
    return exchange_now("MPI_Isendrecv_replace" #suffix, {}, {buf, count, datatype},                        \
                        {{dest, sendtag}, {source, recvtag}, comm}, {.handle = request});                   \
  }                                                                                                         \
  IMBREX_MPI_DEFINE(int, Buffer_attach##suffix, (void* buffer, count_type size)) {                          \
    return call_running("MPI_Buffer_attach" #suffix,                                                        \
                        [&](rank_data& data) { data.buffered.attach(buffer, size); });                      \
  }                                                                                                         \
  IMBREX_MPI_DEFINE(int, Buffer_detach##suffix, (void* buffer_addr, count_type* size)) {                    \
    return call_running("MPI_Buffer_detach" #suffix, [&](rank_data& data) {                                 \
      const auto [address, bytes] = data.buffered.detach(data.self());                                      \
      *static_cast<void**>(buffer_addr) = address;                                                          \
      *size = static_cast<count_type>(bytes);                                                               \
    });                                                                                                     \
  }
IMBREX_MPI_BOTH(, int)
IMBREX_MPI_BOTH(_c, MPI_Count)
#undef IMBREX_MPI_BOTH

}  // namespace imbrex::mpi
