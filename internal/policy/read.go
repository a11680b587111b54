package policy

import (
	"math"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// Diagnostic rules of the parser.
const (
	ruleUnknownKey = "policy-unknown-key"
	ruleValue      = "policy-value"
	ruleMissing    = "policy-missing"
	ruleName       = "policy-unknown-name"
	ruleOrigin     = "policy-origin"
	ruleDuplicate  = "policy-unreachable"
	ruleUnchecked  = "policy-unchecked"
)

// reader reads the nodes of one policy file.
type reader struct {
	yamltree.NodeReader
	names Vocabulary
	file  string
	diags diag.List
}

// setting is a value of the file with its line.
type setting struct {
	allow bool
	rule  Rule
}

func (r *reader) suggest(d *diag.Diagnostic, name string, valid []string) {
	if d.Hint = diag.DidYouMean(name, valid); d.Hint == "" && len(valid) <= 24 {
		d.Hint = "valid here: " + strings.Join(valid, ", ")
	}
}

func (r *reader) policy(p *Policy, root *yamltree.Node) {
	version := 0
	r.Fields(root, "the policy", map[string]yamltree.NodeField{
		"version":           r.count(&version, 1),
		"origins":           func(_ yamltree.Text, n *yamltree.Node) { r.origins(p, n) },
		"networks":          func(_ yamltree.Text, n *yamltree.Node) { r.networks(&p.networks, n) },
		"attached_browsers": r.allowOr("deny", &p.attached),
		"decisions":         func(key yamltree.Text, n *yamltree.Node) { r.decisions(p, key, n) },
		"limits":            func(_ yamltree.Text, n *yamltree.Node) { r.limits(&p.limits, n) },
	})
	if root.Kind == yamltree.MappingNode && root.Member("version") == nil {
		r.diags.Errorf(root.Pos, ruleMissing, "the policy has no version").Hint = "begin with version: 1"
	}
}

func (r *reader) origins(p *Policy, n *yamltree.Node) {
	var own *originLists
	r.Fields(n, "origins", map[string]yamltree.NodeField{
		"allow": r.patterns(&p.navigation.allow, "origins.allow"), "block": r.patterns(&p.navigation.block, "origins.block"),
		"subresources": func(_ yamltree.Text, n *yamltree.Node) {
			own = &originLists{}
			r.Fields(n, "origins.subresources", map[string]yamltree.NodeField{
				"allow": r.patterns(&own.allow, "origins.subresources.allow"),
				"block": r.patterns(&own.block, "origins.subresources.block"),
			})
		},
	})
	if own == nil {
		p.subresources = p.navigation
		return
	}
	p.subresources = *own
}

// patterns reads a list of origins. A list that is empty allows nothing, as it was written.
func (r *reader) patterns(dst **patternList, name string) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		list := &patternList{rule: ruleAt(key.Pos, name)}
		*dst = list
		for _, item := range r.texts(key, n) {
			pattern, problem := parsePattern(item.Value)
			if problem != "" {
				r.diags.Errorf(item.Pos, ruleOrigin, "%q %s", item.Value, problem).Hint =
					"write https://host, https://*.host:port, host, or a scheme such as data:"
				continue
			}
			pattern.rule = ruleAt(item.Pos, name+": "+item.Value)
			list.patterns = append(list.patterns, pattern)
		}
	}
}

// texts reads one text or a list of texts.
func (r *reader) texts(key yamltree.Text, n *yamltree.Node) (out []yamltree.Text) {
	items := n.Items
	if n.Kind != yamltree.ListNode {
		items = []*yamltree.Node{n}
	}
	for _, item := range items {
		if item.Kind != yamltree.StringLiteral {
			d := r.diags.Errorf(item.Pos, ruleValue, "%s must be text, not %s", key.Value, item.Kind)
			if item.Kind == yamltree.MappingNode {
				d.Hint = "YAML reads the colon of a port in [ ] as a mapping; put quotes around the text"
			}
			continue
		}
		out = append(out, item.Text)
	}
	return out
}

