// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/device_transfers.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/gpu/pe_device.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/pe/pending.hpp>
#include <imbrex/core/pe/run_services.hpp>
#include <imbrex/device/attachment.hpp>
#include <imbrex/device/model.hpp>

namespace imbrex::detail {

transfer_streams& transfers_here() {
  device& of = gpu();
  auto& pe = processor::here();
  return pe.run().devices().transfers(pe.pe(), of);
}

stream& stream_into(device& of) {
  if (&of == &gpu()) return transfers_here().in;
  return processor::here().run().devices().carrier(of);
}

stream& stream_out_of(device& of) {
  if (&of == &gpu()) return transfers_here().out;
  return processor::here().run().devices().carrier(of);
}

bool is_short_transfer(std::size_t bytes) {
  constexpr std::size_t usual = 8192;  // UCX's usual threshold for device memory
  const device_model* const model = processor::here().run().model();
  return bytes <= (model != nullptr && model->has_links() ? model->link.eager : usual);
}

stream& stream_to_land(std::size_t bytes) {
  transfer_streams& streams = transfers_here();
  return is_short_transfer(bytes) ? streams.in : streams.beside();
}

namespace {

/// Notifies the sending process when a part has been read, or will not be read.
class far_lender final : public memory_lender {
 public:
  explicit far_lender(const far_memory& of) : of_(of) {}
  ~far_lender() override {
    if (scheduler::current() == nullptr) return;  // the run has ended
    try {
      auto it = std::make_unique<far_memory>(of_);
      bool waits = false;
      if (read_) {
        stream& reads = transfers_here().out;
        reads.wait(read_);
        waits = notify_here(reads, {&far_lender::tell, &far_lender::cancel, it.get()}) != nullptr;
      }
      far_memory* const record = it.release();
      if (!waits) tell(record, nullptr);
    } catch (const error&) {  // a device has failed, which ends the run
    }
  }
  void read(const shared_event& at) noexcept override { read_ = at; }

 private:
  static void tell(void* self, const std::exception_ptr&) {
    const std::unique_ptr<far_memory> of(static_cast<far_memory*>(self));
    send_end(of->lender[0], {of->lender[1], of->lender[2], 0});
  }
  static void cancel(void* self) noexcept { delete static_cast<far_memory*>(self); }

  const far_memory of_;
  shared_event read_;
};

}  // namespace

namespace {

int process_of(const processor& pe, int with) {
  const auto starts = pe.run().process_starts();
  return static_cast<int>(std::ranges::upper_bound(starts, with) - starts.begin() - 1);
}

}  // namespace

bool may_share_memory(const processor& pe, int with) {
  return pe.run().devices().are_read_by(process_of(pe, with));
}

bool has_readers(const processor& pe) { return pe.run().devices().has_readers(); }

bool may_send_memory(const processor& pe, int with) {
  return pe.run().devices().are_sent_to(process_of(pe, with));
}

void require_no_sending(const processor& pe, int with, device& of) {
  if (pe.run().how().gpu_path != device_path::network) return;
  const std::string& own = pe.run().devices().why_not_sent();
  throw error(
      "--gpu-path network: memory of " + of.info().label() + " cannot be sent to PE " + std::to_string(with) +
      ": " +
      (own.empty() ? "it is on this host, has no device, or its network does not know such memory" : own) +
      "; leave --gpu-path out");
}

void require_no_sharing(const processor& pe, int with, device& of) {
  if (pe.run().how().gpu_path != device_path::shared) return;
  const std::string problem = of.backend().why_no_key();
  throw error("--gpu-path shared: memory of " + of.info().label() + " cannot be read by PE " +
              std::to_string(with) + ": " +
              (may_share_memory(pe, with)
                   ? (problem.empty() ? "its kind of device shares no memory" : problem)
                   : "it is on another host, has no device, or could not open it when the run began") +
              "; leave --gpu-path out");
}

void read_attachment(reader& in, attachment& part, std::size_t size) {
  part.serialize(in, size);
  if (in.carrier() != nullptr) return;  // the part has its lender already
  if (const far_memory* const far = part.far()) part.borrow(std::make_unique<far_lender>(*far));
}

void write_pinned(writer& out, const pooled_memory& memory, std::size_t bytes) {
  if (part_carrier* const carrier = out.carrier()) carrier->take_host_memory();
  out.number(static_cast<std::uint64_t>(bytes));
  if (bytes != 0) out.bytes(memory.address(), bytes);
}

void read_pinned(reader& in, pooled_memory& memory, std::size_t size) {
  memory = {};
  std::uint64_t bytes = 0;
  in.bytes(&bytes, sizeof bytes);
  if (bytes == 0) return;
  if (bytes % size != 0 || bytes > in.remaining())
    throw serial_error("malformed message: a pinned_buffer of " + std::to_string(bytes) +
                       " bytes, which it does not hold");
  memory = pooled_memory(gpu(), memory_kind::pinned, bytes / size, size);
  in.bytes(memory.address(), bytes);
}

stream* stream_out_of(const attachment& part) {
  device* const from = part.on();
  return from == nullptr || from == &gpu() ? nullptr : &stream_out_of(*from);
}

void land_attachment(attachment& part) {
  if (part.must_land(gpu())) part.land(stream_to_land(part.bytes()), stream_out_of(part));
}

}  // namespace imbrex::detail
