// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <imbrex/net/checks/subject.test.hpp>
#include <imbrex/net/loopback/loopback_fabric.hpp>

namespace imbrex::test {

inline fabric_kind loopback_kind(std::string name, const loopback::options& settings) {
  return {std::move(name),
          [settings]() -> std::unique_ptr<fabric> {
            return std::make_unique<loopback::loopback_fabric>(std::make_shared<loopback::medium>(settings));
          },
          &loopback::make_endpoint, true};
}

}  // namespace imbrex::test
