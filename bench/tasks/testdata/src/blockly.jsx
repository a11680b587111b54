import * as Blockly from 'blockly'

app.style.cssText = 'width:900px;height:500px'
const workspace = Blockly.inject(app, { sounds: false, media: '/media/', trashcan: true, toolbox: { kind: 'flyoutToolbox', contents: [{ kind: 'block', type: 'controls_repeat_ext', inputs: { TIMES: { shadow: { type: 'math_number', fields: { NUM: 10 } } } } }, { kind: 'block', type: 'text_print', inputs: { TEXT: { shadow: { type: 'text', fields: { TEXT: 'abc' } } } } }] } })
window.blocks = () => workspace.getTopBlocks(true).map(function name(b) { return b.type + '(' + b.getChildren(true).filter((c) => !c.isShadow()).map(name).join() + ')' }).join()
window.texts = () => workspace.getAllBlocks().map((b) => b.getFieldValue('TEXT') || b.getFieldValue('NUM')).filter(Boolean).sort().join()
