// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/partitioned.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/mpi/object/status.hpp>
#include <imbrex/mpi/rank/rank_interface.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

namespace {

/// First message of a sender: the tags of its partitions, and the bytes of all.
struct introduction {
  std::int32_t first_tag = 0;
  std::int32_t partitions = 0;
  std::uint64_t bytes = 0;
};

class partitioned_send final : public partitioned_request {
 public:
  partitioned_send(const ref<communicator>& in, const user_buffer& partition, int partitions, message_end to)
      : partitioned_request(in, partition, partitions, to), parts_(static_cast<std::size_t>(partitions)) {}

  void introduce(rank& by) {
    introduction words{in()->next_partitions(partitions_), partitions_,
                       static_cast<std::uint64_t>(whole_.bytes())};
    first_tag_ = words.first_tag;
    if (other_.rank == MPI_PROC_NULL) return;
    request q;
    q.head = {in()->context(purpose::introduction), in()->rank(), other_.tag};
    q.buffer = reinterpret_cast<std::byte*>(&words);
    q.size = sizeof words;
    by.messages.send(q, in()->remote().world_rank(other_.rank), send_mode::standard);
    by.await(q);  // a message of this size is done at once
  }

  void send_partition(int partition) override {
    check(partition);
    if (!is_active())
      throw error(MPI_ERR_REQUEST, "the partitioned send has not been started; call MPI_Start first");
    part& each = parts_[static_cast<std::size_t>(partition)];
    if (std::exchange(each.is_ready, true))
      throw error(MPI_ERR_ARG, "partition " + std::to_string(partition) +
                                   " is ready already; call MPI_Pready once for each partition and start");
    each.q = {};
    each.of = this;
    each.q.finished = &part_ended;
    if (other_.rank == MPI_PROC_NULL) return by_->complete(each.q);
    const std::int64_t bytes = whole_.bytes() / partitions_;
    each.q.head = {in()->context(purpose::partition), in()->rank(), first_tag_ + partition};
    each.q.size = static_cast<std::uint64_t>(bytes);
    if (whole_.is_contiguous()) {
      each.q.buffer = whole_.begin() + partition * bytes;
    } else {
      each.packed = std::make_unique_for_overwrite<std::byte[]>(each.q.size);
      pack(whole_.typed(), partition * bytes, each.packed.get(), bytes);
      each.q.buffer = each.packed.get();
    }
    by_->messages.send(each.q, in()->remote().world_rank(other_.rank), send_mode::standard);
  }

  int outcome(MPI_Status& status) override {
    set_empty(status);
    return MPI_SUCCESS;
  }

 private:
  struct part {
    request q;
    partitioned_send* of = nullptr;
    std::unique_ptr<std::byte[]> packed;
    bool is_ready = false;
  };

  void begin(rank& by) override {
    by_ = &by;
    awaited().head.tag = other_.tag;
    if (other_.rank != MPI_PROC_NULL) awaited().peer = in()->remote().world_rank(other_.rank);
    for (part& each : parts_) each.is_ready = false;
    left_ = partitions_;
    if (left_ == 0) by.complete(awaited());
  }
  static void part_ended(request& q) {
    part& each = *reinterpret_cast<part*>(&q);
    each.packed.reset();
    if (--each.of->left_ == 0) each.of->by_->complete(each.of->awaited());
  }

  std::vector<part> parts_;
  int first_tag_ = 0;
  int left_ = 0;  ///< partitions that have not left yet
};

class partitioned_receive final : public partitioned_request {
 public:
  partitioned_receive(const ref<communicator>& in, const user_buffer& partition, int partitions,
                      message_end from)
      : partitioned_request(in, partition, partitions, from) {}

  /// Begins to wait for the sender.
  void expect_sender(rank& by) {
    if (other_.rank == MPI_PROC_NULL) return;
    first_.of = this;
    first_.own = ref(this);
    first_.q.head = {in()->context(purpose::introduction), other_.rank, other_.tag};
    first_.q.buffer = reinterpret_cast<std::byte*>(&sender_);
    first_.q.size = sizeof sender_;
    first_.q.finished = &sender_found;
    by.messages.receive(first_.q);
  }

  bool has_arrived(int partition) override {
    check(partition);
    if (!is_active() || awaited().is_done) return true;
    if (parts_.empty()) return false;
    const std::int64_t bytes = whole_.bytes() / partitions_;
    const std::int64_t sent = whole_.bytes() / sender_.partitions;
    if (bytes == 0) return left_ == 0;
    for (std::int64_t i = partition * bytes / sent; i * sent < (partition + 1) * bytes; ++i)
      if (!parts_[static_cast<std::size_t>(i)].q.is_done) return false;
    return true;
  }

