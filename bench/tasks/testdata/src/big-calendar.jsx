import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import moment from 'moment'
import { Calendar, momentLocalizer } from 'react-big-calendar'
import dragAndDrop from 'react-big-calendar/lib/addons/dragAndDrop'
import 'react-big-calendar/lib/css/react-big-calendar.css'
import 'react-big-calendar/lib/addons/dragAndDrop/styles.css'

const localizer = momentLocalizer(moment), DragCalendar = dragAndDrop(Calendar)
const at = (day, hour) => new Date(2030, 4, day, hour)

function Week() {
  const [events, setEvents] = useState([{ id: 1, title: 'Review', start: at(6, 9), end: at(6, 10) }, { id: 2, title: 'Lunch', start: at(8, 12), end: at(8, 13) }])
  const change = ({ event, start, end }) => setEvents((all) => all.map((e) => e.id === event.id ? { ...e, start, end } : e))
  window.events = events.map((e) => e.title + ' ' + moment(e.start).format('ddd HH:mm') + '-' + moment(e.end).format('HH:mm'))
  return <div style={{ height: 660 }}><DragCalendar localizer={localizer} events={events} defaultView="week" defaultDate={at(6, 0)}
    min={at(6, 8)} max={at(6, 16)} step={30} onEventDrop={change} onEventResize={change} resizable selectable
    onSelectSlot={({ start, end }) => setEvents((all) => [...all, { id: all.length + 1, title: 'New', start, end }])} /></div>
}
createRoot(app).render(<Week />)
