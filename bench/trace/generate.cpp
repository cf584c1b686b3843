// SPDX-License-Identifier: Apache-2.0
// Writes the trace of a synthetic stencil run, of any length, to measure the report with:
//   trace_generate FILE RECORDS [PES] [PROCESSES]
// Each PE runs an item for each message of its two neighbours: a coroutine resumes, sends a message and waits
// again.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <imbrex/base/options/number.hpp>
#include <imbrex/trace/file_writer.hpp>

namespace {

using imbrex::trace::record;
using imbrex::trace::record_kind;

constexpr std::size_t records_a_flush = 4096;

struct message {
  std::uint64_t sent = 0;
  std::uint64_t address = 0;
  std::uint32_t packer = 0;  // packing track, plus one
  std::uint32_t number = 0;
};

struct pe {
  std::vector<record> buffer;
  std::uint64_t time = 1000;
  std::uint32_t packed = 0;
  std::vector<message> inbox;
  std::vector<message> next;
};

class generator {
 public:
  generator(const std::string& file, std::uint32_t pes, std::uint32_t processes)
      : pes_(pes), pes_a_process_((pes + processes - 1) / processes) {
    for (std::uint32_t process = 0; process < processes; ++process) {
      imbrex::trace::file_header head;
      head.process = process;
      head.processes = processes;
      head.first_pe = process * pes_a_process_;
      head.pes = pes_a_process_;
      auto& out = *files_.emplace_back(
          std::make_unique<imbrex::trace::file_writer>(imbrex::trace::file_of_process(file, process), head));
      out.write_name(imbrex::trace::name_table::entries, 0, 0, "block::run");
      out.write_name(imbrex::trace::name_table::entries, 1, 0, "block::halo");
      out.write_name(imbrex::trace::name_table::collections, 0, 0, "block\t" + std::to_string(8 * pes));
      out.write({0, 0, 100});
    }
    for (std::uint32_t p = 0; p < pes; ++p)
      for (const std::uint32_t to : {(p + 1) % pes, (p + pes - 1) % pes}) send(p, to);
    exchange();
  }

  void run(std::uint64_t records) {
    while (written_ < records) {
      for (std::uint32_t p = 0; p < pes_.size(); ++p)
        for (std::size_t k = 0; k < pes_[p].inbox.size(); ++k) item(p, k);
      exchange();
    }
    for (std::uint32_t p = 0; p < pes_.size(); ++p) flush(p);
    for (auto& file : files_) file->end();
  }

 private:
  void item(std::uint32_t p, std::size_t k) {
    pe& here = pes_[p];
    message came = here.inbox[k];
    const auto ready = came.sent + 500 + random_() % 3000;
    if (ready > here.time + 2000) {
      put(p, record_kind::parked, 0, 0, 0, 10);
      here.time = std::max(here.time, ready - 20);
      put(p, record_kind::woken, 0, 0, 0, 5);
    }
    here.time = std::max(here.time, ready);
    if (came.packer != 0) came.address = address(p, 7 + k);
    put(p, record_kind::arrived, came.address, came.packer, came.number, 20);
    const std::uint64_t element = 8 * p + random_() % 8;
    put(p, record_kind::item_begin, came.address, element, 0, 30, 1);
    put(p, record_kind::resumed, 0, element, 0, 200 + random_() % 1000, 0, 1);
    send(p, k % 2 == 0 ? (p + 1) % pes() : (p + pes() - 1) % pes());
    put(p, record_kind::suspended, 0, element, 0, 20, 0, 1);
    put(p, record_kind::item_end, 0, 0, 0, 50);
  }

  void send(std::uint32_t from, std::uint32_t to) {
    message m;
    m.sent = pes_[from].time;
    m.address = address(from, random_() % 1024 + 16);
    put(from, record_kind::sent, m.address, 64 << (random_() % 12), to, 20, 1);
    if (from / pes_a_process_ != to / pes_a_process_) {
      m.packer = from + 1;
      m.number = ++pes_[from].packed;
      put(from, record_kind::packed, m.address, 64, m.number, 20);
    }
    pes_[to].next.push_back(m);
  }

  void exchange() {
    for (pe& p : pes_) {
      p.inbox.swap(p.next);
      p.next.clear();
    }
  }

  void put(std::uint32_t p, record_kind kind, std::uint64_t a, std::uint64_t b, std::uint32_t group,
           std::uint64_t took, std::uint16_t entry = 0, std::uint8_t detail = 0) {
    pe& here = pes_[p];
    here.buffer.push_back({here.time, kind, detail, entry, group, a, b});
    here.time += took;
    if (here.buffer.size() == records_a_flush) flush(p);
  }
  void flush(std::uint32_t p) {
    files_[p / pes_a_process_]->write(p, pes_[p].buffer);
    written_ += pes_[p].buffer.size();
    pes_[p].buffer.clear();
  }
  std::uint64_t address(std::uint32_t p, std::uint64_t slot) const {
    return 0x7f00'0000'0000U + (std::uint64_t{p} << 20U) + slot * 64;
  }
  std::uint32_t pes() const { return static_cast<std::uint32_t>(pes_.size()); }

  std::mt19937 random_{1};
  std::vector<pe> pes_;
  std::uint32_t pes_a_process_;
  std::vector<std::unique_ptr<imbrex::trace::file_writer>> files_;
  std::uint64_t written_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int k, std::uint64_t otherwise) {
    return argc > k ? imbrex::parse_number<std::uint64_t>(argv[k]).value_or(0) : otherwise;
  };
  const auto records = number(2, 0);
  const auto pes = number(3, 4);
  const auto processes = number(4, 1);
  if (records == 0 || pes < 2 || pes > 65'536 || processes < 1 || pes % processes != 0) {
    std::fputs(
        "usage: trace_generate FILE RECORDS [PES] [PROCESSES]; at least 2 PEs, the same number in each "
        "process\n",
        stderr);
    return 2;
  }
  generator(argv[1], static_cast<std::uint32_t>(pes), static_cast<std::uint32_t>(processes)).run(records);
  return 0;
}
