"""Logs: times with commanded and measured quantities of joints, from CSV, npz and MCAP.

A column is named after a joint, a quantity, and for commands a word such as ``command``, in any
order: ``elbow.position``, ``q_cmd/elbow``, ``elbow_target_velocity``.
"""

from __future__ import annotations

import csv
import io
import math
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bridge import codes
from loaders.diagnostics import Diagnostics, LoadError, Where
from loaders.files.read_file import MAX_RATIO, read
from loaders.limits import FileError, raised_as
from loaders.pose import Array
from loaders.scoped_names import SEPARATOR
from loaders.text import closest, counted

Role = Literal["measured", "command", "gain"]
Key = tuple[Role, str, str]
"""Role, quantity and joint of a series; quantities of a gain are ``p`` and ``d``."""

LONGEST_INTERVAL = 0.5
"""Median interval of measured positions from which times are most likely in another unit [s]."""
LONGEST_HOLD = 60.0
"""Time before the first measured position at which the last command may be [s]."""
FEWEST = 3
"""Number of measured positions of a joint at least."""
MAX_CELLS = 50_000_000
"""Numbers that a log may hold."""
MAX_COLUMNS, MAX_NAME = 10_000, 1000
"""Columns that a log may have, and characters of the name of one."""
MAX_DEFINITION = 1 << 16
"""Bytes of the definition of a message."""
SMALL = 16 << 20
"""Bytes that any packed log may have unpacked; a large one may have `MAX_RATIO` times its size."""
_WORDS: Mapping[str, tuple[str, ...]] = {
    "position": ("position", "positions", "pos", "q", "angle", "qpos"),
    "velocity": ("velocity", "velocities", "vel", "qd", "dq", "qdot", "qvel", "speed"),
    "effort": ("effort", "efforts", "torque", "torques", "tau", "force"),
    "p": ("kp", "p_gain", "stiffness"),
    "d": ("kd", "d_gain"),
    "command": (
        "command", "commands", "commanded", "cmd", "des", "desired", "target", "ref", "reference",
        "goal", "setpoint", "ctrl",
    ),
    "measured": (
        "measured", "meas", "actual", "state", "states", "feedback", "joint", "joints",
        "controller",
    ),
    "unit": ("rad", "m", "s", "nm", "n"),
    "degrees": ("deg", "degree", "degrees"),
}  # fmt: skip
_MEANING = {word: kind for kind, words in _WORDS.items() for word in words}
_QUANTITIES = ("position", "velocity", "effort", "p", "d")
_TIMES: Mapping[str, float] = {
    "time": 1.0, "t": 1.0, "timestamp": 1.0, "stamp": 1.0, "times": 1.0, "time_s": 1.0,
    "sec": 1.0, "seconds": 1.0, "__time": 1.0, "time_ms": 1e-3, "time_us": 1e-6,
    "time_ns": 1e-9, "%time": 1e-9, "timestamp_ns": 1e-9, "stamp_ns": 1e-9, "nanoseconds": 1e-9,
}  # fmt: skip
"""Names of the column of times, and the unit of each [s]."""
_SEPARATORS = re.compile(r"[\s./:_\-\[\]()]+")


@dataclass(frozen=True, slots=True)
class Series:
    """Samples of one quantity.

    Attributes:
        times: Times [s], increasing, shape (n,).
        values: Values in SI units, shape (n,).
        is_path: True for points of a trajectory, between which commands are interpolated.
    """

    times: Array
    values: Array
    is_path: bool = False

    def held(self, times: Array) -> Array:
        """Return the latest sample at each time; before the first one, the first.

        Args:
            times: Times [s].
        """
        if self.is_path:
            return self.at(times)
        latest = np.searchsorted(self.times, times + slack(self.times), side="right") - 1
        held: Array = self.values[np.clip(latest, 0, len(self.values) - 1)]
        return held

    def at(self, times: Array) -> Array:
        """Return the values at times [s], by linear interpolation."""
        return np.interp(times, self.times, self.values)


