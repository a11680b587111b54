package attacks_test

import (
	"os"
	"path/filepath"
	"strings"
)

// Attacks by one client on the session of another.
var _ = add(
	attack{
		name: "sessions_read_cookies", about: "a client reads the cookies that another client's login has set; each has cookies of its own",
		run: func(c *client) {
			s := newSite(c.T)
			s.page("bank", "/", `<script>document.cookie = 'login=victims-cookie'; document.title = document.cookie</script>`)
			c.ok("navigate", args{"url": s.url("bank", "/")}, "victims-cookie")
			other := c.another()
			s.page("bank", "/look", `<script>document.title = 'cookies: ' + document.cookie</script>`)
			other.ok("navigate", args{"url": s.url("bank", "/look")})
			other.ok("cookies", args{"action": "get"})
			other.lacks(other.saw(), "victims-cookie")
		},
	},
	attack{
		name: "sessions_read_storage", about: "a client reads the local storage that another client's page has written",
		run: func(c *client) {
			s := newSite(c.T)
			s.page("bank", "/", `<script>if (location.hash) localStorage.token = 'victims-token'; document.title = 'token: ' + localStorage.token</script>`)
			c.ok("navigate", args{"url": s.url("bank", "/#login")}, "victims-token")
			other := c.another()
			other.ok("navigate", args{"url": s.url("bank", "/")}, "undefined")
			other.lacks(other.saw(), "victims-token")
		},
	},
	attack{
		name: "sessions_list_tabs", about: "a client lists the tabs of another client",
		run: func(c *client) {
			s := newSite(c.T)
			s.page("bank", "/", `<title>victims-tab</title>`)
			c.ok("navigate", args{"url": s.url("bank", "/")}, "victims-tab")
			other := c.another()
			other.call("tabs_context", nil)
			other.call("list_targets", nil)
			other.call("chrome_list_connections", nil)
			other.lacks(other.saw(), "victims-tab", s.url("bank", "/"))
		},
	},
	attack{
		name: "sessions_use_tab_id", about: "a client reads a tab of another client by its id; it has no such tab",
		run: func(c *client) {
			s := newSite(c.T)
			s.page("bank", "/", `<title>t</title><p>victims-page</p>`)
			tab, _, _ := strings.Cut(c.ok("navigate", args{"url": s.url("bank", "/")}), " ")
			other := c.another()
			other.refused("NO_TAB", "read_page", args{"tabId": tab})
			other.refused("NO_TAB", "javascript_tool", args{"code": "document.body.innerText", "tabId": tab})
			other.lacks(other.saw(), "victims-page")
		},
	},
	attack{
		name: "sessions_close_tab", about: "a client closes a tab of another client",
		run: func(c *client) {
			s := newSite(c.T)
			s.page("bank", "/", `<title>still here</title>`)
			tab, _, _ := strings.Cut(c.ok("navigate", args{"url": s.url("bank", "/")}), " ")
			other := c.another()
			other.call("tabs_close", args{"tabId": tab})
			c.ok("tabs_context", nil, "still here")
		},
	},
	attack{
		name: "sessions_stop_browser", about: "a client stops the browser that another client works in",
		run: func(c *client) {
			s := newSite(c.T)
			s.page("bank", "/", `<title>still here</title>`)
			c.ok("navigate", args{"url": s.url("bank", "/")})
			c.another().call("oc_stop", nil)
			c.ok("tabs_context", nil, "still here")
		},
	},
	attack{
		name: "sessions_read_journal", about: "a client reads the journal of another client's calls",
		run: func(c *client) {
			s := newSite(c.T)
			s.page("bank", "/", `<title>t</title>`)
			c.ok("navigate", args{"url": s.url("bank", "/?victims-search")})
			other := c.another()
			other.ok("oc_journal", args{"action": "recent"})
			other.lacks(other.saw(), "victims-search")
		},
	},
	attack{
		name: "sessions_load_checkpoint", about: "a client loads the checkpoint of a client before it without knowing its id",
		run: func(c *client) {
			c.ok("oc_checkpoint", args{"action": "save", "taskDescription": "victims-task"})
			other := c.another()
			other.call("oc_checkpoint", args{"action": "load"})
			other.call("oc_session_resume", nil)
			other.lacks(other.saw(), "victims-task")
		},
	},
	attack{
		name: "sessions_read_artifact", about: "a client reads the file that another client's call has made, by its address",
		on: []transport{overStdio, overHTTP},
		run: func(c *client) {
			c.ok("navigate", args{"url": "data:text/plain,victims"})
			link := c.call("page_pdf", nil).links
			if len(link) != 1 {
				c.Fatal("no file was made, so nothing is tested")
			}
			other := c.another()
			if text, err := other.read(link[0]); err == nil {
				c.Errorf("another client reads %d bytes", len(text))
			}
			if text, err := c.read(link[0]); err != nil || text == "" {
				c.Errorf("its own client cannot read it: %v", err)
			}
		},
	},
	attack{
		name: "sessions_upload_output", about: "a client uploads a file that another client has saved, by its name",
		run: func(c *client) {
			s := newSite(c.T)
			s.page("evil", "/", `<title>t</title><input type=file id=f>`)
			c.ok("navigate", args{"url": s.url("evil", "/")})
			c.ok("page_pdf", args{"path": "victims.pdf"})
			other := c.another()
			other.ok("navigate", args{"url": s.url("evil", "/")})
			if res := other.call("file_upload", args{"selector": "#f", "filePaths": []string{"victims.pdf"}}); !res.refused {
				c.Errorf("it is attached: %s", res.text)
			}
		},
	},
	attack{
		name: "sessions_upload_output_by_path", about: "a client uploads a file that another client has saved, by its whole path",
		run: func(c *client) {
			s := newSite(c.T)
			s.page("evil", "/", `<title>t</title><input type=file id=f>`)
			c.ok("navigate", args{"url": s.url("evil", "/")})
			said := strings.SplitN(c.ok("page_pdf", args{"path": "victims.pdf"}), "\n", 2)[0]
			path := said[strings.Index(said, "/"):]
			if _, err := os.Stat(path); err != nil {
				c.Fatal(err)
			}
			other := c.another()
			other.ok("navigate", args{"url": s.url("evil", "/")})
			other.refused("POLICY_DENIED", "file_upload", args{"selector": "#f", "filePaths": []string{path}})
		},
	},
	attack{
		name: "sessions_overwrite_output", about: "a client overwrites a file that another client has saved under the same name",
		run: func(c *client) {
			c.ok("navigate", args{"url": "data:text/plain,a"})
			first := c.ok("page_pdf", args{"path": "same.pdf"})
			other := c.another()
			other.ok("navigate", args{"url": "data:text/plain,b"})
			if second := other.ok("page_pdf", args{"path": "same.pdf"}); strings.SplitN(first, "\n", 2)[0] == strings.SplitN(second, "\n", 2)[0] {
				c.Errorf("both are written to %s", first)
			}
		},
	},
	attack{
		name: "sessions_output_of_other_directory", about: "a client writes into the directory of another client, through its own",
		run: func(c *client) {
			c.ok("navigate", args{"url": "data:text/plain,a"})
			for _, path := range []string{"../other/a.pdf", "/etc/a.pdf", filepath.Join(c.server.dir, "output", "other", "a.pdf"), "..%2fother/../../a.pdf"} {
				c.refused("POLICY_DENIED", "page_pdf", args{"path": path})
			}
		},
	},
)
