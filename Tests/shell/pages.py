"""Looks at pages in Chromium as people do: in light and dark, on a narrow screen, on paper.

usage: pages.py FOLDER PAGE...   pictures go into FOLDER; ends with 75 where Chromium does not run
"""

import os
import sys
import tempfile

from browser import Browser, BrowserGone


def complaints(happened):
    """What a page did that no page may: loading, running what its policy refuses, speaking, failing."""
    found = [entry["entry"]["text"] for entry in happened.get("Log.entryAdded", [])]
    found += [str(call["args"]) for call in happened.get("Runtime.consoleAPICalled", [])]
    found += [str(thrown["exceptionDetails"]["text"]) for thrown in happened.get("Runtime.exceptionThrown", [])]
    found += [str(issue["issue"]["code"]) for issue in happened.get("Audits.issueAdded", [])]
    found += [str(box["message"]) for box in happened.get("Page.javascriptDialogOpening", [])]
    loaded = [request["request"]["url"] for request in happened.get("Network.requestWillBeSent", [])]
    return found + loaded[1:]


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def look(browser, page, folder):
    name = os.path.basename(page).removesuffix(".html")
    url = f"file://{os.path.abspath(page)}"
    pictures = {}
    for view, width, scheme in (("light", 1280, "light"), ("dark", 1280, "dark"), ("narrow", 400, "light")):
        browser.show(width=width, scheme=scheme)
        found = complaints(browser.load(url))
        check(not found, f"{page}: {found}")
        wide = browser.value("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(wide <= 0, f"{page} is {wide} pixels too wide at {width}")
        pictures[view] = browser.picture()
        with open(f"{folder}/{name}-{view}.png", "wb") as file:
            file.write(pictures[view])
    check(len(set(pictures.values())) == 3, f"{page} looks the same in light, dark and narrow")
    paper = browser.paper()
    check(paper.startswith(b"%PDF-"), f"{page} cannot be printed")
    with open(f"{folder}/{name}.pdf", "wb") as file:
        file.write(paper)


def refuse(browser, page, folder):
    """What a page would do to text that got into it unescaped: it neither runs nor loads; and we would see it."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    bad = '<script>document.title = "caught"</script><img src="http://127.0.0.1:9/x"><p style="color:red" onclick="x">'
    broken = f"{folder}/broken.html"
    with open(broken, "w", encoding="utf-8") as file:
        file.write(text.replace("</main>", bad + "</main>"))
    happened = browser.load(f"file://{os.path.abspath(broken)}")
    check(browser.value("document.title") != "caught", f"{page}: its policy lets in a script that is not its own")
    check(len(complaints(happened)) >= 3, "what a policy refuses would not be seen")
    os.remove(broken)


def main():
    folder, pages = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = None
        try:
            browser = Browser(profile)
            for page in pages:
                look(browser, page, folder)
                refuse(browser, page, folder)
        except BrowserGone as error:
            print(f"chromium does not run here: {error}")
            sys.exit(75)
        finally:
            if browser:
                browser.close()


main()
