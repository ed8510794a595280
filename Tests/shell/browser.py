"""Drives a headless Chromium over pipes by its DevTools protocol: --remote-debugging-pipe, messages that end with NUL.

The protocol: https://chromedevtools.github.io/devtools-protocol/. Nothing but Python's own library is needed.
"""

import base64
import json
import os
import signal
import subprocess


class BrowserGone(Exception):
    """Chromium does not run here, or ended."""


class Browser:
    def __init__(self, profile):
        its_input, ours = os.pipe()
        theirs, its_output = os.pipe()
        command = [
            "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe",
            f"--user-data-dir={profile}",
        ]
        # It reads descriptor 3 and writes 4.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{its_input} 4>&{its_output}', "sh", *command],
            pass_fds=(its_input, its_output), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(its_input)
        os.close(its_output)
        self.ours, self.theirs = ours, theirs
        self.count, self.waiting, self.session, self.events = 0, b"", None, []
        # Whatever hangs, the test does not.
        signal.signal(signal.SIGALRM, self.give_up)
        signal.alarm(240)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Log", "Runtime", "Network", "Audits", "DOM", "Accessibility"):
            self.call(f"{domain}.enable")

    def give_up(self, *_):
        self.process.kill()
        raise BrowserGone("no answer for minutes")

    def receive(self):
        while b"\0" not in self.waiting:
            data = os.read(self.theirs, 1 << 20)
            if not data:
                raise BrowserGone(f"ended with {self.process.wait()}")
            self.waiting += data
        message, self.waiting = self.waiting.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        try:
            data = json.dumps(message).encode() + b"\0"
            while data:
                data = data[os.write(self.ours, data):]
        except BrokenPipeError as error:
            raise BrowserGone(f"ended with {self.process.wait()}") from error
        while True:
            answer = self.receive()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def load(self, url):
        """Opens a page, and gives what happened until it was there: events by method."""
        self.events = []
        self.call("Page.navigate", url=url)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive())
        # One more round, so that what the page's end set off is in.
        self.value("1")
        happened = {}
        for event in self.events:
            happened.setdefault(event.get("method"), []).append(event.get("params"))
        return happened

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def show(self, width=1280, height=900, scheme="light", media=""):
        """Sets the window's size, the reader's colours, and whether it is paper."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def picture(self, most=6000):
        """The whole page as a PNG, a long one cut."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], most), "scale": 1}
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        return base64.b64decode(shot["data"])

    def paper(self):
        """The page printed, as a PDF."""
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"])

    def close(self):
        self.session = None
        try:
            self.call("Browser.close")
        except (BrowserGone, AssertionError):
            pass
        self.process.wait()
        signal.alarm(0)
