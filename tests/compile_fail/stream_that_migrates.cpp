// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: memory, streams and events of a device stay in their process: give a device_buffer
#include <imbrex/gpu.hpp>

class block : public imbrex::chare<block> {
 public:
  void serialize(auto& ar) { ar(cells_, work_); }

 private:
  imbrex::device_buffer<double> cells_;  // may migrate
  imbrex::stream work_{imbrex::gpu()};
};

void write_it(imbrex::writer& out, block& b) { b.serialize(out); }
