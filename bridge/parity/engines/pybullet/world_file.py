"""The settings of a running world that PyBullet reports nowhere else: what it writes into a
``.bullet`` file.

Such a file is a header of 12 bytes and a sequence of chunks: a code, the number of bytes, the
address that the content had in memory, the number of its structure, and the number of these. The
last chunk describes the structures: names, types, sizes of types, and the fields of each structure.

Source: Bullet 3.26, ``btSerializer.h`` and ``bFile.cpp``.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bridge.output import scratch_folder
from bridge.parity.engine import Statements
from loaders.pose import Array

_HEADER, _CHUNK, _DESCRIPTION = 12, struct.Struct("<4siQii"), b"DNA1"
_NUMBERS = {
    "char": "S1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "long": "i4",
    "ulong": "u4", "float": "f4", "double": "f8",
}  # fmt: skip
"""Types of numpy by those of the file."""
_STATE = (
    "m_worldTransform", "m_interpolation", "m_deactivationTime", "m_hitFraction", "m_islandTag1",
    "m_companionId", "m_activationState1", "m_uniqueId", "m_absFrame", "m_jointPos", "m_jointVel",
    "m_jointTorque", "m_baseWorld", "m_baseLinear", "m_baseAngular", "m_pad",
)  # fmt: skip
"""Beginnings of the names of fields that are no settings: the state, numbers of objects, and bytes
between fields."""
_QUANTITIES = ("m_timeStep", "m_gravity")
"""Beginnings of the names of fields that are quantities of their own."""
_CONTACTS = "btPersistentManifold"
"""Beginning of the names of structures that are contacts."""
_WRAPPERS = frozenset({"colObjData", "floats"})
"""Fields that hold all other fields of a structure."""
_Place = tuple[str, tuple[str, ...]]
"""A label, and the scoped names that it is about."""
_Link = tuple[int, int]
"""The number of a body in the file, and the index of one of its links."""
_COLLIDER, _BODY = "btMultiBodyLinkColliderDoubleData", "btMultiBodyDoubleData"


class _Field(NamedTuple):
    type: str
    name: str


class _Chunk(NamedTuple):
    address: int
    structure: int
    number: int
    start: int


class _Structures:
    """The structures that a file describes.

    Args:
        data: The file.
        start: The place of the description.
    """

    def __init__(self, data: bytes, start: int) -> None:
        self._data, self._start = data, start
        names, place = self._texts(start + 4)
        types, place = self._texts(place)
        sizes = struct.unpack_from(f"<{len(types)}h", data, place + 4)
        place = self._aligned(place + 4 + 2 * len(types))
        (count,) = struct.unpack_from("<i", data, place + 4)
        place += 8
        self.names: list[str] = []
        """The names of the structures in their order."""
        self._fields: dict[str, list[_Field]] = {}
        for _ in range(count):
            kind, number = struct.unpack_from("<hh", data, place)
            pairs = struct.iter_unpack("<hh", data[place + 4 : place + 4 + 4 * number])
            self.names.append(types[kind])
            self._fields[types[kind]] = [_Field(types[t], names[n]) for t, n in pairs]
            place += 4 + 4 * number
        self._sizes = dict(zip(types, sizes, strict=True))

    def _aligned(self, place: int) -> int:
        return place + (self._start - place) % 4

    def _texts(self, place: int) -> tuple[list[str], int]:
        """Return the texts of a section, and the place after it."""
        (count,) = struct.unpack_from("<i", self._data, place + 4)
        place, texts = place + 8, []
        for _ in range(count):
            end = self._data.index(b"\0", place)
            texts.append(self._data[place:end].decode("ascii"))
            place = end + 1
        return texts, self._aligned(place)

    def dtype(self, name: str, *, pointers: bool = False) -> np.dtype[Any]:
        """Return a structure as a type of numpy, without what is no setting.

        Args:
            name: The name of the structure.
            pointers: Whether to keep addresses, and nothing else.
        """
        found: dict[str, list[Any]] = {"names": [], "formats": [], "offsets": []}
        offset = 0
        for kind, text in self._fields[name]:
            label, *counts = text.replace("]", "").split("[")
            shape = tuple(int(count) for count in counts)
            is_pointer = text.startswith(("*", "("))
            size = 8 if is_pointer else self._sizes[kind]
            wanted = (
                is_pointer or label == "m_link"
                if pointers
                else not is_pointer and not label.startswith((*_STATE, *_QUANTITIES))
            )
            if wanted:
                found["names"].append(label.lstrip("*"))
                element = np.dtype("u8") if is_pointer else self._element(kind)
                found["formats"].append((element, shape))
                found["offsets"].append(offset)
            offset += size * int(np.prod(shape))
        return np.dtype({**found, "itemsize": self._sizes[name]})  # type: ignore[call-overload, no-any-return]

    def _element(self, kind: str) -> np.dtype[Any]:
        return np.dtype(_NUMBERS[kind]) if kind in _NUMBERS else self.dtype(kind)


def _chunks(data: bytes) -> tuple[list[_Chunk], _Structures]:
    place, chunks = _HEADER, list[_Chunk]()
    while True:
        code, length, address, structure, count = _CHUNK.unpack_from(data, place)
        place += _CHUNK.size
        if code == _DESCRIPTION:
            return chunks, _Structures(data, place)
        chunks.append(_Chunk(address, structure, count, place))
        place += length


def _leaves(values: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield path and numbers of each field of structures, at any depth."""
    if values.dtype.names is None:
        yield path, values
        return
    for name in values.dtype.names:
        word = name.removeprefix("m_")
        inner = path if word in _WRAPPERS else f"{path}.{word}" if path else word
        yield from _leaves(values[name], inner)


