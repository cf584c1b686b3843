// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/datatype/element.hpp>

namespace imbrex::mpi {

int size_of(element e) {
  switch (e) {
    case element::none: return 0;
    case element::byte:
    case element::packed:
    case element::character:
    case element::int8:
    case element::uint8:
    case element::boolean: return 1;
    case element::int16:
    case element::uint16: return 2;
    case element::wide_character:
    case element::int32:
    case element::uint32:
    case element::float32:
    case element::logical: return 4;
    case element::int64:
    case element::uint64:
    case element::long_integer:
    case element::unsigned_long:
    case element::float64:
    case element::complex64: return 8;
    case element::long_float:
    case element::float128:
    case element::complex128: return 16;
    case element::long_complex:
    case element::complex256: return 32;
  }
  return 0;
}

int external_size_of(element e) {
  switch (e) {
    case element::wide_character: return 2;
    case element::long_integer:
    case element::unsigned_long: return 4;
    default: return size_of(e);
  }
}

int alignment_of(element e) {
  switch (e) {
    case element::none: return 1;
    case element::complex64: return 4;
    case element::complex128: return 8;
    case element::long_complex:
    case element::complex256: return 16;
    default: return size_of(e);
  }
}

}  // namespace imbrex::mpi
