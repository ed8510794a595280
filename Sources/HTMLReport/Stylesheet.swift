/// How pages look: in the reader's own fonts, in light and dark, on paper, and at any width.
enum Stylesheet {
  /// Colours convey nothing that words do not, and every text has a contrast of at least 4.5 to 1 (WCAG 2.2,
  /// 1.4.3).
  static let text: Markup = """
    :root{color-scheme:light dark;\(light)}
    @media (prefers-color-scheme:dark){:root{\(dark)}}
    *{box-sizing:border-box}
    html{font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;background:var(--paper);\
    color:var(--ink);-webkit-text-size-adjust:100%;text-size-adjust:100%}
    body{margin:0}
    header,main,footer,nav{max-width:76rem;margin:0 auto;padding:0 1.25rem}
    header{padding-top:2.5rem}
    h1{font-size:1.9rem;line-height:1.2;margin:0 0 .35rem;font-weight:650;letter-spacing:-.01em;\
    overflow-wrap:anywhere}
    h2{font-size:1.25rem;margin:2.75rem 0 .5rem;font-weight:650;scroll-margin-top:1rem}
    p{margin:.35rem 0 .9rem;max-width:46rem;overflow-wrap:anywhere}
    .soft,caption,figcaption,footer{color:var(--soft)}
    header p.soft{max-width:none}
    a{color:var(--link);text-underline-offset:.15em;text-decoration-thickness:1px;overflow-wrap:anywhere}
    :focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}
    main:focus{outline:0}
    .skip{position:absolute;left:-9999px;top:0;background:var(--card);padding:.6rem 1rem;z-index:1}
    .skip:focus{left:.5rem;top:.5rem}
    nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:1rem 0 0;padding:.65rem 0;\
    border-block:1px solid var(--line)}
    dl.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(14rem,100%),1fr));gap:1rem;\
    margin:1.25rem 0}
    dl.facts>div,.timeline,.scroll{background:var(--card);border:1px solid var(--line);border-radius:.6rem}
    dl.facts>div{padding:.8rem 1rem}
    dt{color:var(--soft);font-size:.82rem}
    dd{margin:.1rem 0 0;font-size:1.05rem;overflow-wrap:anywhere}
    .timeline{margin:.6rem 0 1rem;padding:.8rem 1rem .6rem}
    .timeline svg{display:block}
    .timeline text{fill:var(--soft);font-size:12px}
    .timeline line{stroke:var(--line)}
    figcaption{font-size:.82rem}
    .key{display:inline-block;width:.9rem;height:.7rem;border-radius:.15rem;margin:0 .35rem 0 1rem}
    .key:first-child{margin-left:0}
    .pass{fill:var(--bar);background:var(--bar)}
    .fail{fill:var(--bar2);background:var(--bar2)}
    .live{fill:var(--bar3);background:var(--bar3)}
    .live.odd{fill:var(--bar4)}
    .scroll{overflow-x:auto;margin:.6rem 0}
    table{border-collapse:collapse;width:100%;font-size:.92rem;font-variant-numeric:tabular-nums}
    caption{text-align:left;padding:.7rem 1rem .35rem;font-size:.85rem}
    th,td{text-align:left;vertical-align:top;padding:.5rem 1rem;border-top:1px solid var(--line)}
    thead th{font-size:.8rem;font-weight:600;color:var(--soft);white-space:nowrap;border-top:0}
    tbody th{font-weight:600;white-space:nowrap}
    td{overflow-wrap:break-word;max-width:30rem}
    td code,th code{overflow-wrap:inherit}
    #apps th[scope=row]{white-space:normal;min-width:12rem;overflow-wrap:break-word;max-width:30rem}
    td a[rel]{display:inline-block;min-width:12rem}
    td ul{margin:.3rem 0;padding-left:1.1rem;min-width:12rem}
    .number{text-align:right}
    time{white-space:nowrap}
    tr:target>*{background:var(--remindbg)}
    .tag{display:inline-block;border-radius:1rem;padding:0 .6rem;font-size:.85rem;font-weight:600;\
    white-space:nowrap;color:var(--none);background:var(--nonebg)}
    .tag.force{color:var(--force);background:var(--forcebg)}
    .tag.remind{color:var(--remind);background:var(--remindbg)}
    .tag.good{color:var(--good);background:var(--goodbg)}
    .bar{display:block;width:9rem;height:.55rem;margin:.45rem 0 .2rem;border-radius:.3rem;background:var(--nonebg)}
    .none{color:var(--soft)}
    ul.plain{list-style:none;margin:0;padding:0;white-space:nowrap}
    .note{white-space:pre-wrap;margin:.3rem 0 .6rem;max-width:34rem;min-width:14rem;overflow-wrap:anywhere}
    details{margin:.1rem 0}
    summary{cursor:pointer}
    .find{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;margin:.6rem 0}
    .find[hidden]{display:none}
    input{font:inherit;color:inherit;background:var(--card);border:1px solid var(--soft);border-radius:.45rem;\
    padding:.4rem .7rem;width:min(24rem,100%)}
    code{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.9em;overflow-wrap:anywhere}
    footer{border-top:1px solid var(--line);margin-top:3rem;padding-top:1rem;padding-bottom:2.5rem;font-size:.85rem}
    @media screen and (min-width:44.01rem){#apps th,#apps td{padding-inline:.6rem;white-space:normal;\
    overflow-wrap:anywhere;min-width:5rem}#apps th[scope=row]{min-width:8rem}#apps .number{min-width:4rem}}
    @media (max-width:44rem){html{font-size:15px}header{padding-top:1.5rem}
    dl.facts{grid-template-columns:1fr 1fr;gap:.6rem}dl.facts>div{padding:.6rem .8rem}}
    @media screen and (max-width:44rem){table,caption,tbody,tr,th,td{display:block}tr[hidden]{display:none}
    thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
    tr{border-top:1px solid var(--line);padding:.5rem .9rem}caption{padding:.7rem .9rem}
    tbody th,td{border:0;padding:.1rem 0;max-width:none;white-space:normal}
    td::before,th[data-label]::before{content:attr(data-label) ": ";color:var(--soft)}td:has(>.none:only-child){display:none}
    .number{text-align:left}.timeline text{font-size:11px}ul.plain{white-space:normal}}
    @media (prefers-contrast:more){:root{--line:currentColor;--soft:var(--ink)}}
    @media print{:root{color-scheme:light;--paper:#fff;--card:#fff;--ink:#000;--soft:#333;--line:#bbb;--link:#000;\
    --force:#000;--remind:#000;--none:#000;--good:#000;--forcebg:#fff;--remindbg:#fff;--nonebg:#fff;--goodbg:#fff;\
    --bar:#555;--bar2:#999;--bar3:#777;--bar4:#bbb}
    html{font-size:9pt}nav,.skip,.find{display:none}.scroll{overflow:visible;border:0}
    header,main,footer{max-width:none;padding-inline:0}header{padding-top:0}
    thead{display:table-header-group}tr,.timeline,dl.facts>div{break-inside:avoid}h2,caption{break-after:avoid}
    th,td{padding:.25rem .5rem .25rem 0;white-space:normal}td a[rel],td ul,.note{min-width:0}caption{padding-left:0}
    dl.facts{grid-template-columns:repeat(4,1fr)}.tag{padding:0;border-radius:0}ul.plain{white-space:normal}
    .bar,.key{print-color-adjust:exact;-webkit-print-color-adjust:exact}.bar{background:#eee;width:6rem}
    details::details-content{content-visibility:visible;height:auto}@page{margin:15mm}}
    """

  static let light: Markup = """
    --paper:#fbfaf7;--card:#fff;--ink:#1c1d21;--soft:#5a5d66;--line:#e2e0da;--link:#1f4fa3;--bar:#5b7fb8;\
    --bar2:#b9822a;--bar3:#4f9a6c;--bar4:#a4cfb2;--force:#a3231f;--forcebg:#fbe9e7;--remind:#7a4f00;\
    --remindbg:#fbf0d9;--none:#4f535c;--nonebg:#eeede9;--good:#1d6138;--goodbg:#e4f2e8
    """

  static let dark: Markup = """
    --paper:#15171b;--card:#1c1f24;--ink:#e8e6e1;--soft:#a5a8b0;--line:#33373e;--link:#9dbdf5;--bar:#7d9fd6;\
    --bar2:#d0a75e;--bar3:#5fae7e;--bar4:#2f5f43;--force:#ffb4ab;--forcebg:#4a1d1a;--remind:#f2cd84;\
    --remindbg:#40310f;--none:#c3c5cb;--nonebg:#2c3037;--good:#a3dab5;--goodbg:#173823
    """
}
