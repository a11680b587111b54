// Package httpclient calls HTTP interfaces whose operations an OpenAPI document describes, and returns
// results in the form of the protocol.
//
// It knows neither documents nor manifests: an Operation says everything about a request but the
// arguments, the address of the server and the secrets.
package httpclient

// Operation says how the arguments of a call become an HTTP request. It is kept in the record of an
// upstream, so that a change of a document shows in it.
type Operation struct {
	Method     string      `json:"method"`
	Path       string      `json:"path"`             // with {name} for each parameter in the path
	Server     string      `json:"server,omitempty"` // address, where it is not that of the other operations
	Parameters []Parameter `json:"parameters,omitempty"`
	Body       *Body       `json:"body,omitempty"`
	Accept     string      `json:"accept,omitempty"` // media types of results
	// Security lists alternatives; a request satisfies every scheme of one. An empty alternative is a
	// request without credentials.
	Security [][]Scheme `json:"security,omitempty"`
	// Wrapped says that the schema of results describes {"result": VALUE}, because values are no objects.
	Wrapped bool `json:"wrapped,omitempty"`
}

// Parameter is a parameter outside the body.
type Parameter struct {
	Argument      string `json:"argument"`
	Name          string `json:"name"`
	In            string `json:"in"`    // path, query, header or cookie
	Style         string `json:"style"` // as OpenAPI names them; "json" is a text of JSON
	Explode       bool   `json:"explode,omitempty"`
	AllowReserved bool   `json:"allowReserved,omitempty"`
}

// Body is the body of requests. One of Argument and Members is set.
type Body struct {
	Type     string   `json:"type"`               // media type
	Argument string   `json:"argument,omitempty"` // whose value is the body
	Members  []Member `json:"members,omitempty"`
	Required bool     `json:"required,omitempty"` // an object is sent when no member is given
	// Styles are those of properties of a urlencoded body that is one argument, where they are not form.
	Styles []Member `json:"styles,omitempty"`
}

// Member is a property of a body that is an object.
type Member struct {
	Argument string `json:"argument,omitempty"`
	Name     string `json:"name"`
	Style    string `json:"style,omitempty"` // of a urlencoded body; "" is form
	Explode  bool   `json:"explode,omitempty"`
}

// Scheme is how a secret goes into a request.
type Scheme struct {
	Name  string `json:"scheme"`
	In    string `json:"in"`              // header, query or cookie; bearer or basic for the header Authorization
	Field string `json:"field,omitempty"` // name of the header, the query parameter or the cookie
}

// The places of Scheme.In that are no places of parameters.
const (
	Bearer = "bearer"
	Basic  = "basic" // the secret is NAME:PASSWORD
)

// Media types of bodies that can be written.
const (
	JSON       = "application/json"
	URLEncoded = "application/x-www-form-urlencoded"
)

// DeepObject and JSONText are styles of parameters; the others are OpenAPI's too: form, simple, label, matrix,
// spaceDelimited, pipeDelimited.
const (
	DeepObject = "deepObject"
	JSONText   = "json"
)
