// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/error.hpp>

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <typeinfo>

#include <imbrex/base/out_of_memory.hpp>

namespace imbrex {
namespace {

std::string demangled(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : type.name();
}

}  // namespace

foreign_error::foreign_error(const std::string& text, std::vector<std::byte> form)
    : error(text), form_(std::make_shared<const std::vector<std::byte>>(std::move(form))) {}

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
    return exception_type(thrown) + ": an array of a negative or impossible size was requested";
  } catch (const out_of_memory& e) {
    return e.what();
  } catch (const std::bad_alloc&) {
    return out_of_memory().what();
  } catch (const std::exception& e) {
    // The text alone, for errors of the runtime itself, or of a front end in the words of its language.
    if (typeid(e) == typeid(error) || typeid(e) == typeid(foreign_error)) return e.what();
    return exception_type(thrown) + ": " + e.what();
  } catch (...) {
    return "an exception of type " + exception_type(thrown);
  }
}

}  // namespace imbrex
