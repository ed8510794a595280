/// The only script of a page, which searches the history.
enum SearchScript {
  /// Shows the events that contain every word typed, or named in the address as `?q=words`.
  ///
  /// The field is hidden until this runs: without scripts, the history is complete all the same. An event
  /// that a link leads to is shown, whatever was searched for.
  static let text: Markup = #"""
    (function () {
      "use strict";
      var box = document.getElementById("find");
      if (!box) { return; }
      var field = box.querySelector("input");
      var found = box.querySelector("output");
      var rows = Array.prototype.slice.call(document.querySelectorAll("#events tbody tr"));
      var texts = rows.map(function (row) { return row.textContent.toLowerCase(); });
      function search() {
        var words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
        var count = 0;
        rows.forEach(function (row, index) {
          var isFound = words.every(function (word) { return texts[index].indexOf(word) >= 0; });
          row.hidden = !isFound;
          if (isFound) { count += 1; }
        });
        found.textContent = words.length ? count + " of " + rows.length + " events" : "";
      }
      function reveal() {
        var row = document.getElementById(location.hash.slice(1));
        if (!row || !row.hidden) { return; }
        field.value = "";
        search();
        row.scrollIntoView();
      }
      box.hidden = false;
      field.value = new URLSearchParams(location.search).get("q") || field.value;
      field.addEventListener("input", search);
      window.addEventListener("hashchange", reveal);
      search();
    })();
    """#
}
