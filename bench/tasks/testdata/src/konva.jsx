import Konva from 'konva'

app.innerHTML = '<button id=rect>Rectangle</button> <button id=move aria-pressed=true>Move</button><div id=board role=img aria-label=Drawing style="width:800px;height:450px;border:1px solid"></div>'
const stage = new Konva.Stage({ container: 'board', width: 800, height: 450 })
const layer = new Konva.Layer()
stage.add(layer)
let tool = 'move', drawn
rect.onclick = () => choose('rect')
move.onclick = () => choose('move')
function choose(name) {
  tool = name
  for (const b of [rect, move]) b.setAttribute('aria-pressed', b.id === name)
  layer.children.forEach((c) => c.draggable(name === 'move'))
}
stage.on('pointerdown', () => {
  if (tool !== 'rect') return
  const { x, y } = stage.getPointerPosition()
  layer.add(drawn = new Konva.Rect({ x, y, width: 0, height: 0, fill: 'teal', draggable: false }))
})
stage.on('pointermove', () => {
  if (!drawn) return
  const { x, y } = stage.getPointerPosition()
  drawn.size({ width: x - drawn.x(), height: y - drawn.y() })
})
stage.on('pointerup', () => { drawn = null })
window.shapes = () => layer.children.map((c) => [c.x(), c.y(), c.width(), c.height()].map(Math.round))
