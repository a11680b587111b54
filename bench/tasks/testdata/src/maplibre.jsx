import { Map, Marker, Popup, NavigationControl, setWorkerUrl } from 'maplibre-gl'
import 'maplibre-gl/dist/maplibre-gl.css'

setWorkerUrl('/dist/maplibre-worker.js')
app.innerHTML = '<div id=map style="width:800px;height:450px"></div><output id=said></output>'
const map = new Map({
  container: 'map', center: [10, 50], zoom: 4, attributionControl: false, fadeDuration: 0, dragPan: { linearity: 0, maxSpeed: 0 },
  style: { version: 8, sources: {}, layers: [{ id: 'sea', type: 'background', paint: { 'background-color': '#bfe3f2' } }] },
})
map.addControl(new NavigationControl())
new Marker().setLngLat([10, 50]).setPopup(new Popup().setHTML('<p>Mainz</p><button id=stay>Stay</button>')).addTo(map)
document.addEventListener('click', (e) => { if (e.target.id === 'stay') said.textContent = 'staying' })
window.view = () => { const c = map.getCenter(); return [Math.round(map.getZoom()), Math.round(c.lng)].join() }
