# SPDX-License-Identifier: Apache-2.0
"""What programs import as charm4py.threads."""

from imbrex.charm4py._future import Future

__all__ = ["Future"]
