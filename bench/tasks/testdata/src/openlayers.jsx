import OlMap from 'ol/Map'
import View from 'ol/View'
import VectorLayer from 'ol/layer/Vector'
import VectorSource from 'ol/source/Vector'
import Draw from 'ol/interaction/Draw'
import Modify from 'ol/interaction/Modify'
import 'ol/ol.css'

app.innerHTML = '<button id=draw>Draw a field</button> <button id=edit>Edit</button><div id=map aria-label=Map style="width:800px;height:420px;border:1px solid"></div><output id=said></output>'
const source = new VectorSource()
const map = new OlMap({ target: 'map', layers: [new VectorLayer({ source })], view: new View({ center: [400, -210], resolution: 1, projection: 'EPSG:3857' }) })
let tool
const use = (t) => { if (tool) map.removeInteraction(tool); map.addInteraction(tool = t) }
draw.onclick = () => { const d = new Draw({ source, type: 'Polygon' }); d.on('drawend', () => setTimeout(() => map.removeInteraction(d))); use(d) }
edit.onclick = () => use(new Modify({ source }))
window.fields = () => source.getFeatures().map((f) => f.getGeometry().getCoordinates()[0].slice(0, -1).map(([x, y]) => Math.round(x) + ' ' + Math.round(-y)))
