// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message/carried_exception.hpp>

#include <new>
#include <stdexcept>

#include <imbrex/base/error.hpp>
#include <imbrex/base/out_of_memory.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::detail {

carried_exception::carried_exception(std::exception_ptr thrown, const std::string& thrower)
    : thrown_(std::move(thrown)),
      thrower_(thrower.empty() ? nullptr : std::make_shared<const std::string>(thrower)) {}

std::string carried_exception::thrower() const { return thrower_ ? *thrower_ : std::string(); }

std::string carried_exception::description(const std::string& known) const {
  const std::string text = describe(thrown_);
  return thrower_ && *thrower_ != known ? text + " (thrown by " + *thrower_ + ")" : text;
}

namespace {

constexpr const char* foreign_type = "imbrex::foreign_error";

}  // namespace

void carried_exception::serialize(writer& out) {
  out(type_name());
  if (!thrown_) return;
  out(what(), thrower());
  if (const auto* const form = foreign_form()) out(*form);
}

void carried_exception::serialize(reader& in) {
  std::string type;
  in(type);
  if (type.empty()) return;
  std::string text;
  std::string thrower;
  in(text, thrower);
  if (type == foreign_type) {
    std::vector<std::byte> form;
    in(form);
    *this = carried_exception(std::make_exception_ptr(foreign_error(text, std::move(form))), thrower);
  } else {
    *this = carried_exception(make(type, text), thrower);
  }
}

std::string carried_exception::type_name() const { return exception_type(thrown_); }

const std::vector<std::byte>* carried_exception::foreign_form() const {
  if (type_name() != foreign_type) return nullptr;
  try {
    std::rethrow_exception(thrown_);
  } catch (const foreign_error& e) {
    return &e.form();  // the form lives as long as the exception, which this object holds
  } catch (...) {
    return nullptr;
  }
}

std::string carried_exception::what() const {
  try {
    std::rethrow_exception(thrown_);
  } catch (const std::bad_array_new_length& e) {
    return e.what();
  } catch (const std::bad_alloc&) {
    return describe(thrown_);  // includes this process's figures
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return describe(thrown_);
  }
}

namespace {

template <class E>
bool matches(const std::string& type, const char* name, const std::string& text,
             std::exception_ptr& exception) {
  if (type != name) return false;
  exception = std::make_exception_ptr(E(text));
  return true;
}

}  // namespace

std::exception_ptr carried_exception::make(const std::string& type, const std::string& text) {
  std::exception_ptr exception;
  if (type == "std::bad_alloc" || type == "imbrex::out_of_memory")
    return std::make_exception_ptr(out_of_memory(text));
  if (matches<std::runtime_error>(type, "std::runtime_error", text, exception) ||
      matches<std::logic_error>(type, "std::logic_error", text, exception) ||
      matches<std::invalid_argument>(type, "std::invalid_argument", text, exception) ||
      matches<std::domain_error>(type, "std::domain_error", text, exception) ||
      matches<std::length_error>(type, "std::length_error", text, exception) ||
      matches<std::out_of_range>(type, "std::out_of_range", text, exception) ||
      matches<std::range_error>(type, "std::range_error", text, exception) ||
      matches<std::overflow_error>(type, "std::overflow_error", text, exception) ||
      matches<std::underflow_error>(type, "std::underflow_error", text, exception) ||
      matches<error>(type, "imbrex::error", text, exception) ||
      matches<usage_error>(type, "imbrex::usage_error", text, exception))
    return exception;
  return std::make_exception_ptr(remote_error(type, text));
}

std::string describe_current_exception() { return describe(std::current_exception()); }

}  // namespace imbrex::detail
