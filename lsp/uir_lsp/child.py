"""The child process: takes jobs on standard input, one JSON line each, and answers on standard output.

An answer is a line with its length and that many bytes of JSON: `["stage", text]` any number of times and perhaps
`["early", value]`, then `["answer", value]` or `["fault", text]`. A job of the kind "rehearse" has no answer.
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
import time
from typing import Any, BinaryIO

from uir_lsp.jobs import JOBS, NumPyMissing, Report, ready, rehearse

_LAST_WORDS = 3.0  # seconds from the end of the input to the end of the process, if it does not end by itself


def main() -> None:
    """Take jobs until the input ends."""
    answers = Answers(_take_stdout())
    signal.signal(signal.SIGTERM, _stop)
    jobs: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
    threading.Thread(target=_read_jobs, args=(jobs,), daemon=True).start()
    while (job := jobs.get()) is not None:
        if job["kind"] == "rehearse":
            _rehearse()
        else:
            answers.send(*_answer(job, answers))
        ready()


def _answer(job: dict[str, Any], report: Report) -> tuple[str, Any]:
    """What a job gives; a fault of ours is said too, so that the person sees something."""
    try:
        return "answer", JOBS[job["kind"]](job, report)
    except NumPyMissing as error:
        return "fault", str(error)
    except Exception as error:
        logging.getLogger(__name__).exception("job %s failed", job["kind"])
        return "fault", f"{type(error).__name__}: {error}"


def _rehearse() -> None:
    try:
        rehearse()
    except Exception:  # nobody asked for it: a fault is for the log, and the child is as good as one without rehearsal
        logging.getLogger(__name__).exception("the rehearsal failed")


class Answers:
    """The pipe to the server; several threads may write."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()

    def __call__(self, text: str) -> None:
        """What is being done now."""
        self.send("stage", text)

    def early(self, answer: Any) -> None:
        """What is known already of the answer."""
        self.send("early", answer)

    def send(self, kind: str, value: Any) -> None:
        """One message."""
        body = json.dumps([kind, value]).encode()
        with self._lock:
            self._pipe.write(b"%d\n" % len(body) + body)
            self._pipe.flush()


def _take_stdout() -> BinaryIO:
    """Keep the answers' pipe for ourselves: whatever prints goes to standard error, and children inherit neither."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def _read_jobs(jobs: queue.SimpleQueue[dict[str, Any] | None]) -> None:
    """Hands the jobs on; when the server is gone, ends the process, whatever it is doing."""
    stream = os.fdopen(os.dup(0), "rb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    for line in stream:
        jobs.put(json.loads(line))
    jobs.put(None)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_LAST_WORDS)  # what is raised in the main thread may come in a call-back, which swallows it
    os._exit(1)


def _stop(*_: Any) -> None:
    """Leave through the clean-up of whoever is at work, which ends what it started."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(0)


if __name__ == "__main__":
    main()
