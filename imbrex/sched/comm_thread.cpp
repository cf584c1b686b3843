// SPDX-License-Identifier: Apache-2.0
#include <imbrex/sched/comm_thread.hpp>

#include <algorithm>
#include <utility>

#include <imbrex/net/packing.hpp>
#include <imbrex/sched/run_queue.hpp>
#include <imbrex/serial/error.hpp>
#include <imbrex/serial/writer.hpp>

namespace imbrex::detail {

/// An outgoing item, packed by its PE: only there may the program serialise, and only there may its
/// exceptions be thrown. A long block stays in the item, which the PE destroys once the block has left.
struct comm_thread::outgoing_item : work {
  outgoing_item(comm_thread& t, work& i, int pe) : through(t), from(current()->pe()), to(pe) {
    packed.export_from(endpoint::shortest_exported_block);
    pack_or_destroy(i, packed);
    type = &handed_over;
    priority = i.priority;
    coalesced = i.coalesced;
    if (packed.exported_block().bytes.empty())
      i.type->destroy(i);
    else
      block_owner = &i;
    counted = packed.size() + bytes_beside_payload;
    through.bytes_going_.fetch_add(counted, std::memory_order_relaxed);
  }
  ~outgoing_item() {
    uncount();
    if (block_owner != nullptr) block_owner->type->destroy(*block_owner);
  }
  void uncount() { through.bytes_going_.fetch_sub(std::exchange(counted, 0), std::memory_order_relaxed); }

  static void send(work& w) {
    auto& going = static_cast<outgoing_item&>(w);
    if (going.through.finishing_) return forget(w);  // no PE could take it back any more
    going.uncount();                                 // from here on the network counts it
    w.type = &on_its_way;
    going.through.network()->send(w, going.to);
  }
  static void copy(work& w, writer& out) {
    const auto& going = static_cast<outgoing_item&>(w);
    const auto bytes = going.packed.written();
    const auto& exported_block = going.packed.exported_block();
    out.bytes(bytes.data(), exported_block.position);
    out.block(exported_block.bytes.data(), exported_block.bytes.size());
    out.bytes(bytes.data() + exported_block.position, bytes.size() - exported_block.position);
  }
  static void left(work& w) noexcept {
    auto& going = static_cast<outgoing_item&>(w);
    if (going.block_owner == nullptr || going.through.finished_) return forget(w);
    going.through.returned_[going.through.place_of(going.from)]->post(w);
  }
  static void forget(work& w) noexcept { delete static_cast<outgoing_item*>(&w); }
  static constexpr work_type handed_over{"message to another process", &send, &forget, nullptr, nullptr};
  static constexpr work_type on_its_way{handed_over.name, nullptr, &left, &copy, nullptr};

  comm_thread& through;
  writer packed;
  work* block_owner = nullptr;
  std::size_t counted = 0;
  int from;
  int to;
};

struct comm_thread::incoming_item : work {
  incoming_item(network::receiver& r, std::size_t s)
      : owner(r), bytes(std::make_unique_for_overwrite<std::byte[]>(s)), size(s) {
    type = &kind;
    priority = first_priority;  // the item within has a priority of its own
  }

  static void open(work& w) {
    const std::unique_ptr<incoming_item> owner(static_cast<incoming_item*>(&w));
    reader in({owner->bytes.get(), owner->size});
    owner->owner.arrived(owner->owner.unpack(in), current()->pe(), owner->size);
  }
  static void forget(work& w) noexcept { delete static_cast<incoming_item*>(&w); }
  static constexpr work_type kind{"message of another process", &open, &forget, nullptr, nullptr};

  network::receiver& owner;
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size;
};

struct comm_thread::outgoing_control_message : work {
  outgoing_control_message(comm_thread& t, int p, std::span<const std::byte> b)
      : through(t), process(p), bytes(b.begin(), b.end()) {
    type = &kind;
    priority = first_priority;
  }

  static void send(work& w) {
    const std::unique_ptr<outgoing_control_message> owner(static_cast<outgoing_control_message*>(&w));
    owner->through.network()->notify(owner->process, owner->bytes);
  }
  static void forget(work& w) noexcept { delete static_cast<outgoing_control_message*>(&w); }
  static constexpr work_type kind{"notice to another process", &send, &forget, nullptr, nullptr};

  comm_thread& through;
  int process;
  std::vector<std::byte> bytes;
};

struct comm_thread::incoming_control_message : work {
  incoming_control_message(network::receiver& r, int p, std::span<const std::byte> b)
      : owner(r), process(p), bytes(b.begin(), b.end()) {
    type = &kind;
  }

  static void take(work& w) {
    const std::unique_ptr<incoming_control_message> owner(static_cast<incoming_control_message*>(&w));
    owner->owner.control_message(owner->process, owner->bytes);
  }
  static void forget(work& w) noexcept { delete static_cast<incoming_control_message*>(&w); }
  static constexpr work_type kind{"notice of another process", &take, &forget, nullptr, nullptr};

  network::receiver& owner;
  int process;
  std::vector<std::byte> bytes;
};

/// An item queued in a PE's inbox behind posted items: when it runs, those before it have run.
struct comm_thread::receipt : work {
  receipt(comm_thread& t, std::size_t count) : of(t), bytes(count) {
    type = &kind;
    priority = first_priority;
  }

  static void arrived(work& w) {
    std::unique_ptr<receipt> owner(static_cast<receipt*>(&w));
    if (std::exchange(owner->is_packed, false)) {  // the items before it are now unpacked, and queued behind
                                                   // others
      w.priority = 0;
      return current()->push(*owner.release());
    }
    owner->of.unread_.fetch_sub(owner->bytes, std::memory_order_relaxed);
  }
  static void forget(work& w) noexcept { delete static_cast<receipt*>(&w); }
  static constexpr work_type kind{"receipt", &arrived, &forget, nullptr, nullptr};

