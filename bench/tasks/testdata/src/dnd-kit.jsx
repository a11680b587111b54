import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { DndContext, KeyboardSensor, PointerSensor, closestCenter, useSensor, useSensors } from '@dnd-kit/core'
import { SortableContext, arrayMove, sortableKeyboardCoordinates, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'

function Item({ id }) {
  const s = useSortable({ id })
  return <li ref={s.setNodeRef} {...s.attributes} {...s.listeners} style={{ transform: CSS.Transform.toString(s.transform), transition: s.transition, padding: 12, margin: 4, background: '#ddd', listStyle: 'none', width: 240, touchAction: 'none' }}>{id}</li>
}
function List() {
  const [items, setItems] = useState(['Walk the dog', 'Buy bread', 'Call Ida', 'Write home', 'Sleep'])
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { delay: 300, tolerance: 5 } }), useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }))
  window.order = items.map((i) => i.split(' ').pop()).join()
  return <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={({ active, over }) => over && setItems((all) => arrayMove(all, all.indexOf(active.id), all.indexOf(over.id)))}>
    <SortableContext items={items} strategy={verticalListSortingStrategy}><ul>{items.map((id) => <Item key={id} id={id} />)}</ul></SortableContext>
  </DndContext>
}
createRoot(app).render(<List />)
