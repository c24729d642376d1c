"""Readers of Drake's extensions of SDFormat and URDF: the elements whose name starts with
``drake:``.

Both formats have the same elements. They differ in where an element has its value
(`dialect.Dialect`) and in how a name is resolved (`dialect.NameResolver`), so each element has one
reader. The readers of SDFormat and URDF call the module of the part that they read: `joint` for
``<joint>``, `link` for ``<link>``, ``<collision>`` and ``<visual>``, `constraint` for children of
the model itself. `canonicalize_sdf` and `canonicalize_urdf` first rewrite elements that repeat a
standard one as the standard one.

Source: Drake's parser, ``multibody/parsing``, as of pydrake 1.51, and its documentation. The
severities are those of Drake, except that an unknown element is a warning, also in URDF, where
Drake does not report it.
"""
