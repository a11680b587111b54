import React,{useState} from "react"; import {createRoot} from "react-dom/client"; import {Listbox,Combobox,Switch,Menu,Disclosure,RadioGroup} from "@headlessui/react";
const S={}; window.state=()=>S; const P=["Wade","Arlene","Devon"];
function App(){const [p,setP]=useState(P[0]),[q,setQ]=useState(""),[c,setC]=useState(""),[on,setOn]=useState(false),[plan,setPlan]=useState("");
return <div style={{width:320}}>
<Listbox value={p} onChange={v=>{setP(v);S.assignee=v}}><Listbox.Label>Assignee</Listbox.Label><Listbox.Button>{p}</Listbox.Button><Listbox.Options>{P.map(x=><Listbox.Option key={x} value={x}>{x}</Listbox.Option>)}</Listbox.Options></Listbox>
<Combobox value={c} onChange={v=>{setC(v);S.reviewer=v}}><Combobox.Label>Reviewer</Combobox.Label><Combobox.Input onChange={e=>setQ(e.target.value)}/><Combobox.Options>{P.filter(x=>x.toLowerCase().includes(q.toLowerCase())).map(x=><Combobox.Option key={x} value={x}>{x}</Combobox.Option>)}</Combobox.Options></Combobox>
<Switch.Group><Switch.Label>Notifications</Switch.Label><Switch checked={on} onChange={v=>{setOn(v);S.notify=v}} style={{width:40,height:20,background:on?"#0a0":"#ccc"}}/></Switch.Group>
<Menu><Menu.Button>Options</Menu.Button><Menu.Items><Menu.Item><button onClick={()=>S.menu="edit"}>Edit</button></Menu.Item><Menu.Item><button onClick={()=>S.menu="move"}>Move</button></Menu.Item></Menu.Items></Menu>
<RadioGroup value={plan} onChange={v=>{setPlan(v);S.plan=v}}><RadioGroup.Label>Plan</RadioGroup.Label>{["Startup","Business"].map(v=><RadioGroup.Option key={v} value={v}>{v}</RadioGroup.Option>)}</RadioGroup>
<Disclosure><Disclosure.Button>Refund policy?</Disclosure.Button><Disclosure.Panel>Within 90 days.</Disclosure.Panel></Disclosure></div>}
createRoot(document.getElementById("root")).render(<App/>);
