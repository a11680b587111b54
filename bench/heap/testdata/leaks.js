class Entry { constructor(i) { this.i = i; this.text = 'entry ' + i; } }
const cache = new Map(), removed = [], recent = new Map();
let next = 0;
function growMap() { next++; cache.set(next, new Entry(next)); }
function detach() {
  const row = document.createElement('div'); row.className = 'row'; row.innerHTML = '<b>x</b><i>y</i>';
  root.append(row); row.remove(); removed.push(row);
}
function listen() {
  const rows = new Array(100).fill(next++);
  window.addEventListener('resize', function onResize() { return rows.length; });
}
function churn() {
  next++;
  recent.set(next % 20, { key: next, data: new Array(50).fill(next) });
  const list = []; for (let i = 0; i < 2000; i++) list.push({ i, text: 'row ' + i });
  root.innerHTML = ''; for (let i = 0; i < 20; i++) { const p = document.createElement('p'); p.textContent = 'row ' + i; root.append(p); }
  return list.map((x) => x.i * 2).reduce((a, b) => a + b, 0);
}
for (let i = 0; i < 25; i++) churn();
function busy(ms) { const t = performance.now(); let n = 0; while (performance.now() - t < ms) n += Math.sqrt(n + 1); return n; }
// fill keeps rows as a large table does: each with a text, numbers and a note.
function fill(count) {
  globalThis.rows ??= [];
  for (let i = 0; i < count; i++) rows.push(JSON.parse('{"id":' + rows.length + ',"text":"' + 'row '.repeat(60) + rows.length + '","cells":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16],"note":{"by":' + i + '}}'));
  return rows.length;
}
