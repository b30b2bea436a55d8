"""Every check and test, one after another; all of them, whatever fails. The last line says how it went."""

from __future__ import annotations

import os
import subprocess
import sys
import time

STEPS = {
    "lint and types (Python)": "check-python",
    "types (TypeScript)": "check-vscode",
    "compiler and server": "test-python",
    "editor": "test-vscode",
}


def run(target: str) -> bool:
    """Whether `make target` succeeds. Its output goes to ours as it comes."""
    return subprocess.run([os.environ.get("MAKE", "make"), "--no-print-directory", target]).returncode == 0


def main() -> int:
    """Exit code 0 when every step succeeded."""
    start, failed = time.monotonic(), []
    for name, target in STEPS.items():
        print(f"== {name}", flush=True)
        begin = time.monotonic()
        if not run(target):
            failed.append(name)
        print(f"== {name}: {'FAILED' if name in failed else 'ok'} in {time.monotonic() - begin:.0f} s\n", flush=True)
    passed = len(STEPS) - len(failed)
    verdict = "all passed" if not failed else "FAILED: " + ", ".join(failed)
    print(f"{passed} of {len(STEPS)} steps in {time.monotonic() - start:.0f} s, {verdict}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
