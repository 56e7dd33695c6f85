"""Watches over a program: it ends, with all that it has started, when whoever holds the other end is gone.

Run as a script: `watchdog.py FD FOLDER PROGRAM ARGUMENT...`.  FD is the reading end of a pipe whose writing end only
the holder has.  However the holder ends, killed or not, the pipe closes; then the program is killed, its folder removed
and the whole process group killed.  The program has this process's input and output for its own.  Plyground itself is
not imported, since a program has to start at once.
"""

import os
import select
import shutil
import signal
import subprocess
import sys
import threading


def hold(pipe: int, folder: str, command: list[str]) -> int:
    """Run the program to its end; return its exit code."""
    try:
        process = subprocess.Popen(command)
    except OSError as error:
        print(f"{command[0]} cannot be started: {error.strerror}", file=sys.stderr)
        return 127

    signal.signal(signal.SIGINT, lambda *_: None)  # that is for the program, which ends as it likes

    def wait_for_holder() -> None:
        os.read(pipe, 1)
        process.kill()

    threading.Thread(target=wait_for_holder, daemon=True).start()
    for descriptor in (0, 1):  # they are the program's alone
        os.close(descriptor)
    code = process.wait()
    shutil.rmtree(folder, ignore_errors=True)
    if select.select([pipe], [], [], 0)[0]:  # the holder is gone
        os.killpg(0, signal.SIGKILL)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(hold(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
