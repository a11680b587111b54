import SignaturePad from 'signature_pad'

app.innerHTML = '<p>Sign in the frame<p><canvas id=pad width=600 height=240 style="border:1px solid" aria-label=Signature></canvas><p><label><input type=checkbox id=agree> I agree</label> <button id=send>Send</button><output id=said></output>'
const pad = new SignaturePad(document.querySelector('#pad'), { minDistance: 2 })
send.onclick = () => {
  const strokes = pad.toData().map((s) => s.points)
  const bends = strokes.map((p) => p.slice(1).filter((q, i) => i && Math.sign(q.y - p[i].y) * Math.sign(p[i].y - p[i - 1].y) < 0).length)
  said.textContent = strokes.length + ' strokes, bends ' + bends + (agree.checked ? ', agreed' : '')
}
