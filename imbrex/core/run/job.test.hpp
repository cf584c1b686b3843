// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/array/collection.hpp>
#include <imbrex/core/message/short_item.hpp>
#include <imbrex/core/run/job.hpp>
#include <imbrex/core/run/runtime.hpp>

namespace imbrex::test {

/// Reports that this is one process of three, and connects no process.
class place final : public bootstrap {
 public:
  explicit place(int rank) : rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return 3; }
  std::vector<std::string> all_gather(const std::string& text) override { return {3, text}; }

 private:
  int rank_;
};

/// Records sent control messages, and delivers nothing.
class silent_endpoint final : public detail::endpoint {
 public:
  struct control_message {
    int process;
    std::vector<std::byte> bytes;
  };

  void send(detail::work& item, int) override { item.type->destroy(item); }
  void notify(int process, std::span<const std::byte> bytes) override {
    control_messages.push_back({process, {bytes.begin(), bytes.end()}});
  }
  bool progress(std::size_t) override { return false; }
  bool arm() override { return true; }
  int descriptor() const override { return -1; }
  bool sending() const override { return false; }
  bool congested() const override { return false; }

  std::vector<control_message> control_messages;
};

/// A network of three PEs, one in each process.
class silent_network final : public detail::network {
 public:
  explicit silent_network(int rank) : pes_{rank, 1, 3} {}
  const detail::pe_range& pes() const override { return pes_; }
  detail::endpoint& endpoint_of(int) override { return endpoint_; }
  counts counted() const override { return {}; }
  void flush(std::chrono::milliseconds) override {}
  void close() override {}

 private:
  detail::pe_range pes_;
  silent_endpoint endpoint_;
};

/// A process without peers. The test calls the receiver itself in place of the network.
class lone_process {
 public:
  explicit lone_process(int rank) : place_(rank), job_(run_, place_, std::make_unique<silent_network>(rank)) {
    run_.processor_at(0).attach(wire());
    run_.processor_at(0).connect(wire(), {}, {0, 1, 3}, &wire());
  }

  /// Receives the bytes as an item, or as a control message from process `process`.
  void take_item(std::span<const std::byte> bytes) {
    const detail::scheduler::activation as(run_.processor_at(0));
    reader in(bytes);
    take(in, bytes.size());
  }
  /// Receives an item with a block that lies elsewhere, or has not arrived yet.
  void take_item(std::span<const std::byte> bytes, const reader::separate_block& block) {
    const detail::scheduler::activation as(run_.processor_at(0));
    reader in(bytes, block);
    take(in, bytes.size() + block.size);
  }
  /// Runs the bytes as a short message. False if they have to be unpacked first.
  bool run_short(std::span<const std::byte> bytes) {
    const detail::scheduler::activation as(run_.processor_at(0));
    auto* const item = detail::short_item::of(bytes, 3);
    if (item == nullptr) return false;
    item->type->run(*item);
    return true;
  }
  /// Makes the process's part of an array of three Ts, with the first element.
  template <class T>
  detail::collection<T>& add_array(std::uint64_t number) {
    auto& pe = run_.processor_at(0);
    const detail::scheduler::activation as(pe);
    auto instance = detail::make_owner<detail::collection<T>>(pe, number, index<1>(3),
                                                              &detail::home_of<index<1>, block_placement>,
                                                              detail::array_beginning{3, true});
    auto& part = *instance;
    part.create(0, part.first_place());
    pe.install(std::move(instance));
    return part;
  }
  void receive_control_message(int process, std::span<const std::byte> bytes) {
    const detail::scheduler::activation as(run_.processor_at(0));
    job_.control_message(process, bytes);
  }

  /// The process's PE sleeps; `exchanged` has its message counts.
  void become_idle(const detail::network::counts& exchanged) {
    detail::scheduler& pe = run_.processor_at(0);
    const detail::scheduler::activation as(pe);
    job_.quiet(exchanged);
    while (pe.step()) {
    }
  }

  detail::runtime& run() { return run_; }
  silent_endpoint& wire() { return static_cast<silent_endpoint&>(job_.net().endpoint_of(0)); }

 private:
  void take(reader& in, std::size_t bytes) {
    detail::work& item = job_.unpack(in);
    if (std::byte* const place = in.place_of_block(); place != nullptr) *place = std::byte{1};
    job_.arrived(item, run_.processor_at(0).pe(), bytes);
  }

  place place_;
  detail::runtime run_{options{.pes = 1}};
  detail::job job_;
};

}  // namespace imbrex::test