def _owners(data: bytes, chunks: Sequence[_Chunk], known: _Structures) -> dict[int, _Link]:
    """Return the number of the body and the link of each collider, by the start of its chunk."""
    bodies = [c.address for c in chunks if known.names[c.structure] == _BODY]
    dtype, owners = known.dtype(_COLLIDER, pointers=True), {}
    for chunk in (c for c in chunks if known.names[c.structure] == _COLLIDER):
        found = np.frombuffer(data, dtype, 1, chunk.start)[0]
        if int(found["m_multiBody"]) in bodies:
            owners[chunk.start] = bodies.index(int(found["m_multiBody"])), int(found["m_link"])
    return owners


def written_world(pybullet: Any, client: int) -> bytes:
    """Return the ``.bullet`` file of a world.

    Args:
        pybullet: The module.
        client: The physics server.
    """
    with scratch_folder() as folder:
        path = folder / "world.bullet"
        pybullet.saveBullet(str(path), physicsClientId=client)
        return path.read_bytes()


def settings_of_world(data: bytes, links: Mapping[_Link, str]) -> dict[_Place, Array]:
    """Return the settings of bodies, shapes and the solver: each field of the structures of a
    file, with the link that it is about.

    Args:
        data: The file, see `written_world`.
        links: The names of links, by the number of their body and their index.
    """
    chunks, known = _chunks(data)
    owners, seen = _owners(data, chunks, known), Counter[str]()
    found: dict[_Place, Array] = {}
    for chunk in chunks:
        name = known.names[chunk.structure]
        if name.startswith(_CONTACTS):
            continue
        link = links.get(owners.get(chunk.start, (-1, -1)), "")
        owner = link or f"{name} {seen[name]}"
        seen[name] += 1
        values = np.frombuffer(data, known.dtype(name), chunk.number, chunk.start)
        for path, numbers in _leaves(values):
            found[f"{path} of {owner}", (link,) if link else ()] = np.ravel(numbers)
    return found | {(f"number of {name}", ()): np.array([n]) for name, n in seen.items()}


def changed(
    one: Mapping[_Place, Array], two: Mapping[_Place, Array]
) -> tuple[Statements, Statements]:
    """Return the settings that differ, as numbers.

    Args:
        one: Settings.
        two: Other settings.
    """
    differing = {
        place
        for place in one.keys() | two.keys()
        if place not in one or place not in two or one[place].tobytes() != two[place].tobytes()
    }
    first, second = (
        {place: _as_numbers(each[place]) for place in each if place in differing}
        for each in (one, two)
    )
    return first, second


def _as_numbers(values: Array) -> Array:
    characters = values.dtype.kind == "S"
    return (values.view("u1") if characters else values).astype(np.float64)
