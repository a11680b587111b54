package summary

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Endpoint is the model endpoint that the operator configures.
type Endpoint struct {
	URL   string // base URL of the API, such as https://api.openai.com/v1
	Key   string
	Model string
	API   API
}

// API is the protocol of an endpoint.
type API string

// The protocols.
const (
	OpenAI    API = "openai"
	Anthropic API = "anthropic"
)

// FromEnvironment reads CALLSHEET_MODEL_URL, CALLSHEET_MODEL, CALLSHEET_MODEL_KEY and
// CALLSHEET_MODEL_API (openai or anthropic). It returns nil without a URL.
func FromEnvironment(get func(string) string) (*Endpoint, error) {
	e := &Endpoint{URL: strings.TrimSuffix(get("CALLSHEET_MODEL_URL"), "/"), Key: get("CALLSHEET_MODEL_KEY"),
		Model: get("CALLSHEET_MODEL"), API: API(get("CALLSHEET_MODEL_API"))}
	if e.URL == "" {
		return nil, nil
	}
	if e.Model == "" {
		return nil, errors.New("CALLSHEET_MODEL_URL is set and CALLSHEET_MODEL is not; name the model")
	}
	switch e.API {
	case "":
		e.API = OpenAI
	case OpenAI, Anthropic:
	default:
		return nil, fmt.Errorf("CALLSHEET_MODEL_API is %q; use openai or anthropic", e.API)
	}
	return e, nil
}

// Limits of a request: bytes of the response, and its duration.
const (
	maxResponse    = 1 << 20
	requestTimeout = 60 * time.Second
)

// Complete sends a prompt and returns the text of the response. Errors never contain the key.
func (e *Endpoint) Complete(ctx context.Context, system, prompt string, maxTokens int) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	path, body := "/chat/completions", map[string]any{
		"model": e.Model, "max_tokens": maxTokens,
		"messages": []any{map[string]string{"role": "system", "content": system},
			map[string]string{"role": "user", "content": prompt}},
	}
	if e.API == Anthropic {
		path, body = "/messages", map[string]any{
			"model": e.Model, "max_tokens": maxTokens, "system": system,
			"messages": []any{map[string]string{"role": "user", "content": prompt}},
		}
	}
	data, err := json.Marshal(body)
	if err != nil {
		return "", fmt.Errorf("encode the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL+path, bytes.NewReader(data))
	if err != nil {
		return "", fmt.Errorf("request the model: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if e.API == Anthropic {
		req.Header.Set("x-api-key", e.Key)
		req.Header.Set("anthropic-version", "2023-06-01")
	} else if e.Key != "" {
		req.Header.Set("Authorization", "Bearer "+e.Key)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }} // a redirect must not receive the key
	res, err := client.Do(req)
	if err != nil {
		return "", fmt.Errorf("request the model: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxResponse))
	if err != nil {
		return "", fmt.Errorf("read the model's response: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the model's endpoint responded %s", res.Status)
	}
	return responseText(answer)
}

// responseText returns the text of a response in either protocol.
func responseText(data []byte) (string, error) {
	var a struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return "", fmt.Errorf("read the model's response: %w", err)
	}
	var parts []string
	for _, c := range a.Choices {
		parts = append(parts, c.Message.Content)
	}
	for _, c := range a.Content {
		parts = append(parts, c.Text)
	}
	if text := strings.TrimSpace(strings.Join(parts, "\n")); text != "" {
		return text, nil
	}
	return "", errors.New("the model's response has no text")
}
