// SPDX-License-Identifier: Apache-2.0
// The OSU micro-benchmarks between MPI ranks: latency, bandwidth and bidirectional bandwidth, for host memory
// and for device memory, which is sent directly or through the host.
//   imbrex run --ranks 2 --pes 2 --device emulated --devices 2 osu_ranks --memory device
//   imbrex run --ranks 12 --pes 12 --machine simulated --device-model summit --no-data
//       osu_ranks --memory device --distance 6
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/command.hpp>

#include "apps/harness/option_values.hpp"
#include "bench/mpi/main.hpp"

namespace {

struct settings {
  std::vector<std::string> benches{"latency"};
  std::vector<std::string> ways;
  bool on_device = false;
  std::int64_t smallest = 1;
  std::int64_t largest = 4 << 20;
  int window = 64;
  int distance = 1;
  int rounds = 0;
  bool checks = false;
  std::string json;
  bool quiet = false;
  std::string help;
};

std::vector<std::string> words_of(const char* option, const std::string& text,
                                  const std::vector<std::string>& known) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, end - at));
    if (std::ranges::find(known, words.back()) == known.end())
      harness::refuse(option, text, "there is no " + words.back());
    at = end + 1;
  }
  return words;
}

settings parse(int argc, char** argv, int ranks) {
  settings setup;
  setup.distance = ranks / 2;
  std::optional<std::string> bench, way, memory, smallest, largest, window, distance, rounds, json;
  imbrex::command own("osu_ranks", "[OPTIONS]",
                      "Times what two ranks of MPI say to each other, as the OSU micro-benchmarks do.");
  own.option("--bench", "KIND[,KIND...]", bench, "latency (default), bandwidth or bidirectional")
      .option(
          "--way", "WAY[,WAY...]", way,
          "transfers (default all): mpi; of memory in a device also mpi-staging, which copies it to the host")
      .option("--memory", "WHERE", memory, "location of the bytes: host (default) or device")
      .option("--smallest", "BYTES", smallest, "smallest message (default 1)")
      .option("--largest", "BYTES", largest, "largest message (default 4194304)")
      .option("--window", "N", window, "messages in flight at once, except for latency (default 64)")
      .option("--distance", "N", distance, "distance of the two ranks of a pair (default half of the ranks)")
      .option("--rounds", "N", rounds, "number of timed rounds (default 200, or 20 from 64 KiB on)")
      .flag("--check", setup.checks, "compare all bytes of a round with what was sent")
      .option("--json", "FILE", json, "write a line for each time to this file")
      .flag("--quiet", setup.quiet, "print errors only");
  if (auto help = own.read(std::vector<std::string>(argv + 1, argv + argc))) {
    setup.help = *std::move(help);
    return setup;
  }
  using harness::count_of;
  if (bench) setup.benches = words_of("--bench", *bench, {"latency", "bandwidth", "bidirectional"});
  if (memory) setup.on_device = words_of("--memory", *memory, {"host", "device"}).front() == "device";
  setup.ways = {"mpi"};
  if (setup.on_device) setup.ways.push_back("mpi-staging");
  if (way) setup.ways = words_of("--way", *way, setup.ways);
  if (smallest) setup.smallest = count_of("--smallest", *smallest, 1, "number of bytes");
  if (largest) setup.largest = count_of("--largest", *largest, setup.smallest, "number of bytes");
  if (window) setup.window = int(count_of("--window", *window, 1, "number of messages"));
  if (distance) setup.distance = int(count_of("--distance", *distance, 1, "distance"));
  if (rounds) setup.rounds = int(count_of("--rounds", *rounds, 1, "number of rounds"));
  if (json) setup.json = harness::file_of("--json", *json);
  if (setup.distance < 1 || setup.distance >= ranks)
    throw imbrex::usage_error("--distance " + std::to_string(setup.distance) + ": there are " +
                              std::to_string(ranks) + " ranks; give a smaller distance, from 1 on");
  return setup;
}

