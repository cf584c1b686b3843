// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions of `network_endpoint`, for files that instantiate it for a fabric's own class.
#include <imbrex/net/endpoint/progress.hpp>
#include <imbrex/net/endpoint/receiving.hpp>
#include <imbrex/net/endpoint/sending.hpp>
