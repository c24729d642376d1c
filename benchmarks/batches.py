"""Batches under measurement and under attack.

python -m benchmarks.batches kills [20 [60]]    kill a batch at random, resume it, compare with an
undisturbed one python -m benchmarks.batches memory [100000]    memory of the coordinator for
simulated models python -m benchmarks.batches overhead [200]     time per model beyond the work
itself python -m benchmarks.batches processes INPUT... time by number of processes and of shards;
figures in docs/batch.md python -m benchmarks.batches cluster            scheduler and four workers
as commands of their own, one is killed
"""

from __future__ import annotations

import datetime
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import bridge
from bridge.batches import worker
from bridge.batches.run_batch import available_cores, dask_executor
from bridge.batches.worker import DONE, Ended

ROOT = Path(__file__).parents[1]
ASSETS = ROOT / "assets"
WORKERS = 4


def models(folder: Path, count: int) -> Path:
    """Write models into a folder: valid ones, invalid ones, and one with a mesh."""
    folder.mkdir(parents=True)
    for number in range(count):
        source = ASSETS / ("leg.sdf" if number % 3 else "double_pendulum.urdf")
        text = source.read_text()
        if number % 7 == 0:
            text = text.replace("<link", "<lnk", 1)
        (folder / f"{number:04d}{source.suffix}").write_text(text)
    shutil.copytree(ASSETS / "gripper", folder / "gripper")
    return folder


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "sdfbridge", "batch", *map(str, words)]


# --- interruption ---------------------------------------------------------------------------------


def kills(count: int, *, inputs: int = 60, seed: int = 0) -> list[str]:
    """Kill a batch at random moments, resume it each time, and return what differs from an
    undisturbed one.
    """
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        source = models(folder / "models", inputs)
        begin = time.monotonic()
        _finish(source, folder / "whole")
        whole = time.monotonic() - begin
        for number in range(count):
            process = _start(source, folder / "killed")
            time.sleep(rng.uniform(0.0, 1.2 * whole))
            process.kill()
            process.wait()
            lines = folder / "killed" / "results.jsonl"
            done = len(lines.read_bytes().splitlines()) if lines.is_file() else 0
            print(f"kill {number + 1}: {done} lines", file=sys.stderr)
        _finish(source, folder / "killed")
        return differences(folder / "whole", folder / "killed")


def _start(source: Path, out: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command("check", source, "-o", out, "--resume", "-q"), cwd=ROOT, stdout=subprocess.DEVNULL
    )


def _finish(source: Path, out: Path) -> None:
    status = _start(source, out).wait()
    assert status == 1, status  # some models are invalid


def differences(a: Path, b: Path) -> list[str]:
    """Return the files that differ between the folders of two batches, except how the runs went."""
    names = sorted(
        {p.relative_to(folder) for folder in (a, b) for p in folder.rglob("*") if p.is_file()}
    )
    different = []
    for name in names:
        both = [
            (folder / name).read_bytes() if (folder / name).is_file() else b"" for folder in (a, b)
        ]
        if name.name != "runs.jsonl" and both[0] != both[1]:
            different.append(str(name))
    return different


# --- figures --------------------------------------------------------------------------------------


class Simulated(Executor):
    """An executor whose models are done at once."""

    def submit(self, function: Any, /, *arguments: Any, **keywords: Any) -> Future[Any]:  # noqa: ARG002
        future: Future[Any] = Future()
        future.set_result(Ended(how=DONE, value=b"\x80\x04N.", files={"/models/a.sdf": "0" * 64}))
        return future


def nothing(_source: object) -> None:
    """Do no work."""