/// Bytes in memory of a device or of the host.
class memory {
 public:
  memory(bool on_device, std::size_t bytes) : on_device_(on_device) {
    if (on_device)
      MPIX_Device_malloc(MPI_Aint(bytes), &address_);
    else
      address_ = std::calloc(std::max<std::size_t>(bytes, 1), 1);
  }
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;
  ~memory() {
    if (on_device_)
      MPIX_Device_free(address_);
    else
      std::free(address_);
  }
  unsigned char* at(std::size_t i = 0) const { return static_cast<unsigned char*>(address_) + i; }

 private:
  bool on_device_;
  void* address_ = nullptr;
};

unsigned char content(int rank, std::size_t at) {
  return static_cast<unsigned char>((std::size_t(rank) * 31 + at * 7 + at / 251) % 251);
}

/// One rank of a pair, with its buffers for one course.
class station {
 public:
  station(const settings& setup, bool staged, std::size_t bytes, int window, int rank)
      : staged_(staged),
        bytes_(bytes),
        window_(window),
        leads_(rank == 0),
        other_(leads_ ? setup.distance : 0),
        out_(setup.on_device, bytes),
        in_(setup.on_device, bytes * std::size_t(window)),
        staged_out_(false, staged ? bytes * std::size_t(window) : 0),
        staged_in_(false, staged ? bytes * std::size_t(window) : 0),
        requests_(std::size_t(window)) {
    if (!setup.checks) return;
    std::vector<unsigned char> own(bytes);
    for (std::size_t i = 0; i < bytes; ++i) own[i] = content(rank, i);
    MPIX_Device_memcpy(out_.at(), own.data(), MPI_Aint(bytes));
  }

