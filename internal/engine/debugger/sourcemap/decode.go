package sourcemap

import (
	"errors"
	"math"
	"strings"
)

// decode parses the mappings: generated lines separated by ';', segments separated by ',', each of
// one, four or five numbers relative to the previous segment. It drops the source of an invalid
// segment and keeps the rest of the map.
func (m *Map) decode(text string, firstSource int, offset Position) error {
	line := offset.Line
	var source, origLine, origColumn int
	for generated := range strings.SplitSeq(text, ";") {
		column := 0
		if line == offset.Line {
			column = offset.Column
		}
		for part := range strings.SplitSeq(generated, ",") {
			if part == "" {
				continue
			}
			fields, n, err := decodeVLQ(part)
			if err != nil {
				return err
			}
			column += fields[0]
			s := segment{genLine: clamp(line), genColumn: clamp(column), source: -1}
			if n >= 4 {
				source += fields[1]
				origLine += fields[2]
				origColumn += fields[3]
				if i := firstSource + source; source >= 0 && i < len(m.sources) && origLine >= 0 && origColumn >= 0 {
					s.source, s.line, s.column = clamp(i), clamp(origLine), clamp(origColumn)
				}
			}
			if column < 0 {
				continue
			}
			if len(m.forward) >= segmentLimit {
				return errors.New("read the source map: it has too many mappings")
			}
			m.forward = append(m.forward, s)
		}
		line++
	}
	return nil
}

func clamp(n int) int32 { return int32(min(max(n, 0), math.MaxInt32)) }

// decodeVLQ decodes up to five base64 VLQ numbers. Each character holds six bits: the highest is
// the continuation bit, the lowest bit of the first character is the sign.
func decodeVLQ(text string) (fields [5]int, n int, err error) {
	value, shift := 0, 0
	for i := range len(text) {
		digit := strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", text[i])
		if digit < 0 || shift > 30 || n == len(fields) {
			return fields, n, errors.New("read the source map: its mappings are malformed")
		}
		value |= digit & 31 << shift
		if digit&32 != 0 {
			shift += 5
			continue
		}
		if value&1 != 0 {
			value = -value
		}
		fields[n] = value / 2
		n, value, shift = n+1, 0, 0
	}
	if shift != 0 || n != 1 && n != 4 && n != 5 {
		return fields, n, errors.New("read the source map: its mappings are malformed")
	}
	return fields, n, nil
}