  comm_thread& of;
  std::size_t bytes;
  bool is_packed = true;
};

/// The network as this thread sees it: closed for arrivals while the PEs have too many to run.
class comm_thread::inlet final : public endpoint {
 public:
  inlet(comm_thread& t, endpoint& network) : of_(t), network_(network) {}

  void send(work& item, int to) override { network_.send(item, to); }
  void notify(int process, std::span<const std::byte> bytes) override { network_.notify(process, bytes); }
  bool progress(std::size_t) override {
    const bool look = !closed() || ++looks_missed_ % looks_between_arrivals == 0;
    const bool took = look && network_.progress(unread());
    of_.congested_.store(network_.congested(), std::memory_order_relaxed);
    return took;
  }
  bool arm() override { return closed() || network_.arm(); }
  int descriptor() const override { return closed() ? -1 : network_.descriptor(); }
  bool sending() const override { return closed() || network_.sending(); }
  bool congested() const override { return !of_.finishing_ && network_.congested(); }

 private:
  /// Sends progress only where receives may progress, too. So even when closed, one of this many calls
  /// receives.
  static constexpr unsigned looks_between_arrivals = 8;

  /// True while there is too much unread; never while there is too much to send: then both processes must
  /// receive, or neither proceeds.
  bool closed() const { return unread() > most_unread && !network_.congested(); }
  std::size_t unread() const { return of_.unread_.load(std::memory_order_relaxed); }

  comm_thread& of_;
  endpoint& network_;
  unsigned looks_missed_ = 0;
};

/// The network as the PEs see it: it takes everything at once and leaves the work to the thread.
class comm_thread::outlet final : public endpoint {
 public:
  explicit outlet(comm_thread& t) : to_(t) {}

  void send(work& item, int to) override {
    destroy_returned();
    to_.pe_inbox().post(*new outgoing_item(to_, item, to));
  }
  void notify(int process, std::span<const std::byte> bytes) override {
    to_.pe_inbox().post(*new outgoing_control_message(to_, process, bytes));
  }
  bool progress(std::size_t) override {
    destroy_returned();
    return false;
  }
  bool arm() override { return true; }
  int descriptor() const override { return -1; }
  bool sending() const override { return congested(); }
  bool congested() const override {
    return to_.congested_.load(std::memory_order_relaxed) ||
           to_.bytes_going_.load(std::memory_order_relaxed) > most_bytes_going;
  }

 private:
  /// Destroys items of this PE that have left.
  void destroy_returned() {
    for (work* next = to_.returned_[to_.place_of(current()->pe())]->take(); next != nullptr;)
      outgoing_item::forget(*std::exchange(next, next->next));
  }

  comm_thread& to_;
};

comm_thread::comm_thread(const clock& time, network::receiver& owner)
    : scheduler(no_pe, time, std::nullopt), owner_(owner) {}

comm_thread::~comm_thread() = default;

void comm_thread::serve(endpoint& network, std::vector<inbox*> inboxes, int first_pe) {
  inlet_ = std::make_unique<inlet>(*this, network);
  outlet_ = std::make_unique<outlet>(*this);
  inboxes_ = std::move(inboxes);
  first_pe_ = first_pe;
  unreceipted_.assign(inboxes_.size(), 0);
  for (std::size_t pe = 0; pe < inboxes_.size(); ++pe) returned_.push_back(std::make_unique<inbox>());
  bytes_a_receipt_ = std::min(most_bytes_a_receipt, endpoint::most_unread / 8 / inboxes_.size());
  attach(*inlet_);
}

endpoint& comm_thread::endpoint_of_pes() { return *outlet_; }

std::size_t comm_thread::place_of(int pe) const { return static_cast<std::size_t>(pe - first_pe_); }

void comm_thread::finish(nanoseconds at_most) {
  const activation running(*this);
  finishing_ = true;
  const auto until = now() + at_most;
  while ((step() || !idle()) && now() < until) {
  }
  finished_ = true;
  for (std::size_t pe = 0; pe < inboxes_.size(); ++pe)  // the PEs destroy these
    for (work* next = returned_[pe]->take(); next != nullptr;) {
      work& item = *std::exchange(next, next->next);
      inboxes_[pe]->post(item);
    }
}

work& comm_thread::unpack(reader& in) {
  auto packed = std::make_unique<incoming_item>(owner_, in.remaining());
  in.rest(packed->bytes.get());
  return *packed.release();
}

void comm_thread::arrived(work& item, int pe, std::size_t bytes) {
  const std::size_t place = place_of(pe);
  if (place >= inboxes_.size()) {
    item.type->destroy(item);
    throw serial_error("a message for PE " + std::to_string(pe) + " came to another process");
  }
  inboxes_[place]->post(item);
  unread_.fetch_add(bytes + bytes_beside_payload, std::memory_order_relaxed);
  unreceipted_[place] += bytes + bytes_beside_payload;
  if (unreceipted_[place] >= bytes_a_receipt_)
    inboxes_[place]->post(*new receipt(*this, std::exchange(unreceipted_[place], 0)));
}

void comm_thread::control_message(int process, std::span<const std::byte> bytes) {
  inboxes_.front()->post(*new incoming_control_message(owner_, process, bytes));
}

void comm_thread::lost(int process, const std::string& why) { owner_.lost(process, why); }

}  // namespace imbrex::detail
