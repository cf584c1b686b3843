// SPDX-License-Identifier: Apache-2.0
// Sends and receives of data in device memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/device/operation_observer.hpp>
#include <imbrex/mpi/device_ranks.test.hpp>

namespace imbrex::mpi {

class device_buffers : public on_devices {};
INSTANTIATE_TEST_SUITE_P(on, device_buffers, ::testing::ValuesIn(machines_with_devices()), name_of_machine);

namespace {

constexpr std::size_t some_sizes[] = {0, 1, 7, 4096, (1U << 20U) + 3};

/// Whether the sender's and the receiver's data lie on a device.
struct ends {
  bool sender, receiver;
};
constexpr ends some_ends[] = {{true, true}, {false, true}, {true, false}};

}  // namespace

TEST_P(device_buffers, come_as_they_were_sent) {
  run_on_devices(3, [] {
    const auto [me, n] = rank_and_size();
    const int right = (me + 1) % n;
    const int left = (me + n - 1) % n;
    std::uint32_t seed = 0;
    for (const std::size_t size : some_sizes)
      for (const ends& where : some_ends) {
        ++seed;
        values_in<std::uint8_t> out(where.sender, bytes_for(size, 100 * seed + std::uint32_t(me)));
        values_in<std::uint8_t> in(where.receiver, size);
        MPI_Request both[2];
        MPI_Irecv(in.at(), int(size), MPI_BYTE, left, 5, MPI_COMM_WORLD, &both[0]);
        MPI_Isend(out.at(), int(size), MPI_BYTE, right, 5, MPI_COMM_WORLD, &both[1]);
        MPI_Status statuses[2];
        EXPECT_EQ(MPI_Waitall(2, both, statuses), MPI_SUCCESS);
        int got = -1;
        MPI_Get_count(&statuses[0], MPI_BYTE, &got);
        EXPECT_EQ(got, int(size));
        EXPECT_EQ(statuses[0].MPI_SOURCE, left);
        EXPECT_EQ(in.get(), bytes_for(size, 100 * seed + std::uint32_t(left))) << size;
      }
  });
}

TEST_P(device_buffers, go_through_the_host_where_that_is_asked_for) {
  run_on_devices(
      4,
      [] {
        const auto [me, n] = rank_and_size();
        for (const std::size_t size : some_sizes) {
          values_in<std::uint8_t> out(true, bytes_for(size, std::uint32_t(me)));
          values_in<std::uint8_t> in(true, size);
          for (int distance = 1; distance < n; ++distance) {
            EXPECT_EQ(MPI_Sendrecv(out.at(), int(size), MPI_BYTE, (me + distance) % n, 1, in.at(), int(size),
                                   MPI_BYTE, (me + n - distance) % n, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                      MPI_SUCCESS);
            EXPECT_EQ(in.get(), bytes_for(size, std::uint32_t((me + n - distance) % n)));
          }
        }
      },
      [](options& settings) { settings.gpu_path = device_path::host; });
}

TEST_P(device_buffers, are_sent_in_all_modes) {
  run_on_devices(2, [] {
    const auto [me, n] = rank_and_size();
    constexpr std::size_t size = 5000;
    std::vector<char> attached_buffer(100'000);
    MPI_Buffer_attach(attached_buffer.data(), int(attached_buffer.size()));
    values_in<std::uint8_t> out(true, bytes_for(size, std::uint32_t(me)));
    values_in<std::uint8_t> in(true, size);
    const auto expected = bytes_for(size, std::uint32_t(1 - me));
    using begin_send = int(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
    for (begin_send* const send : {&MPI_Isend, &MPI_Issend, &MPI_Irsend, &MPI_Ibsend}) {
      in.put(std::vector<std::uint8_t>(size));
      MPI_Request both[2];
      MPI_Irecv(in.at(), int(size), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &both[0]);
      send(out.at(), int(size), MPI_BYTE, 1 - me, 3, MPI_COMM_WORLD, &both[1]);
      EXPECT_EQ(MPI_Waitall(2, both, MPI_STATUSES_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(in.get(), expected);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Request again[2];
    MPI_Recv_init(in.at(), int(size), MPI_BYTE, 1 - me, 4, MPI_COMM_WORLD, &again[0]);
    MPI_Send_init(out.at(), int(size), MPI_BYTE, 1 - me, 4, MPI_COMM_WORLD, &again[1]);
    for (std::uint32_t round = 10; round < 14; ++round) {
      out.put(bytes_for(size, round + std::uint32_t(me)));
      MPI_Startall(2, again);
      EXPECT_EQ(MPI_Waitall(2, again, MPI_STATUSES_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(in.get(), bytes_for(size, round + std::uint32_t(1 - me)));
    }
    MPI_Request_free(&again[0]);
    MPI_Request_free(&again[1]);
    void* address = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(&address, &bytes);
    EXPECT_EQ(bytes, 100'000);
  });
}

/// Order of sending also holds if data on a device take longer and other paths than data on the host.
TEST_P(device_buffers, come_in_the_order_of_sending) {
  run_on_devices(2, [] {
    const auto [me, n] = rank_and_size();
    constexpr int count = 40;
    constexpr std::size_t most = 20'000;
    const auto size_of = [](int i) {
      return std::size_t(i * 7919 % 3 == 0 ? most - std::size_t(i) : 8 + i % 5);
    };
    const auto is_on_device = [](int i, int salt) { return (i * 31 + salt) % 3 != 0; };
    if (me == 0) {
      std::vector<std::unique_ptr<values_in<std::uint8_t>>> out;
      std::vector<MPI_Request> all(count);
      for (int i = 0; i < count; ++i) {
        out.push_back(std::make_unique<values_in<std::uint8_t>>(is_on_device(i, 1),
                                                                bytes_for(size_of(i), std::uint32_t(i))));
        MPI_Isend(out.back()->at(), int(size_of(i)), MPI_BYTE, 1, 6, MPI_COMM_WORLD, &all[std::size_t(i)]);
      }
      EXPECT_EQ(MPI_Waitall(count, all.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    } else {
      for (int i = 0; i < count; ++i) {
        values_in<std::uint8_t> in(is_on_device(i, 2), most);
        MPI_Status status;
        if (i % 4 == 0) {
          MPI_Message found = MPI_MESSAGE_NULL;
          MPI_Mprobe(0, 6, MPI_COMM_WORLD, &found, &status);
          EXPECT_EQ(MPI_Mrecv(in.at(), int(most), MPI_BYTE, &found, &status), MPI_SUCCESS);
        } else {
          EXPECT_EQ(MPI_Recv(in.at(), int(most), MPI_BYTE, 0, 6, MPI_COMM_WORLD, &status), MPI_SUCCESS);
        }
        int got = -1;
        MPI_Get_count(&status, MPI_BYTE, &got);
        EXPECT_EQ(got, int(size_of(i))) << i;
        auto bytes = in.get();
        bytes.resize(std::size_t(got));
        EXPECT_EQ(bytes, bytes_for(size_of(i), std::uint32_t(i))) << i;
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
  });
}

TEST_P(device_buffers, are_cut_off_and_given_up) {
  run_on_devices(2, [] {
    const auto [me, n] = rank_and_size();
    for (const bool on_device : {true, false}) {
      values_in<std::uint8_t> data(on_device, 9000);
      values_in<std::uint8_t> kept(true, std::vector<std::uint8_t>(9000, 77));
      if (me == 0) {
        data.put(bytes_for(9000, 1));
        MPI_Send(data.at(), 9000, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Request never = MPI_REQUEST_NULL;
        MPI_Issend(kept.at(), 9000, MPI_BYTE, 1, 99, MPI_COMM_WORLD, &never);
        MPI_Cancel(&never);
        MPI_Status status;
        MPI_Wait(&never, &status);
        int cancelled = 0;
        MPI_Test_cancelled(&status, &cancelled);
        EXPECT_EQ(cancelled, 1);
      } else {
        EXPECT_EQ(error_class(MPI_Recv(kept.at(100), 800, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)),
                  MPI_ERR_TRUNCATE);
        std::vector<std::uint8_t> expected(9000, 77);
        const auto sent = bytes_for(9000, 1);
        std::copy(sent.begin(), sent.begin() + 800, expected.begin() + 100);
        EXPECT_EQ(kept.get(), expected);
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
  });
}

TEST_P(device_buffers, of_any_datatype_leave_the_gaps_alone) {
  run_on_devices(2, [] {
    const auto [me, n] = rank_and_size();
    constexpr int rows = 13;
    constexpr int columns = 29;
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(rows, 1, columns, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Datatype some = MPI_DATATYPE_NULL;
    const int lengths[] = {3, 1, 5};
    const int places[] = {100, 7, 40};
    MPI_Type_indexed(3, lengths, places, MPI_INT, &some);
    MPI_Type_commit(&some);
    std::vector<int> own(rows * columns);
    for (const ends& where : some_ends) {
      std::iota(own.begin(), own.end(), 10'000 * (me + 1));
      values_in<int> out(where.sender, own);
      std::vector<int> expected(own.size(), -1);
      values_in<int> in(where.receiver, expected);
      // Two transfers of one matrix at once, in each direction.
      std::array<MPI_Request, 6> all;
      MPI_Irecv(in.at(3), 1, column, 1 - me, 1, MPI_COMM_WORLD, &all[0]);
      MPI_Irecv(in.at(4), 1, column, 1 - me, 2, MPI_COMM_WORLD, &all[1]);
      MPI_Irecv(in.at(201), 1, some, 1 - me, 3, MPI_COMM_WORLD, &all[2]);
      MPI_Isend(out.at(5), 1, column, 1 - me, 1, MPI_COMM_WORLD, &all[3]);
      MPI_Isend(out.at(6), rows, MPI_INT, 1 - me, 2, MPI_COMM_WORLD, &all[4]);
      MPI_Isend(out.at(210), 1, some, 1 - me, 3, MPI_COMM_WORLD, &all[5]);
      EXPECT_EQ(MPI_Waitall(int(all.size()), all.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
      const int first = 10'000 * (2 - me);
      for (int i = 0; i < rows; ++i) {
        expected[std::size_t(3 + i * columns)] = first + 5 + i * columns;
        expected[std::size_t(4 + i * columns)] = first + 6 + i;
      }
      for (int block = 0; block < 3; ++block)
        for (int i = places[block]; i < places[block] + lengths[block]; ++i)
          expected[std::size_t(201 + i)] = first + 210 + i;
      EXPECT_EQ(in.get(), expected);
      EXPECT_EQ(
          MPI_Sendrecv_replace(in.at(8), 1, column, 1 - me, 4, 1 - me, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
          MPI_SUCCESS);
    }
    MPI_Type_free(&column);
    MPI_Type_free(&some);
  });
}

TEST_P(device_buffers, are_refused_where_they_cannot_be_used) {
  run_on_devices(2, [] {
    const auto [me, n] = rank_and_size();
    values_in<double> data(true, 10);
    double host = 0;
    MPI_Win window = MPI_WIN_NULL;
    EXPECT_EQ(error_class(MPI_Win_create(data.at(), 80, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &window)),
              MPI_ERR_BUFFER);
    int position = 0;
    EXPECT_EQ(error_class(MPI_Pack(data.at(), 1, MPI_DOUBLE, &host, 8, &position, MPI_COMM_WORLD)),
              MPI_ERR_BUFFER);
    EXPECT_EQ(error_class(MPI_Reduce_local(&host, data.at(), 1, MPI_DOUBLE, MPI_SUM)), MPI_ERR_BUFFER);
    // Errors: data longer than their memory, a wrong address to free, too large and negative allocations.
    EXPECT_EQ(error_class(MPI_Send(data.at(), 100'000'000, MPI_DOUBLE, me, 0, MPI_COMM_WORLD)),
              MPI_ERR_BUFFER);
    EXPECT_EQ(error_class(MPI_Send(data.at(), 11, MPI_DOUBLE, me, 0, MPI_COMM_WORLD)), MPI_ERR_BUFFER);
    EXPECT_EQ(error_class(MPI_Recv(data.at(9), 2, MPI_DOUBLE, me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)),
              MPI_ERR_BUFFER);
    EXPECT_EQ(error_class(MPIX_Device_memcpy(data.at(1), data.at(), 80)), MPI_ERR_BUFFER);
    EXPECT_EQ(error_class(MPI_Bcast(data.at(), 11, MPI_DOUBLE, 0, MPI_COMM_WORLD)), MPI_ERR_BUFFER);
    EXPECT_EQ(error_class(MPIX_Device_free(data.at(1))), MPI_ERR_BASE);
    void* address = nullptr;
    EXPECT_EQ(error_class(MPIX_Device_malloc(MPI_Aint{1} << 60U, &address)), MPI_ERR_NO_MEM);
    EXPECT_EQ(error_class(MPIX_Device_malloc(-1, &address)), MPI_ERR_ARG);
    EXPECT_EQ(MPIX_Query_cuda_support(), 0);
  });
}

namespace {

/// Counts a device's copies.
class copy_counter final : public operation_observer {
 public:
  void finished(const finished_operation& operation) noexcept override {
    using enum finished_operation::type;
    if (operation.what == from_device) ++down;
    if (operation.what == to_device) ++up;
    if (operation.what == within_device) ++within;
  }
  std::atomic<int> down = 0, up = 0, within = 0;
};

/// Expects these copies per message on the receiver's device; sender and receiver in two runtimes or in one.
void count_copies(bool sender, bool receiver, int down, int up, int within) {
  const auto [me, n] = rank_and_size();
  for (const std::size_t size : {std::size_t{8}, std::size_t{100'000}}) {
    values_in<std::uint8_t> data(me == 0 ? sender : receiver, bytes_for(size, std::uint32_t(me)));
    copy_counter counter;
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1) EXPECT_TRUE(gpu().backend().observe(&counter));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 10; ++i)
      me == 0 ? MPI_Send(data.at(), int(size), MPI_BYTE, 1, 0, MPI_COMM_WORLD)
              : MPI_Recv(data.at(), int(size), MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1) {
      gpu().backend().observe(nullptr);
      EXPECT_EQ(counter.down, 10 * down) << size;
      EXPECT_EQ(counter.up, 10 * up) << size;
      EXPECT_EQ(counter.within, 10 * within) << size;
      EXPECT_EQ(data.get(), bytes_for(size, 0));
    }
    MPI_Barrier(MPI_COMM_WORLD);  // later work of rank 0 must not count
  }
}

}  // namespace

/// The host could read memory of emulated devices; the counted copies show that it does not.
TEST_P(device_buffers, are_copied_once_by_the_device) {
  run_on_devices(2, [] { count_copies(true, true, 0, 0, 1); });
  run_on_devices(2, [] { count_copies(false, true, 0, 1, 0); });
}

class modelled_buffers : public on_devices {};
INSTANTIATE_TEST_SUITE_P(on, modelled_buffers, ::testing::Values(machine_by_name("simulated")),
                         name_of_machine);

/// In the model a transfer between two hosts begins 26 us after its request; 64 KiB then take 6.6 us.
TEST_P(modelled_buffers, of_one_window_come_side_by_side) {
  options settings{.pes = 12, .machine = machine_kind::simulated};
  settings.device = "emulated";
  settings.device_model = "summit";
  EXPECT_EQ(run_ranks_once(settings, 12,
                           [] {
                             const auto [me, n] = rank_and_size();
                             if (me != 0 && me != 6) return;
                             constexpr int window = 32;
                             constexpr int bytes = 1 << 16;
                             values_in<std::uint8_t> data(true, std::size_t(bytes) * window);
                             if (me == 0) data.put(bytes_for(std::size_t(bytes) * window, 3));
                             MPI_Request requests[window];
                             const double begin = MPI_Wtime();
                             for (int m = 0; m < window; ++m)
                               me == 0 ? MPI_Isend(data.at(std::size_t(m) * bytes), bytes, MPI_BYTE, 6, m,
                                                   MPI_COMM_WORLD, &requests[m])
                                       : MPI_Irecv(data.at(std::size_t(m) * bytes), bytes, MPI_BYTE, 0, m,
                                                   MPI_COMM_WORLD, &requests[m]);
                             MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
                             if (me == 0) return;
                             EXPECT_LT(MPI_Wtime() - begin, window * 26e-6 * 0.7);
                             EXPECT_EQ(data.get(), bytes_for(std::size_t(bytes) * window, 3));
                           }),
            0);
}

TEST(device_buffers, need_a_device) {
  options settings = threads(1);
  program what;
  what.ranks = 1;
  what.make_state = [](rank& of) {
    auto state = std::make_unique<rank_data>(of);
    state->now = rank_data::phase::running;
    state->world().set_handler(ref(predefined_error_handler(MPI_ERRORS_RETURN)));
    return state;
  };
  const std::function<int()> code = [] {
    void* address = nullptr;
    EXPECT_EQ(error_class(MPIX_Device_malloc(8, &address)), MPI_ERR_OTHER);
    int from = 3, to = 0;
    EXPECT_EQ(MPIX_Device_memcpy(&to, &from, sizeof to), MPI_SUCCESS);
    EXPECT_EQ(to, 3);
    return 0;
  };
  what.make_code = [&code](int) { return std::make_unique<function_code>(code); };
  const program_selection selection(what);
  EXPECT_EQ(imbrex::run(settings, [&what] { return ranks_of(what); }), 0);
}

}  // namespace imbrex::mpi
