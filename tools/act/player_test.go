package act_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// playerPage has a player of 20 s of silence.
const playerPage = `<h1>Listen</h1><audio id=a controls title=Song></audio><script>const n=20*3000,b=new Uint8Array(44+n).fill(128,44),d=new DataView(b.buffer);
[['RIFF',0],['WAVEfmt ',8],['data',36]].forEach(([s,at])=>[...s].forEach((c,i)=>b[at+i]=c.charCodeAt(0)));
[[4,36+n],[16,16],[24,3000],[28,3000],[40,n]].forEach(([at,v])=>d.setUint32(at,v,true));[[20,1],[22,1],[32,1],[34,8]].forEach(([at,v])=>d.setUint16(at,v,true));
a.src=URL.createObjectURL(new Blob([b],{type:'audio/wav'}))</script>`

// A player plays, pauses, seeks and is muted through the tools for controls and fields.
func TestPlayersByTheirTools(t *testing.T) {
	t.Parallel()
	c, _ := openHTML(t, playerPage)
	c.Call("wait_for", tooltest.Args{"type": "function", "value": "a.duration > 0"})
	c.Expect("read_page", nil, `audio "Song" [e1] paused 0:00 of 0:20`)
	c.Expect("form_input", tooltest.Args{"query": "Song", "value": "play"}, `set audio "Song" [e1] playing 0:00 of 0:20`)
	c.Expect("form_input", tooltest.Args{"query": "Song", "value": "0:12 muted", "then": "diff"}, `playing 0:12 of 0:20 muted`)
	c.Expect("interact", tooltest.Args{"query": "Song"}, `clicked audio "Song" [e1] paused 0:1`)
	c.Expect("computer", tooltest.Args{"action": "key", "text": "Space"}, `playing 0:1`)
	c.Expect("act", tooltest.Args{"steps": []tooltest.Args{{"action": "set", "query": "Song audio", "value": "pause"}, {"action": "set", "ref": "e1", "value": "unmute, 3"}}}, `paused 0:03 of 0:20`)
	c.Expect("fill_form", tooltest.Args{"fields": []tooltest.Args{{"query": "Song", "value": "0:07"}}}, "set 1 of 1")
	c.ExpectRefusal("INVALID_ARGUMENTS", "form_input", tooltest.Args{"query": "Song", "value": "loud"}, "play, pause, mute, unmute, volume 50 %")
}
