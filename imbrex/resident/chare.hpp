// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything for a class of chares inside a GPU. C++17, for the host's compiler and the device's.
#include <imbrex/resident/channel.hpp>
#include <imbrex/resident/context.hpp>
#include <imbrex/resident/entries.hpp>
#include <imbrex/resident/index.hpp>