  int outcome(MPI_Status& status) override {
    if (other_.rank == MPI_PROC_NULL) {
      tell_no_process(status);
      return MPI_SUCCESS;
    }
    set_empty(status);
    status.MPI_SOURCE = other_.rank;
    status.MPI_TAG = other_.tag;
    set_bytes(status, is_wrong() ? 0 : whole_.bytes());
    return is_wrong() ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
  }

 private:
  /// The receive of the introduction; it keeps the whole alive, which the program may free before.
  struct first_receive {
    request q;
    partitioned_receive* of = nullptr;
    ref<partitioned_receive> own;
  };
  struct part {
    request q;
    partitioned_receive* of = nullptr;
  };
  struct post_step : rank::step {
    partitioned_receive* of = nullptr;
  };

  bool is_wrong() const { return sender_.bytes != static_cast<std::uint64_t>(whole_.bytes()); }

  void begin(rank& by) override {
    by_ = &by;
    if (other_.rank == MPI_PROC_NULL) return by.complete(awaited());
    awaited().peer = request::is_receive;
    awaited().head.source = other_.rank;
    awaited().head.tag = other_.tag;
    left_ = 1;
    if (first_.q.is_done) post();
  }
  static void sender_found(request& q) {
    auto& first = *reinterpret_cast<first_receive*>(&q);
    const ref<partitioned_receive> last = std::exchange(first.own, {});
    if (!last->is_active()) return;
    last->step_.of = last.get();
    last->step_.advance = [](rank::step& step) { static_cast<post_step&>(step).of->post(); };
    last->by_->queue(last->step_);
  }

  /// Posts the receives of all messages of a start.
  void post() {
    if (is_wrong() || sender_.partitions == 0) return by_->complete(awaited());
    if (parts_.empty()) parts_ = std::vector<part>(static_cast<std::size_t>(sender_.partitions));
    const std::int64_t bytes = whole_.bytes() / sender_.partitions;
    if (!whole_.is_contiguous())
      packed_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(whole_.bytes()));
    std::byte* const to = packed_ ? packed_.get() : whole_.begin();
    left_ = sender_.partitions;
    for (part& each : parts_) each.q = {};
    for (int i = 0; i < sender_.partitions; ++i) {
      part& each = parts_[static_cast<std::size_t>(i)];
      each.of = this;
      each.q.head = {in()->context(purpose::partition), other_.rank, sender_.first_tag + i};
      each.q.buffer = to + i * bytes;
      each.q.size = static_cast<std::uint64_t>(bytes);
      each.q.finished = &part_arrived;
      by_->messages.receive(each.q);
    }
  }
  static void part_arrived(request& q) {
    part& each = *reinterpret_cast<part*>(&q);
    partitioned_receive& its = *each.of;
    if (its.packed_)
      unpack(its.whole_.typed(), q.buffer - its.packed_.get(), q.buffer, static_cast<std::int64_t>(q.size));
    if (--its.left_ > 0) return;
    its.packed_.reset();
    its.by_->complete(its.awaited());
  }

  first_receive first_;
  introduction sender_;
  std::vector<part> parts_;  ///< one for each partition of the sender, from the first start on
  std::unique_ptr<std::byte[]> packed_;
  int left_ = 0;  ///< messages that have not arrived
  post_step step_;
};

}  // namespace

partitioned_request::partitioned_request(const ref<communicator>& in, const user_buffer& partition,
                                         int partitions, message_end other)
    : user_request(true, in), whole_(partition), partitions_(partitions), other_(other) {
  whole_.count *= partitions;
}

void partitioned_request::check(int partition) const {
  if (partition < 0 || partition >= partitions_)
    throw error(MPI_ERR_ARG, "the partition is " + std::to_string(partition) + ", and the request has " +
                                 std::to_string(partitions_) + ", from 0 on");
}

void partitioned_request::send_partition(int /*partition*/) {
  throw error(MPI_ERR_REQUEST, "the request is a partitioned receive; MPI_Pready is for sends");
}

bool partitioned_request::has_arrived(int /*partition*/) {
  throw error(MPI_ERR_REQUEST, "the request is a partitioned send; MPI_Parrived is for receives");
}

ref<user_request> make_partitioned_send(rank& by, const ref<communicator>& in, const user_buffer& partition,
                                        int partitions, message_end to) {
  const ref<partitioned_send> result(new partitioned_send(in, partition, partitions, to));
  result->introduce(by);
  return ref<user_request>(result.get());
}

ref<user_request> make_partitioned_receive(rank& by, const ref<communicator>& in,
                                           const user_buffer& partition, int partitions, message_end from) {
  const ref<partitioned_receive> result(new partitioned_receive(in, partition, partitions, from));
  result->expect_sender(by);
  return ref<user_request>(result.get());
}

}  // namespace imbrex::mpi
