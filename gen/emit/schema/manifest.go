package schema

import "github.com/invopop/jsonschema"

// Manifest is the JSON Schema of the manifest's own YAML files, for completion and help in editors. It covers the root
// and the included files, which hold only "tools", so no key of the root is required.
//
// The schema is advice: it knows shapes, and takes everything the compiler takes. Names, predicates and types that must
// agree are for the compiler.
func Manifest() *jsonschema.Schema {
	r := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true}
	s := r.Reflect(manifest{})
	s.Title = "Tool manifest"
	s.Description = "What toolgen compiles: the tools of a server and everything they share."
	return s
}

// manifest mirrors the YAML for reflection only; the compiler reads positions as well and has its own reader. Keys that
// a file may leave out are tagged omitempty.
type manifest struct {
	Version      int                   `json:"version,omitempty" jsonschema:"enum=1" jsonschema_description:"Version of the manifest's grammar."`
	Include      []string              `json:"include,omitempty" jsonschema:"minLength=1,uniqueItems=true" jsonschema_description:"Files that hold the tools, one per area, relative to this file. The file's name is the area's name."`
	Capabilities map[string]capability `json:"capabilities,omitempty" jsonschema_description:"Gates on the command line, by name. They limit context size and are no security boundary."`
	Facts        map[string]string     `json:"facts,omitempty" jsonschema_description:"Named booleans about one session and what each means: the closed vocabulary of visible."`
	AddressedBy  string                `json:"addressed_by,omitempty" jsonschema:"minLength=1" jsonschema_description:"The parameter by which calls name the connection they are for; its facts judge the call."`
	Invariants   []string              `json:"invariants,omitempty" jsonschema:"minLength=1" jsonschema_description:"What always holds between facts: implications, written as two predicates with an arrow between them."`
	Events       map[string]event      `json:"events,omitempty" jsonschema_description:"What happens to facts by itself, by the name of the event."`
	Scenarios    map[string][]string   `json:"scenarios,omitempty" jsonschema_description:"Named sets of true facts. Each has a tools/list snapshot."`
	Scopes       map[string]scope      `json:"scopes,omitempty" jsonschema_description:"Named sets of tools that a release promises, the default one first."`
	Tools        []tool                `json:"tools,omitempty" jsonschema_description:"The tools of this area."`
}

type capability struct {
	Title       string `json:"title" jsonschema:"minLength=1" jsonschema_description:"Name for people."`
	Description string `json:"description" jsonschema:"minLength=1" jsonschema_description:"One sentence: what the tools behind this gate are for."`
}

type event struct {
	When string `json:"when" jsonschema_description:"Predicate over facts: when the event can happen."`
	changes
}

type changes struct {
	Sets     []string `json:"sets,omitempty" jsonschema_description:"Facts that become true."`
	Clears   []string `json:"clears,omitempty" jsonschema_description:"Facts that become false."`
	MaySet   []string `json:"may_set,omitempty" jsonschema_description:"Facts that may become true. In may_clear too: the fact may be either afterwards."`
	MayClear []string `json:"may_clear,omitempty" jsonschema_description:"Facts that may become false."`
}

type scope struct {
	Status string `json:"status" jsonschema:"enum=frozen,enum=open" jsonschema_description:"frozen: the set of tools equals the lock, in both directions. open: it may change."`
	Since  string `json:"since" jsonschema_description:"Release that first promised the scope. Quote it: 0.10 is a number in YAML."`
}

type tool struct {
	Name        string              `json:"name" jsonschema:"pattern=^[a-z][a-z0-9_]{0\\,63}$" jsonschema_description:"Name on the wire: lower case letters, digits and underscores, at most 64."`
	Title       string              `json:"title" jsonschema:"minLength=1" jsonschema_description:"Name for people."`
	Description string              `json:"description,omitempty" jsonschema:"minLength=1" jsonschema_description:"What the model reads in every session, so every word is paid for. Conditional requirements are appended by the compiler."`
	Capability  string              `json:"capability,omitempty" jsonschema:"minLength=1" jsonschema_description:"The gate the tool stands behind. core is assumed with a warning; a release build refuses that."`
	Scope       names               `json:"scope" jsonschema_description:"The scope, or the list of scopes, that the tool belongs to."`
	Tier        int                 `json:"tier,omitempty" jsonschema:"enum=1,enum=2,enum=3" jsonschema_description:"1: listed by default. 2 and 3: hidden until expand_tools reveals them."`
	Effects     effects             `json:"effects" jsonschema_description:"What a client may rely on when it decides whether to ask a person first."`
	Visible     string              `json:"visible" jsonschema:"minLength=1" jsonschema_description:"Boolean expression over facts, as in Go, that decides listing and guards the call; or always."`
	Changes     changes             `json:"changes,omitempty" jsonschema_description:"What a successful call does to facts."`
	Surfaces    []string            `json:"surfaces,omitempty" jsonschema:"enum=navigation,enum=evaluate,enum=download,enum=clipboard,enum=file,uniqueItems=true" jsonschema_description:"Dangerous powers the tool uses; a policy can forbid each."`
	Input       map[string]property `json:"input" jsonschema_description:"Parameters by name, in the order clients show them. {} when there are none."`
	Output      map[string]property `json:"output,omitempty" jsonschema_description:"Members of structuredContent by name. Only for tools that always return it."`
	RequireWhen []requirement       `json:"require_when,omitempty" jsonschema_description:"Conditional requirements among parameters: checked at the call and appended to the description."`
	Budget      budget              `json:"budget,omitempty" jsonschema_description:"Limits of one call."`
	Slim        *slim               `json:"slim,omitempty" jsonschema_description:"The tool's entry in the list that --slim serves. Absent: not in that list."`
	Was         names               `json:"was,omitempty" jsonschema_description:"An older name, or a list of them; they keep working in flags and in calls."`
}

