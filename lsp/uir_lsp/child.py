"""The child process: takes jobs on standard input, one JSON line each, and answers on standard output.

An answer is a line with its length and that many bytes of JSON: `["stage", text]` any number of times, then
`["answer", value]` or `["fault", text]`.
When its input ends the server is gone, and the child ends with everything it started, even in the middle of a job.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

from uir_lsp.jobs import JOBS, NumPyMissing


def main() -> None:
    """Take jobs until the input ends."""
    answers = _take_stdout()
    signal.signal(signal.SIGTERM, _stop)
    jobs: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_read_jobs, args=(jobs,), daemon=True).start()
    while True:
        _send(answers, *_answer(jobs.get(), lambda text: _send(answers, "stage", text)))


def _answer(job: dict[str, Any], stage: Callable[[str], None]) -> tuple[str, Any]:
    """What a job gives; a fault of ours is said too, so that the person sees something."""
    try:
        return "answer", JOBS[job["kind"]](job, stage)
    except NumPyMissing as error:
        return "fault", str(error)
    except Exception as error:
        logging.getLogger(__name__).exception("job %s failed", job["kind"])
        return "fault", f"{type(error).__name__}: {error}"


def _take_stdout() -> BinaryIO:
    """Keep the answers' pipe for ourselves: whatever prints goes to standard error, and children inherit neither."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def _read_jobs(jobs: queue.SimpleQueue[dict[str, Any]]) -> None:
    stream = os.fdopen(os.dup(0), "rb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    for line in stream:
        jobs.put(json.loads(line))
    os.kill(os.getpid(), signal.SIGTERM)


def _stop(*_: Any) -> None:
    """Leave through the clean-up of whoever is at work, which ends what it started."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(0)


def _send(answers: BinaryIO, kind: str, value: Any) -> None:
    body = json.dumps([kind, value]).encode()
    answers.write(b"%d\n" % len(body) + body)
    answers.flush()


if __name__ == "__main__":
    main()
