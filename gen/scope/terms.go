package scope

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
)

// terms are the promises of a frozen scope about a tool beside its contract: the lists that have it, the powers
// and surfaces that an operator's policy decides by, and hashes of the words that a model reads. The zero value
// stands for a lock from before terms were signed.
type terms struct {
	tier                int
	capability, visible string
	surfaces            []string // sorted
	powers              string   // with their conditions; "" when there is none
	listed, joins       string   // "" when the tier decides, and when no state adds it to the core list
	also                string   // other capabilities that have it; "" for none
	asks                string   // what the handler asks the client for; "" for nothing
	traits, texts       string   // hashes
	parameters          string   // hash of older names, refused names and other forms; "" when there is none
}

// termsOf returns what the manifest promises of a tool.
func termsOf(t *model.Tool) terms {
	out := terms{tier: t.Tier, visible: "always", surfaces: t.Surfaces, powers: powersOf(t), traits: sum(traitsOf(t)), texts: sum(textsOf(t))}
	if forms := formsOf("", t.Input); len(forms) > 0 {
		out.parameters = sum(forms)
	}
	out.asks = strings.Join(model.AskNames(t.Asks), ", ")
	if t.Capability != nil {
		out.capability = t.Capability.Name
	}
	also := slicesx.Map(t.Also, func(a model.Also) string { return a.Capability.Name + " when " + a.When.Text })
	out.also = strings.Join(also, ", ")
	if !t.Visible.Always() {
		out.visible = t.Visible.Text
	}
	if t.Listed != nil {
		out.listed = t.Listed.Text
	}
	if t.Joins != nil {
		out.joins = t.Joins.Text
	}
	return out
}

// lockedTerms returns what the lock promises of a tool.
func lockedTerms(t spec.LockedTool) terms {
	out := terms{
		tier: t.Tier.Value, capability: t.Capability.Value, visible: t.Visible.Value, powers: t.Powers.Value, traits: t.Traits.Value, texts: t.Texts.Value,
		listed: t.Listed.Value, joins: t.Joins.Value, also: t.Also.Value, parameters: t.Parameters.Value,
	}
	out.asks = strings.Join(values(t.Asks), ", ")
	for _, s := range t.Surfaces {
		out.surfaces = append(out.surfaces, s.Value)
	}
	return out
}

// words lists the terms for a digest; nothing where none were signed.
func (t terms) words() []string {
	if t.tier == 0 {
		return nil
	}
	words := []string{strconv.Itoa(t.tier), t.capability, t.visible, strings.Join(t.surfaces, " "), t.traits, t.texts}
	if t.powers != "" {
		words = append(words, t.powers)
	}
	if t.listed != "" {
		words = append(words, "listed "+t.listed)
	}
	if t.joins != "" {
		words = append(words, "joins "+t.joins)
	}
	if t.also != "" {
		words = append(words, "also "+t.also)
	}
	if t.asks != "" {
		words = append(words, "asks "+t.asks)
	}
	if t.parameters != "" {
		words = append(words, "parameters", t.parameters)
	}
	return words
}

// row writes the terms as members of a tool's row in the lock.
func (t terms) row() string {
	listed, powers := "", ""
	if t.listed != "" {
		listed = "listed: " + quote(t.listed) + ", "
	}
	if t.joins != "" {
		listed += "joins: " + quote(t.joins) + ", "
	}
	if t.also != "" {
		listed += "also: " + quote(t.also) + ", "
	}
	if t.powers != "" {
		powers = "powers: " + quote(t.powers) + ", "
	}
	if t.asks != "" {
		powers += "asks: [" + t.asks + "], "
	}
	parameters := ""
	if t.parameters != "" {
		parameters = ", parameters: " + quote(t.parameters)
	}
	return fmt.Sprintf("tier: %d, capability: %s, visible: %s, %ssurfaces: [%s], %straits: %s, texts: %s%s",
		t.tier, t.capability, quote(t.visible), listed, strings.Join(t.surfaces, ", "), powers, quote(t.traits), quote(t.texts), parameters)
}

