// SPDX-License-Identifier: Apache-2.0
// Unpacks messages of every kind from arbitrary bytes, as a network could deliver them.

#include <imbrex/imbrex.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <imbrex/core/run/runtime.hpp>

namespace {

struct parcel {
  int label = 0;
  std::vector<std::string> content;
};

class station : public imbrex::chare<station, imbrex::index<2>> {
 public:
  imbrex::mailbox<parcel> in;

  void see(std::span<const double> values, std::string name) { seen_ = name + std::to_string(values.size()); }
  std::unique_ptr<parcel> give(std::unique_ptr<parcel> p) { return p; }
  imbrex::task<int> move() {
    migrate_to(0);
    co_await balance_point<&station::move>();
    const double all = co_await all_reduce(1.0, imbrex::sum);
    co_return static_cast<int>(all);
  }
  void serialize(auto& ar) { ar(in, seen_); }

 private:
  std::string seen_;
};

/// Names all entries, so that their messages are in the table; never runs.
[[maybe_unused]] imbrex::task<> use_everything() {
  auto all = imbrex::make_array<station>({2, 2});
  imbrex::send<&station::in>(all[{0, 1}], 3, parcel{});
  imbrex::send<&station::see>(all, std::vector<double>{1, 2}, "name");
  co_await all[{0, 0}].call<&station::give>(std::make_unique<parcel>());
  co_await all.reduce<&station::move>(imbrex::gather);
}

/// Lower bound of the number of message kinds in this program.
constexpr std::uint8_t kinds = 24;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static auto* const run = new imbrex::detail::runtime(imbrex::options{.pes = 1});
  const imbrex::detail::scheduler::activation as(run->processor_at(0));
  if (size < 2) return 0;
  // Makes the header's flags and the kind valid; most random inputs would fail there.
  std::vector<std::byte> bytes(size);
  std::memcpy(bytes.data(), data, size);
  bytes[0] &= std::byte{7};
  const std::uint8_t kind = data[1] % kinds;
  bytes[1] = std::byte{kind};
  imbrex::reader in(bytes);
  try {
    imbrex::detail::work* item = imbrex::detail::message_table::at(kind).unpack(in);
    item->type->destroy(*item);
  } catch (const imbrex::serial_error&) {  // a receiver refuses such bytes in the same way
  }
  return 0;
}
