// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/checks/subject.test.hpp>

#include <algorithm>
#include <cstring>
#include <exception>

namespace imbrex::test {

void subject::process::arrived(detail::work& item, int pe, std::size_t) {
  const std::string content = static_cast<text&>(item).content;
  text::destroy(item);
  came.push_back(content);
  came_for.push_back(pe);
  if (on_arrival) on_arrival(content);
}

void subject::process::control_message(int from, std::span<const std::byte> bytes) {
  control_messages.push_back(std::to_string(from) + ": " +
                             std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

subject::subject(const fabric_kind& kind, const std::vector<int>& pes) : kind_(kind), fabric_(kind.make()) {
  std::vector<std::string> introductions;
  for (std::size_t p = 0; p < pes.size(); ++p) introductions.push_back(fabric_->introduction());
  fabric_->open(introductions, 0);
  for (std::size_t p = 0; p < pes.size(); ++p) {
    auto& new_process = *all_.emplace_back(std::make_unique<process>());
    auto worker = fabric_->make_worker();
    can_ = worker->can();
    new_process.wire_ =
        kind.make_endpoint(std::move(worker), static_cast<int>(p), new_process.where_, new_process);
  }
  for (auto& one : all_) {
    endpoints::places& where = one->where_;
    where.token = 77;
    for (std::size_t p = 0; p < pes.size(); ++p) {
      where.first_endpoint.push_back(p);
      where.endpoint_of_pe.insert(where.endpoint_of_pe.end(), static_cast<std::size_t>(pes[p]), p);
      where.endpoints.push_back({{all_[p]->wire_->address(), static_cast<int>(p), true}, 0, pes[p] == 1});
    }
  }
  if (can_.connects_late)  // makes the job so large that PEs do not greet each other, which would need
                           // replies
    for (auto& one : all_) one->where_.endpoints.resize(40, {{"", 0, false}, 0, true});
  int first_pe = 0;
  for (std::size_t p = 0; p < pes.size(); first_pe += pes[p], ++p)
    if (pes[p] == 1) all_[p]->wire_->belong_to(first_pe);
}

void subject::send(std::size_t from, int to, std::string content, bool may_wait, std::size_t beginning) {
  auto* const item = new text(std::move(content));
  item->coalesced = may_wait;
  item->beginning = beginning;
  at(from).wire().send(*item, to);
}

bool subject::write(std::size_t from, int to, const std::string& content, bool may_wait) {
  std::byte* const room = at(from).wire().room_for(to, content.size(), may_wait);
  if (room == nullptr) return false;
  std::memcpy(room, content.data(), content.size());
  at(from).wire().send_written(content.size(), may_wait);
  return true;
}

bool subject::look() {
  bool came = false;
  for (auto& process : all_) {
    const std::size_t departing = process->own().departing();
    try {
      came |= process->wire().progress(0);
    } catch (const std::exception& e) {
      expect(false, e.what());
    }
    came |= process->own().departing() != departing;
  }
  return came;
}

bool subject::receive(std::size_t number, std::size_t count) {
  return reach([&] {
    return at(number).came.size() >= count &&
           std::ranges::none_of(all_, [](const auto& process) { return process->wire().sending(); });
  });
}

void subject::expect_texts(std::size_t number, std::vector<std::string> should) {
  auto found = at(number).came;
  std::ranges::sort(found);
  std::ranges::sort(should);
  expect(found == should, "process " + std::to_string(number) + " has got " + std::to_string(found.size()) +
                              " texts that are not the " + std::to_string(should.size()) + " sent");
}

void subject::expect_in_order(std::size_t number, const std::vector<std::string>& should) {
  expect_texts(number, should);
  if (can_.ordered) expect(at(number).came == should, "texts come in another order");
}

void subject::expect_equal_counts() {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  for (const auto& process : all_) sent += process->own().sent(), received += process->own().received();
  expect_equal(received, sent, "the number of items received");
}

std::vector<std::string> subject::end() {
  bool finished = true;
  for (auto& process : all_) {
    for (const auto& loss : process->losses) expect(false, "a process is lost, " + loss);
    finished &= process->own().close();
  }
  all_.clear();
  fabric_->close(finished);
  expect_equal(text::there_are, texts_before_, "the number of texts at the end");
  return std::exchange(wrong_, {});
}

}  // namespace imbrex::test