def memory(count: int) -> Iterator[tuple[int, float]]:
    """Yield the number of results and the memory of this process [MiB], at ten moments and after
    the reports.
    """
    with tempfile.TemporaryDirectory() as place:
        sources = (f"models/robot-{number}.sdf" for number in range(count))
        results = bridge.batch(
            sources, nothing, executor=Simulated(), jobs=8, out=Path(place) / "out"
        )
        for number, _ in enumerate(results, 1):
            if number % max(1, count // 10) == 0 or number == 1:
                yield number, resident()
        yield count, resident()


def resident() -> float:
    return (
        int(Path("/proc/self/statm").read_text().split()[1])
        * os.sysconf("SC_PAGE_SIZE")
        / (1 << 20)
    )


def overhead(count: int) -> dict[str, float]:
    """Return milliseconds per model: processor time of an empty task in all processes of a batch,
    and elapsed time.

    Processor time does not depend on what else the machine does.
    """
    from bridge.batches.tasks import check

    path = str(ASSETS / "double_pendulum.urdf")
    check(path, "", {})
    begin = time.process_time()
    for _ in range(count):
        check(path, "", {})
    alone = (time.process_time() - begin) / count
    with ThreadPoolExecutor(1) as pool:
        empty, elapsed = _per_model(list(range(count)), nothing, pool)
        whole, _ = _per_model([path] * count, path_of_check, pool)
    times = {
        "empty task": empty,
        "empty task, elapsed": elapsed,
        "check in this process": alone,
        "check in a batch": whole,
    }
    return {name: 1e3 * seconds for name, seconds in times.items()}


def path_of_check(path: str) -> object:
    from bridge.batches.tasks import check

    return check(path, "", {})["outcome"]


def _per_model(sources: list[Any], task: Any, pool: Executor) -> tuple[float, float]:
    """Return processor time and elapsed time per model, without the start of the warm process."""
    options: dict[str, Any] = {
        "executor": pool,
        "jobs": 1,
        "preload": ("bridge.batches.tasks", "trimesh", "collada"),
    }
    list(bridge.batch(sources[:1], task, **options))
    (server,) = [s for idle in worker._idle.values() for s in idle][-1:]
    before, begin = time.process_time() + _cpu(server.process.pid), time.perf_counter()
    list(bridge.batch(sources, task, **options))
    spent = time.process_time() + _cpu(server.process.pid) - before
    return spent / len(sources), (time.perf_counter() - begin) / len(sources)


def _cpu(process: int) -> float:
    """Return the processor time of a process and of those that it waited for [s]."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")


def processes(inputs: list[str]) -> list[Timed]:
    """Check models with several numbers of processes and of shards; return the least time of each,
    of two rounds.
    """
    cores = available_cores()
    ways = [(1, jobs) for jobs in sorted({1, 2, cores, 2 * cores})] + [
        (count, 1) for count in sorted({2, cores})
    ]
    best: dict[tuple[int, int], Timed] = {}
    with tempfile.TemporaryDirectory() as place:
        for number in range(2):
            for shards, jobs in ways:
                timed = in_shards(inputs, Path(place) / f"{number}-{shards}-{jobs}", shards, jobs)
                print(timed, file=sys.stderr)
                known = best.get((shards, jobs), timed)
                best[shards, jobs] = min(timed, known, key=lambda each: each.seconds)
    return list(best.values())


class Timed(NamedTuple):
    """The time of batches that ran at once, one for each shard."""

    shards: int
    jobs: int
    seconds: float
    models: int

    @property
    def workers(self) -> int:
        return self.shards * self.jobs


def in_shards(inputs: list[str], out: Path, shards: int, jobs: int) -> Timed:
    """Start a command for each shard, wait for all, and return the time from the first start to the
    last end.
    """
    words = [
        command(
            "check",
            *inputs,
            "-o",
            out / str(number),
            "--shard",
            f"{number}/{shards}",
            "-j",
            jobs,
            "-q",
            "--no-thumbnails",
        )
        for number in range(1, shards + 1)
    ]
    begin = time.perf_counter()
    started = [subprocess.Popen(each, cwd=ROOT, stdout=subprocess.DEVNULL) for each in words]
    statuses = [process.wait() for process in started]
    seconds = time.perf_counter() - begin
    assert set(statuses) <= {0, 1}, statuses
    done = sum(
        len((out / str(number) / "results.jsonl").read_bytes().splitlines())
        for number in range(1, shards + 1)
    )
    return Timed(shards, jobs, seconds, done)


def write_times(times: list[Timed], page: Path = ROOT / "docs" / "batch.md") -> None:
    """Write the times into the page, between two marks."""
    before, begin, rest = page.read_text().partition(_BEGIN)
    _, end, after = rest.partition(_END)
    assert begin, f"{page} lacks {_BEGIN}"
    assert end, f"{page} lacks {_END}"
    page.write_text(f"{before}{begin}\n\n{table_of_times(times)}\n{end}{after}")


def table_of_times(times: list[Timed]) -> str:
    """Return the table: time, models per second, and the speed-up against one process."""
    alone = next(each.seconds for each in times if each.workers == 1)
    load, today = os.getloadavg()[2], datetime.datetime.now(tz=datetime.UTC).date()
    note = (
        f"; others kept the machine busy meanwhile (load {load:.0f})"
        if load > available_cores() + 1.5
        else ""
    )
    head = (
        f"Time of `batch check` for {times[0].models} models on a machine with {available_cores()} "
        f"cores, start and reports included, the least of two rounds ({today.isoformat()}{note}):"
    )
    lines = [
        f"| {each.shards} | {each.jobs} | {each.seconds:.1f} s | "
        f"{each.models / each.seconds:.1f}/s | {alone / each.seconds:.2f} |"
        for each in times
    ]
    return "\n".join([*textwrap.wrap(head, 120), "", _TITLES, "|---|---|---|---|---|", *lines, ""])


_BEGIN, _END = "<!-- times by number of processes -->", "<!-- end of times -->"
_TITLES = "| commands (shards) at once | processes of each | time | models | speed-up |"


# --- a cluster ------------------------------------------------------------------------------------


@contextmanager
def cluster_of_commands(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Start a scheduler and workers as separate commands; yield the address of the scheduler and
    the workers.
    """
    dask = str(Path(sys.executable).parent / "dask")
    file = folder / "scheduler.json"
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [
        dask,
        "scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--no-dashboard",
        "--scheduler-file",
        str(file),
    ]
    started: list[subprocess.Popen[bytes]] = [subprocess.Popen(words, env=environment, **quiet)]  # type: ignore[call-overload]
    words = [
        dask,
        "worker",
        "--scheduler-file",
        str(file),
        "--nthreads",
        "1",
        "--no-nanny",
        "--no-dashboard",
    ]
    try:
        while not file.is_file():
            time.sleep(0.1)
        started += [subprocess.Popen(words, env=environment, **quiet) for _ in range(WORKERS)]  # type: ignore[call-overload]
        import json

        yield json.loads(file.read_text())["address"], started[1:]
    finally:
        for process in reversed(
            started
        ):  # the scheduler last: a worker that it leaves first may wait for it
            end(process)


def end(process: subprocess.Popen[bytes], seconds: float = 20.0) -> None:
    """End a process: politely, and after a time by force."""
    process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def cluster(inputs: int = 60) -> dict[str, object]:
    """Check models on a cluster of which a worker is killed on the way; compare with a batch on
    this machine alone.
    """
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        source = models(folder / "models", inputs)
        list(bridge.batch([source], "check", out=folder / "local"))
        with cluster_of_commands(folder) as (address, workers):
            executor, close = dask_executor(address, None)
            executor._client.wait_for_workers(WORKERS)  # type: ignore[attr-defined]
            done, killed = 0, 0
            for _ in bridge.batch(
                [source], "check", executor=executor, jobs=WORKERS, out=folder / "cluster"
            ):
                done += 1
                if done == inputs // 4:
                    workers[0].send_signal(signal.SIGKILL)
                    killed = workers[0].pid
            left = len(executor._client.scheduler_info()["workers"])  # type: ignore[attr-defined]
            close()
        return {
            "models": done,
            "killed worker": killed,
            "workers left": left,
            "differences": differences(folder / "local", folder / "cluster"),
        }


def main(words: list[str]) -> int:
    if not words or words[0] not in {"kills", "memory", "overhead", "processes", "cluster"}:
        print(__doc__)
        return 2
    task, *rest = words
    if task == "kills":
        different = kills(
            int(rest[0]) if rest else 20, inputs=int(rest[1]) if len(rest) > 1 else 60
        )
        print("different files:", different or "none")
        return bool(different)
    if task == "memory":
        for number, megabytes in memory(int(rest[0]) if rest else 100_000):
            print(f"{number:7d} results: {megabytes:.1f} MiB")
    elif task == "overhead":
        print(
            *(
                f"{name}: {time:.1f} ms"
                for name, time in overhead(int(rest[0]) if rest else 200).items()
            ),
            sep="\n",
        )
    elif task == "processes":
        times = processes(rest)
        write_times(times)
        print(table_of_times(times))
    else:
        print(cluster())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
