import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import GridLayout from 'react-grid-layout/legacy'
import 'react-grid-layout/css/styles.css'
import 'react-resizable/css/styles.css'

function Board() {
  const [layout, setLayout] = useState([{ i: 'Sales', x: 0, y: 0, w: 4, h: 2 }, { i: 'Visits', x: 4, y: 0, w: 4, h: 2 }, { i: 'Errors', x: 8, y: 0, w: 4, h: 2 }])
  window.tile = (name) => { const t = layout.find((l) => l.i === name); return [t.x, t.y, t.w, t.h].join() }
  return <GridLayout layout={layout} cols={12} rowHeight={60} width={1100} onLayoutChange={setLayout}>
    {layout.map((l) => <section key={l.i} aria-label={l.i} style={{ background: '#cde' }}><h3>{l.i}</h3></section>)}
  </GridLayout>
}
createRoot(app).render(<Board />)
