// SPDX-License-Identifier: Apache-2.0
#pragma once

// Chares that live inside a GPU and are scheduled there; with all that a program needs to start them.
#include <imbrex/gpu.hpp>

#include <imbrex/resident/context.hpp>
#include <imbrex/resident/entries.hpp>
#include <imbrex/resident/index.hpp>
#include <imbrex/resident/layout.hpp>
#include <imbrex/resident/program.hpp>
#include <imbrex/resident/symmetric.hpp>
#include <imbrex/resident/symmetric_heap.hpp>
