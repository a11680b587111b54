import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { ReactFlow, Controls, addEdge, applyNodeChanges, applyEdgeChanges } from '@xyflow/react'
import '@xyflow/react/dist/style.css'

const start = ['Load', 'Clean', 'Store'].map((label, i) => ({ id: label, position: { x: 60 + i * 220, y: 60 + i * 120 }, data: { label } }))

function Flow() {
  const [nodes, setNodes] = useState(start)
  const [edges, setEdges] = useState([])
  window.edges = edges.map((e) => e.source + '>' + e.target).sort()
  window.nodes = nodes
  return <div style={{ width: 900, height: 500 }}>
    <ReactFlow nodes={nodes} edges={edges} onNodesChange={(c) => setNodes((n) => applyNodeChanges(c, n))}
      onEdgesChange={(c) => setEdges((e) => applyEdgeChanges(c, e))} onConnect={(c) => setEdges((e) => addEdge(c, e))}><Controls /></ReactFlow>
  </div>
}
createRoot(app).render(<Flow />)
