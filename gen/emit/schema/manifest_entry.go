package schema

// prompt and the types below mirror entries under prompts and resources, as manifest does the files.
type prompt struct {
	Name        string                    `json:"name" jsonschema:"pattern=^[a-z][a-z0-9_]{0\\,63}$" jsonschema_description:"Name on the wire: lower case letters, digits and underscores, at most 64."`
	Title       string                    `json:"title" jsonschema:"minLength=1" jsonschema_description:"Name for people, who choose prompts from a menu."`
	Description string                    `json:"description,omitempty" jsonschema:"minLength=1" jsonschema_description:"What the prompt is for."`
	Capability  string                    `json:"capability,omitempty" jsonschema:"default=core,minLength=1" jsonschema_description:"The gate the prompt stands behind. core is assumed with a warning; a release build refuses that."`
	Scope       names                     `json:"scope" jsonschema_description:"The scope, or the list of scopes, that the prompt belongs to."`
	Visible     string                    `json:"visible" jsonschema:"minLength=1" jsonschema_description:"Boolean expression over facts, as in Go, that decides listing and guards the request; or always."`
	Asks        []string                  `json:"asks,omitempty" jsonschema:"enum=elicitation,enum=elicitation.url,enum=sampling,enum=roots,uniqueItems=true" jsonschema_description:"What the handler asks the client for with Call.Ask, as that of a tool does."`
	Arguments   map[string]promptArgument `json:"arguments,omitempty" jsonschema_description:"Arguments by name, in the order clients show them. Each is a text."`
	Budget      entryBudget               `json:"budget,omitempty" jsonschema_description:"Limits of one request."`
}

type promptArgument struct {
	Title       string   `json:"title,omitempty" jsonschema:"minLength=1" jsonschema_description:"Name for people."`
	Description string   `json:"description,omitempty" jsonschema:"minLength=1" jsonschema_description:"What the argument is."`
	Required    bool     `json:"required,omitempty" jsonschema:"default=false" jsonschema_description:"Whether a request must give it."`
	Enum        []string `json:"enum,omitempty" jsonschema:"minItems=1,uniqueItems=true" jsonschema_description:"The values that it may have. They complete it."`
	Complete    string   `json:"complete,omitempty" jsonschema:"enum=handler" jsonschema_description:"handler: a method of the area's handlers gives the values that complete it."`
}

type resource struct {
	Name        string                 `json:"name" jsonschema:"pattern=^[a-z][a-z0-9_]{0\\,63}$" jsonschema_description:"Name on the wire: lower case letters, digits and underscores, at most 64."`
	Title       string                 `json:"title" jsonschema:"minLength=1" jsonschema_description:"Name for people."`
	Description string                 `json:"description,omitempty" jsonschema:"minLength=1" jsonschema_description:"What the resource is."`
	Capability  string                 `json:"capability,omitempty" jsonschema:"default=core,minLength=1" jsonschema_description:"The gate the resource stands behind. core is assumed with a warning; a release build refuses that."`
	Scope       names                  `json:"scope" jsonschema_description:"The scope, or the list of scopes, that the resource belongs to."`
	Visible     string                 `json:"visible" jsonschema:"minLength=1" jsonschema_description:"Boolean expression over facts, as in Go, that decides listing and guards the request; or always."`
	Asks        []string               `json:"asks,omitempty" jsonschema:"enum=elicitation,enum=elicitation.url,enum=sampling,enum=roots,uniqueItems=true" jsonschema_description:"What the handler asks the client for with Call.Ask, as that of a tool does."`
	URI         string                 `json:"uri,omitempty" jsonschema:"oneof_required=uri" jsonschema_description:"The address of one resource, with its scheme: note://today."`
	Template    string                 `json:"uriTemplate,omitempty" jsonschema:"oneof_required=uriTemplate" jsonschema_description:"The addresses of many resources, as RFC 6570 writes them: note://{id}. {+path} takes slashes too."`
	Variables   map[string]uriVariable `json:"variables,omitempty" jsonschema_description:"What is known of the variables of uriTemplate, by name. One without an entry takes any text."`
	MIMEType    string                 `json:"mimeType,omitempty" jsonschema:"minLength=3" jsonschema_description:"Type of the contents, unless they state their own."`
	Size        int                    `json:"size,omitempty" jsonschema:"minimum=1" jsonschema_description:"Bytes of the contents of one address, where they are known."`
	Annotations annotationHints        `json:"annotations,omitempty" jsonschema_description:"Annotations of the protocol: for whom the contents are, and how much they matter."`
	Subscribe   bool                   `json:"subscribe,omitempty" jsonschema:"default=false" jsonschema_description:"Whether clients can subscribe to updates, which handlers report."`
	Budget      entryBudget            `json:"budget,omitempty" jsonschema_description:"Limits of one request."`
}

type uriVariable struct {
	Description string   `json:"description,omitempty" jsonschema:"minLength=1" jsonschema_description:"What the variable is."`
	Enum        []string `json:"enum,omitempty" jsonschema:"minItems=1,uniqueItems=true" jsonschema_description:"The values that it may have. They complete it; there is no resource of another value."`
	Complete    string   `json:"complete,omitempty" jsonschema:"enum=handler" jsonschema_description:"handler: a method of the area's handlers gives the values that complete it."`
}

type annotationHints struct {
	Audience []string `json:"audience,omitempty" jsonschema:"enum=user,enum=assistant,uniqueItems=true" jsonschema_description:"Whom the contents are for."`
	Priority *float64 `json:"priority,omitempty" jsonschema:"minimum=0,maximum=1" jsonschema_description:"How much the contents matter: 1 is required, 0 is optional."`
}

type entryBudget struct {
	TimeoutMS int `json:"timeout_ms,omitempty" jsonschema:"default=30000,minimum=1" jsonschema_description:"Deadline of one request in milliseconds."`
}
