// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/mpi/rank/await.hpp>
