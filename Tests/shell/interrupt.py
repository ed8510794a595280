"""Asks a command to stop in the middle of its work, and looks how it does.

    interrupt.py SIGNAL SETUP COMMAND...    runs SETUP by the shell and the command once to its end, to know how long it
                                            takes; then both again, with the signal half way, until it was heard
    interrupt.py SIGNAL --twice COMMAND...  sends the signal, and half a second later again, while the command waits

What the interrupted run wrote is left in ./out and ./err. Its status must be 128 and the number of the signal, by its own
doing; with --twice the second signal must have ended it.
"""

import signal
import subprocess
import sys
import time

number = getattr(signal, sys.argv[1])


def start(command):
    # What a script starts in the background ignores SIGINT.
    def listen():
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(each, signal.SIG_DFL)

    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=open("out", "wb"), stderr=open("err", "wb"),
                            preexec_fn=listen)


if sys.argv[2] == "--twice":
    process = start(sys.argv[3:])
    time.sleep(1)
    process.send_signal(number)
    time.sleep(0.5)
    assert process.poll() is None, "the first signal ended it: it does not wait"
    asked = time.monotonic()
    process.send_signal(number)
    assert process.wait(20) == -number, process.returncode
    print(f"measured: it ended {time.monotonic() - asked:.3f} s after the second signal")
    sys.exit()

setup, command = sys.argv[2], sys.argv[3:]
subprocess.run(setup, shell=True, check=True)
began = time.monotonic()
assert start(command).wait(300) == 0, open("err").read()
took = time.monotonic() - began
for part in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.5, 0.4, 0.6, 0.3):
    subprocess.run(setup, shell=True, check=True)
    process = start(command)
    time.sleep(took * part)
    process.send_signal(number)
    asked = time.monotonic()
    status = process.wait(60)
    if status == 128 + number:
        print(f"measured: {command[1]} of {took:.1f} s ended {time.monotonic() - asked:.3f} s after the signal")
        sys.exit()
    # Not begun, or done already.
    assert status in (0, -number), (status, open("err").read())
sys.exit("the signal always came too early or too late")