  void exchange(const std::string& bench) {
    if (bench == "latency") {
      leads_ ? (send_window(), receive_window()) : (receive_window(), send_window());
    } else if (bench == "bidirectional") {
      begin_receives();
      std::vector<MPI_Request> sends(requests_.size());
      begin_sends(sends);
      end_receives();
      MPI_Waitall(window_, sends.data(), MPI_STATUSES_IGNORE);
    } else {
      leads_ ? send_window() : receive_window();
      char answer = 0;
      leads_ ? MPI_Recv(&answer, 1, MPI_CHAR, other_, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
             : MPI_Send(&answer, 1, MPI_CHAR, other_, 1, MPI_COMM_WORLD);
    }
  }
  /// Whether the last received bytes are those that the other rank has sent; true if it does not receive.
  bool is_right(const std::string& bench) const {
    if (bench == "bandwidth" && leads_) return true;
    std::vector<unsigned char> came(bytes_ * std::size_t(window_));
    MPIX_Device_memcpy(came.data(), in_.at(), MPI_Aint(came.size()));
    for (std::size_t i = 0; i < came.size(); ++i)
      if (came[i] != content(other_, i % bytes_)) return false;
    return true;
  }

 private:
  std::size_t place(int message) const { return bytes_ * std::size_t(message); }
  void begin_sends(std::vector<MPI_Request>& requests) {
    for (int m = 0; m < window_; ++m) {
      if (staged_) MPIX_Device_memcpy(staged_out_.at(place(m)), out_.at(), MPI_Aint(bytes_));
      MPI_Isend(staged_ ? staged_out_.at(place(m)) : out_.at(), int(bytes_), MPI_BYTE, other_, 0,
                MPI_COMM_WORLD, &requests[std::size_t(m)]);
    }
  }
  void send_window() {
    begin_sends(requests_);
    MPI_Waitall(window_, requests_.data(), MPI_STATUSES_IGNORE);
  }
  void begin_receives() {
    for (int m = 0; m < window_; ++m)
      MPI_Irecv(staged_ ? staged_in_.at(place(m)) : in_.at(place(m)), int(bytes_), MPI_BYTE, other_, 0,
                MPI_COMM_WORLD, &requests_[std::size_t(m)]);
  }
  void end_receives() {
    for (int m = 0; m < window_; ++m) {
      MPI_Wait(&requests_[std::size_t(m)], MPI_STATUS_IGNORE);
      if (staged_) MPIX_Device_memcpy(in_.at(place(m)), staged_in_.at(place(m)), MPI_Aint(bytes_));
    }
  }
  void receive_window() {
    begin_receives();
    end_receives();
  }

  bool staged_;
  std::size_t bytes_;
  int window_;
  bool leads_;
  int other_;
  memory out_, in_, staged_out_, staged_in_;
  std::vector<MPI_Request> requests_;
};

/// Seconds of a round; 0 for ranks that take no part.
double measure(const settings& setup, const std::string& bench, bool staged, std::size_t bytes, int rank) {
  constexpr std::size_t large = 65'536;
  const int rounds = setup.rounds != 0 ? setup.rounds : bytes >= large ? 20 : 200;
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = 0;
  if (rank == 0 || rank == setup.distance) {
    station own(setup, staged, bytes, bench == "latency" ? 1 : setup.window, rank);
    double begin = 0;
    for (int round = -std::max(1, rounds / 10); round < rounds; ++round) {
      if (round == 0) begin = MPI_Wtime();
      own.exchange(bench);
    }
    seconds = (MPI_Wtime() - begin) / rounds;
    if (setup.checks && !own.is_right(bench)) {
      std::fprintf(stderr, "osu_ranks: error: %s of %zu bytes: other bytes came than were sent\n",
                   bench.c_str(), bytes);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  return seconds;
}

void run(const settings& setup, int rank) {
  std::FILE* json = nullptr;
  if (rank == 0 && !setup.json.empty()) {
    json = std::fopen(setup.json.c_str(), "w");
    if (json == nullptr) throw imbrex::error(setup.json + " cannot be written");
  }
  const bool prints = rank == 0 && !setup.quiet;
  const char* const where = setup.on_device ? "device" : "host";
  for (const std::string& bench : setup.benches) {
    const bool is_latency = bench == "latency";
    const char* const unit = is_latency ? "us" : "GB/s";
    if (prints) {
      std::printf("\n%s, %s memory, %s\n%10s", bench.c_str(), where, unit, "bytes");
      for (const std::string& way : setup.ways) std::printf("%14s", way.c_str());
      std::printf("\n");
    }
    for (std::int64_t bytes = setup.smallest; bytes <= setup.largest; bytes *= 2) {
      if (prints) std::printf("%10lld", static_cast<long long>(bytes));
      for (const std::string& way : setup.ways) {
        const double seconds = measure(setup, bench, way == "mpi-staging", std::size_t(bytes), rank);
        const double moved = double(setup.window) * double(bytes) * (bench == "bidirectional" ? 2 : 1);
        const double value = is_latency ? seconds / 2 * 1e6 : moved / seconds / 1e9;
        if (prints) std::printf("%14.4g", value);
        if (json != nullptr)
          std::fprintf(json,
                       "{\"bench\":\"%s\",\"memory\":\"%s\",\"way\":\"%s\",\"bytes\":%lld,\"value\":%.9g,"
                       "\"unit\":\"%s\",\"distance\":%d,\"window\":%d,\"checked\":%s}\n",
                       bench.c_str(), where, way.c_str(), static_cast<long long>(bytes), value, unit,
                       setup.distance, setup.window, setup.checks ? "true" : "false");
      }
      if (prints) std::printf("\n");
    }
  }
  if (json != nullptr && std::fclose(json) != 0) throw imbrex::error(setup.json + " cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  return bench::mpi_main("osu_ranks", argc, argv, [&](int rank, int ranks) {
    const settings setup = parse(argc, argv, ranks);
    if (setup.help.empty())
      run(setup, rank);
    else if (rank == 0)
      std::fputs(setup.help.c_str(), stdout);
  });
}
