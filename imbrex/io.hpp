// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/io/output_file.hpp>
