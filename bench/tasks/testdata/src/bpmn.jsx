import Modeler from 'bpmn-js/lib/Modeler'
import 'bpmn-js/dist/assets/diagram-js.css'
import 'bpmn-js/dist/assets/bpmn-js.css'
import 'bpmn-js/dist/assets/bpmn-font/css/bpmn-embedded.css'

app.style.cssText = 'width:1000px;height:500px;position:relative'
const modeler = new Modeler({ container: app })
modeler.importXML(`<?xml version="1.0"?><bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI" xmlns:dc="http://www.omg.org/spec/DD/20100524/DC" id="d" targetNamespace="t">
<bpmn:process id="p" isExecutable="false"><bpmn:startEvent id="Start" name="Order came"/></bpmn:process><bpmndi:BPMNDiagram id="g"><bpmndi:BPMNPlane id="l" bpmnElement="p"><bpmndi:BPMNShape id="s" bpmnElement="Start"><dc:Bounds x="200" y="150" width="36" height="36"/></bpmndi:BPMNShape></bpmndi:BPMNPlane></bpmndi:BPMNDiagram></bpmn:definitions>`)
window.parts = () => modeler.get('elementRegistry').filter((e) => e.type !== 'bpmn:Process' && e.type !== 'label').map((e) => e.type.slice(5) + (e.businessObject.name ? ' ' + e.businessObject.name : '')).sort().join()
