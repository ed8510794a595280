"""Looks at pages in Chromium as people do: in light and dark, on a narrow screen, on paper, by keyboard, by ear.

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


LONG_ROW = """
const cells = document.querySelector('#apps tbody tr').cells;
cells[0].textContent = 'Airport Companion for Drivers';
cells[1].firstElementChild.textContent = 'airport-companion-for-drivers';
cells[2].textContent = 'visionos, enterprise';
cells[3].textContent = 'airport-companion 7.3.0';
cells[4].innerHTML = '7.4.0, live; clients are told from <time>2027-01-16 12:30</time>';
"""


def fit(browser, page):
    """The index is not cut off on a small laptop's screen, long names or not."""
    for width in (720, 1000):
        browser.show(width=width)
        browser.load(f"file://{os.path.abspath(page)}")
        browser.value("{" + LONG_ROW + "}")
        box = "document.querySelector('.scroll')"
        cut = browser.value(f"{box}.scrollWidth - {box}.clientWidth")
        check(cut <= 0, f"{page}: {cut} pixels of the table are cut off at {width}")


def listen(browser, page):
    """What a screen reader is told, and where the keyboard leads first."""
    browser.show()
    browser.load(f"file://{os.path.abspath(page)}")
    nodes = browser.accessible()
    roles = [role for role, _, _ in nodes]
    for role in ("banner", "main", "contentinfo"):
        check(roles.count(role) == 1, f"{page} has {roles.count(role)} of {role}")
    levels = [level for role, _, level in nodes if role == "heading"]
    check(levels[0] == 1 and set(levels[1:]) == {2}, f"{page} has headings of levels {levels}")
    for role, said, _ in nodes:
        if role in ("table", "region", "link", "navigation", "searchbox", "search"):
            check(said or role == "search", f"{page} has a {role} without a name")
    browser.press("Tab", 9)
    focused = browser.value("document.activeElement.className + ' ' + document.activeElement.getBoundingClientRect().x")
    check(focused == "skip 8", f"{page}: the first stop is '{focused}', not the link to the contents in sight")
    browser.press("Enter", 13)
    check(browser.value("document.activeElement.id") == "main", f"{page}: that link does not lead to the contents")


VISIBLE = "Array.from(document.querySelectorAll('#events tbody tr')).filter(r => r.checkVisibility()).length"


def search(browser, page):
    """The search of the history: typed, by address, left by a link, and without scripts."""
    url = f"file://{os.path.abspath(page)}"
    browser.show()
    browser.load(url)
    every = browser.value(VISIBLE)
    check(every > 2, f"{page} shows {every} events")
    browser.value("document.querySelector('#find input').focus()")
    browser.type("IMPORTED  1.1")
    check(browser.value(VISIBLE) == 1, f"{page}: one event says it, {browser.value(VISIBLE)} are shown")
    said = browser.value("document.querySelector('#find output').textContent")
    check(said == f"1 of {every} events", f"{page} says '{said}'")
    browser.type(" there is no such word")
    check(browser.value(VISIBLE) == 0, f"{page}: no event says that")
    browser.value("document.querySelector('#rules ~ * a[href^=\"#event-\"]').click()")
    # Following a link is done after the click.
    browser.call("Runtime.evaluate", expression="new Promise(r => setTimeout(r, 100))", awaitPromise=True)
    check(browser.value(VISIBLE) == every, f"{page}: a link to an event shows it")
    browser.load(url + "?q=imported+1.1")
    check(browser.value(VISIBLE) == 1, f"{page}: the address names what to search for")
    found = complaints(browser.load(url + "?q=%3Cscript%3Ealert(1)%3C/script%3E"))
    check(not found, f"{page}: {found}")
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.load(url)
    roles = [role for role, _, _ in browser.accessible()]
    check("search" not in roles and "searchbox" not in roles, f"{page}: a search that does nothing")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    browser.load(url)
    check("searchbox" in [role for role, _, _ in browser.accessible()], f"{page}: no search")


def refuse(browser, page, folder):
    """What a page would do to text that got into it unescaped: it neither runs nor loads; and we would see it."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    bad = '<script>document.title = "caught"</script><img src="http://127.0.0.1:9/x"><p style="color:red" onclick="x">'
    broken = f"{folder}/broken.html"
    with open(broken, "w", encoding="utf-8") as file:
        file.write(text.replace("<footer>", bad + "<footer>"))
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
                listen(browser, page)
                if os.path.basename(page) == "index.html":
                    fit(browser, page)
                if os.path.basename(page).startswith("taxi"):
                    search(browser, page)
                    refuse(browser, page, folder)
        except BrowserGone as error:
            print(f"chromium does not run here: {error}")
            sys.exit(75)
        finally:
            if browser:
                browser.close()


main()
