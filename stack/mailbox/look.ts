/** The list refreshes itself when mail comes; times are shown as the reader's clock has them. */
export const script = `
const list = document.getElementById('list');
function localTimes() {
  const today = new Date().toDateString();
  for (const time of document.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    time.textContent = at.toDateString() === today ? at.toLocaleTimeString() : at.toLocaleString();
  }
}
async function refresh() {
  const answer = await fetch('/list?open=' + list.dataset.open);
  if (answer.ok) list.innerHTML = await answer.text();
  localTimes();
}
const events = new EventSource('/events');
events.onmessage = refresh;
events.onopen = refresh;
localTimes();
`;

export const style = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2430, #e6e9ee); --soft: light-dark(#5d6877, #9aa5b4); --line: light-dark(#dfe3e9, #2c343f);
  --ground: light-dark(#f6f7f9, #14181e); --paper: light-dark(#fff, #1b2028); --accent: light-dark(#1f5fbf, #7fb0ff);
  --chosen: light-dark(#e8f0fc, #22304a);
}
* { box-sizing: border-box; }
body { margin: 0; height: 100vh; display: flex; flex-direction: column; color: var(--ink); background: var(--ground);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
a { color: var(--accent); }
.bar { display: flex; align-items: baseline; gap: 16px; padding: 10px 20px; background: var(--paper); border-bottom: 1px solid var(--line); }
.bar h1 { margin: 0; font-size: 17px; }
.bar h1 a { color: inherit; text-decoration: none; }
.bar p { margin: 0; color: var(--soft); flex: 1; }
button { font: inherit; color: inherit; background: none; border: 1px solid var(--line); border-radius: 6px; padding: 4px 12px; cursor: pointer; }
button:hover { border-color: var(--soft); }
main { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(280px, 380px) 1fr; }
nav { overflow: auto; border-right: 1px solid var(--line); background: var(--paper); }
.count { margin: 0; padding: 8px 20px; color: var(--soft); font-size: 12px; border-bottom: 1px solid var(--line); }
ol { list-style: none; margin: 0; padding: 0; }
li a { display: grid; grid-template-columns: 1fr auto; gap: 1px 12px; padding: 10px 20px; border-bottom: 1px solid var(--line); color: inherit; text-decoration: none; }
li a:hover { background: var(--ground); }
li[aria-current] a { background: var(--chosen); box-shadow: inset 3px 0 var(--accent); }
li span { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.who, .preview, time { color: var(--soft); font-size: 12.5px; }
.subject { grid-column: 1 / -1; font-weight: 600; }
.preview { grid-column: 1 / -1; min-height: 1.45em; }
.preview em { font-style: normal; color: var(--accent); }
article { display: flex; flex-direction: column; min-width: 0; overflow: auto; padding: 20px 28px; }
article h2 { margin: 0 0 12px; font-size: 20px; line-height: 1.3; overflow-wrap: anywhere; }
.back { display: none; }
dl { margin: 0; }
dl div { display: flex; gap: 12px; padding: 1px 0; }
dt { flex: 0 0 80px; color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
dd b { font-weight: 600; }
dd time { color: inherit; font-size: inherit; }
.attachments { list-style: none; margin: 12px 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: 8px; }
.attachments li { border: 1px solid var(--line); border-radius: 6px; background: var(--paper); padding: 4px 10px; }
.attachments a { display: inline; padding: 0; border: 0; color: var(--accent); }
.attachments span { color: var(--soft); font-size: 12.5px; }
.tabs { display: flex; gap: 20px; margin: 16px 0 0; border-bottom: 1px solid var(--line); }
.tabs a { padding: 6px 2px; color: var(--soft); text-decoration: none; border-bottom: 2px solid transparent; margin-bottom: -1px; }
.tabs a[aria-current] { color: var(--ink); border-color: var(--accent); }
iframe { flex: 1; min-height: 320px; width: 100%; border: 1px solid var(--line); border-top: 0; background: #fff; color-scheme: light; }
pre, table { margin: 16px 0 0; font: 12.5px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
pre.text { font: inherit; max-width: 75ch; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 3px 16px 3px 0; overflow-wrap: anywhere; }
th { font-weight: normal; color: var(--soft); white-space: nowrap; }
.nothing { color: var(--soft); padding: 20px; margin: 0; }
article .nothing { padding: 16px 0; }
@media (max-width: 760px) {
  main { grid-template-columns: 1fr; }
  .listing article, .reading nav, .bar p { display: none; }
  .bar form { margin-left: auto; }
  .back { display: inline; margin-bottom: 8px; }
  article { padding: 16px 20px; }
}
`;
