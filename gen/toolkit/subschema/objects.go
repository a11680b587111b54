package subschema

import "slices"

// objects compares the properties of two objects.
func (c *comparer) objects(path string, a, b *node) []Difference {
	var out []Difference
	for _, name := range b.required {
		if !slices.Contains(a.required, name) {
			out = append(out, c.demanded(path, name, a, b))
		}
	}
	for _, name := range a.order {
		if !never(a.properties[name]) {
			out = append(out, c.property(path, name, a, b)...)
		}
	}
	return append(out, c.others(path, a, b)...)
}

// never reports a property that must not be given.
func never(s schema) bool { return len(s) == 1 && s[0].value == false }

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (n *node) declares(name string) bool {
	s, ok := n.properties[name]
	return ok && !never(s)
}

// demanded is the difference of a property that the target requires and the source does not.
func (c *comparer) demanded(path, name string, a, b *node) Difference {
	at := join(path, name)
	switch {
	case c.results && !a.declares(name):
		return c.say(Deleted, at, "", "it is no longer in the result")
	case c.results:
		return c.say(Required, at, "", "it is no longer sure to be in the result")
	case a.declares(name):
		return c.say(Required, at, "it was optional and is required", "")
	}
	d := c.say(Required, at, "it is new and required", "")
	if old := renamed(b.properties[name], a, b); old != "" {
		d.Message += "; " + quote(old) + " seems to be called " + quote(name) + " now"
	}
	return d
}

func quote(name string) string { return `"` + name + `"` }

// renamed names the property that one node has and the other has not, and that has the given schema. It is
// "" without one, and where several have it.
func renamed(s schema, from, to *node) string {
	if len(from.order) > maxSplit {
		return "" // a name is not worth so many comparisons
	}
	var like []string
	key := describe(s)
	for _, name := range from.order {
		if !to.declares(name) && from.declares(name) && describe(from.properties[name]) == key {
			like = append(like, name)
		}
	}
	if len(like) != 1 {
		return ""
	}
	return like[0]
}

// property compares a property of the source with the target's.
func (c *comparer) property(path, name string, a, b *node) []Difference {
	at := join(path, name)
	if b.declares(name) {
		return c.compare(at, a.properties[name], b.properties[name])
	}
	switch {
	case len(b.others) > 0 && !c.results:
		return c.compare(at, a.properties[name], b.others)
	case !c.results && b.isOpen && len(b.order) == 0:
		return nil // any member is taken
	case !c.results:
		d := c.say(Deleted, at, "it is no longer taken", "")
		if !b.closed {
			d.Message = "it is no longer declared, so it has no effect"
		}
		if new := renamed(a.properties[name], b, a); new != "" {
			d.Message += "; it seems to be called " + quote(new) + " now"
		}
		return []Difference{d}
	case b.closed:
		return []Difference{c.say(Bounds, at, "", "it is a new member of a result whose schema forbade others")}
	case len(b.others) > 0:
		return c.compare(at, a.properties[name], b.others)
	}
	return nil
}

// others compares the rules of two objects about members that they do not declare.
func (c *comparer) others(path string, a, b *node) []Difference {
	var out []Difference
	if c.results { // a member that the old schema declared, and that could be there, is gone
		for _, name := range b.order {
			if b.declares(name) && !a.declares(name) && !slices.Contains(b.required, name) && len(a.others) == 0 && (!a.isOpen || len(a.order) > 0) {
				out = append(out, c.say(Deleted, join(path, name), "", "it is no longer in the result"))
			}
		}
	}
	at := path + "[name]"
	free := a.isOpen || !a.closed && len(a.others) == 0 && len(a.order) == 0 && path != ""
	switch {
	case len(a.others) > 0 && len(b.others) > 0:
		out = append(out, c.compare(at, a.others, b.others)...)
	case len(a.others) > 0 && (b.closed || !c.results && !b.isOpen && len(b.order) > 0):
		out = append(out, c.say(Type, path, "it was a map and is an object of declared members", "it was an object of declared members and is a map"))
	case free && len(b.others) > 0:
		out = append(out, c.say(Type, at, "members of any type were taken", "members may be of any type"))
	case free && b.closed:
		out = append(out, c.say(Bounds, path, "it took any members and takes only declared ones", "it may have any members"))
	}
	if len(a.others) > 0 && !c.results {
		for _, name := range b.order {
			if !a.declares(name) && b.declares(name) {
				out = append(out, c.compare(join(path, name), a.others, b.properties[name])...)
			}
		}
	}
	return out
}
