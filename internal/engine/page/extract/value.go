package extract

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// normalize returns a name in lower case without punctuation.
func normalize(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// synonyms returns the other names of a field in schema.org, Open Graph and similar vocabularies.
func synonyms(name string) []string {
	switch name {
	case "title", "name", "headline":
		return []string{"name", "headline", "title", "ogtitle", "twittertitle"}
	case "image", "picture", "photo", "thumbnail", "img":
		return []string{"image", "thumbnailurl", "ogimage", "twitterimage", "photo"}
	case "description", "summary", "abstract":
		return []string{"description", "abstract", "ogdescription", "twitterdescription"}
	case "url", "link", "href":
		return []string{"url", "ogurl", "canonical"}
	case "price", "amount", "cost":
		return []string{"price", "lowprice", "productpriceamount", "ogpriceamount"}
	case "currency":
		return []string{"pricecurrency", "currency", "productpricecurrency", "ogpricecurrency"}
	case "rating", "stars", "score":
		return []string{"ratingvalue", "rating"}
	case "reviews", "reviewcount", "ratings":
		return []string{"reviewcount", "ratingcount"}
	case "date", "published", "publishedat", "publicationdate":
		return []string{"datepublished", "articlepublishedtime", "datecreated", "startdate", "uploaddate", "date"}
	case "modified", "updated", "updatedat":
		return []string{"datemodified", "articlemodifiedtime", "ogupdatedtime"}
	case "author", "writer", "byline":
		return []string{"author", "creator", "articleauthor"}
	case "instock", "available", "availability", "stock":
		return []string{"availability", "productavailability"}
	case "site", "sitename", "publisher":
		return []string{"publisher", "ogsitename", "sitename"}
	case "phone", "tel":
		return []string{"telephone"}
	case "category", "section":
		return []string{"category", "articlesection"}
	case "keywords", "tags":
		return []string{"keywords", "articletag"}
	}
	return nil
}

// namesOf returns the normalized names of a field, its own first.
func namesOf(field string) []string {
	own := normalize(field)
	return append([]string{own}, synonyms(own)...)
}

// Coerce converts a value of a page to a type of JSON, if possible: string, number, integer, boolean,
// array or object; "" is any. Of a text, a number is its first one.
func Coerce(value any, kind string) (any, bool) { return coerce(value, kind) }

// coerce converts a value to the type, if possible.
func coerce(value any, kind string) (any, bool) {
	if list, ok := value.([]any); ok && kind != "array" && kind != "" {
		if len(list) == 0 {
			return nil, false
		}
		value = list[0]
	}
	switch kind {
	case "string":
		s := strings.TrimSpace(text(value))
		return s, s != ""
	case "number", "integer":
		return number(value, kind == "integer")
	case "boolean":
		return boolean(value)
	case "array":
		if list, ok := value.([]any); ok {
			return list, true
		}
		return []any{value}, value != nil && value != ""
	case "object":
		_, ok := value.(map[string]any)
		return value, ok
	}
	return value, value != nil && value != ""
}

// text returns the text of a value: of an object its name, value or address.
func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case map[string]any:
		for _, key := range []string{"name", "@value", "value", "url", "@id"} {
			if inner, ok := v[key].(string); ok && inner != "" {
				return inner
			}
		}
		raw, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		return string(raw)
	}
	return ""
}

// number finds the first number of a text: "from $1,234.50" is 1234.5, "1.234,50 €" too.
func number(value any, whole bool) (any, bool) {
	n, ok := value.(float64)
	if !ok {
		s := text(value)
		start := strings.IndexFunc(s, unicode.IsDigit)
		if start < 0 {
			return nil, false
		}
		end := start
		for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '.' || s[end] == ',') {
			end++
		}
		digits := decimal(strings.TrimRight(s[start:end], ".,"))
		if start > 0 && s[start-1] == '-' {
			digits = "-" + digits
		}
		var err error
		if n, err = strconv.ParseFloat(digits, 64); err != nil {
			return nil, false
		}
	}
	if math.IsInf(n, 0) || math.IsNaN(n) || whole && n != math.Trunc(n) {
		return nil, false
	}
	return n, true
}

// decimal rewrites digits with separators as a Go number. The last separator is the decimal point
// unless it groups digits: it stands alone before three digits, or occurs more than once.
func decimal(s string) string {
	last := strings.LastIndexAny(s, ".,")
	if last < 0 {
		return s
	}
	mark := s[last : last+1]
	other := map[string]string{".": ",", ",": "."}[mark]
	grouping := strings.Count(s, mark) > 1 || mark == "," && len(s)-last-1 == 3 && !strings.Contains(s, other)
	s = strings.ReplaceAll(s, other, "")
	if grouping {
		return strings.ReplaceAll(s, mark, "")
	}
	return strings.Replace(s, mark, ".", 1)
}

func boolean(value any) (any, bool) {
	switch v := value.(type) {
	case bool:
		return v, true
	case float64:
		return v != 0, true
	}
	switch said := normalize(text(value)); {
	case said == "true", said == "yes", said == "1", said == "y", strings.HasSuffix(said, "instock"), said == "available":
		return true, true
	case said == "false", said == "no", said == "0", said == "n",
		strings.HasSuffix(said, "outofstock"), said == "soldout", said == "unavailable":
		return false, true
	}
	return nil, false
}
