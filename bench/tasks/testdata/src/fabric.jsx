import { Canvas, Rect, Circle, ActiveSelection } from 'fabric'

app.innerHTML = '<canvas id=board width=800 height=450 style="border:1px solid"></canvas><p><button id=group>Delete selection</button>'
const canvas = new Canvas('board')
const square = new Rect({ left: 120, top: 120, width: 80, height: 80, fill: 'crimson', originX: 'left', originY: 'top' })
const disc = new Circle({ left: 400, top: 120, radius: 40, fill: 'navy', originX: 'left', originY: 'top' })
const bar = new Rect({ left: 600, top: 300, width: 120, height: 40, fill: 'orange', originX: 'left', originY: 'top' })
canvas.add(square, disc, bar)
canvas.renderAll()
group.onclick = () => { canvas.remove(...canvas.getActiveObjects()); canvas.discardActiveObject(); canvas.requestRenderAll() }
window.square = square
window.left = () => canvas.getObjects().map((o) => o.fill).join()
