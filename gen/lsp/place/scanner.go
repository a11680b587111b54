package place

import "strings"

// frame is one mapping or list that is open.
type frame struct {
	list   bool
	flow   bool // written with brackets
	indent int  // column of the keys, or of the dashes
	key    string
	keyed  bool // of a mapping: key is that of the present member
	valued bool // of a block mapping: the present member's value begins beside its key
	keys   []string
}

func (f *frame) begin(key string) {
	f.key, f.keyed, f.valued = key, true, false
	f.keys = append(f.keys, key)
}

// scanner keeps which mappings and lists are open.
type scanner struct {
	stack []frame
	block int // indent of the key of the present block scalar; -1 outside of one
	base  int // indent of the line that the present flow collection began in
}

func (s *scanner) top() *frame {
	if len(s.stack) == 0 {
		return nil
	}
	return &s.stack[len(s.stack)-1]
}

func (s *scanner) push(f frame) { s.stack = append(s.stack, f) }
func (s *scanner) pop()         { s.stack = s.stack[:len(s.stack)-1] }
func (s *scanner) inFlow() bool { return len(s.stack) > 0 && s.top().flow }

func (s *scanner) path() []Step {
	var out []Step
	for _, f := range s.stack {
		switch {
		case f.list:
			out = append(out, Step{Entry: true})
		case f.keyed:
			out = append(out, Step{Key: f.key})
		}
	}
	return out
}

// line reads a line. The last one ends at the position that is asked about, and its role is returned.
func (s *scanner) line(text string, last bool) Role {
	body := strings.TrimLeft(text, " ")
	indent := len(text) - len(body)
	if !last && (body == "" || body[0] == '#') || strings.HasPrefix(body, "#") {
		return Nothing
	}
	if s.block >= 0 {
		if indent > s.block {
			return Nothing
		}
		s.block = -1
	}
	if s.inFlow() {
		if indent > s.base || body == "" || body[0] == '}' || body[0] == ']' {
			return s.flow(text, last)
		}
		for s.inFlow() { // a bracket that is not closed yet
			s.pop()
		}
	}
	body, indent = s.dashes(body, indent)
	return s.member(body, indent, last)
}

// dashes enters the lists whose entries begin in the line, and leaves those that end before it.
func (s *scanner) dashes(body string, indent int) (string, int) {
	for s.top() != nil && s.top().indent > indent {
		s.pop()
	}
	entered := false
	for body == "-" || strings.HasPrefix(body, "- ") {
		entered = true
		if top := s.top(); top == nil || !top.list || top.indent != indent {
			s.push(frame{list: true, indent: indent})
		}
		rest := strings.TrimLeft(body[1:], " ")
		indent += len(body) - len(rest)
		body = rest
	}
	for !entered && s.top() != nil && s.top().list && s.top().indent >= indent {
		s.pop()
	}
	return body, indent
}

// member reads a member of a block mapping, or a value that stands alone.
func (s *scanner) member(body string, indent int, last bool) Role {
	key, rest, ok := cutKey(body)
	if !ok {
		return s.alone(body, indent, last)
	}
	if top := s.top(); top == nil || top.list || top.indent != indent {
		s.push(frame{indent: indent})
	}
	s.top().begin(key)
	value := strings.TrimLeft(rest, " ")
	if value == "" || value[0] == '#' {
		return Value
	}
	s.top().valued = true
	switch value[0] {
	case '{', '[':
		s.base = indent
		return s.flow(value, last)
	case '|', '>':
		s.block = indent
		return Nothing
	}
	return Value
}

// alone reads a line without a key.
func (s *scanner) alone(body string, indent int, last bool) Role {
	if strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[") {
		s.base = max(indent-1, 0)
		return s.flow(body, last)
	}
	if !last {
		return Nothing
	}
	top := s.top()
	switch {
	case top == nil:
		s.push(frame{indent: indent})
		return Key
	case top.list:
		return Either
	case top.indent == indent:
		top.keyed = false
		return Key
	case !top.valued:
		return Either
	}
	return Value
}

// flow reads text of a flow collection, which begins with its bracket or lies within it.
func (s *scanner) flow(text string, last bool) Role {
	begin := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\'':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return s.flowRole(last)
			}
			i += end + 1
			if rest := strings.TrimLeft(text[i+1:], " "); strings.HasPrefix(rest, ":") {
				s.flowKey(text[begin : i+1])
			}
		case c == '{' || c == '[':
			s.push(frame{list: c == '[', flow: true})
			begin = i + 1
		case c == '}' || c == ']':
			if s.pop(); !s.inFlow() {
				return Nothing
			}
		case c == ',':
			s.top().keyed = false
			begin = i + 1
		case c == '#' && i > 0 && text[i-1] == ' ':
			return Nothing
		case c == ':' && (i+1 == len(text) || strings.IndexByte(" ,}]", text[i+1]) >= 0):
			s.flowKey(text[begin:i])
		}
	}
	return s.flowRole(last)
}

// flowKey begins a member of a flow mapping.
func (s *scanner) flowKey(text string) {
	if top := s.top(); !top.list && !top.keyed {
		top.begin(strings.Trim(text, ` "'`))
	}
}

func (s *scanner) flowRole(last bool) Role {
	top := s.top()
	switch {
	case !last:
		return Nothing
	case top.list:
		return Either
	case top.keyed:
		return Value
	}
	return Key
}
