# SPDX-License-Identifier: Apache-2.0
"""Values that hypothesis draws, the same ones in all processes, arrive as they were."""

import pytest

import imbrex as ix
from test_data import Echo, same

pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as of_numpy

# NumPy's own pickle, by which lists and dictionaries go, loses the byte order of times.
numbers = of_numpy.scalar_dtypes().filter(lambda t: t.kind not in "mM" or t.isnative)
types = numbers | of_numpy.byte_string_dtypes(min_len=1) | of_numpy.array_dtypes(numbers, min_size=1)
arrays = of_numpy.arrays(types, of_numpy.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | st.text() | st.binary()
values = st.recursive(scalars | arrays | arrays.map(lambda a: a.T) | arrays.map(lambda a: a[..., ::2] if a.ndim else a),
                      lambda inner: st.lists(inner, max_size=4) | st.lists(inner, max_size=4).map(tuple)
                      | st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=8)


@settings(max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(st.lists(values, max_size=6))
def test_values_arrive_as_they_were(run, drawn):
    async def main():
        chares = ix.array(Echo, 3)
        for n, v in enumerate(drawn):
            assert same((v,), await chares[n % 3].echo.call(v)), repr(v)
        assert same(tuple(drawn), await chares[0].echo_later.call(*drawn))
    run(main)
