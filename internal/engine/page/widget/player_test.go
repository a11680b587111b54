package widget_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
)

// silence makes an address of 20 s of silence.
const silence = `<script>function silence(){const n=20*3000,b=new Uint8Array(44+n).fill(128,44),d=new DataView(b.buffer);
[['RIFF',0],['WAVEfmt ',8],['data',36]].forEach(([s,at])=>[...s].forEach((c,i)=>b[at+i]=c.charCodeAt(0)));
[[4,36+n],[16,16],[24,3000],[28,3000],[40,n]].forEach(([at,v])=>d.setUint32(at,v,true));[[20,1],[22,1],[32,1],[34,8]].forEach(([at,v])=>d.setUint16(at,v,true));
return URL.createObjectURL(new Blob([b],{type:'audio/wav'}))}
for(const m of document.querySelectorAll('[data-play]'))m.src=silence();
loaded=Promise.all([...document.querySelectorAll('[data-play]')].map(m=>m.duration||new Promise(done=>m.onloadedmetadata=done)))</script>`

// A player is one control with its state, which is set by words and times, and which a click plays or pauses.
func TestPlayers(t *testing.T) {
	tab := pagetest.Show(t, `<audio id=a controls data-play title=Song></audio><video id=v controls data-play aria-label=Film width=300 height=120></video>
<video id=bare data-play width=99 height=99></video><audio id=stubborn controls data-play title=Stubborn></audio><audio id=broken controls src="data:audio/wav,x" title=Broken></audio>
<video id=empty controls aria-label=Empty></video><audio id=gone controls title=Gone><source src="data:audio/wav,y"></audio><audio id=slow controls title=Slow></audio>`+silence+
		`<script>stubborn.onplay=()=>stubborn.pause();stubborn.onseeking=()=>{if(stubborn.currentTime)stubborn.currentTime=0};log=[];slow.src=URL.createObjectURL(new MediaSource());
for(const e of ['play','pause','seeked','volumechange'])a.addEventListener(e,x=>log.push(x.type))</script>`)
	tab.JS("loaded")
	text := tab.Outline()
	for _, want := range []string{`audio "Song" [e1] paused 0:00 of 0:20`, `video "Film" [e2] paused 0:00 of 0:20`, `audio "Broken" [e5] unable to play`, `video "Empty" [e6] unable to play`,
		`audio "Gone" [e7] unable to play`, `audio "Slow" [e8] paused`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	for _, set := range []struct{ id, value, want string }{
		{"a", "0:12", "paused 0:12 of 0:20"},
		{"a", "play", "playing 0:12 of 0:20"},
		{"a", "mute", "playing 0:1"},
		{"a", "pause", "paused 0:1"},
		{"a", "paused 0:03 unmuted", "paused 0:03 of 0:20"},
		{"a", "volume 50%, at 4", "paused 0:04 of 0:20 volume 50 %"},
		{"a", "muted", "paused 0:04 of 0:20 muted"},
		{"v", "20", " 0:20 of 0:20"},
		{"v", "0:05 playing", "playing 0:05 of 0:20"},
		{"slow", "play", "loading"}, // its data do not come
	} {
		effect := tab.MustSet(tab.Ref("#"+set.id), set.value)
		if line := effect.Element.Line(); !strings.Contains(line, set.want) {
			t.Errorf("set to %q, %s says %s", set.value, set.id, line)
		}
	}
	if log := tab.JS("log.sort()"); log != "pause,play,seeked,seeked,seeked,volumechange,volumechange,volumechange,volumechange" {
		t.Errorf("the events are %s", log)
	}
	for _, refused := range []struct{ id, value, want string }{
		{"a", "louder", "a player takes play, pause, mute"}, {"a", "", "a player takes"}, {"a", "0:21", "it ends at 0:20"}, {"a", "volume 120", "from 0 to 100"},
		{"broken", "play", "unable to play"}, {"empty", "play", "unable to play"}, {"gone", "play", "unable to play"}, {"stubborn", "play", "it holds \"paused"}, {"stubborn", "0:07", "it holds \"paused 0:00"}, {"bare", "play", "takes no value"},
	} {
		if _, err := tab.Widget.SetValue(tab.Ctx, tab.Ref("#"+refused.id), refused.value); err == nil || !strings.Contains(err.Error(), refused.want) {
			t.Errorf("set to %q, %s says %v", refused.value, refused.id, err)
		}
	}
	for _, want := range []string{"playing", "paused"} {
		if line := tab.MustClick(tab.Ref("#a")).Element.Line(); !strings.Contains(line, want) {
			t.Errorf("a click says %s, want %s", line, want)
		}
	}
}
