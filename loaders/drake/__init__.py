"""Drake's extensions of SDFormat and URDF: every element whose name starts with ``drake:``.

Both formats hold the same elements. They differ in where a value stands (`dialect`) and in how a name is looked up
(`Names`), so each element has one reader. The reader of a format asks for what belongs to the part that it reads:
`joints` for ``<joint>``, `contact` for ``<collision>``, `visuals` for ``<visual>``, `links` for ``<link>``, `model` for
what stands in the model itself. `normal` turns elements that only repeat a standard one into that one.

Source: Drake's parser, ``multibody/parsing``, as of pydrake 1.51, and its documentation. Severities are Drake's, but an
unknown element is a warning, also in URDF, where Drake says nothing.
"""
