(() => {
  /** @template {PerformanceEntry} E @param {string} type @returns {E[]} */
  const seen = (type) => {
    if (!PerformanceObserver.supportedEntryTypes.includes(type)) return [];
    const o = new PerformanceObserver(() => {});
    o.observe({type, buffered: true});
    const list = /** @type {E[]} */ (o.takeRecords());
    o.disconnect();
    return list;
  };
  /** @param {Element | null} n */
  const name = (n) => n && n.nodeType === 1 ? n.localName + (n.id ? "#" + n.id : "") : "";
  /** @type {Metrics} */
  const out = {marks: {}, vitals: {}};
  const nav = /** @type {PerformanceNavigationTiming | undefined} */ (performance.getEntriesByType("navigation")[0]);
  if (nav) {
    out.vitals.ttfb = nav.responseStart;
    for (const k of /** @type {const} */ (["redirectStart", "redirectEnd", "domainLookupStart", "domainLookupEnd", "connectStart", "connectEnd", "requestStart", "responseStart", "responseEnd", "domInteractive", "domContentLoadedEventEnd", "loadEventEnd"])) out.marks[k] = nav[k];
    out.transfer = nav.transferSize;
    out.kind = nav.type;
  }
  for (const e of seen("paint")) if (e.name === "first-contentful-paint") out.vitals.fcp = e.startTime;
  /** @type {LargestContentfulPaint[]} */
  const paints = seen("largest-contentful-paint");
  const lcp = paints.at(-1);
  if (lcp) {
    out.vitals.lcp = lcp.startTime;
    out.lcpElement = name(lcp.element);
    out.lcpURL = lcp.url;
  }
  let cls = 0, window = 0, first = 0, last = 0;
  /** @type {LayoutShift[]} */
  const shifts = seen("layout-shift");
  for (const e of shifts) {
    if (e.hadRecentInput) continue;
    if (window && e.startTime - last < 1000 && e.startTime - first < 5000) window += e.value;
    else { window = e.value; first = e.startTime; }
    last = e.startTime;
    cls = Math.max(cls, window);
  }
  out.vitals.cls = cls;
  const tasks = seen("longtask");
  out.longTasks = tasks.length;
  out.blocking = tasks.reduce((n, e) => n + Math.max(0, e.duration - 50), 0);
  const resources = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType("resource"));
  out.resources = resources.length;
  out.resourceBytes = resources.reduce((n, e) => n + (e.transferSize || 0), 0);
  out.slowest = resources.sort((a, b) => b.duration - a.duration).slice(0, 20).map(e => ({url: e.name, type: e.initiatorType, ms: e.duration, bytes: e.transferSize || 0, status: e.responseStatus || 0}));
  return JSON.stringify(out);
})()
