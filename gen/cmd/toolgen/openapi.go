package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/callsheet/callsheet/gen/importer"
	"github.com/callsheet/callsheet/gen/openapi"
	"github.com/callsheet/callsheet/gen/openapi/overlay"
)

// maxDocument bounds an OpenAPI document, in bytes.
const maxDocument = 64 << 20

// importOpenAPI reads the document of --openapi.
func (a *app) importOpenAPI(ctx context.Context, from *importer.Upstream) (openapi.Result, error) {
	a.progress("reading " + from.OpenAPI)
	result, err := readOpenAPI(ctx, ".", from.OpenAPI, from.Overlay)
	if err != nil {
		return result, err
	}
	if from.OpenAPI, err = a.fromModule(from.OpenAPI); err != nil {
		return result, err
	}
	if from.Overlay, err = a.fromModule(from.Overlay); err != nil {
		return result, err
	}
	if from.Server == "" {
		from.Server = result.Server
	}
	from.Secrets = secretsOf(from.Secrets, result.Schemes)
	return result, nil
}

// secretsOf names a variable of the environment for each scheme that has none.
func secretsOf(rows [][2]string, schemes []string) [][2]string {
	for _, scheme := range schemes {
		named := false
		for _, row := range rows {
			named = named || row[0] == scheme
		}
		if !named {
			variable := strings.Map(func(r rune) rune {
				if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
					return r
				}
				return '_'
			}, strings.ToUpper(scheme))
			if variable[0] >= '0' && variable[0] <= '9' {
				variable = "_" + variable
			}
			rows = append(rows, [2]string{scheme, variable})
		}
	}
	return rows
}

// fromModule writes the path of a file relative to the module; addresses stay.
func (a *app) fromModule(place string) (string, error) {
	if place == "" || isAddress(place) {
		return place, nil
	}
	file, err := filepath.Abs(place)
	if err != nil {
		return "", err
	}
	root, err := filepath.Abs(a.dir)
	if err != nil {
		return "", err
	}
	out, err := filepath.Rel(root, file)
	return filepath.ToSlash(out), err
}

func isAddress(place string) bool {
	u, err := url.Parse(place)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// readOpenAPI reads a document, changed by an overlay unless it is "". Files are relative to dir.
func readOpenAPI(ctx context.Context, dir, document, change string) (openapi.Result, error) {
	opt := openapi.Options{}
	data, err := readPlace(ctx, dir, document)
	if err != nil {
		return openapi.Result{}, err
	}
	if isAddress(document) {
		opt.Location = document
	}
	if change != "" {
		actions, err := readPlace(ctx, dir, change)
		if err != nil {
			return openapi.Result{}, err
		}
		opt.Overlay = func(document []byte) ([]byte, []string, error) { return overlay.Apply(document, actions) }
	}
	result, err := openapi.Read(data, opt)
	if err != nil {
		return result, fmt.Errorf("%s: %w", document, err)
	}
	return result, nil
}

// readPlace reads a file or what is at an address.
func readPlace(ctx context.Context, dir, place string) ([]byte, error) {
	if !isAddress(place) {
		file := filepath.FromSlash(place)
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		return os.ReadFile(file)
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, place, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("get %s: the server answers %s", place, resp.Status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument+1))
	if err == nil && len(data) > maxDocument {
		err = fmt.Errorf("get %s: it has more than %d bytes", place, maxDocument)
	}
	return data, err
}