def slack(times: Array) -> float:
    """Return how far two times may be apart that mean the same [s]: a nanosecond, or the rounding
    of times since 1970.

    Args:
        times: Times [s].
    """
    return 1e-9 + 4.0 * float(np.spacing(np.abs(times).max(initial=0.0)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """A recorded motion.

    Attributes:
        file: The file; empty if the log was made in memory.
        series: The samples by role, quantity and joint.
        rules: Rules by which they were read, as far as the file needed any, in words.
    """

    file: str = ""
    series: Mapping[Key, Series] = field(default_factory=dict)
    rules: tuple[str, ...] = ()

    def joints(self, role: Role, *quantities: str) -> tuple[str, ...]:
        """Return the joints that have samples of one of the quantities, in the order of the log.

        Args:
            role: The role of the samples.
            quantities: The quantities.
        """
        found = (j for r, q, j in self.series if r == role and q in quantities)
        return tuple(dict.fromkeys(found))

    def get(self, role: Role, quantity: str, joint: str) -> Series | None:
        """Return the samples of one quantity of a joint; None if the log lacks it.

        Args:
            role: The role of the samples.
            quantity: The quantity.
            joint: The joint.
        """
        return self.series.get((role, quantity, joint))


@dataclass(frozen=True, slots=True)
class _Table:
    """Columns of numbers as a file has them, with the line of the first row."""

    columns: Mapping[str, Sequence[object]]
    first_line: int = 0
    rules: Sequence[str] = ()


def read_log(
    path: Path | str,
    joints: Sequence[str],
    diagnostics: Diagnostics,
    names: Mapping[str, str] | None = None,
) -> Log:
    """Return the log in a file.

    Args:
        path: The file, whose suffix is ``.csv``, ``.npz`` or ``.mcap``.
        joints: The scalar joints of the model.
        diagnostics: Record for the findings.
        names: Joints of the model by the names in the log, where they differ; or their columns,
            such as ``elbow.command_effort``, by the columns of the log.

    Raises:
        LoadError: If the log cannot be replayed; it names every problem.
    """
    path = Path(path)
    own = _by_length({joint: joint for joint in joints})
    meant = {name: key_of(column, own) for name, column in (names or {}).items()}
    columns = {name: key for name, key in meant.items() if key is not None}
    short = {name: joint for name, joint in (names or {}).items() if name not in columns}
    reading = _Reading(str(path), _known_names(joints, short), diagnostics, columns)
    try:
        data = read(path)
        if path.suffix.lower() == ".mcap":
            found = _mcap(data, reading)
        else:
            table = (_npz if path.suffix.lower() == ".npz" else _csv)(data)
            found = _series(table, reading)
    except FileError as error:
        diagnostics.add(error.code, Where(str(path)), hint=error.hint, reason=error.reason)
        found = {}
    except UnreadableError as error:
        diagnostics.add(codes.LOG_FORM, Where(str(path), error.line), reason=str(error))
        found = {}
    log = Log(file=str(path), series=found, rules=tuple(dict.fromkeys(reading.rules)))
    if not any(entry.severity == "error" for entry in diagnostics):
        check_contents(log, diagnostics, reading.left_out)
    diagnostics.raise_for(LoadError, strict=False)
    return log


@dataclass(frozen=True, slots=True)
class _Reading:
    """A log that is read.

    Attributes:
        file: The file.
        known: The joints of the model by the names that mean them.
        diagnostics: Record for the findings.
        mapped: The meaning of columns that the caller states.
        columns: The column of each series that was found.
        left_out: The columns that mean nothing for the model.
        rules: What was done with samples, in words.
    """

    file: str
    known: Mapping[str, str]
    diagnostics: Diagnostics
    mapped: Mapping[str, Key] = field(default_factory=dict)
    columns: dict[Key, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)

    def note(self, key: Key, column: str, where: Where) -> None:
        """Note the column of a series; report a second one."""
        if key in self.columns:
            role, quantity, joint = key
            self.diagnostics.add(
                codes.LOG_COLUMN_TWICE,
                where,
                subjects=(joint,),
                first=repr(self.columns[key]),
                second=repr(column),
                quantity=f"{role} {quantity}",
                joint=joint,
            )
        self.columns[key] = column

    def report_unknown(self, column: str, joint: str) -> None:
        """Report a column about a joint that the model does not have."""
        close = closest(joint, self.known) or closest(_SEPARATORS.split(joint)[-1], self.known)
        hint = f"did you mean {close}?" if close else ""
        self.diagnostics.add(codes.LOG_COLUMN, Where(self.file), hint=hint, column=repr(column))


class UnreadableError(Exception):
    """A log has no form that can be read.

    Attributes:
        line: Line of the file; 0 if unknown.
    """

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.line = line


def check_contents(log: Log, diagnostics: Diagnostics, left_out: Sequence[str] = ()) -> None:
    """Report what a log lacks.

    Args:
        log: The log.
        diagnostics: Record for the findings.
        left_out: Columns that mean nothing for the model.
    """
    lacks = []
    measured = [s for key, s in log.series.items() if key[:2] == ("measured", "position")]
    if not measured:
        lacks.append("no joint of the model has measured positions")
    if not any(role == "command" for role, _, _ in log.series):
        lacks.append("no joint of the model has commanded positions, velocities or efforts")
    shown = ", ".join(map(repr, left_out[:8])) + (", ..." if len(left_out) > 8 else "")
    hint = "map a column: --map COLUMN=JOINT.command_effort" if left_out else codes.LOG_FORM.hint
    times = np.sort(np.concatenate([s.times for s in measured])) if measured else np.array([])
    for key, samples in log.series.items():
        joint, count = key[2], len(samples.times)
        if key[:2] == ("measured", "position") and count < FEWEST:
            found = counted(count, "sample")
            reason = f"joint {joint} has {found} of its position; expected at least {FEWEST}"
            diagnostics.add(codes.LOG_FORM, Where(log.file), reason=reason)
        if key[0] == "command" and count and _is_apart(samples, times):
            spans = (f"{t[0]:.6g} to {t[-1]:.6g} s" for t in (samples.times, times))
            reason = "commands of joint {} have times {}, positions {}".format(joint, *spans)
            hint = "give both the same clock: stamps of the sender, or times of the recording"
            diagnostics.add(codes.LOG_FORM, Where(log.file), hint=hint, reason=reason)
    for reason in lacks:
        whole = f"{reason}; of no joint are {shown}" if left_out else reason
        diagnostics.add(codes.LOG_FORM, Where(log.file), hint=hint, reason=whole)


def _is_apart(commands: Series, measured: Array) -> bool:
    """Return whether commands begin after the measured times, or end long before them."""
    if not len(measured):
        return False
    return bool(commands.times[0] > measured[-1] or commands.times[-1] < measured[0] - LONGEST_HOLD)


# --- files ----------------------------------------------------------------------------------------


def _csv(data: bytes) -> _Table:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError(
            f"it is no UTF-8 text ({error.reason} at byte {error.start})"
        ) from error
    if "\0" in text:
        raise UnreadableError("it is no text: it holds null characters")
    header_line = text.partition("\n")[0]
    delimiter = max(",;\t", key=header_line.count)
    rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    try:
        header = [name.strip() for name in next(rows, [])]
        if len(header) < 2 or all(_is_number(name) for name in header):
            raise UnreadableError("the first line is no header with names of columns", 1)
        repeated = [name for name, count in Counter(header).items() if count > 1]
        if repeated:
            raise UnreadableError(f"two columns have the name {repeated[0]!r}", 1)
        cells: list[list[str]] = []
        for row in rows:
            if not row:
                continue
            if len(row) != len(header):
                found = counted(len(row), "cell")
                reason = f"a row has {found}; expected {len(header)}, as the header has"
                raise UnreadableError(reason, rows.line_num)
            cells.append(row)
    except csv.Error as error:
        raise UnreadableError(str(error), rows.line_num) from error
    _check_size(len(cells) * len(header))
    columns = zip(*cells, strict=True) if cells else ((),) * len(header)
    return _Table(dict(zip(header, columns, strict=True)), first_line=2)


def _is_number(text: object) -> bool:
    try:
        float(str(text))
    except ValueError:
        return False
    return True


def _check_size(cells: int) -> None:
    if cells > MAX_CELLS:
        raise UnreadableError(f"it holds {cells} numbers; expected at most {MAX_CELLS}")


def _check_unpacked(size: int, packed: int) -> None:
    if size > max(SMALL, MAX_RATIO * packed):
        raise UnreadableError(f"it would have more than {MAX_RATIO} times its size, unpacked")


def _npz(data: bytes) -> _Table:
    """Return the columns of an archive: vectors, and matrices with a column for each of the joints
    that the array ``joints`` names.
    """
    with raised_as(UnreadableError, "it is no npz archive of plain arrays"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_unpacked(sum(info.file_size for info in archive.infolist()), len(data))
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            content: dict[str, Any] = {name: np.asarray(arrays[name]) for name in arrays.files}
    _check_size(sum(array.size for array in content.values()))
    label = next((name for name in ("joints", "joint_names", "names") if name in content), "")
    joints = [str(name) for name in np.ravel(content.pop(label, np.array([])))]
    other = next((name for name in content if content[name].dtype.kind not in "biufSU"), None)
    if other is not None:
        raise UnreadableError(f"the array {other!r} is of {content[other].dtype}, not of numbers")
    rows = next((len(a) for name, a in content.items() if name.lower() in _TIMES and a.ndim), 0)
    rules: list[str] = []
    columns: dict[str, Sequence[object]] = {}
    for name, stated in content.items():
        array = stated
        if array.shape == (len(joints), rows) != array.shape[::-1]:
            array = array.T
            rules.append(f"the array {name!r} has a row for each joint, and is transposed")
        if (
            array.ndim == 1
            and joints
            and array.shape == (len(joints),)
            and name.lower() in _MEANING
        ):
            columns |= {f"{joint}/{name}": (x,) for joint, x in zip(joints, array, strict=True)}
        elif array.ndim == 2 and array.shape[1] == len(joints):
            columns |= {f"{joint}/{name}": array[:, k] for k, joint in enumerate(joints)}
        elif array.ndim == 1:
            columns[name] = array
        else:
            shape = " x ".join(map(str, array.shape))
            expected = "a vector, or a matrix with a column of each of 'joints'"
            raise UnreadableError(f"the array {name!r} has shape ({shape}); expected {expected}")
    return _Table(columns, rules=rules)


_NANOSECONDS = 1e-9


def _mcap(data: bytes, reading: _Reading) -> dict[Key, Series]:
    """Return the series of the messages of joint states and trajectories.

    A topic with a word such as ``command`` has commands; trajectories always are.

    Raises:
        ImportError: If the library of MCAP is not installed.
    """
    topics: dict[Key, dict[str, _Samples]] = {}
    lost: dict[str, str] = {}
    for topic, sample in _samples(data):
        if sample.joint not in reading.known:
            lost[f"{topic}:{sample.joint}"] = sample.joint
            continue
        key: Key = (sample.role, sample.quantity, reading.known[sample.joint])
        topics.setdefault(key, {}).setdefault(topic, _Samples()).add(sample)
    reading.left_out.extend(lost)
    for column, joint in lost.items():
        reading.report_unknown(column, joint)
    counts = Counter[str]()
    for of_key in topics.values():
        counts.update({topic: len(samples.times) for topic, samples in of_key.items()})
    found: dict[Key, Series] = {}
    for key, of_key in topics.items():
        best, *others = sorted(of_key, key=lambda topic: (-counts[topic], topic))
        if others:
            reading.rules.append(
                f"{key[0]} {key[1]} is that of the topic {best}, which has more samples than "
                f"{' and '.join(others)}"
            )
        samples = of_key[best]
        column = f"{best}:{key[2]}.{key[1]}"
        order = np.argsort(samples.times, kind="stable")
        instants = np.array(samples.times)[order]
        table = _Table({column: np.array(samples.values)[order].tolist()})
        _check_interval(instants, reading, is_sampled=key[0] == "measured")
        found[key] = _sampled(column, instants, table, reading, is_path=samples.start is not None)
    return found


@dataclass(slots=True)
class _Samples:
    """Samples of one topic; those of trajectories make one path.

    Attributes:
        times: Times [s].
        values: Values.
        start: Start of the latest trajectory [s]; None if the samples are of no trajectory.
    """

    times: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    start: float | None = None

    def add(self, sample: _Sample) -> None:
        """Append a sample; the first one of a new trajectory replaces what the one before has from
        its start on.
        """
        start = sample.start
        if start is not None and start != self.start and self.times:
            kept = int(np.searchsorted(self.times, start))
            at_start = float(np.interp(start, self.times, self.values))
            del self.times[kept:], self.values[kept:]
            if kept and start < sample.time:
                self.times.append(start)
                self.values.append(at_start)
        self.start = start
        self.times.append(sample.time)
        self.values.append(sample.value)


@dataclass(frozen=True, slots=True)
class _Sample:
    """One number of a message, and its time [s]."""

    role: Role
    quantity: str
    joint: str
    time: float
    value: float
    start: float | None = None  # of the trajectory [s]


_Reader = Callable[[str, int, Any], Iterator[_Sample]]
"""Returns the numbers of a message with a topic and a time [ns]."""


def _samples(data: bytes) -> Iterator[tuple[str, _Sample]]:
    """Yield the numbers of all messages of joint states and trajectories, with their topics."""
    try:
        from mcap_ros2.decoder import DecoderFactory
    except ImportError as error:
        raise ImportError("MCAP logs need mcap: pip install 'sdfbridge[logs]'") from error
    count = 0
    with raised_as(UnreadableError, "it is no MCAP file of ROS 2 messages"):
        for read, topic, time, message in _messages(data, DecoderFactory()):
            for sample in read(topic, time, message):
                count += 1
                _check_size(count)
                yield topic, sample


def _messages(data: bytes, factory: Any) -> Iterator[tuple[_Reader, str, int, Any]]:
    """Yield the messages of joint states and trajectories in the order of their times [ns], each
    with the function that reads it and its topic.
    """
    from mcap.records import Channel, Message

    schemas: dict[int, Any] = {}
    channels: dict[int, Any] = {}
    messages: list[Message] = []
    for record in _records(data):
        if isinstance(record, Message):
            messages.append(record)
        else:
            (channels if isinstance(record, Channel) else schemas)[record.id] = record
    known = {
        key: _MESSAGES.get(schema.name.replace("/msg/", "/")) for key, schema in schemas.items()
    }
    for key, reader in known.items():
        if reader is not None:
            _check_definition(schemas[key].data)
    for message in sorted(messages, key=lambda message: message.log_time):
        channel = channels[message.channel_id]
        reader = known.get(channel.schema_id)
        if reader is not None:
            decoder = factory.decoder_for(channel.message_encoding, schemas[channel.schema_id])
            if decoder is None:
                raise UnreadableError(f"messages in {channel.message_encoding!r} are not read")
            yield reader, channel.topic, message.log_time, decoder(message.data)


def _records(data: bytes) -> Iterator[Any]:
    """Yield the schemas, channels and messages of an MCAP file.

    The library unpacks a part of a file whatever size it gets; here its own statement is the limit.
    """
    from mcap.records import Channel, Chunk, Message, Schema
    from mcap.stream_reader import StreamReader, breakup_chunk

    total = 0
    for record in StreamReader(io.BytesIO(data), emit_chunks=True).records:
        found = [record]
        if isinstance(record, Chunk):
            total += record.uncompressed_size
            _check_unpacked(total, len(data))
            found = breakup_chunk(replace(record, compression="", data=_unpacked(record)))
        yield from (each for each in found if isinstance(each, Channel | Message | Schema))


def _unpacked(chunk: Any) -> bytes:
    """Return the records of a part of an MCAP file."""
    if chunk.compression not in {"zstd", "lz4"}:
        return bytes(chunk.data)
    size = chunk.uncompressed_size
    if chunk.compression == "zstd":
        from zstandard import ZstdDecompressor

        data = ZstdDecompressor().stream_reader(chunk.data).read(size + 1)
    else:
        from lz4.frame import LZ4FrameDecompressor

        data = LZ4FrameDecompressor().decompress(chunk.data, size + 1)
    if len(data) != size:
        raise UnreadableError("a part of it has another size than it states")
    return data


def _check_definition(definition: bytes) -> None:
    """Refuse a definition of a message that takes long to read, or has arrays of a fixed length, as
    no message that is read: they may have any number of elements without a byte in the file.
    """
    if len(definition) > MAX_DEFINITION:
        raise UnreadableError(f"a definition of messages has more than {MAX_DEFINITION} bytes")
    text = re.sub(rb"#[^\n]*", b"", definition)
    if re.search(rb"\[\s*(?:<=\s*)?\d", text):
        raise UnreadableError("a definition of messages has arrays of a fixed length")


def _of_state(topic: str, log_time: int, message: Any) -> Iterator[_Sample]:
    words = _SEPARATORS.split(topic.lower().replace("_", " "))
    role: Role = "command" if "command" in {_MEANING.get(word) for word in words} else "measured"
    time = _stamp(message, log_time)
    values = message.position, message.velocity, message.effort
    yield from _of_point(role, message.name, time, values)


def _of_point(
    role: Role,
    joints: Sequence[str],
    time: float,
    values: Iterable[Sequence[float]],
    start: float | None = None,
) -> Iterator[_Sample]:
    """Yield positions, velocities and efforts of joints."""
    for quantity, numbers in zip(("position", "velocity", "effort"), values, strict=True):
        for joint, value in zip(joints, numbers, strict=False):
            yield _Sample(role, quantity, str(joint), time, float(value), start)


def _of_controller(_topic: str, log_time: int, message: Any) -> Iterator[_Sample]:
    """Yield what a controller of trajectories wants and measures."""
    time = _stamp(message, log_time)
    try:
        command, measured = message.reference, message.feedback
    except AttributeError:  # names before ROS 2 Humble
        command, measured = message.desired, message.actual
    points: tuple[tuple[Role, Any], ...] = (("command", command), ("measured", measured))
    for role, point in points:
        values = point.positions, point.velocities, point.effort
        yield from _of_point(role, message.joint_names, time, values)


def _of_trajectory(_topic: str, log_time: int, message: Any) -> Iterator[_Sample]:
    start = _stamp(message, log_time)
    for point in message.points:
        after = point.time_from_start
        time = start + after.sec + after.nanosec * _NANOSECONDS
        values = point.positions, point.velocities, point.effort
        yield from _of_point("command", message.joint_names, time, values, start)


def _stamp(message: Any, log_time: int) -> float:
    """Return the time of a message [s]: that of its header, or of the log where it is zero."""
    stamp = message.header.stamp
    stated = float(stamp.sec + stamp.nanosec * _NANOSECONDS)
    return stated or log_time * _NANOSECONDS


_MESSAGES: Mapping[str, _Reader] = {
    "sensor_msgs/JointState": _of_state,
    "trajectory_msgs/JointTrajectory": _of_trajectory,
    "control_msgs/JointTrajectoryControllerState": _of_controller,
}


# --- columns --------------------------------------------------------------------------------------


def _series(table: _Table, reading: _Reading) -> dict[Key, Series]:
    """Return the series of a table; report cells, times and columns that are wrong."""
    header = Where(reading.file, 1 if table.first_line else 0)
    longest = max(map(len, table.columns), default=0)
    if len(table.columns) > MAX_COLUMNS or longest > MAX_NAME:
        width = f"{counted(len(table.columns), 'column')}, whose names have up to {longest}"
        raise UnreadableError(
            f"it has {width} characters; expected at most {MAX_COLUMNS} and {MAX_NAME}"
        )
    times = [name for name in table.columns if name.lower() in _TIMES]
    if len(times) != 1:
        have = ", ".join(times) or "none"
        known = ", ".join(list(table.columns)[:8])
        close = closest("time", table.columns)
        hint = f"did you mean {close}? name it time" if close else ""
        reason = (
            f"expected one column of times, such as 'time' in seconds; found {have} of: {known}"
        )
        reading.diagnostics.add(codes.LOG_FORM, header, hint=hint, reason=reason)
        return {}
    rows = len(table.columns[times[0]])
    _check_lengths(table, rows)
    instants = _numbers(times[0], table, reading) * _TIMES[times[0].lower()]
    _check_interval(instants, reading)
    _check_order(instants, table, reading)
    reading.rules.extend(table.rules)
    found: dict[Key, Series] = {}
    for column, key in _keys((name for name in table.columns if name != times[0]), reading):
        reading.note(key, column, header)
        found[key] = _sampled(column, instants, table, reading, _unit(column, key))
    return found


def _sampled(
    column: str,
    times: Array,
    table: _Table,
    reading: _Reading,
    unit: float = 1.0,
    *,
    is_path: bool = False,
) -> Series:
    """Return the samples of a column; report two values at one time.

    Cells without a number are no samples, and a repeated sample counts once.
    """
    values = _numbers(column, table, reading, has_gaps=True) * unit
    times = times[: len(values)]
    kept = np.flatnonzero(~np.isnan(values))
    if len(kept) < len(values):
        reading.rules.append("cells that are empty or NaN are no samples")
    repeated = (np.diff(times[kept]) == 0.0) & (np.diff(values[kept]) == 0.0)
    if repeated.any():
        reading.rules.append("a sample that is repeated at the same time counts once")
    kept = np.delete(kept, np.flatnonzero(repeated) + 1)
    twice = np.flatnonzero(np.diff(times[kept]) == 0.0) + 1
    if len(twice) and not is_path:
        _report_times(times, kept[twice].tolist(), table, reading)
    return Series(times[kept], values[kept], is_path)


def _unit(column: str, key: Key) -> float:
    """Return the unit of a column in SI units: that of angles whose name has a word for degrees."""
    words = {word.lower() for word in _SEPARATORS.split(column)}
    own = {word.lower() for word in _SEPARATORS.split(key[2])}
    is_angle = key[1] in {"position", "velocity"}
    return math.pi / 180.0 if is_angle and (words - own) & set(_WORDS["degrees"]) else 1.0


def _check_lengths(table: _Table, rows: int) -> None:
    if rows < 3:
        raise UnreadableError(f"it has {counted(rows, 'row')} of numbers; expected at least three")
    for name, values in table.columns.items():
        if len(values) not in {rows, 1}:
            raise UnreadableError(
                f"the array {name!r} has {counted(len(values), 'row')}, the times {rows}"
            )


def _numbers(column: str, table: _Table, reading: _Reading, *, has_gaps: bool = False) -> Array:
    """Return a column as numbers; report the first cell that is none.

    Args:
        column: The name of the column.
        table: The table.
        reading: The log.
        has_gaps: Whether some cells may be empty, which gives NaN.
    """
    cells = table.columns[column]
    with np.errstate(over="ignore"):  # of numbers of more than 64 bits
        values = (
            cells.astype(np.float64)
            if isinstance(cells, np.ndarray) and cells.dtype.kind in "biuf"
            else np.array([_number(cell) for cell in cells], dtype=np.float64)
        )
    wrong = np.flatnonzero(~np.isfinite(values))
    gaps = [row for row in wrong.tolist() if str(cells[row]).strip().lower() in _NOTHING]
    if has_gaps and len(gaps) < len(cells):
        wrong = np.setdiff1d(wrong, gaps)
    if len(wrong):
        row = int(wrong[0])
        text = str(cells[row]).strip()[:40]
        reading.diagnostics.add(
            codes.LOG_VALUE,
            Where(reading.file, row + table.first_line if table.first_line else 0),
            column=column,
            value=repr(text) if text else "nothing",
            row=row + 1,
            others=f" and in {len(wrong) - 1} more" if len(wrong) > 1 else "",
        )
    return values


def _number(cell: object) -> float:
    try:
        return float(str(cell) if isinstance(cell, str) else cell)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan


_NOTHING = {"", "nan", "none", "null", "na", "n/a"}
"""Words of a cell without a number."""


def _check_interval(times: Array, reading: _Reading, *, is_sampled: bool = True) -> None:
    """Report times that are most likely in another unit than that of their name."""
    apart = np.diff(times)
    interval = float(np.median(apart[apart > 0.0])) if (apart > 0.0).any() else 0.0
    if not is_sampled or interval < LONGEST_INTERVAL:
        return
    units = {"time_ms": 1e-3, "time_us": 1e-6, "time_ns": 1e-9}
    meant = next((name for name, unit in units.items() if interval * unit < LONGEST_INTERVAL), "")
    reason = (
        f"its rows are {interval:.3g} s apart; expected less than {LONGEST_INTERVAL:g} s: a "
        "column of milliseconds is named time_ms, one of nanoseconds time_ns"
    )
    hint = f"did you mean {meant}? name the column of times {' or '.join(units)}"
    reading.diagnostics.add(codes.LOG_FORM, Where(reading.file), hint=hint, reason=reason)


def _check_order(times: Array, table: _Table, reading: _Reading) -> None:
    wrong = np.flatnonzero(np.diff(times) < 0.0) + 1
    if len(wrong):
        _report_times(times, wrong.tolist(), table, reading)


def _report_times(times: Array, rows: Sequence[int], table: _Table, reading: _Reading) -> None:
    """Report rows whose times do not follow the ones before, once for each file."""
    row = rows[0]
    if any(entry.code == codes.LOG_TIMES.name for entry in reading.diagnostics):
        return
    reading.diagnostics.add(
        codes.LOG_TIMES,
        Where(reading.file, row + table.first_line if table.first_line else 0),
        time=f"{times[row]:.9g}",
        row=row + 1,
        before=f"{times[row - 1]:.9g}",
        others=f", nor do {len(rows) - 1} more" if len(rows) > 1 else "",
    )


def _keys(columns: Iterable[str], reading: _Reading) -> Iterator[tuple[str, Key]]:
    """Yield each column with its meaning; report those that name a quantity of no joint."""
    columns = tuple(columns)
    shared = _shared_words(columns)
    for column in columns:
        key = reading.mapped.get(column) or key_of(column, reading.known, shared)
        if key is not None:
            yield column, key
            continue
        reading.left_out.append(column)
        if (rest := _unknown_joint(column)) is not None:
            reading.report_unknown(column, rest)


def _known_names(joints: Sequence[str], names: Mapping[str, str]) -> dict[str, str]:
    """Return the joints by every name that means them, the longest first: their own, one without
    the scope if it is unique, that one without a prefix that all joints share, and those that the
    caller maps.
    """
    short = [joint.rpartition(SEPARATOR)[2] for joint in joints]
    counts = Counter(short)
    unique = {s: joint for s, joint in zip(short, joints, strict=True) if counts[s] == 1}
    common = next((i for i, c in enumerate(zip(*short, strict=False)) if len(set(c)) > 1), 0)
    prefix = re.sub(r"[^_./-]*$", "", short[0][:common]) if short else ""
    bare = {s.removeprefix(prefix): joint for s, joint in unique.items()}
    named = {s: joint for s, joint in bare.items() if s[:1].isalpha() and len(s) > 1}
    return _by_length({**named, **unique, **{joint: joint for joint in joints}, **names})


def _by_length(names: Mapping[str, str]) -> dict[str, str]:
    return {name: names[name] for name in sorted(names, key=len, reverse=True)}


def _shared_words(columns: Sequence[str]) -> frozenset[str]:
    """Return the words that all columns of a quantity share, such as the name of a robot."""
    words = [set(_SEPARATORS.split(column.lower())) for column in columns]
    of_quantity = [each for each in words if any(_MEANING.get(w) in _QUANTITIES for w in each)]
    shared = frozenset.intersection(*map(frozenset, of_quantity)) if of_quantity else frozenset()
    return frozenset(word for word in shared if word not in _MEANING)


def key_of(
    column: str, known: Mapping[str, str], ignored: frozenset[str] = frozenset()
) -> Key | None:
    """Return the meaning of a column; None if it has none.

    Args:
        column: The name of the column.
        known: The joints of the model by the names that mean them, the longest first.
        ignored: Words that mean nothing, in lower case.
    """
    for name in known:
        if name not in column:
            continue
        pattern = rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])"
        for match in re.finditer(pattern, column):
            rest = column[: match.start()] + " " + column[match.end() :]
            meaning = _meaning(rest, ignored)
            if meaning is not None:
                return (*meaning, known[name])
    return None


def _meaning(rest: str, ignored: frozenset[str]) -> tuple[Role, str] | None:
    """Return role and quantity of the words of a column beside the joint; None if one is
    unknown.
    """
    text = rest.lower().replace("p_gain", "kp").replace("d_gain", "kd")
    words = [word for word in _SEPARATORS.split(text) if word and word not in ignored]
    kinds = [_MEANING.get(word, "") for word in words]
    quantities = [kind for kind in kinds if kind in _QUANTITIES]
    if "" in kinds or len(quantities) != 1:
        return None
    if quantities[0] in {"p", "d"}:
        return "gain", quantities[0]
    return ("command" if "command" in kinds else "measured"), quantities[0]


def _unknown_joint(column: str) -> str | None:
    """Return what remains of a column beside the words of a quantity; None if it names none."""
    words = [word for word in _SEPARATORS.split(column) if word]
    kinds = [_MEANING.get(word.lower(), "") for word in words]
    if not any(kind in _QUANTITIES for kind in kinds):
        return None
    return "_".join(word for word, kind in zip(words, kinds, strict=True) if not kind)
