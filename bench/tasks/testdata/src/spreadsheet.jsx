import 'x-data-spreadsheet/dist/xspreadsheet'
import 'x-data-spreadsheet/dist/xspreadsheet.css'

const s = window.x_spreadsheet(app, { showToolbar: true, showBottomBar: false, view: { height: () => 460, width: () => 900 } })
s.loadData({ rows: { 0: { cells: { 0: { text: 'Item' }, 1: { text: 'Price' } } }, 1: { cells: { 0: { text: 'Tea' }, 1: { text: '3' } } } } })
window.cell = (r, c) => (s.cell(r, c) || {}).text
window.style = (r, c) => s.cellStyle(r, c)
