import {EditorView} from "@codemirror/view"; import {basicSetup} from "cm6"; import {javascript} from "@codemirror/lang-javascript";
const v=new EditorView({doc:"let a = 1;",extensions:[basicSetup,javascript()],parent:document.getElementById("root")}); window.state=()=>({text:v.state.doc.toString()});
