let total = 0;

function add(a, b) {
  const sum = a + b;
  total += sum;
  return sum;
}

function twice(n) {
  let result = 0;
  for (let i = 0; i < 2; i++) {
    result = add(result, n);
  }
  return result;
}

function makeCounter(start) {
  let count = start;
  return function increment(by) {
    count += by;
    return count;
  };
}
const counter = makeCounter(10);

class Cart {
  constructor() { this.items = []; }
  put(item) {
    this.items.push(item);
    return this.items.length;
  }
}
const cart = new Cart();

async function load(path) {
  const response = await fetch(path);
  const text = await response.text();
  return text.length;
}

function fail(kind) {
  const why = {kind};
  throw new TypeError('bad ' + why.kind);
}

function careful() {
  try { fail('thing'); } catch (e) { return e.message; }
}

function later() {
  setTimeout(function tick() {
    document.title = 'ticked';
  }, 5);
}

function many() {
  const long = 'x'.repeat(5000), list = Array.from({length: 500}, (_, i) => ({i, text: 'row ' + i}));
  let a0 = long, a1 = long, a2 = long, a3 = long, a4 = long, a5 = long, a6 = long, a7 = long, a8 = long, a9 = long;
  let b0 = long, b1 = long, b2 = long, b3 = long, b4 = long, b5 = long, b6 = long, b7 = long, b8 = long, b9 = long;
  let c0 = new Map([[1, {a: 1}], ['k', [2]]]), c1 = new Set([1, 'two']), c2 = null, c3, c4 = 10n, c5 = Symbol('s'), c6 = NaN;
  if (list.length) {
    debugger;
  }
  return [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, c0, c1, c2, c3, c4, c5, c6];
}

function deep(n) { if (n === 0) { debugger; return 0; } return 1 + deep(n - 1); }

function spin(ms) { const end = performance.now() + ms; while (performance.now() < end) {} }

addEventListener('load', () => {
  const on = (id, type, fn) => document.getElementById(id).addEventListener(type, fn);
  on('go', 'click', function onGo() {
    const n = twice(3);
    document.title = 'went ' + n;
  });
  on('down', 'mousedown', function onDown() {
    document.title += ' down';
  });
  on('down', 'click', () => { document.title += ' clicked'; });
});
