#include "pictures/page/assets.h"

namespace isoshard::pictures {

std::string_view page_style() {
  return R"css(
:root{--ink:#1b1f24;--muted:#57606a;--rule:#d0d7de;--back:#ffffff;--band:#f3f5f7;--wrong:#b3261e;--wrongback:#fdecea;
 --holds:#0a6b4a;--holdsback:#e3f4ec;--open:#7a4b00;--openback:#fff3d6;--near:#fff7e0;--focus:#0072b2;--link:#0b5fa5}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--muted:#9aa4af;--rule:#30363d;--back:#0d1117;--band:#161c24;--wrong:#ff8a80;
 --wrongback:#3b1513;--holds:#6fd7ab;--holdsback:#0d2e22;--open:#ffcf70;--openback:#33270a;--near:#2a2413;--focus:#56b4e9;--link:#79c0ff}}
*{box-sizing:border-box}
body{margin:0;color:var(--ink);background:var(--back);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
header,main{max-width:1480px;margin:0 auto;padding:0 24px}
h1{font-size:22px;margin:24px 0 12px;overflow-wrap:anywhere}h2{font-size:19px;margin:28px 0 8px;overflow-wrap:anywhere}
h3{font-size:15px;margin:0 0 6px}small{color:var(--muted);font-weight:400;font-size:14px}
a{color:var(--link)}code,pre,table.values,table.mesh{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
code{font-size:.95em}pre{font-size:13px;line-height:1.45;overflow-x:auto;background:var(--band);padding:10px 12px;border-radius:6px;margin:8px 0}
summary{cursor:pointer;color:var(--muted)}:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
.verdict{display:block;padding:10px 14px;border-radius:6px;margin:8px 0;border-left:6px solid;text-decoration:none;overflow-wrap:anywhere}
.verdict strong{font-weight:600}.verdict code{margin:0 8px}
.holds{color:var(--holds);background:var(--holdsback)}.fails{color:var(--wrong);background:var(--wrongback)}.open{color:var(--open);background:var(--openback)}
.beside{display:grid;grid-template-columns:minmax(0,1fr) minmax(260px,360px);gap:24px;align-items:start}
.beside>div.values{max-height:78vh;overflow:auto;border:1px solid var(--rule);border-radius:6px}
aside{position:sticky;top:12px;border:1px solid var(--rule);border-radius:6px;padding:12px;max-height:92vh;overflow:auto;background:var(--back)}
table.values{border-collapse:collapse;width:100%;font-size:13px}
table.values thead th{position:sticky;top:0;background:var(--band);text-align:left;font-weight:600;padding:6px 8px;z-index:1}
table.values td,table.values tbody th{padding:2px 8px;text-align:left;vertical-align:top;font-weight:400;border-top:1px solid var(--rule)}
table.values tbody th{white-space:nowrap;font-weight:600}table.values td{overflow-wrap:anywhere}table.values i{font-style:normal;color:var(--link)}
.legend{font-size:13px;color:var(--muted);padding:4px 8px;margin:0}table.values td.at,table.values td.ty{white-space:nowrap}table.values .at{color:var(--muted);font-size:12px}
tr.value{cursor:default}tr.value:hover,tr.value.on{background:var(--band)}tr.value.on{box-shadow:inset 4px 0 var(--focus)}
tr.value.made th::after{content:" \2191";color:var(--muted)}tr.value.uses th::after{content:" \2193";color:var(--muted)}
tr.near{background:var(--near)}tr.wrong,tr.why{background:var(--wrongback)}tr.wrong{box-shadow:inset 4px 0 var(--wrong)}
tr.wrong th{color:var(--wrong)}tr.why td{color:var(--ink);font-family:system-ui,"DejaVu Sans",sans-serif;border-top:0}tr.why strong{color:var(--wrong)}
tr.func td{background:var(--band);font-weight:600}
b[class^="s"]{display:inline-block;min-width:22px;padding:0 4px;border-radius:4px;text-align:center;border:1px solid transparent}
b.sV{background:#0072b2;color:#fff}b.sP{background:#e69f00;color:#1b1200}b.sR,b.sI{border-color:var(--rule);color:var(--ink)}
b.sU{background:var(--wrongback);color:var(--wrong);border-color:var(--wrong)}
.meshbox{overflow:auto;max-height:52vh}table.mesh{border-collapse:separate;border-spacing:3px;font-size:12px}
table.mesh td{border:1px solid var(--rule);border-radius:4px;padding:3px 6px;min-width:44px;vertical-align:top}
table.mesh th{font-weight:400;font-size:11px;color:var(--muted);padding:0 4px;text-align:left;white-space:nowrap}table.mesh td.corner{border:0}
table.mesh td span{color:var(--muted);font-size:11px}table.mesh td em{display:block;font-style:normal;font-weight:700;min-height:1.3em}
.said{font-size:13px;margin:8px 0 0;white-space:pre-wrap;overflow-wrap:anywhere}
figure{margin:20px 0}.scroll{overflow:auto;border:1px solid var(--rule);border-radius:6px;max-height:80vh}
.scroll svg{display:block;margin:6px 0}.told{font-size:13px;color:var(--muted);min-height:1.5em;overflow-wrap:anywhere}
.cell.on rect{stroke:var(--ink);stroke-width:2}.cut{color:var(--open);font-size:14px;padding:0 8px}
@media (max-width:900px){header,main{padding:0 12px}.beside{grid-template-columns:minmax(0,1fr);gap:12px}
 aside{position:static;max-height:none}table.values .at,table.values thead .at{display:none}table.values{font-size:12px}
 table.values td,table.values tbody th,table.values thead th{padding:2px 5px}.beside>div.values{max-height:64vh}}
@media print{.beside>div.values,aside,.scroll{max-height:none;overflow:visible}}
)css";
}

}  // namespace isoshard::pictures
