// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/error.hpp>

#include <cxxabi.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <typeinfo>

namespace imbrex {
namespace {

std::string demangled(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : type.name();
}

std::string in_binary_units(double bytes) {
  constexpr double mebibyte = 1024.0 * 1024.0;
  constexpr double gibibyte = 1024.0 * mebibyte;
  const bool large = bytes >= gibibyte;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %s", bytes / (large ? gibibyte : mebibyte),
                large ? "GiB" : "MiB");
  return text.data();
}

/// Bytes of this process that lie in memory now; 0 where the system does not tell.
double resident_bytes() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "r"),
                                                             std::fclose);
  unsigned long long resident = 0;
  if (!file || std::fscanf(file.get(), "%*u %llu", &resident) != 1) return 0;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double machine_bytes() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

std::string describe_out_of_memory() {
  return "out of memory (std::bad_alloc): the system refused an allocation while this process held " +
         in_binary_units(resident_bytes()) + " of the machine's " + in_binary_units(machine_bytes()) +
         "; make the problem smaller, or look at the limits set for the process (ulimit -v, its control "
         "group)";
}

}  // namespace

std::string exception_type(const std::exception_ptr& thrown) {
  if (!thrown) return {};
  try {
    std::rethrow_exception(thrown);
  } catch (const remote_error& e) {
    return e.type_name();
  } catch (const std::exception& e) {
    return demangled(typeid(e));
  } catch (...) {
    const std::type_info* type = abi::__cxa_current_exception_type();
    return type == nullptr ? "unknown" : demangled(*type);
  }
}

std::string describe(const std::exception_ptr& thrown) {
  if (!thrown) return "no exception";
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_array_new_length&) {
    return exception_type(thrown) + ": an array of a negative or impossible size was asked for";
  } catch (const std::bad_alloc&) {
    return describe_out_of_memory();
  } catch (const std::exception& e) {
    if (typeid(e) == typeid(error)) return e.what();  // what the runtime itself says
    return exception_type(thrown) + ": " + e.what();
  } catch (...) {
    return "an exception of type " + exception_type(thrown);
  }
}

}  // namespace imbrex
