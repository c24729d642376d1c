"""The mass matrix at zero and its inverses."""

from __future__ import annotations

import numpy as np

from bridge.mechanism.dynamics import MassMatrixAtZero


def test_a_regular_matrix_has_its_inverse() -> None:
    M = np.array(((2.0, 1.0), (1.0, 3.0)))
    at_zero = MassMatrixAtZero(M)
    assert at_zero.inverse is not None
    np.testing.assert_allclose(at_zero.inverse @ M, np.eye(2), atol=1e-15)
    assert at_zero.pseudo_inverse is at_zero.inverse is at_zero.inverse


def test_a_singular_matrix_has_a_pseudo_inverse_only() -> None:
    M = np.diag((2.0, 0.0))
    at_zero = MassMatrixAtZero(M)
    assert at_zero.inverse is None
    assert at_zero.pseudo_inverse is not None
    np.testing.assert_allclose(M @ at_zero.pseudo_inverse @ M, M)


def test_a_matrix_that_is_not_finite_has_none() -> None:
    at_zero = MassMatrixAtZero(np.array(((np.nan,),)))
    assert at_zero.inverse is None
    assert at_zero.pseudo_inverse is None
