import { DataSet } from 'vis-data'
import { Timeline } from 'vis-timeline/standalone'
import 'vis-timeline/styles/vis-timeline-graph2d.css'

const items = new DataSet([['Dig', 2, 4], ['Build', 6, 9], ['Paint', 12, 14]].map(([content, a, b], id) => ({ id, content, start: new Date(2030, 4, a), end: new Date(2030, 4, b) })))
app.style.width = '1000px'
new Timeline(app, items, { editable: { updateTime: true, remove: true }, min: new Date(2030, 4, 1), max: new Date(2030, 4, 21), start: new Date(2030, 4, 1), end: new Date(2030, 4, 21), height: 260, zoomable: false, snap: (d) => { const r = new Date(d); r.setHours(r.getHours() + 12, 0, 0, 0); r.setHours(0); return r } })
window.span = (name) => { const i = items.get().find((x) => x.content === name); return i && [i.start, i.end].map((d) => new Date(d).getDate()).join('-') }
