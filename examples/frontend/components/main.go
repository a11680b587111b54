// Command components is the MCP server of this example: a small catalogue of UI components on
// standard input and output. It stands for a registry such as shadcn's and must not know Callsheet.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// item is one component of the catalogue.
type item struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Requires    []string `json:"requires"`
	Source      string   `json:"source,omitempty"`
}

func catalogue() []item {
	return []item{
		{"button", "A button with variants.", []string{"slot"}, "export function Button(props) { /* … */ }"},
		{"dialog", "A modal window.", []string{"button", "overlay"}, "export function Dialog(props) { /* … */ }"},
		{"table", "Rows and columns, sortable.", nil, "export function Table(props) { /* … */ }"},
	}
}

type searchInput struct {
	Query string `json:"query" jsonschema:"words to look for"`
	Limit int    `json:"limit,omitempty" jsonschema:"most items"`
}

type searchOutput struct {
	Items []item `json:"items"`
	Total int    `json:"total"`
}

func search(_ context.Context, _ *mcp.CallToolRequest, in searchInput) (*mcp.CallToolResult, searchOutput, error) {
	out := searchOutput{Items: []item{}}
	for _, it := range catalogue() {
		if strings.Contains(it.Name+" "+it.Description, in.Query) && (in.Limit == 0 || len(out.Items) < in.Limit) {
			out.Items = append(out.Items, item{Name: it.Name, Description: it.Description, Requires: it.Requires})
		}
	}
	out.Total = len(out.Items)
	return nil, out, nil
}

type viewInput struct {
	Name string `json:"name"`
}

func view(_ context.Context, _ *mcp.CallToolRequest, in viewInput) (*mcp.CallToolResult, item, error) {
	for _, it := range catalogue() {
		if it.Name == in.Name {
			return nil, it, nil
		}
	}
	return nil, item{}, fmt.Errorf("there is no component %q", in.Name)
}

type addInput struct {
	Names []string `json:"names"`
}

func add(_ context.Context, _ *mcp.CallToolRequest, in addInput) (*mcp.CallToolResult, any, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "npx shadcn add " + strings.Join(in.Names, " ")}}}, nil, nil
}

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "components", Version: "1"}, nil)
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true}
	mcp.AddTool(server, &mcp.Tool{Name: "search_items", Description: "Find components by words.", Annotations: reads}, search)
	mcp.AddTool(server, &mcp.Tool{Name: "view_item", Description: "Show one component.", Annotations: reads}, view)
	mcp.AddTool(server, &mcp.Tool{Name: "get_add_command", Description: "The command that adds components.", Annotations: reads}, add)
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
