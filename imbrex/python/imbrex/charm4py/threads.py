# SPDX-License-Identifier: Apache-2.0
"""The module that programs import as charm4py.threads."""

from imbrex.charm4py._future import Future

__all__ = ["Future"]
