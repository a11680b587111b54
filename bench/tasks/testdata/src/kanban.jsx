import { Kanban } from '@syncfusion/ej2-kanban'
import '@syncfusion/ej2-base/styles/material.css'
import '@syncfusion/ej2-buttons/styles/material.css'
import '@syncfusion/ej2-popups/styles/material.css'
import '@syncfusion/ej2-layouts/styles/material.css'
import '@syncfusion/ej2-inputs/styles/material.css'
import '@syncfusion/ej2-dropdowns/styles/material.css'
import '@syncfusion/ej2-kanban/styles/material.css'

const card = (Id, Status, Summary) => ({ Id, Status, Summary })
const board = new Kanban({
  dataSource: [card('Task 1', 'Open', 'Paint the door'), card('Task 2', 'Open', 'Mend the roof'), card('Task 3', 'Doing', 'Sweep the yard'), card('Task 4', 'Done', 'Buy nails')],
  keyField: 'Status', columns: ['Open', 'Doing', 'Done'].map((name) => ({ headerText: name, keyField: name })),
  cardSettings: { contentField: 'Summary', headerField: 'Id' },
}, '#app')
window.cards = () => board.kanbanData.map((c) => c.Id.slice(5) + c.Status).sort().join()
