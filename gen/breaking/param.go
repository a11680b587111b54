package breaking

import "slices"

// properties compares the members of an object; path names the object in messages.
func (c *comparer) properties(path string, was, now []Property) {
	for _, w := range was {
		i := slices.IndexFunc(now, func(p Property) bool { return p.Name == w.Name })
		if i < 0 {
			c.add(paramNoDelete, "%q no longer takes %q", c.tool, path+w.Name)
			continue
		}
		n := now[i]
		if n.Required && !w.Required {
			c.add(paramNoNewRequired, "%q of %q was optional and is required", path+w.Name, c.tool)
		}
		c.types(path+w.Name, w.Type, n.Type)
	}
	for _, n := range now {
		if n.Required && !slices.ContainsFunc(was, func(p Property) bool { return p.Name == n.Name }) {
			c.add(paramNoNewRequired, "%q requires the new %q", c.tool, path+n.Name)
		}
	}
}

func (c *comparer) types(path string, was, now Type) {
	widened := was.Kind == "integer" && now.Kind == "number" || was.Kind == "object" && now.Kind == openObject
	if was.Kind != now.Kind && !widened {
		c.add(paramSameType, "%q of %q was %s and is %s", path, c.tool, was.Kind, now.Kind)
		return
	}
	switch {
	case len(was.Enum) == 0 && len(now.Enum) > 0:
		c.add(paramEnumNoNarrow, "%q of %q took any value and takes only %q", path, c.tool, now.Enum)
	case len(now.Enum) > 0:
		for _, v := range was.Enum {
			if !slices.Contains(now.Enum, v) {
				c.add(paramEnumNoNarrow, "%q of %q no longer takes %q", path, c.tool, v)
			}
		}
	}
	c.bounds(path, was, now)
	if was.Items != nil && now.Items != nil {
		c.types(path+"[]", *was.Items, *now.Items)
	}
	if was.Kind == "object" && now.Kind == "object" {
		c.properties(path+".", was.Properties, now.Properties)
	}
}

func (c *comparer) bounds(path string, was, now Type) {
	for _, b := range []struct {
		name     string
		was, now *float64
		least    bool
	}{
		{"minimum", was.Minimum, now.Minimum, true}, {"maximum", was.Maximum, now.Maximum, false},
		{"minLength", was.MinLength, now.MinLength, true}, {"maxLength", was.MaxLength, now.MaxLength, false},
		{"minItems", was.MinItems, now.MinItems, true}, {"maxItems", was.MaxItems, now.MaxItems, false},
	} {
		switch {
		case b.now == nil:
		case b.was == nil:
			c.add(paramBoundsNarrow, "%q of %q had no %s and has %v", path, c.tool, b.name, *b.now)
		case b.least && *b.now > *b.was || !b.least && *b.now < *b.was:
			c.add(paramBoundsNarrow, "the %s of %q of %q was %v and is %v", b.name, path, c.tool, *b.was, *b.now)
		}
	}
	if now.Pattern != "" && now.Pattern != was.Pattern {
		c.add(paramBoundsNarrow, "%q of %q must match another pattern: %s", path, c.tool, now.Pattern)
	}
}

// requirements looks for conditional demands that calls of the old surface could fail.
func (c *comparer) requirements(was, now Tool) {
	for _, n := range now.Requirements {
		if len(n.Values) > 0 { // values that the old surface did not take break nothing
			n.Values = slices.DeleteFunc(slices.Clone(n.Values), func(v string) bool { return !took(was.Input, n.When, v) })
			if len(n.Values) == 0 {
				continue
			}
		}
		if !slices.ContainsFunc(was.Requirements, func(w Requirement) bool { return covers(w, n, was.Input) }) {
			c.add(paramNoNewRequired, "%q demands %s of %q, which it did not", c.tool, n.Mode, n.Names)
		}
	}
}

// took reports whether a property had the value in its enum.
func took(input []Property, name, value string) bool {
	return slices.ContainsFunc(input, func(p Property) bool { return p.Name == name && slices.Contains(p.Type.Enum, value) })
}

// covers reports whether whoever met the old demand, with the old input, meets the new one.
func covers(was, now Requirement, input []Property) bool {
	if was.When != "" && (was.When != now.When || !subset(now.Values, was.Values)) {
		return false
	}
	switch now.Mode {
	case "all":
		return was.Mode == "all" && subset(now.Names, was.Names)
	case "any":
		if was.Mode == "all" {
			return slices.ContainsFunc(was.Names, func(s string) bool { return slices.Contains(now.Names, s) })
		}
		return subset(was.Names, now.Names)
	}
	// Exactly one of more names also forbids what could be given beside: only names that are new are harmless.
	beside := func(name string) bool {
		return !slices.Contains(was.Names, name) && slices.ContainsFunc(input, func(p Property) bool { return p.Name == name })
	}
	return was.Mode == now.Mode && subset(was.Names, now.Names) && !slices.ContainsFunc(now.Names, beside)
}

func subset(part, whole []string) bool {
	return !slices.ContainsFunc(part, func(s string) bool { return !slices.Contains(whole, s) })
}

// result compares what a tool gives back: there, a promise may grow.
func (c *comparer) result(was, now Tool) {
	if was.Output == nil {
		return
	}
	if now.Output == nil {
		c.add(resultNoNarrow, "the result of %q is no longer an object", c.tool)
		return
	}
	c.members("", was.Output, now.Output)
}

func (c *comparer) members(path string, was, now []Property) {
	for _, w := range was {
		i := slices.IndexFunc(now, func(p Property) bool { return p.Name == w.Name })
		switch {
		case i < 0:
			c.add(resultNoNarrow, "the result of %q no longer has %q", c.tool, path+w.Name)
			continue
		case w.Required && !now[i].Required:
			c.add(resultNoNarrow, "%q is no longer sure to be in the result of %q", path+w.Name, c.tool)
		}
		c.member(path+w.Name, w.Type, now[i].Type)
	}
}

func (c *comparer) member(path string, was, now Type) {
	switch {
	case was.Kind != now.Kind && (was.Kind != "number" || now.Kind != "integer"):
		c.add(resultNoNarrow, "%q in the result of %q was %s and is %s", path, c.tool, was.Kind, now.Kind)
	case was.Items != nil && now.Items != nil:
		c.member(path+"[]", *was.Items, *now.Items)
	case was.Kind == "object":
		c.members(path+".", was.Properties, now.Properties)
	}
}
