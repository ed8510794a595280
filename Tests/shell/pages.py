"""Looks at pages in Chromium as people do: in light and dark, on a narrow screen, on paper.

usage: pages.py FOLDER PAGE...   pictures go into FOLDER; ends with 75 where Chromium does not run
"""

# What stands beside its heading: of each column the texts of heading and cells end at one place, or begin there.
ASIDE = """(() => {
  const edges = cell => { const r = document.createRange(); r.selectNodeContents(cell); return r.getBoundingClientRect(); };
  const bad = [];
  for (const table of document.querySelectorAll("table")) {
    const heads = [...table.querySelectorAll("thead th")];
    for (const [place, head] of heads.entries()) {
      const side = head.className === "number" ? "right" : "left", at = edges(head)[side];
      for (const row of table.tBodies[0].rows) {
        const cell = row.cells[place];
        if (cell.textContent && Math.abs(edges(cell)[side] - at) > 1) bad.push(head.textContent + ": " + cell.textContent);
        if ((cell.className === "number") !== (head.className === "number")) bad.push("class: " + head.textContent);
      }
    }
  }
  return bad.join("; ");
})()"""

# What does not fit: whatever ends beyond the window, or holds more than it shows.
BEYOND = """[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 ||
  e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline").map(e => e.outerHTML.slice(0, 99)).join("; ")"""

# The least contrast of a text with the page (WCAG 2.2, 1.4.3).
CONTRAST = """(() => {
  const light = color => { const [r, g, b] = color.match(/[0-9.]+/g).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b; };
  const page = light(getComputedStyle(document.body).backgroundColor);
  return Math.min(...[...document.querySelectorAll("main *, nav a")].map(e => { const text = light(getComputedStyle(e).color);
    return (Math.max(text, page) + .05) / (Math.min(text, page) + .05); }));
})()"""

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
    for view, width, scheme in (
        ("light", 1280, "light"), ("dark", 1280, "dark"), ("narrow", 420, "light"), ("narrow-dark", 420, "dark")):
        browser.show(width=width, scheme=scheme)
        found = complaints(browser.load(url))
        check(not found, f"{page}: {found}")
        wide = browser.value("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(wide <= 0, f"{page} is {wide} pixels too wide at {width}")
        beyond = browser.value(BEYOND)
        check(not beyond, f"{page} at {width}, not to be seen whole: {beyond}")
        contrast = browser.value(CONTRAST)
        check(contrast >= 4.5, f"{page}, {view}: a text has a contrast of {contrast}")
        aside = browser.value(ASIDE)
        check(width < 500 or not aside, f"{page}, beside its heading: {aside}")
        # The head of the record is on the first screen.
        end = browser.value("document.querySelector('h2:nth-of-type(2)').getBoundingClientRect().top + scrollY")
        check(width < 500 or end < 900, f"{page}: what an auditor asks first ends at {end}")
        pictures[view] = browser.picture()
        with open(f"{folder}/{name}-{view}.png", "wb") as file:
            file.write(pictures[view])
    check(len(set(pictures.values())) == 4, f"{page} looks the same in light, dark and narrow")
    # On paper, as wide as A4 within its margins, tables have their headings.
    browser.show(width=680, media="print")
    browser.load(url)
    check(browser.value("document.querySelector('thead').offsetHeight") > 0, f"{page}: no headings on paper")
    check(not browser.value(BEYOND), f"{page} is wider than paper: {browser.value(BEYOND)}")
    # For the documentation: the first screen alone.
    browser.show(width=1000, height=680)
    browser.load(url)
    with open(f"{folder}/{name}-first.png", "wb") as file:
        file.write(browser.picture(680))
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
