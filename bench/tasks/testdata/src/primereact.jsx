import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Dropdown } from 'primereact/dropdown'
import { MultiSelect } from 'primereact/multiselect'
import { Calendar } from 'primereact/calendar'
import { Slider } from 'primereact/slider'
import { InputNumber } from 'primereact/inputnumber'
import { Rating } from 'primereact/rating'
import { Button } from 'primereact/button'
import 'primereact/resources/themes/lara-light-blue/theme.css'

function Booking() {
  const [v, set] = useState({ extras: [], guests: 1, price: 20, stars: 0 })
  const [sent, send] = useState('')
  const put = (name) => (e) => set({ ...v, [name]: e.value })
  window.sent = sent
  return <div style={{ display: 'grid', gap: 12, width: 420 }}>
    <label htmlFor="city">City</label><Dropdown inputId="city" value={v.city} onChange={put('city')} options={['Lisbon', 'Oslo', 'Paris', 'Rome']} placeholder="Choose" />
    <label htmlFor="extras">Extras</label><MultiSelect inputId="extras" value={v.extras} onChange={put('extras')} options={['Breakfast', 'Parking', 'Pool', 'Wi-Fi']} display="chip" />
    <label htmlFor="day">Day</label><Calendar inputId="day" value={v.day} onChange={put('day')} viewDate={new Date(2030, 4, 1)} dateFormat="yy-mm-dd" />
    <label htmlFor="guests">Guests</label><InputNumber inputId="guests" value={v.guests} onValueChange={put('guests')} showButtons min={1} max={9} />
    <span id="price">Price up to {v.price}</span><Slider value={v.price} onChange={put('price')} aria-labelledby="price" />
    <Rating value={v.stars} onChange={put('stars')} cancel={false} />
    <Button label="Book" onClick={() => send([v.city, v.extras.join('+'), v.day && v.day.getDate(), v.guests, v.price, v.stars].join())} />
    <output>{sent}</output>
  </div>
}
createRoot(app).render(<Booking />)
