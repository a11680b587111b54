import { dia, shapes } from '@joint/core'

const graph = new dia.Graph({}, { cellNamespace: shapes })
new dia.Paper({ el: app, model: graph, width: 900, height: 500, cellViewNamespace: shapes, background: { color: '#f6f6f6' } })
const box = (text, x, y) => new shapes.standard.Rectangle({ position: { x, y }, size: { width: 120, height: 50 }, attrs: { label: { text } } }).addTo(graph)
const boxes = { Draft: box('Draft', 60, 60), Review: box('Review', 60, 200), Paid: box('Paid', 60, 340) }
new shapes.standard.Link({ source: boxes.Draft, target: boxes.Review }).addTo(graph)
window.at = (name) => boxes[name].position()
