"""Asks a command to stop while it waits, and half a second later again: the second signal must end it.

    interrupt.py SIGNAL COMMAND...

What it wrote is left in ./out and ./err.
"""

import signal
import subprocess
import sys
import time

number = getattr(signal, sys.argv[1])


# What a script starts in the background ignores SIGINT.
def listen():
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_DFL)


with open("out", "wb") as out, open("err", "wb") as err:
    process = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=listen)
time.sleep(1)
process.send_signal(number)
time.sleep(0.5)
assert process.poll() is None, "the first signal ended it: it does not wait"
asked = time.monotonic()
process.send_signal(number)
assert process.wait(20) == -number, process.returncode
print(f"measured: it ended {time.monotonic() - asked:.3f} s after the second signal")