type effects struct {
	ReadOnly    bool `json:"read_only" jsonschema_description:"The tool changes nothing a person would notice."`
	Destructive bool `json:"destructive" jsonschema_description:"The tool may delete or overwrite something."`
	Idempotent  bool `json:"idempotent" jsonschema_description:"A second identical call changes nothing more."`
	OpenWorld   bool `json:"open_world" jsonschema_description:"The tool reaches what the server does not control, such as a site."`
}

type budget struct {
	ResultBytes int `json:"result_bytes,omitempty" jsonschema:"minimum=1" jsonschema_description:"Most bytes of text in one result."`
	TimeoutMS   int `json:"timeout_ms,omitempty" jsonschema:"minimum=1" jsonschema_description:"Deadline of one call in milliseconds."`
}

type slim struct {
	Description string   `json:"description" jsonschema:"minLength=1" jsonschema_description:"A shorter description."`
	Input       []string `json:"input" jsonschema:"uniqueItems=true" jsonschema_description:"Parameters that stay listed; calls still accept all of them."`
}

type requirement struct {
	When map[string]names `json:"when,omitempty" jsonschema_description:"One parameter and the value, or list of values, for which the requirement applies. Absent: always."`
	All  []string         `json:"all,omitempty" jsonschema:"oneof_required=all,minItems=1" jsonschema_description:"Parameters that must all be present."`
	Any  []string         `json:"any,omitempty" jsonschema:"oneof_required=any,minItems=2" jsonschema_description:"Parameters of which at least one must be present."`
	One  []string         `json:"one,omitempty" jsonschema:"oneof_required=one,minItems=2" jsonschema_description:"Parameters of which exactly one must be present."`
}

type property struct {
	Type        string              `json:"type" jsonschema:"enum=string,enum=integer,enum=number,enum=boolean,enum=array,enum=object" jsonschema_description:"JSON type of the value."`
	Description string              `json:"description,omitempty" jsonschema_description:"Only what the name does not say; a unit such as ms."`
	Required    bool                `json:"required,omitempty" jsonschema_description:"Whether the value must be present. Never together with default."`
	Enum        []string            `json:"enum,omitempty" jsonschema:"minItems=1,uniqueItems=true" jsonschema_description:"The allowed strings. Numeric enums are refused by providers."`
	Default     any                 `json:"default,omitempty" jsonschema:"anyof_type=string;number;boolean" jsonschema_description:"Value that is used when the parameter is absent."`
	Minimum     *float64            `json:"minimum,omitempty" jsonschema_description:"Least number allowed."`
	Maximum     *float64            `json:"maximum,omitempty" jsonschema_description:"Greatest number allowed."`
	MinLength   *int                `json:"minLength,omitempty" jsonschema:"minimum=0" jsonschema_description:"Fewest characters."`
	MaxLength   *int                `json:"maxLength,omitempty" jsonschema:"minimum=0" jsonschema_description:"Most characters."`
	MinItems    *int                `json:"minItems,omitempty" jsonschema:"minimum=0" jsonschema_description:"Fewest items."`
	MaxItems    *int                `json:"maxItems,omitempty" jsonschema:"minimum=0" jsonschema_description:"Most items."`
	Pattern     string              `json:"pattern,omitempty" jsonschema:"minLength=1" jsonschema_description:"RE2 expression the string must contain a match of; anchor it with ^ and $ where the whole must match."`
	Items       *property           `json:"items,omitempty" jsonschema_description:"Type of an array's items."`
	Properties  map[string]property `json:"properties,omitempty" jsonschema_description:"Members of an object by name."`
}

// names is one name or a list of names.
type names []string

// JSONSchema spells out the two forms; reflection sees only the list.
func (names) JSONSchema() *jsonschema.Schema {
	name := &jsonschema.Schema{Type: "string", MinLength: new(uint64(1))}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		name,
		{Type: "array", Items: name, UniqueItems: true},
	}}
}
