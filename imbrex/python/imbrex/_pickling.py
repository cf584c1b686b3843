# SPDX-License-Identifier: Apache-2.0
"""How values become bytes that have no form of their own."""

import pickle

#: By pickle; in the processes of a session (`imbrex._session`) by value, what notebooks and scripts define included.
dumps = pickle.dumps
