package attacks_test

// Attacks by documents inside of the page that is worked on.
var _ = add(
	attack{
		name: "frames_read_other_origin", about: "a page reads the document of another origin that it embeds; the browser refuses",
		run: func(c *client) {
			s := newSite(c.T)
			s.page("bank", "/", `<p id=balance>4200</p>`)
			s.page("evil", "/", `<iframe src="{bank}/" onload="try { document.title = frames[0].document.body.innerText } catch (e) { document.title = 'refused' }"></iframe>`)
			c.ok("navigate", args{"url": s.url("evil", "/")})
			c.eventually("document.title")
			if got := c.script("document.title"); got != "refused" && got != `"refused"` {
				c.Errorf("the title is %s", got)
			}
		},
	},
)
