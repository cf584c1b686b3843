// SPDX-License-Identifier: Apache-2.0
// Passes arbitrary bytes to a process of a job as received items, batches of items, and control messages of
// other processes. The first byte selects which, the rank of the process among three, and the sender. Short
// items are also run.

#include <imbrex/core/run/job.test.hpp>
#include <imbrex/imbrex.hpp>
#include <imbrex/net/endpoint/batch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace {

class station : public imbrex::chare<station> {
 public:
  imbrex::mailbox<std::vector<std::string>> in;
  void see(std::span<const double>, std::string) {}
  int give(int value) { return value; }
  void tell(bool, std::span<const double> values, char) {
    for (const double v : values) sum_ += v;
  }

 private:
  double sum_ = 0;
};

/// Uses entries, so that their messages are in the table; never runs.
[[maybe_unused]] imbrex::task<> use_everything() {
  auto all = imbrex::make_array<station>(3);
  imbrex::send<&station::in>(all[1], 3, std::vector<std::string>{});
  imbrex::send<&station::see>(all, std::vector<double>{}, "name");
  imbrex::send<&station::tell>(all[2], true, std::vector<double>{}, 'x');
  co_await all.reduce<&station::give>(imbrex::gather, 1);
}

/// Lower bound of the number of message kinds in this program.
constexpr std::uint8_t kinds = 18;

constexpr std::uint32_t array_number = 2;

void take_item(imbrex::test::lone_process& here, std::span<const std::byte> content) {
  std::vector<std::byte> bytes(content.begin(), content.end());
  // Makes the header's flags and the kind valid; most random inputs would fail there.
  if (bytes.size() < 4) return here.take_item(bytes);
  bytes[0] &= std::byte{7};
  bytes[1] = std::byte(static_cast<std::uint8_t>(bytes[1]) % kinds);
  if (here.run_short(bytes)) return;
  const auto last = static_cast<std::uint8_t>(bytes.back());
  bytes.pop_back();
  if (last < 128) return here.take_item(bytes);
  // Passes the rest as an item with a separate block; its position and size are the last bytes.
  const std::size_t size = static_cast<std::uint8_t>(bytes.back()) % bytes.size();
  bytes.pop_back();
  const std::size_t place = static_cast<std::uint8_t>(bytes.back());
  bytes.pop_back();
  const std::vector<std::byte> block(size, std::byte{3});
  here.take_item(bytes, {place, size, last < 192 ? block.data() : nullptr});
}

void take_batch(imbrex::test::lone_process& here, std::span<const std::byte> content) {
  imbrex::batch::for_each(content, [&here](std::span<const std::byte> item) { take_item(here, item); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const int rank = data[0] % 3;
  imbrex::test::lone_process here(rank);
  here.add_array<station>(array_number);
  // Several control messages in a row, so that each meets the state left by the previous one.
  std::span<const std::byte> rest = std::as_bytes(std::span(data + 1, size - 1));
  try {
    if (data[0] >= 224) {
      take_batch(here, rest);
    } else if (data[0] >= 128) {
      take_item(here, rest);
    } else {
      while (!rest.empty() && !here.run().ended()) {
        const auto head = static_cast<std::uint8_t>(rest[0]);
        const auto length = std::min<std::size_t>(head / 4 % 32, rest.size() - 1);
        here.receive_control_message(head % 4, rest.subspan(1, length));
        rest = rest.subspan(1 + length);
      }
    }
  } catch (const imbrex::serial_error&) {  // a process would end the run with this error
  } catch (const imbrex::error&) {  // thrown for a proxy that names nothing, or a class of another name
  }
  return 0;
}
