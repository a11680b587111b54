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

// Endpoint is a model that the operator has configured.
type Endpoint struct {
	URL   string // of the API, such as https://api.openai.com/v1; the path of the method is added
	Key   string
	Model string
	API   API
}

// API is the protocol that an endpoint speaks.
type API string

// The styles.
const (
	OpenAI    API = "openai"
	Anthropic API = "anthropic"
)

// FromEnvironment reads CALLSHEET_MODEL_URL, CALLSHEET_MODEL, CALLSHEET_MODEL_KEY and CALLSHEET_MODEL_API (openai or
// anthropic). It is nil when there is no URL.
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
		return nil, fmt.Errorf("CALLSHEET_MODEL_API is %q; known: openai, anthropic", e.API)
	}
	return e, nil
}

// The most bytes of an answer, and how long one may take.
const (
	maxResponse    = 1 << 20
	requestTimeout = 60 * time.Second
)

// Complete asks the model. An error never holds the key.
func (e *Endpoint) Complete(ctx context.Context, system, prompt string, maxTokens int) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	path, body := "/chat/completions", map[string]any{
		"model": e.Model, "max_tokens": maxTokens,
		"messages": []any{map[string]string{"role": "system", "content": system}, map[string]string{"role": "user", "content": prompt}},
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
		return "", fmt.Errorf("ask the model: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if e.API == Anthropic {
		req.Header.Set("x-api-key", e.Key)
		req.Header.Set("anthropic-version", "2023-06-01")
	} else if e.Key != "" {
		req.Header.Set("Authorization", "Bearer "+e.Key)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }} // the key is for this address alone
	res, err := client.Do(req)
	if err != nil {
		return "", fmt.Errorf("ask the model: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxResponse))
	if err != nil {
		return "", fmt.Errorf("read the model's answer: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the model's endpoint answers %s", res.Status)
	}
	return responseText(answer)
}

// responseText reads the answer of either style.
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
		return "", fmt.Errorf("read the model's answer: %w", err)
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
	return "", errors.New("the model's answer has no text")
}
