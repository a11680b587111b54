package questions

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/websocket"
)

const head = `<!doctype html><link rel=icon href=data:,><title>Questions</title>`

// consolePage logs three hundred lines, among them an error whose script has a source map.
const consolePage = head + `<h1>Orders</h1><script>
for (let i = 0; i < 300; i++) console.log('order ' + i + ' ' + 'abc'.repeat(i % 7) + String.fromCharCode(97 + i % 26));
console.warn('order 17 is late');
</script><script src=/app.min.js></script>`

// trafficPage sends sixty requests, among them one that fails and one with a body; it opens a socket and a source of events.
const trafficPage = head + `<h1>Traffic</h1><script src=/api.js></script><script>
(async () => {
	for (let i = 0; i < 60; i++) await (await fetch('/item/' + i + '?size=' + i)).text();
	await fetch('/item/missing').catch(() => 0);
	await load('/order', { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Api-Key': 'tip-top-secret' }, body: JSON.stringify({ sku: 'A-17', amount: 3 }) });
	await (await fetch('/large')).text();
	const ws = new WebSocket('ws://' + location.host + '/socket');
	ws.onopen = () => { for (let i = 0; i < 50; i++) ws.send('{"ask": ' + i + '}'); };
	await new Promise((done) => { let n = 0; ws.onmessage = () => ++n === 50 && done(); });
	await new Promise((done) => new EventSource('/events').addEventListener('last', done));
	document.title = 'done';
	console.log('all requests are done');
})();
</script>`

// serve serves the pages on a port of its own, until end is called.
func serve(pages string) (site string, end func(), err error) {
	mux := http.NewServeMux()
	mux.Handle("/styles/", http.StripPrefix("/styles/", http.FileServer(http.Dir(pages))))
	text := func(path, kind, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, body)
		})
	}
	text("/console", "text/html", consolePage)
	text("/traffic", "text/html", trafficPage)
	text("/app.min.js", "text/javascript", "function fail(){/*345678901*/throw new Error('boom')}\nsetTimeout(fail)\n//# sourceMappingURL=app.min.js.map")
	text("/app.min.js.map", "application/json", `{"version":3,"sources":["src/app.ts"],"names":[],"mappings":"AASA,6BAUI"}`)
	text("/src/app.ts", "text/plain", strings.Repeat("// a line\n", 30))
	text("/api.js", "text/javascript", "function load(path, more) {\n  return fetch(path, more);\n}")
	text("/item/", "application/json", `{"name": "an item"}`)
	text("/order", "application/json", `{"order": 4711, "state": "accepted"}`)
	text("/large", "text/plain", strings.Repeat("0123456789", 5000)+"the end of it")
	mux.HandleFunc("/item/missing", http.NotFound)
	mux.Handle("/socket", websocket.Handler(func(ws *websocket.Conn) {
		var asked string
		for websocket.Message.Receive(ws, &asked) == nil {
			_ = websocket.Message.Send(ws, strings.Replace(asked, "ask", "price", 1))
		}
	}))
	mux.HandleFunc("/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 20 {
			fmt.Fprintf(w, "event: stock\ndata: {\"left\": %d}\n\n", 100-i)
		}
		fmt.Fprint(w, "event: last\ndata: end\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = srv.Serve(listener) }() // ends with the listener
	return "http://" + listener.Addr().String(), func() { _ = srv.Close() }, nil
}