func (r *reader) networks(dst *networks, n *yamltree.Node) {
	r.Fields(n, "networks", map[string]yamltree.NodeField{
		"link_local": r.allowOr("block", &dst.linkLocal),
		"loopback":   r.allowOr("block", &dst.loopback),
		"block_private": func(key yamltree.Text, n *yamltree.Node) {
			if n.Kind != yamltree.BoolLiteral {
				r.diags.Errorf(n.Pos, ruleValue, "block_private must be true or false, not %s", n.Kind)
				return
			}
			dst.private = &setting{allow: !n.Bool, rule: ruleAt(key.Pos, "networks.block_private: "+strconv.FormatBool(n.Bool))}
		},
		"except": func(key yamltree.Text, n *yamltree.Node) {
			for _, item := range r.texts(key, n) {
				prefix, err := netip.ParsePrefix(item.Value)
				if err != nil {
					if ip, ipErr := netip.ParseAddr(item.Value); ipErr == nil {
						prefix, err = ip.Prefix(ip.BitLen())
					}
				}
				if err != nil {
					r.diags.Errorf(item.Pos, ruleValue, "%q is not an address or a range", item.Value).Hint = "write 10.0.0.8 or 10.0.0.0/8"
					continue
				}
				dst.except = append(dst.except, exception{prefix.Masked(), ruleAt(item.Pos, "networks.except: "+item.Value)})
			}
		},
	})
}

// allowOr reads allow or the other word.
func (r *reader) allowOr(other string, dst **setting) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		if n.Text.Value != "allow" && n.Text.Value != other || n.Kind != yamltree.StringLiteral {
			r.suggest(r.diags.Errorf(n.Pos, ruleValue, "%s cannot be %q", key.Value, n.Text.Value), n.Text.Value, []string{"allow", other})
			return
		}
		*dst = &setting{allow: n.Text.Value == "allow", rule: ruleAt(key.Pos, key.Value+": "+n.Text.Value)}
	}
}

// count reads a whole number from 1 to most.
func (r *reader) count(dst *int, most int) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		if n.Kind != yamltree.NumberLiteral || n.Number != math.Trunc(n.Number) || n.Number < 1 || n.Number > float64(most) {
			if most == 1 {
				r.diags.Errorf(n.Pos, ruleValue, "%s must be 1", key.Value)
				return
			}
			r.diags.Errorf(n.Pos, ruleValue, "%s must be a whole number between 1 and %d", key.Value, most)
			return
		}
		*dst = int(n.Number)
	}
}

func (r *reader) limits(dst *Limits, n *yamltree.Node) {
	dst.rules = map[string]Rule{}
	known := map[string]yamltree.NodeField{
		"windows_per_action": r.count(&dst.WindowsPerAction, 1000), "windows_per_session": r.count(&dst.WindowsPerSession, 10000),
		"downloads": r.count(&dst.Downloads, 1_000_000), "calls_per_minute": r.count(&dst.CallsPerMinute, 1_000_000),
		"download_bytes": r.bytes(&dst.DownloadBytes), "session_time": r.duration(&dst.SessionTime),
	}
	for key, read := range known {
		known[key] = func(k yamltree.Text, n *yamltree.Node) {
			read(k, n)
			dst.rules[key] = ruleAt(k.Pos, "limits."+key+": "+n.Text.Value)
		}
	}
	r.Fields(n, "limits", known)
}

// sizePattern matches a number of bytes with its unit.
var sizePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]+) ?(B|kB|KB|MB|GB)?$`) })

func (r *reader) bytes(dst *int64) yamltree.NodeField {
	units := map[string]int64{"": 1, "B": 1, "kB": 1000, "KB": 1000, "MB": 1_000_000, "GB": 1_000_000_000}
	return func(key yamltree.Text, n *yamltree.Node) {
		m := sizePattern().FindStringSubmatch(n.Text.Value)
		var size int64
		if m != nil {
			size, _ = strconv.ParseInt(m[1], 10, 64)
		}
		if size <= 0 || size > 1<<40/units[m[2]] {
			r.diags.Errorf(n.Pos, ruleValue, "%s must be a size such as 500kB or 20MB", key.Value)
			return
		}
		*dst = size * units[m[2]]
	}
}

func (r *reader) duration(dst *time.Duration) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		d, err := time.ParseDuration(n.Text.Value)
		if err != nil || d <= 0 {
			r.diags.Errorf(n.Pos, ruleValue, "%s must be a time such as 90s, 30m or 8h", key.Value)
			return
		}
		*dst = d
	}
}

func ruleAt(pos diag.Pos, text string) Rule { return Rule{Pos: pos, Text: text} }
