//go:build unix

package external

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// serveLegacy is a server from before server/discover: it exits on that request or ignores it. In
// mode stops-reading it reads no more after it listed its tools; in mode restless each list
// differs, and it often notifies of changes.
func serveLegacy(mode string) {
	asked := 0
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var req struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name string }
		}
		_ = json.Unmarshal(lines.Bytes(), &req)
		switch req.Method {
		case "server/discover":
			switch mode {
			case "dies-when-probed":
				os.Exit(3)
			case "huge":
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`+"\n", req.ID)
			}
		case "initialize":
			if mode == "changes-early" {
				fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
				fmt.Println(`{"jsonrpc":"2.0","id":"order","method":"ping"}`)
				for lines.Scan() && !strings.Contains(lines.Text(), `"order"`) { // the client handles messages in their order
				}
			}
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}}`+"\n", req.ID)
		case "tools/list":
			asked++
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}},`+
				`{"name":"count","inputSchema":{"type":"object"}},{"name":"v%d","inputSchema":{"type":"object"}}]}}`+
				"\n", req.ID, asked)
			if mode == "stops-reading" {
				select {}
			}
		case "tools/call":
			if mode == "list-changed-storm" && req.Params.Name == "count" {
				fmt.Printf(`{"result":{"content":[{"type":"text","text":"%d"}]},"jsonrpc":"2.0","id":%s}`+"\n", asked,
					req.ID)
				continue
			}
			if mode == "list-changed-storm" {
				fmt.Print(strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n", 2000))
			}
			if mode == "huge" {
				fmt.Print(`{"result":{"content":[{"type":"text","text":"`)
				for range 50 {
					fmt.Print(strings.Repeat("x", 1<<20))
				}
				fmt.Printf(`"}]},"jsonrpc":"2.0","id":%s}`+"\n", req.ID)
				continue
			}
			fmt.Printf(`{"result":{"content":[{"type":"text","text":"old"}]},"jsonrpc":"2.0","id":%s}`+"\n", req.ID)
		}
	}
}
