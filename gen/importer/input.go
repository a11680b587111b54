package importer

// Input writes the schema of a tool's arguments as the key input of an entry, indented as in an area of a
// manifest. The error says which part of the schema has no form in the manifest's grammar.
func Input(schema []byte) (string, error) {
	c := &converter{}
	text, err := c.parameters(schema)
	if err != nil {
		return "", err
	}
	return text, compiles(text)
}
