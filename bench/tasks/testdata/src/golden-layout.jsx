import { GoldenLayout } from 'golden-layout'
import 'golden-layout/dist/css/goldenlayout-base.css'
import 'golden-layout/dist/css/themes/goldenlayout-light-theme.css'

app.style.cssText = 'width:900px;height:500px'
const layout = new GoldenLayout(app)
layout.registerComponentFactoryFunction('text', (container, state) => { container.element.textContent = state })
const pane = (title) => ({ type: 'component', componentType: 'text', title, componentState: 'The pane ' + title })

layout.loadLayout({ root: { type: 'row', content: [{ type: 'stack', content: [pane('Files'), pane('Log')] }, { type: 'stack', content: [pane('Editor')] }] } })
window.stacks = () => { const all = []; (function walk(i) { i.type === 'stack' ? all.push(i.contentItems.map((c) => c.title).join('+')) : i.contentItems.forEach(walk) })(layout.rootItem); return all.sort().join() }
