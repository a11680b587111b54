import cytoscape from 'cytoscape'

app.innerHTML = '<div id=graph style="width:800px;height:400px;border:1px solid" aria-label=Graph></div><output id=said></output>'
const cy = cytoscape({
  container: graph, layout: { name: 'preset', fit: false }, userZoomingEnabled: false,
  style: [{ selector: 'node', style: { label: 'data(id)', width: 50, height: 50, 'text-valign': 'center' } }, { selector: ':selected', style: { 'background-color': 'crimson' } }],
  elements: [['Kiel', 100, 100], ['Bonn', 300, 100], ['Ulm', 500, 100], ['Jena', 700, 300]].map(([id, x, y]) => ({ data: { id }, position: { x, y } })),
})
cy.on('select unselect', () => { said.textContent = 'selected: ' + cy.$(':selected').map((n) => n.id()).sort().join() })
window.cy = cy