// reportTerms reports each term of a tool that is not the locked one.
func reportTerms(s *model.Scope, t *model.Tool, locked spec.LockedTool, report diag.Report) {
	was, now := lockedTerms(locked), termsOf(t)
	if was.tier == 0 {
		return
	}
	differs := func(at diag.Pos, format string, args ...any) {
		d := report(at, format+", not as frozen in scope %q", append(args, s.Name)...)
		d.Hint, d.Cause = hint("change "+t.Name), aboutTool(t.Name)
		d.Related = &diag.Related{Pos: locked.Tool.Pos, Message: "promised here since " + locked.Since.Value}
	}
	if was.tier != now.tier {
		differs(t.At.Tier, "%q was in tier %d and is in tier %d", t.Name, was.tier, now.tier)
	}
	if was.capability != now.capability {
		differs(t.CapabilityPos, "%q was of capability %q and is of %q", t.Name, was.capability, now.capability)
	}
	if was.visible != now.visible {
		differs(t.At.Visible, "%q was visible when %s and is when %s", t.Name, was.visible, now.visible)
	}
	if was.listed != now.listed {
		differs(t.At.Listed, "%q was listed %s and is %s", t.Name, listedWhen(was), listedWhen(now))
	}
	if was.joins != now.joins {
		differs(t.At.Joins, "%q joined the core list %s and joins it %s", t.Name, joinsWhen(was), joinsWhen(now))
	}
	if was.also != now.also {
		differs(t.CapabilityPos, "%q was of the other capabilities [%s] and is of [%s]", t.Name, was.also, now.also)
	}
	if !slices.Equal(was.surfaces, now.surfaces) {
		differs(t.At.Surfaces, "%q had the policy surfaces [%s] and has [%s]", t.Name, strings.Join(was.surfaces, ", "), strings.Join(now.surfaces, ", "))
	}
	if was.powers != now.powers {
		differs(t.At.Powers, "%q had the powers [%s] and has [%s]", t.Name, was.powers, now.powers)
	}
	if was.asks != now.asks {
		differs(t.Pos, "%q asked its client for [%s] and asks for [%s]", t.Name, was.asks, now.asks)
	}
	if was.traits != now.traits {
		differs(t.At.Traits, "%q has other traits, or roles of parameters", t.Name)
	}
	if was.texts != now.texts {
		differs(t.At.Description, "%q has another title, description, question or slim form, or a parameter has", t.Name)
	}
	if was.parameters != now.parameters {
		differs(t.Pos, "%q takes other older names or forms of its parameters, lists other ones, or refuses others", t.Name)
	}
}

// listedWhen says what decides whether a client is sent the tool.
func listedWhen(t terms) string {
	if t.listed == "" {
		return "by its tier"
	}
	return "when " + t.listed
}

// joinsWhen says what adds a tool to the core list.
func joinsWhen(t terms) string {
	if t.joins == "" {
		return "never"
	}
	return "when " + t.joins
}

// powersOf lists the powers of a tool with their conditions.
func powersOf(t *model.Tool) string {
	var out []string
	for _, p := range t.Powers {
		text := p.Power.Name
		if p.When != nil {
			text += " if " + p.Condition()
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// traitsOf lists the traits of a tool and the roles of its parameters.
func traitsOf(t *model.Tool) [][]string {
	out := [][]string{{"keeps", strconv.FormatBool(t.Traits.Keeps)}, {"durable", strconv.FormatBool(t.Traits.Durable)}}
	for _, v := range []*model.TraitValue{t.Traits.Shows, t.Traits.Record, t.Traits.Replay} {
		if v != nil {
			out = append(out, []string{v.GoName})
		}
	}
	roles := [][]string{}
	for _, p := range t.RolePaths() {
		term := []string{"role", p.Path, p.Role.Name}
		if p.Secret != "" {
			term = append(term, "secret", p.Secret)
		}
		roles = append(roles, term)
	}
	slices.SortFunc(roles, slices.Compare) // the order of parameters is documentation
	return append(out, roles...)
}

// formsOf lists what an object takes beside the names and types of its schema, and what it refuses.
func formsOf(path string, o *model.Object) [][]string {
	var out [][]string
	for _, p := range o.Properties {
		at := path + "/" + p.Name
		if len(p.Was) > 0 {
			out = append(out, append([]string{"was", at}, p.Was...))
		}
		if p.Unlisted {
			out = append(out, []string{"unlisted", at})
		}
		if len(p.FromObject) > 0 {
			out = append(out, append([]string{"from_object", at}, p.FromObject...))
		}
		for _, part := range p.Type.Parts() {
			out = append(out, formsOf(at+part.Path, part.Object)...)
		}
	}
	for _, r := range o.Refused {
		out = append(out, []string{"not", path + "/" + r.Name, r.Reason})
	}
	slices.SortFunc(out, slices.Compare)
	return out
}

// textsOf lists the words of a tool that reach a model.
func textsOf(t *model.Tool) [][]string {
	out := [][]string{{t.Title, t.Description}}
	if t.Slim != nil {
		slim := []string{"slim", t.Slim.Description}
		for _, p := range t.Slim.Properties {
			slim = append(slim, p.Name)
		}
		out = append(out, slim)
	}
	if t.Confirm != nil {
		out = append(out, []string{"confirm", t.Confirm.Text})
	}
	texts := describedIn("input", t.Input)
	if t.Output != nil {
		texts = append(texts, describedIn("output", t.Output)...)
	}
	slices.SortFunc(texts, slices.Compare)
	return append(out, texts...)
}

// describedIn lists the descriptions of an object's members by their paths.
func describedIn(path string, o *model.Object) [][]string {
	var out [][]string
	for _, p := range o.Properties {
		at := path + "/" + p.Name
		if p.Description != "" {
			out = append(out, []string{at, p.Description})
		}
		for _, part := range p.Type.Parts() {
			out = append(out, describedIn(at+part.Path, part.Object)...)
		}
	}
	return out
}

// sum is the hash of words as the lock keeps it.
func sum(words any) string {
	digest := sha256.Sum256([]byte(encode(words)))
	return hex.EncodeToString(digest[:])[:hashLength]
}
